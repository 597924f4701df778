"""The answer of a language model, read line by line: captions with their times, and every line that is none.

What can be read is listed in docs/formats.md. Nothing is guessed: a line is a caption only if its times stand
at its head (`spans.heads`), alone in brackets at its end, in the line above it, or in JSON or a table with
named columns. All other lines are handed back with their numbers, for the reader to report. Bare numbers
(`0 - 12: …`) and times behind a sentence count only in an answer that has no clearer ones.

>>> answer = read("Sure!\\n- **0:00 – 0:05**: A dog runs.\\n- 0:75 - 0:80: It jumps.")
>>> [(c.start, c.end, c.text, c.line) for c in answer.captions]
[(0, 5, 'A dog runs.', 2)]
>>> [(note.code, note.line) for note in answer.notes]
[('skipped-line', 1), ('skipped-times', 3)]
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, NamedTuple

from ..captions import Caption
from ..errors import UsageError
from .answer_reader import Answer, Note, Reader
from .items import items

_THOUGHT = r"(?:think|thinking|reasoning)>"
_THINKING = re.compile(
    rf"(?:<{_THOUGHT}|\A).*?</{_THOUGHT}|<{_THOUGHT}.*", re.DOTALL | re.IGNORECASE
)  # without a beginning where the prompt holds it, without an end where the answer was cut off


def read(text: str) -> Answer:
    answer = Answer()
    Reader(_without_thinking(text, answer), answer).run()
    if any(not caption.weak for caption in answer.captions):
        for caption in [caption for caption in answer.captions if caption.weak]:
            answer.captions.remove(caption)
            answer.notes.append(Note("skipped-times", caption.line, caption.text))
    answer.notes.sort(key=lambda note: note.line)
    return answer


def of_value(value: Any) -> Answer:
    """An answer that is JSON already."""
    answer = Answer(empty=not value)
    Reader("", answer).items(items(value), 1)
    return answer


def looks(text: str) -> bool:
    """Does the text tell timed captions? At least one for every two lines that are none."""
    answer = read(text)
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

    >>> answer = read_answer("0:00 - 0:05: A dog runs.\\nI hope this helps!\\n0:09 - 0:07: It jumps.")
    >>> [(caption.start, caption.end, caption.text) for caption in answer.captions]
    [(0, 5, 'A dog runs.')]
    >>> [(part.line, part.reason) for part in answer.unread]
    [(2, 'no times'), (3, 'the end is before the start')]
    """
    if not isinstance(text, str):
        raise UsageError(f"An answer is a text, not {type(text).__name__}.", hint="Give its text content.")
    answer = read(text)
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
