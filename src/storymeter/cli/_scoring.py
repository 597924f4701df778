"""What `score`, `compare` and their kin share: the options that say what to compute, and the reading before
it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

from ..engine.evaluate import Report
from ..errors import UsageError
from ..metric import Progress
from ..names import split
from ._options import busy
from ._reading import read_candidates, read_references

F = TypeVar("F", bound=Callable[..., Any])

cluster_option = click.option(
    "--cluster", metavar="ADDRESS", help="Spread the systems over a Ray cluster: local, auto, or its address."
)


def scoring_options(function: F) -> F:
    for option in reversed(
        [
            click.option(
                "--references",
                "-r",
                multiple=True,
                metavar="FILE",
                help="What people wrote; once per annotator.",
            ),
            click.option(
                "--metric",
                "-m",
                "metrics",
                multiple=True,
                metavar="NAME",
                help="Metric, or a comma-separated list; default: by kind of document.",
            ),
            click.option(
                "--protocol",
                default="paper",
                show_default=True,
                help="Named set of choices; see storymeter info --protocols.",
            ),
            click.option(
                "--tokenizer",
                type=click.Choice(["ptb", "whitespace", "none"]),
                default="ptb",
                show_default=True,
                help=(
                    "How sentences become words: ptb as captioning papers do, whitespace for text that is"
                    " tokenised already."
                ),
            ),
            click.option(
                "--images",
                type=click.Path(exists=True, file_okay=False),
                help="Folder of the stories' images.",
            ),
            click.option(
                "--device", default="cpu", show_default=True, help="Where neural models run (cpu, cuda, mps)."
            ),
        ]
    ):
        function = option(function)
    return function


def evaluate_files(
    candidates: Sequence[str],
    *,
    references: Sequence[str],
    metrics: Sequence[str],
    protocol: str,
    tokenizer: Any,
    images: str | None,
    device: str,
    cluster: str | None,
    jobs: int,
    seed: int,
    resamples: int,
    progress: Progress,
    **reading: Any,
) -> Report:
    """Read, choose the metrics where none are named, score. Names are checked before any file is opened."""
    from .. import protocol as protocols
    from ..engine.defaults import default_metrics
    from ..engine.evaluate import evaluate
    from ..registry import metric as get_metric

    names = [name for text in metrics for name in split(text)]
    if metrics and not names:
        raise UsageError(
            f"--metric {metrics[0]!r} names no metric.",
            hint="Leave it out for the default ones, or see storymeter info --metrics.",
        )
    for name in names:
        get_metric(name)
    protocols.get(protocol)
    if [*candidates, *references].count("-") > 1:
        raise UsageError("stdin (-) can be read only once.", hint="Give the other files by name.")
    with busy("reading the files"):
        systems = read_candidates(candidates, **reading)
        against = read_references(references, **reading)
    names = names or default_metrics(systems[0].kind, references=bool(against), images=images is not None)
    return evaluate(
        candidates=systems,
        references=against,
        metrics=names,
        protocol=protocol,
        tokenizer=tokenizer,
        jobs=jobs,
        seed=seed,
        resamples=resamples,
        device=device,
        images=images,
        cluster=cluster,
        progress=progress,
    )
