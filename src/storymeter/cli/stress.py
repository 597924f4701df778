"""`storymeter stress …`: damage captions and measure how each metric responds."""

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click
import msgspec

from .. import engine, formats, report, stress
from ..captions import Corpus
from ..errors import UsageError, many
from ..files import write_bytes, write_text
from ..options import parse, split
from ..progress import Progress, silent
from ._files import reading_options, reference_reading_options, result_options
from ._options import (
    COUNT,
    FROM_TWO,
    SHARE,
    busy,
    device_option,
    images_option,
    jobs_option,
    metrics_option,
    option,
    print_note,
    print_result,
    progress_bar,
    protocol_option,
    references_option,
    seed_option,
    together,
    tokenizer_option,
    videos_option,
)
from ._scoring import judging_options, metric_names, read_both, settings_of, unit_option
from ._verbs import Verbs


@click.command("stress", cls=Verbs)
def stress_command() -> None:
    """Stress tests: damage captions and score them again.

    Captions are sampled, padded, reordered or misspelt; the tables show how each metric responds.

    \b
    storymeter stress audit mine.json -r references.json -m soda_c,meteor
    """


stress_options = together(
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


experiment_options = together(
    click.argument("candidates"),
    references_option,
    metrics_option("Metrics to test; default: those of the papers."),
    stress_options,
)
#: ending of a file -> what `report.render` calls it
TABLES = {"csv": "csv", "tex": "latex", "json": "json"}
repeats_option = option(
    "--repeats", "Random repeats; the table has their mean and spread.", click.IntRange(1, 1000), 5
)


def read(
    candidates: Sequence[str], options: dict[str, Any], *, needed: bool = True
) -> tuple[list[Corpus], list[Corpus]]:
    """The systems and the references; with --documents, the same documents of all of them, drawn once."""
    from ..stress.changes import fewer_documents

    references = options["references"]
    if needed and not references:
        raise UsageError("This experiment needs references.", hint="Give them with --references FILE.")
    systems, against = read_both(candidates, references, options)
    sample = options["sample"]
    return fewer_documents(systems, against, sample, options["seed"]) if sample else (systems, against)


def stress_run(references: Sequence[Corpus], progress: Progress, options: dict[str, Any]) -> engine.Run:
    """The run over the references, under the protocol with what --refs says."""
    refs, protocol = options["refs"], options["protocol"]
    given = settings_of(options, progress)
    return engine.Run(references, **given | {"protocol": f"{protocol}+refs={refs}" if refs else protocol})


@contextlib.contextmanager
def experiment(
    candidates: str, options: dict[str, Any], default: Sequence[str] | None = None, *, papers: bool = False
) -> Iterator[tuple[Corpus, engine.Run, list[str]]]:
    """The captions, the run over their references and the metrics asked for; a bar shows the progress.

    Without `default` metrics or those of the `papers` an experiment takes the usual ones, and can do without
    references."""
    from ..engine.suitability import default_metrics
    from ..stress.experiment import PAPER_METRICS

    names = metric_names(options["metrics"])
    default = PAPER_METRICS if papers else default
    (corpus,), against = read([candidates], options, needed=default is not None)
    usual = default_metrics(corpus.kind, references=bool(against), images=options["images"] is not None)
    names = names or list(default or (name for name in usual if name != "localisation"))
    with progress_bar() as progress:
        yield corpus, stress_run(against, progress, options), names


def keep(shown: report.Presentation, out: str, verb: str, **styles: str) -> None:
    """The result in several styles, by the endings of their files, in the folder of --out."""
    for ending, style in styles.items():
        write_text(Path(out) / f"{verb}.{ending}", report.render(shown, style))


def deliver(shown: report.Presentation, options: dict[str, Any], verb: str) -> None:
    """Print the result in the style asked for, and put everything that belongs to it into the folder."""
    print_result(shown, options["style"])
    if out := options["out"]:
        keep(shown, out, verb, **TABLES)
        if shown.page is not None:
            write_text(Path(out) / f"{verb}.html", shown.page())
        for figure in (shown.figures() if shown.figures else {}).values():
            write_bytes(Path(out) / f"{verb}.svg", report.svg_file(figure))
            write_bytes(Path(out) / f"{verb}.png", report.png(figure))
        print_note(f"Table, figure and page: {out}/{verb}.*")


@stress_command.command("apply")
@click.argument("transformation")
@click.argument("candidates")
@click.argument("target")
@references_option
@protocol_option
@jobs_option
@seed_option
@reading_options
@reference_reading_options
def apply_command(
    transformation: str,
    candidates: str,
    target: str,
    references: tuple[str, ...],
    protocol: str,
    jobs: int,
    seed: int,
    **reading: Any,
) -> None:
    """Write the damaged captions to a file.

    \b
    storymeter stress apply 'pad(n=200)' mine.json padded.json -r references.json
    """
    made = stress.transformation(transformation)
    asked = parse(transformation)
    if not references and (asked.word == "oracle" or "m" in asked.options):
        raise UsageError(
            f"{made.name} is measured by the references.", hint="Give them with --references FILE."
        )
    with busy("damaging the captions"):
        (corpus,), against = read_both([candidates], references, reading)
        settings = settings_of({"protocol": protocol, "jobs": jobs, "seed": seed}, silent)
        scene = stress.Scene.of(engine.Run(against, **settings))
        changed = stress.apply([made], corpus, scene, seed=seed)
        formats.write(changed, target)
    print_note(
        f"{many(len(changed), 'document')}, {many(changed.captions, 'caption')}"
        f" (before: {corpus.captions:,}): {target}"
    )


@stress_command.command("attacks")
@option("--most", "Maximum number of attacked documents, drawn by --seed.", FROM_TWO, 20)
@option("--long", "One line for each of the fifty attacks.", bool)
@option("--shuffled", "Put the words of each attack in random order, as a control.", bool)
@experiment_options
def attacks_command(candidates: str, most: int, long: bool, shuffled: bool, **options: Any) -> None:
    """Test metrics and judges with attacks inside captions.

    Instructions, flattery, marks, closing delimiters and more (fifty attacks of ten kinds) are added to
    captions of the wrong document; the table shows how much their scores rise."""

    with experiment(candidates, options) as (corpus, run, names):
        found = stress.attacks(corpus, run, metrics=names, most=most, shuffled=shuffled)
    shown = report.present(found, title=f"{corpus.name}: attacks inside captions", long=long)
    print_result(shown, options["style"])
    if out := options["out"]:
        keep(shown, out, "attacks", json="json", csv="csv")
        print_note(f"Tables: {out}/attacks.*")


@stress_command.command("audit")
@option("--repeats", "Random repeats of each transformation.", click.IntRange(1, 1000), 3)
@unit_option
@experiment_options
def audit_command(candidates: str, repeats: int, unit: str, **options: Any) -> None:
    """Run all stress tests and give a verdict per property.

    The numbers behind each verdict are printed below it."""

    with experiment(candidates, options) as (corpus, run, names):
        found = stress.audit(corpus, run, metrics=names, repeats=repeats, unit=unit or "")
    deliver(report.present(found, title=f"{corpus.name}: stress audit"), options, "audit")


@stress_command.command("count")
@option("--m m", "Multiples of the references' captions, comma-separated; default .1,.5,1,2,10,all.")
@option("--k k", "Numbers of captions instead, comma-separated: 3,7,15,200.")
@option(
    "--rounding",
    "How m times the references' captions becomes a whole number: int(m|G|), at least one; int(m|G|) alone,"
    " which leaves videos empty; or rounded up.",
    ("least-one", "int", "up"),
    "least-one",
)
@repeats_option
@experiment_options
def count_command(
    candidates: str, m: str | None, k: str | None, rounding: Any, repeats: int, **options: Any
) -> None:
    """Vary the number of captions.

    Scores when only some captions are kept (table 1 of the SODA papers)."""
    with experiment(candidates, options, papers=True) as (corpus, run, names):
        result = stress.count(
            corpus,
            run,
            m=split(m or ""),
            k=split(k or ""),
            repeats=repeats,
            rounding=rounding,
            metrics=names,
        )
    intro = (
        "Captions were drawn at random without replacement. A good metric should be highest near"
        " the number of reference captions (m = 1)."
    )
    shown = report.present(result, title=f"{corpus.name}: number of captions", intro=intro)
    deliver(shown, options, "count")


@stress_command.command("details")
@option("--most", "Maximum number of pairs of each kind, drawn by --seed.", COUNT, 200)
@option("--pairs", "Also write the pairs to this JSON Lines file.", click.Path(dir_okay=False))
@experiment_options
def details_command(candidates: str, most: int, pairs: str | None, **options: Any) -> None:
    """Change one detail of correct captions.

    CANDIDATES are human captions; one object, action, colour or number that the references mention is
    changed, a `not` inserted, or subject and object exchanged. The table has the share of pairs in which
    the true caption scores higher."""
    usual = ["meteor", "cider", "rouge_l", "bleu_4", "sts", "bertscore", "facts"]
    with experiment(candidates, options, usual) as (corpus, run, names):
        found = stress.details(corpus, run, metrics=names, most=most)
    shown = report.present(found, title=f"{corpus.name}: one wrong detail")
    print_result(shown, options["style"])
    if pairs is not None:
        lines = [msgspec.json.encode(pair._asdict()).decode() for pair in found.pairs]
        write_text(pairs, "\n".join(lines) + "\n")
        print_note(f"{many(len(lines), 'pair')}: {pairs}")
    if out := options["out"]:
        keep(shown, out, "details", json="json", csv="csv")
        print_note(f"Tables: {out}/details.*")


@stress_command.command("oracle")
@click.argument("candidates", nargs=-1, required=True)
@references_option
@stress_options
def oracle_command(candidates: tuple[str, ...], **options: Any) -> None:
    """Score the oracle captions of each system.

    Mean METEOR and Self-BLEU of its oracle captions (table 2 of the SODA paper)."""
    from ..stress.experiment import oracles

    systems, against = read(candidates, options)
    with progress_bar() as progress:
        run = stress_run(against, progress, options)
        scores = oracles(systems, run)
    shown = report.present(scores)
    print_result(shown, options["style"])
    if out := options["out"]:
        keep(shown, out, "oracle", **TABLES)


@stress_command.command("order")
@option("--bound", "IoU of each jittered segment with the original stays above this.", SHARE, 0.7)
@option("--as-told", "Reorder the original captions instead of the oracle captions.", bool)
@option(
    "--move",
    "Captions exchange their texts, or keep their place in the file and exchange their times (which differs"
    " under a protocol with order=file).",
    ("texts", "times"),
    "texts",
)
@option("--reverse", "Also a column with the order reversed.", bool)
@repeats_option
@experiment_options
def order_command(
    candidates: str, bound: float, as_told: bool, reverse: bool, move: Any, repeats: int, **options: Any
) -> None:
    """Change the order of the captions.

    Table 3 of the SODA paper."""
    with experiment(candidates, options, ("anet(scorer=meteor)", "soda_c")) as (corpus, run, names):
        result = stress.order(
            corpus,
            run,
            repeats=repeats,
            bound=bound,
            metrics=names,
            oracle=not as_told,
            reverse=reverse,
            move=move,
        )
    intro = (
        "Percentage changes are from the correct order. A good metric should fall when sentences are"
        " swapped, and most when all are shuffled."
    )
    shown = report.present(result, title=f"{corpus.name}: order of captions", intro=intro, base="Correct")
    deliver(shown, options, "order")


@stress_command.command("pad")
@option("--n n", "Captions per video after padding, comma-separated.", default="20,50")
@repeats_option
@experiment_options
def pad_command(candidates: str, n: str, repeats: int, **options: Any) -> None:
    """Add redundant captions.

    Repeated captions, other captions under the same segment, captions of other videos (section 4 of the SODA
    paper)."""
    if not all(part.isascii() and part.isdigit() for part in split(n)) or not split(n):
        raise UsageError(f"--n cannot be {n!r}.", hint="Write it like --n 20,50")
    with experiment(candidates, options, papers=True) as (corpus, run, names):
        result = stress.pad(corpus, run, n=[int(part) for part in split(n)], repeats=repeats, metrics=names)
    intro = "A good metric should not reward redundant captions."
    shown = report.present(result, title=f"{corpus.name}: padded", intro=intro, base="original")
    deliver(shown, options, "pad")
