"""regions=detector: COCO's classes, people among them, on photographs of scikit-image."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from storymeter.errors import MissingPartError
from storymeter.story.regions import Box, regions


def test_without_the_model_it_says_what_to_do(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pytest.importorskip("cv2")
    monkeypatch.setenv("STORYMETER_MODELS", str(tmp_path))
    with pytest.raises(MissingPartError) as caught:
        regions("detector")
    assert "storymeter models add detector" in str(caught.value.hint)


def test_objects_in_photographs() -> None:
    pytest.importorskip("cv2")
    try:
        detector = regions("detector")
    except MissingPartError as error:
        pytest.skip(str(error))
    from PIL import Image

    photographs = pytest.importorskip("skimage.data")
    for name, label in (("astronaut", "person"), ("cat", "cat"), ("coffee", "cup")):
        image = Image.fromarray(getattr(photographs, name)())
        whole, best, *_ = detector.boxes("x.png", image, image.size)
        assert whole == Box(0, 0, 1, 1)
        assert best.label == label and best.confidence > 0.6 and best.named == best.confidence, name


def test_a_named_region_lies_towards_its_name() -> None:
    pytest.importorskip("torch")
    from PIL import Image

    from storymeter.story.spaces import load_space

    space, crop = load_space(), Image.new("RGB", (64, 64), "green")
    boxes = [Box(0, 0, 1, 1), Box(0, 0, 1, 1, 0.9, "cup", 0.9), Box(0, 0, 1, 1, 0.9, "cup")]
    vectors = space.regions([crop] * 3, boxes)
    (cup,) = space.phrases(["cup"])
    plain, named, unnamed = (vectors @ cup).tolist()
    assert named > 0.8 > plain
    assert plain == pytest.approx(unnamed)  # a label of somebody's table is only shown
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
