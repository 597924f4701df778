"""One caption per line, as TRECVID's video-to-text task has it: the line's number is the video, or an id
leads the line.

A line of the second kind begins with a whole number or a URL. The file is taken so only if all its lines
begin like that, with different ids: a caption may well begin with "2 men"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ..captions import Corpus, Document
from ..errors import DataError, some
from .base import Format, carrying
from .checks import Check
from .problems import Mark
from .source import Source

_ID = re.compile(r"\d+|https?://\S+")
_LED = re.compile(rf"({_ID.pattern})[ \t]+(\S.*)")
#: two numbers with a sign or word of a range between them, at the head of a line
_SEGMENT = re.compile(
    r"\W*(?:[^\W\d]+\s+)?\d[\d.,:]*\s?(?:%|[^\W\d]{1,12})?\s*(?:[-–—~〜;→]|->|to\b|bis\b|until\b)"
    r"\s*(?:[^\W\d]+\s+)?\d"
)


#: the code of that warning
UNREAD_TIMES = "unread-times"


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
                f" {some(wrong, limit=3)}",
                hint="Map the ids with --id-map FILE, or choose another format with --to.",
            )
        for document in corpus:
            text = " ".join(document.text.splitlines())
            yield f"{document.id} {text}\n".encode() if led else f"{text}\n".encode()
