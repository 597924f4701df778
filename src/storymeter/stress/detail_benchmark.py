"""`wrong-detail`: minimal pairs from ActivityNet's two annotators, as a benchmark for every metric.

Read are `anet/val_1.json` (true captions) and `anet/val_2.json` (references: the other annotator's paragraph
of the same video). Left out are the videos from which the layer of `facts` learnt (ids with an odd CRC-32)
and those of FactVC. At most 200 pairs of each kind (`minimal_pairs`) are drawn by seed 0. No person judged
them: the rules make the second caption wrong."""

from __future__ import annotations

import zlib
from pathlib import Path

import msgspec

from ..captions import Caption, Document
from ..errors import DataError
from ..meta.benchmark import Benchmark, decoded, lines_of
from .minimal_pairs import minimal_pairs
from .wrong_details import as_choices, drawn

NAME, FOLDER = "wrong-detail", "anet"
MOST, SEED = 200, 0
_RATED = "metaeval/factvc_activitynet/paragraphs.jsonl"


class _Video(msgspec.Struct):
    sentences: list[str]


class _Rated(msgspec.Struct):
    video: str


def wrong_detail(data: Path) -> Benchmark:
    known = _rated_videos(data / _RATED)
    one, two = (_held_out(data / FOLDER / f"val_{k}.json", known) for k in (1, 2))
    videos = sorted(one.keys() & two.keys())
    references = {video: [two[video]] for video in videos}
    pairs = drawn(minimal_pairs([one[video] for video in videos], references, seed=SEED), MOST, SEED)
    if not pairs:
        raise DataError(f"{data / FOLDER}: no video has captions in both files.", hint="Check the download.")
    task, choices = as_choices(pairs, one, references)
    notes = (
        f"{len(pairs):,} captions of one annotator with and without one changed detail, made by rules from"
        f" {len(videos):,} videos that `facts` did not learn from; a tie of the metric counts half.",
    )
    return Benchmark(
        NAME, "One wrong detail (ActivityNet)", task, (), "", ("pairs",), notes, "accuracy", choices=choices
    )


def _held_out(path: Path, known: set[str]) -> dict[str, Document]:
    return {
        video: Document(video, tuple(Caption(text.strip()) for text in entry.sentences if text.strip()))
        for video, entry in decoded(path, dict[str, _Video]).items()
        if video not in known and zlib.crc32(video.encode()) % 2 == 0
    }


def _rated_videos(path: Path) -> set[str]:
    """Those of FactVC; where its file is absent, none has to be left out."""
    if not path.is_file():
        return set()
    try:
        return {msgspec.json.decode(line, type=_Rated).video for line in lines_of(path) if line.strip()}
    except msgspec.MsgspecError as error:
        raise DataError(f"{path}: {error}.", hint="Check the download.") from None
