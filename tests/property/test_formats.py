"""Whatever a format can carry comes back from it; whatever is thrown at a reader, it answers with a
StorymeterError at worst.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from storymeter import read, write
from storymeter.captions import Caption, Corpus, Document
from storymeter.errors import StorymeterError
from storymeter.formats import FORMATS, examine, iter_documents

SLOW = settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
JSON_NAMES = [
    name for name in FORMATS if name not in ("csv", "tsv", "parquet", "srt", "vtt", "chapters", "lines")
]

words = st.text(st.characters(blacklist_categories=("Cs", "Cc", "Zl", "Zp")), min_size=1, max_size=20).filter(
    lambda s: bool(s.strip())
)
#: subtitle and line files do not tell blanks at the edges, nor markup, from layout
tame = st.lists(st.text("abcdefghéü,.'!?", min_size=1, max_size=8), min_size=1, max_size=5).map(" ".join)
scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(10**12), 10**12)
    | st.floats(allow_nan=False, allow_infinity=False)
    | words
)
metas = st.dictionaries(words.map(lambda w: f"x {w}"), scalars | st.lists(scalars, max_size=2), max_size=2)


@st.composite
def corpora(draw: st.DrawFn, name: str) -> Corpus:
    """A corpus that makes use of everything that the format says it carries."""
    carries, tick = FORMATS[name].carries, FORMATS[name].tick
    texts = words if name in JSON_NAMES or name in ("csv", "tsv", "parquet") else tame
    timed = "times" in carries and ("untimed" not in carries or draw(st.booleans()))
    number = name.startswith("coco")
    ids = draw(
        st.lists(
            st.integers(0, 10**6).map(str) if number else words,
            min_size=1,
            max_size=4 if "documents" in carries else 1,
            unique=True,
        )
    )
    if name == "lines":
        ids = [str(number) for number, _ in enumerate(ids, 1)]
    if "alternatives" in carries and name != "id-list":
        ids = sorted([*ids, *draw(st.lists(st.sampled_from(ids), max_size=2))])
    documents = []
    for i, id in enumerate(ids):
        duration = (
            draw(st.none() | st.integers(5000, 9999))
            if "duration" in carries and not ("alternatives" in carries and name in ("csv", "tsv", "parquet"))
            else None
        )
        most = 4 if "several" in carries and name not in ("plain", "vist-challenge") else 1
        least = 0 if "empty" in carries and name not in ("plain", "lines") else 1
        captions = draw(st.lists(texts, min_size=least, max_size=most)) if "captions" in carries else []
        spans = (
            _spans(draw, len(captions), tick, "ends" in carries, duration)
            if timed
            else [(None, None)] * len(captions)
        )
        images = (
            draw(st.lists(words, min_size=most, max_size=most))
            if "images" in carries and name in ("jsonl", "vist")
            else [None] * 4
        )
        about = draw(metas) if "about" in carries else {}
        if name == "vist":
            about = {"album_id": id, "story_id": str(i), "photo_sequence": images[: len(captions)]}
        if name == "vist-challenge":
            about |= {"album_id": id, "photo_sequence": [f"p{i}"]}
        documents.append(
            Document(
                id,
                tuple(
                    Caption(t, s, e, image, draw(metas) if "meta" in carries else {})
                    for t, (s, e), image in zip(captions, spans, images, strict=False)
                ),
                duration,
                about,
            )
        )
    return Corpus(tuple(documents), "x")


def _spans(
    draw: st.DrawFn, number: int, tick: float, ends: bool, duration: float | None
) -> list[tuple[Any, Any]]:
    """Times on the format's grid, in the order of their starts; without ends of their own where the format
    has none.
    """
    step = tick or 0.01
    points = sorted(
        draw(
            st.lists(
                st.integers(0, 400_000 if tick < 1 else 4000),
                min_size=2 * number,
                max_size=2 * number,
                unique=True,
            )
        )
    )
    times: list[Any] = [int(p * step) if tick == 1 else round(p * step, 3) for p in points]
    if ends:
        return list(zip(times[::2], times[1::2], strict=True))
    return list(zip(times[:number], [*times[1:number], duration], strict=False))


@pytest.mark.parametrize("name", FORMATS)
@given(data=st.data())
@SLOW
def test_what_is_carried_comes_back(name: str, data: st.DataObject) -> None:
    if name == "parquet":
        pytest.importorskip("pyarrow")
    corpus = data.draw(corpora(name))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "film.data"
        left_out = write(corpus, path, format=name)
        assert left_out == []
        reading = examine(path, format=name)
        assert not reading.errors
        assert [_plain(d, name) for d in reading.corpus] == [
            _plain(d, name, None if "documents" in FORMATS[name].carries else "film") for d in corpus
        ]
        write(reading.corpus, Path(folder) / "x.jsonl")
        write(read(Path(folder) / "x.jsonl"), Path(folder) / "again", format=name)
        write(reading.corpus, Path(folder) / "direct", format=name)
        again, direct = (
            (Path(folder) / out).read_bytes().splitlines()[name == "jsonl" :] for out in ("again", "direct")
        )  # but for the head
        assert again == direct


def _plain(document: Document, name: str, id: str | None = None) -> Any:
    """What must come back. VIST challenge files name a story by its photos where an album is told more than
    once; a COCO annotation gets a number of its own."""
    captions = [
        (
            c.text,
            c.start,
            c.end,
            c.image,
            {k: v for k, v in c.meta.items() if not (k == "id" and name in ("coco", "youcook2"))},
        )
        for c in document.captions
    ]
    return (
        (document.meta["album_id"] if name == "vist-challenge" else id or document.id),
        captions,
        document.duration,
        document.meta,
    )


@pytest.mark.parametrize("name", [None, *FORMATS])
@given(data=st.binary(max_size=200) | st.text(max_size=100).map(lambda s: s.encode("utf-8", "surrogatepass")))
@SLOW
def test_random_bytes(name: str | None, data: bytes) -> None:
    _survives(data, name)


json_values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                [
                    "results",
                    "v",
                    "timestamps",
                    "sentences",
                    "sentence",
                    "timestamp",
                    "caption",
                    "image_id",
                    "annotations",
                    "id",
                    "doc",
                    "text",
                    "start",
                    "end",
                    "duration",
                    "chapters",
                    "time",
                    "label",
                    "database",
                    "segment",
                    "output_stories",
                    "album_id",
                    "photo_sequence",
                    "story_text_normalized",
                    "story_id",
                    "worker_arranged_photo_order",
                    "meta",
                    "storymeter",
                    "fps",
                    "num_frames",
                    "tag",
                ]
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=25,
)


@pytest.mark.parametrize("name", [None, *JSON_NAMES])
@given(value=json_values, cut=st.integers(0, 30))
@SLOW
def test_json_of_any_shape(name: str | None, value: Any, cut: int) -> None:
    data = json.dumps(value).encode()
    _survives(data[: len(data) - cut] if cut < 15 else data, name)


def _survives(data: bytes, name: str | None) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "f"
        path.write_bytes(data)
        written: set[str] = set()
        for act in (
            lambda: read(path, format=name),
            lambda: read(path, format=name, repair=True, id_map="add-v"),
            lambda: list(iter_documents(path, format=name)),
        ):
            try:
                result = act()
            except StorymeterError as error:
                assert str(error).strip()
                continue
            if not isinstance(result, Corpus) or repr(result) in written:  # a repair that changed nothing
                continue
            written.add(repr(result))
            for target in FORMATS:
                try:
                    write(result, Path(folder) / "out", format=target)
                except StorymeterError:
                    continue
