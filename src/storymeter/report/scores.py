"""Scores as tables and files: the summary of all systems, and one row per document."""

from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import partial
from html import escape
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from ..captions import Corpus
from ..engine.annotators import Spread
from ..engine.results import Comparison, Results
from ..engine.units import collapsed, unit_count, unit_note
from ..errors import MissingPartError, UsageError
from ..files import guarded, write_bytes
from ..metrics import Metric
from ..scores import Score
from .comparison import comparison_records, joined
from .marks import SIGNS, Mark, coverage_lines, coverage_record, mark_notes, marks, rough_scores, scale_note
from .presentation import Presentation, plain, present
from .table import Cell, Column, Table, keys, raw, to_json


@present.register(Results)
def present_results(
    results: Results,
    *,
    comparisons: Sequence[Comparison] = (),
    spread: Sequence[Spread] = (),
    long: bool = False,
) -> Presentation:
    """`comparisons`: the tests behind the marks; `spread`: scores by each annotator alone; `long`: one row
    per system and metric.
    """

    def tables(style: str, width: int | None) -> list[Table]:
        first = score_table(results) if long else leaderboard_table(results, comparisons)
        if not spread:
            return [first]
        people = annotator_table(results, spread)
        return [joined(first, people, "annotators_")] if style == "csv" else [first, people]

    json = partial(score_json, results, comparisons, spread)
    return Presentation("Scores", tables, json, coverage_lines(results))


@present.register(Score)
def present_score(score: Score) -> Presentation:
    """Of one metric of one system, as `corpus()` gives it."""
    column = Column("value", ".2f", score.scale)
    row = [score.metric, *(Cell(x, column.show(x)) for x in (score.value, score.interval)), score.n]
    table = Table([*keys("metric"), "value", "interval", "documents"], [row], note=str(score.signature))
    return plain(score.metric, [table], json=lambda: to_json({"schema": 1, **_record(score)}))


def score_json(
    results: Results, comparisons: Sequence[Comparison] = (), spread: Sequence[Spread] = ()
) -> str:
    """Every score; where there were tests, the mark of each system under each metric and the tests behind
    it.
    """
    systems = [
        {
            "name": system.name,
            "coverage": coverage_record(system),
            "scores": [_record(score) for score in system.scores],
            **_assumed(system.candidates),
        }
        for system in results.systems
    ]
    record: dict[str, Any] = {"schema": 1, "systems": systems}
    if any(map(_assumed, results.references)):
        record["references"] = [{"name": corpus.name, **_assumed(corpus)} for corpus in results.references]
    if spread:
        record["annotators"] = spread_records(results, spread)
    if not comparisons:
        return to_json(record)
    names = [system.name for system in results.systems]
    labels = [score.metric for score in results.systems[0].scores]
    by_metric = {
        label: dict(zip(names, column, strict=True))
        for label, column in zip(labels, marks(results, comparisons), strict=True)
    }
    return to_json({**record, "marks": by_metric, "comparisons": comparison_records(comparisons)})


def _assumed(corpus: Corpus | None) -> dict[str, str]:
    """What was assumed of the fields of a file of records; nothing for known formats."""
    read_as = corpus.meta.get("read_as") if corpus is not None else None
    return {"read_as": read_as} if isinstance(read_as, str) else {}


def spread_records(results: Results, spread: Sequence[Spread]) -> list[dict[str, Any]]:
    """The scores, or differences (`other`), by each annotator alone."""
    names = _annotators(results)
    return [
        {**asdict(each), "by_annotator": dict(zip(names, each.by_annotator, strict=True))} for each in spread
    ]


def _annotators(results: Results) -> list[str]:
    """The names of the files of references, numbered where two are alike."""
    names = [corpus.name for corpus in results.references]
    return [name if names.count(name) == 1 else f"{name} ({k})" for k, name in enumerate(names, start=1)]


def annotator_table(results: Results, spread: Sequence[Spread]) -> Table:
    """Scores, or leads of A over B, against each annotator alone, and the interval that contains them."""
    pairs = any(each.other for each in spread)
    rows = []
    for each in spread:
        shown = [*each.by_annotator, each.mean]
        sign = "+" if pairs else ""
        low, high = (f"{end * each.scale:{sign}.2f}" for end in each.interval)
        rows.append(
            [
                each.metric,
                *([each.system, each.other] if pairs else [each.system]),
                *(Cell(value, f"{value * each.scale:{sign}.2f}") for value in shown),
                Cell(each.deviation, f"{each.deviation * each.scale:.2f}"),
                Cell(each.interval, f"[{low}, {high}]"),
            ]
        )
    title = "A - B" if pairs else "Scores"
    return Table(
        [
            *keys("metric", *(("A", "B") if pairs else ("system",))),
            *_annotators(results),
            "mean",
            "s",
            "95 %",
        ],
        rows,
        title=f"{title} by each annotator alone",
        note="s: standard deviation between annotators. 95 %: of the mean, for other documents and annotators"
        f" like these {len(results.references)}; few annotators make it wide.",
    )


def _record(score: Score) -> dict[str, Any]:
    return {
        "metric": score.metric,
        "value": score.value,
        "parts": dict(score.parts),
        "interval": None if score.interval is None else list(score.interval),
        "n": score.n,
        "signature": str(score.signature),
        **({"seeds": list(score.seeds)} if score.seeds else {}),
    }


def score_table(results: Results) -> Table:
    """One row per system and metric, with parts; fractions are printed as percentages where the field
    does.
    """
    rows, numbers = [], []
    for system in results.systems:
        for metric, score in zip(results.metrics, system.scores, strict=True):
            people, few = Column("", ".2f", score.scale), dict(list(score.parts.items())[:4])
            rows.append(
                [
                    system.name,
                    Cell(score.metric, heading(score.metric, metric)),
                    *(Cell(x, people.show(x)) for x in (score.value, score.interval)),
                    Cell(score.parts, people.show(few)),
                    score.n,
                ]
            )
            numbers.append([*(raw(cell) for cell in rows[-1]), str(score.signature)])
    names = keys("system", "metric")
    machine = Table([*names, "value", "interval", "parts", "n", "signature"], numbers)
    return Table(
        [*names, "score", "95 %", "parts", Column("n", ",d")],
        rows,
        note=" ".join(
            note for note in (scale_note(_percent(results)), engine_note(results), *remarks(results)) if note
        ),
        signatures=signature_lines(results),
        machine=machine,
    )


def _percent(results: Results) -> dict[str, bool]:
    """Which metrics are printed as percentages."""
    return {score.metric: score.as_percent for score in results.systems[0].scores}


def leaderboard_table(results: Results, comparisons: Sequence[Comparison] = ()) -> Table:
    """Systems below each other, metrics side by side: the best is bold, † marks what cannot be distinguished
    from it, ? where the documents are too few to tell.
    """
    by_metric = marks(results, comparisons)
    units = unit_count(results)
    arrows = {True: "", False: " ↓", None: ""}
    heads: list[Column | str] = [*keys("system")]
    columns = []
    for k, (metric, first_score) in enumerate(zip(results.metrics, results.systems[0].scores, strict=True)):
        for part in metric.shown_parts:
            heads.append(part)
            values = [system.scores[k].parts[part] for system in results.systems]
            columns.append([Cell(value, part_text(value)) for value in values])
        heads.append(heading(first_score.metric, metric) + arrows[first_score.higher_is_better])
        both = zip(results.systems, by_metric[k], strict=True)
        columns.append([_cell(system.scores[k], mark) for system, mark in both])
    rows = [[system.name, *(column[k] for column in columns)] for k, system in enumerate(results.systems)]
    shown = [cell for column in columns for cell in column]
    notes = [
        "± half of the 95 % interval." if any("±" in cell.text for cell in shown) else "",
        "Bold or *: the best." if any(cell.strong for cell in shown) else "",
        mark_notes(by_metric, comparisons),
        "s: standard deviation between training runs (seeds); the score is their mean, and the interval"
        " contains their noise."
        if any(score.seeds for system in results.systems for score in system.scores)
        else "",
        unit_note(results.conditions.unit, units),
        rough_scores(results) if any("±" in cell.text for cell in shown) else "",
        "↓ lower is better." if any(m.higher_is_better is False for m in results.metrics) else "",
        scale_note(_percent(results)),
        engine_note(results),
        *remarks(results),
    ]
    return Table(
        heads,
        rows,
        note=" ".join(note for note in notes if note),
        signatures=signature_lines(results),
        machine=score_table(results).machine,
    )


def notebook(results: Results) -> str:
    """The leaderboard as a notebook shows it, with its tests where there are few documents to test on."""
    shown = collapsed(results)
    few = len(shown.systems) > 1 and 1 < len(shown.systems[0].scores[0].ids) <= 1000
    table = leaderboard_table(shown, shown.compare() if few else ()).render("html")
    gaps = coverage_lines(results)
    if results.references:
        gaps = [line for line, s in zip(gaps, results, strict=True) if any(s.coverage.sizes)]
    return table + "".join(f"<p class=note>{escape(line)}</p>\n" for line in gaps)


def heading(name: str, metric: Metric) -> str:
    """What stands above a column: the name under which the run has the metric, with the engine beside it
    where that is not the original's.
    """
    if metric.heading == metric.name:
        return name
    if name.partition("(")[0] == metric.name.partition("(")[0]:
        return metric.heading
    return f"{name}({metric.stand_in})" if metric.stand_in else name


def engine_note(results: Results) -> str:
    """Which metrics have another engine than the original."""
    scores = results.systems[0].scores
    names = [s.metric.partition("(")[0] for s, m in zip(scores, results.metrics, strict=True) if m.stand_in]
    if not names:
        return ""
    what = (
        "has another engine than the original" if len(names) == 1 else "have other engines than the originals"
    )
    return f"{', '.join(names)} {what}, named in brackets: do not compare with published values."


def remarks(results: Results) -> list[str]:
    """What the metrics say of their scores."""
    return list(
        dict.fromkeys(
            sentence
            for k, metric in enumerate(results.metrics)
            for sentence in metric.remarks({system.name: system.scores[k] for system in results.systems})
        )
    )


def part_text(value: float) -> str:
    return f"{value:.{1 if abs(value) >= 10 else 2}f}"


def _cell(score: Score, mark: Mark) -> Cell:
    text = f"{score.value * score.scale:.2f}"
    if score.interval is not None:
        text += f" ± {(score.interval[1] - score.interval[0]) / 2 * score.scale:.2f}"
    if score.seeds:
        text += f" (s {np.std(score.seeds, ddof=1) * score.scale:.2f})"
    return Cell(score.value, text, strong=mark == "best", mark=SIGNS[mark])


def signature_lines(results: Results) -> list[str]:
    """What the numbers depend on: the whole signature of each metric, a line each that can be copied; with
    the system's name before it where the systems have different ones.
    """
    lines = []
    for k in range(len(results.metrics)):
        each = {system.name: str(system.scores[k].signature) for system in results.systems}
        if len(set(each.values())) == 1:
            lines.append(next(iter(each.values())))
        else:
            lines += [f"{name}: {signature}" for name, signature in each.items()]
    return lines


def score_line(system: str, score: Score) -> str:
    """One score in one line, while others are still being computed."""
    shown = Column("", ".2f", score.scale)
    around = f" {shown.show(score.interval)}" if score.interval is not None else ""
    return f"{system}  {score.metric}  {shown.show(score.value)}{around}"


# The scores of every document as a table, and as a file: CSV, TSV, JSON Lines or Parquet.


def document_table(results: Results) -> Table:
    """One row per system and document: every metric's value and parts, worked out from that document
    alone.
    """
    heads: list[Column | str] = []
    rows: list[list[Any]] = []
    results = results.with_formulas()
    for system in results.systems:
        heads, blocks = [*keys("system", "document")], []
        for metric, score in zip(results.metrics, system.scores, strict=True):
            known = np.zeros((0, len(score.columns))) if score.rows is None else score.rows
            values = {"value": known, **metric.combine(known)}  # the value first
            heads += [score.metric if key == "value" else f"{score.metric}.{key}" for key in values]
            blocks += list(values.values())
        ids = system.scores[0].ids if system.scores else ()
        rows += [
            [system.name, document, *(float(block[k]) for block in blocks)] for k, document in enumerate(ids)
        ]
    return Table(heads, rows)


def document_writer(path: str) -> Callable[[Results], None]:
    """A function that writes one row per document as `.csv`, `.tsv`, `.jsonl` or `.parquet`, by the ending of
    the name; whole or not at all."""
    write = _WRITERS.get(Path(path).suffix.lower())
    if write is None:
        raise UsageError(
            f"--per-document cannot tell the format of {path!r}.",
            hint=f"End the name in {', '.join(_WRITERS)}.",
        )
    if write is _parquet:
        try:
            import pyarrow  # noqa: F401
        except ImportError:
            raise MissingPartError.extra("Writing Parquet", "parquet") from None

    return lambda results: write_bytes(path, write(document_table(results)))


def _tsv(table: Table) -> bytes:
    """A text in it is no formula to a spreadsheet."""
    cells = [
        ["" if value is None else guarded(value) if isinstance(value, str) else str(value) for value in row]
        for row in table.rows
    ]
    lines = [[head.name for head in table.heads], *cells]
    return "".join(
        "\t".join(" ".join(cell.splitlines()).replace("\t", " ") for cell in line) + "\n" for line in lines
    ).encode()


def _jsonl(table: Table) -> bytes:
    names = [head.name for head in table.heads]
    return b"".join(msgspec.json.encode(dict(zip(names, row, strict=True))) + b"\n" for row in table.rows)


def _parquet(table: Table) -> bytes:
    import pyarrow as arrow
    from pyarrow import parquet

    columns = {head.name: [row[k] for row in table.rows] for k, head in enumerate(table.heads)}
    sink = arrow.BufferOutputStream()
    parquet.write_table(arrow.table(columns), sink)
    return bytes(sink.getvalue().to_pybytes())


_WRITERS: dict[str, Callable[[Table], bytes]] = {
    ".csv": lambda table: table.render("csv").encode(),
    ".tsv": _tsv,
    ".jsonl": _jsonl,
    ".parquet": _parquet,
}
