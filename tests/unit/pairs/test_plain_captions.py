"""One caption per item, whatever the file: COCO results, lines and tables of the same captions get the same
numbers.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import storymeter
from storymeter.captions import Corpus

METRICS = ["bleu_4", "rouge_l", "cider", "self_bleu", "distinct_2", "repetition_4"]
CAPTIONS = ["A dog runs on the grass.", "A man, singing a song!", "Two girls dance."]
REFERENCES = [
    ["The dog runs on grass.", "A dog."],
    ["A man sings a song."],
    ["Girls are dancing.", "Two girls dance together."],
]


def values(mine: Corpus, theirs: Corpus) -> list[float]:
    report = storymeter.evaluate(candidates=mine, references=theirs, metrics=METRICS, resamples=0)
    assert report.systems[0].coverage.matched == 3
    return [score.value for score in report.systems[0].scores]


def test_formats_agree(tmp_path: Path) -> None:
    files = {
        "results.json": json.dumps([{"image_id": k, "caption": c} for k, c in enumerate(CAPTIONS)]),
        "mine.csv": "video,text\n" + "".join(f'{k},"{c}"\n' for k, c in enumerate(CAPTIONS)),
    }
    coco = {
        "images": [{"id": k} for k in range(3)],
        "annotations": [
            {"image_id": k, "id": 10 * k + j, "caption": r}
            for k, group in enumerate(REFERENCES)
            for j, r in enumerate(group)
        ],
    }
    (tmp_path / "references.json").write_text(json.dumps(coco), encoding="utf-8")
    theirs = storymeter.read(tmp_path / "references.json")
    results = {}
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
        results[name] = values(storymeter.read(tmp_path / name), theirs)
    assert results["mine.csv"] == results["results.json"]
    assert results["results.json"][1] == pytest.approx(0.7, abs=0.25)


def test_lines_meet_lines(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("\n".join(CAPTIONS) + "\n", encoding="utf-8")
    (tmp_path / "theirs.txt").write_text("\n".join(group[0] for group in REFERENCES) + "\n", encoding="utf-8")
    by_lines = values(storymeter.read(tmp_path / "mine.txt"), storymeter.read(tmp_path / "theirs.txt"))
    assert values(storymeter.read(tmp_path / "mine.txt"), storymeter.read(tmp_path / "mine.txt"))[1] == 1.0
    assert 0 < by_lines[1] < 1
