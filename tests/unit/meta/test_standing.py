"""Ranks, wins and losses over benchmarks, and the advice that follows from them."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import storymeter
from storymeter import registry
from storymeter.measure import Named, TrainingData, measure
from storymeter.meta import overall_ranking
from storymeter.meta.choices import choice_contest, choice_results, segment_contest
from storymeter.meta.overall_ranking import Contest, Figure, Outcome, advice, cost_of, standings
from storymeter.meta.records import Benchmark, Choice
from storymeter.meta.scores import Judgement, MetricValues, captions_task, join_scores, tabulate
from storymeter.meta.statistics import segment_level

Run = Callable[..., tuple[int, str, str]]


def contest(benchmark: str, values: dict[str, float], *wins: tuple[str, str]) -> Contest:
    figures = {name: Figure(value) for name, value in values.items()}
    return Contest(benchmark, benchmark, "pearson", figures, [Outcome(a, b, 0.001) for a, b in wins])


@pytest.fixture(autouse=True)
def seen(monkeypatch: pytest.MonkeyPatch) -> None:
    known = {"y": TrainingData("the third", ("three",))}
    monkeypatch.setattr(
        overall_ranking, "training_data_of", lambda name: known.get(name, TrainingData("nothing"))
    )


def test_the_rule() -> None:
    found = standings(
        [
            contest("one", {"x": 0.9, "y": 0.5, "z": 0.5}, ("x", "y"), ("x", "z")),
            contest("two", {"x": 0.4, "y": 0.7, "z": 0.1}, ("y", "x"), ("y", "z"), ("x", "z")),
            contest("three", {"x": 0.2, "y": 0.9, "z": math.nan}, ("y", "x")),
        ]
    )
    assert [(s.metric, s.wins, s.losses) for s in found] == [("x", 3, 1), ("y", 2, 1), ("z", 0, 3)]
    # y has learnt from the third: it takes no rank from x there, and its own does not count
    assert found[0].ranks == {"one": 1, "two": 2, "three": 1}
    assert found[1].ranks == {"one": 2.5, "two": 1, "three": 1}
    assert found[1].learnt == {"three"} and found[1].mean_rank == 1.75
    assert found[0].uncounted == (("y", "three"),) and found[0].beaten == (("y", "two"),)
    said = advice(found, 3)
    assert said.startswith("Recommended first: `x`. Over 3 benchmarks it wins 3 comparisons")
    assert "Also consider `y`, which is significantly better on two." in said
    assert said.endswith(
        "`y` is ahead of it on three, but data of this benchmark, or closely related data, were used to train"
        " or tune it."
    )


def test_what_correction_takes_away_is_no_win() -> None:
    figures = {"x": Figure(0.5), "y": Figure(0.4)}
    many = [Contest(str(k), "", "pearson", figures, [Outcome("x", "y", 0.5)]) for k in range(40)]
    lucky = Contest("lucky", "", "pearson", figures, [Outcome("x", "y", 0.02)])
    assert [s.wins for s in standings([lucky])] == [1, 0]
    assert [s.wins for s in standings([lucky, *many])] == [0, 0]


def test_wins_that_holm_leaves_are_stated_beside() -> None:
    """Twenty differences of p .03 are wins at a false discovery rate of .05, and none of them is sure."""
    figures = {"x": Figure(0.5), "y": Figure(0.4)}
    found = standings([Contest(str(k), "", "pearson", figures, [Outcome("x", "y", 0.03)]) for k in range(20)])
    assert (found[0].wins, found[0].certain_wins) == (20, 0)
    assert "it wins 20 comparisons with other metrics and loses 0" in advice(found, 20)
    assert "0 wins are left under Holm's correction" in advice(found, 20)


def test_the_cost_stands_beside_the_advice() -> None:
    found = standings([contest("one", {"sts": 0.9, "meteor": 0.5}, ("sts", "meteor"))])
    said = advice(found, 1)
    assert "It needs a model that reads every sentence; the best that needs no model is `meteor`." in said
    assert [cost_of(name) for name in ("judge(model=m,endpoint=http://x/v1)", "facts", "bleu_4")] == [
        "requests",
        "model",
        "words",
    ]


def test_pairs_count_by_category() -> None:
    """Nine pairs of one category weigh as much as one of another."""
    choices = tuple(Choice(f"a\t{k}", f"b\t{k}", "many" if k else "one") for k in range(10))
    task = captions_task([(f"{side}\t{k}", "x", ["y"]) for k in range(10) for side in "ab"])
    benchmark = Benchmark("pairs", "Pairs", task, (), "", ("pairs",), (), "accuracy", choices=choices)
    right = {("a", str(k)): 1.0 for k in range(10)} | {("b", str(k)): 0.0 for k in range(10)}
    only_one = {key: value if key[1] == "0" else -value for key, value in right.items()}
    values = {"cider": MetricValues(right), "cider_d": MetricValues(right), "one": MetricValues(only_one)}
    results = choice_results(choices, values, resamples=50)
    assert [r.accuracy for r in results if r.category == "mean"] == [1.0, 1.0, 0.5]
    assert all(r.interval is not None for r in results if r.category == "mean")
    found = choice_contest(benchmark, values, results, permutations=500)
    assert list(found.figures) == ["cider", "one"]
    (test,) = found.tests
    assert (test.better, test.worse) == ("cider", "one") and test.p == pytest.approx(2**-9, abs=0.01)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A TRECVID year of one system, eight captions that get worse, and Pascal-50S of four pairs."""
    import json

    folder = tmp_path / "da/trecvid_vtt/multiple-annotator/2016"
    for part in ("references", "systems"):
        (folder / part).mkdir(parents=True)
    words = ["a", "man", "rides", "a", "brown", "horse", "over", "the", "green", "hills"]
    (folder / "references/ref").write_text("\n".join([" ".join(words)] * 8))
    lines = [" ".join(words[: 10 - k] + ["x"] * k) for k in range(8)]
    (folder / "systems/run.one").write_text("\n".join(lines))
    rows = [f"one,{k + 1},{80 - k},{1 - k / 4},20" for k in range(8)]
    (folder / "ad-seg-scores-en-en.csv").write_text("\n".join(["SYS,SID,RAW.SCR,Z.SCR,N", *rows]))
    pairs = tmp_path / "metaeval/pascal50s"
    pairs.mkdir(parents=True)
    row = {"captions": ["a dog runs", "a cat sits"], "preferred": 0, "references": ["a dog runs fast"]}
    texts = [json.dumps({"category": c, **row}) for c in ("HC", "HI", "HM", "MM")]
    (pairs / "pairs.jsonl").write_text("\n".join(texts))
    return tmp_path


def test_the_card(run: Run, data: Path, tmp_path: Path) -> None:
    out, page, kept = tmp_path / "card.md", tmp_path / "card.html", tmp_path / "kept"
    arguments = ["meta", "report-card", "--data", str(data), "-m", "meteor,bleu_1,words", "--resamples", "20"]
    arguments += ["--out", str(out), "--html", str(page), "--keep", str(kept), "--date", "2026-01-01"]
    code, _, err = run(*arguments)
    assert code == 0, err
    first = out.read_text()
    assert (
        first.index("## Which metric to trust")
        < first.index("| metric | mean rank")
        < first.index("<details")
    )
    assert "(card.svg)" in first and (tmp_path / "card.svg").read_text().startswith("<svg xmlns=")
    assert "training or tuning data" in first and "Recommended first: `" in first
    assert page.read_text().count("<details") >= 3 and "<svg" in page.read_text()
    files = sorted(kept.iterdir())
    assert len(files) == 6
    changed = files[0].read_text().replace('"key":"', '"key":"older')
    files[0].write_text(changed)
    assert run(*arguments, "--force")[0] == 0 and out.read_text() == first
    assert files[0].read_text() != changed  # values of another version are made anew


def test_equal_values_of_a_family_take_part_once() -> None:
    """Metrics of other families that noticed every pair had no rank."""
    from storymeter.meta.choices import distinct

    columns = {"bleu_1": np.ones(3), "bleu_2": np.ones(3), "bleu_3": np.zeros(3), "sts": np.ones(3)}
    assert distinct(columns) == ["bleu_1", "bleu_3", "sts"]


def test_documents_quote_the_card() -> None:
    """The advice in the page of semantic metrics is the card's, word for word."""
    root = Path(__file__).resolve().parents[3]
    card = (root / "docs/report-card.md").read_text(encoding="utf-8")
    said = card.split("## Which metric to trust\n\n")[1].split("\n")[0]
    assert said.startswith("Recommended first: `")
    for page in ("docs/semantic.md",):
        assert said in (root / page).read_text(encoding="utf-8"), page


def test_a_metric_that_does_not_vary_is_last() -> None:
    """A constant cannot be tested, so it has no losses; that is no merit."""
    values = {"x": 0.9, "random": 0.01, "constant": math.nan}
    figures = {name: Figure(value) for name, value in values.items()}
    tests = [Outcome("x", "random", 0.001), Outcome("x", "constant", math.nan)]
    found = standings([Contest("one", "one", "pearson", figures, tests)])
    assert [s.metric for s in found] == ["x", "random", "constant"]
    assert found[-1].ranks == {"one": 3} and found[0].wins == 1


@pytest.mark.parametrize("headline", ["pearson", "auc"])
def test_a_constant_wins_nothing_on_captions(headline: str) -> None:
    """The z-scores of .7 were the rounding of its mean, and won against every other metric. Where people say
    right or wrong, its AUC is one half, and that of noise less."""
    dice = random.Random(2)
    human = [dice.random() for _ in range(60)]
    if headline == "auc":
        human = [float(value > 0.5) for value in human]
    judged = [Judgement(f"s{k % 3}", f"i{k // 3}", value) for k, value in enumerate(human)]
    keys = [(one.system, one.item) for one in judged]
    values = {
        "constant": dict.fromkeys(keys, 0.7),
        "noise": {key: dice.random() - 0.2 * one.value for key, one in zip(keys, judged, strict=True)},
        "right": {key: one.value + 0.1 * dice.random() for key, one in zip(keys, judged, strict=True)},
    }
    known = {name: MetricValues(found) for name, found in values.items()}
    scores = join_scores(tabulate(judged), known)
    benchmark = Benchmark("one", "One", captions_task([]), tuple(judged), "", (), (), headline)
    results = [segment_level(scores, name, resamples=0) for name in values]
    standing = standings([segment_contest(benchmark, scores, results, permutations=200)])
    assert [(s.metric, s.wins, s.losses) for s in standing] == [
        ("right", 1, 0),
        ("noise", 0, 1),
        ("constant", 0, 0),
    ]


def test_a_constant_wins_nothing_on_pairs() -> None:
    """It reaches one half by ties alone; one that is worse than chance knows more."""
    pairs = [Choice(f"s\tb{k}", f"s\tw{k}", "all") for k in range(40)]
    keys = [("s", f"{side}{k}") for side in "bw" for k in range(40)]
    values = {
        "constant": dict.fromkeys(keys, 0.7),
        "wrong": {key: float(key[1][0] == "w") for key in keys},
        "right": {key: float(key[1][0] == "b") for key in keys},
    }
    known = {name: MetricValues(found) for name, found in values.items()}
    task = captions_task([])
    benchmark = Benchmark("one", "One", task, (), "", ("pairs",), (), "accuracy", choices=tuple(pairs))
    found = choice_contest(benchmark, known, choice_results(pairs, known, resamples=0), permutations=500)
    standing = standings([found])
    assert [s.metric for s in standing] == ["right", "wrong", "constant"]
    assert standing[-1].wins == 0 and standing[-1].ranks == {"one": 3}


def test_variants_of_a_metric_do_not_add_wins_or_losses() -> None:
    plain = standings([contest("one", {"x": 0.9, "sts": 0.5}, ("x", "sts"))])
    values = {"x": 0.9, "sts": 0.5, "sts(engine=align)": 0.4, "bleu_1": 0.2, "bleu_4": 0.1}
    wins = [("x", name) for name in values if name != "x"]
    wins += [("sts", "sts(engine=align)"), ("bleu_1", "bleu_4"), ("sts", "bleu_1"), ("sts", "bleu_4")]
    found = {s.metric: s for s in standings([contest("one", values, *wins)])}
    assert found["x"].wins == {s.metric: s for s in plain}["x"].wins + 1  # one for all of BLEU
    assert (found["sts"].wins, found["sts"].losses) == (1, 1)
    assert (found["sts(engine=align)"].wins, found["sts(engine=align)"].losses) == (0, 1)
    assert found["bleu_4"].losses == 2
    # nor ranks: whoever adds weaker variants of a metric moves no other one
    ranked = {s.metric: s.ranks for s in standings([contest("one", {"x": 0.9, "sts": 0.5, "bleu_1": 0.2})])}
    assert ranked == {"x": {"one": 1}, "sts": {"one": 2}, "bleu_1": {"one": 3}}
    assert {name: found[name].ranks for name in ranked} == ranked
    assert found["sts(engine=align)"].ranks == {"one": 2} and found["bleu_4"].ranks == {"one": 3}


def test_variants_of_a_metric_do_not_move_the_correction() -> None:
    """Thirty weak variants made a win at .04 of two others significant, and took their Holm wins away."""
    figures = {"x": Figure(0.9), "y": Figure(0.8), "z": Figure(0.7), "mine": Figure(0.1)}
    tests = [Outcome("x", "y", 0.04), Outcome("x", "z", 0.012), Outcome("y", "z", 0.3)]
    tests += [Outcome(one, "mine", 0.02) for one in "xyz"]

    def wins(variants: int, p: float) -> dict[str, tuple[int, int, int]]:
        names = [f"mine(seed={k})" for k in range(variants)]
        more = [Outcome(one, name, p) for name in names for one in "xyz"]
        listed = {**figures, **{name: Figure(0.05) for name in names}}
        found = standings([Contest("one", "one", "pearson", listed, tests + more)])
        return {s.metric: (s.wins, s.certain_wins, s.losses) for s in found if s.metric in figures}

    assert wins(30, 1e-6) == wins(30, 0.9) == wins(0, 0.5)


@measure(Named("lengths", "words"), Named("lengths_b", "letters"))
@dataclass(frozen=True)
class Lengths(storymeter.MeanMetric):
    def document_values(self, task: Any, context: storymeter.Context) -> Any:
        return np.ones(len(task))


def test_names_of_one_class_of_a_plugin_are_a_family(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each further name of a researcher's own metric brought the others wins."""
    points = [
        EntryPoint(name, f"{__name__}:Lengths", "storymeter.metrics") for name in ("lengths", "lengths_b")
    ]
    monkeypatch.setattr(registry, "_plugins", lambda what: tuple(points))
    overall_ranking._plugged.cache_clear()
    values = {"x": 0.9, "lengths": 0.5, "lengths_b": 0.4}
    found = standings(
        [contest("one", values, ("x", "lengths"), ("x", "lengths_b"), ("lengths", "lengths_b"))]
    )
    overall_ranking._plugged.cache_clear()
    assert [(s.metric, s.wins, s.losses) for s in found] == [
        ("x", 1, 0),
        ("lengths", 0, 1),
        ("lengths_b", 0, 1),
    ]
    assert found[2].ranks == {"one": 2}


@pytest.mark.parametrize("variants", [1, 12])
def test_many_variants_of_a_metric_that_is_no_better_win_nothing(variants: int) -> None:
    """The best of them is chosen on the benchmark: without Bonferroni's correction it won in every tenth card
    with 30 variants, where every metric is as good as the others.
    """
    rng, won, cards = np.random.default_rng(11), 0, 60
    for _ in range(cards):
        contests = []
        for name in ("one", "two", "three", "four", "five"):
            own = rng.normal() + rng.normal(size=variants)
            found = {f"rival{k}": value for k, value in enumerate(rng.normal(size=6))}
            found |= {f"mine(seed={k})": value / math.sqrt(2) for k, value in enumerate(own)}
            tests = [
                Outcome(*((a, b) if found[a] > found[b] else (b, a)), math.erfc(abs(found[a] - found[b]) / 2))
                for a, b in itertools.combinations(found, 2)
            ]
            figures = {key: Figure(value) for key, value in found.items()}
            contests.append(Contest(name, name, "pearson", figures, tests))
        won += any(s.wins for s in standings(contests) if s.metric.startswith("mine"))
    assert won <= 2, won
