"""Raters of surveys and preference studies: items that come twice, and agreement with the others."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from human_kit import STUDIES
from rating_kit import run, write

from storymeter.captions import Corpus, Rating
from storymeter.errors import UsageError
from storymeter.human.analysis.plan import KINDS, plan
from storymeter.human.analysis.preference import analyse_preferences
from storymeter.human.analysis.story_raters import agreement, assess, consistency
from storymeter.human.analysis.survey import analyse_survey
from storymeter.human.campaign.request import CampaignRequest

SYSTEMS = ("a", "b", "c")
QUALITY = {"a": 70.0, "b": 60.0, "c": 50.0}
WORDS = [f"w{k}" for k in range(40)]


def key_of(task: str, items: int = 24, **more: Any) -> dict[str, list[Any]]:
    """The HITs of a study of three systems."""
    rng, study = random.Random(3), STUDIES[task]
    stories = {
        f"s{k:02d}": {name: tuple(" ".join(rng.sample(WORDS, 6)) for _ in range(3)) for name in SYSTEMS}
        for k in range(items)
    }
    options = CampaignRequest(systems=[Corpus((), name) for name in SYSTEMS], clips=Path(), **more)
    if task == "survey":
        lines = study.panels(stories, dict.fromkeys(stories, ()), options, rng)  # type: ignore[attr-defined]
    else:
        times: dict[str, Any] = {name: {} for name in SYSTEMS}
        lines = study.duels(stories, times, {}, options, rng)  # type: ignore[attr-defined]
    hits: dict[str, list[Any]] = {}
    for line in lines:
        hits.setdefault(line.hit, []).append(line)
    return hits


def levels(line: Any, kind: str, rng: random.Random) -> list[float]:
    """What a rater thinks of each story: `honest`, of the opposite `taste`, or by `lots` but for controls."""
    out = []
    for place, text in enumerate(line.texts):
        if place == line.foil:
            out.append(4.0)
        elif kind == "lots":
            out.append(rng.uniform(20, 100))
        else:
            usual = QUALITY[line.systems[place]]
            usual = 120 - usual if kind == "taste" else usual
            out.append(max(20.0, usual + random.Random(repr(text)).gauss(0, 12) + rng.gauss(0, 4)))
    return out


def judged(task: str, hits: dict[str, list[Any]], kinds: Sequence[str]) -> list[Rating]:
    """Each HIT by one rater, in turn."""
    out, rng, study = [], random.Random(6), STUDIES[task]
    for number, (hit, lines) in enumerate(hits.items()):
        place = number % len(kinds)
        for line in lines:
            found = levels(line, kinds[place], rng)
            if task == "survey":
                marks = [[max(1, min(5, round(1 + level / 25)))] * 3 for level in found]
                answer: dict[str, Any] = {"marks": marks, "vote": found.index(max(found))}
            else:
                answer = {"value": max(-2, min(2, round((found[1] - found[0]) / 10)))}
            common = {
                "item": line.item,
                "rater": f"r{place}",
                "hit": hit,
                "position": line.position,
                "meta": {},
            }
            out += study.judgements(line, answer, common)
    return out


@pytest.mark.parametrize("task", ["survey", "preference"])
def test_one_item_of_a_hit_comes_again_half_a_hit_later(task: str) -> None:
    study = STUDIES[task]
    for lines in key_of(task).values():
        first, last = lines[0], lines[-1]
        assert [line.kind for line in lines].count("repeat") == study.repeats(lines) == 1
        assert last.kind == "repeat" and last.pair == first.pair != "" and last.item == first.item
        assert sorted(last.texts) == sorted(first.texts) and last.texts != first.texts
        named = dict(zip(first.systems, first.texts, strict=True))
        assert named == dict(zip(last.systems, last.texts, strict=True)), "each text keeps its author"
        assert last.foil < 0 or last.texts[last.foil] == first.texts[first.foil]
        assert study.per_hit(lines) == (8 if task == "survey" else 10)
        assert not study.is_control(last)
        size = len(lines)
        for seed in range(20):
            order = study.order(size, None, random.Random(seed), 1)
            assert order is not None and sorted(order) == list(range(size))
            assert order.index(size - 1) - order.index(0) == size - size // 2
    shown = study.display_counts([line for lines in key_of(task).values() for line in lines])
    hits = key_of(task).values()
    places = sum(len(lines) - sum(map(study.is_control, lines)) * (task != "survey") - 1 for lines in hits)
    assert sum(shown.values()) == places and min(shown.values()) == 3, "second showings are not counted"


def test_the_number_of_repeats_is_the_organisers() -> None:
    def counts(**more: Any) -> list[int]:
        return [STUDIES["survey"].repeats(lines) for lines in key_of("survey", **more).values()]

    assert set(counts(repeat_per_hit=0)) == {0} and set(counts(repeat_per_hit=3)) == {3}
    assert set(counts(per_hit=4)) == {0}, "it would follow at once"
    assert set(counts(per_hit=16)) == {2}
    with pytest.raises(UsageError, match="cannot be shown a second time"):
        counts(repeat_per_hit=9)
    plain = key_of("survey", repeat_per_hit=0)["h00001"]
    order = STUDIES["survey"].order(8, None, random.Random(1))
    assert order == random.Random(1).sample(range(8), 8), "orders of campaigns without repeats are as before"
    assert all(b"kind" not in msgspec.json.encode(line) for line in plain), "and so are their keys"


@pytest.mark.parametrize("task", ["survey", "preference"])
def test_repeats_count_nowhere(task: str) -> None:
    records = judged(task, key_of(task), ["honest"] * 9)
    again = [one for one in records if one.kind == "repeat"]
    once = [one for one in records if one.kind != "repeat"]
    assert again and not any(one.criterion == "test" for one in again)
    assert {one.pair for one in again} == {one.pair for one in once if one.pair}
    if task == "survey":
        found, other = analyse_survey(records), analyse_survey(once)
        assert (found.means, found.votes, found.alphas) == (other.means, other.votes, other.alphas)
    else:
        pairs, others = (analyse_preferences(part) for part in (records, once))
        assert [(p.means, p.mean, p.p) for p in pairs] == [(p.means, p.mean, p.p) for p in others]
        assert pairs.ranking is not None and others.ranking is not None
        assert pairs.ranking.systems == others.ranking.systems
    assert [row.value for row in STUDIES[task].standings(records)] == [
        row.value for row in STUDIES[task].standings(once)
    ]


@pytest.mark.parametrize("task", ["survey", "preference"])
def test_who_agrees_with_nobody_is_left_out_and_who_has_another_taste_is_not(task: str) -> None:
    kinds = ["lots", "taste", *["honest"] * 4]
    records = judged(task, key_of(task, items=48), kinds)
    found = {one.id: one for one in assess(records).workers}
    assert all(one.tests_right == 1 for one in found.values()), "all know the controls"
    assert [name for name, one in found.items() if not one.accepted] == ["r0"]
    assert found["r0"].reason.startswith("does not agree with the other raters (r = ")
    assert found["r1"].agreement is not None and found["r1"].agreement > 0.3
    included = STUDIES[task].included(records)
    assert included["r0"].accepted is False and included["r0"].reason == found["r0"].reason
    assert STUDIES[task].verdicts(records)["r0"].accepted is True, "the controls alone"
    assert all(one.accepted for one in assess(records, gates="control").workers)


def test_gates_and_evidence_are_shown(tmp_path: Path) -> None:
    records = judged("survey", key_of("survey", items=48), ["lots", *["honest"] * 5])
    path = write(tmp_path / "s.jsonl", records)
    shown = run(path, "--html", tmp_path / "page.html")
    said = " ".join(shown.output.split())
    assert "1 rater was left out: r0 (does not agree with the other raters" in said and "r others" in said
    assert "<dt>r others</dt>" in (tmp_path / "page.html").read_text()
    quality = msgspec.json.decode(run(path, "--format", "json").stdout)["quality"]
    assert quality["gates"] == "attention" and not quality["workers"][0]["accepted"]
    assert quality["workers"][1]["repeats"] == 3 and quality["workers"][1]["consistency"] > 0.3
    kept = run(path, "--gates", "control", "--format", "json")
    assert all(one["accepted"] for one in msgspec.json.decode(kept.stdout)["quality"]["workers"])
    votes = write(tmp_path / "p.jsonl", judged("preference", key_of("preference"), ["honest"] * 6))
    told = msgspec.json.decode(run(votes, "--format", "json").stdout)
    assert [one["repeats"] for one in told["quality"]["workers"]] == [4, 4, 4, 4, 3, 3]


def test_agreement_is_silent_where_nothing_is_shared() -> None:
    hits = key_of("survey", overlap=1)
    records = judged("survey", hits, ["honest"] * len(hits))
    found = assess(records)
    assert all(one.agreement is None and one.accepted for one in found.workers)
    assert any("no story has judgements of two raters" in note for note in found.notes)


def test_campaigns_without_repeats_are_analysed_as_before() -> None:
    """Whatever raters think, only the controls decide; a sentence says so."""
    records = judged("survey", key_of("survey", items=48, repeat_per_hit=0), ["lots", *["honest"] * 5])
    found = analyse_survey(records)
    assert found.quality.gates == "control" and all(one.accepted for one in found.quality.workers)
    assert any("--gates attention" in note for note in found.notes)
    assert found.means == analyse_survey(records, gates="control").means
    asked = analyse_survey(records, gates="attention")
    assert [one.id for one in asked.quality.workers if not one.accepted] == ["r0"]


@pytest.mark.parametrize("task", ["survey", "preference"])
def test_answers_to_repeats_that_are_chance_are_left_out(task: str) -> None:
    kinds = ["lots", *["honest"] * 4]
    records = judged(task, key_of(task, items=40, repeat_per_hit=4), kinds)
    found = {one.id: one for one in assess(records, gates="repeats").workers}
    assert [name for name, one in found.items() if not one.accepted] == ["r0"]
    assert "no more alike than chance" in found["r0"].reason
    assert found["r1"].consistency_p is not None and found["r1"].consistency_p < 0.01


def test_consistency_by_hand() -> None:
    """Marks (1, 2) and (3, 5) the second time: 2 + 3 apart in this order, 4 + 1 in the other: no evidence."""
    rows = [
        Rating("s", name, "r", float(mark), kind, "grounded", "h", "h.r1")
        for kind, marks in (("system", (1, 2)), ("repeat", (3, 5)))
        for name, mark in zip("ab", marks, strict=True)
    ]
    found, p = consistency(rows, {"r": 0}, np.array([True]))
    assert found.over.tolist() == [1] and np.isnan(found.value[0]) and np.isnan(p[0]), "both orders are equal"
    turned = [msgspec.structs.replace(one, value=2.0 if one.value == 3 else one.value) for one in rows]
    turned = [msgspec.structs.replace(one, value=1.0 if one.value == 5 else one.value) for one in turned]
    found, p = consistency(turned, {"r": 0}, np.array([True]))
    assert found.value[0] == -1 and p[0] > 0.8, "the second time the other way round"
    votes = [
        Rating(f"s{k}", "a", "r", value, kind, "preference", "h", f"h.r{k}", meta={"against": "b"})
        for k, pair in enumerate([(1, 2), (-1, -1), (1, -1), (0, 2)])
        for kind, value in zip(("system", "repeat"), map(float, pair), strict=True)
    ]
    found, p = consistency(votes, {"r": 0}, np.array([True]))
    assert found.value[0] == pytest.approx(1 / 4) and p[0] == pytest.approx(4 / 8), "two of three choices"


def test_agreement_takes_the_systems_out() -> None:
    """Of two systems whose order two raters see in opposite ways, the stories' order is the same."""
    rng = np.random.default_rng(2)
    good = rng.normal(0, 1, (20, 2))
    rows = [
        Rating(
            f"s{k}",
            name,
            rater,
            good[k, side] + (2 * side - 1) * lean * 4 + rng.normal(0, 0.3),
            criterion="grounded",
        )
        for rater, lean in (("p", 1), ("q", 1), ("r", -1), ("s", 1))
        for k in range(20)
        for side, name in enumerate("ab")
    ]
    found = agreement(rows, {"p": 0, "q": 1, "r": 2, "s": 3}, np.ones(4, dtype=bool))
    assert (found.value > 0.8).all() and found.over.tolist() == [40] * 4
    assert found.root[0] == pytest.approx(36**0.5), "40 stories, 2 systems, 2 of Fisher's transformation"


def test_sequences_lend_one_story_to_a_hit() -> None:
    """A text that stands at two sequences would else tell the story that must lose."""
    for lines in key_of("survey", items=10).values():
        lent = Counter(line.donor for line in lines if line.kind != "repeat")
        assert max(lent.values()) == 1


def test_a_coin_is_rarely_right_at_nine_controls() -> None:
    for lines in key_of("preference").values():
        assert sum(map(STUDIES["preference"].is_control, lines)) == 9 and len(lines) == 20
    for lines in key_of("preference", controls=5, repeat_per_hit=0).values():
        assert len(lines) == 15, "HITs that are added to a campaign of before"


def test_plans_know_controls_and_repeats() -> None:
    for task in ("survey", "preference"):
        for lines in key_of(task).values():
            kind = KINDS[task]
            assert kind.per_hit == STUDIES[task].per_hit(lines)
            assert kind.per_hit / kind.share == pytest.approx(len(lines))
            said = dict(STUDIES[task].described(lines, None, SYSTEMS, 1))["items of a HIT"]
            assert said.startswith(f"{kind.per_hit}, ") and said.endswith("1 shown a second time")


@pytest.mark.parametrize("videos", [10, 12, 15, 18, 19, 24])
def test_no_control_is_about_a_video_that_its_hit_shows_anyway(videos: int) -> None:
    """Who remembers the texts of a HIT tells such controls; with few videos a HIT has less of both."""
    for lines in key_of("preference", videos, overlap=3).values():
        shown = {line.item for line in lines if line.foil < 0}
        controls = [line for line in lines if line.foil >= 0]
        assert len(controls) == (9 if videos >= 19 else 5)
        assert not shown & {line.item for line in controls}
        compared = sum(line.foil < 0 and line.kind != "repeat" for line in lines)
        assert compared == min(10, videos - 5)
        planned = plan(2, videos, budget=400, difference=None, task="preference", seconds=10.0, hourly=36.0)
        assert planned.pay is not None and planned.pay.seconds == pytest.approx(10.0 * len(lines))
