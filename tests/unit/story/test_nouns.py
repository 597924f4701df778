from __future__ import annotations

import gzip
import pickle
from pathlib import Path

import pytest

pytest.importorskip("HanTa")
from storymeter.story.nouns import _nouns, _wordnet_nouns, nouns
from storymeter.text import words


def test_nouns_of_captions() -> None:
    assert nouns(["[male] walked his old dogs to the park , and i took a photo of the dogs ."]) == [
        ("man", "dogs", "park", "photo")
    ]
    assert nouns(["", "we were there ."]) == [(), ()]
    assert nouns(["an astronaut wearing a spacesuit"]) == [("astronaut", "spacesuit")]


def test_wordnet_is_asked_too() -> None:
    pytest.importorskip("pycocoevalcap")
    known = _wordnet_nouns()
    assert {"dog", "segway", "gazebo"} <= known and "quickly" not in known and "the" not in known


class Trap:
    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[object, ...]:
        return Path.touch, (self.mark,)


def test_a_model_in_the_working_directory_is_not_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sprung = tmp_path / "sprung"
    (tmp_path / words.MODEL).write_bytes(gzip.compress(pickle.dumps(Trap(sprung))))
    monkeypatch.chdir(tmp_path)
    for kept in (_nouns, words._load):
        kept.cache_clear()
    assert nouns(["an astronaut wearing a spacesuit"]) == [("astronaut", "spacesuit")]
    assert not sprung.exists()
