"""Clusters that are not there. What a real one computes is in `test_shards`, which starts one for all."""

from __future__ import annotations

import sys

import pytest

from storymeter import evaluate
from storymeter.captions import Caption, Corpus, Document
from storymeter.errors import DataError, MissingPartError

SYSTEM = Corpus((Document("v", (Caption("a dog runs fast"),)),), "a")
REFERENCES = Corpus((Document("v", (Caption("the dog is running"),)),), "people")


def test_no_cluster_there() -> None:
    pytest.importorskip("ray", reason="the part 'ray' is not installed")
    with pytest.raises(DataError, match=r"no cluster at '127\.0\.0\.1:1'"):
        evaluate(candidates=SYSTEM, references=REFERENCES, metrics="bleu_1", cluster="127.0.0.1:1")
    with pytest.raises(DataError, match=r"no cluster at 'head:door': 'door' is no port"):
        evaluate(candidates=SYSTEM, references=REFERENCES, metrics="bleu_1", cluster="head:door")


def test_without_the_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingPartError, match="ray"):
        evaluate(candidates=SYSTEM, references=REFERENCES, metrics="bleu_1", cluster="local")
