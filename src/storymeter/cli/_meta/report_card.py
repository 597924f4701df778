"""storymeter meta report-card: every metric we have on every benchmark at hand."""

from __future__ import annotations

import datetime
import shlex
from pathlib import Path
from typing import Any

import click

from ...meta.agreeing import measured
from .._declare import NEW_FOLDER, PATH, RESAMPLES, option
from .._options import data_option, metrics_option, output, progress_bar, run_options, say


@click.command("report-card")
@data_option
@metrics_option("Only these metrics; default: all that suit a benchmark.")
@option(
    "--benchmark -b benchmarks",
    "Only these benchmarks; default: all that the folder holds.",
    multiple=True,
    metavar="NAME",
)
@option("--resamples", "Bootstrap resamples for the intervals.", RESAMPLES, 300)
@option("--date", "The date to print.  [default: today]")
@option("--out", "Write the card to this file instead of stdout.", PATH, metavar="FILE")
@option("--html page", "Also write a page: one picture, the summary, details folded.", PATH, metavar="FILE")
@option(
    "--keep kept",
    "Folder to store the values of every metric; stored values are reused.",
    NEW_FOLDER,
    metavar="DIR",
)
@run_options("markdown", "json")
def command(
    data: Path,
    metrics: tuple[str, ...],
    benchmarks: tuple[str, ...],
    resamples: int,
    date: str | None,
    out: Path | None,
    page: Path | None,
    kept: Path | None,
    device: str,
    style: str,
    jobs: int,
    seed: int,
) -> None:
    """Correlate all metrics on all benchmarks of a folder.

    Reports which metric to trust, with intervals, tests and signatures. With --out FILE.md the figure is
    written to FILE.svg."""
    from ... import __version__
    from ...engine.run import Run
    from ...errors import DataError
    from ...files import write_text
    from ...meta.benchmarks import available, load
    from ...meta.overall_ranking import standings
    from ...options import split
    from ...report import report_card

    asked = [name for text in metrics for name in split(text)]
    chosen = list(benchmarks) or available(data)
    if not chosen:
        raise DataError(f"{data} holds no benchmark.", hint="docs/meta-evaluation.md has the layout.")
    cards = []
    with progress_bar() as progress:
        run = Run(jobs=jobs, seed=seed, device=device, progress=progress)
        for done, name in enumerate(chosen):
            progress("benchmarks", done, len(chosen))
            cards.append(_card(load(name, data), asked, run, kept, resamples))
    about: dict[str, Any] = {
        "date": date or datetime.datetime.now(datetime.timezone.utc).date().isoformat(),
        "version": __version__,
        "command": _command(metrics, benchmarks, seed, resamples),
        "seed": seed,
        "resamples": resamples,
    }
    if page is not None:
        write_text(page, report_card.card_page(cards, **about))
        say(f"The same as a page: {page}")
    figure = "" if out is None or style != "markdown" else f"{out.stem}.svg"
    if out is not None and figure:
        counted = report_card.contests(cards)
        drawn = report_card.picture(standings(counted), counted)
        write_text(out.with_name(figure), report_card.standalone(drawn))
    text = (
        report_card.card_json(cards, **about)
        if style == "json"
        else report_card.card_markdown(cards, figure=figure, **about)
    )
    if out is None:
        output(text)
    else:
        write_text(out, text)
        say(f"Report card of {len(chosen)} benchmark{'s' * (len(chosen) != 1)}: {out}")


def _command(metrics: tuple[str, ...], benchmarks: tuple[str, ...], seed: int, resamples: int) -> str:
    """What makes this card again."""
    chosen = [*(f"-m {shlex.quote(name)}" for name in metrics), *(f"-b {name}" for name in benchmarks)]
    start = f"storymeter meta report-card --data DIR --seed {seed} --resamples {resamples}"
    return " ".join([start, *chosen])


def _card(benchmark: Any, asked: list[str], run: Any, kept: Path | None, resamples: int) -> Any:
    from ...meta.benchmarks import suitable
    from ...meta.value_cache import kept_values
    from ...report.report_card import Card

    values, skipped = kept_values(benchmark, asked or suitable(benchmark), run, kept, skip_missing=True)
    signatures = {name: entry.signature for name, entry in values.items()}
    about = {"skipped": skipped, "signatures": signatures, "notes": benchmark.notes}
    made = _of_choices if benchmark.choices else _of_scores
    found = made(benchmark, values, run, resamples)
    return Card(benchmark.name, benchmark.title, benchmark.headline, **found, **about)


def _of_choices(benchmark: Any, values: Any, run: Any, resamples: int) -> dict[str, Any]:
    from ...meta.choices import choice_contest, choice_results
    from ...report.report_card import PERMUTATIONS

    results = choice_results(benchmark.choices, values, resamples=resamples, seed=run.context.seed)
    if not benchmark.needs_references:
        return {"choices": results}
    contest = choice_contest(benchmark, values, results, permutations=PERMUTATIONS, seed=run.context.seed)
    return {"choices": results, "contest": contest}


def _of_scores(benchmark: Any, values: Any, run: Any, resamples: int) -> dict[str, Any]:
    from ...meta.choices import segment_contest
    from ...meta.scores import join_scores, tabulate
    from ...report.report_card import PERMUTATIONS, YARDSTICK

    human = tabulate(benchmark.judgements, scale=benchmark.scale, notes=benchmark.notes)
    scores = join_scores(human, values)
    again: dict[str, Any] = {"permutations": PERMUTATIONS, "seed": run.context.seed}
    found = {
        level: measured(benchmark.title, level, scores, resamples=resamples, against=YARDSTICK, **again)
        for level in benchmark.levels
    }
    contest = None
    if "segment" in found and benchmark.needs_references:
        contest = segment_contest(benchmark, scores, found["segment"].results, **again)
    return {"agreements": list(found.values()), "contest": contest}
