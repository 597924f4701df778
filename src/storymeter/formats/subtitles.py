"""Subtitles (SRT, WebVTT) and chapters (ViTT, VidChapters, the chapter lines of YouTube).

Subtitles: one video per file, named like the file. Markup is removed, entities are decoded. A cue is its line
of times and the text after it. In WebVTT an empty line ends the text, a line before the times is the cue's
identifier, and blocks that begin with NOTE, STYLE or REGION are no captions; any other text without times is
an error, not a part of the cue before it. In SRT the text goes on to the next number and line of times, over
empty lines too. Lines may end in LF, CR LF or CR.

Chapters give only starts. A caption ends where the next one starts, and the last one with the video; where
the file does not tell the duration, the last caption stays open (`end` is None), and a warning says so.
"""

import html
import re
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import msgspec

from ..captions import Caption, Corpus, Document
from .base import Format, JsonFormat, LineFormat, Source, carrying, has, objects, some_of
from .checks import INDEX, Check
from .problems import MISSING, Mark, is_number, named, others
from .spans import clock

_ARROW = "-->"
_TIMES = re.compile(r"[ \t]*([\d:.,]+)[ \t]*-->[ \t]*([\d:.,]+)((?:[ \t]+\w+:\S+)*)[ \t]*")
_SRT = re.compile(r"\s*(?:\d+[ \t]*(?:\r\n?|\n)[ \t]*)?\d+:\d\d:\d\d[,.]\d+[ \t]*-->")
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z]\w{1,30});")
_VTT_TAG = re.compile(r"</?(?:[biu]|ruby|rt|c|v|lang|font)(?:[.\s][^>]*)?>|<\d[\d:.]*>")
_SRT_TAG = re.compile(r"</?[biu]>|</?font[^>]*>|\{\\an?\d+\}", re.IGNORECASE)


class Subtitles(Format):
    carries = carrying("several", "times")
    textual = True
    tick = 0.001

    def read(self, source: Source, check: Check) -> Iterable[Document]:
        id = check.open(source.stem, (), text=(), time=())
        lines = re.split(r"\r\n|\r|\n", source.text)
        times = [number for number, line in enumerate(lines) if _ARROW in line]
        begins = [self.begin(lines, number) for number in times]
        self.preface(lines, begins[0] if begins else len(lines), check)
        captions: list[Caption | None] = []
        shown: list[list[str]] = []
        for i, (number, (_, end)) in enumerate(zip(times, pairwise([*begins, len(lines)]), strict=True)):
            check.move((Mark("line", number + 1),))
            text = self.text(lines, number + 1, end, check)
            span = _TIMES.fullmatch(lines[number])
            start, stop = (clock(span[1]), clock(span[2])) if span else (None, None)
            if start is None or stop is None:
                self.bad(check, number, f"found {named(lines[number])}", "the times of a cue cannot be read")
                continue
            plain = self.plain("\n".join(text))
            shown.append([line for line in plain.splitlines() if line.strip()])
            captions.append(check.caption(i, plain, start, stop))
        check.move(())
        _note_rolling(shown, check)
        return [check.close(id, captions)]

    def bad(self, check: Check, number: int, detail: str, message: str) -> None:
        check.error("bad-cue", message, (Mark("line", number + 1),), detail=detail)

    @abstractmethod
    def begin(self, lines: Sequence[str], number: int) -> int:
        """Where the cue begins whose times stand in this line: here, or with its name in the line before."""

    @abstractmethod
    def preface(self, lines: Sequence[str], end: int, check: Check) -> None:
        """Looks at what stands before the first cue."""

    @abstractmethod
    def text(self, lines: Sequence[str], begin: int, end: int, check: Check) -> list[str]:
        """The text of the cue whose lines these are; what does not belong to it is reported."""

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

    def sniff(self, source: Source) -> bool:
        return not source.foreign and bool(_SRT.match(source.head))

    def begin(self, lines: Sequence[str], number: int) -> int:
        return number - 1 if number and lines[number - 1].strip().isdecimal() else number

    def preface(self, lines: Sequence[str], end: int, check: Check) -> None:
        for number, line in enumerate(lines[:end]):
            if line.strip():
                self.bad(check, number, named(line), "text without times before the first cue")

    def text(self, lines: Sequence[str], begin: int, end: int, check: Check) -> list[str]:
        return [line for line in lines[begin:end] if line.strip()]

    def plain(self, text: str) -> str:
        return _decoded(_SRT_TAG.sub("", text))

    def cue(self, number: int, caption: Caption) -> str:
        span = f"{_stamp(caption.start)} --> {_stamp(caption.end)}".replace(".", ",")
        text = _ENTITY.sub(lambda found: f"&amp;{found[0][1:]}", _unbroken(caption.text))
        text = text.replace(_ARROW, "--&gt;")  # a line with an arrow is a line of times
        text = _SRT_TAG.sub(lambda found: found[0].replace("<", "&lt;").replace("{", "&#123;"), text)
        return f"{number}\n{span}\n{text}\n\n"


class WebVtt(Subtitles):
    name = "vtt"
    title = "WebVTT subtitles"
    shape = "WEBVTT / 00:00.000 --> 00:04.500 / …"
    suffixes = (".vtt",)

    def sniff(self, source: Source) -> bool:
        return source.data.lstrip().startswith(b"WEBVTT")

    def begin(self, lines: Sequence[str], number: int) -> int:
        named = number > 1 and lines[number - 1].strip() and not lines[number - 2].strip()
        return number - 1 if named else number

    def preface(self, lines: Sequence[str], end: int, check: Check) -> None:
        first = next((k for k, line in enumerate(lines[:end]) if line.strip()), end)
        headed = first < end and lines[first].strip().startswith("WEBVTT")
        begin = next((k for k in range(first, end) if not lines[k].strip()), end) if headed else first
        self._blocks(lines, begin, end, check)

    def text(self, lines: Sequence[str], begin: int, end: int, check: Check) -> list[str]:
        last = next((k for k in range(begin, end) if not lines[k]), end)
        if last == end < len(lines) and lines[end - 1].strip():
            self.bad(check, end, "", "a cue begins without an empty line before it")
        self._blocks(lines, last, end, check)
        return [line for line in lines[begin:last] if line.strip()]

    def _blocks(self, lines: Sequence[str], begin: int, end: int, check: Check) -> None:
        """Blocks without times: notes, styles and regions may stand between cues, nothing else."""
        inside = False
        for number in range(begin, end):
            line = lines[number].strip()
            if line and not inside and not re.match(r"(?:NOTE|STYLE|REGION)(?:\s|$)", line):
                self.bad(check, number, named(line), "text without times between cues")
            inside = bool(line)

    def plain(self, text: str) -> str:
        return _decoded(_VTT_TAG.sub("", text))

    def cue(self, number: int, caption: Caption) -> str:
        return (
            f"{_stamp(caption.start)} -->"
            f" {_stamp(caption.end)}\n{html.escape(_unbroken(caption.text), quote=False)}\n\n"
        )

    def write(self, corpus: Corpus) -> Iterator[bytes]:
        yield b"WEBVTT\n\n"
        yield from super().write(corpus)


def _note_rolling(cues: Sequence[Sequence[str]], check: Check) -> None:
    """Automatic captions of YouTube show each line twice: below when it is spoken, then above the next."""
    again = sum(a[-1] == b[0] for a, b in pairwise([cue for cue in cues if cue]))
    if again > len(cues) / 2:
        check.warn(
            "rolling",
            "most cues repeat the last line of the cue before, as YouTube's automatic captions do: words"
            " count twice",
            (),
            detail=f"{again:,} of {len(cues):,} cues",
        )


def _decoded(text: str) -> str:
    return _ENTITY.sub(lambda found: html.unescape(found[0]), text)


def _stamp(seconds: float | None) -> str:
    whole, milliseconds = divmod(round((seconds or 0) * 1000), 1000)
    return f"{whole // 3600:02}:{whole // 60 % 60:02}:{whole % 60:02}.{milliseconds:03}"


def _unbroken(text: str) -> str:
    """An empty line would end the cue. Only CR and LF end a line in a subtitle file."""
    return "\n".join(line for line in re.split(r"\r\n|\r|\n", text) if line.strip())


_CHAPTER = re.compile(
    r"\s*[-*•(\[]*\s*(?:(\d{1,3}):)?(\d{1,3}):(\d\d)(?:\.(\d{1,3}))?[)\]]*\s*(?:[-–—:|]\s+)?(.*)"
)

START_ONLY = frozenset(("captions", "bounds", "several", "times", "open"))


def finish(
    captions: Sequence[Caption], check: Check, id: str, at: Any, duration: float | None
) -> tuple[Caption, ...]:
    """Give each caption its end: the next start, or the end of the video."""
    starts = sorted(c.start for c in captions if c.start is not None)
    follow = dict(zip(starts, [*starts[1:], duration], strict=False))  # of equal starts the last one counts
    out = []
    for i, caption in enumerate(captions):
        end = follow[caption.start] if caption.start is not None else None
        if end is None:
            check.warn(
                "open-end",
                "the last caption has no end: the file does not give the length of the video",
                at,
                id=id,
                index=i,
            )
        elif caption.start is not None and end < caption.start:
            check.error(
                "reversed",
                "the last caption starts after the video ends",
                at,
                detail=f"{caption.start:g} of {end:g}",
                id=id,
                index=i,
            )
        out.append(msgspec.structs.replace(caption, end=end))
    return tuple(out)


class Vitt(LineFormat):
    name = "vitt"
    title = "ViTT (milliseconds, one video and annotator per line)"
    shape = '{"id": "<video>", "annotations": [{"timestamp": 1060, "tag": "…"}]}'
    suffixes = (".json",)
    carries = START_ONLY | {"documents", "alternatives", "empty", "meta", "about"}
    tick = 0.001

    def sniff(self, source: Source) -> bool:
        return source.is_json and has(source.first_value, "id", "annotations")

    def documents(self, lines: Iterable[tuple[int, bytes]], check: Check) -> Iterator[Document]:
        for at, item in objects(lines, check):
            id = check.open(
                item.get("id", MISSING),
                at,
                text=("annotations", INDEX, "tag"),
                time=("annotations", INDEX, "timestamp"),
            )
            captions = []
            within = (*at, "annotations")
            listed = check.sequence(item.get("annotations", MISSING), within, "the annotations")
            for i, tag in check.objects(enumerate(listed), within, "an annotation"):
                time = tag.get("timestamp", MISSING)
                start = time / 1000 if is_number(time) and abs(time) < 1e300 else time
                meta = others(tag, frozenset(("timestamp", "tag")))
                caption = check.caption(i, tag.get("tag", MISSING), check.given(start, i), meta=meta)
                if caption is not None:
                    captions.append(caption)
            yield check.close(
                id, finish(captions, check, id, at, None), meta=others(item, frozenset(("id", "annotations")))
            )

    def write(self, corpus: Corpus) -> Iterator[bytes]:
        for document in corpus:
            tags = [
                {"timestamp": round(1000 * (c.start or 0)), "tag": c.text, **c.meta}
                for c in document.captions
            ]
            yield msgspec.json.encode({"id": document.id, "annotations": tags, **document.meta}) + b"\n"


class VidChapters(JsonFormat):
    name = "vidchapters"
    title = "VidChapters"
    shape = '{"<video>": {"duration": 9.0, "chapters": [{"time": 0, "label": "…"}]}}'
    carries = START_ONLY | {"documents", "empty", "duration", "meta", "about"}

    def looks(self, value: Any) -> bool:
        return isinstance(value, dict) and any(has(v, "chapters") for v in some_of(value))

    def documents(self, value: Any, check: Check) -> Iterator[Document]:
        videos = check.mapping(value, (), "a VidChapters file").items()
        for video, entry in check.objects(videos, (), "a video"):
            id = check.open(
                video,
                (video,),
                text=("chapters", INDEX, "label"),
                time=("chapters", INDEX, "time"),
                duration=entry.get("duration"),
            )
            captions = []
            within = (video, "chapters")
            listed = check.sequence(entry.get("chapters", MISSING), within, "the chapters")
            for i, chapter in check.objects(enumerate(listed), within, "a chapter"):
                start = check.given(chapter.get("time", MISSING), i)
                meta = others(chapter, frozenset(("time", "label")))
                captions.append(check.caption(i, chapter.get("label", MISSING), start, meta=meta))
            document = check.close(id, captions, meta=others(entry, frozenset(("duration", "chapters"))))
            yield msgspec.structs.replace(
                document, captions=finish(document.captions, check, id, (video,), document.duration)
            )

    def value(self, corpus: Corpus) -> Any:
        return {
            d.id: {
                **({} if d.duration is None else {"duration": d.duration}),
                "chapters": [{"time": c.start, "label": c.text, **c.meta} for c in d.captions],
                **d.meta,
            }
            for d in corpus
        }


class YouTube(Format):
    name = "chapters"
    title = "YouTube chapter lines"
    shape = "0:00 Title"
    suffixes = (".chapters",)
    textual = True
    carries = START_ONLY
    tick = 1.0

    def sniff(self, source: Source) -> bool:
        if source.is_json or source.foreign:
            return False
        lines = [line for line in source.head.splitlines() if line.strip()][:50]
        return bool(lines) and sum(bool(_CHAPTER.fullmatch(line)) for line in lines) > len(lines) / 2

    def read(self, source: Source, check: Check) -> Iterable[Document]:
        id = check.open(source.stem, (), text=(), time=())
        captions: list[Caption] = []
        for number, line in enumerate(source.text.splitlines(), 1):
            if not line.strip():
                continue
            at = (Mark("line", number),)
            found = _CHAPTER.fullmatch(line)
            if not found:
                check.warn("skipped-line", "the line is not `0:00 Title` and was left out", at, id=id)
                continue
            check.move(at)
            hours, minutes, seconds, fraction, title = found.groups()
            time = int(hours or 0) * 3600 + int(minutes) * 60 + int(seconds)
            caption = check.caption(
                len(captions), title.strip(), time + float(f"0.{fraction}") if fraction else time
            )
            if caption is not None:
                captions.append(caption)
        check.move(())
        document = check.close(id, captions)
        last = (Mark("line", source.text.count("\n") + 1),)
        return [msgspec.structs.replace(document, captions=finish(captions, check, id, last, None))]

    def write(self, corpus: Corpus) -> Iterator[bytes]:
        for document in corpus:
            for caption in document.captions:
                minutes, seconds = divmod(round(caption.start or 0), 60)
                hours, minutes = divmod(minutes, 60)
                stamp = f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
                yield f"{stamp} {' '.join(caption.text.split())}\n".encode()
