"""ActivityNet Captions: submissions, references (two parallel lists per video) and lists of ids.

References of TACoS have the same shape with `fps` and `num_frames` in place of `duration`; their times are
frames, and are read as seconds. All keys that are not known stay in `meta`.

Big files whose shape is regular are decoded straight into records, without a dictionary per caption: msgspec
checks the shape while it decodes, every key and type that a format has, and no others. A file of any other
shape is read the careful way, which says what is wrong and where. Values are judged by `Check` as always: a
document in which any of them is doubtful goes through it caption by caption."""

from collections.abc import Iterator
from typing import Annotated, Any

import msgspec

from ..captions import Caption, Corpus, Document
from .base import JsonFormat, Source, carrying, has, some_of
from .checks import FOREVER, INDEX, LONG, ROUNDING, Check, stands_for_nothing
from .problems import MISSING, is_number, others

_ENTRY = frozenset(("duration", "timestamps", "sentences"))
Text = Annotated[str, msgspec.Meta(max_length=LONG - 1)]
Span = tuple[int | float, int | float]


class _Event(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    sentence: Text
    timestamp: Span


class _Entry(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    duration: int | float
    timestamps: list[Span]
    sentences: list[Text]


_TOP = msgspec.json.Decoder(dict[str, msgspec.Raw])
_EVENTS = msgspec.json.Decoder(dict[str, list[_Event]])
_ENTRIES = msgspec.json.Decoder(dict[str, _Entry])
_SUBMISSION = frozenset(("version", "results", "external_data"))


class Submission(JsonFormat):
    name = "activitynet"
    title = "ActivityNet Captions submission"
    shape = '{"results": {"<video>": [{"sentence": "…", "timestamp": [0.0, 4.5]}]}}'
    carries = carrying("documents", "several", "times", "empty", "meta")

    def looks(self, value: Any) -> bool:
        return has(value, "results") and not isinstance(value["results"], str)

    def regular(self, source: Source, check: Check) -> tuple[Document, ...] | None:
        source.note_line_ends()
        if b'"results"' not in source.data:
            return None
        try:
            top = _TOP.decode(source.data)
            if "results" not in top or not _SUBMISSION.issuperset(top):
                return None
            results = _EVENTS.decode(top.pop("results"))
            self.keep(check, {key: msgspec.json.decode(value) for key, value in top.items()})
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return None
        documents = []
        for video, events in results.items():
            texts, spans = [event.sentence for event in events], [event.timestamp for event in events]
            place = {"at": ("results", video), "text": (INDEX, "sentence"), "time": (INDEX, "timestamp")}
            documents.append(_regular(video, texts, spans, FOREVER, check, **place))
        return tuple(documents)

    def documents(self, value: Any, check: Check) -> Iterator[Document]:
        results = self.within(value, "results", "a submission", check, {})
        for video, events in check.mapping(results, ("results",), "the results").items():
            at = ("results", video)
            id = check.open(video, at, text=(INDEX, "sentence"), time=(INDEX, "timestamp"))
            listed = check.sequence(events, at, "the events of a video")
            yield check.close(id, check.events(listed, at, "an event", "sentence", "timestamp"))

    def value(self, corpus: Corpus) -> Any:
        return {
            **self.kept(corpus, {"version": "VERSION 1.0", "external_data": {"used": False, "details": ""}}),
            "results": {
                d.id: [{"sentence": c.text, "timestamp": [c.start, c.end], **c.meta} for c in d.captions]
                for d in corpus
            },
        }


class Reference(JsonFormat):
    name = "activitynet-reference"
    title = "ActivityNet Captions reference (also TACoS)"
    shape = '{"<video>": {"duration": 9.0, "timestamps": [[0.0, 4.5]], "sentences": ["…"]}}'
    carries = carrying("documents", "several", "times", "empty", "duration", "about")

    def looks(self, value: Any) -> bool:
        return isinstance(value, dict) and any(
            has(v, "timestamps") or has(v, "sentences") for v in some_of(value)
        )

    def regular(self, source: Source, check: Check) -> tuple[Document, ...] | None:
        source.note_line_ends()
        try:
            entries = _ENTRIES.decode(source.data)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return None
        if not entries or any(len(entry.timestamps) != len(entry.sentences) for entry in entries.values()):
            return None
        documents = []
        for video, entry in entries.items():
            length = entry.duration
            limit = length + ROUNDING if 0 < length <= FOREVER else None
            place = {"at": (video,), "text": ("sentences", INDEX), "time": ("timestamps", INDEX)}
            documents.append(
                _regular(video, entry.sentences, entry.timestamps, limit, check, duration=length, **place)
            )
        return tuple(documents)

    def documents(self, value: Any, check: Check) -> Iterator[Document]:
        for video, entry in check.objects(
            check.mapping(value, (), "a reference file").items(), (), "a video"
        ):
            at = (video,)
            meta = others(entry, _ENTRY)
            fps = meta.get("fps") if "duration" not in entry else None
            frames = isinstance(fps, int | float) and fps > 0
            id = check.open(
                video,
                at,
                text=("sentences", INDEX),
                time=("timestamps", INDEX),
                duration=_duration(entry, meta, fps if frames else None),
            )
            times = check.sequence(entry.get("timestamps", MISSING), (*at, "timestamps"), "the timestamps")
            sentences = check.sequence(entry.get("sentences", MISSING), (*at, "sentences"), "the sentences")
            if len(times) != len(sentences) and "timestamps" in entry and "sentences" in entry:
                check.error(
                    "unequal-lists",
                    "timestamps and sentences differ in number",
                    at,
                    detail=f"{len(times):,} and {len(sentences):,}",
                    id=id,
                )
            captions = []
            for i, (time, sentence) in enumerate(zip(times, sentences, strict=False)):
                start, end = check.pair(time, i)
                if frames:
                    start, end = _divided(start, fps), _divided(end, fps)
                captions.append(check.caption(i, sentence, start, end))
            yield check.close(id, captions, meta=meta)

    def value(self, corpus: Corpus) -> Any:
        return {d.id: _entry(d) for d in corpus}


class Ids(JsonFormat):
    name = "id-list"
    title = "List of ids (a split)"
    shape = '["<video>", "<video>"]'
    carries = frozenset(("documents", "several", "alternatives", "untimed", "open", "empty"))

    def looks(self, value: Any) -> bool:
        return isinstance(value, list) and bool(value) and all(isinstance(v, str) for v in some_of(value))

    def documents(self, value: Any, check: Check) -> Iterator[Document]:
        seen: set[str] = set()
        for i, video in enumerate(check.sequence(value, (), "a list of ids")):
            id = check.open(video, (i,))
            if id in seen:
                check.error("duplicate-id", "an id occurs more than once in the list", (i,), id=id)
            seen.add(id)
            yield check.close(id, [])

    def value(self, corpus: Corpus) -> Any:
        return list(corpus.by_id())


def _duration(entry: dict[str, Any], meta: dict[str, Any], fps: float | None) -> Any:
    frames = meta.get("num_frames")
    if fps is not None and is_number(frames):
        return frames / fps
    return entry.get("duration")


def _divided(frame: Any, fps: Any) -> Any:
    return frame / fps if is_number(frame) else frame


def _entry(document: Document) -> dict[str, Any]:
    fps = document.meta.get("fps")
    if "num_frames" in document.meta and isinstance(fps, int | float) and fps > 0:
        return {
            "timestamps": [[round(t * fps) for t in _span(c)] for c in document.captions],
            "sentences": [c.text for c in document.captions],
            **document.meta,
        }
    return {
        **({} if document.duration is None else {"duration": document.duration}),
        "timestamps": [_span(c) for c in document.captions],
        "sentences": [c.text for c in document.captions],
        **document.meta,
    }


def _span(caption: Caption) -> list[float]:
    return [t for t in (caption.start, caption.end) if t is not None]


def _regular(
    id: str, texts: list[str], spans: list[Span], limit: float | None, check: Check, **about: Any
) -> Document:
    """The document as it is where `Check` would find nothing to say of it, whose times have this limit;
    otherwise caption by caption.
    """
    captions = None if check.repair or limit is None else _plain(id, texts, spans, limit)
    if captions is not None:
        return Document(id, captions, about.get("duration"))
    id = check.open(id, **about)
    each = [check.caption(k, text, *span) for k, (text, span) in enumerate(zip(texts, spans, strict=True))]
    return check.close(id, each)


def _plain(id: str, texts: list[str], spans: list[Span], limit: float) -> tuple[Caption, ...] | None:
    """The captions, where `Check` would find nothing to say of them."""
    if not "".join(texts).isprintable() or not id.isprintable() or not id.strip():
        return None
    captions = []
    last: float = 0
    for text, (start, end) in zip(texts, spans, strict=True):
        # a blank is the only white space that is printable
        if not last <= start < end <= limit or text[-1:] <= " " or stands_for_nothing(text):
            return None
        captions.append(Caption(text, start, end))
        last = start
    return tuple(captions)
