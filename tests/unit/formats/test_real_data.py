"""The counts of the real files, as the people who measured them say; nothing of the files is quoted."""

from __future__ import annotations

from pathlib import Path

import pytest

from storymeter.formats import examine
from storymeter.formats.problems import group

EXPECTED = [
    ("anet/val_1.json", "activitynet-reference", 4917, 17505, "dense", {"unsorted": 131}),
    ("anet/val_2.json", "activitynet-reference", 4885, 17031, "dense", {"unsorted": 171}),
    ("anet/bmt_val_1.json", "activitynet", 4483, None, "dense", {"unsorted": 3636}),
    ("anet/para_val_1.json", "plain", 2460, 2460, "story", {}),
    ("youcook2/val.json", "activitynet-reference", 457, 3492, "dense", {}),
    ("vist/test_reference.json", "plain", 1010, None, "story", {}),
    ("vist/mcsm_bart.txt", "plain", 1010, 1010, "story", {}),
    ("vist/arel_challenge.json", "vist-challenge", 2017, 2017, "story", {}),
]


@pytest.mark.parametrize(("name", "format", "documents", "captions", "kind", "warnings"), EXPECTED)
def test_counts(
    data: Path,
    name: str,
    format: str,
    documents: int,
    captions: int | None,
    kind: str,
    warnings: dict[str, int],
) -> None:
    reading = examine(data / name)
    assert reading.corpus.origin.format == format
    assert len(reading.corpus.by_id()) == documents
    assert captions is None or reading.corpus.captions == captions
    assert reading.corpus.kind == kind
    assert {p.code: p.count for p in group(reading.problems)} == warnings
    assert not reading.errors


def test_tacos_frames_become_seconds(data: Path) -> None:
    corpus = examine(data / "tacos/test.json").corpus
    video = corpus.documents[0]
    assert video.duration == pytest.approx(video.meta["num_frames"] / video.meta["fps"])
    assert all(c.end is not None and c.end < video.duration + 1 for c in video.captions)
