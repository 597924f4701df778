"""The context of a run: each thing is made once, and the context names no room."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from storymeter import Caption, Corpus, Document
from storymeter.context import KEPT_TASKS, Context, Settings
from storymeter.errors import UsageError
from storymeter.join import Task, join
from storymeter.pairs import Bleu, Meteor, sentences, texts_of
from storymeter.protocol import get
from storymeter.registry import metric, room_of

SOURCE = Path(__file__).resolve().parents[2] / "src" / "storymeter"


def make(context: Context, *arguments: object) -> list[object]:
    return [context, *arguments]


def other(context: Context, *arguments: object) -> list[object]:
    return []


def task() -> Task:
    return join(candidates=Corpus((Document("v", (Caption("A dog."),)),), "mine"))


def test_a_run_makes_each_thing_once() -> None:
    context = Context()
    first = context.per_run(make, "a", 1)
    assert first == [context, "a", 1]
    assert context.per_run(make, "a", 1) is first
    assert context.per_run(make, "a", 2) is not first
    assert context.per_run(other, "a", 1) == []


def test_a_value_without_a_hash_is_a_key_by_itself() -> None:
    context, one, two = Context(), ["x"], ["x"]
    assert context.per_run(make, one) is context.per_run(make, one)
    assert context.per_run(make, one) is not context.per_run(make, two)


def test_what_a_task_gave_is_kept_with_the_last_few_tasks() -> None:
    context, tasks = Context(), [task() for _ in range(KEPT_TASKS + 1)]
    found = [context.per_task(make, each) for each in tasks]
    assert found[0] == [context, tasks[0]]
    assert context.per_task(make, tasks[-1]) is found[-1]
    assert context.per_task(make, tasks[0]) is not found[0], "two tasks of equal content are two"


def test_another_tokenizer_has_results_of_its_own() -> None:
    context = Context()
    inner = context.with_tokenizer("whitespace")
    assert (inner.tokenizer, inner.jobs) == ("whitespace", context.jobs)
    assert context.with_tokenizer("ptb") is context
    assert inner.per_run(make) is context.with_tokenizer("whitespace").per_run(make)
    assert inner.per_run(make) is not context.per_run(make)


def test_pair_tables_are_shared_by_equal_scorers() -> None:
    context = Context()
    assert sentences.pair_table(context, Meteor()) is sentences.pair_table(context, Meteor())
    assert sentences.pair_table(context, Bleu(2)) is not sentences.pair_table(context, Bleu(4))


def test_plug_ins_may_call_texts_as_before() -> None:
    context, one = Context(), task()
    with pytest.warns(DeprecationWarning, match="texts_of"):
        assert context.texts(one) is texts_of(context, one)


def test_settings_are_checked() -> None:
    assert Settings(protocol="soda-v1").protocol == get("soda-v1")
    for wrong in ({"jobs": 0}, {"seed": -1}, {"tokenizer": "pbt"}):
        with pytest.raises(UsageError):
            Settings(**wrong)
    for wrong, message in (
        ({"jobs": 2, "seed": "x"}, "^seed cannot be 'x'"),
        ({"jobs": True, "seed": 1}, "^jobs cannot be True"),
    ):
        with pytest.raises(UsageError, match=message):
            Settings(**wrong)
    with pytest.raises(UsageError, match="nothing would be left"):
        Settings(protocol="anet-2018", tokenizer="ja")


def test_the_context_imports_no_room() -> None:
    rooms = {path.name for path in SOURCE.iterdir() if path.is_dir()}
    tree = ast.parse((SOURCE / "context.py").read_text(encoding="utf-8"))
    named = {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.level}
    assert not {name.split(".")[0] for name in named} & rooms


def test_the_registry_knows_whose_a_measure_is() -> None:
    class Mine(Bleu):
        pass

    assert room_of(metric("meteor")) == "pairs"
    assert room_of(metric("rovist_nr")) == "story"
    assert room_of(Mine(4)) == ""


def test_a_module_that_documents_named_is_still_there() -> None:
    code = "from storymeter.dense.matching import match; print(match([[1.0]]))"
    done = subprocess.run(
        [sys.executable, "-W", "always", "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout == "(1.0, [(0, 0)])\n"
    assert "storymeter.dense.matching is storymeter.dense.caption_pairs now" in done.stderr
