"""Subtitle files, SRT and WebVTT: one video per file, named like the file. Read by pysubs2; markup is taken
off.
"""

from __future__ import annotations

import html
import re
from abc import abstractmethod
from collections.abc import Iterable, Iterator
from typing import Any

from ..captions import Caption, Corpus, Document
from .base import Format, carrying
from .checks import Check
from .problems import Mark
from .source import Source

_ARROW = re.compile(r"^[ \t]*[\d:.,]+[ \t]+-->", re.MULTILINE)
_SRT = re.compile(r"\s*\d+[ \t]*\r?\n[ \t]*\d+:\d\d:\d\d[,.]\d+[ \t]+-->")
_VTT_TAG = re.compile(r"</?(?:[biu]|ruby|rt|c|v|lang)(?:[.\s][^>]*)?>|<\d[\d:.]*>")
_SRT_TAG = re.compile(r"</?[biu]>|</?font[^>]*>|\{\\an?\d+\}", re.IGNORECASE)


class Subtitles(Format):
    carries = carrying("several", "times")
    tick = 0.001
    kind = ""

    def read(self, source: Source, check: Check) -> Iterable[Document]:
        import pysubs2  # late: most runs read no subtitles

        id = check.open(source.stem, (), text=(), time=())
        text = source.text.replace("\r\n", "\n")
        places = [text.count("\n", 0, arrow.start()) + 1 for arrow in _ARROW.finditer(text)]
        try:
            options: dict[str, Any] = {
                "keep_html_tags": True,
                "keep_unknown_html_tags": True,
                "keep_style_tags": True,
            }
            events = list(pysubs2.SSAFile.from_string(text, format_=self.kind, **options).events)
        except Exception as error:
            check.error(
                "bad-subtitles",
                "the subtitles cannot be read",
                (),
                detail=str(error)[:200] or type(error).__name__,
            )
            events = []
        if len(events) != len(places):
            check.error(
                "bad-cue",
                "some cues cannot be read",
                (Mark("line", places[len(events)]),) if len(events) < len(places) else (),
                detail=f"{len(places):,} times, {len(events):,} cues",
                id=id,
            )
            places = list(range(len(events)))
        captions = []
        for i, (event, line) in enumerate(zip(events, places, strict=False)):
            check.move((Mark("line", line),))
            caption = check.caption(
                i, self.plain(event.text.replace("\\N", "\n")), event.start / 1000, event.end / 1000
            )
            if caption is not None:
                captions.append(caption)
        check.move(())
        return [check.close(id, captions)]

    @abstractmethod
    def plain(self, text: str) -> str:
        """The text without the markup of the format."""

    def write(self, corpus: Corpus) -> Iterator[bytes]:
        for document in corpus:
            for number, caption in enumerate(document.captions, 1):
                yield self.cue(number, caption).encode()

    @abstractmethod
    def cue(self, number: int, caption: Caption) -> str: ...


class Srt(Subtitles):
    name = "srt"
    title = "SubRip subtitles (SRT)"
    shape = "1 / 00:00:00,000 --> 00:00:04,500 / …"
    suffixes = (".srt",)
    kind = "srt"

    def sniff(self, source: Source) -> bool:
        return not source.foreign and bool(_SRT.match(source.head))

    def plain(self, text: str) -> str:
        return _SRT_TAG.sub("", text)

    def cue(self, number: int, caption: Caption) -> str:
        span = f"{_stamp(caption.start)} --> {_stamp(caption.end)}".replace(".", ",")
        return f"{number}\n{span}\n{_unbroken(caption.text)}\n\n"


class WebVtt(Subtitles):
    name = "vtt"
    title = "WebVTT subtitles"
    shape = "WEBVTT / 00:00.000 --> 00:04.500 / …"
    suffixes = (".vtt",)
    kind = "vtt"

    def sniff(self, source: Source) -> bool:
        return source.data.lstrip().startswith(b"WEBVTT")

    def plain(self, text: str) -> str:
        return html.unescape(_VTT_TAG.sub("", text))

    def cue(self, number: int, caption: Caption) -> str:
        return (
            f"{_stamp(caption.start)} -->"
            f" {_stamp(caption.end)}\n{html.escape(_unbroken(caption.text), quote=False)}\n\n"
        )

    def write(self, corpus: Corpus) -> Iterator[bytes]:
        yield b"WEBVTT\n\n"
        yield from super().write(corpus)


def _stamp(seconds: float | None) -> str:
    whole, milliseconds = divmod(round((seconds or 0) * 1000), 1000)
    return f"{whole // 3600:02}:{whole // 60 % 60:02}:{whole % 60:02}.{milliseconds:03}"


def _unbroken(text: str) -> str:
    """An empty line would end the cue."""
    return "\n".join(line for line in text.splitlines() if line.strip())
