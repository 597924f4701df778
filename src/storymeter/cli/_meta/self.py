"""storymeter meta self CANDIDATES…: does a metric or a judge say the same when it is asked again?"""

from __future__ import annotations

from typing import Any

import click

from .._declare import RESAMPLES, option
from .._options import progress_bar, put
from .._reading import result_options
from .._scoring import make_run, metric_names, read_both, scoring_options


@click.command("self")
@click.argument("candidates", nargs=-1, required=True, metavar="CANDIDATES...")
@option("--trials", "Number of times that everything is scored.", click.IntRange(2, 100), 2)
@option("--resamples", "Bootstrap resamples for the interval of Pearson's r; 0: none.", RESAMPLES, 1000)
@scoring_options
@result_options
def command(
    candidates: tuple[str, ...],
    trials: int,
    resamples: int,
    metrics: tuple[str, ...],
    style: str,
    **options: Any,
) -> None:
    """Agreement of a judge with itself.

    CANDIDATES are scored several times: all requests to a judge are sent again (stored answers are
    not used), other metrics are computed again.

    \b
    storymeter meta self mine.json -r r.json -m "judge(model=NAME,endpoint=URL)"
    """
    from ...engine.defaults import default_metrics
    from ...meta.self_agreeing import self_agreement
    from ...report.self_agreement import self_json, self_table

    names = metric_names(metrics)
    systems, against = read_both(candidates, options["references"], options)
    names = names or default_metrics(systems[0].kind, references=bool(against))
    with progress_bar() as progress:
        run = make_run(against, progress, options)
        found = self_agreement(systems, run, metrics=names, trials=trials, resamples=resamples)
    put(self_table(found), style, json=self_json(found))
