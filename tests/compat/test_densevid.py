"""The ActivityNet and SODA scripts' calls: equal to our protocols on submissions made for the purpose, by any
of the ways of calling."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import storymeter
from storymeter.captions import Corpus
from storymeter.compat import densevid, soda
from storymeter.engine import Run
from storymeter.errors import DataError, UsageError
from storymeter.stress import Scene, apply

VIDEOS = Path(__file__).resolve().parents[2] / "examples" / "videos"
TRUTH = [VIDEOS / "reference_1.json", VIDEOS / "reference_2.json"]
MEASURES = {
    "METEOR": "meteor",
    "CIDEr": "cider",
    "ROUGE_L": "rouge_l",
    **{f"Bleu_{n}": f"bleu_{n}" for n in range(1, 5)},
}


def values(protocol: str, said: Corpus, names: list[str]) -> dict[str, Any]:
    run = Run([storymeter.read(path) for path in TRUTH], protocol=protocol)
    return dict(zip(names, run.score_task(run.task(said), names), strict=True))


@pytest.fixture(
    scope="module",
    params=[
        ["jitter"],
        ["drop(share=0.4)", "typo(rate=0.3)"],
        ["pad(n=30)"],
        ["shuffle", "truncate(keep=0.6)", "without a video"],
    ],
    ids=str,
)
def fresh(request: pytest.FixtureRequest) -> tuple[Corpus, dict[str, Any]]:
    """A submission of the stress room, as a corpus and as its script would get it."""
    run = Run([storymeter.read(path) for path in TRUTH])
    changes = [change for change in request.param if "(" in change or change in ("jitter", "shuffle")]
    corpus = apply(changes, storymeter.read(VIDEOS / "good.json"), Scene.of(run), seed=3)
    if changes != request.param:
        corpus = Corpus(corpus.documents[1:], "fewer")
    said = {d.id: [{"sentence": c.text, "timestamp": [c.start, c.end]} for c in d.captions] for d in corpus}
    return corpus, {"version": "1.0", "results": said, "external_data": {}}


def test_eval_soda(fresh: tuple[Corpus, dict[str, Any]]) -> None:
    corpus, said = fresh
    for protocol in ("pdvc", "vidchapters"):
        assert densevid.eval_soda(said, TRUTH)["soda_c"] == pytest.approx(
            values(protocol, corpus, ["soda_c"])["soda_c"].value, abs=1e-12
        )


@pytest.mark.parametrize(("version", "protocol"), [("2018", "pdvc"), ("2021", "anet-2021")])
def test_eval_dvc_as_pdvc_calls_it(fresh: tuple[Corpus, dict[str, Any]], version: str, protocol: str) -> None:
    corpus, said = fresh
    got = densevid.eval_dvc(json_path=said, reference=TRUTH, topN=1000, version=version)
    wanted = values(protocol, corpus, [*(f"anet(scorer={m})" for m in MEASURES.values()), "localisation"])
    for theirs, ours in MEASURES.items():
        parts = wanted[f"anet(scorer={ours})"].parts
        assert got[theirs] == pytest.approx([parts[f"at_{t:g}"] for t in (0.3, 0.5, 0.7, 0.9)], abs=1e-12)
    assert np.mean(got["Recall"]) == pytest.approx(wanted["localisation"].parts["recall"], abs=1e-12)
    assert densevid.eval_dvc(said, TRUTH, True, version=version).keys() == {"Recall", "Precision"}


def test_eval_dvc_as_vidchapters_calls_it(fresh: tuple[Corpus, dict[str, Any]]) -> None:
    corpus, said = fresh
    got = densevid.eval_dvc(said, TRUTH, tious=[0.3, 0.5, 0.7, 0.9], distances=[1, 5], verbose=False)
    names = ["anet(scorer=cider)", "localisation", "start_distance"]
    wanted = values("vidchapters", corpus, names)
    assert got["CIDEr"] == pytest.approx(wanted["anet(scorer=cider)"].value, abs=1e-12)
    assert got["F1"] == pytest.approx(wanted["localisation"].value, abs=1e-12)
    assert got["F1@5s"] == pytest.approx(wanted["start_distance"].parts["f1_at_5"], abs=1e-12)
    assert "Rouge-L" in got
    assert "F1@10s" not in got


def test_eval_para(fresh: tuple[Corpus, dict[str, Any]], tmp_path: Path) -> None:
    corpus, said = fresh
    names = {
        f"para_{k}": f"paragraph_{v}" for k, v in MEASURES.items() if v not in ("bleu_1", "bleu_2", "bleu_3")
    }
    wanted = values("pdvc", corpus, list(names.values()))
    files = []
    for k, path in enumerate(TRUTH):
        content = json.loads(path.read_text(encoding="utf-8"))
        files.append(tmp_path / f"para_{k}.json")
        files[-1].write_text(json.dumps({i: " ".join(v["sentences"]) for i, v in content.items()}))
    got = densevid.eval_para(said, files)
    assert len(got) == 7
    for theirs, ours in names.items():
        assert got[theirs] == pytest.approx(wanted[ours].value, abs=1e-12), theirs
    assert got == pytest.approx(densevid.eval_para(said, TRUTH), abs=1e-15)


def test_the_class_as_its_users_call_it() -> None:
    evaluator = densevid.ANETcaptions(
        ground_truth_filenames=[str(path) for path in TRUTH],
        prediction_filename=str(VIDEOS / "good.json"),
        tious=[0.3, 0.5, 0.7, 0.9],
        max_proposals=1000,
        verbose=True,
    )
    assert set(evaluator.get_gt_vid_ids()) >= {"pancakes", "frisbee"}
    assert evaluator.check_gt_exists("pancakes")
    assert evaluator.prediction["pancakes"][0]["timestamp"] == [0, 15]
    assert "sentences" in evaluator.ground_truths[0]["pancakes"]
    evaluator.evaluate()
    assert list(evaluator.scores) == [
        *("Bleu_1", "Bleu_2", "Bleu_3", "Bleu_4", "METEOR", "ROUGE_L", "CIDEr", "Recall", "Precision")
    ]
    assert all(len(each) == 4 for each in evaluator.scores.values())
    with pytest.raises(OSError, match="ground_truth_filenames"):
        densevid.ANETcaptions()
    with pytest.raises(UsageError, match="no variant '2019b'"):
        densevid.ANETcaptions(TRUTH, VIDEOS / "good.json", variant="2019b")


def test_eval_soda_is_the_protocol_pdvc() -> None:
    """An annotator who lists a video without captions has not described it: it is not in that mean."""
    truth = [json.loads(path.read_text(encoding="utf-8")) for path in TRUTH]
    truth[1]["pancakes"] = {**truth[1]["pancakes"], "timestamps": [], "sentences": []}
    corpus = storymeter.read(VIDEOS / "good.json")
    references = [soda._inputs.references(each) for each in truth]
    wanted = Run(references, protocol="pdvc", jobs=1).score(corpus, "soda_c", 0)["good", "soda_c"].value
    assert densevid.eval_soda(VIDEOS / "good.json", truth) == {"soda_c": wanted}
    listed = densevid.eval_soda(VIDEOS / "good.json", truth)["soda_c"]
    del truth[1]["pancakes"]
    assert listed == densevid.eval_soda(VIDEOS / "good.json", truth)["soda_c"]
    with pytest.raises(DataError, match="No reference matched"):
        densevid.eval_soda(VIDEOS / "good.json", [truth[0], {"other": truth[0]["pancakes"]}])


def test_soda_in_all_its_ways() -> None:
    prediction = json.loads((VIDEOS / "good.json").read_text(encoding="utf-8"))
    truth = [json.loads(path.read_text(encoding="utf-8")) for path in TRUTH]
    data = soda.ANETCaptions.from_load_files([str(p) for p in TRUTH], str(VIDEOS / "good.json"))
    data.preprocess()
    merged = soda.ANETCaptions.from_load_files(TRUTH, VIDEOS / "good.json", multi_reference=False)
    corpus = storymeter.read(VIDEOS / "good.json")
    for preset, loaded in (("soda-v1-multi", data), ("soda-v1", merged)):
        for variant in ("a", "b", "c", "d"):
            wanted = values(preset, corpus, [f"soda_{variant}"])[f"soda_{variant}"].parts
            tious = (0.3, 0.5, 0.7, 0.9) if variant == "a" else None
            got = soda.SODA(loaded, soda_type=variant, tious=tious, scorer="Meteor").evaluate()
            assert got == {"Meteor": pytest.approx([wanted["precision"], wanted["recall"], wanted["f1"]])}
    assert soda.SODA.build_from_prediction(prediction, TRUTH).evaluate() == soda.SODA(data).evaluate()
    some = soda.SODA.build(prediction["results"], truth, ["pancakes"])
    assert some.data.gt_vids == ["pancakes"]
    assert some.evaluate() != soda.SODA(data).evaluate()
    assert soda.SODA(data, scorer="Cider").evaluate()["Cider"][2] > 0
    with pytest.raises(UsageError, match="Did you mean 'Meteor'"):
        soda.SODA(data, scorer="meteor ")
    with pytest.raises(UsageError, match="tious is empty"):
        soda.SODA(data, tious=[])


def test_soda_has_the_defaults_of_the_script() -> None:
    """Values of the public script with the same METEOR and the same tokens, to four digits."""
    padded = VIDEOS / "padded.json"
    prediction = json.loads(padded.read_text(encoding="utf-8"))

    def f1(data: soda.ANETCaptions, *arguments: Any, **options: Any) -> float:
        return round(soda.SODA(data, *arguments, **options).evaluate()["Meteor"][2], 4)

    both = soda.ANETCaptions.from_load_files(TRUTH, padded)
    assert both.multi_reference
    assert f1(both) == 0.1078
    assert f1(soda.ANETCaptions.from_prediction(TRUTH, prediction)) == 0.1078
    built = soda.SODA.build_from_prediction(prediction, TRUTH)
    assert built.data.multi_reference
    assert round(built.evaluate()["Meteor"][2], 4) == 0.1078
    assert f1(soda.ANETCaptions.from_load_files(TRUTH, padded, multi_reference=False)) == 0.1207

    one = soda.ANETCaptions.from_load_files(TRUTH[:1], padded)
    assert f1(one, "a") == f1(one, "b") == 0.1065
    assert f1(one, "c", tious=[0.9]) == 0.0739
    assert f1(one, "b", tious=[0.9]) == f1(one, "a", tious=[0.9]) == 0.0772
    at = [f1(one, "d", tious=[t]) for t in (0.0, 0.3, 0.9)]
    assert at == sorted(at, reverse=True)
    assert at[0] == 0.3724 > at[2] == 0.2788
    assert f1(one, "d", tious=[0.0, 0.9]) == pytest.approx((at[0] + at[2]) / 2, abs=1e-4)


def test_what_is_wrong_in_a_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"nowhere\.json cannot be read"):
        densevid.eval_soda(tmp_path / "nowhere.json", TRUTH)
    (tmp_path / "half.json").write_text('{"results": {')
    with pytest.raises(DataError, match="is not JSON"):
        densevid.eval_soda(tmp_path / "half.json", TRUTH)
    for events, message in (
        ([{"sentence": "a"}], "no timestamp"),
        ([{"sentence": "a", "timestamp": [1]}], r"has the times \[1\]"),
        ("text", "not a list of captions"),
    ):
        with pytest.raises(DataError, match=message):
            densevid.eval_soda({"results": {"pancakes": events}}, TRUTH)
    with pytest.raises(DataError, match="has 1 times for 2 sentences"):
        densevid.eval_soda({"v": []}, {"v": {"timestamps": [[0, 1]], "sentences": ["a", "b"]}})


@pytest.mark.parametrize(
    ("module", "options", "wanted"),
    [
        (
            "densevid",
            ["-s", "good.json", "-r", *(p.name for p in TRUTH), "--tious", "0.3", "0.5", "-v"],
            "tIoU 0.3",
        ),
        ("soda", ["-p", "good.json", "-r", *(p.name for p in TRUTH), "-m", "Meteor", "-s", "c"], "F1"),
        ("soda", ["-p", "good.json", "-r", TRUTH[0].name, "--multi_reference", "-v"], "reference videos"),
    ],
)
def test_command_lines(module: str, options: list[str], wanted: str) -> None:
    def call(arguments: list[str]) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", f"storymeter.compat.{module}", *arguments],
            cwd=VIDEOS,
            capture_output=True,
            text=True,
            timeout=200,
        )

    done = call(options)
    assert done.returncode == 0, done.stderr
    assert wanted in done.stdout
    failed = call([word.replace("good", "nowhere") for word in options])
    assert failed.returncode == 1
    assert failed.stderr.startswith("Error: nowhere.json cannot be read")
