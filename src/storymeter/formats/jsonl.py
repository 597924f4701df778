"""Our own JSON Lines: one caption per line, everything kept, readable line by line.

    {"storymeter": "captions", "schema": 1, "name": "mine", "origin": {…}, "meta": {…}}
    {"doc": "v1", "duration": 9.0}
    {"doc": "v1", "text": "a dog runs", "start": 0.0, "end": 4.5}
    {"doc": "v1", "text": "it jumps", "start": 4.5, "end": 9.0, "image": "7.jpg", "meta": {"score": 0.3}}

The first line is optional. A line without `text` opens a document: it is needed only where a document has a
duration, meta or no captions, or where its id occurred before (another alternative)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from ..captions import Caption, Corpus, Document
from .base import LineFormat, carrying, has, objects
from .checks import Check
from .problems import MISSING, Mark
from .source import Source

_LINE = frozenset(("doc", "text", "start", "end", "image", "meta", "duration"))


class JsonLines(LineFormat):
    name = "jsonl"
    title = "Storymeter's JSON Lines"
    shape = '{"doc": "v1", "text": "…", "start": 0.0, "end": 4.5, "image": null, "meta": {}}'
    suffixes = (".jsonl", ".ndjson")
    carries = carrying(
        "documents",
        "several",
        "alternatives",
        "times",
        "untimed",
        "open",
        "empty",
        "duration",
        "images",
        "sequence",
        "meta",
        "about",
    )

    def sniff(self, source: Source) -> bool:
        if not source.is_json:
            return False
        first = source.first_value
        # in the log of a harness, `doc` holds the fields of the data set
        return has(first, "storymeter") or (has(first, "doc") and not isinstance(first["doc"], dict))

    def documents(self, lines: Iterable[tuple[int, bytes]], check: Check) -> Iterator[Document]:
        return self.of_objects(objects(lines, check), check)

    def of_objects(
        self, items: Iterable[tuple[tuple[Mark], dict[str, Any]]], check: Check
    ) -> Iterator[Document]:
        """Documents out of decoded lines, each with its place."""
        current, closed, meta = None, set[str](), None
        captions: list[Caption] = []
        for at, item in items:
            if "storymeter" in item:
                self._header(item, check, at)
                continue
            name, text = item.get("doc", MISSING), item.get("text", MISSING)
            if text is MISSING or name != current:
                if current is not None:
                    yield check.close(current, captions, meta=meta)
                    closed.add(current)
                current = check.open(name, at, text=("text",), time=("start",), duration=item.get("duration"))
                captions, meta = [], None
                if text is MISSING:
                    meta = check.mapping(item.get("meta") or {}, (*at, "meta"), "meta")
                    continue
                if current in closed:
                    check.error("scattered", "captions of one document must be consecutive", at, id=current)
            check.move(at)
            image = item.get("image")
            extra = item.get("meta") or {}
            if type(extra) is not dict:
                extra = check.mapping(extra, (*at, "meta"), "meta")
            if len(item.keys() - _LINE):
                extra = {**extra, **{key: value for key, value in item.items() if key not in _LINE}}
            caption = check.caption(
                len(captions),
                text,
                item.get("start"),
                item.get("end"),
                None if image is None else str(image),
                extra,
            )
            if caption is not None:
                captions.append(caption)
        if current is not None:
            yield check.close(current, captions, meta=meta)

    def _header(self, item: dict[str, Any], check: Check, at: tuple[Mark]) -> None:
        if item.get("schema") != 1:
            check.error(
                "schema",
                "this file was written by a newer Storymeter",
                at,
                detail=f"schema {item.get('schema')!r}",
            )
        check.meta.update(check.mapping(item.get("meta") or {}, (*at, "meta"), "meta"))
        if isinstance(item.get("origin"), dict):
            check.meta["origin"] = item["origin"]

    def write(self, corpus: Corpus) -> Iterator[bytes]:
        encode = msgspec.json.Encoder().encode
        meta = {key: value for key, value in corpus.meta.items() if key != "origin"}
        origin = corpus.meta.get("origin") or corpus.origin
        yield (
            encode(
                {"storymeter": "captions", "schema": 1, "name": corpus.name, "origin": origin, "meta": meta}
            )
            + b"\n"
        )
        seen: set[str] = set()
        for document in corpus:
            lines = [{"doc": document.id, **_present(c)} for c in document.captions]
            if document.duration is not None or document.meta or not lines or document.id in seen:
                head: dict[str, Any] = {
                    "doc": document.id,
                    "duration": document.duration,
                    "meta": document.meta,
                }
                lines.insert(0, {key: value for key, value in head.items() if value not in (None, {})})
            seen.add(document.id)
            yield b"".join(encode(line) + b"\n" for line in lines)


def _present(caption: Caption) -> dict[str, Any]:
    fields = {
        "text": caption.text,
        "start": caption.start,
        "end": caption.end,
        "image": caption.image,
        "meta": caption.meta,
    }
    return {key: value for key, value in fields.items() if value is not None and value != {}}
