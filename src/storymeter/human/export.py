"""Answers joined with the private key, as `Rating` records and in the files other tools read.

One line per judgement; raters are pseudonyms unless `real_names` asks for the platform's ids. What a
judgement is, each kind of study says for itself:

    da           item, system, value 0-100, kind (system, repeat, degraded, human), pair; where several
                 systems
                 wrote the same words, `system` is their names joined by + and `meta.systems` lists them: all
                 get the credit
    spans        as da, with criterion "spans" and the marked words in `meta` (`storymeter.human.span_record`)
    preference   criterion "preference": value -2 (`system` is better) … 2 (`meta.against` is better), sides
                 put back; criterion "test", kind "test": 1 where a test question or control was answered
                 rightly, else 0
    survey       criterion "grounded", "coherent", "no_repetition" (1-5) and "vote" (1 for the best story,
                 else
                 0); criterion "test" as above, for stories that must lose

`position` counts the items as this rater saw them, `meta.place` is their place in the private key.
`meta.state` is "done", "active", "held" or "expired": partial work is exported too, and flagged so;
`meta.held` is why the organiser holds a rater's work."""

from __future__ import annotations

import csv
import datetime
import io
import itertools
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from ..captions import Rating
from ..errors import UsageError
from ..files import guarded
from .campaign import Folder

if TYPE_CHECKING:
    from .store import Store

FORMATS = ("jsonl", "csv", "wmt", "appraise", "mturk", "prolific")
WMT_TYPES = {"system": "SYSTEM", "repeat": "REPEAT", "degraded": "BAD_REF", "human": "REF"}
APPRAISE_TYPES = {"system": "TGT", "repeat": "CHK", "degraded": "BAD", "human": "REF"}


def ratings(folder: Folder, store: Store, *, real_names: bool = False) -> list[Rating]:
    """Every answer of the campaign, by assignment and position."""
    key, study = folder.key, folder.study
    orders: dict[int, list[int]] = {}
    found: list[Rating] = []
    for row in store.answers():
        if row.assignment not in orders:
            orders[row.assignment] = msgspec.json.decode(row.places) if row.places else []
        order = orders[row.assignment]
        line = key.get((row.hit, order[row.position] if order else row.position))
        answer = msgspec.json.decode(row.answer)
        if line is not None and "skipped" not in answer:
            common = {**_common(line, row, real_names), "campaign": folder.campaign.id}
            found.extend(study.judgements(line, answer, common))
    return found


def _common(line: Any, row: Any, real_names: bool) -> dict[str, Any]:
    """What all judgements of one answer share."""
    received = datetime.datetime.fromtimestamp(row.received_at, datetime.timezone.utc)
    held = {"held": row.held_reason} if row.held_reason is not None else {}
    return {
        "item": line.item,
        "rater": row.external if real_names else row.pseudonym,
        "hit": line.hit,
        "position": row.position,
        "seconds": round(max(0.0, row.received_at - row.shown_at), 3),
        "time": received.isoformat(timespec="milliseconds"),
        "meta": {"assignment": row.assignment, "place": line.position, "state": row.state, **held},
    }


def styles(folder: Folder) -> list[str]:
    """The formats in which this campaign can be exported."""
    campaign, study = folder.campaign, folder.study
    fitting = {"jsonl", "csv", *study.formats, campaign.platform.name}
    return [style for style in FORMATS if style in fitting]


def render(folder: Folder, store: Store, style: str, *, real_names: bool = False) -> str:
    if style not in styles(folder):
        raise UsageError(
            f"This {folder.campaign.task} campaign ({folder.campaign.platform.name} raters) has no {style}"
            " export.",
            hint=f"There are: {', '.join(styles(folder))}.",
        )
    if style in ("mturk", "prolific"):
        from .platforms import review

        return review(folder, store, style)
    found = ratings(folder, store, real_names=real_names)
    if style == "appraise":
        return to_appraise(found, folder.campaign.language)
    return {"jsonl": to_jsonl, "csv": to_csv, "wmt": to_wmt}[style](found)


def to_jsonl(found: Iterable[Rating]) -> str:
    return "".join(msgspec.json.encode(rating).decode() + "\n" for rating in found)


def to_csv(found: Iterable[Rating]) -> str:
    columns = tuple(name for name in Rating.__struct_fields__ if name != "meta")
    more = ("state", "against", "held")
    rows = (
        [getattr(rating, column) for column in columns] + [rating.meta.get(key, "") for key in more]
        for rating in found
    )
    return table((*columns, *more), rows)


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

    def row(rating: Rating) -> Sequence[str]:
        what = (rating.rater, rating.system, rating.item, APPRAISE_TYPES[rating.kind], "video", language)
        end = datetime.datetime.fromisoformat(rating.time).timestamp()
        return *what, _number(rating.value), f"{end - (rating.seconds or 0):.3f}", f"{end:.3f}"

    return _csv(map(row, found))


def table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    return _csv(itertools.chain([columns], rows))


def _csv(rows: Iterable[Sequence[object]]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([safe(value) for value in row] for row in rows)
    return out.getvalue()


def safe(value: object) -> object:
    """A cell that no spreadsheet runs as a formula: text beginning = + - @ tab CR gets a quote in front."""
    if isinstance(value, str):
        return guarded(value)
    return "" if value is None else value


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(value)
