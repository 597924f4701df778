"""Answers joined with the private key, as `Rating` records and in the files other tools read.

One line per judgement; raters are pseudonyms unless `real_names` asks for the platform's ids.

    da           item, system, value 0-100, kind (system, repeat, degraded, human), pair; where several
                 systems wrote the
                 same words, `system` is their names joined by + and `meta.systems` lists them: all get the
                 credit
    preference   criterion "preference": value -2 (`system` is better) … 2 (`meta.against` is better), sides
                 put back;
                 criterion "test", kind "test": 1 where the test question was answered rightly, else 0
    survey       criterion "grounded", "coherent", "no_repetition" (1-5) and "vote" (1 for the best story,
                 else 0)

`meta.state` is "done", "active" or "expired": partial work is exported too, and flagged so.
"""

from __future__ import annotations

import csv
import datetime
import io
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from ..captions import Rating
from ..errors import UsageError
from .campaign import Folder, KeyLine
from .design import Slot
from .studies import CRITERIA, Duel

if TYPE_CHECKING:
    from .store import Store

FORMATS = ("jsonl", "csv", "wmt", "appraise", "mturk", "prolific")
WMT_TYPES = {"system": "SYSTEM", "repeat": "REPEAT", "degraded": "BAD_REF", "human": "REF"}
APPRAISE_TYPES = {"system": "TGT", "repeat": "CHK", "degraded": "BAD", "human": "REF"}


def ratings(folder: Folder, store: Store, *, real_names: bool = False) -> list[Rating]:
    """Every answer of the campaign, by assignment and position."""
    key = folder.key
    found: list[Rating] = []
    for row in store.everything():
        line = key.get((row.hit, row.position))
        if line is not None:
            found.extend(_judgements(line, row, row.external if real_names else row.pseudonym))
    return found


def _judgements(line: KeyLine, row: Any, rater: str) -> Iterator[Rating]:
    answer = msgspec.json.decode(row.answer)
    time = datetime.datetime.fromtimestamp(row.received_at, datetime.timezone.utc).isoformat(
        timespec="milliseconds"
    )
    common: dict[str, Any] = {
        "item": line.item,
        "rater": rater,
        "hit": line.hit,
        "position": line.position,
        "seconds": round(row.received_at - row.shown_at, 3),
        "time": time,
    }
    meta = {"assignment": row.assignment, "state": row.state}
    if isinstance(line, Slot):
        several = {"systems": list(line.systems)} if len(line.systems) > 1 else {}
        yield Rating(
            **common,
            system="+".join(line.systems),
            value=float(answer["value"]),
            kind=line.kind,
            pair=line.pair,
            meta={**meta, **several},
        )
    elif isinstance(line, Duel):
        first, second = sorted(line.systems)
        value = float(answer["value"]) * (1 if line.systems[0] == first else -1)
        yield Rating(
            **common, system=first, value=value, criterion="preference", meta={**meta, "against": second}
        )
        if line.question is not None:
            yield Rating(
                **common,
                system="",
                value=float(answer.get("test") == line.question.answer),
                kind="test",
                criterion="test",
                meta=meta,
            )
    else:
        for number, system in enumerate(line.systems):
            for criterion, value in zip(CRITERIA, answer["marks"][number], strict=True):
                yield Rating(**common, system=system, value=float(value), criterion=criterion, meta=meta)
            yield Rating(
                **common, system=system, value=float(answer["vote"] == number), criterion="vote", meta=meta
            )


def render(folder: Folder, store: Store, style: str, *, real_names: bool = False) -> str:
    if style in ("mturk", "prolific"):
        from .platforms import review

        return review(folder, store, style)
    found = ratings(folder, store, real_names=real_names)
    if style == "jsonl":
        return to_jsonl(found)
    if style == "csv":
        return to_csv(found)
    if folder.campaign.task != "da":
        raise UsageError(
            f"The {style} format is for Direct Assessment; this is a {folder.campaign.task} campaign.",
            hint="Use --format jsonl or csv.",
        )
    return to_wmt(found) if style == "wmt" else to_appraise(found, folder.campaign.language)


def to_jsonl(found: Iterable[Rating]) -> str:
    return "".join(msgspec.json.encode(rating).decode() + "\n" for rating in found)


def to_csv(found: Iterable[Rating]) -> str:
    columns = (
        "item",
        "system",
        "rater",
        "value",
        "kind",
        "criterion",
        "hit",
        "pair",
        "position",
        "seconds",
        "time",
    )
    rows = (
        [getattr(rating, column) for column in columns]
        + [rating.meta.get("state", ""), rating.meta.get("against", "")]
        for rating in found
    )
    return table((*columns, "state", "against"), rows)


def to_wmt(found: Sequence[Rating]) -> str:
    """WMT's ratings table: header separated by blanks, rows by tabs, ids without either; `time` is that of
    the whole HIT.
    """
    lines = ["HITId WorkerId src trg item hit sys_id rid type sid score time"]
    total: dict[int, float] = defaultdict(float)
    for rating in found:
        total[rating.meta["assignment"]] += rating.seconds or 0
    for rating in found:
        number = rating.meta["assignment"]
        row = [
            f"{rating.hit}.{number}",
            rating.rater,
            "video",
            "en",
            "ad",
            rating.hit,
            rating.system,
            str(rating.position),
            WMT_TYPES[rating.kind],
            rating.item,
            _number(rating.value),
            f"{total[number]:.1f}",
        ]
        lines.append("\t".join("_".join(cell.split()) for cell in row))
    return "\n".join(lines) + "\n"


def to_appraise(found: Sequence[Rating], language: str) -> str:
    """Appraise's result rows, which have no header: user, system, segment, type, source, target, score,
    start, end.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    for rating in found:
        end = datetime.datetime.fromisoformat(rating.time).timestamp()
        writer.writerow(
            [
                safe(v)
                for v in (
                    rating.rater,
                    rating.system,
                    rating.item,
                    APPRAISE_TYPES[rating.kind],
                    "video",
                    language,
                    _number(rating.value),
                    f"{end - (rating.seconds or 0):.3f}",
                    f"{end:.3f}",
                )
            ]
        )
    return out.getvalue()


def table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([safe(value) for value in row] for row in rows)
    return out.getvalue()


def safe(value: object) -> object:
    """A cell that no spreadsheet runs as a formula: text beginning = + - @ tab CR gets a quote in front."""
    if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r")):
        return "'" + value
    return "" if value is None else value


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(value)
