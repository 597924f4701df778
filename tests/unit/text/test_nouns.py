from __future__ import annotations

import pytest

pytest.importorskip("HanTa")
from storymeter.text.nouns import _wordnet_nouns, nouns


def test_nouns_of_captions() -> None:
    assert nouns(["[male] walked his old dogs to the park , and i took a photo of the dogs ."]) == [("man", "dogs", "park", "photo")]
    assert nouns(["", "we were there ."]) == [(), ()]
    assert nouns(["an astronaut wearing a spacesuit"]) == [("astronaut", "spacesuit")]


def test_wordnet_is_read_from_the_jar() -> None:
    pytest.importorskip("pycocoevalcap")
    known = _wordnet_nouns()
    assert {"dog", "segway", "gazebo"} <= known and "quickly" not in known and "the" not in known
