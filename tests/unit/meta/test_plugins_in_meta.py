"""Metrics that are no part of Storymeter in meta-evaluation: without a statement of their training data they
win nothing, and kept values depend on the code that gave them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from storymeter.engine import Run
from storymeter.meta import records
from storymeter.meta.overall_ranking import Contest, Figure, Outcome, standings
from storymeter.meta.records import Benchmark
from storymeter.meta.scores import pooled


def test_who_does_not_state_its_training_data_wins_nothing() -> None:
    figures = {"of_a_plugin": Figure(0.9, None), "rouge_l": Figure(0.4, None)}
    contest = Contest("flickr8k-expert", "t", "pearson", figures, [Outcome("of_a_plugin", "rouge_l", 0.0001)])
    found = {one.metric: one for one in standings([contest])}
    assert (found["of_a_plugin"].wins, found["rouge_l"].losses) == (0, 0)
    assert found["rouge_l"].uncounted == (("of_a_plugin", "flickr8k-expert"),)


def test_kept_values_of_another_formula_prompt_or_data_are_not_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def benchmark(first: str) -> Benchmark:
        texts = {("s", "1"): first, ("s", "2"): "a cat"}
        task = pooled(texts, {key: ["a dog runs"] for key in texts})
        return Benchmark("mine", "Mine", task, (), "", (), (), "pearson")

    def values(first: str) -> dict[Any, float]:
        found, _ = records.kept_values(benchmark(first), ["rouge_l"], Run(), tmp_path)
        return dict(found["rouge_l"].values)

    right = values("a dog runs")
    assert right["s", "1"] == 1.0
    (path,) = tmp_path.iterdir()
    kept = msgspec.json.decode(path.read_bytes())
    kept["values"] = [[system, item, 0.25] for system, item, _ in kept["values"]]
    path.write_bytes(msgspec.json.encode(kept))
    assert values("a dog runs")["s", "1"] == 0.25  # taken from the folder
    assert values("a dog")["s", "1"] != 0.25  # another data file
    monkeypatch.setattr(records, "_code", lambda: "another version of the formula")
    path.write_bytes(msgspec.json.encode(kept))
    assert values("a dog runs") == right


def test_kept_values_depend_on_the_code_that_scores_and_on_no_statistics() -> None:
    names = {name for name, _ in records._scoring_files()}
    assert {"pairs/meteor.py", "metrics.py", "engine/run.py", "meta/scores.py"} <= names
    assert not any(name.startswith(("stats/", "report/", "meta/overall_ranking")) for name in names)
    assert any(name.endswith((".so", ".pyd")) for name in names)
