"""Ranking by pairwise votes, against an independent maximum of the likelihood and on votes known by hand."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from rating_kit import preferences, survey, write
from scipy.optimize import minimize

import storymeter.human
from storymeter.captions import Rating
from storymeter.cli import cli
from storymeter.errors import DataError
from storymeter.human.analysis.pairwise import fit
from storymeter.report import present


def drawn(seed: int, systems: int = 4, raters: int = 12, items: int = 15, ties: bool = True) -> list[Rating]:
    rng = np.random.default_rng(seed)
    strength = np.linspace(0.9, -0.9, systems)
    out = []
    for rater in range(raters):
        for item in range(items):
            a, b = rng.choice(systems, 2, replace=False)
            odds = np.exp([strength[a], (strength[a] + strength[b]) / 2 if ties else -np.inf, strength[b]])
            value = float(rng.choice(3, p=odds / odds.sum())) - 1
            out.append(Rating(f"v{item}", f"s{a}", f"r{rater}", value, meta={"against": f"s{b}"}))
    return out


def by_optimiser(votes: list[Rating], names: list[str], ties: bool) -> np.ndarray[Any, Any]:
    """The same likelihood, vote by vote, by a general optimiser."""

    def loss(x: np.ndarray[Any, Any]) -> float:
        worth = dict(zip(names, (0.0, *x[: len(names) - 1]), strict=True))
        total = 0.0
        for vote in votes:
            a, b = math.exp(worth[vote.system]), math.exp(worth[vote.meta["against"]])
            nu = math.exp(x[-1]) if ties else 0.0
            chosen = {-1.0: a, 1.0: b, 0.0: nu * math.sqrt(a * b)}[vote.value]
            total -= math.log(chosen / (a + b + nu * math.sqrt(a * b)))
        return total

    found = minimize(loss, np.zeros(len(names) - 1 + ties), method="BFGS", options={"gtol": 1e-7}).x
    worth = np.array([0.0, *found[: len(names) - 1]])
    return worth - worth.mean()


@pytest.mark.parametrize("ties", [True, False])
def test_strengths_are_those_of_another_optimiser(ties: bool) -> None:
    votes = drawn(3, ties=ties)
    names = sorted({vote.system for vote in votes})
    wanted = dict(zip(names, by_optimiser(votes, names, ties), strict=True))
    found = {one.name: one.strength for one in fit(votes).systems}
    assert found == pytest.approx(wanted, abs=2e-5)


def test_two_systems_by_hand() -> None:
    votes = [Rating(f"v{k}", "a", f"r{k}", -1.0 if k < 30 else 1.0, meta={"against": "b"}) for k in range(40)]
    found = fit(votes)
    first, second = found.systems
    assert first.strength - second.strength == pytest.approx(math.log(30 / 10))
    assert (first.wins, first.ties, first.losses) == (30, 0, 10) and found.tie_share == 0
    assert first.interval is not None and first.interval[0] > 0 and found.clusters == (("a",), ("b",))
    tied = [*votes, *(Rating(f"t{k}", "b", f"r{k}", 0.0, meta={"against": "a"}) for k in range(20))]
    again = fit(tied)
    assert again.systems[0].strength - again.systems[1].strength == pytest.approx(math.log(3))
    assert again.systems[0].ties == 20


def test_sides_and_order_do_not_matter() -> None:
    votes = drawn(5)
    turned = [Rating(v.item, v.meta["against"], v.rater, -v.value, meta={"against": v.system}) for v in votes]
    one, other = fit(votes), fit(turned[::-1])
    assert one.systems == other.systems and one.tie_share == other.tie_share, "to the last bit"


def test_intervals_cover() -> None:
    strength = np.linspace(0.9, -0.9, 4)
    inside = total = 0
    for seed in range(60):
        for one in fit(drawn(100 + seed)).systems:
            assert one.interval is not None
            inside += one.interval[0] <= strength[int(one.name[1:])] <= one.interval[1]
            total += 1
    assert 0.9 <= inside / total <= 0.995  # bench/pairwise_coverage.py counts more


def test_raters_who_agree_with_themselves_widen_the_intervals() -> None:
    """Three raters who each always say the same are three opinions, not sixty votes."""
    said = {"r0": -1.0, "r1": -1.0, "r2": 1.0}
    votes = [
        Rating(f"v{k}", "a", r, value, meta={"against": "b"}) for k in range(20) for r, value in said.items()
    ]
    found = fit(votes)
    assert found.p[0, 1] > 0.3 and found.clusters == (("a", "b"),)


def test_votes_that_do_not_bound_a_strength() -> None:
    votes = [Rating(f"v{k}", "a", f"r{k}", -1.0, meta={"against": "b"}) for k in range(9)]
    found = fit(votes)
    assert [one.name for one in found.systems] == ["a", "b"] and found.systems[0].interval is None
    assert "half a win" in found.notes[0] and found.tie_share == 0
    gap = found.systems[0].strength - found.systems[1].strength
    assert gap == pytest.approx(math.log(9.5 / 0.5))
    apart = [*votes, Rating("v1", "c", "r1", -1.0, meta={"against": "d"})]
    with pytest.raises(DataError, match="No vote compares a, b with c, d"):
        fit(apart)


def counted(*cells: tuple[str, str, int, int, int]) -> list[Rating]:
    """Wins, ties and losses of the first of two systems."""
    return alone(
        [
            (a, b, value)
            for a, b, *counts in cells
            for value, count in zip((-1.0, 0.0, 1.0), counts, strict=True)
            for _ in range(count)
        ]
    )


@pytest.mark.parametrize("cell", [("a", "b", 73, 7, 0), ("a", "b", 6, 3, 0), ("a", "b", 0, 9, 0)])
def test_wins_and_ties_without_a_loss_bound_nothing(cell: tuple[str, str, int, int, int]) -> None:
    found = fit(counted(cell))
    first, second = found.systems
    assert first.interval is None and math.isnan(found.p[0, 1]) and math.isnan(found.tie_share)
    assert found.clusters == (("a", "b"),)
    assert first.strength - second.strength == pytest.approx(math.log((cell[2] + 0.5) / 0.5), abs=1e-6)
    assert "do not bound" in found.notes[0]


def test_a_chain_of_three_without_upset() -> None:
    """Ties of neighbours only let strengths and t grow together; ties of the ends do not."""
    chain = [("a", "b", 5, 5, 0), ("b", "c", 5, 5, 0)]
    assert fit(counted(*chain, ("a", "c", 9, 0, 0))).systems[0].interval is None
    assert fit(counted(*chain, ("a", "c", 7, 2, 0))).systems[0].interval is not None


def test_one_who_wins_all_takes_no_test_from_the_others() -> None:
    rest = [("low", "mid", 14, 6, 34)]
    found, alone_ = (
        fit(counted(*rest, ("low", "top", 0, 0, 48), ("mid", "top", 0, 0, 48))),
        fit(counted(*rest)),
    )
    assert [one.name for one in found.systems] == ["top", "mid", "low"]
    assert found.p[1, 2] == pytest.approx(alone_.p[0, 1]) and found.p_holm[1, 2] == found.p[1, 2]
    assert found.margin[1, 2] == pytest.approx(alone_.margin[0, 1]) and found.tie_share == alone_.tie_share
    gap = [one.strength - other.strength for one, other in (found.systems[1:], alone_.systems)]
    assert gap[0] == pytest.approx(gap[1])
    assert math.isnan(found.p[0, 1]) and found.systems[0].win_share > 0.9
    assert "low, mid; top" in found.notes[0]


@pytest.mark.parametrize(("raters", "few"), [(1, True), (5, True), (6, False)])
def test_few_raters_do_not_stand_for_others(raters: int, few: bool) -> None:
    found = fit(drawn(4, raters=raters))
    assert any("does not generalise" in note for note in found.notes) is few
    assert ("hold for other raters" in str(present(found).tables("table", None)[0].note)) is not few


def test_the_command(tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    words = {-1.0: "left", 0.0: "tie", 1.0: "right"}
    lines = [f"{v.rater},{v.item},{v.system},{v.meta['against']},{words[v.value]}" for v in drawn(3)]
    path.write_text("rater,video,left,right,choice\n" + "\n".join(lines) + "\n")
    shown = CliRunner().invoke(cli, ["human", "rank", str(path)], catch_exceptions=False)
    assert (
        shown.exit_code == 0 and "Bradley-Terry" in shown.stdout and "180 votes of 12 raters" in shown.stderr
    )
    told = json.loads(CliRunner().invoke(cli, ["human", "rank", str(path), "--format", "json"]).stdout)
    found = storymeter.human.rank(path)
    assert [(s["name"], s["strength"]) for s in told["systems"]] == [
        (s.name, s.strength) for s in found.systems
    ]
    assert "read votes.csv" in told["notes"][0]


def test_a_preference_study_counts_without_raters_who_failed(tmp_path: Path) -> None:
    found = storymeter.human.rank(write(tmp_path / "p.jsonl", preferences()))
    assert found.votes == 13 and any("liar" in note for note in found.notes)
    assert {one.name for one in found.systems} == {"a", "b"}
    with pytest.raises(DataError, match="no pairwise votes"):
        storymeter.human.rank(write(tmp_path / "s.jsonl", survey()))


GOLDEN = Path(__file__).parents[2] / "golden" / "written" / "pairwise.json"


def alone(pairs: list[tuple[str, str, float]]) -> list[Rating]:
    """Votes that have nothing in common: every one by another rater, on another item."""
    return [Rating(f"v{k}", a, f"r{k}", value, meta={"against": b}) for k, (a, b, value) in enumerate(pairs)]


def test_strengths_are_those_of_choix() -> None:
    """Votes drawn and fitted by choix (tests/golden/make_pairwise.py)."""
    golden = json.loads(GOLDEN.read_text())["bradley_terry"]
    found = fit(alone([(f"s{winner}", f"s{loser}", -1.0) for winner, loser in golden["winner_loser"]]))
    strengths = {one.name: one.strength for one in found.systems}
    assert strengths == pytest.approx({f"s{k}": x for k, x in enumerate(golden["strengths"])}, abs=1e-6)


def test_strengths_and_errors_with_ties_are_those_of_statsmodels() -> None:
    """Davidson's model as a log-linear model of counts, by statsmodels (tests/golden/make_pairwise.py)."""
    golden = json.loads(GOLDEN.read_text())["davidson"]
    votes = [
        (f"s{i}", f"s{j}", value)
        for i, j, *counts in golden["first_second_wins_ties_losses"]
        for value, count in zip((-1.0, 0.0, 1.0), counts, strict=True)
        for _ in range(count)
    ]
    found = fit(alone(votes))
    for one in found.systems:
        k = int(one.name[1:])
        assert one.strength == pytest.approx(golden["strengths"][k], abs=1e-7)
        assert one.interval is not None
        half = (one.interval[1] - one.interval[0]) / 2
        assert half == pytest.approx(1.959964 * golden["errors"][k], rel=1e-5)
    tie = math.exp(golden["tie"])
    assert found.tie_share == pytest.approx(tie / (2 + tie), abs=1e-7)
