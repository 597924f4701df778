"""Lines to tokens joined by blanks, by one of three tokenisers.

    ptb          Penn Treebank tokens in lower case, punctuation dropped: what COCO's captioning scores are
                 made on
    whitespace   words are what stands between blanks, tabs and line breaks: for text that is tokenised
                 already, as visual
                 storytelling publishes it
    none         the line as it is

White space is turned into blanks, one for one, and never squeezed: ROUGE-L as captioning computes it counts
the empty word between two blanks, and figures were published that way. All other measures cut at runs of
blanks.

Each distinct line is tokenised once, and once per run where a `memory` is given.

>>> tokenize([" a dog\\truns ."], "whitespace")
[' a dog runs .']
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..errors import UsageError, closest
from ..join import Task
from ..metric import Setting, Tokenizer
from .unicode import well_formed

_BLANKS = str.maketrans("\t\n\v\f\r", " " * 5)
TOKENIZERS: tuple[Tokenizer, ...] = ("ptb", "whitespace", "none")


def tokenize(
    lines: Sequence[str], tokenizer: Tokenizer, *, memory: dict[str, str] | None = None
) -> list[str]:
    """The tokens of each line, joined by blanks. `memory` keeps what was tokenised before."""
    if tokenizer not in TOKENIZERS:
        raise UsageError(f"There is no tokenizer {tokenizer!r}.", hint=closest(str(tokenizer), TOKENIZERS))
    if tokenizer == "none":
        return well_formed(lines)
    known = {} if memory is None else memory
    fresh = [line for line in dict.fromkeys(lines) if line not in known]
    if tokenizer == "whitespace":
        known.update(
            (line, sound.translate(_BLANKS)) for line, sound in zip(fresh, well_formed(fresh), strict=True)
        )
    elif fresh:
        from . import ptb  # late: it opens the native module

        known.update(zip(fresh, ptb.tokenize_joined(fresh, punctuation=False), strict=True))
    return [known[line] for line in lines]


@dataclass(frozen=True, slots=True)
class Texts:
    """The tokenised text of each document of a task, and of each of its references."""

    candidates: list[str]
    references: list[list[str]]


def document_texts(task: Task, setting: Setting) -> Texts:
    """What corpus metrics compare: the captions of a document joined by a blank, then tokenised.

    The texts of the task at hand stay on the run's workbench, so that each metric finds them there.
    """
    kept = setting.shared.get("document texts")
    if kept is not None and kept[0] is task and kept[1] == (setting.tokenizer, setting.protocol.ascii):
        texts: Texts = kept[2]
        return texts
    documents = [document.text for document in task.candidates]
    alternatives = [document.text for group in task.references for document in group]
    tokens = run_tokens([*documents, *alternatives], setting)
    rest = iter(tokens[len(documents) :])
    texts = Texts(tokens[: len(documents)], [[next(rest) for _ in group] for group in task.references])
    setting.shared["document texts"] = (task, (setting.tokenizer, setting.protocol.ascii), texts)
    return texts


def run_tokens(lines: Sequence[str], setting: Setting) -> list[str]:
    """`tokenize` under the run's tokenizer and protocol; lines seen before in the run are not tokenised
    again.
    """
    strip = setting.protocol.ascii == "strip"
    memory = setting.shared.setdefault(("tokens", setting.tokenizer), {})
    return tokenize(
        [ascii_only(line) for line in lines] if strip else lines, setting.tokenizer, memory=memory
    )


def ascii_only(line: str) -> str:
    """Every character past U+007F becomes a blank, as the older evaluation scripts do."""
    return line if line.isascii() else "".join(char if char < "\x80" else " " for char in line)
