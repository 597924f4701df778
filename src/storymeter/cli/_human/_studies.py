"""Scores from 0 to 100 on their way to tables, files and pages: what `human analyse` does with them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ...errors import DataError
from ...files import write_text
from .._options import busy, fragment_asked, rendered, say, write_figures

if TYPE_CHECKING:
    from ...captions import Rating
    from ...human.analysis import Analysis
    from ...human.ratings import Ratings
    from ...human.span_analysis import SpanStudy
    from ...human.study import Study


class Source(NamedTuple):
    """What is analysed: a table of ratings, or the records of a study that says more than scores."""

    kind: Study
    ratings: Ratings | None = None
    records: Sequence[Rating] = ()

    def __len__(self) -> int:
        return len(self.records if self.ratings is None else self.ratings)

    def analyse(self, **options: Any) -> Any:
        from ...human.analysis import analyse

        if self.ratings is not None:
            return analyse(self.ratings, **options)
        return self.kind.analyse(self.records, faithful=1.0, minimum=1, **options)


def studies(
    kind: Study, ratings: Ratings, page: str | None, style: str, *, stratum: str | None, **options: Any
) -> str:
    """Every stratum by itself, one of them, or all mixed knowingly, as text in the style asked for."""
    from ...human.strata import parts

    chosen = parts(ratings, stratum)
    if len(chosen) == 1:
        name, part = next(iter(chosen.items()))
        if ratings.strata and stratum not in (None, "all"):
            say(f"Only {name}: {len(part):,} of {len(ratings):,} ratings.")
        return study(Source(kind, part), page, style, **options)
    say(
        f"{len(chosen)} strata are analysed each by itself: "
        + ", ".join(f"{name} ({len(part):,} ratings)" for name, part in chosen.items())
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
            done[name] = study(
                Source(kind, part), _beside(page, name) if page else None, style, **{**options, **own}
            )
        except DataError as error:
            say(f"{name} was left out: {error.message}")
    if not done:
        raise DataError("No stratum could be analysed.", hint="The lines above say why.")
    return _together(done, style)


def _beside(path: Any, name: str) -> Any:
    """`people.html` and `cs-en` to `people-cs-en.html`."""
    plain = Path(path)
    safe = "".join(letter if letter.isalnum() or letter in "-_." else "_" for letter in name) or "none"
    return type(path)(plain.with_name(f"{plain.stem}-{safe}{plain.suffix}"))


def _together(done: dict[str, str], style: str) -> str:
    """The results of several strata as one text; CSV gets a column, JSON a level."""
    if style == "json":
        import msgspec

        from ...report.table import to_json

        parts = {name: msgspec.json.decode(text) for name, text in done.items()}
        return to_json({"schema": 1, "strata": parts})
    if style == "csv":
        lines: list[str] = []
        for name, text in done.items():
            head, *rows = text.rstrip("\n").split("\n")
            lines += ([f"stratum,{head}"] if not lines else []) + [f"{name},{row}" for row in rows]
        return "\n".join(lines) + "\n"
    return "\n".join(f"{name}\n{text}" for name, text in done.items())


def study(
    source: Source,
    page: str | None,
    style: str,
    *,
    figures: Path | None,
    caption_file: str | None,
    word_file: str | None,
    replicates: Ratings | None,
    splits: int | None,
    price: float,
    fee: float,
    currency: str,
    **options: Any,
) -> str:
    """One study, as text in the style asked for; files are written, notes said."""
    from ...human.analysis import analyse
    from ...human.reliability import replication
    from ...report import human_study as report
    from ...report import spans as span_report
    from ...report.human_json import analysis_json
    from ...report.human_page import analysis_page
    from ...report.influence import influence_table

    options.pop("stratum", None)
    with busy("analysing the ratings"):
        options["splits"] = splits if splits is not None else 100 if len(source) <= 200_000 else 0
        found = source.analyse(**options)
        marked: SpanStudy | None = found if hasattr(found, "analysis") else None
        analysis: Analysis = marked.analysis if marked else found
        repeated = (
            replication(analysis.ranking, analyse(replicates, **{**options, "splits": 0}).ranking)
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
    if caption_file is not None and (text := _captions(analysis, caption_file)) is not None:
        return text
    if style == "json":
        return span_report.span_json(marked, **more) if marked else analysis_json(analysis, **more)
    if style == "html" and not fragment_asked():
        return whole()
    say(*report.summary_lines(analysis), *analysis.notes)
    tables = [report.system_table(analysis)]
    if marked:
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
    return rendered(tables, style)


def _words(marked: SpanStudy | None, path: str | None) -> None:
    from ...human.word_labels import to_jsonl

    if path is None:
        return
    if marked is None:
        raise DataError(
            "There are no marked words in these ratings.", hint="--words is for error span studies."
        )
    write_text(path, to_jsonl(marked.labels))
    say(f"Words of {len(marked.labels):,} captions: {path}")


def _captions(analysis: Analysis, path: str) -> str | None:
    """The caption scores, into a file, or as text where the file is `-`."""
    from ...report.caption_scores import caption_csv, caption_json

    text = caption_json(analysis) if path.endswith(".json") else caption_csv(analysis)
    if path == "-":
        return text
    write_text(path, text)
    say(f"Scores of {len(analysis.captions.z):,} captions: {path}")
    return None


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
