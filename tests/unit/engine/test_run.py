"""A run binds once, its workbench keeps one of each thing, and its results answer without scoring again."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import storymeter
from storymeter import Corpus, MeanMetric, PairScorer, Run
from storymeter.dense import ActivityNet, Soda
from storymeter.engine import merged
from storymeter.errors import UsageError
from storymeter.metrics import FloatArray
from storymeter.report import present, render
from storymeter.stress import audit
from storymeter.text import ptb


class Shout(MeanMetric):
    """A user's own metric: how many letters are capital."""

    name = "shout"

    def document_values(self, task, bench):
        return np.array([np.mean([c.isupper() for c in d.text] or [0.0]) for d in task.candidates])


class SharedLetters(PairScorer):
    """A user's own scorer."""

    name = "letters"

    def score_indexed(
        self,
        *,
        candidates: Sequence[str],
        references: Sequence[str],
        candidate_index: np.ndarray,
        reference_index: np.ndarray,
        jobs: int = 1,
    ) -> FloatArray:
        return np.array(
            [
                len(set(candidates[c]) & set(references[r]))
                / max(1, len(set(candidates[c]) | set(references[r])))
                for c, r in zip(candidate_index, reference_index, strict=True)
            ]
        )


@pytest.fixture(scope="module")
def systems(examples: Path) -> list[Corpus]:
    return [
        storymeter.read(examples / "videos" / f"{name}.json") for name in ("good", "padded", "disordered")
    ]


@pytest.fixture(scope="module")
def references(examples: Path) -> list[Corpus]:
    return [storymeter.read(examples / "videos" / f"reference_{k}.json") for k in (1, 2)]


@pytest.fixture(scope="module")
def results(systems: list[Corpus], references: list[Corpus]) -> storymeter.Results:
    metrics = ["soda_c", "anet(scorer=meteor)", Shout(), SharedLetters(), Soda("b", scorer=SharedLetters())]
    return Run(references, jobs=1).score(systems, metrics, resamples=200)


def test_a_score_by_any_name_that_means_it(results: storymeter.Results) -> None:
    score = results["good", "anet(scorer=meteor)"]
    assert score.metric == "anet(scorer=meteor)", "a table calls it as it was asked for"
    assert score.signature.get("metric") == "anet"
    assert results["good", "anet"] is score
    assert results["good", "soda_c(refs=protocol)"] is results["good", "soda_c"]
    for key in (("good", "meteor"), ("bad", "soda_c"), ("good", "no such")):
        with pytest.raises(KeyError):
            results[key]


def test_own_metrics_and_scorers_go_all_the_way(
    results: storymeter.Results, systems: list[Corpus], references: list[Corpus], tmp_path: Path
) -> None:
    names = [score.metric for score in results.systems[0].scores]
    assert names == ["soda_c", "anet(scorer=meteor)", "shout", "letters", "soda_b(scorer=letters)"]
    found = results.compare(resamples=99)
    assert {c.metric for c in found} == set(names)
    assert "shout" in render(present(found), "markdown")
    assert "shout" in render(present(results, long=True), "latex")
    assert "shout" in render(present(results, comparisons=found), "html")
    assert json.loads(render(present(results), "json"))["systems"][0]["scores"][2]["metric"] == "shout"
    assert "percent" not in json.loads(render(present(found), "json"))["comparisons"][0]
    results.save(tmp_path / "run.smr")
    loaded = storymeter.load(tmp_path / "run.smr")
    assert render(present(loaded), "json") == render(present(results), "json")
    means = loaded.only("shout", "soda_c").compare(resamples=99)
    assert [c.p_permutation for c in means if c.metric == "shout"] == [
        c.p_permutation for c in found if c.metric == "shout"
    ], "the formula of a mean is known without its class"
    assert render(present(loaded.compare(resamples=99)), "json") == render(present(found), "json"), (
        "a scorer is a mean of documents, and SODA's formula is known without it"
    )
    whole = storymeter.load(
        tmp_path / "run.smr", metrics=[SharedLetters(), Soda("b", scorer=SharedLetters())]
    )
    assert render(present(whole.compare(resamples=99)), "json") == render(present(found), "json")
    verdicts = audit(
        systems[0], Run(references), metrics=[Shout(), Soda("c", scorer=SharedLetters())], repeats=1
    )
    assert {v.metric for v in verdicts.verdicts} == {"shout", "soda_c(scorer=letters)"}


def test_a_metric_that_takes_the_name_of_one_of_ours(systems: list[Corpus], references: list[Corpus]) -> None:
    class Words(Shout):
        name = "words"

    results = Run(references).score(systems, Words(), resamples=0)
    cells = {
        present(results, long=True).tables("table", None)[0].rows[0][2].text,
        present(results.compare()).tables("table", None)[0].rows[0][3].text,
    }
    assert cells == {f"{100 * results['good', 'words'].value:.2f}"}, "its own facts, in every table"


def test_rows_that_do_not_fit_are_refused(systems: list[Corpus]) -> None:
    class Odd(MeanMetric):
        name = "odd"
        needs_references = False

        def document_values(self, task, bench):
            return self.made(len(task))

    for made in (
        lambda n: np.zeros(n + 1),
        lambda n: np.zeros((n, 2)),
        lambda n: np.full(n, np.nan),
    ):
        metric = Odd()
        metric.made = made
        with pytest.raises(UsageError, match=r"odd \(test_run\.py, line \d+\) gave"):
            Run().score(systems[0], metric)


def test_alignment_is_the_matching_behind_the_score(systems: list[Corpus], references: list[Corpus]) -> None:
    results = Run(references).score(systems, ["soda_c", "soda_b", "soda_d", "soda_a"], resamples=0)
    task = results.task("padded")
    for variant in "cbd":
        score = results["padded", f"soda_{variant}"]
        assert list(score.alignment) == list(score.ids)
        for k, document in enumerate(score.ids):
            pairs = score.alignment[document]
            assert [p.candidate for p in sorted(pairs)] == sorted({p.candidate for p in pairs}), "one to one"
            assert all(p.product == pytest.approx(p.iou * p.f) and 0 < p.iou <= 1 for p in pairs)
            total = sum(p.f if variant == "b" else p.product for p in pairs)
            assert total / len(task.candidates[k].captions) == pytest.approx(score.rows[k, 0], abs=1e-12)
    assert results["padded", "soda_a"].alignment is None


def test_each_line_is_tokenised_once(
    systems: list[Corpus], references: list[Corpus], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []
    real = ptb.tokenize_joined
    monkeypatch.setattr(ptb, "tokenize_joined", lambda lines, **o: (seen.extend(lines), real(lines, **o))[1])
    Run(references[:1]).score(
        systems, ["soda_c", "self_bleu", "anet", "meteor", "bleu_4", "cider"], resamples=0
    )
    assert len(seen) == len(set(seen)) > 100


def test_pairs_are_scored_once_for_all_metrics_and_systems(
    systems: list[Corpus], references: list[Corpus]
) -> None:
    run, scored = Run(references, jobs=1), list[tuple[str, str]]()

    class Noted(SharedLetters):
        def score_indexed(self, **pairs: Any) -> FloatArray:
            texts = pairs["candidates"], pairs["references"]
            places = zip(pairs["candidate_index"], pairs["reference_index"], strict=True)
            scored.extend((texts[0][c], texts[1][r]) for c, r in places)
            return super().score_indexed(**pairs)

    letters = Noted()
    dense = [*(Soda(variant, scorer=letters) for variant in "cab"), ActivityNet(scorer=letters)]
    run.score(systems, dense, resamples=0)
    after_the_first = len(scored)
    run.score(systems, [*dense, Soda("b", scorer=letters, refs="merge")], resamples=0)
    assert len(scored) == len(set(scored)) == after_the_first > 0


def test_all_unknown_metrics_are_named(systems: list[Corpus]) -> None:
    with pytest.raises(UsageError, match=r"(?s)2 metrics.*sodac.*metoer"):
        Run().score(systems, ["sodac", "captions", "metoer"])


def test_frames_documents_and_notebooks(results: storymeter.Results) -> None:
    pytest.importorskip("pandas", reason="the part 'pandas' is not installed")
    frame = results.to_frame()
    assert list(frame.columns) == ["system", "metric", "value", "low", "high", "n", "signature"]
    assert len(frame) == 15
    documents = results.documents()
    assert len(documents) == 3 * 5 * 12
    assert np.mean(
        [d.value for d in documents if (d.system, d.metric) == ("good", "shout")]
    ) == pytest.approx(results["good", "shout"].value)
    assert repr(results).startswith("<Results: 3 systems x 5 metrics under paper")
    assert "<table" in results._repr_html_()


def test_runs_are_merged_only_when_they_belong_together(
    systems: list[Corpus], references: list[Corpus]
) -> None:
    run = Run(references)
    one, other = run.score(systems[0], ["soda_d", "captions"]), run.score(systems[1], ["captions"])
    both = merged([one, other])
    assert [s.name for s in both.systems] == ["good", "padded"]
    assert [m.name for m in both.metrics] == ["captions"]
    for wrong in (
        [one, one],
        [one, run.score(systems[1], "overlap")],
        [one, Run(references, protocol="soda-v1").score(systems[1], "captions")],
        [one, Run(references[:1]).score(systems[1], "captions")],
    ):
        with pytest.raises(UsageError):
            merged(wrong)


class Slow(Shout):
    """A user's own metric that takes its time."""

    name, slow = "slow", True


def test_what_is_quick_is_scored_for_all_systems_first(
    systems: list[Corpus], references: list[Corpus]
) -> None:
    heard: list[tuple[str, str]] = []
    results = Run(references).score(
        systems[:2],
        [Slow(), "rouge_l", Shout()],
        0,
        each=lambda name, score: heard.append((name, score.metric)),
    )
    names = [corpus.name for corpus in systems[:2]]
    assert heard == [(n, m) for ms in (("rouge_l", "shout"), ("slow",)) for n in names for m in ms]
    assert [[s.metric for s in system.scores] for system in results.systems] == [
        ["slow", "rouge_l", "shout"]
    ] * 2
    assert (
        storymeter.registry.metric("soda_c(scorer=sts)").slow
        and not storymeter.registry.metric("soda_c").slow
    )
