"""How much scores depend on who wrote the references."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from storymeter import Corpus, Document, Run
from storymeter.arrays import FloatArray
from storymeter.captions import Caption
from storymeter.engine.annotators import by_annotator
from storymeter.engine.units import DOCUMENT
from storymeter.errors import UsageError
from storymeter.metrics import MeanMetric

Verb = Callable[..., tuple[int, str, str]]


class Near(MeanMetric):
    """The number of the candidate minus that of the first reference."""

    name = "near"

    def document_values(self, task: object, bench: object) -> FloatArray:
        pairs = zip(task.candidates, task.references, strict=True)  # type: ignore[attr-defined]
        return np.array([float(one.text) - float(people[0].text) for one, people in pairs])


def corpus(name: str, values: Sequence[float] | FloatArray) -> Corpus:
    each = enumerate(values)
    return Corpus(tuple(Document(f"v{i}", (Caption(repr(float(v))),)) for i, v in each), name)


def made(references: Sequence[Corpus]) -> Run:
    return Run(references)


def test_values_by_annotator_and_what_the_interval_contains() -> None:
    draw = np.random.default_rng(1)
    people = [corpus(f"p{k}", draw.normal(lean, 0.1, 80)) for k, lean in enumerate((0.0, 0.1, 0.3))]
    systems = [corpus("a", draw.normal(1.0, 0.1, 80)), corpus("b", draw.normal(0.5, 0.1, 80))]
    results = Run(people).score(systems, [Near()], unit=DOCUMENT)
    found = {spread.system: spread for spread in by_annotator(results, made)}
    alone = [Run([each]).score(systems, [Near()])["a", "near"] for each in people]
    assert found["a"].by_annotator == tuple(score.value for score in alone)
    assert found["a"].deviation == pytest.approx(np.std([score.value for score in alone], ddof=1))
    low, high = found["a"].interval
    assert alone[0].interval is not None and high - low > 5 * (alone[0].interval[1] - alone[0].interval[0])
    # the annotators lean alike for both systems: their leaning is not in the difference
    (pair,) = by_annotator(results, made, pairs=True)
    assert (pair.system, pair.other) == ("a", "b") and pair.mean == pytest.approx(0.5, abs=0.06)
    assert pair.deviation < 0.2 * found["a"].deviation


def test_the_interval_covers_the_mean_over_other_annotators() -> None:
    """Four annotators with a deviation of .1, 60 documents."""
    draw, inside = np.random.default_rng(3), 0
    for _ in range(100):
        people = [corpus(f"p{k}", draw.normal(0, 0.1) + draw.normal(0, 0.2, 60)) for k in range(4)]
        results = Run(people).score([corpus("a", draw.normal(0.0, 0.2, 60))], [Near()], 0)
        (spread,) = by_annotator(results, made)
        inside += spread.interval[0] <= 0 <= spread.interval[1]
    assert 88 <= inside <= 100


def test_one_annotator_is_refused() -> None:
    results = Run([corpus("p", [0.0, 1.0])]).score([corpus("a", [1.0, 1.0])], [Near()], 0)
    with pytest.raises(UsageError, match="several files of references; there is one"):
        by_annotator(results, made)


def test_score_compare_and_report_print_them(run: Verb, examples: Path, tmp_path: Path) -> None:
    videos = examples / "videos"
    files = [str(videos / "good.json"), str(videos / "padded.json")]
    people = ["-r", str(videos / "reference_1.json"), "-r", str(videos / "reference_2.json")]
    saved = str(tmp_path / "run.smr")
    code, out, _ = run("score", *files, *people, "-m", "meteor", "--annotators", "--save", saved)
    assert code == 0 and "by each annotator alone" in out
    code, out, _ = run("compare", *files, *people, "-m", "meteor", "--annotators", "--format", "json")
    (pair,) = json.loads(out)["annotators"]
    assert list(pair["by_annotator"]) == ["reference_1", "reference_2"] and pair["other"] == "padded"
    again = json.loads(run("compare", saved, "--annotators", "--format", "json")[1])
    assert again["annotators"] == [pair]
    page = tmp_path / "page.html"
    assert run("report", saved, "--annotators", "--out", str(page))[0] == 0
    section = page.read_text(encoding="utf-8").partition('<section id="annotators">')[2]
    assert "reference_2" in section.partition("</section>")[0]
    code, _, err = run("score", *files, *people, "-m", "meteor", "--annotators", "--format", "csv")
    assert code != 0 and "--format json" in err
