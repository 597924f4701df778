"""Hugging Face `evaluate` modules and the torchmetrics class: the numbers of the scorers, nothing loaded
unasked.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import storymeter
from storymeter.compat import _inputs, huggingface
from storymeter.compat.pycocoevalcap.eval import Cider, Meteor
from storymeter.errors import StorymeterWarning, UsageError
from storymeter.pairs import Bleu, Sts
from storymeter.protocol import get

SAID = ["A man walks down the street.", "two dogs play", "", "Nothing of the kind!"]
TRUTH = [
    ["A man is walking.", "Somebody walks down a road."],
    ["Two dogs are playing."],
    ["a cat"],
    ["nothing else", "a kind man"],
]


def load(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> object:
    pytest.importorskip("evaluate")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    import evaluate

    return evaluate.load(huggingface.path(name), cache_dir=str(folder))


def test_evaluate_captions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said, truth = _inputs.prepared(SAID, TRUTH, "ptb")
    gts, res = dict(enumerate(truth)), {k: [text] for k, text in enumerate(said)}
    for name, scorer in (("meteor", Meteor()), ("cider", Cider())):
        wanted, each = scorer.compute_score(gts, res)
        got = load(name, tmp_path, monkeypatch).compute(predictions=SAID, references=TRUTH)
        assert got[name] == pytest.approx(wanted, abs=1e-12)
        assert got["scores"] == pytest.approx(list(each), abs=1e-12)
    single = load("meteor", tmp_path, monkeypatch).compute(predictions=["a b"], references=["a b"])
    assert single["meteor"] == 1.0


def test_evaluate_sts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    got = load("sts", tmp_path, monkeypatch).compute(predictions=SAID[:2], references=TRUTH[:2])
    assert got["scores"] == pytest.approx(Sts().pairs(candidates=SAID[:2], references=TRUTH[:2]).tolist())


def test_evaluate_soda(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said = [{"timestamps": [[0.0, 4.0], [4.0, 9.0]], "sentences": ["a dog runs", "it jumps"]}]
    truth = [{"timestamps": [[0.0, 5.0], [5.0, 9.0]], "sentences": ["the dog is running", "it jumps high"]}]
    module = load("soda", tmp_path, monkeypatch)
    for protocol in ("paper", "soda-v1"):
        got = module.compute(predictions=said, references=truth, protocol=protocol)
        wanted = _inputs.scores(
            ["soda_c"],
            _inputs.references({"0": said[0]}),
            [_inputs.references({"0": truth[0]})],
            get(protocol),
        )["soda_c"]
        assert got["soda"] == pytest.approx(wanted.value)
        assert 0 < got["precision"] < 1


def test_evaluate_inputs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said = [{"timestamps": [[0.0, 4.0], [4.0, 9.0]], "sentences": ["a dog runs", "it jumps"]}]
    truth = [{"timestamps": [[0.0, 5.0], [5.0, 9.0]], "sentences": ["the dog is running", "it jumps high"]}]
    module = load("dense", tmp_path, monkeypatch)
    corpora = [_inputs.references({"0": side[0]}) for side in (said, truth)]
    for metric in ("soda_c", "anet", "localisation"):
        got = module.compute(predictions=said, references=truth, metric=metric)
        wanted = _inputs.scores([metric], corpora[0], [corpora[1]], get("paper"))[metric]
        assert got[metric] == wanted.value and got["signature"] == str(wanted.signature)


def test_torchmetrics_of_documents() -> None:
    """Sums over steps give the run's value to the last bit, with a video's annotators as a list."""
    pytest.importorskip("torchmetrics")
    from storymeter.compat import torchmetrics

    mine = storymeter.read("examples/videos/good.json")
    people = [storymeter.read(f"examples/videos/reference_{k}.json") for k in (1, 2)]
    by_id = [corpus.by_id() for corpus in people]
    ids = sorted({i for each in by_id for i in each})
    said = [mine.by_id().get(i, [storymeter.Document(i)])[0] for i in ids]
    truth = [[document for each in by_id for document in each.get(i, [])] for i in ids]
    names = ["soda_c", "anet", "localisation"]
    wanted = storymeter.Run(people, jobs=1).score(mine, names, 0)
    for name in names:
        score = torchmetrics.CaptionScore(name)
        score.update(said[:2], truth[:2])
        score.update(said[2:], truth[2:])
        assert float(score.compute()) == pytest.approx(wanted[mine.name, name].value, abs=1e-15)
    with pytest.raises(UsageError, match="3 predictions but 2"):
        score.update(said[:3], truth[:2])


def test_torchmetrics_counts_answers_that_cannot_be_read() -> None:
    """An answer without a caption counted as a video without captions, without a word."""
    pytest.importorskip("torchmetrics")
    from storymeter.compat import torchmetrics

    score = torchmetrics.CaptionScore("soda_c")
    truth = {"timestamps": [[0, 4]], "sentences": ["a man walks"]}
    with pytest.warns(StorymeterWarning, match="1 answer of 2 hold no caption"):
        score.update(["I cannot see the video, sorry.", "From 0 to 4 seconds, a man walks."], [truth, truth])
    assert int(score.unread) == 1 and float(score.compute()) == 0.5


def test_an_unknown_module_is_said() -> None:
    with pytest.raises(UsageError, match=r"no evaluate module 'metor'.\nDid you mean 'meteor'"):
        huggingface.path("metor")


def test_torchmetrics() -> None:
    pytest.importorskip("torchmetrics")
    from storymeter.compat import torchmetrics

    said, truth = _inputs.prepared(SAID, TRUTH, "ptb")
    gts, res = dict(enumerate(truth)), {k: [text] for k, text in enumerate(said)}
    wanted = {
        "meteor": Meteor().compute_score(gts, res)[0],
        "cider": Cider().compute_score(gts, res)[0],
        "bleu_2": Bleu(2, tokenizer="none").open().aggregate(candidates=said, references=truth),
    }
    for name, value in wanted.items():
        score = torchmetrics.CaptionScore(name, corpus=TRUTH if name == "cider" else None)
        other = torchmetrics.CaptionScore(name, corpus=TRUTH if name == "cider" else None)
        score.update(SAID[:1], TRUTH[:1])
        score.update(SAID[1:3], TRUTH[1:3])
        other.update(SAID[3:], TRUTH[3:])
        score.sums += other.sums  # what torchmetrics does between processes
        assert float(score.compute()) == pytest.approx(value, abs=1e-12), name
        score.reset()
        score.update(["a b"], ["a b"])
        assert np.isfinite(float(score.compute()))
    for name in ("rouge_l", "bleu_2(level=sentence)", "cider"):  # a copy has what was fitted, and the sums
        score = torchmetrics.CaptionScore(name, corpus=TRUTH if name == "cider" else None)
        score.update(SAID, TRUTH)
        wanted_value = storymeter.metric(name).corpus(candidates=SAID, references=TRUTH, resamples=0).value
        assert float(score.compute()) == pytest.approx(wanted_value, abs=1e-12), name
        copied = score.clone()
        for each in (score, copied):  # one caption alone: its references are no corpus
            each.reset()
            each.update(SAID[:1], TRUTH[:1])
        assert float(copied.compute()) == float(score.compute()) > 0, name
    with pytest.raises(UsageError, match="references of the whole corpus"):
        torchmetrics.CaptionScore("cider")


def test_nothing_of_theirs_is_imported_unasked() -> None:
    code = (
        "import sys, storymeter.compat, storymeter.compat.huggingface, storymeter.compat.densevid\n"
        "storymeter.compat.install()\n"
        "from pycocoevalcap.eval import COCOEvalCap\n"
        "assert not {'evaluate', 'datasets', 'torch', 'torchmetrics', 'pycocotools'} & sys.modules.keys()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, done.stderr
