"""What a benchmark is: texts that people judged, and how the published figures look at them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from ..errors import DataError
from ..join import Task
from .scores import Judgement
from .word_labels import LabelledSentence


class Choice(NamedTuple):
    """Two texts of the task by their ids, the one that people preferred first, and the category of the
    pair.
    """

    better: str
    worse: str
    category: str


@dataclass(frozen=True, slots=True)
class Benchmark:
    name: str
    title: str
    task: Task
    judgements: tuple[Judgement, ...]
    scale: str
    levels: tuple[str, ...]
    notes: tuple[str, ...]
    #: what the published figures use
    headline: str
    needs_references: bool = True
    #: pairs of which one is better; where there are any, accuracy is all that is asked
    choices: tuple[Choice, ...] = ()
    #: other human scores of the same texts
    criteria: Mapping[str, tuple[Judgement, ...]] = field(default_factory=dict)
    #: sentences whose words people called right or wrong
    words: tuple[LabelledSentence, ...] = ()


def lines_of(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8").split("\n")
    except OSError as error:
        raise DataError(
            f"{path} cannot be read: {error.strerror}.",
            hint="The folder given with --data must be laid out as docs/meta-evaluation.md says.",
        ) from None
    except UnicodeDecodeError as error:
        raise DataError(f"{path} is not UTF-8 (byte {error.start:,}).", hint="Check the download.") from None
