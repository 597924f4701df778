"""Several training runs of one system."""

from __future__ import annotations

import html
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from storymeter import Corpus, Document, Run
from storymeter.arrays import FloatArray
from storymeter.captions import Caption
from storymeter.engine import Results
from storymeter.engine.gating import check, condition
from storymeter.engine.units import collapsed, satterthwaite, welch
from storymeter.errors import UsageError
from storymeter.metrics import MeanMetric
from storymeter.report import present, render, write_report
from storymeter.stats.paired import detectable

Verb = Callable[..., tuple[int, str, str]]


class Number(MeanMetric):
    """The number that a caption consists of."""

    name = "number"
    needs_references = False

    def document_values(self, task: object, bench: object) -> FloatArray:
        return np.array([float(document.text) for document in task.candidates])  # type: ignore[attr-defined]


def scored(groups: dict[str, list[FloatArray]]) -> Results:
    corpora = [
        Corpus(
            tuple(Document(f"v{i}", (Caption(repr(float(v))),)) for i, v in enumerate(values)), f"{name}/{k}"
        )
        for name, seeds in groups.items()
        for k, values in enumerate(seeds)
    ]
    results = Run().score(corpora, [Number()], 200)
    return replace(
        results, seeds={name: tuple(f"{name}/{k}" for k in range(len(s))) for name, s in groups.items()}
    )


def test_welch_is_scipys() -> None:
    from scipy.stats import ttest_ind

    a, b = [0.31, 0.33, 0.30], [0.28, 0.29, 0.27, 0.285]
    assert welch(a, b)[0] == pytest.approx(ttest_ind(a, b, equal_var=False).pvalue, rel=1e-12)
    assert welch([1.0, 1.0], [1.0, 1.0])[0] == 1.0


def test_training_runs_of_one_system_are_not_compared() -> None:
    results = scored({"a": [np.linspace(0, 1, 9), np.linspace(0.1, 1, 9)]})
    with pytest.raises(UsageError, match="There is one system"):
        results.compare()
    assert "<table" in results._repr_html_()


def test_seeds_are_one_system_with_its_mean_and_spread() -> None:
    base = np.linspace(0, 1, 50)
    results = scored({"mine": [base, base + 0.1, base + 0.2], "yours": [base - 0.4, base - 0.5]})
    one = collapsed(results)
    assert [system.name for system in one.systems] == ["mine", "yours"]
    score = one["mine", "number"]
    assert score.value == pytest.approx(0.6) and score.seeds == pytest.approx((0.5, 0.6, 0.7))
    alone = results["mine/0", "number"].interval
    assert score.interval is not None and alone is not None
    assert score.interval[1] - score.interval[0] > alone[1] - alone[0]  # training noise is in it
    (test,) = results.compare()
    assert (test.a, test.b) == ("mine", "yours") and test.difference == pytest.approx(0.55)
    assert test.p_seeds == test.p_holm == pytest.approx(welch([0.5, 0.6, 0.7], [0.1, 0.0])[0])
    assert "(s 10.00)" in render(present(one, comparisons=[test]))


def test_equal_training_runs_tell_nothing_of_other_runs() -> None:
    """Their variance is 0, and Welch's p was 0 whatever the documents say."""
    draw = np.random.default_rng(2)
    base, other = draw.normal(size=40), draw.normal(size=40)
    results = scored({"mine": [base, base], "yours": [other]})
    (test,) = results.compare()
    assert test.p_seeds is None and test.p_holm == test.p_permutation > 0.05
    shown = json.loads(render(present(collapsed(results), comparisons=[test]), "json"))
    assert {*shown["marks"]["number"].values()} == {"best", "level"}
    assert "p seeds" not in render(present([test]))
    found = check(results, "mine", "yours", [condition("number < 0")])[0]
    assert found.p > 0.01 and found.units == 40
    third = scored({"mine": [base, base], "yours": [other], "theirs": [base + 0.1, base + 0.2]})
    assert "–" in render(present(third.compare()))


def test_the_same_file_twice_is_no_second_run(run: Verb, examples: Path) -> None:
    good = str(examples / "videos" / "good.json")
    reference = ["-r", str(examples / "videos" / "reference_1.json"), "-m", "rouge_l"]
    code, _, err = run("score", "--system", f"mine={good},{good}", *reference)
    assert code == 0 and "two of its training runs have the same captions" in " ".join(err.split())
    padded = str(examples / "videos" / "padded.json")
    assert "same captions" not in run("score", "--system", f"mine={good},{padded}", *reference)[2]


def test_seeds_of_one_model_are_rarely_called_different() -> None:
    """Two runs of one model, seed deviation .5 points, many documents: as single runs .71 differ."""
    draw = np.random.default_rng(0)
    alone = over = 0
    for _ in range(60):
        base = draw.normal(0.3, 0.1, 300)
        runs = [
            [base + draw.normal(0, 0.005) + draw.normal(0, 0.02, 300) for _ in range(3)] for _ in range(2)
        ]
        results = scored({"mine": runs[0], "yours": runs[1]})
        over += results.compare(resamples=200)[0].p_holm < 0.05
        single = replace(results, systems=(results.systems[0], results.systems[3]), seeds={})
        alone += single.compare(resamples=200)[0].p_holm < 0.05
    assert over <= 8 < 25 < alone


def test_a_detectable_difference_of_seeds_is_found_as_often_as_that() -> None:
    """Four runs each: the test has six degrees of freedom, not those of the documents."""
    draw = np.random.default_rng(4)
    found, reach = 0, []
    for _ in range(400):
        a, b = draw.normal(0.24, 0.1, 4), draw.normal(0.0, 0.1, 4)
        p, variances = welch(a.tolist(), b.tolist())
        error, freedom = satterthwaite(variances)
        found += p < 0.05
        reach.append(detectable(freedom, 0.05, 0.8) * error)
    assert 0.72 < found / 400 < 0.88
    assert 0.2 < float(np.median(reach)) < 0.27


def test_the_page_of_a_report_says_the_p_of_the_test_that_is_corrected(tmp_path: Path) -> None:
    base = np.linspace(0, 1, 50)
    mine, yours = [base, base + 0.1, base + 0.2], [base - 0.4, base - 0.5]
    results = scored({"mine": mine, "yours": yours, "theirs": [base + 0.3, base + 0.35]})
    test = next(c for c in results.compare() if (c.a, c.b) == ("mine", "yours"))
    assert test.p == test.p_seeds != test.p_permutation
    write_report(results, tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert f"mine against yours: better, p = {test.p_seeds:.4f}, after Holm {test.p_holm:.4f}" in page


def test_a_report_says_what_systems_with_training_runs_are(tmp_path: Path) -> None:
    base = np.linspace(0, 1, 50)
    results = scored({"mine": [base, base + 0.1, base + 0.3], "yours": [base - 0.4, base - 0.5]})
    write_report(results, tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert f">s {np.std([0, 10, 30], ddof=1):.2f}<" in page and f">s {np.std([0, 10], ddof=1):.2f}<" in page
    assert "several training runs (mine: 3, yours: 2) are means over them; their intervals are t" in page
    assert "were tested by Welch's t-test over runs" in html.unescape(page)
    assert "where a system has training runs Welch's t-test over them" in " ".join(page.split())
    write_report(scored({"mine": [base, base], "yours": [base - 0.4]}), tmp_path / "equal.html")
    assert "Welch" not in (tmp_path / "equal.html").read_text(encoding="utf-8")


def test_seeds_on_the_command_line_and_in_saved_runs(run: Verb, examples: Path, tmp_path: Path) -> None:
    videos = examples / "videos"
    reference = ["-r", str(videos / "reference_1.json"), "-m", "soda_c"]
    (tmp_path / "mine").mkdir()
    for k, name in enumerate(("good", "disordered")):
        (tmp_path / "mine" / f"seed{k}.json").write_bytes((videos / f"{name}.json").read_bytes())
    by_folder = [str(tmp_path / "mine" / f"seed{k}.json") for k in range(2)]
    given = ["--system", f"mine={videos / 'good.json'},{videos / 'disordered.json'}"]
    saved = str(tmp_path / "run.smr")
    other = str(videos / "padded.json")
    code, out, _ = run("score", *by_folder, other, *reference, "--format", "json", "--save", saved)
    assert code == 0
    first = json.loads(out)
    assert [s["name"] for s in first["systems"]] == ["mine", "padded"]
    assert len(first["systems"][0]["scores"][0]["seeds"]) == 2
    code, out, _ = run("score", other, *given, *reference, "--format", "json")
    assert code == 0
    second = json.loads(out)
    assert second["systems"][1]["scores"][0]["value"] == first["systems"][0]["scores"][0]["value"]
    code, out, err = run("compare", saved, "--format", "json")
    assert code == 0 and "noise of training" not in err
    assert "(of training runs: this many runs)" in " ".join(run("compare", saved)[1].split())
    (test,) = json.loads(out)["comparisons"]
    assert test["p_seeds"] == first["comparisons"][0]["p_seeds"]
    code, out, err = run("compare", str(videos / "good.json"), other, *reference)
    assert code == 0 and " ".join(err.split()).count("noise of training") == 1
    assert run("score", *reference)[0] == 2
    assert run("score", "--system", "mine", *reference)[0] == 2
