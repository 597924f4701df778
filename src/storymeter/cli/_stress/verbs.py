"""`storymeter stress apply`: damaged captions in a file."""

from pathlib import Path
from typing import Any

import click

from ... import formats, report, stress
from ...errors import UsageError, many
from ...options import parse, split
from ...progress import silent
from .._files import reading_options, reference_reading_options
from .._options import (
    COUNT,
    FROM_TWO,
    SHARE,
    busy,
    jobs_option,
    option,
    print_note,
    print_result,
    progress_bar,
    protocol_option,
    references_option,
    seed_option,
)
from .._scoring import make_run, read_both, unit_option
from . import deliver, experiment, experiment_options, keep, read, repeats_option, stress_options, stress_run


@click.command("apply")
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
    from ...stress.changes import Scene

    made = stress.transformation(transformation)
    asked = parse(transformation)
    if not references and (asked.word == "oracle" or "m" in asked.options):
        raise UsageError(
            f"{made.name} is measured by the references.", hint="Give them with --references FILE."
        )
    with busy("damaging the captions"):
        (corpus,), against = read_both([candidates], references, reading)
        scene = Scene.of(make_run(against, silent, {"protocol": protocol, "jobs": jobs, "seed": seed}))
        changed = stress.apply([made], corpus, scene, seed=seed)
        formats.write(changed, target)
    print_note(
        f"{many(len(changed), 'document')}, {many(changed.captions, 'caption')}"
        f" (before: {corpus.captions:,}): {target}"
    )


# `storymeter stress attacks`: captions that carry instructions.


@click.command("attacks")
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
    keep(options["out"], "attacks", json=report.render(shown, "json"), csv=report.render(shown, "csv"))


# `storymeter stress audit`: all stress tests, with a verdict per property.


@click.command("audit")
@option("--repeats", "Random repeats of each transformation.", click.IntRange(1, 1000), 3)
@unit_option
@experiment_options
def audit_command(candidates: str, repeats: int, unit: str, **options: Any) -> None:
    """Run all stress tests and give a verdict per property.

    The numbers behind each verdict are printed below it."""

    with experiment(candidates, options) as (corpus, run, names):
        found = stress.audit(corpus, run, metrics=names, repeats=repeats, unit=unit or "")
    deliver(report.present(found, title=f"{corpus.name}: stress audit"), options, "audit")


# `storymeter stress count`: the number of captions.


@click.command("count")
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
    from ...stress.experiment import PAPER_METRICS

    with experiment(candidates, options, PAPER_METRICS) as (corpus, run, names):
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


# `storymeter stress details`: one wrong detail.


@click.command("details")
@option("--most", "Maximum number of pairs of each kind, drawn by --seed.", COUNT, 200)
@option("--pairs", "Also write the pairs to this JSON Lines file.", click.Path(dir_okay=False))
@experiment_options
def details_command(candidates: str, most: int, pairs: str | None, **options: Any) -> None:
    """Change one detail of correct captions.

    CANDIDATES are human captions; one object, action, colour or number that the references mention is
    changed, a `not` inserted, or subject and object exchanged. The table has the share of pairs in which
    the true caption scores higher."""
    import msgspec

    from ...files import write_text

    usual = ["meteor", "cider", "rouge_l", "bleu_4", "sts", "bertscore", "facts"]
    with experiment(candidates, options, usual) as (corpus, run, names):
        found = stress.details(corpus, run, metrics=names, most=most)
    shown = report.present(found, title=f"{corpus.name}: one wrong detail")
    print_result(shown, options["style"])
    if pairs is not None:
        lines = [msgspec.json.encode(pair._asdict()).decode() for pair in found.pairs]
        write_text(pairs, "\n".join(lines) + "\n")
        print_note(f"{many(len(lines), 'pair')}: {pairs}")
    keep(options["out"], "details", json=report.render(shown, "json"), csv=report.render(shown, "csv"))


# `storymeter stress oracle`: oracle captions.


@click.command("oracle")
@click.argument("candidates", nargs=-1, required=True)
@stress_options
def oracle_command(
    candidates: tuple[str, ...],
    **options: Any,
) -> None:
    """Score the oracle captions of each system.

    Mean METEOR and Self-BLEU of its oracle captions (table 2 of the SODA paper)."""
    from ...files import write_text
    from ...stress import experiment

    systems, against = read(candidates, options)
    with progress_bar() as progress:
        run = stress_run(against, progress, options)
        scores = experiment.oracles(systems, run)
    shown = report.present(scores)
    print_result(shown, options["style"])
    if out := options["out"]:
        for ending, kind in (("csv", "csv"), ("tex", "latex"), ("json", "json")):
            write_text(Path(out) / f"oracle.{ending}", report.render(shown, kind))


# `storymeter stress order`: the order of captions.


@click.command("order")
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


# `storymeter stress pad`: redundant captions.


@click.command("pad")
@option("--n n", "Captions per video after padding, comma-separated.", default="20,50")
@repeats_option
@experiment_options
def pad_command(candidates: str, n: str, repeats: int, **options: Any) -> None:
    """Add redundant captions.

    Repeated captions, other captions under the same segment, captions of other videos (section 4 of the SODA
    paper)."""
    from ...stress.experiment import PAPER_METRICS

    if not all(part.isascii() and part.isdigit() for part in split(n)) or not split(n):
        raise UsageError(f"--n cannot be {n!r}.", hint="Write it like --n 20,50")
    with experiment(candidates, options, PAPER_METRICS) as (corpus, run, names):
        result = stress.pad(corpus, run, n=[int(part) for part in split(n)], repeats=repeats, metrics=names)
    intro = "A good metric should not reward redundant captions."
    shown = report.present(result, title=f"{corpus.name}: padded", intro=intro, base="original")
    deliver(shown, options, "pad")
