"""Metrics against words that people call wrong."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from rehearsal_kit import Layout, markers, profiled

from storymeter.cli import cli
from storymeter.errors import DataError
from storymeter.human.analysis.span_records import Labelled, Word, to_jsonl, word_labels, words_at
from storymeter.meta import point_at_words
from storymeter.meta.words import _auc


def labelled(item: str, text: str, wrong: set[str]) -> Labelled:
    words = tuple(Word(text[a:b], a, b, float(text[a:b] in wrong), 0.0) for a, b in words_at(text))
    return Labelled(item, "s", text, 1, words)


def test_a_metric_of_words_blames_the_wrong_word() -> None:
    labels = [labelled("v1", "a cat runs in a park", {"cat"}), labelled("v2", "a man eats soup", {"eats"})]
    people = {"v1": ["a dog runs in a park"], "v2": ["a man cooks soup"]}
    for found in point_at_words(labels, people, ["meteor", "rouge_l", "bleu_1"], resamples=0):
        assert found.auc > 0.9 and found.first == 1.0 and found.interval is None
        assert found.captions == 2 and found.words == 10 and found.wrong == 2
        assert found.chance == pytest.approx((1 / 6 + 1 / 4) / 2)


def test_auc_by_hand() -> None:
    assert _auc(np.array([1.0, 0.0]), np.array([True, False])) == 1.0
    assert _auc(np.array([0.0, 0.0, 0.0]), np.array([True, False, False])) == 0.5


def test_nothing_to_compare_is_said() -> None:
    with pytest.raises(DataError, match="None of the 1 captions"):
        point_at_words([labelled("v1", "a cat", {"cat"})], {"v2": ["a dog"]}, ["meteor"])


def test_the_verb(tmp_path: Path) -> None:
    there = profiled(40, {"alpha": (0.2, 0.3, 0.3, 0.2), "beta": (0.4, 0.3, 0.5, 0.4)}, 1)
    records = markers(there, 12, layout=Layout(blocks=4, system=4), seed=1)
    (tmp_path / "labels.jsonl").write_text(to_jsonl(word_labels(records)))
    (tmp_path / "people.json").write_text(json.dumps({d.id: d.text for d in there.human}))
    words = [
        "meta",
        "words",
        str(tmp_path / "labels.jsonl"),
        "-r",
        str(tmp_path / "people.json"),
        "-m",
        "meteor",
    ]
    done = CliRunner().invoke(cli, [*words, "--format", "json"])
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)["words"][0]
    assert found["metric"] == "meteor" and found["auc"] > 0.6 and found["interval"][0] > 0.5
    assert "AUC" in CliRunner().invoke(cli, words).stdout


def test_on_words_that_people_marked_in_real_captions(data: Path) -> None:
    """FactVC: words of machine paragraphs that people called wrong stand in brackets."""
    path = data / "metaeval" / "factvc_activitynet" / "paragraphs.jsonl"
    labels, people = [], {}
    for number, line in enumerate(path.read_text().splitlines()[:150]):
        row = json.loads(line)
        inside, words, at = False, [], 0
        for token in re.findall(r"\[|\]|[^\s\[\]]+", " ".join(row["sentences"])):
            if token in "[]":
                inside = token == "["
                continue
            words.append(Word(token, at, at + len(token), float(inside), 0.0))
            at += len(token) + 1
        labels.append(Labelled(str(number), row["system"], " ".join(w.text for w in words), 1, tuple(words)))
        people[str(number)] = row["references"]
    found = point_at_words(labels, people, ["meteor", "rouge_l"], resamples=200)
    assert all(one.captions > 100 and one.interval is not None for one in found)
    assert all(one.auc > 0.5 for one in found), found
