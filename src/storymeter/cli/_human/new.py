"""`storymeter human new DIR`: a campaign from caption files and a folder of clips."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...human.design import OVERLAP
from .._options import output, progress_bar, say
from ._campaign import Greedy

if TYPE_CHECKING:
    from ...human.design import Layout

MANY = ("--systems",)


@click.command("new", cls=Greedy, greedy=MANY)
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "--task",
    type=click.Choice(("da", "spans", "preference", "survey")),
    default="da",
    show_default=True,
    help=(
        "da: one caption, 0-100. spans: mark its wrong words, then 0-100. preference: two caption sets,"
        " -2..2. survey: several stories, Likert scales and a vote."
    ),
)
@click.option(
    "--systems",
    multiple=True,
    required=True,
    metavar="FILE…",
    help="Caption files, one per system (any format that `storymeter validate` knows).",
)
@click.option(
    "--human",
    "human_file",
    metavar="FILE",
    help="Captions written by people: the hidden human system, and the controls.",
)
@click.option(
    "--clips",
    type=click.Path(path_type=Path),
    required=True,
    metavar="FOLDER",
    help="The clips, named after the videos' ids; for a survey, the pictures.",
)
@click.option("--hits", type=click.IntRange(1), help="Number of HITs.  [default: from the overlap]")
@click.option(
    "--overlap",
    type=click.IntRange(1),
    default=OVERLAP,
    show_default=True,
    help="Number of HITs that show each caption, so that agreement between raters can be measured.",
)
@click.option(
    "--raters-per-hit", type=click.IntRange(1), default=1, show_default=True, help="Raters of each HIT."
)
@click.option(
    "--hits-per-rater",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="HITs that one rater may do.",
)
@click.option(
    "--raters",
    type=click.IntRange(1),
    help="Number of personal links.  [default: one for each HIT and rater]",
)
@click.option("--blocks", type=click.IntRange(2), help="da, spans: blocks per HIT (even).  [default: 10]")
@click.option(
    "--system-per-block", type=click.IntRange(0), help="System captions in a block.  [default: 7; spans: 2]"
)
@click.option(
    "--degraded-per-block", type=click.IntRange(0), help="Damaged captions in a block.  [default: 1]"
)
@click.option(
    "--repeat-per-block", type=click.IntRange(0), help="Repeated captions in a block.  [default: 1]"
)
@click.option("--human-per-block", type=click.IntRange(0), help="[default: 1]")
@click.option(
    "--control-base",
    type=click.Choice(("human", "system")),
    default="human",
    show_default=True,
    help="Source of the degraded captions.",
)
@click.option(
    "--merge-identical",
    is_flag=True,
    help="Captions that several systems wrote alike are rated once and credited to all.",
)
@click.option(
    "--per-hit", type=click.IntRange(1), help="preference, survey: items per HIT.  [default: 10, 5]"
)
@click.option(
    "--tests",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="preference: test questions, JSON [{item, question, options, answer}].  [default: control pairs]",
)
@click.option(
    "--kinds",
    metavar="A,B,…",
    help="spans: error categories.  [default: object,action,place,person,number,order,other]",
)
@click.option(
    "--practice",
    type=click.IntRange(0, 10),
    default=2,
    show_default=True,
    help="da, spans: practice items with feedback.",
)
@click.option(
    "--watch",
    type=click.FloatRange(0, 1),
    default=0.9,
    show_default=True,
    help="Minimum time before an answer is accepted, as a share of the time that clip and text take.",
)
@click.option(
    "--lease",
    type=click.FloatRange(min=0.01),
    default=120.0,
    show_default=True,
    help="Minutes without an answer after which a HIT is assigned to another rater.",
)
@click.option(
    "--platform",
    type=click.Choice(("local", "mturk", "prolific")),
    default="local",
    show_default=True,
    help="Where raters come from.",
)
@click.option("--completion-code", default="", help="prolific: the study's code.")
@click.option("--price", type=click.FloatRange(0), default=0.99, show_default=True, help="Pay per HIT.")
@click.option(
    "--fee",
    type=click.FloatRange(0),
    default=0.20,
    show_default=True,
    help="The platform's fee, as a share of the pay.",
)
@click.option("--currency", default="USD", show_default=True, help="Currency of the pay.")
@click.option("--title", default="", help="Title of the raters' pages.")
@click.option("--contact", default="", help="Contact address for raters.")
@click.option("--language", default="en", show_default=True, help="Language of the pages: en, de, ja.")
@click.option(
    "--public-url", default="", metavar="URL", help="The server's address, for whole links in links.csv."
)
@click.option(
    "--db", default=None, metavar="URL", help="postgresql://user@host/name.  [default: SQLite in DIR]"
)
@click.option("--dry-run", is_flag=True, help="Print the plan, its cost and every problem; write nothing.")
@click.option("--skip-bad", is_flag=True, help="Leave out what has problems instead of stopping.")
@click.option(
    "--seed",
    type=click.IntRange(0),
    help=(
        "For rehearsals: the same design again. Whoever guesses it can rebuild the private key.  [default:"
        " 128 random bits, kept in DIR/key.jsonl alone]"
    ),
)
def command(
    folder: Path,
    systems: tuple[str, ...],
    human_file: str | None,
    tests: Path | None,
    kinds: str | None,
    db: str | None,
    raters: int | None,
    dry_run: bool,
    skip_bad: bool,
    **wanted: Any,
) -> None:
    """Build a campaign.

    Lays out the HITs, checks every clip, and writes the private key and the raters' links into DIR.

    \b
    storymeter human new study --systems a.json b.json --human h.json --clips clips/
    storymeter human serve study
    """
    import msgspec

    from ... import read
    from ...errors import DataError
    from ...human.options import Options, Platform, Question
    from ...human.organise import plan, prepare, write
    from ...human.serve.words import languages
    from ...human.span_record import KINDS
    from ...report.table import Table

    known = languages()
    if wanted["language"] not in known:
        raise click.BadParameter(
            f"there is no catalogue for {wanted['language']!r}; there are {', '.join(known)}",
            param_hint="--language",
        )
    try:
        questions = msgspec.json.decode(tests.read_bytes(), type=list[Question]) if tests else []
    except msgspec.DecodeError as error:
        raise DataError(
            f"{tests} is no list of test questions: {error}",
            hint='Write [{"item": "v1", "question": "…", "options": ["…", "…"], "answer": 0}].',
        ) from None
    options = Options(
        layout=_layout(wanted, human_file),
        systems=[read(path) for path in systems],
        human=read(human_file) if human_file else None,
        questions=questions,
        kinds=tuple(kind.strip() for kind in kinds.split(",")) if kinds is not None else KINDS,
        platform=Platform(wanted.pop("platform"), wanted.pop("completion_code")),
        lease_minutes=wanted.pop("lease"),
        **wanted,
    )
    with progress_bar() as report:
        prepared = prepare(options, progress=report)
    for warning in prepared.warnings:
        say(f"note: {warning}")
    for problem in prepared.problems:
        say(f"problem: {problem}")
    table = Table(["", "plan"], [list(row) for row in plan(prepared)])
    if dry_run:
        output(table.render("table"))
        say(
            f"{len(prepared.problems):,} problems. Nothing was written."
            if prepared.problems
            else "No problems. Nothing was written."
        )
        raise SystemExit(1 if prepared.problems else 0)
    if prepared.problems and not skip_bad:
        raise DataError(
            f"{len(prepared.problems):,} problems, listed above; nothing was written.",
            hint="Correct them, or leave those captions out with --skip-bad.",
        )
    home = write(prepared, folder, database=db, raters=raters)
    output(table.render("table"))
    say(f"The campaign is in {folder}. Serve it: storymeter human serve {folder}")
    if home.campaign.platform.name == "local":
        say(f"Personal links for raters: {folder / 'links.csv'}")


def _layout(wanted: dict[str, Any], human_file: str | None) -> Layout | None:
    """The study's layout with what the organiser wants otherwise."""
    import msgspec

    from ...human.study import named

    base = named(wanted["task"]).layout
    counts = {kind: wanted.pop(f"{kind}_per_block") for kind in ("system", "degraded", "repeat", "human")}
    asked = {**counts, "blocks": wanted.pop("blocks"), "control_base": wanted.pop("control_base")}
    if base is None:
        return None
    layout = msgspec.structs.replace(
        base, **{name: value for name, value in asked.items() if value is not None}
    )
    if human_file is None and layout.control_base == "system" and layout.human:
        layout = msgspec.structs.replace(layout, system=layout.system + layout.human, human=0)
        say("No --human file: its places go to the systems.")
    return layout
