"""Grounding: the formula by hand, real photographs, pictures that are missing."""

from __future__ import annotations

import runpy
from pathlib import Path

import numpy as np
import pytest
from part_kit import need

from storymeter.captions import Caption, Document
from storymeter.context import Context
from storymeter.errors import DataError, StorymeterWarning, UsageError
from storymeter.join import Coverage, Task
from storymeter.registry import metric
from storymeter.story.grounding import log_sum_exp, scaled
from storymeter.story.nouns import count_nouns
from storymeter.story.regions import BoxTable, Grid, regions

from . import tiny

need("torch")
need("HanTa")
Image = pytest.importorskip("PIL.Image")

BENCH = Path(__file__).resolve().parents[3] / "bench" / "grounding.py"
bench = runpy.run_path(
    str(BENCH)
)  # the photographs and the ranking; its main prints what the model card says


def _task(*documents: Document) -> Task:
    return Task(
        "t", tuple(d.id for d in documents), documents, tuple(() for _ in documents), Coverage(len(documents))
    )


def _story(id: str, *sentences: tuple[str, str | None]) -> Document:
    return Document(id, tuple(Caption(text, image=image) for text, image in sentences))


def test_the_formulas_by_hand() -> None:
    counted = count_nouns([[("dog", "park"), ("dog",)], [("dog",)], [("sea",)], []])
    assert counted.idf("dog") == pytest.approx(np.log(4 / 3))
    assert counted.idf("sea") == pytest.approx(np.log(2)) and counted.idf("moon") == pytest.approx(np.log(4))
    assert log_sum_exp(np.array([0.0, 0.0, 0.0])) == pytest.approx(np.log(3))
    assert log_sum_exp(np.array([])) == 0
    assert scaled(0.0) == 0 and scaled(2.0) == pytest.approx(2 / (1 + np.exp(-1)) - 1)


def test_right_nouns_beat_wrong_ones_on_real_photographs(photos: Path) -> None:
    from storymeter.story.spaces import load_space

    space = load_space()
    found = [rank for nouns in bench["ranks"](photos, Grid(), space).values() for rank in nouns.values()]
    reciprocal = float(np.mean([1 / rank for rank in found]))
    assert len(found) >= 26 and reciprocal >= 0.65, reciprocal
    seen, boxes = metric("rovist_vg").store(Context(images=str(photos))).get("astronaut.png")
    assert len(seen) == len(boxes) and np.allclose(np.linalg.norm(seen, axis=1), 1, atol=1e-4)
    assert any(box.label == "person" for box in boxes)


def test_the_right_pictures_score_above_shuffled_ones(photos: Path) -> None:
    sentences = [
        ("we saw a cat with long whiskers .", "chelsea.png"),
        ("i drank a cup of coffee .", "coffee.png"),
        ("the rocket left the tower .", "rocket.jpg"),
        ("a motorcycle stood in the garage .", "motorcycle_left.png"),
        ("we went to an old temple .", "china.jpg"),
        ("she gave me a flower .", "flower.jpg"),
    ]
    told = [_story(str(k), sentences[k], sentences[k + 1]) for k in range(0, 6, 2)]
    mixed = [
        _story(
            str(k),
            *((text, sentences[(k + 2 + j) % 6][1]) for j, (text, _) in enumerate(sentences[k : k + 2])),
        )
        for k in range(0, 6, 2)
    ]
    setting = Context(images=str(photos))
    vg = metric("rovist_vg(idf=none)")
    right, wrong = (vg.rows(_task(*stories), setting)[:, 0] for stories in (told, mixed))
    assert (right > wrong).all()
    assert "efficientnet-lite0#" in vg.signature(setting).get("model")


def test_corner_cases(photos: Path, tmp_path: Path) -> None:
    setting = Context(images=str(photos))
    nounless = metric("rovist_vg(idf=none)").score(
        _task(_story("a", ("we were there .", "chelsea.png"))), setting
    )
    assert nounless.value == 0 and nounless.parts["no_nouns"] == 1 and nounless.parts["no_pictures"] == 0
    with pytest.raises(DataError, match="1 of 1 images are not in"):
        metric("rovist_vg").rows(_task(_story("a", ("a cat .", "gone.jpg"))), setting)
    with pytest.raises(DataError, match="name no image"):
        metric("rovist_vg").rows(_task(_story("a", ("a cat .", None))), setting)
    blind = metric("rovist_vg(missing=skip)")
    with pytest.warns(StorymeterWarning, match=r"missing=skip: 1 of 1 images are not in .*: gone\.jpg"):
        score = blind.score(_task(_story("a", ("a cat .", "gone.jpg"))), setting)
    assert score.value == 0 and score.parts["no_pictures"] == 1 and score.parts["nouns"] == 1
    assert blind.remarks({"mine": score}) == [
        "Stories without any picture count 0 in grounding: 1 of 1 of mine."
    ]
    with pytest.raises(UsageError, match="none were given"):
        metric("rovist_vg").rows(_task(_story("a", ("a cat .", "x"))), Context())
    assert metric("rovist_vg(missing=skip,idf=none)").name == "rovist_vg(idf=none,missing=skip)"


def test_boxes(tmp_path: Path) -> None:
    table = tmp_path / "boxes.csv"
    table.write_text(
        "image,x,y,w,h,confidence,label\n" + "".join(f"a.jpg,{k},0,10,10,{k / 20},dog\n" for k in range(15))
    )
    found = BoxTable(table).boxes("a.jpg", None, (100, 50))
    assert len(found) == 10 and found[0].left == pytest.approx(0.14) and found[0].bottom == pytest.approx(0.2)
    assert regions(str(table)).boxes("other.jpg", None, (10, 10))[0][:4] == (0, 0, 1, 1)
    table.write_text("image,x,y,w,h\na.jpg,0,0,0,5\n")
    with pytest.raises(DataError, match="empty"):
        BoxTable(table)
    table.write_text("image,x,y\na.jpg,0,0\n")
    with pytest.raises(DataError, match="needs image"):
        BoxTable(table)
    for odd in ("nan,0,5,5", "0,inf,5,5", "0,0,inf,5"):
        table.write_text(f"image,x,y,w,h\na.jpg,{odd}\n")
        with pytest.raises(DataError, match="NaN or infinite"):
            BoxTable(table)
    table.write_text("image,x,y,w,h\n" + "a" * 200_000 + ",0,0,1,1\n")
    with pytest.raises(DataError, match="not a table of boxes"):
        BoxTable(table)
    table.write_text(
        '{"image": "a.jpg", "x": 0, "y": 0, "w": 9, "h": 9, "confidence": 0.0}\n{"image": "a.jpg", "x": 5,'
        ' "y": 0, "w": 9, "h": 9, "confidence": 0.5}\n'
    )
    unsure = BoxTable(table)
    assert [box.confidence for box in unsure.boxes("a.jpg", None, (100, 50))] == [0.5, 0.0]
    table.write_text("image,x,y,w,h\na.jpg,0,0,9,9\n")
    assert unsure.label.startswith("table:boxes.csv#") and BoxTable(table).label != unsure.label
    assert len(Grid().boxes("x", None, (1, 1))) == 19
    assert Grid().boxes("x", None, (1, 1))[1].crop(Image.new("RGB", (1, 1))).size == (1, 1)


def test_a_detector_by_its_folder(photos: Path, tmp_path: Path) -> None:
    pytest.importorskip("transformers")
    folder = tiny.detector(tmp_path / "tiny-yolos")
    where = regions(str(folder))
    found = where.boxes("x", Image.new("RGB", (80, 40)), (80, 40))
    assert len(found) == 10  # of twelve
    assert found[0][:4] == pytest.approx((0.3, 0.4, 0.7, 0.6), abs=1e-5) and found[0].label == "dog"
    assert found[0].confidence == pytest.approx(np.exp(3) / (1 + np.exp(3) + np.exp(1)), abs=1e-5)
    assert where.label.startswith("detector:tiny-yolos#")
    vg = metric(f"rovist_vg(idf=none,regions={folder})")
    task, setting = _task(_story("a", ("a cat looked at me .", "chelsea.png"))), Context(images=str(photos))
    assert vg.rows(task, setting)[0, 0] > 0 and "tiny-yolos" in vg.signature(setting).get("regions")
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    with pytest.raises(DataError, match="holds its weights as a pickle"):
        regions(str(folder))


def test_boxes_of_a_table_decide_what_is_seen(photos: Path, tmp_path: Path) -> None:
    """The cat is looked at where the table says, and nowhere else."""
    score = {}
    for name, box in (("whole", "0,0,451,300"), ("corner", "420,0,31,31")):
        table = tmp_path / f"{name}.csv"
        table.write_text(f"image,x,y,w,h\nchelsea.png,{box}\n")
        score[name] = metric(f"rovist_vg(idf=none,regions={table})").rows(
            _task(_story("a", ("a cat .", "chelsea.png"))), Context(images=str(photos))
        )[0, 0]
    assert score["whole"] > score["corner"]
    lines = tmp_path / "boxes.jsonl"
    lines.write_text('{"image": "chelsea", "x": 0.25, "y": 0.5, "w": 0.5, "h": 0.25, "label": "cat"}\n')
    found = regions(str(lines)).boxes("chelsea.png", None, (451, 300))[0]
    assert (found.left, found.top, found.right, found.bottom) == (0.25, 0.5, 0.75, 0.75)
    assert (found.confidence, found.label) == (1.0, "cat")
    for content, message in (("image,x,y,w,h\na,0,0,1\n", "needs image"), ("{broken", "Expecting")):
        lines.write_text(content)
        with pytest.raises(DataError, match=message):
            regions(str(lines))
