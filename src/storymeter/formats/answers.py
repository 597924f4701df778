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
from typing import Any

from .answer_parts import Answer, Note
from .answer_reader import Reader
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
