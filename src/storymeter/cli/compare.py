"""storymeter compare: is the difference between systems significant?"""

from __future__ import annotations

from typing import Any

import click
from click.core import ParameterSource

from ..errors import UsageError
from ._declare import Resamples, option
from ._options import busy, print_result, progress_bar, say
from ._reading import result_options
from ._scoring import (
    annotators_option,
    cluster_options,
    score_files,
    scoring_options,
    spread_of_annotators,
    system_option,
    unit_option,
)

_NO_SEEDS = (
    "One training run per system: the noise of training is not in the intervals and tests (--system"
    " NAME=a.json,b.json gives several)."
)


@click.command()
@click.argument("candidates", nargs=-1, metavar="A B [C...]")
@scoring_options
@unit_option
@system_option
@annotators_option
@cluster_options
@option(
    "--resamples",
    "Resamples of each test; auto: until chance decides no significance, all swaps up to 12 documents.",
    Resamples(99),
    "auto",
)
@option(
    "--difference",
    "Also print how many documents find a difference of so many points in 80 of 100 studies.",
    click.FloatRange(min=0, min_open=True),
    metavar="POINTS",
)
@option("--most", "Number of documents with the largest differences to list.", click.IntRange(0, 1000), 5)
@result_options
def command(
    candidates: tuple[str, ...],
    resamples: Any,
    most: int,
    difference: float | None,
    annotators: bool,
    style: str,
    **options: Any,
) -> None:
    """Test the differences between systems.

    Systems are compared pairwise on the same documents: paired permutation test, corrected after Holm over
    the comparisons of one metric, bootstrap-t test and simultaneous intervals. The saved run's seed is used
    unless --seed is given.

    \b
    storymeter compare mine.json yours.json -r references.json -m soda_c
    storymeter compare --system mine=a.json,b.json yours.json -r references.json
    storymeter compare run.smr
    storymeter compare run.smr --difference 0.5     documents that find it
    """
    from ..engine.seeds import collapsed
    from ..engine.systems import in_shards, is_saved
    from ..report import present
    from ..report.scores import annotator_table, coverage_lines, spread_records

    if len(candidates) + len(options["systems"]) < 2 and not any(map(is_saved, candidates)):
        raise UsageError(
            "A comparison needs two systems.",
            hint="Give two files or more: storymeter compare A.json B.json --references FILE",
        )
    with progress_bar() as progress:
        drawn = resamples if in_shards(candidates, options["references"]) else 0  # rows are not kept there
        results = score_files(candidates, progress, {**options, "resamples": drawn})
    if len(collapsed(results).systems) < 2:
        raise UsageError(
            "A comparison needs two systems.", hint="Add one: storymeter score NEW.json --into RUN.smr"
        )
    with busy("comparing the systems"):
        given = click.get_current_context().get_parameter_source("seed") == ParameterSource.COMMANDLINE
        seed = options["seed"] if given else None
        comparisons = results.compare(resamples=resamples, seed=seed, most=most, difference=difference)
    say(*coverage_lines(results))
    if not results.seeds:
        say(_NO_SEEDS)
    more: dict[str, Any] = {}
    if annotators:
        spread = spread_of_annotators(results, options, pairs=True)
        more = {"annotators": spread_records(results, spread), "spread": annotator_table(results, spread)}
    print_result(present(comparisons, difference=difference, **more), style)
