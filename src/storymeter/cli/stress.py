"""storymeter stress: damage captions and measure how each metric responds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ..metric import silent
from ..names import parse, split
from ._judging import judging_options
from ._options import (
    busy,
    device_option,
    format_option,
    images_option,
    jobs_option,
    metrics_option,
    output,
    progress_bar,
    protocol_option,
    put,
    references_option,
    say,
    seed_option,
    tokenizer_option,
    videos_option,
)
from ._reading import read_candidates, read_references, reading_options
from ._scoring import make_run, metric_names, read_both

if TYPE_CHECKING:
    from markupsafe import Markup

    from ..captions import Corpus
    from ..report.table import Table

F = TypeVar("F", bound=Callable[..., Any])


@click.group()
def command() -> None:
    """Stress tests: damage captions and score them again.

    Captions are sampled, padded, reordered or misspelt; the tables show how each metric responds.

    \b
    storymeter stress audit mine.json -r references.json -m soda_c,meteor
    """


def _common(function: F) -> F:
    for option in reversed(
        [
            references_option,
            metrics_option("Metrics to test; default: those of the papers."),
            protocol_option,
            tokenizer_option("Tokeniser."),
            images_option,
            videos_option,
            device_option,
            click.option(
                "--documents",
                "sample",
                type=click.IntRange(1),
                metavar="N",
                help="Random sample of N documents; default: all.",
            ),
            click.option(
                "--out",
                type=click.Path(file_okay=False),
                help="Folder for the table (CSV, LaTeX, JSON), the figure (PNG, SVG) and a page.",
            ),
            judging_options,
            format_option(),
            jobs_option,
            seed_option,
            reading_options,
        ]
    ):
        function = option(function)
    return function


repeats_option = click.option(
    "--repeats",
    type=click.IntRange(1, 1000),
    default=5,
    show_default=True,
    help="Random repeats; the table has their mean and spread.",
)


def _read(
    candidates: Sequence[str],
    references: tuple[str, ...],
    options: dict[str, Any],
    *,
    needed: bool = True,
) -> tuple[list[Corpus], list[Corpus]]:
    """The systems and the references; with --documents, the same documents of all of them, drawn once."""
    from ..errors import UsageError
    from ..stress.sampling import fewer_documents

    if needed and not references:
        raise UsageError("This experiment needs references.", hint="Give them with --references FILE.")
    reading = {key: options[key] for key in ("format", "id_map", "columns", "repair")}
    systems, against = read_both(candidates, references, reading)
    sample = options["sample"]
    return fewer_documents(systems, against, sample, options["seed"]) if sample else (systems, against)


def _chosen(metrics: tuple[str, ...], default: Sequence[str]) -> list[str]:
    return metric_names(metrics) or list(default)


def _deliver(
    result: Any,
    *,
    verb: str,
    style: str,
    out: str | None,
    base: str | None,
    title: str,
    intro: str,
    shown: list[Table] | None = None,
    json: str | None = None,
    figure: Markup | None = None,
) -> None:
    """Print the result in the style asked for, and put everything that belongs to it into the folder."""
    from ..files import atomic, write_text
    from ..report.stress import (
        change_figure,
        curve_figure,
        figures,
        number_table,
        result_json,
        result_table,
        stress_page,
    )

    tables = shown or [result_table(result, change_from=base)]
    if style == "json":
        output(json or result_json(result))
    else:
        put([number_table(result)] if style == "csv" else tables, style, title)
    if out:
        folder = Path(out)
        images = figures(result, base)
        write_text(folder / f"{verb}.csv", number_table(result).render("csv"))
        write_text(folder / f"{verb}.tex", "\n".join(table.render("latex") for table in tables))
        write_text(folder / f"{verb}.json", json or result_json(result))
        drawn = figure or (curve_figure(result) if base is None else change_figure(result, base))
        write_text(folder / f"{verb}.html", stress_page(title, intro, tables, drawn))
        for kind, data in images.items():
            with atomic(folder / f"{verb}.{kind}") as file:
                file.write(data)
        say(f"Table, figure and page: {folder}/{verb}.*")


@command.command()
@click.argument("candidates")
@click.option(
    "--m", "m", help="Multiples of the references' captions, comma-separated; default .1,.5,1,2,10,all."
)
@click.option("--k", "k", help="Numbers of captions instead, comma-separated: 3,7,15,200.")
@repeats_option
@_common
def count(
    candidates: str,
    m: str | None,
    k: str | None,
    repeats: int,
    references: tuple[str, ...],
    metrics: tuple[str, ...],
    style: str,
    out: str | None,
    **options: Any,
) -> None:
    """Vary the number of captions.

    Scores when only some captions are kept (table 1 of the SODA papers)."""
    from ..stress import experiment, tables

    names = _chosen(metrics, experiment.PAPER_METRICS)
    (corpus,), against = _read([candidates], references, options)
    with progress_bar() as progress:
        run = make_run(against, progress, options)
        result = tables.count(corpus, run, m=split(m or ""), k=split(k or ""), repeats=repeats, metrics=names)
    _deliver(
        result,
        verb="count",
        style=style,
        out=out,
        base=None,
        title=f"{corpus.name}: number of captions",
        intro=(
            "Captions were drawn at random without replacement. A measure of the story should be highest near"
            " the number of reference captions (m = 1)."
        ),
    )


@command.command()
@click.argument("candidates")
@click.option(
    "--bound",
    type=click.FloatRange(0, 1),
    default=0.7,
    show_default=True,
    help="IoU of each jittered segment with the original stays above this.",
)
@click.option("--as-told", is_flag=True, help="Reorder the original captions instead of the oracle captions.")
@click.option("--reverse", is_flag=True, help="Also a column with the order reversed.")
@repeats_option
@_common
def order(
    candidates: str,
    bound: float,
    as_told: bool,
    reverse: bool,
    repeats: int,
    references: tuple[str, ...],
    metrics: tuple[str, ...],
    style: str,
    out: str | None,
    **options: Any,
) -> None:
    """Change the order of the captions.

    Table 3 of the SODA paper."""
    from ..stress import tables

    names = _chosen(metrics, ("anet(scorer=meteor)", "soda_c"))
    (corpus,), against = _read([candidates], references, options)
    with progress_bar() as progress:
        run = make_run(against, progress, options)
        result = tables.order(
            corpus,
            run,
            repeats=repeats,
            bound=bound,
            metrics=names,
            oracle=not as_told,
            reverse=reverse,
        )
    _deliver(
        result,
        verb="order",
        style=style,
        out=out,
        base="Correct",
        title=f"{corpus.name}: order of captions",
        intro=(
            "Percentage changes are from the correct order. A measure of the story should fall when sentences"
            " change places, and most when all do."
        ),
    )


@command.command()
@click.argument("candidates")
@click.option(
    "--n", "n", default="20,50", show_default=True, help="Captions per video after padding, comma-separated."
)
@repeats_option
@_common
def pad(
    candidates: str,
    n: str,
    repeats: int,
    references: tuple[str, ...],
    metrics: tuple[str, ...],
    style: str,
    out: str | None,
    **options: Any,
) -> None:
    """Add redundant captions.

    Repeated captions, other captions under the same segment, captions of other videos (section 4 of the SODA
    paper)."""
    from ..errors import UsageError
    from ..stress import experiment, tables

    if not all(part.isascii() and part.isdigit() for part in split(n)) or not split(n):
        raise UsageError(f"--n cannot be {n!r}.", hint="Write it like --n 20,50")
    names = _chosen(metrics, experiment.PAPER_METRICS)
    (corpus,), against = _read([candidates], references, options)
    with progress_bar() as progress:
        run = make_run(against, progress, options)
        result = tables.pad(corpus, run, n=[int(part) for part in split(n)], repeats=repeats, metrics=names)
    _deliver(
        result,
        verb="pad",
        style=style,
        out=out,
        base="original",
        title=f"{corpus.name}: padded",
        intro="A measure of the story should not reward redundant captions.",
    )


@command.command()
@click.argument("candidates", nargs=-1, required=True)
@_common
def oracle(
    candidates: tuple[str, ...],
    references: tuple[str, ...],
    metrics: tuple[str, ...],
    style: str,
    out: str | None,
    **options: Any,
) -> None:
    """Score the oracle captions of each system.

    Mean METEOR and Self-BLEU of its oracle captions (table 2 of the SODA paper)."""
    from ..files import write_text
    from ..report.stress import oracle_table
    from ..stress import tables

    systems, against = _read(candidates, references, options)
    with progress_bar() as progress:
        run = make_run(against, progress, options)
        scores = [tables.oracle(corpus, run) for corpus in systems]
    put(oracle_table(scores), style, "Oracle captions")
    if out:
        for ending, kind in (("csv", "csv"), ("tex", "latex"), ("json", "json")):
            write_text(Path(out) / f"oracle.{ending}", oracle_table(scores).render(kind))


@command.command()
@click.argument("candidates")
@click.option(
    "--repeats",
    type=click.IntRange(1, 1000),
    default=3,
    show_default=True,
    help="Random repeats of each transformation.",
)
@_common
def audit(
    candidates: str,
    repeats: int,
    references: tuple[str, ...],
    metrics: tuple[str, ...],
    style: str,
    out: str | None,
    **options: Any,
) -> None:
    """Run all stress tests and give a verdict per property.

    The numbers behind each verdict are printed below it."""
    from ..engine.defaults import default_metrics
    from ..report.attacks import attack_table
    from ..report.stress import audit_figure, audit_json, audit_table, damage_tables
    from ..stress.audit import audit as run_audit

    metric_names(metrics)
    (corpus,), against = _read([candidates], references, options, needed=False)
    usual = default_metrics(corpus.kind, references=bool(against), images=options["images"] is not None)
    names = _chosen(metrics, [name for name in usual if name != "localisation"])
    with progress_bar() as progress:
        run = make_run(against, progress, options)
        found = run_audit(corpus, run, metrics=names, repeats=repeats)
    attacks = [attack_table(found.persuasion)] if found.persuasion else []
    _deliver(
        found.result,
        verb="audit",
        style=style,
        out=out,
        base="original",
        title=f"{corpus.name}: what does each metric reward?",
        intro="Each line is one kind of damage; the verdicts are derived from these numbers.",
        shown=[audit_table(found), *attacks, *damage_tables(found.result)],
        json=audit_json(found),
        figure=audit_figure(found),
    )


@command.command()
@click.argument("candidates")
@click.option(
    "--most",
    type=click.IntRange(1),
    default=200,
    show_default=True,
    help="Pairs of each kind at most, drawn by --seed.",
)
@click.option(
    "--pairs", type=click.Path(dir_okay=False), help="Also write the pairs to this JSON Lines file."
)
@_common
def details(
    candidates: str,
    most: int,
    pairs: str | None,
    references: tuple[str, ...],
    metrics: tuple[str, ...],
    style: str,
    out: str | None,
    **options: Any,
) -> None:
    """Change one detail of correct captions.

    CANDIDATES are human captions; one object, action, colour or number that the references mention is
    changed, a `not` inserted, or subject and object exchanged. The table has the share of pairs in which
    the true caption scores higher."""
    import msgspec

    from ..files import write_text
    from ..report.choices import choice_data, choice_table
    from ..report.table import to_json
    from ..stress.details import details as run_details

    names = _chosen(metrics, ["meteor", "cider", "rouge_l", "bleu_4", "sts", "bertscore", "facts"])
    (corpus,), against = _read([candidates], references, options)
    with progress_bar() as progress:
        found = run_details(corpus, make_run(against, progress, options), metrics=names, most=most)
    table = choice_table(found.results, f"{corpus.name}: one wrong detail")
    data = to_json({"schema": 1, "accuracy": choice_data(found.results), "signatures": found.signatures})
    output(data) if style == "json" else put(table, style)
    if pairs is not None:
        lines = [msgspec.json.encode(pair._asdict()).decode() for pair in found.pairs]
        write_text(pairs, "\n".join(lines) + "\n")
        say(f"{len(lines):,} pairs: {pairs}")
    if out:
        write_text(Path(out) / "details.json", data)
        write_text(Path(out) / "details.csv", table.render("csv"))
        say(f"Tables: {out}/details.*")


@command.command()
@click.argument("candidates")
@click.option(
    "--most",
    type=click.IntRange(2),
    default=20,
    show_default=True,
    help="Documents at most that are attacked, drawn by --seed.",
)
@click.option("--long", is_flag=True, help="One line for each of the fifty attacks.")
@click.option("--shuffled", is_flag=True, help="Put the words of each attack in random order, as a control.")
@_common
def attacks(
    candidates: str,
    most: int,
    long: bool,
    shuffled: bool,
    references: tuple[str, ...],
    metrics: tuple[str, ...],
    style: str,
    out: str | None,
    **options: Any,
) -> None:
    """Can a metric or a judge be talked into it?

    Captions of the wrong document carry instructions, flattery, marks, closing delimiters and more, fifty
    attacks of ten kinds: what do they gain?"""
    from ..engine.defaults import default_metrics
    from ..files import write_text
    from ..report.attacks import attack_data, attack_list, attack_table
    from ..report.table import to_json
    from ..stress.persuasion import persuasion

    metric_names(metrics)
    (corpus,), against = _read([candidates], references, options, needed=False)
    usual = default_metrics(corpus.kind, references=bool(against), images=options["images"] is not None)
    names = _chosen(metrics, [name for name in usual if name != "localisation"])
    with progress_bar() as progress:
        run = make_run(against, progress, options)
        found = persuasion(corpus, run, metrics=names, most=most, shuffled=shuffled)
    data = to_json(
        {
            "schema": 1,
            "signature": str(found.result.signature),
            "documents": found.documents,
            "verdicts": {verdict.metric: verdict.holds for verdict in found.verdicts()},
            "attacks": attack_data(found),
        }
    )
    table = attack_list(found) if long or style == "csv" else attack_table(found)
    output(data) if style == "json" else put(table, style, f"{corpus.name}: talked into it?")
    if out:
        write_text(Path(out) / "attacks.json", data)
        write_text(Path(out) / "attacks.csv", attack_list(found).render("csv"))
        say(f"Tables: {out}/attacks.*")


@command.command()
@click.argument("transformation")
@click.argument("candidates")
@click.argument("target")
@references_option
@protocol_option
@jobs_option
@seed_option
@reading_options
def apply(
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
    from ..errors import UsageError
    from ..formats import write
    from ..stress.experiment import apply as transform
    from ..stress.scene import Scene
    from ..stress.transforms import transformation as get

    made = get(transformation)
    asked = parse(transformation)
    if not references and (asked.word == "oracle" or "m" in asked.options):
        raise UsageError(
            f"{made.name} is measured by the references.", hint="Give them with --references FILE."
        )
    with busy("damaging the captions"):
        corpus = read_candidates([candidates], **reading)[0]
        against = read_references(references, **reading)
        scene = Scene.of(make_run(against, silent, {"protocol": protocol, "jobs": jobs, "seed": seed}))
        changed = transform([made], corpus, scene, seed=seed)
        write(changed, target)
    say(f"{len(changed):,} documents, {changed.captions:,} captions (before: {corpus.captions:,}): {target}")
