"""Predictions as language models print them: a text with times and captions, in words, lists, tables or JSON.

One text per file, named like the video; or many in a table (CSV, TSV, Parquet), JSON Lines or JSON with a
column of answers (`--columns answer=response,video=clip`), or in an object of texts by id.

An answer is read line by line; what can be read is listed in docs/formats.md. Nothing is guessed: a line is a
caption only if its times stand at its head (`spans.heads`), alone in brackets at its end, in the line above
it, or in JSON or a table with named columns. Every other line is a warning with its place. Bare numbers
(`0 - 12: …`) and times behind a sentence count only in an answer that has no clearer ones.

>>> answer = parse_answer("Sure!\\n- **0:00 – 0:05**: A dog runs.\\n- 0:75 - 0:80: It jumps.")
>>> [(c.start, c.end, c.text, c.line) for c in answer.captions]
[(0, 5, 'A dog runs.', 2)]
>>> [(note.code, note.line) for note in answer.notes]
[('skipped-line', 1), ('skipped-times', 3)]
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import msgspec

from ..captions import Caption, Corpus, Document
from ..errors import UsageError, first_few
from . import json_text
from .answer_reader import Answer, Note, Reader
from .base import Format, Source, carrying, objects, some_of
from .checks import Check
from .items import is_item, items
from .problems import MISSING, Mark, Path
from .spans import heads, times
from .subtitles import Srt, WebVtt
from .tables import ALIASES, Csv, Parquet, Tsv, number

_THOUGHT = r"(?:think|thinking|reasoning)>"
_THINKING = re.compile(
    rf"(?:<{_THOUGHT}|\A).*?</{_THOUGHT}|<{_THOUGHT}.*", re.DOTALL | re.IGNORECASE
)  # without a beginning where the prompt holds it, without an end where the answer was cut off


def parse_answer(text: str) -> Answer:
    answer = Answer()
    Reader(_without_thinking(text, answer), answer).run()
    if any(not caption.weak for caption in answer.captions):
        for caption in [caption for caption in answer.captions if caption.weak]:
            answer.captions.remove(caption)
            answer.notes.append(Note("skipped-times", caption.line, caption.text))
    answer.notes.sort(key=lambda note: note.line)
    return answer


def parse_value(value: Any) -> Answer:
    """An answer that is JSON already."""
    answer = Answer(empty=not value)
    Reader("", answer).items(items(value), 1)
    return answer


def is_answer(text: str) -> bool:
    """Does the text tell timed captions? At least one for every two lines that are none."""
    answer = parse_answer(text)
    skipped = sum(note.code.startswith("skipped") for note in answer.notes)
    return 2 * len(answer.captions) >= skipped if answer.captions else answer.empty and not skipped


def _without_thinking(text: str, answer: Answer) -> str:
    """The text with blank lines where the model thought aloud."""

    def blank(found: re.Match[str]) -> str:
        line = text.count("\n", 0, found.start()) + 1
        answer.notes.append(Note("thinking", line, f"{found[0].count(chr(10)) + 1:,} lines"))
        return "\n" * found[0].count("\n")

    text = re.sub(r"\r\n|\r|\u2028|\u2029", "\n", text)
    return _THINKING.sub(blank, text) if re.search(r"</?(?:think|reason)", text, re.IGNORECASE) else text


class Unread(NamedTuple):
    """A part of an answer that gave no caption: its line, the reason, and the text."""

    line: int
    reason: str
    text: str


@dataclass(frozen=True, slots=True)
class AnswerCaptions:
    """The timed captions of one model answer, and what could not be read.

    `share` is the share of unread parts, from 0 (everything was read) to 1 (nothing was). An answer that
    states that there is no event (`[]`) is read, and has no captions.
    """

    captions: tuple[Caption, ...]
    unread: tuple[Unread, ...]
    share: float

    @property
    def readable(self) -> bool:
        """Whether at least a part of the answer was read."""
        return self.share < 1


#: what a note of the reader means for one who asks why there is no caption
REASONS = {
    "skipped-line": "no times",
    "skipped-times": "times that cannot be read as those of a caption",
    "skipped-item": "no caption with times",
}


def read_answer(text: str, duration: float | None = None) -> AnswerCaptions:
    """Reads the timed captions of one model answer: sentences, lists, tables or JSON (docs/formats.md).

    `duration` is the length of the video in seconds: ends past it are cut to it, and captions that begin
    after it are unread. So are captions whose end is before their start.

    text: the answer.
    duration: the length of the video in seconds, where it is known.

    >>> answer = read_answer("0:00 - 0:05: A dog runs.\\nI hope this helps!\\n0:09 - 0:07: It jumps.")
    >>> [(caption.start, caption.end, caption.text) for caption in answer.captions]
    [(0, 5, 'A dog runs.')]
    >>> [(part.line, part.reason) for part in answer.unread]
    [(2, 'no times'), (3, 'the end is before the start')]
    """
    if not isinstance(text, str):
        raise UsageError(f"An answer is a text, not {type(text).__name__}.", hint="Give its text content.")
    answer = parse_answer(text)
    unread = [Unread(n.line, REASONS[n.code], n.detail) for n in answer.notes if n.code in REASONS]
    captions = []
    for found in answer.captions:
        end = found.end if duration is None else min(found.end, duration)
        if found.end < found.start:
            unread.append(Unread(found.line, "the end is before the start", found.text))
        elif end < found.start or found.start == duration:
            unread.append(Unread(found.line, "begins after the end of the video", found.text))
        else:
            captions.append(Caption(found.text, found.start, end))
    parts = len(captions) + len(unread)
    nothing = not captions and not (answer.empty and not unread)
    share = 1.0 if nothing else len(unread) / parts if parts else 0.0
    return AnswerCaptions(tuple(captions), tuple(sorted(unread)), share)


VIDEO = (*ALIASES["video"], "video_name", "video_path", "vid_name", "file", "filename", "name", "question_id")
ANSWER = (
    *("answer", "response", "prediction", "pred", "output", "outputs", "generated_text", "generation"),
    *("text", "caption"),
)
#: keys under which one answer keeps its captions; any other key of an object is taken for an id
WRAPPERS = (
    "captions",
    "events",
    "segments",
    "results",
    "annotations",
    "predictions",
    "timestamps",
    "clips",
    "scenes",
)
#: formats whose files could be taken for an answer with times
_OTHERS = (WebVtt(), Srt(), Tsv(), Csv(), Parquet())
#: in a log of many answers one bad line does not stop the others: it is reported and left out
REVERSED = "the segment ends before it starts, and was left out (--repair swaps the times)"
MESSAGES = {
    "skipped-line": "the line holds no times and was left out",
    "skipped-times": "the line holds times that cannot be read as those of a caption, and was left out",
    "skipped-item": "an item cannot be read as a caption with times, and was left out",
    "broken-json": "the JSON is broken or cut off: each object that is whole was read",
    "loose-json": "the JSON is not valid (commas, quotes, comments), but was read",
    "thinking": "the model's reasoning was left out",
    "title": "the words before the times were left out",
}


class Prose(Format):
    name = "prose"
    textual = True
    title = "Answers of language models"
    shape = "[0, 12] …   or   00:05 - 00:09: …   or   From 3.2s to 8s, …   or   JSON in a text"
    suffixes = (".answer", ".md")
    named_fields = True
    carries = carrying("several", "times", "empty", "meta")

    def sniff(self, source: Source) -> bool:
        if "answer" in source.columns:
            return True
        head = source.head.lstrip()
        if source.foreign or not head or any(other.sniff(source) for other in _OTHERS):
            return False
        if source.is_json and not heads(head.splitlines()[0]):
            return _holds_answers(source)
        return is_answer(head)

    def read(self, source: Source, check: Check) -> Iterable[Document]:
        documents = [document_of_answer(*answer, check) for answer in _answers(source, check)]
        left_out = any(problem.code.startswith("skipped") for problem in check.problems)
        if left_out and not check.failed and not any(document.captions for document in documents):
            check.error("no-times", "no caption with its times could be read in the whole file")
        return documents

    def write(self, corpus: Corpus) -> Iterator[bytes]:
        for document in corpus:
            rows = [{"start": c.start, "end": c.end, "caption": c.text, **c.meta} for c in document.captions]
            lines = b",\n".join(b"  " + msgspec.json.encode(row) for row in rows)
            yield b"```json\n[" + (b"\n" + lines + b"\n" if rows else b"") + b"]\n```\n"


def _answers(source: Source, check: Check) -> Iterator[tuple[Any, Path, Any, Any]]:
    """The id, the place, the answer and the duration of each video of the file."""
    if _is_table(source):
        kind = Parquet if source.data.startswith(b"PAR1") else Tsv if b"\t" in source.data[:4096] else Csv
        rows = [((mark,), row) for mark, row in kind().rows(source, check)]
        yield from _records(rows, source.columns, check)
    elif source.is_json_lines and not is_item(source.first_value):
        source.note_line_ends()
        lines = enumerate(source.data.split(b"\n"), 1)
        yield from _records(list(objects(lines, check)), source.columns, check)
    else:
        value = _listed(json_text.loads(source.plain_text) if source.is_json else json_text.BROKEN)
        if _are_records(value):
            records = [((i,), record) for i, record in enumerate(value) if isinstance(record, dict)]
            yield from _records(records, source.columns, check)
        elif _by_id(value):
            for id, answer in value.items():
                key = key_of(answer, ANSWER, source.columns.get("answer")) if isinstance(answer, dict) else ""
                yield id, ((id, key) if key else (id,)), answer[key] if key else answer, None
        else:
            yield source.stem, (), source.text, None


def _records(
    records: Sequence[tuple[Path, dict[str, Any]]], columns: Mapping[str, str], check: Check
) -> Iterator[tuple[Any, Path, Any, Any]]:
    heads = list(dict.fromkeys(key for _, record in records[:100] for key in record))
    names = {}
    for ours, known in (("video", VIDEO), ("answer", ANSWER), ("duration", ("duration",))):
        names[ours] = key_of(heads, known, columns.get(ours))
        if records and names[ours] not in heads and (ours != "duration" or columns.get(ours)):
            check.error(
                "missing-column",
                f"there is no column for {ours!r}",
                records[0][0],
                detail=f"columns: {', '.join(map(repr, heads[:12]))}; map it with --columns {ours}=NAME",
            )
    unknown = columns.keys() - names.keys()
    if unknown:
        raise UsageError(
            f"There is no column {first_few(sorted(unknown))} in a table of answers.",
            hint=f"Columns that can be mapped: {', '.join(names)}.",
        )
    if not check.failed:
        for at, record in records:
            answer = record.get(names["answer"], MISSING)
            duration = number(record.get(names["duration"]))
            place = at if isinstance(at[-1], Mark) else (*at, names["answer"])
            yield record.get(names["video"], MISSING), place, answer, duration


def document_of_answer(id: Any, at: Path, answer: Any, duration: Any, check: Check) -> Document:
    name = check.open(id, at, text=(), time=(), duration=duration)
    found, unit = Answer(), "answer line" if at else "line"
    while isinstance(answer, list) and len(answer) == 1 and isinstance(answer[0], str | list):
        answer = answer[0]  # harnesses keep one answer in a list
    if isinstance(answer, str):
        found = parse_answer(answer)
    elif isinstance(answer, list | dict):
        found = parse_value(answer)
    else:
        check.text(answer, at)
        return check.close(name, [])
    captions = []
    for i, caption in enumerate(found.captions):
        place = (*at, Mark(unit, caption.line), *(caption.path or ()))
        if at and caption.end < caption.start and not check.repair:
            check.warn("skipped-times", REVERSED, place, detail=caption.text, id=name)
            continue
        check.move(place)
        captions.append(check.caption(i, caption.text, caption.start, caption.end, None, caption.meta))
    for note in found.notes:
        place = (*at, Mark(unit, note.line), *note.path)
        check.warn(note.code, MESSAGES[note.code], place, detail=note.detail, id=name)
    if not captions and not (found.empty and not found.captions):
        check.warn("no-answer", "no caption could be read in the answer", at, id=name)
    check.move(at)
    return check.close(name, captions)


# -- what kind of file it is


def _is_table(source: Source) -> bool:
    named = source.suffix in (".csv", ".tsv", ".parquet") or source.data.startswith(b"PAR1")
    return named or (bool(source.columns) and not source.is_json)


def key_of(keys: Iterable[str], known: Iterable[str], said: str | None) -> str:
    """Which of the keys it is: the one that was said, or the first that is known."""
    lowered = {key.strip().lower(): key for key in reversed(list(keys))}
    return said or next((lowered[name] for name in known if name in lowered), "")


def _listed(value: Any) -> Any:
    """One record with an id and an answer is a list of one; anything else is as it was."""
    one = (
        isinstance(value, dict)
        and not is_item(value)
        and key_of(value, VIDEO, "")
        and key_of(value, ANSWER, "")
    )
    return [value] if one else value


def _are_records(value: Any) -> bool:
    """A list of objects with an id or an answer each, and no times of their own."""
    members = some_of(value) if isinstance(value, list) else []
    return bool(members) and all(
        isinstance(member, dict)
        and not is_item(member)
        and (key_of(member, VIDEO, "") or key_of(member, ANSWER, ""))
        for member in members
    )


def _by_id(value: Any) -> bool:
    """An object of answers by id: texts, objects that hold one, or lists of captions; not one answer
    alone.
    """
    if not isinstance(value, dict) or is_item(value) or all(times(key) for key in value):
        return False
    return bool(value) and not (len(value) <= 3 and any(key.lower() in WRAPPERS for key in value))


def _holds_answers(source: Source) -> bool:
    """JSON in which texts tell timed captions, or one list of timed captions without any id."""
    value = [source.first_value] if source.is_json_lines else _listed(source.value)
    if _are_records(value):
        texts = [record.get(key_of(record, ANSWER, "")) for record in some_of(value, 5)]
    elif isinstance(value, dict) and _by_id(value):
        texts = some_of(value, 5)
    else:
        return (
            isinstance(value, list)
            and bool(value)
            and all(
                isinstance(m, dict) and is_item(m) and not key_of(m, (*VIDEO, "doc"), "")
                for m in some_of(value)
            )
        )
    return any(isinstance(text, str) and is_answer(text) for text in texts)
