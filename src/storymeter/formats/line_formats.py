"""Formats of one caption per line: plain text, lists of texts, and our own JSON Lines.

Plain text as TRECVID's video-to-text task has it: the line's number is the video, or an id leads the line. A
line of the second kind begins with a whole number or a URL. The file is taken so only if all its lines begin
like that, with different ids: a caption may well begin with "2 men".

JSON Lines keep everything and are readable line by line:

    {"storymeter": "captions", "schema": 1, "name": "mine", "origin": {…}, "meta": {…}}
    {"doc": "v1", "duration": 9.0}
    {"doc": "v1", "text": "a dog runs", "start": 0.0, "end": 4.5}
    {"doc": "v1", "text": "it jumps", "start": 4.5, "end": 9.0, "image": "7.jpg", "meta": {"score": 0.3}}

The first line is optional. A line without `text` opens a document: it is needed only where a document has a
duration, meta or no captions, or where its id occurred before (another alternative).
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from ..captions import Caption, Corpus, Document
from ..errors import DataError, first_few
from .aliases import known
from .base import Format, JsonFormat, LineFormat, Source, carrying, has, objects, some_of
from .checks import INDEX, Check
from .problems import MISSING, Mark

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
        # in the log of a harness, `doc` holds the fields of the data set; columns are named for other fields
        ours = has(first, "doc") and not isinstance(first["doc"], dict) and not source.columns
        return has(first, "storymeter") or ours

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
            lines = [
                _present(text=c.text, start=c.start, end=c.end, image=c.image, meta=c.meta)
                for c in document.captions
            ]
            if document.duration is not None or document.meta or not lines or document.id in seen:
                lines.insert(0, _present(duration=document.duration, meta=document.meta))
            seen.add(document.id)
            yield b"".join(encode({"doc": document.id, **line}) + b"\n" for line in lines)


def _present(**fields: Any) -> dict[str, Any]:
    return {key: value for key, value in fields.items() if value is not None and value != {}}


_ID = re.compile(r"\d+|https?://\S+")
_LED = re.compile(rf"({_ID.pattern})[ \t]+(\S.*)")
#: two numbers with a sign or word of a range between them, at the head of a line
_SEGMENT = re.compile(
    r"\W*(?:[^\W\d]+\s+)?\d[\d.,:]*\s?(?:%|[^\W\d]{1,12})?\s*(?:[-–—~〜;→]|->|to\b|bis\b|until\b)"
    r"\s*(?:[^\W\d]+\s+)?\d"
)


#: the code of that warning
UNREAD_TIMES = "unread-times"


_FIELD = re.compile(r"\s*(?:- )?([^\W\d][\w ]{0,30}):(?:\s.*|$)")
_MARKUP = re.compile(r"<(?:!doctype|\?xml|!--|/?[a-z][a-z0-9]*)[ >/]", re.IGNORECASE)


def no_captions(source: Source) -> str:
    """What a text looks like whose lines are not one caption each; nothing where they may be.

    >>> no_captions(Source("x.txt", b"a dog runs\\na cat sits\\n", Check()))
    ''
    >>> no_captions(Source("x.yaml", b"video: a\\ncaption: a dog\\nvideo: b\\n", Check()))
    'fields of records (YAML)'
    """
    lines = [line.strip() for line in source.text.splitlines()[:2000]]
    full = [line for line in lines if line]
    if not full:
        return ""
    if _MARKUP.match(full[0]):
        return "HTML or XML"
    fields = [found[1].strip() for line in full if (found := _FIELD.fullmatch(line))]
    if len(fields) >= 0.8 * len(full) and (2 * len(set(fields)) <= len(fields) or all(map(known, fields))):
        return "fields of records (YAML)"
    if any(len(line) > 2 and line.startswith("#") for line in full) and not all(
        line.startswith("#") for line in full
    ):
        return "captions under headings or beside comments"
    blocks = [block.strip().split("\n") for block in re.split(r"\n\s*\n", "\n".join(lines)) if block.strip()]
    alone = [len(block[0].split()) == 1 and len(block) > 1 for block in blocks]
    if len(blocks) > 1 and all(alone):
        return "ids on lines of their own"
    names = [len(line.split()) == 1 and any(c.isdigit() or c in "_/" for c in line) for line in full]
    if 3 * sum(names) >= len(full) > sum(names):
        return "ids on lines of their own"
    for sign in ("\t", "##", "|||", "@@"):
        if all(sign in line for line in full):
            return f"cells between {sign!r}"
    return ""


class Lines(Format):
    name = "lines"
    title = "One caption per line (TRECVID VTT)"
    shape = "a caption   or   <number or URL> a caption"
    suffixes = (".txt", ".lines")
    textual = True
    carries = carrying("documents", "untimed", "empty")
    manner = True

    def sniff(self, source: Source) -> bool:
        """Any text that is nothing else."""
        return (
            not source.is_json
            and not source.foreign
            and source.suffix not in (".json", ".jsonl", ".csv", ".tsv", ".srt", ".vtt", ".parquet")
        )

    def read(self, source: Source, check: Check) -> Iterable[Document]:
        lines = source.text.replace("\r\n", "\n").split("\n")
        if lines and not lines[-1]:
            lines.pop()
        led = [_LED.fullmatch(line) for line in lines]
        ids = [found[1] for found in led if found]
        if len(ids) == len(lines) and len(set(ids)) == len(ids):
            self.keep(check, {"ids": True})
            return self._documents([(found[1], found[2]) for found in led if found], check)
        self.keep(check, {"ids": False})
        doubtful = [number for number, line in enumerate(lines, 1) if _SEGMENT.match(line)]
        if 2 * len(doubtful) > len(lines):
            for number in doubtful:
                check.warn(
                    UNREAD_TIMES,
                    "the line begins like a segment whose times cannot be read, and was taken for a caption"
                    " without times",
                    (Mark("line", number),),
                )
        return self._documents([(str(number), line) for number, line in enumerate(lines, 1)], check)

    def _documents(self, pairs: list[tuple[str, str]], check: Check) -> Iterator[Document]:
        for number, (id, text) in enumerate(pairs, 1):
            yield check.close(check.open(id, (Mark("line", number),), text=()), [check.caption(0, text)])

    def write(self, corpus: Corpus) -> Iterator[bytes]:
        numbered = all(document.id == str(number) for number, document in enumerate(corpus, 1))
        led = bool(self.kept(corpus).get("ids", False)) or not numbered
        wrong = [document.id for document in corpus if led and not _ID.fullmatch(document.id)]
        if wrong:
            raise DataError(
                f"An id at the head of a line must be a whole number or a URL; {len(wrong):,} are neither:"
                f" {first_few(wrong, limit=3)}",
                hint="Map the ids with --id-map FILE, or choose another format with --to.",
            )
        for document in corpus:
            text = " ".join(document.text.splitlines())
            yield f"{document.id} {text}\n".encode() if led else f"{text}\n".encode()


# Plain texts by id: stories, or paragraphs that describe a video. A list of texts means several
# alternatives.


class Plain(JsonFormat):
    name = "plain"
    title = "Plain stories or paragraphs by id"
    shape = '{"<id>": "a story"} or {"<id>": ["a story", "another"]}'
    carries = carrying("documents", "several", "alternatives", "untimed", "empty") - {"bounds"}
    story = True
    manner = True

    def looks(self, value: Any) -> bool:
        return (
            isinstance(value, dict)
            and bool(value)
            and any(_texts(v) for v in some_of(value))
            and not any(isinstance(v, dict) for v in some_of(value))
        )

    def documents(self, value: Any, check: Check) -> Iterator[Document]:
        listed = False
        for id, texts in check.mapping(value, (), "a file of stories").items():
            several = isinstance(texts, list)
            listed = listed or several
            for i, text in enumerate(texts if several else [texts]):
                name = check.open(id, (id,), text=(INDEX,) if several else ())
                yield check.close(name, [check.caption(i, text)])
            if several and not texts:
                yield check.close(check.open(id, (id,)), [])
        self.keep(check, {"lists": listed})

    def value(self, corpus: Corpus) -> Any:
        groups = corpus.by_id()
        listed = self.kept(corpus).get("lists", any(len(documents) > 1 for documents in groups.values()))
        texts = {id: [d.text for d in documents if d.captions] for id, documents in groups.items()}
        return texts if listed else {id: "".join(several) for id, several in texts.items()}


def _texts(value: Any) -> bool:
    return isinstance(value, str) or (
        isinstance(value, list) and bool(value) and all(isinstance(v, str) for v in value)
    )
