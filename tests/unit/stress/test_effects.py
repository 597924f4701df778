"""Verdicts of the audit: affine maps and signs of a metric change none, noise passes nothing."""

from __future__ import annotations

import math
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import storymeter
from storymeter.arrays import FloatArray
from storymeter.captions import Corpus
from storymeter.engine import Run
from storymeter.join import Task
from storymeter.report import present
from storymeter.stress import Audit, attacks, audit
from storymeter.stress.auditing import NO_DISTANCE, consistency_verdicts
from storymeter.stress.effects import Evidence, evidence_of, fieller

sys.path.insert(0, str(Path(__file__).parents[3] / "bench"))
import audit_of_noise


class Mapped(storymeter.MeanMetric):
    """SODA c of each document, and what a map makes of it."""

    def __init__(self, name: str, scale: float, shift: float, better: bool = True, log: bool = False) -> None:
        self._name, self.scale, self.shift, self.log = name, scale, shift, log
        self.higher_is_better = better  # type: ignore[misc]

    @property
    def name(self) -> str:
        return self._name

    def document_values(self, task: Task, context: storymeter.Context) -> FloatArray:
        soda = storymeter.metric("soda_c").under(context.protocol)
        values = soda.score(task, context).rows[:, 2]  # type: ignore[index]
        return self.shift + self.scale * (np.log(values + 1e-3) if self.log else values)


@pytest.fixture(scope="module")
def videos(examples: Path) -> tuple[Corpus, list[Corpus]]:
    folder = examples / "videos"
    return storymeter.read(folder / "good.json"), [storymeter.read(folder / "reference_1.json")]


@pytest.fixture(scope="module")
def found(videos: tuple[Corpus, list[Corpus]]) -> Audit:
    metrics = [
        Mapped("plain", 1, 0),
        Mapped("affine", 0.1, 0.9),
        Mapped("large", 1000, -7),
        Mapped("loss", -1, 1, better=False),
        Mapped("log", 1, 0, log=True),
    ]
    return audit(videos[0], Run(references=videos[1]), metrics=metrics, repeats=2)


def _answers(found: Audit, metric: str) -> dict[str, str]:
    return {v.property: v.answer for v in found.verdicts if v.metric == metric}


@pytest.mark.parametrize("name", ["affine", "large", "loss"])
def test_affine_maps_and_signs_change_no_verdict(found: Audit, name: str) -> None:
    plain = _answers(found, "plain")
    assert {"yes"} < {*plain.values()} and len(plain) >= 9  # without a tagger one is undecided
    assert _answers(found, name) == plain
    numbers = {v.property: v.because for v in found.verdicts if v.metric == "plain"}
    for verdict in found.verdicts:
        if verdict.metric == name and verdict.property != "cannot be talked into it":
            assert verdict.because == numbers[verdict.property]


def test_a_logarithm_inverts_no_verdict(found: Audit) -> None:
    plain, log = _answers(found, "plain"), _answers(found, "log")
    for name in ("does not reward padding", "notices order", "notices what is missing"):
        assert plain[name] == "yes" and log[name] == "yes", name


def test_noise_constants_and_lengths_pass_nothing(examples: Path) -> None:
    for corpus, references in audit_of_noise.examples(examples.parent).values():
        tested = audit_of_noise.metrics(40)
        for name, count in audit_of_noise.answers(corpus, references, tested).items():
            assert count["yes"] <= 2, (name, count)


def test_a_metric_that_does_not_vary_or_knows_no_better_has_no_verdict(
    videos: tuple[Corpus, list[Corpus]],
) -> None:
    class Constant(storymeter.MeanMetric):
        name = "constant"

        def document_values(self, task: Task, context: storymeter.Context) -> FloatArray:
            return np.full(len(task), 0.5)

    found = audit(videos[0], Run(references=videos[1]), metrics=[Constant(), "captions"], repeats=1)
    assert {v.answer for v in found.verdicts} == {"not applicable"}
    why = {v.metric: v.because for v in found.verdicts}
    assert "does not vary" in why["constant"] and "what is better" in why["captions"]


def test_units_count_together(videos: tuple[Corpus, list[Corpus]]) -> None:
    """Twelve documents in two units say little."""
    run = Run(references=videos[1])
    documents = np.array([np.arange(12.0) + 5, np.arange(12.0)])
    units = ["a" if k % 2 else "b" for k in range(12)]
    evidence = evidence_of(documents, ["original", "exchange"], units, higher_is_better=True)
    assert evidence is not None and len(evidence.distances) == 2 and evidence.unfit()
    first = videos[0].documents[0].id[0]
    assert audit(videos[0], run, metrics=["soda_c"], repeats=1, unit=f"id:{first}").verdicts != (
        audit(videos[0], run, metrics=["soda_c"], repeats=1).verdicts
    )


def test_the_interval_of_a_ratio_is_what_a_t_test_does_not_reject() -> None:
    random = np.random.default_rng(1)
    moved, distances = random.normal(-1, 1, 30), random.normal(3, 1, 30)
    effect = fieller(moved, distances)
    for end in (effect.low, effect.high):
        assert stats.ttest_1samp(moved - end * distances, 0).pvalue == pytest.approx(0.05, abs=1e-9)
    assert effect.value == pytest.approx(moved.mean() / distances.mean())


def test_coverage_of_the_interval_of_a_ratio() -> None:
    random = np.random.default_rng(2)
    inside = 0
    for _ in range(2000):
        distances = random.exponential(1, 25) - 0.2
        moved = -0.4 * distances + random.normal(0, 0.3, 25)
        effect = fieller(moved, distances)
        inside += effect.low <= -0.4 <= effect.high
    assert 0.93 < inside / 2000 < 0.97


def test_no_distance_no_interval() -> None:
    evidence = Evidence({"original": np.arange(10.0), "exchange": np.arange(10.0)[::-1]})
    assert math.isinf(fieller(np.ones(10), evidence.distances).high)
    assert "not above" in evidence.unfit()


class Surprised(storymeter.MeanMetric):
    """Right captions win in every document but one, in which another document's captions win by far."""

    name = "surprised"
    percent = False

    def __init__(self, good: Corpus) -> None:
        self.good = {document.id: document.text for document in good}

    def document_values(self, task: Task, context: storymeter.Context) -> FloatArray:
        first = min(task.ids)
        right = [document.text == self.good[document.id] for document in task.candidates]
        return np.array(
            [own + 1e3 * (not own and k == first) for own, k in zip(right, task.ids, strict=True)]
        )


def test_a_distance_below_zero_is_no_scale(examples: Path) -> None:
    """Shares of it were negative, so that every difference was small enough ("yes") or none was ("no")."""
    ours = storymeter.read(examples / "videos/good.json")
    people = [storymeter.read(examples / f"videos/reference_{k}.json") for k in (1, 2)]
    verdicts = consistency_verdicts(ours, Run(people), metrics=[Surprised(ours)])
    found = {one.property: one for one in verdicts}
    for name in ("says the same twice", "does not depend on the order of references"):
        assert (found[name].answer, found[name].because) == ("undecided", NO_DISTANCE)


def test_a_table_of_attacks_says_whom_it_says_nothing_of(videos: tuple[Corpus, list[Corpus]]) -> None:
    """A constant is talked into nothing."""
    constant = Mapped("constant", 0, 0.7)
    found = attacks(videos[0], Run(videos[1]), metrics=[constant, "rouge_l"])
    (table,) = present(found).tables("table", None)
    assert "Says nothing of constant: right captions are not above wrong ones." in table.note
