"""`storymeter stress …`: damage captions and measure how each metric responds. Also what its sub-verbs
share: options, reading, and how a result is printed and kept.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ... import report
from ...files import write_bytes, write_text
from .._files import result_options
from .._options import (
    COUNT,
    device_option,
    images_option,
    metrics_option,
    option,
    print_note,
    print_result,
    progress_bar,
    protocol_option,
    references_option,
    together,
    tokenizer_option,
    videos_option,
)
from .._scoring import judging_options, make_run, metric_names, read_both
from .._verbs import Verbs

if TYPE_CHECKING:
    from ...captions import Corpus
    from ...engine.run import Run
    from ...progress import Progress
    from ...report import Presentation

VERBS = {
    "apply": "verbs",
    "attacks": "verbs",
    "audit": "verbs",
    "count": "verbs",
    "details": "verbs",
    "oracle": "verbs",
    "order": "verbs",
    "pad": "verbs",
}


@click.command("stress", cls=Verbs, package=sys.modules[__name__])
def stress_command() -> None:
    """Stress tests: damage captions and score them again.

    Captions are sampled, padded, reordered or misspelt; the tables show how each metric responds.

    \b
    storymeter stress audit mine.json -r references.json -m soda_c,meteor
    """


stress_options = together(
    references_option,
    metrics_option("Metrics to test; default: those of the papers."),
    protocol_option,
    option(
        "--refs",
        "Several annotators: as the protocol says, or so. Under merge, a video has the captions of all of"
        " them; otherwise oracle captions and their order are those of the first.",
        ("best", "merge", "mean", "corpus-mean", "single"),
    ),
    tokenizer_option("Tokeniser."),
    images_option,
    videos_option,
    device_option,
    option("--documents sample", "Random sample of N documents; default: all.", COUNT, metavar="N"),
    option(
        "--out",
        "Folder for the table (CSV, LaTeX, JSON), the figure (PNG, SVG) and a page.",
        click.Path(file_okay=False),
    ),
    judging_options,
    result_options,
)


experiment_options = together(click.argument("candidates"), stress_options)
repeats_option = option(
    "--repeats", "Random repeats; the table has their mean and spread.", click.IntRange(1, 1000), 5
)


def read(
    candidates: Sequence[str], options: dict[str, Any], *, needed: bool = True
) -> tuple[list[Corpus], list[Corpus]]:
    """The systems and the references; with --documents, the same documents of all of them, drawn once."""
    from ...errors import UsageError
    from ...stress.changes import fewer_documents

    references = options["references"]
    if needed and not references:
        raise UsageError("This experiment needs references.", hint="Give them with --references FILE.")
    systems, against = read_both(candidates, references, options)
    sample = options["sample"]
    return fewer_documents(systems, against, sample, options["seed"]) if sample else (systems, against)


def stress_run(references: Sequence[Corpus], progress: Progress, options: dict[str, Any]) -> Run:
    """The run over the references, under the protocol with what --refs says."""
    refs, protocol = options["refs"], options["protocol"]
    return make_run(
        references, progress, {**options, "protocol": f"{protocol}+refs={refs}" if refs else protocol}
    )


@contextlib.contextmanager
def experiment(
    candidates: str, options: dict[str, Any], default: Sequence[str] = ()
) -> Iterator[tuple[Corpus, Run, list[str]]]:
    """The captions, the run over their references and the metrics asked for; a bar shows the progress.

    Without `default` metrics an experiment takes the usual ones, and can do without references."""
    from ...engine.suitability import default_metrics

    names = metric_names(options["metrics"])
    (corpus,), against = read([candidates], options, needed=bool(default))
    usual = default_metrics(corpus.kind, references=bool(against), images=options["images"] is not None)
    names = names or list(default) or [name for name in usual if name != "localisation"]
    with progress_bar() as progress:
        yield corpus, stress_run(against, progress, options), names


def keep(folder: str | None, name: str, **files: str) -> None:
    """The files, by their endings, in the folder of --out."""
    if folder:
        for ending, text in files.items():
            write_text(Path(folder) / f"{name}.{ending}", text)
        print_note(f"Tables: {folder}/{name}.*")


def deliver(shown: Presentation, options: dict[str, Any], verb: str) -> None:
    """Print the result in the style asked for, and put everything that belongs to it into the folder."""
    from ...report.figures.files import png, svg_file

    print_result(shown, options["style"])
    if out := options["out"]:
        folder = Path(out)
        for ending, style in (("csv", "csv"), ("tex", "latex"), ("json", "json")):
            write_text(folder / f"{verb}.{ending}", report.render(shown, style))
        if shown.page is not None:
            write_text(folder / f"{verb}.html", shown.page())
        for figure in (shown.figures() if shown.figures else {}).values():
            write_bytes(folder / f"{verb}.svg", svg_file(figure))
            write_bytes(folder / f"{verb}.png", png(figure))
        print_note(f"Table, figure and page: {folder}/{verb}.*")
