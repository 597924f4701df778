"""Scores on their way to tables, files and pages: what `human analyse` does with the result of a study."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...errors import DataError, many
from ...files import write_text
from .._options import busy, fragment_asked, rendered, say, write_figures

if TYPE_CHECKING:
    from ...human.analysis.assessment import Analysis
    from ...human.analysis.spans import SpanStudy
    from ...human.ratings import Ratings
    from ...human.sources import OpenedRatings
    from ...report.table import Table


@dataclass(frozen=True, slots=True)
class Shown:
    """One study, ready to be printed."""

    analysis: Analysis
    tables: list[Table]
    data: dict[str, Any]
    page: Callable[[], str]


def studies(
    opened: OpenedRatings, page: str | None, style: str, *, stratum: str | None, **options: Any
) -> str:
    """Every stratum by itself, one of them, or all mixed knowingly, as text in the style asked for."""
    from ...human.analysis.studies import strata_of

    chosen = strata_of(opened, stratum)
    if len(chosen) == 1:
        name, part = next(iter(chosen.items()))
        if opened.table is not None and opened.table.strata and stratum not in (None, "all"):
            say(f"Only {name}: {len(part):,} of {len(opened):,} ratings.")
        return _text({name: study(part, page, style, **options)}, style, options["caption_file"])
    say(
        f"{len(chosen)} strata are analysed each by itself: "
        + ", ".join(f"{name} ({many(len(part), 'rating')})" for name, part in chosen.items())
        + ". --stratum NAME takes one of them, --stratum all mixes them."
    )
    done = {}
    for name, part in chosen.items():
        own = {
            key: _beside(options[key], name) if options[key] not in (None, "-") else options[key]
            for key in ("figures", "caption_file")
        }
        say(f"\n{name}")
        try:
            done[name] = study(part, _beside(page, name) if page else None, style, **{**options, **own})
        except DataError as error:
            say(f"{name} was left out: {error.message}")
    if not done:
        raise DataError("No stratum could be analysed.", hint="The lines above say why.")
    return _text(done, style, options["caption_file"])


def _beside(path: Any, name: str) -> Any:
    """`people.html` and `cs-en` to `people-cs-en.html`."""
    plain = Path(path)
    safe = "".join(letter if letter.isalnum() or letter in "-_." else "_" for letter in name) or "none"
    return type(path)(plain.with_name(f"{plain.stem}-{safe}{plain.suffix}"))


def _text(done: dict[str, Shown], style: str, caption_file: str | None) -> str:
    """The results of all strata as one text; in CSV a column names them, in JSON a level."""
    from ...report.assessment import caption_csv
    from ...report.table import to_json

    several = len(done) > 1
    if caption_file == "-":
        return caption_csv({name: shown.analysis for name, shown in done.items()})
    if style == "json":
        data = {name: shown.data for name, shown in done.items()}
        return to_json({"schema": 1, "strata": data} if several else next(iter(data.values())))
    if style == "html" and not fragment_asked():
        texts = {name: shown.page() for name, shown in done.items()}
    elif style == "csv" and several:
        tables = [_in_stratum(name, shown.tables[0]) for name, shown in done.items()]
        return rendered([replace(tables[0], rows=[row for table in tables for row in table.rows])], style)
    else:
        texts = {name: rendered(shown.tables, style) for name, shown in done.items()}
    return "\n".join(f"{name}\n{text}" if several else text for name, text in texts.items())


def _in_stratum(name: str, table: Table) -> Table:
    return replace(table, columns=["stratum", *table.columns], rows=[[name, *row] for row in table.rows])


def study(
    opened: OpenedRatings,
    page: str | None,
    style: str,
    *,
    figures: Path | None,
    caption_file: str | None,
    word_file: str | None,
    replicates: Ratings | None,
    price: float,
    fee: float,
    currency: str,
    **options: Any,
) -> Shown:
    """One study; files are written, notes said."""
    from ...human.analysis.assessment import analyse
    from ...human.analysis.reliability import replication
    from ...human.analysis.studies import result_of
    from ...report import assessment as report
    from ...report import studies as span_report
    from ...report.assessment_data import analysis_data
    from ...report.assessment_page import analysis_page
    from ...report.influence import influence_table

    with busy("analysing the ratings"):
        found: Any = result_of(opened, **options)
        marked: SpanStudy | None = found if opened.table is None else None
        analysis: Analysis = marked.analysis if marked else found
        scored = {key: value for key, value in options.items() if key not in ("faithful", "minimum")}
        repeated = (
            replication(analysis.ranking, analyse(replicates, **{**scored, "splits": 0}).ranking)
            if replicates is not None
            else None
        )
    more: dict[str, Any] = {"price": price, "fee": fee, "repeated": repeated}

    def whole() -> str:
        return analysis_page(analysis, spans=marked, currency=currency, **more)

    files(page, figures, lambda: report.draw(analysis), whole)
    if repeated is not None:
        say(report.replication_line(repeated))
    _words(marked, word_file)
    if caption_file not in (None, "-"):
        _captions(analysis, str(caption_file))
    printed = style not in ("json", "html") and caption_file != "-"
    if printed:
        say(*report.summary_lines(analysis), *analysis.notes)
    else:
        say(*assumptions(analysis.notes))
    tables = [report.system_table(analysis)]
    if marked:
        if printed:
            say(span_report.agreement_line(marked), *marked.notes)
        tables += [span_report.profile_table(marked), span_report.kind_table(marked)]
    if style == "table":
        tables += [
            report.pair_table(analysis),
            report.worker_table(analysis),
            report.evidence_table(analysis),
        ]
        tables += [span_report.rater_table(marked)] if marked else []
        tables += [influence_table(analysis.influence)]
    elif style == "csv":
        tables = tables[:1]
    data = span_report.span_data(marked, **more) if marked else analysis_data(analysis, **more)
    return Shown(analysis, tables, data, whole)


def assumptions(notes: Sequence[str]) -> list[str]:
    """The lines that say how a table was read, which are said in every style."""
    return [note for note in notes if note.startswith("read ")]


def _words(marked: SpanStudy | None, path: str | None) -> None:
    from ...human.analysis.spans import to_jsonl

    if path is None:
        return
    if marked is None:
        raise DataError(
            "There are no marked words in these ratings.", hint="--words is for error span studies."
        )
    write_text(path, to_jsonl(marked.labels))
    say(f"Words of {many(len(marked.labels), 'caption')}: {path}")


def _captions(analysis: Analysis, path: str) -> None:
    """The caption scores, into a file."""
    from ...report.assessment import caption_csv, caption_json

    write_text(path, caption_json(analysis) if path.endswith(".json") else caption_csv({"": analysis}))
    say(f"Scores of {many(len(analysis.captions.z), 'caption')}: {path}")


def files(
    page: str | None,
    figures: Path | None,
    draw: Callable[[], dict[str, bytes]],
    written: Callable[[], str],
) -> None:
    """What --figures and --html ask for."""
    if figures is not None:
        drawn = draw()
        write_figures(figures, drawn)
        say(f"{len(drawn)} figures in {figures}")
    if page is not None:
        write_text(page, written())
        say(f"Page with figures and explanations: {page}")
