"""The protocols pdvc and vidchapters against what their scripts printed for real submissions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import storymeter
from storymeter.captions import Corpus
from storymeter.compat import densevid, soda
from storymeter.engine import Run
from storymeter.scores import Score

SCORERS = {
    "METEOR": "meteor",
    "CIDEr": "cider",
    "Rouge-L": "rouge_l",
    **{f"Bleu_{n}": f"bleu_{n}" for n in range(1, 5)},
}
LIMITS = {"localisation": {f"{t}": t for t in (0.3, 0.5, 0.7, 0.9)}, "start_distance": {}}
LIMITS["start_distance"] = {f"{d}s": d for d in (1, 3, 5, 10, 30, 60)}


@pytest.fixture(scope="module")
def corpora(data: Path) -> tuple[Corpus, list[Corpus]]:
    folder = data / "anet"
    return storymeter.read(folder / "bmt_val_1.json"), [
        storymeter.read(folder / f"val_{k}.json") for k in (1, 2)
    ]


@pytest.fixture(scope="module")
def annotators(corpora: tuple[Corpus, list[Corpus]]) -> tuple[Corpus, list[Corpus]]:
    """The captions of the second annotator as a submission, 800 videos, against 820 of the first."""
    first, second = ({d.id: d for d in corpus} for corpus in corpora[1])
    ids = sorted(first.keys() & second.keys())
    said = Corpus(tuple(second[i] for i in ids[:800]), "second")
    return said, [Corpus(tuple(first[i] for i in ids[:820]), "first")]


def run(protocol: str, corpora: tuple[Corpus, list[Corpus]], names: list[str]) -> dict[str, Score]:
    made = Run(corpora[1], protocol=protocol)
    return dict(zip(names, made.score_task(made.task(corpora[0]), names), strict=True))


def read(golden: Path, name: str) -> Any:
    return json.loads((golden / name).read_text(encoding="utf-8"))


def test_pdvc(golden: Path, corpora: tuple[Corpus, list[Corpus]]) -> None:
    wanted = read(golden, "pdvc_bmt1.json")
    paragraphs = {
        "Bleu_4": "paragraph_bleu_4",
        "METEOR": "paragraph_meteor",
        "ROUGE_L": "paragraph_rouge_l",
        "CIDEr": "paragraph_cider",
    }
    found = run("pdvc", corpora, ["soda_c", *paragraphs.values()])
    assert found["soda_c"].value == pytest.approx(wanted["soda_c"], abs=1e-9)
    for theirs, ours in paragraphs.items():
        assert found[ours].value == pytest.approx(wanted["paragraph"]["values"][theirs], abs=1e-9), theirs
    assert found["paragraph_meteor"].n == wanted["paragraph"]["videos"]


def test_pdvc_is_2018_elsewhere(golden: Path, corpora: tuple[Corpus, list[Corpus]]) -> None:
    wanted = read(golden, "anet_bmt1_val12.json")["scores"]
    found = run("pdvc", corpora, ["anet(scorer=meteor)", "anet(scorer=bleu_4)", "localisation"])
    assert found["anet(scorer=meteor)"].value == pytest.approx(np.mean(wanted["METEOR"]), abs=1e-9)
    assert found["anet(scorer=bleu_4)"].value == pytest.approx(np.mean(wanted["Bleu_4"]), abs=1e-9)
    assert found["localisation"].parts["recall"] == pytest.approx(np.mean(wanted["Recall"]), abs=1e-9)


@pytest.mark.parametrize("which", ["corpora", "annotators"])
def test_vidchapters(golden: Path, which: str, request: pytest.FixtureRequest) -> None:
    wanted = read(golden, "vidchapters_bmt1.json")
    expected = wanted if which == "corpora" else wanted["annotators"]
    names = [
        *(f"anet(scorer={scorer})" for scorer in SCORERS.values()),
        "localisation",
        "start_distance",
        "soda_c",
    ]
    found = run("vidchapters", request.getfixturevalue(which), names)
    story = wanted["soda_c"] if which == "corpora" else expected["eval_soda"]["soda_c"]
    assert found["soda_c"].value == pytest.approx(story, abs=1e-9)
    dvc = expected["eval_dvc"]
    for theirs, ours in SCORERS.items():
        assert found[f"anet(scorer={ours})"].value == pytest.approx(dvc[theirs], abs=1e-9), theirs
    for name, limits in LIMITS.items():
        for label, limit in limits.items():
            for part in ("Precision", "Recall", "F1"):
                value = found[name].parts[f"{part.lower()}_at_{limit:g}"]
                assert value == pytest.approx(dvc[f"{part}@{label}"], abs=1e-9), f"{part}@{label}"
    for part in ("Precision", "Recall", "F1"):
        assert found["localisation"].parts[part.lower()] == pytest.approx(dvc[part], abs=1e-9)


def test_compat_vidchapters(golden: Path, data: Path, annotators: tuple[Corpus, list[Corpus]]) -> None:
    expected = read(golden, "vidchapters_bmt1.json")
    first, second = (
        json.loads((data / "anet" / f"val_{k}.json").read_text(encoding="utf-8")) for k in (1, 2)
    )
    ids = sorted(first.keys() & second.keys())
    said = {
        i: [
            {"sentence": s, "timestamp": t}
            for s, t in zip(second[i]["sentences"], second[i]["timestamps"], strict=True)
        ]
        for i in ids[:800]
    }
    truth = {i: first[i] for i in ids[:820]}
    got = densevid.eval_dvc(
        {"results": said}, [truth], tious=[0.3, 0.5, 0.7, 0.9], distances=[1, 3, 5, 10, 30, 60]
    )
    wanted = expected["annotators"]["eval_dvc"]
    assert got.keys() == wanted.keys()
    for key, value in wanted.items():
        assert got[key] == pytest.approx(value, abs=1e-9), key
    assert densevid.eval_soda({"results": said}, [truth]) == pytest.approx(
        expected["annotators"]["eval_soda"], abs=1e-9
    )


def test_compat_pdvc_and_2018(golden: Path, data: Path) -> None:
    folder = data / "anet"
    said, truth = folder / "bmt_val_1.json", [str(folder / f"val_{k}.json") for k in (1, 2)]
    wanted = read(golden, "pdvc_bmt1.json")
    assert densevid.eval_soda(said, truth)["soda_c"] == pytest.approx(wanted["soda_c"], abs=1e-9)
    para = densevid.eval_para(said, truth)
    assert para == pytest.approx(
        {f"para_{name}": value for name, value in wanted["paragraph"]["values"].items()}, abs=1e-9
    )
    lists = densevid.eval_dvc(json_path=said, reference=truth)
    scores = read(golden, "anet_bmt1_val12.json")["scores"]
    assert lists.keys() == scores.keys()
    for name, values in scores.items():
        assert lists[name] == pytest.approx(values, abs=1e-9), name


@pytest.mark.parametrize("name", ["val1", "merge", "multi"])
def test_compat_soda(golden: Path, data: Path, name: str) -> None:
    import lzma

    with lzma.open(golden / f"soda_bmt1_{name}.json.xz") as file:
        wanted = json.load(file)["aggregate"]
    folder = data / "anet"
    truth = [folder / f"val_{k}.json" for k in ((1,) if name == "val1" else (1, 2))]
    loaded = soda.ANETCaptions.from_load_files(truth, folder / "bmt_val_1.json", name == "multi")
    loaded.preprocess()
    for variant in ("c", "d"):
        got = soda.SODA(loaded, soda_type=variant).evaluate()["Meteor"]
        assert got == pytest.approx(wanted[f"soda-v1/{variant}"], abs=1e-9)
