"""TIGEr: the formulas by hand, real photographs, and items that cannot be looked at."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from storymeter.captions import Caption, Document
from storymeter.context import Context
from storymeter.errors import DataError, UsageError
from storymeter.join import Coverage, Task
from storymeter.registry import metric
from storymeter.story.tiger import FOCUS, rank_similarity, relevance, weight_similarity


def test_relevance_by_hand() -> None:
    east, north = np.array([1.0, 0.0], np.float32), np.array([0.0, 1.0], np.float32)
    regions = np.stack([east, north, -east])
    assert np.allclose(relevance(regions, east[None]), [1, 0, -1])  # one noun: the cosine itself
    share = np.exp(FOCUS) / (
        np.exp(FOCUS) + 1
    )  # a region that shows one of two nouns hardly looks at the other
    assert relevance(regions, np.stack([east, north]))[0] == pytest.approx(share / np.hypot(share, 1 - share))


def test_ranks_by_hand() -> None:
    reference = np.array([0.5, 0.3, 0.1])  # gains .4, .2, 0
    ideal = 0.4 + 0.2 / np.log2(3)
    assert rank_similarity(reference, reference) == 1.0
    assert rank_similarity(np.array([0.1, 0.9, 0.0]), reference) == pytest.approx(
        (0.2 + 0.4 / np.log2(3)) / ideal
    )
    assert rank_similarity(np.array([-0.3, -0.2, -0.1]), reference) == pytest.approx(
        (0.2 / np.log2(3) + 0.4 / 2) / ideal
    )
    assert rank_similarity(np.array([0.3, 0.2, 0.1]), np.full(3, 0.2)) == 1.0


def test_weights_by_hand() -> None:
    reference, candidate = np.log([0.5, 0.25, 0.25]) / FOCUS, np.log([0.25, 0.5, 0.25]) / FOCUS
    assert weight_similarity(candidate, reference) == pytest.approx(
        np.exp(-(0.5 * np.log(2) - 0.25 * np.log(2)))
    )
    assert weight_similarity(reference + 3, reference) == pytest.approx(1.0)


def task(*items: tuple[Document, list[Document]]) -> Task:
    return Task(
        "t",
        tuple(candidate.id for candidate, _ in items),
        tuple(candidate for candidate, _ in items),
        tuple(tuple(references) for _, references in items),
        Coverage(len(items)),
    )


def said(id: str, text: str, image: str | None = None) -> Document:
    return Document(id, (Caption(text, image=image),))


@pytest.fixture
def setting(photos: Path) -> Context:
    return Context(images=str(photos))


def test_who_points_where_the_reference_points_wins(setting: Context) -> None:
    reference = [said("x", "a motorcycle stands in a garage", "motorcycle_left.png")]
    same, alike, other = (
        float(metric("tiger").rows(task((said("x", text), reference)), setting)[0, 0])
        for text in (
            "a motorcycle stands in a garage",
            "there is a motorbike in here",
            "a cat drinks from a cup",
        )
    )
    assert same == pytest.approx(1.0) and same >= alike > other > 0


def test_references_are_averaged_and_images_may_be_named_by_id(setting: Context) -> None:
    one, two = "a cat with whiskers", "a rocket near a tower"
    rows = metric("tiger").rows(
        task(
            (said("chelsea", "a kitten"), [said("chelsea", one), said("chelsea", two)]),
            (said("chelsea.png", "a kitten"), [said("chelsea.png", one)]),
            (said("chelsea.png", "a kitten"), [said("chelsea.png", two)]),
        ),
        setting,
    )
    assert rows[0, 0] == pytest.approx((rows[1, 0] + rows[2, 0]) / 2)
    assert np.allclose(rows[:, 0], (rows[:, 1] + rows[:, 2]) / 2)


@pytest.mark.parametrize("text", ["", "...", "😀", "quickly and often", "\ud800"])
def test_a_text_without_nouns_scores_0_and_is_counted(setting: Context, text: str) -> None:
    rows = metric("tiger").rows(
        task(
            (said("chelsea", text), [said("chelsea", "a cat")]),
            (said("chelsea", "a cat"), [said("chelsea", text)]),
            (Document("chelsea"), [said("chelsea", "a cat")]),
        ),
        setting,
    )
    assert np.array_equal(rows[:, :5], [[0, 0, 0, 1, 0]] * 3)


def test_a_long_text_and_a_story_have_values(setting: Context) -> None:
    story = Document(
        "s",
        (Caption("we saw a cat .", image="chelsea.png"), Caption("i drank a coffee .", image="coffee.png")),
    )
    rows = metric("tiger").rows(
        task((story, [story]), (said("chelsea", "cat dog " * 5_000), [said("chelsea", "a cat")])), setting
    )
    assert rows[0, 0] == pytest.approx(1.0) and 0 < rows[1, 0] <= 1


def test_pictures_that_are_missing_or_broken(setting: Context, photos: Path, tmp_path: Path) -> None:
    lost = task((said("x", "a cat", "nowhere.png"), [said("x", "a dog")]))
    with pytest.raises(DataError, match=r"1 of 1 images") as caught:
        metric("tiger").rows(lost, setting)
    assert "tiger(missing=skip)" in str(caught.value.hint)
    with pytest.raises(DataError, match="name no image"):
        metric("tiger").rows(task((said("x", "a cat"), [said("x", "a dog")])), setting)
    assert metric("tiger(missing=skip)").rows(lost, setting)[0].tolist() == [0, 0, 0, 0, 1, 1]
    (tmp_path / "torn.png").write_bytes((photos / "chelsea.png").read_bytes()[:900])
    with pytest.raises(DataError, match=r"torn\.png"):
        metric("tiger").rows(
            task((said("torn", "a cat"), [said("torn", "a dog")])), Context(images=str(tmp_path))
        )
    with pytest.raises(UsageError, match="needs pictures"):
        metric("tiger").rows(lost, Context())


def test_the_verb(run: Callable[..., tuple[int, str, str]], photos: Path, tmp_path: Path) -> None:
    for name, text in (("mine", "a kitten looks"), ("people", "a cat with whiskers")):
        (tmp_path / f"{name}.json").write_text(json.dumps({"chelsea": text, "coffee": "a cup of coffee"}))
    code, out, err = run(
        "score",
        str(tmp_path / "mine.json"),
        "-r",
        str(tmp_path / "people.json"),
        "--images",
        str(photos),
        "--metric",
        "tiger",
        "--format",
        "json",
    )
    score = json.loads(out)["systems"][0]["scores"][0]
    assert code == 0 and 0.5 < score["value"] < 1 and "efficientnet-lite0#" in out
    code, _, err = run(
        "score", str(tmp_path / "mine.json"), "-r", str(tmp_path / "people.json"), "--metric", "tiger"
    )
    assert code == 2 and "--images" in err


def test_names() -> None:
    for name in ("tiger", "tiger(regions=boxes.csv,missing=skip)"):
        assert metric(name).name == name
