"""Saved runs on the command line: score --save and --into, compare, show, meta."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from storymeter.pairs import sentences

Verb = Callable[..., tuple[int, str, str]]


@pytest.fixture
def saved(run: Verb, examples: Path, tmp_path: Path) -> str:
    videos, target = examples / "videos", tmp_path / "run.smr"
    files = [str(videos / f"{name}.json") for name in ("good", "padded")]
    references = ["-r", str(videos / "reference_1.json"), "-r", str(videos / "reference_2.json")]
    code, _, said = run(
        "score", *files, *references, "-m", "soda_c,anet(scorer=meteor),words", "--save", str(target)
    )
    assert code == 0 and "Saved:" in said
    return str(target)


def test_compare_and_show_need_no_files(
    run: Verb, saved: str, examples: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    videos = examples / "videos"
    files = [str(videos / f"{name}.json") for name in ("good", "padded")]
    references = ["-r", str(videos / "reference_1.json"), "-r", str(videos / "reference_2.json")]
    fresh = run("compare", *files, *references, "-m", "soda_c", "--format", "json")
    shown = run("show", "pancakes", files[1], *references)
    monkeypatch.setattr(sentences.PairTable, "_score", lambda *_: pytest.fail("a pair was scored"))
    assert run("compare", saved, "-m", "soda_c", "--format", "json")[:2] == fresh[:2]
    assert run("show", "pancakes", saved, "--system", "padded")[:2] == shown[:2]
    code, out, _ = run("score", saved, "--format", "json")
    assert code == 0
    assert [s["name"] for s in json.loads(out)["systems"]] == ["good", "padded"]


def test_into_scores_the_new_system_only(
    run: Verb, saved: str, examples: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    new = str(examples / "videos" / "disordered.json")
    scored: list[int] = []
    real = sentences.PairTable._score
    monkeypatch.setattr(
        sentences.PairTable,
        "_score",
        lambda self, keys, *rest: (scored.append(len(keys)), real(self, keys, *rest))[1],
    )
    code, out, _ = run("score", new, "--into", saved, "--format", "json")
    assert code == 0
    assert [s["name"] for s in json.loads(out)["systems"]] == ["good", "padded", "disordered"]
    into = sum(scored)
    scored.clear()
    videos = examples / "videos"
    references = ["-r", str(videos / "reference_1.json"), "-r", str(videos / "reference_2.json")]
    alone = run("score", new, *references, "-m", "soda_c,anet(scorer=meteor),words", "--format", "json")
    assert into == sum(scored) > 0
    assert json.loads(out)["systems"][2] == json.loads(alone[1])["systems"][0]
    assert run("score", new, "--into", saved)[0] == 2, "it is there already"


def test_meta_reads_a_saved_run(run: Verb, saved: str, tmp_path: Path) -> None:
    human = tmp_path / "human.csv"
    lines = ["system,item,score"]
    for k, item in enumerate(("pancakes", "guitar", "fence", "planting", "frisbee")):
        lines += [f"good,{item},{80 + k}", f"padded,{item},{40 - k}"]
    human.write_text("\n".join(lines))
    code, out, _ = run("meta", "agree", saved, "--human", str(human), "--format", "json")
    assert code == 0
    assert "soda_c" in out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ["score", "{new}", "--into", "{run}", "-m", "meteor"],
            "With --into, --metric comes from the saved run",
        ),
        (["score", "{new}", "--into", "{run}", "-r", "{new}"], "With --into, --references comes from"),
        (["score", "{new}", "--into", "{run}", "--save", "other.smr"], "--into adds"),
        (["score", "{new}", "--save", "run.json"], ".smr"),
        (["score", "{run}", "--save", "other.smr"], "scored already"),
        (["compare", "{run}", "{new}"], "its own captions and references"),
        (["compare", "{run}", "-m", "meteor"], "no scores of meteor"),
        (["show", "pancakes", "{run}", "--system", "god"], "no system 'god'"),
        (["show", "pancake", "{run}"], "no document 'pancake'"),
        (["show", "pancakes", "{run}", "-m", "words"], "no matching"),
        (["show", "pancakes", "{new}", "--system", "good"], "saved run"),
    ],
)
def test_wrong_usage(run: Verb, saved: str, examples: Path, arguments: list[str], said: str) -> None:
    new = str(examples / "videos" / "disordered.json")
    code, _, errors = run(*(a.format(new=new, run=saved) for a in arguments))
    assert code in (1, 2)
    assert said in errors
