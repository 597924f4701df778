"""storymeter demo: the main job on the packaged example, and where the files are."""

from pathlib import Path
from typing import Any

import click

from .. import engine, formats
from ..captions import Corpus
from ..errors import DataError
from ..files import write_text
from ._options import (
    jobs_option,
    option,
    output,
    print_note,
    print_tables,
    progress_bar,
    rendered,
    seed_option,
    terminal_width,
)


@click.command("demo")
@option("--out", "Folder for the files it writes.", click.Path(file_okay=False), "storymeter-demo")
@jobs_option
@seed_option
def demo_command(out: str, jobs: int, seed: int) -> None:
    """Run the packaged example.

    Scores and compares three systems, shows one video, scores stories and analyses ratings; the results are
    written to a folder."""
    from ..engine.one_document import OneSystem
    from ..engine.suitability import default_metrics, neural
    from ..report.comparison import comparison_table, fitted_tables
    from ..report.marks import coverage_lines
    from ..report.one_document import timeline_page, timeline_text
    from ..report.scores import document_writer

    examples, folder = example_folder(), Path(out)
    videos = examples / "videos"
    systems = [formats.read(videos / f"{name}.json") for name in ("good", "padded", "disordered")]
    references = [formats.read(videos / "reference_1.json"), formats.read(videos / "reference_2.json")]

    print_note(
        "Twelve short videos, two annotators, three systems: a good one, one that pads\n"
        "with repeats, one in the wrong order.\n"
    )
    settings = {"jobs": jobs, "seed": seed}
    metrics = default_metrics("dense", references=True)
    results, comparisons = _scored(
        systems, metrics, folder / "scores.json", references=references, **settings
    )
    print_note(*coverage_lines(results))
    document_writer(str(folder / "per-video.csv"))(results)

    one = results.only("soda_c").compare(seed=seed)
    output("\n" + rendered(fitted_tables(one, terminal_width()), "table"))
    write_text(folder / "comparison.tex", comparison_table(comparisons).render("latex"))

    timeline = OneSystem(systems[1], tuple(references), "soda_c", results).timeline("pancakes")
    output("\n" + timeline_text(timeline, terminal_width() or 80))
    write_text(folder / "pancakes.html", timeline_page(timeline))

    print_note(
        "\nEight stories of five pictures, three systems: a good one, a dull one, one\n"
        "with its sentences shuffled.\n"
    )
    stories = [formats.read(examples / "stories" / f"{name}.json") for name in ("good", "dull", "shuffled")]
    metrics = default_metrics("story", references=False, images=True)
    images = str(examples / "stories" / "images")
    _scored(stories, metrics, folder / "stories.json", images=images, **settings)
    _people(examples, folder, results, comparisons, seed)
    added = "soda_c(scorer=sts), rovist_c, rovist_vg"
    print_note(
        "\nWritten:",
        *(f"  {path}" for path in sorted(folder.iterdir())),
        f"\nThe results on one page, to open in a browser: {folder / 'report.html'}",
        *([] if neural() else [f"\npip install 'storymeter[neural]' adds {added}."]),
        "\nNext, your own files:",
        "  storymeter validate mine.json -r references.json",
        "  storymeter score mine.json -r references.json",
        "  storymeter compare mine.json yours.json -r references.json",
        "  storymeter report mine.json yours.json -r references.json --out report.html",
    )


def _scored(
    systems: list[Corpus], metrics: list[str], scores: Path, *, seed: int, **settings: Any
) -> tuple[engine.Results, list[engine.Comparison]]:
    """Score the systems and test their differences; prints a table and writes the file of the scores."""
    from ..engine.run import evaluate
    from ..report.scores import leaderboard_table, score_json

    with progress_bar() as progress:
        results = evaluate(candidates=systems, metrics=metrics, seed=seed, progress=progress, **settings)
    comparisons = results.compare(seed=seed)
    print_tables(leaderboard_table(results, comparisons), "table")
    write_text(scores, score_json(results))
    return results, comparisons


def _people(
    examples: Path, folder: Path, results: engine.Results, comparisons: list[engine.Comparison], seed: int
) -> None:
    """Analyse the ratings, and write the report of the scores and of the ratings."""
    from ..human.analysis.assessment import analyse
    from ..human.sources import read
    from ..report.assessment import summary_lines, system_table
    from ..report.assessment_page import analysis_page
    from ..report.full.build import write_page
    from ..report.full.findings import Findings
    from ..report.full.writing import people_section

    analysis = analyse(read(examples / "ratings.csv"), seed=seed)
    about = "\nRatings of the same twelve videos by eight workers, control items included.\n"
    print_note(about, *summary_lines(analysis))
    print_tables(system_table(analysis), "table")
    write_text(folder / "people.html", analysis_page(analysis))
    findings = Findings("Three systems on twelve short videos", results, comparisons)
    people = people_section(findings, analysis, seed=seed)
    write_page(folder / "report.html", findings, people=people)


def example_folder() -> Path:
    """Where the packaged examples lie: inside the installed package, or beside the sources of a checkout."""
    package = Path(__file__).resolve().parents[1]
    for folder in (package / "examples", package.parents[1] / "examples"):
        if (folder / "videos" / "good.json").is_file():
            return folder
    raise DataError("The packaged examples are missing.", hint="Reinstall storymeter.")
