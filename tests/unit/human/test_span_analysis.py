"""Error spans: thirty simulated raters recover the planted profile of three systems; agreement, controls,
words.
"""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import msgspec
import pytest
from human_kit import Layout, named
from rating_kit import run, write
from rehearsal_kit import FACTS, KINDS, World, markers, profiled

from storymeter.captions import Rating
from storymeter.errors import UsageError
from storymeter.human.analysis.span_records import (
    KINDS as USUAL,
    Span,
    marks,
    meta_of,
    read_labels,
    to_jsonl,
    word_labels,
)
from storymeter.human.analysis.spans import SpanStudy, analyse_spans
from storymeter.human.study.spans import _kinds
from storymeter.report import present

#: how often each system is wrong about the person, the action, the object and the place
PLANTED = {
    "alpha": (0.05, 0.10, 0.30, 0.15),
    "beta": (0.10, 0.45, 0.15, 0.05),
    "gamma": (0.60, 0.30, 0.45, 0.50),
}


@pytest.fixture(scope="module", params=[1, 2, 3])
def there(request: pytest.FixtureRequest) -> World:
    return profiled(60, PLANTED, request.param)


@pytest.fixture(scope="module")
def records(there: World) -> list[Rating]:
    return markers(there, 30, layout=Layout(system=4), seed=5)


@pytest.fixture(scope="module")
def study(records: list[Rating]) -> SpanStudy:
    return analyse_spans(records, splits=0)


def planted(there: World) -> dict[str, dict[str, float]]:
    """Errors per caption by system and kind, as they were put in."""
    return {
        corpus.name: {
            kind: (
                sum(
                    any(word in known and word != there.facts[d.id][k] for word in d.text.split())
                    for d in corpus
                )
                / len(corpus)
            )
            for k, (kind, known) in enumerate(zip(KINDS, FACTS, strict=True))
        }
        for corpus in there.systems
    }


def test_thirty_raters_recover_the_planted_profile(there: World, study: SpanStudy) -> None:
    truth, profiles = planted(there), {one.system: one for one in study.profiles}
    assert [one.system for one in study.profiles if one.system in PLANTED] == ["alpha", "beta", "gamma"]
    scored = [s.name for s in study.analysis.ranking.systems if s.name in PLANTED]
    assert scored == ["alpha", "beta", "gamma"]
    compared = 0
    for kind in KINDS:
        for one, other in itertools.permutations(PLANTED, 2):
            if truth[one][kind] - truth[other][kind] >= 0.05:
                compared += 1
                assert profiles[one].kinds[kind] > profiles[other].kinds.get(kind, 0.0), (kind, one, other)
    for system in PLANTED:
        order = sorted(KINDS, key=lambda kind: -truth[system][kind])
        found = [kind for kind in profiles[system].kinds if kind in KINDS]
        assert found[0] == order[0]
        for kind in KINDS:
            assert profiles[system].kinds.get(kind, 0.0) == pytest.approx(
                0.85 * truth[system][kind], abs=0.06
            )
    assert compared >= 8


def test_everybody_who_looks_is_believed_and_agrees(study: SpanStudy) -> None:
    assert all(one.believed and one.found >= 5 for one in study.raters) and len(study.raters) == 30
    assert study.analysis.quality.accepted.sum() >= 29
    assert study.agreement.f1 is not None and 0.5 < study.agreement.f1 < 0.95
    assert study.agreement.alpha is not None and study.agreement.alpha > 0.4


def test_who_does_not_find_planted_errors_is_not_believed(records: list[Rating]) -> None:
    blind = [
        msgspec.structs.replace(one, meta={**one.meta, "spans": []}) if one.rater == "m003" else one
        for one in records
    ]
    found = analyse_spans(blind, splits=0)
    assert [one.rater for one in found.raters if not one.believed] == ["m003"]
    assert any("m003 (0 of" in note for note in found.notes)
    assert "m003" not in found.analysis.used.rater.to_list()
    # every rater is counted, and the work of all
    told = {worker.id: worker for worker in found.analysis.quality.workers}
    assert len(told) == 30 and told["m003"].reason.startswith("marked 0 of 10 planted errors")
    assert found.analysis.hits == 30 and "30 raters" in present(found).summary[0]
    everybody = analyse_spans(blind, splits=0, accept="all")
    assert "m003" in everybody.analysis.used.rater.to_list()


def judged(rater: str, *spans: Span, text: str = "a dog runs in a park") -> Rating:
    return Rating("v", "s", rater, 50.0, criterion="spans", meta=meta_of(text, spans, ""))


def test_agreement_by_hand() -> None:
    from storymeter.human.analysis.spans import _agreement

    dog, runs = Span(2, 5, "major", "object"), Span(6, 10, "minor", "action")
    found, per = _agreement([judged("a", dog, runs), judged("b", Span(2, 5, "minor", "person"))])
    # a marks two words, b one of them: F1 = 2 · 1 / 3; half of it where the severity differs
    assert found.f1 == pytest.approx(2 / 3) and found.f1_severity == pytest.approx(1 / 3)
    assert per["a"] == [1.0, 2.0, 1.0] and per["b"] == [1.0, 1.0, 2.0]
    assert marks(judged("a", dog, runs)).tolist() == [0, 2, 1, 0, 0, 0]
    assert marks(judged("a", Span(3, 8, "minor", "other"))).tolist() == [0, 1, 1, 0, 0, 0], "words in part"
    nobody, _ = _agreement([judged("a"), judged("b")])
    assert nobody.f1 is None and nobody.captions == 1


@pytest.mark.parametrize("there", [1], indirect=True)
def test_labels_of_words_go_out_and_come_back(records: list[Rating], tmp_path: Path) -> None:
    labels = word_labels(records)
    (tmp_path / "words.jsonl").write_text(to_jsonl(labels))
    assert read_labels(tmp_path / "words.jsonl") == labels
    assert all(word.text == one.text[word.start : word.end] for one in labels for word in one.words)
    assert all(0 <= word.major <= word.wrong <= 1 for one in labels for word in one.words)
    assert not any(one.raters == 0 for one in labels)


@pytest.mark.parametrize("there", [1], indirect=True)
def test_the_verb_analyses_spans(records: list[Rating], tmp_path: Path) -> None:
    path = write(tmp_path / "spans.jsonl", records)
    table = run(path, "--splits", 0, "--words", tmp_path / "words.jsonl", "--html", tmp_path / "page.html")
    assert table.exit_code == 0, table.output
    assert "Kinds of errors" in table.stdout and "Raters: controls and agreement" in table.stdout
    assert "Agreement on the words of" in table.stderr
    assert len(read_labels(tmp_path / "words.jsonl")) > 200
    assert "Errors in the captions" in (tmp_path / "page.html").read_text()
    told = json.loads(run(path, "--splits", 0, "--format", "json").stdout)
    assert told["task"] == "spans" and told["spans"]["profiles"][0]["system"] == "people"
    assert {s["name"] for s in told["systems"]} == {"people", *PLANTED}
    csv = run(path, "--splits", 0, "--captions", "-").stdout
    assert csv.startswith("SYS,SID,RAW.SCR,Z.SCR,N") and len(csv.splitlines()) > 200


def test_words_are_for_span_studies_only(tmp_path: Path) -> None:
    from rating_kit import campaign

    from storymeter.errors import DataError

    done = run(write(tmp_path / "r.jsonl", campaign()), "--words", tmp_path / "w.jsonl")
    assert isinstance(done.exception, DataError) and not (tmp_path / "w.jsonl").exists()


def test_an_omission_is_a_mark_behind_the_text() -> None:
    """By hand: one of two raters says that something is missing, which is no word of the caption."""
    page = {"caption": "a dog runs", "kinds": list(USUAL)}
    behind = {"start": 10, "end": 10, "severity": "major", "kind": "missing"}
    word = {"start": 2, "end": 5, "severity": "minor", "kind": "object"}
    check = named("spans").validate_answer
    given = check(page, {"value": 40, "spans": [behind, word]})
    assert given is not None and json.loads(given)["spans"] == [word, behind]
    for bad in (
        [behind, behind],
        [{**behind, "start": 9}],
        [{**behind, "kind": "object"}],
        [{**word, "kind": "missing"}],
    ):
        assert check(page, {"value": 40, "spans": bad}) is None, bad
    said = [
        Rating("v1", "a", rater, value, criterion="spans", meta=meta_of(page["caption"], spans, ""))
        for rater, value, spans in (
            ("r1", 40.0, [Span(**word), Span(**behind)]),
            ("r2", 60.0, [Span(**word)]),
        )
    ]
    found = analyse_spans(
        [*said, *(msgspec.structs.replace(one, item="v2", value=50.0) for one in said)], accept="all"
    )
    [profile] = found.profiles
    assert (profile.minor, profile.major, profile.weight, profile.missing) == (1.0, 0.5, 3.5, 0.5)
    assert profile.kinds == {"object": 1.0, "missing": 0.5}
    assert found.agreement.f1 == 1.0, "both marked the same words"
    with pytest.raises(UsageError, match="a mark of its own"):
        _kinds(("object", "missing"))
