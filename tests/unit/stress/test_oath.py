"""Measures that can be talked into it, like long captions, mind the order of references or change their mind
are found out; those that do not are cleared."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import judge_kit
import numpy as np
import pytest
from aiohttp import web

import storymeter
from storymeter import PairScorer
from storymeter.arrays import FloatArray
from storymeter.cache import cache_folder
from storymeter.captions import Caption, Corpus, Document
from storymeter.engine import Run
from storymeter.errors import DataError
from storymeter.meta import self_agreement
from storymeter.pairs import Meteor
from storymeter.report import present
from storymeter.stress import attacks, audit
from storymeter.stress.auditing import LENGTH, ORDER, TWICE, consistency_verdicts
from storymeter.stress.persuasion import ATTACKS, KINDS, PROPERTY, RIGHT, WRONG

Verb = Callable[..., tuple[int, str, str]]


class Scripted(PairScorer):
    """A scorer whose value of a pair is what a function says."""

    raw_text = True

    def __init__(self, name: str, of: Callable[[str, str], float]) -> None:
        self.__dict__.update(label=name, of=of)

    @property
    def name(self) -> str:
        return str(self.__dict__["label"])

    def score_indexed(self, *, jobs: int = 1, **pairs: Any) -> FloatArray:
        ours = [pairs["candidates"][k] for k in pairs["candidate_index"]]
        theirs = [pairs["references"][k] for k in pairs["reference_index"]]
        return np.array([*map(self.__dict__["of"], ours, theirs)], dtype=float)


def _shared(candidate: str, reference: str) -> float:
    ours, theirs = candidate.lower().split(), set(reference.lower().split())
    return sum(word in theirs for word in ours) / max(len(ours), 1)


@pytest.fixture(scope="module")
def captions(examples: Path) -> tuple[Corpus, Corpus]:
    folder = examples / "formats"
    return storymeter.read(folder / "coco_results.json"), storymeter.read(folder / "coco_annotations.json")


@pytest.fixture(autouse=True)
def own_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test finds the answers of another. METEOR's lists take seconds to compile: those are everybody's."""
    Meteor().open().prepare()
    folder = tmp_path / "cache"
    folder.mkdir()
    for table in Path(cache_folder()).glob("meteor-*.table"):
        (folder / table.name).symlink_to(table)
    monkeypatch.setenv("STORYMETER_CACHE", str(folder))


def test_there_are_fifty_attacks_of_ten_kinds() -> None:
    assert len(ATTACKS) == len({attack.text for attack in ATTACKS}) == len({a.name for a in ATTACKS}) == 50
    assert [sum(attack.kind == kind for attack in ATTACKS) for kind in KINDS] == [5] * 10
    assert all(
        attack.on("a cat").count("a cat") >= 1 and "{caption}" not in attack.on("x") for attack in ATTACKS
    )


def test_who_obeys_is_found_out_and_who_counts_words_is_cleared(captions: tuple[Corpus, Corpus]) -> None:
    ours, people = captions
    obeys = Scripted("obeys", lambda c, r: 1.0 if "10" in c else _shared(c, r))
    found = attacks(ours, Run(people), metrics=[obeys, Scripted("words", _shared)])
    assert found.documents == 12
    told = [attack for attack in ATTACKS if "10" in attack.text]
    assert found.successes("obeys") == told
    assert found.successes("words") == []
    value, wrong, right = (found.value("obeys", label) for label in (told[0].name, WRONG, RIGHT))
    assert value == 1.0
    assert found.lift("obeys", told[0]) == pytest.approx((1.0 - wrong) / right)
    verdicts = {verdict.metric: verdict for verdict in found.verdicts()}
    assert (verdicts["obeys"].holds, verdicts["words"].holds) == (False, True)
    assert verdicts["obeys"].because.startswith(f"{len(told)} of 50 attacks go half of the way")
    assert "(instruction, authority," in verdicts["obeys"].because
    (table,) = present(found).tables("table", None)
    assert [row[0] for row in table.rows][:10] == list(KINDS)
    assert table.rows[10][1].startswith(f"{len(told)} of 50 (")
    (each,) = present(found, long=True).tables("table", None)
    assert len(each.rows) == 50


def test_words_in_random_order_are_the_same_words(captions: tuple[Corpus, Corpus]) -> None:
    for attack in ATTACKS:
        words = attack.text.replace("{caption}", " {caption} ", 1).split()
        assert sorted(attack.shuffled(1).text.split()) == sorted(words)
        assert attack.shuffled(1) == attack.shuffled(1)
    ours, people = captions
    sense = Scripted("sense", lambda c, r: 1.0 if "answer with the best mark" in c else 0.2)
    plain, mixed = (attacks(ours, Run(people), metrics=[sense], shuffled=each) for each in (False, True))
    assert plain.successes("sense")
    assert not mixed.successes("sense")


def test_metrics_where_less_is_better_are_turned_round(captions: tuple[Corpus, Corpus]) -> None:
    class Distance(Scripted):
        higher_is_better = False

    ours, people = captions
    falls = Distance("falls", lambda c, r: 0.1 if "10" in c else 1.0)
    found = attacks(ours, Run(people), metrics=[falls])
    assert found.lift("falls", ATTACKS[4]) == pytest.approx(0.9)
    assert not found.verdicts()[0].holds


def test_timed_captions_all_carry_the_attack_and_stories_once() -> None:
    seen: list[str] = []

    def of(candidate: str, reference: str) -> float:
        seen.append(candidate)
        return 0.5

    timed = tuple(Document(k, (Caption(f"{k} one", 0, 5), Caption(f"{k} two", 5, 9))) for k in "ab")
    story = tuple(Document(k, (Caption(f"{k} one"), Caption(f"{k} two"))) for k in "ab")
    for documents, times in ((timed, 2), (story, 1)):
        seen.clear()
        corpus = Corpus(documents, "mine")
        attacks(corpus, Run(corpus), metrics=[Scripted("all", of)])
        assert {text.count("my degree") for text in seen} == {0, times}


def test_one_document_has_no_wrong_captions() -> None:
    corpus = Corpus((Document("a", (Caption("a cat"),)),), "mine")
    with pytest.raises(DataError, match="two documents"):
        attacks(corpus, Run(corpus), metrics=["meteor"])


def _steady(ours: Corpus, people: Sequence[Corpus], *scorers: Any) -> dict[tuple[str, str], bool]:
    verdicts = consistency_verdicts(ours, Run(people), metrics=scorers)
    return {(verdict.metric, verdict.property): verdict.holds for verdict in verdicts}


def test_length_order_and_a_change_of_mind_are_found_out(captions: tuple[Corpus, Corpus]) -> None:
    ours, people = captions
    second = Corpus(tuple(Document(d.id, (Caption("something else"),)) for d in ours), "second")
    dice = itertools.count()

    class First(Scripted):
        def _pairs(self, candidates: list[str], references: list[list[str]], jobs: int) -> FloatArray:
            return np.array([_shared(c, group[0]) for c, group in zip(candidates, references, strict=True)])

    found = _steady(
        ours,
        [people, second],
        Scripted("steady", _shared),
        Scripted("long", lambda c, r: len(c) / 1000),
        First("first", _shared),
        Scripted("fickle", lambda c, r: _shared(c, r) + 1e-2 * (next(dice) % 7)),
    )
    assert [found["steady", each] for each in (LENGTH, ORDER, TWICE)] == [True, True, True]
    assert (found["long", LENGTH], found["long", TWICE]) == (False, False)  # of no use: not applicable
    assert (found["first", ORDER], found["first", LENGTH]) == (False, True)
    assert not found["fickle", TWICE]


def test_the_audit_has_the_properties_for_any_metric(captions: tuple[Corpus, Corpus]) -> None:
    ours, people = captions
    again = Corpus(tuple(reversed(people.documents)), "again")
    found = audit(ours, Run([people, again]), metrics=["meteor", "bleu_4"], repeats=1)
    for name in ("meteor", "bleu_4"):
        kept = {verdict.property: verdict.holds for verdict in found.verdicts if verdict.metric == name}
        assert {PROPERTY, LENGTH, ORDER, TWICE} <= kept.keys()
        assert kept[ORDER]
        assert kept[TWICE]
        assert kept[PROPERTY]


async def _gullible(request: web.Request, body: dict[str, Any], number: int) -> web.StreamResponse:
    flattered = "best caption" in judge_kit.question(body)[0]
    return web.json_response(judge_kit.completion("10" if flattered else str(judge_kit.overlap(body))))


def test_a_judge_behind_an_endpoint_is_asked_anew_and_found_out(captions: tuple[Corpus, Corpus]) -> None:
    ours, people = captions
    with judge_kit.serving(_gullible) as server:
        name = server.judge()
        found = attacks(ours, Run(people), metrics=[name], most=4)
        assert [attack.name for attack in found.successes(name)] == ["flattery 5"]
        before = len(server.bodies)
        (verdict,) = (
            one
            for one in consistency_verdicts(ours, Run(people), metrics=[name], most=4)
            if one.property == TWICE
        )
        assert verdict.holds
        assert "asked anew: 100 % equal" in verdict.because
        sent = [judge_kit.question(body)[0] for body in server.bodies[before:]]
        right = {document.text for document in ours}
        assert sum(text in right for text in sent) == 4, "right captions were asked again"


async def _fickle(request: web.Request, body: dict[str, Any], number: int) -> web.StreamResponse:
    return web.json_response(judge_kit.completion(str((7 * number) % 11)))


def test_meta_self_says_how_a_judge_agrees_with_itself(examples: Path, run: Verb) -> None:
    files = [str(examples / "formats" / "coco_results.json"), "-r"]
    files += [str(examples / "formats" / "coco_annotations.json"), "--format", "json"]
    with judge_kit.serving(_fickle) as server:
        code, out, _ = run("meta", "self", *files, "-m", f"meteor,{server.judge()}", "--trials", "3")
        assert len(server.bodies) == 36
    meteor, judge = json.loads(out)["metrics"]
    assert code == 0
    assert (meteor["asked_anew"], judge["asked_anew"]) == (False, True)
    assert (meteor["equal"], meteor["largest"]) == (1.0, 0.0)
    assert meteor["pearson"] == pytest.approx(1.0)
    assert judge["equal"] < 1
    assert judge["largest"] > 0
    low, high = judge["pearson_interval"]
    assert low <= judge["pearson"] <= high
    assert judge["documents"] == 12


def test_agreement_with_itself_by_hand() -> None:
    marks = iter([0.1, 0.5, 0.9, 0.2, 0.5, 0.6])
    corpus = Corpus(tuple(Document(k, (Caption(k),)) for k in "abc"), "mine")
    (found,) = self_agreement([corpus], Run(corpus), metrics=[Scripted("x", lambda c, r: next(marks))])
    assert found.values.tolist() == [[0.1, 0.5, 0.9], [0.2, 0.5, 0.6]]
    assert found.means == pytest.approx((0.5, 1.3 / 3))
    assert (found.difference, found.largest) == pytest.approx((0.4 / 3, 0.3))
    assert found.equal == pytest.approx(1 / 3)
    assert found.pearson == pytest.approx(np.corrcoef(found.values)[0, 1])
    assert found.kendall_b == pytest.approx(1.0)


def test_the_verb_prints_and_writes_the_attacks(examples: Path, run: Verb, tmp_path: Path) -> None:
    folder = examples / "videos"
    files = [str(folder / "good.json"), "-r", str(folder / "reference_1.json"), "-m", "meteor,rouge_l"]
    code, out, _ = run("stress", "attacks", *files, "--most", "4", "--out", str(tmp_path / "out"))
    assert code == 0
    assert "0 of 50" in out
    assert "disguise" in out
    data = json.loads((tmp_path / "out" / "attacks.json").read_text())
    assert len(data["attacks"]) == 50
    assert data["documents"] == 4
    assert set(data["attacks"][0]["lift"]) == {"meteor", "rouge_l"}
