"""Documents out of rows whose fields have roles.

What was assumed is kept in `Corpus.meta["read_as"]`.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..captions import Document
from .base import Source
from .checks import Check
from .field_values import Clock, TimeFields, deep_text, flat, stem
from .problems import MISSING, Path, is_number
from .prose import document_of_answer, is_answer
from .record_rows import FILE, KEY, NUMBER, Row, get, lookup
from .roles import Plan, Unread
from .tables import several_sentences


@dataclass(frozen=True, eq=False)
class _NoId:
    """A value that cannot be an id, to be reported."""

    value: Any


@dataclass(slots=True)
class _Entry:
    """One document to be: its id, its place, and its captions with their places."""

    id: Any
    at: Path
    captions: list[tuple[Path, Any, Any, Any, str | None, dict[str, Any]]]
    duration: Any
    meta: dict[str, Any]


class Builder:
    """The documents of a plan."""

    def __init__(self, source: Source, plan: Plan, check: Check) -> None:
        self.source, self.check, self.plan = source, check, plan
        self.found, self.roles = plan.found, plan.roles
        self.role = source.role
        self.notes: list[str] = []
        #: the text is a field of each caption, not of the record around it
        self.text_inside = any(get(row.fields, plan.roles.text) is not None for row in plan.found.rows)

    def documents(self) -> list[Document]:
        if Unread(self.source, self.plan, self.check).report():
            return []
        if self._answers():
            return self._of_answers()
        documents = [self._document(entry) for entry in self._entries()]
        self._describe(documents)
        return documents

    # -- what was assumed

    def _describe(self, documents: Sequence[Document]) -> None:
        under = [f"records = {self.found.under}"] if self.found.under else []
        described = ", ".join([*under, self.roles.described(), *self.notes])
        self.check.meta["read_as"] = described
        if self.roles.story or "list = story" in self.notes:
            self.check.meta["kind"] = "story"

    # -- answers with times in their text

    def _answers(self) -> bool:
        if self.roles.timed or self.roles.parts:
            return False
        texts = [flat(self._text(row)) for row in self.found.rows[:200]]
        return any(isinstance(text, str) and is_answer(text) for text in texts)

    def _of_answers(self) -> list[Document]:
        ids = self._ids()
        documents = [
            document_of_answer(
                id.value if isinstance(id, _NoId) else id,
                row.at,
                flat(self._text(row)),
                self._duration(row),
                self.check,
            )
            for id, row in zip(ids, self.found.rows, strict=True)
        ]
        self.notes.append("times in the text")
        self._describe(documents)
        return documents

    # -- entries

    def _ids(self) -> list[Any]:
        name = self.roles.id
        if name == FILE:
            return [self.source.stem] * len(self.found.rows)
        if name in (KEY, NUMBER):
            raw: list[Any] = [row.key for row in self.found.rows]
        else:
            raw = [self._id_value(flat(lookup(row, name, outside=True))) for row in self.found.rows]
        stems = [stem(i) if isinstance(i, str) else i for i in raw]
        if stems == raw:
            return raw
        bare = {re.sub(r"#\d{1,2}$", "", i) for i in raw if isinstance(i, str)}
        if len({s for s in stems if isinstance(s, str)}) < len(bare):
            return raw  # two files of one name in different folders
        self.notes.append("ids without folder and ending")
        return stems

    def _id_value(self, value: Any) -> Any:
        if isinstance(value, dict | list | bool):
            return _NoId(value)
        if isinstance(value, float) and value.is_integer():
            return str(int(value))
        return MISSING if value is None or value == "" else value

    def _text(self, row: Row) -> Any:
        name = self.roles.text
        value = get(row.fields, name) if self.text_inside else lookup(row, name)
        if value is None and name not in row.fields:
            return MISSING
        value = flat(value)
        if isinstance(value, dict) or (isinstance(value, list) and value and isinstance(value[0], dict)):
            value = deep_text(value)
        return value

    def _duration(self, row: Row) -> Any:
        if not self.roles.duration:
            return None
        value = Clock(self.roles.duration, None).seconds(lookup(row, self.roles.duration, outside=True))
        return value if is_number(value) else None

    def _entries(self) -> list[_Entry]:
        roles, rows, ids = self.roles, self.found.rows, self._ids()
        used = {
            *(
                roles.id,
                roles.text,
                roles.start,
                roles.end,
                roles.span,
                roles.duration,
                roles.length,
                roles.image,
            ),
            *(roles.images, *roles.parts),
        }
        fps = roles.fps
        entries: dict[tuple[Any, ...], _Entry] = {}
        lists, sentences = self._lists(), self._rows_are_sentences()
        for number, (id, row) in enumerate(zip(ids, rows, strict=True)):
            exploded = row.parent is not None
            meta = {
                n: v
                for n, v in row.fields.items()
                if n not in used and isinstance(v, str | int | float | bool) and v != ""
            }
            about = {
                n: v
                for n, v in (row.parent or {}).items()
                if n not in used and isinstance(v, str | int | float)
            }
            texts = self._parts(row, lists) if roles.parts else self._text(row)
            duration = self._duration(row)
            if roles.timed:
                rate = self._rate(row, fps)
                start, end = self._times(row, rate)
                key: tuple[Any, ...] = (id, row.group) if exploded else (id,)
                entry = entries.setdefault(key, _Entry(id, row.at, [], duration, about))
                if not (isinstance(texts, list) and not texts):
                    entry.captions.append((row.at, texts, start, end, self._image(row), meta))
                continue
            joined = (lists == "story" and exploded) or sentences
            key = (id, row.group if exploded else 0) if joined else (id, number)
            entry = entries.setdefault(key, _Entry(id, row.at, [], duration, about))
            entry.captions += self._untimed(row, texts, meta, lists)
            if isinstance(texts, list) and lists == "alternatives" and len(texts) > 1:
                captions, entry.captions = entry.captions, entry.captions[:1]
                for k, caption in enumerate(captions[1:], 1):
                    another = (*key, k)
                    entries[another] = _Entry(id, row.at, [caption], duration, about)
            if images := self._image_list(row):
                entry.meta = {**entry.meta, "photo_sequence": images}
        listed = list(entries.values())
        if roles.timed and not roles.end and not roles.span and not roles.length:
            for entry in listed:
                _close_ends(entry)
        return self._check_repeats(listed)

    def _parts(self, row: Row, lists: str) -> list[Any]:
        """The cells of a column per text; an empty one is no alternative, nor a sentence after the last."""
        texts = [get(row.fields, n) for n in self.roles.parts]
        filled = [
            k for k, n in enumerate(self.roles.parts) if texts[k] not in (None, "") or n not in row.fields
        ]  # a field that is lacking is an error
        if not filled:
            return texts[:1]
        return texts[: filled[-1] + 1] if lists == "story" else [texts[k] for k in filled]

    def _rows_are_sentences(self) -> bool:
        """Rows of one id are the sentences of one story: numbered, stated, or asked for by the metric. Rows
        that hold a list are a story each, and so are references of several sentences.
        """
        if self.roles.order:
            return True
        texts = [self._text(row) for row in self.found.rows[:500]]
        if self.roles.parts or any(isinstance(text, list) for text in texts):
            return False
        whole = several_sentences([text for text in texts if isinstance(text, str)])
        if self.source.lists == "story":
            return not (whole and self.role == "references")
        repeated = len({row.key for row in self.found.rows}) < len(self.found.rows)
        return self.source.kind == "story" and repeated and not whole

    def _untimed(self, row: Row, texts: Any, meta: dict[str, Any], lists: str) -> list[Any]:
        if isinstance(texts, list) and all(isinstance(t, str) for t in texts):
            images = self._image_list(row)
            matched = images if len(images) == len(texts) else [None] * len(texts)
            return [((*row.at, k), t, None, None, matched[k], meta) for k, t in enumerate(texts)]
        return [(row.at, texts, None, None, self._image(row), meta)]

    def _image(self, row: Row) -> str | None:
        value = lookup(row, self.roles.image) if self.roles.image else None
        return str(value) if isinstance(value, str | int) and value != "" else None

    def _image_list(self, row: Row) -> list[str]:
        value = lookup(row, self.roles.images) if self.roles.images else None
        return [str(v) for v in value] if isinstance(value, list) else []

    def _check_repeats(self, entries: list[_Entry]) -> list[_Entry]:
        if self.roles.order and not self.roles.timed:
            self.notes.append(f"order = {self.roles.order}")
        count = len({str(entry.id) for entry in entries})
        if count < len(entries) and not self.roles.timed:
            each = "captions of one id are alternative references"
            self.notes.append(each if self.role != "candidates" else "several captions of one id")
            self._unread_times()
        return entries

    def _unread_times(self) -> None:
        """Captions of one id, beside fields that look like times and have no role: perhaps a dense file."""
        roles = self.roles
        names = list(dict.fromkeys(n for row in self.found.rows[:50] for n in row.fields))
        taken = (roles.id, roles.text, roles.duration, roles.order, *roles.parts)
        found = TimeFields(self.found.rows[:2000], names, taken).telling()
        if not found:
            return
        ours = ("start", "end")[: len(found)]
        way = ",".join(f"{role}={name}" for role, name in zip(ours, found, strict=False))
        shown = ", ".join(map(repr, found[:6]))
        report = self.check.error if self.role == "candidates" else self.check.warn
        report(
            "unread-times",
            "several captions have one id, and fields that look like times are not read",
            (),
            detail=f"{shown}; if they are: {Unread(self.source, self.plan, self.check).command(way)}",
        )

    # -- times

    def _rate(self, row: Row, fps: str) -> Any:
        value = lookup(row, fps) if fps else None
        if value is None and fps and re.fullmatch(r"\d+(?:\.\d+)?", fps):
            return float(fps)
        return value

    def _times(self, row: Row, fps: Any) -> tuple[Any, Any]:
        roles = self.roles
        if roles.span:
            return Clock(roles.span, fps).pair(get(row.fields, roles.span))
        start = Clock(roles.start, fps).seconds(get(row.fields, roles.start))
        if roles.length:
            length = Clock(roles.length, fps).seconds(get(row.fields, roles.length))
            both = all(isinstance(t, int | float) for t in (start, length))
            return start, (round(start + length, 6) if both else length)
        if not roles.end:
            return (MISSING if start is None else start), None
        end = Clock(roles.end, fps).seconds(get(row.fields, roles.end))
        return (MISSING if start is None else start), (MISSING if end is None else end)

    # -- lists of sentences

    def _lists(self) -> str:
        """What a list of sentences is: the sentences of a story, or alternatives."""
        if self.roles.timed:
            return ""
        if self.roles.parts:
            lists = [
                [t for n in self.roles.parts if isinstance(t := get(r.fields, n), str)]
                for r in self.found.rows
            ]
        else:
            lists = [t for r in self.found.rows if isinstance(t := self._text(r), list)]
            if not lists and any(row.parent is not None for row in self.found.rows):
                groups: dict[int, list[str]] = {}
                for row in self.found.rows:
                    text = self._text(row)
                    groups.setdefault(row.group, []).append(text if isinstance(text, str) else "")
                lists = list(groups.values())
        if not any(len(members) > 1 for members in lists):
            return "alternatives"
        found = "story" if self.roles.story else what_lists_are(lists, self.source)
        if found:
            self.notes.append("list = story" if found == "story" else "list = alternatives")
            return found
        size = max(map(len, lists))
        path = self.source.path
        ways = (
            f"`storymeter score {path} --lists story` or `storymeter score … -r {path} --lists alternatives`"
        )
        self.check.error(
            "ambiguous",
            "lists of sentences are either the sentences of a story or alternatives of one caption",
            self.found.rows[0].at,
            detail=f"up to {size} in a list; choose: {ways}",
        )
        return "alternatives"

    def _document(self, entry: _Entry) -> Document:
        if self.roles.order and not self.roles.timed and len(entry.captions) > 1:
            entry.captions.sort(key=lambda c: _number(c[5].get(self.roles.order)))
        check = self.check
        raw = entry.id.value if isinstance(entry.id, _NoId) else entry.id
        id = check.open(raw, entry.at, text=(), time=(), duration=entry.duration)
        captions = []
        for k, (at, text, start, end, image, meta) in enumerate(entry.captions):
            check.move(at)
            if text is MISSING:
                check.error("missing-key", "the record has no caption", at, id=id, index=k)
                continue
            if self.roles.timed and (start is MISSING or end is MISSING):
                check.error(
                    "missing-key", "the caption has no times, though others have them", at, id=id, index=k
                )
                continue
            text = "" if text is None or text != text else text  # null, NaN: an empty caption, with a warning
            captions.append(check.caption(k, text, start, end, image, meta))
        check.move(entry.at)
        return check.close(id, captions, meta=entry.meta)


def what_lists_are(lists: Sequence[Sequence[str]], source: Source) -> str:
    """`story`, `alternatives`, or '' where it cannot be known."""
    members = [text for several in lists[:500] for text in several if isinstance(text, str) and text]
    stories = bool(members) and several_sentences(members)  # each is a story of its own
    if source.lists:
        return "alternatives" if stories and source.role == "references" else source.lists
    if stories:
        return "alternatives"
    if source.kind == "story":
        return "story"
    if source.role == "references":
        return "alternatives"
    sizes = {len(several) for several in lists}
    if source.role is None and (len(sizes) > 1 or max(sizes) < 3):
        return "alternatives"
    return ""


def _close_ends(entry: _Entry) -> None:
    """Captions that only start end where the next one starts, the last one with the video."""
    ends = [*(caption[2] for caption in entry.captions[1:]), entry.duration]
    entry.captions = [(*c[:3], end, *c[4:]) for c, end in zip(entry.captions, ends, strict=False)]


def _number(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        return 0.0
