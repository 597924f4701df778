"""storymeter train blend: is there one overall score for captions?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ._declare import NEW_FILE, RESAMPLES, option
from ._options import data_option, output, progress_bar, put, run_options, say


@click.command("blend")
@data_option
@option(
    "--parts kept",
    "File to store the values of the parts; stored values are reused.",
    NEW_FILE,
    metavar="FILE.npz",
)
@option("--resamples", "Bootstrap resamples for the intervals; 0: none.", RESAMPLES, 300)
@option("--permutations", "Resamples of the permutation test.", click.IntRange(10, 10_000_000), 1000)
@run_options()
def blend(
    data: Path,
    kept: Path | None,
    resamples: int,
    permutations: int,
    device: str,
    style: str,
    jobs: int,
    seed: int,
) -> None:
    """Fit one overall score to human scores.

    It combines sts, facts, bertscore and word metrics.

    It is fitted on three of TRECVID 2016 and 2017, Flickr8k-Expert and FactVC and tested on the fourth, in
    turn; weights may be 0. Prints whether the blend meets the rule for being used."""
    from ..engine.run import Run
    from ..meta.blend import leave_one_out, verdict
    from ..report.blend import blend_data, blend_table
    from ..report.table import to_json

    with progress_bar() as progress:
        run = Run(jobs=jobs, seed=seed, device=device, progress=progress)
        samples = _samples(data, kept, run)
    with progress_bar():
        found = leave_one_out(samples, resamples=resamples, permutations=permutations, seed=seed)
    chosen = next(reversed(found))
    good, why = verdict(found[chosen])
    if style == "json":
        output(to_json({"schema": 1, "blends": blend_data(found), "deserves": good, "reason": why}))
        return
    put(blend_table(found), style)
    say(
        f"The blend ({chosen}) passes the rule and can be used."
        if good
        else f"The blend ({chosen}) fails: {why}."
    )


def _samples(data: Path, kept: Path | None, run: Any) -> list[Any]:
    """The four benchmarks with the values of all parts, from the file where it is there."""
    from dataclasses import replace

    import numpy as np

    from ..files import atomic
    from ..meta.benchmarks import load
    from ..meta.blend import BENCHMARKS, PARTS, Sample
    from ..meta.run import benchmark_scores
    from ..meta.scores import tabulate

    known = dict(np.load(kept)) if kept is not None and kept.exists() else {}
    out = []
    for name in BENCHMARKS:
        benchmark = load(name, data)
        human = tabulate(benchmark.judgements, scale=benchmark.scale)
        for part in PARTS:
            key = f"{name}/{part}"
            if key not in known or len(known[key]) != len(human):
                scores, _ = benchmark_scores(benchmark, [part], run)
                (known[key],) = scores.metrics.values()
        values = {part: known[f"{name}/{part}"] for part in PARTS}
        out.append(Sample(name, benchmark.headline, replace(human, metrics=values)))
        if kept is not None:
            with atomic(kept) as file:
                np.savez_compressed(file, **known)
    return out
