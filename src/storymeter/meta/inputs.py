"""Human scores and metric scores from files.

`--human`: a table with a system, an item and a score per line (CSV, tab- or blank-separated; `SYS SID RAW.SCR
Z.SCR N` of TRECVID and WMT is understood), a table without items (system level), or a file of ratings (our
export, WMT, MTurk, Appraise), from which caption scores are made as `storymeter human analyse` makes them.
Preferences and story surveys (our exports) are known by their criteria. `--scores`: one column per metric
beside system and item, or lines of metric, system, item, score."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import msgspec

from ..captions import Rating
from ..errors import DataError, some
from ..files import content
from ..human.analysis import analyse
from ..human.held import records_without
from ..human.imports import peek, read, records_of, sniff
from ..human.own_files import plain_cell
from ..human.survey import story_means
from .compute import Key
from .scores import Judgement, Scores, tabulate

SYSTEM, ITEM = ("system", "sys", "model"), ("item", "sid", "id", "document", "segment", "video", "image")
SCORE = {
    "z": ("z", "z.scr", "z_score", "score", "value", "human", "rating"),
    "raw": ("raw", "raw.scr", "raw_score", "score", "value", "human", "rating"),
}


def read_human(
    path: Path, *, which: Literal["z", "raw"] = "z", accept: Literal["passed", "all"] = "passed"
) -> Scores:
    raw = content(path, "Give a table of scores.")
    if _is_ratings(raw):
        return _from_ratings(path, which, accept)
    rows = _table(raw, path.name)
    system, item = _column(rows[0], SYSTEM), _column(rows[0], ITEM)
    value = _column(rows[0], SCORE[which])
    if system is None or value is None:
        raise DataError(
            f"{path.name} has the columns {some(rows[0])}; a system and a score are needed.",
            hint="Name them system, item and score (or SYS, SID, Z.SCR).",
        )
    judgements, problems, zero = [], [], 0
    for number, row in enumerate(rows, 2):
        if item and item.lower() == "sid" and row[item].strip() == "0":
            zero += 1
            continue
        try:
            judgements.append(Judgement(row[system], row[item] if item else "", float(row[value])))
        except ValueError:
            problems.append(f"line {number}: {row[value]!r}")
    if problems:
        raise DataError(
            f"{path.name}: {len(problems):,} scores are not numbers: {some(problems, limit=3)}",
            hint="Correct these lines, or remove them.",
        )
    scale = which if value.lower() in ("z", "z.scr", "z_score", "raw", "raw.scr", "raw_score") else ""
    # TRECVID's SID counts from 1: what stands under 0 belongs to no caption
    notes = [f"{zero:,} rows with SID 0 are dropped (SID counts from 1)."] if zero else []
    return tabulate(judgements, scale=scale, notes=notes)


def read_preferences(path: Path) -> list[Rating] | None:
    """The records of a preference study, or None where the file is something else."""
    return (
        records_of(path)
        if any(record.criterion in ("preference", "test") for record in peek(path, 20))
        else None
    )


def read_survey(path: Path) -> dict[str, Scores] | None:
    """Mean marks of a story survey by criterion (and `overall`, their sum), or None where the file is
    something else.
    """
    if not any(
        record.criterion and record.criterion not in ("preference", "test") for record in peek(path, 20)
    ):
        return None
    return {
        criterion: tabulate(
            [Judgement(system, item, value) for (system, item), value in stories.items()],
            notes=[f"Mean marks of {len(stories):,} stories for each criterion."],
        )
        for criterion, stories in story_means(records_without(records_of(path))[0]).items()
        if stories
    }


def read_scores(path: Path) -> dict[str, dict[Key, float]]:
    rows = _table(content(path, "Give a table of scores."), path.name)
    system, item, metric = _column(rows[0], SYSTEM), _column(rows[0], ITEM), _column(rows[0], ("metric",))
    if system is None:
        raise DataError(
            f"{path.name} has the columns {some(rows[0])}; a system is needed.",
            hint="Name them system, item, and one column per metric.",
        )
    value = _column(rows[0], ("score", "value")) if metric else None
    names = [key for key in rows[0] if key not in (system, item)] if metric is None else []
    found: dict[str, dict[Key, float]] = {}
    for row in rows:
        key = (row[system], row[item] if item else "")
        cells = [(row[metric], row[value])] if metric and value else [(name, row[name]) for name in names]
        for name, cell in cells:
            if cell in ("", "NA", "nan", "NaN", "null", "None"):
                continue  # missing stays missing
            try:
                found.setdefault(name, {})[key] = float(cell)
            except ValueError:
                if metric:
                    raise DataError(
                        f"{path.name}: {cell!r} is not a score of {name}.",
                        hint="Scores are numbers; leave the cell empty where there is none.",
                    ) from None
                found.setdefault(name, {})
    found = {
        name: values for name, values in found.items() if values
    }  # columns of words (notes, languages) are no metrics
    if not found:
        raise DataError(f"{path.name} holds no scores.", hint="Give one column of numbers per metric.")
    return found


def _is_ratings(raw: bytes) -> bool:
    first = raw.lstrip()[:20_000]
    if first[:1] == b"{":
        return b'"rater"' in first.split(b"\n", 1)[0]
    try:
        sniff(raw)
    except DataError:
        return False
    return True


def _from_ratings(path: Path, which: Literal["z", "raw"], accept: Literal["passed", "all"]) -> Scores:
    analysis = analyse(read(path), accept=accept, splits=0)
    captions, names = analysis.captions, analysis.used
    values = captions.z if which == "z" else captions.raw
    judgements = [
        Judgement(names.systems[s], names.item.names[i], float(v))
        for s, i, v in zip(captions.system, captions.item, values, strict=True)
    ]
    passed = int(analysis.kept.sum())
    return tabulate(
        judgements,
        scale=which,
        notes=[
            (
                f"Caption scores ({which}) from {len(analysis.used):,} ratings of {passed:,} of"
                f" {len(analysis.kept):,} raters."
            ),
            *analysis.ratings.notes,
        ],
    )


def _table(raw: bytes, name: str) -> list[dict[str, str]]:
    """Rows by column name, whatever separates them; JSON Lines too."""
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        raise DataError(
            f"{name} is not UTF-8 (byte {error.start:,}).", hint="Convert it: iconv -f latin1 -t utf-8 FILE"
        ) from None
    lines = [line for line in text.splitlines() if line.strip()]
    if lines[0].lstrip().startswith("{"):
        try:
            records = [msgspec.json.decode(line, type=dict[str, str | float | None]) for line in lines]
        except msgspec.MsgspecError as error:
            raise DataError(
                f"{name} is not JSON Lines of flat records: {error}.", hint="Write one object per line."
            ) from None
        keys = list(dict.fromkeys(key for record in records for key in record))
        return [
            {key: "" if record.get(key) is None else str(record[key]) for key in keys} for record in records
        ]
    separator = "\t" if "\t" in lines[0] else "," if "," in lines[0] else None
    try:
        rows = (
            [line.split() for line in lines]
            if separator is None
            else [[plain_cell(cell) for cell in row] for row in csv.reader(lines, delimiter=separator)]
        )
    except csv.Error as error:
        raise DataError(
            f"{name} cannot be read as a table: {error}.",
            hint="Look for a quotation mark that is never closed.",
        ) from None
    head = [cell.strip() for cell in rows[0]]
    wrong = [str(number) for number, row in enumerate(rows[1:], 2) if len(row) != len(head)]
    if wrong:
        raise DataError(
            f"{name}: {len(wrong):,} lines do not have the {len(head)} columns of the header: lines"
            f" {some(wrong)}.",
            hint="Check the separators.",
        )
    if len(rows) < 2:
        raise DataError(f"{name} has a header but no rows.", hint="Give a table of scores.")
    return [dict(zip(head, row, strict=True)) for row in rows[1:]]


def _column(row: dict[str, str], names: Sequence[str]) -> str | None:
    lowered = {key.lower(): key for key in row}
    return next((lowered[name] for name in names if name in lowered), None)
