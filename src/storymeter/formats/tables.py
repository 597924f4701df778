"""Tables, one caption per row: CSV, TSV and Parquet.

Columns: `video` and `text`, and where they exist `start`, `end`, `duration`, `image`, `alternative`, `meta`
(a JSON object). `--columns text=caption,video=clip` says what they are called in the file; common other names
are known. Further columns go to the caption's meta. Rows with times and one id make one document; rows
without times are alternatives of one another, as in COCO, unless a column `alternative` numbers them, or
they are the sentences of a story (`--lists story`, or a metric of stories)."""

import csv
import io
import re
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from ..captions import Corpus, Document
from ..errors import MissingPartError, UsageError, first_few
from ..files import guarded, unguarded
from .base import Format, Source, carrying
from .checks import Check
from .problems import Mark

ALIASES = {
    "video": ("video", "video_id", "vid", "doc", "id", "image_id", "story_id", "clip"),
    "text": ("text", "caption", "sentence", "story", "description"),
    "start": ("start", "start_time", "t_start", "begin"),
    "end": ("end", "end_time", "t_end", "stop"),
    "duration": ("duration",),
    "image": ("image",),
    "alternative": ("alternative",),
    "meta": ("meta",),
}
_SENTENCE_END = re.compile(r"[.!?。！？][\"'”’)\]]*(?=\s|$)|[。！？]")
_INTEGER = re.compile(r"\s*[+-]?\d{1,15}\s*")
Row = dict[str, Any]


class Table(Format):
    named_fields = True
    carries = carrying(
        "documents", "several", "alternatives", "times", "untimed", "open", "duration", "images", "meta"
    )

    @abstractmethod
    def rows(self, source: Source, check: Check) -> Iterator[tuple[Mark, Row]]: ...

    def read(self, source: Source, check: Check) -> Iterable[Document]:
        check_columns(source.columns)
        rows = list(self.rows(source, check))
        if not rows:
            return
        names = named_columns(list(rows[0][1]), source.columns, check)
        if not names:
            return
        together = _is_sentences(source, rows, names)
        if together:
            check.meta["kind"] = "story"
            check.meta["read_as"] = "rows of one id = sentences of a story"
        yield from grouped(rows, names, check, together=together)

    def table(self, corpus: Corpus) -> tuple[list[str], list[Row]]:
        """The columns and rows of a corpus; columns that would be empty throughout are left out."""
        counts: dict[str, int] = {}
        rows: list[Row] = []
        numbered = (
            any(c.start is None for d in corpus for c in d.captions)
            and any(len(d.captions) > 1 for d in corpus)
        ) or len(corpus.by_id()) < len(corpus)
        for document in corpus:
            which = counts[document.id] = counts.get(document.id, -1) + 1
            for caption in document.captions:
                rows.append(
                    {
                        "video": document.id,
                        "start": caption.start,
                        "end": caption.end,
                        "text": caption.text,
                        "duration": document.duration,
                        "image": caption.image,
                        "alternative": which if numbered else None,
                        "meta": msgspec.json.encode(caption.meta).decode() if caption.meta else None,
                    }
                )
        used = [
            key
            for key in ("video", "start", "end", "text", "duration", "image", "alternative", "meta")
            if key in ("video", "text") or any(row[key] is not None for row in rows)
        ]
        return used, [{key: row[key] for key in used} for row in rows]


def check_columns(columns: Mapping[str, str]) -> None:
    """Only columns that we know can be called otherwise."""
    if unknown := columns.keys() - ALIASES.keys():
        raise UsageError(
            f"There is no column {first_few(sorted(unknown))}.",
            hint=f"Columns that can be mapped: {', '.join(ALIASES)}; answers of models: --from prose.",
        )


def named_columns(heads: Sequence[str], columns: Mapping[str, str], check: Check) -> dict[str, str]:
    """Our names to those in the file ('' where there is none); nothing, and errors, where one is lacking."""
    names = {
        ours: columns.get(ours) or next((h for a in known for h in heads if h.strip().lower() == a), "")
        for ours, known in ALIASES.items()
    }
    lacking = [ours for ours in ("video", "text") if names[ours] not in heads]
    lacking += [ours for ours, theirs in columns.items() if theirs not in heads and ours not in lacking]
    for ours in lacking:
        check.error(
            "missing-column",
            f"there is no column for {ours!r}",
            (Mark("row", 1),),
            detail=f"columns: {', '.join(map(repr, heads[:12]))}; map it with --columns {ours}=NAME",
        )
    return {} if lacking else names


def several_sentences(texts: Sequence[str]) -> bool:
    """Whether more than half of the texts hold more than one sentence."""
    return sum(len(_SENTENCE_END.findall(text)) > 1 for text in texts) * 2 > len(texts)


def _is_sentences(source: Source, rows: Sequence[tuple[Mark, Row]], names: dict[str, str]) -> bool:
    """Whether the rows of one id are the sentences of one story: stated, or asked for by the metric."""
    ids = [row.get(names["video"]) for _, row in rows]
    if names["start"] or names["alternative"] or len(set(ids)) == len(ids):
        return False
    texts = [str(row.get(names["text"]) or "") for _, row in rows[:500]]
    whole = several_sentences(texts)
    if source.lists:
        return source.lists == "story" and not (whole and source.role == "references")
    return source.kind == "story" and not whole


def grouped(
    rows: Iterable[tuple[Mark, Row]], names: dict[str, str], check: Check, *, together: bool = False
) -> Iterator[Document]:
    """Rows to documents, which come in the order of their first row; `together`: rows without times that
    share an id are one document."""
    timed = bool(names["start"]) or together
    known = {theirs for theirs in names.values() if theirs}
    groups: dict[tuple[Any, ...], list[tuple[Mark, Row]]] = {}
    for mark, row in rows:
        id = row.get(names["video"])
        key = (
            (str(id), str(row.get(names["alternative"])))
            if names["alternative"]
            else (str(id),)
            if timed
            else (str(id), mark)
        )
        groups.setdefault(key, []).append((mark, row))
    for members in groups.values():
        mark, row = members[0]
        id = check.open(
            row.get(names["video"]),
            (mark,),
            text=(names["text"],),
            time=(names["start"],),
            duration=number(row.get(names["duration"])),
        )
        captions = []
        for i, (place, item) in enumerate(members):
            check.move((place,))
            image = item.get(names["image"])
            meta = {
                key: value
                for key, value in item.items()
                if key not in known and key is not None and value not in (None, "")
            }
            meta.update(_meta(item.get(names["meta"]), check, place))
            start, end = number(item.get(names["start"])), number(item.get(names["end"]))
            shown = None if image in (None, "") else str(image)
            captions.append(check.caption(i, item.get(names["text"]), start, end, shown, meta))
        check.move((mark,))
        yield check.close(id, captions)


def number(value: Any) -> Any:
    """A cell as a number; an empty cell is nothing, and what is no number stays what it is, to be
    reported.
    """
    if not isinstance(value, str):
        return value
    if not value.strip():
        return None
    try:
        return int(value) if _INTEGER.fullmatch(value) else float(value)
    except ValueError:
        return value


def _meta(cell: Any, check: Check, place: Mark) -> dict[str, Any]:
    if cell in (None, ""):
        return {}
    if not isinstance(cell, str) or cell.lstrip()[:1] != "{":
        return {"meta": cell}  # another program's column of that name
    try:
        return msgspec.json.decode(cell, type=dict[str, Any])
    except (msgspec.DecodeError, TypeError, RecursionError, UnicodeError):
        check.error("bad-meta", "the cell `meta` does not hold a JSON object", (place,))
        return {}


class Csv(Table):
    name = "csv"
    title = "Table, comma-separated"
    shape = "video,start,end,text"
    suffixes = (".csv",)
    textual = True
    delimiter = ","

    def sniff(self, source: Source) -> bool:
        heads = {
            head.strip().strip('"').lower()
            for head in re.split(r"[\r\n]", source.head, maxsplit=1)[0].split(self.delimiter)
        }
        return not source.foreign and all(heads & set(ALIASES[column]) for column in ("video", "text"))

    def rows(self, source: Source, check: Check) -> Iterator[tuple[Mark, Row]]:
        reader = csv.DictReader(io.StringIO(source.plain_text, newline=""), delimiter=self.delimiter)
        try:
            heads = reader.fieldnames or []
            for head in sorted({head for head in heads if heads.count(head) > 1}):
                check.error(
                    "duplicate-column",
                    "a column occurs more than once in the header",
                    (Mark("line", 1),),
                    detail=repr(head),
                )
            own = {"video", "text"} <= set(heads) <= ALIASES.keys()  # as we write it
            for row in reader:
                mark = Mark("line", reader.line_num)
                if heads and heads[0] == "":  # the index that pandas writes
                    row.pop("", None)
                if None in row or None in row.values():
                    check.error(
                        "ragged-row",
                        "the row has more or fewer cells than the header",
                        (mark,),
                        detail=f"{len(reader.fieldnames or ())} columns",
                    )
                    continue
                if own:
                    row = {key: unguarded(cell) for key, cell in row.items()}
                if all(head == cell for head, cell in row.items()):
                    check.warn("skipped-line", "the header stands here again, and was left out", (mark,))
                    continue
                yield mark, row
        except csv.Error as error:
            check.error(
                "bad-table",
                "the rest of the table cannot be read",
                (Mark("line", reader.line_num + 1),),
                detail=str(error),
            )

    def write(self, corpus: Corpus) -> Iterator[bytes]:
        columns, rows = self.table(corpus)
        buffer = io.StringIO(newline="")
        writer = csv.DictWriter(buffer, columns, delimiter=self.delimiter, lineterminator="\n")
        writer.writeheader()
        texts = ("video", "text", "image")
        writer.writerows(
            {key: guarded(cell) if key in texts and cell is not None else cell for key, cell in row.items()}
            for row in rows
        )
        yield buffer.getvalue().encode()


class Tsv(Csv):
    name = "tsv"
    title = "Table, tab-separated"
    shape = "video⇥start⇥end⇥text"
    suffixes = (".tsv",)
    delimiter = "\t"


class Parquet(Table):
    name = "parquet"
    title = "Table, Parquet (needs the part `parquet`)"
    shape = "video, start, end, text"
    suffixes = (".parquet",)

    def sniff(self, source: Source) -> bool:
        return source.data.startswith(b"PAR1")

    def rows(self, source: Source, check: Check) -> Iterator[tuple[Mark, Row]]:
        arrow = _pyarrow()
        try:
            rows = arrow.parquet.read_table(arrow.BufferReader(source.data)).to_pylist()
        except (arrow.ArrowException, OSError, ValueError) as error:
            check.error(
                "bad-table", "the Parquet file cannot be read", (), detail=str(error).splitlines()[0][:200]
            )
            return
        for number, row in enumerate(rows, 1):
            yield Mark("row", number), row

    def write(self, corpus: Corpus) -> Iterator[bytes]:
        arrow = _pyarrow()
        names, rows = self.table(corpus)
        numeric = {"start", "end", "duration"}
        columns = {
            key: [float(row[key]) if key in numeric and row[key] is not None else row[key] for row in rows]
            for key in names
        }
        sink = arrow.BufferOutputStream()
        arrow.parquet.write_table(arrow.table(columns), sink)
        yield sink.getvalue().to_pybytes()


def _pyarrow() -> Any:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MissingPartError.extra("Parquet", "parquet") from None
    return pyarrow
