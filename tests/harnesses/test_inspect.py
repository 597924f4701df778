"""Inspect itself runs a task with a scripted model and our reward; its logs, .eval and JSON, are read."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest

if importlib.util.find_spec("inspect_ai") is None:
    pytest.skip("Inspect is not installed: make harnesses", allow_module_level=True)

from inspect_ai import Task, eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ModelAPI, ModelOutput, get_model, modelapi
from inspect_ai.scorer import Score, Target, mean, scorer, stderr
from inspect_ai.solver import generate

import storymeter
from storymeter.rewards import SodaReward

TRUTH = [{"start": 0, "end": 5, "caption": "a dog runs"}, {"start": 5, "end": 9, "caption": "it jumps"}]
ANSWERS = {
    "v_a": "0:00 - 0:05: A dog runs.\n0:05 - 0:09: It jumps.",
    "v_b": "0:00 - 0:05: " + "A cat. " * 60,  # long texts are attachments
    "v_c": "sorry",
}
reward = SodaReward()


class Scripted(ModelAPI):
    async def generate(self, input: Any, tools: Any, tool_choice: Any, config: Any) -> ModelOutput:
        return ModelOutput.from_content("scripted/m", ANSWERS[input[-1].text.split()[-1]])

    async def count_text_tokens(self, text: str) -> int:  # the usual one downloads a vocabulary
        return len(text.split())

    async def count_tokens(self, *arguments: Any, **options: Any) -> int:
        return 1


@modelapi(name="scripted")
def scripted() -> type[ModelAPI]:
    return Scripted


@scorer(metrics=[mean(), stderr()])
def soda() -> Any:
    async def score(state: Any, target: Target) -> Score:
        answer = state.output.completion
        unread = storymeter.read_answer(answer).unread
        (value,) = reward([answer], references=[json.loads(target.text)])
        reasons = "; ".join(f"line {part.line}: {part.reason}" for part in unread)
        return Score(value=value, answer=answer, explanation=reasons)

    return score


@pytest.mark.parametrize("kind", ["eval", "json"])
def test_a_log(kind: str, tmp_path: Path) -> None:
    samples = [Sample(id=id, input=f"Describe {id}", target=json.dumps(TRUTH)) for id in ANSWERS]
    task = Task(dataset=MemoryDataset(samples), solver=generate(), scorer=soda(), name="dense")
    model = get_model("scripted/m")
    (log,) = eval(task, model=model, log_dir=str(tmp_path), log_format=kind, display="none")
    assert log.status == "success", log.error
    (path,) = tmp_path.glob(f"*.{kind}")
    people = storymeter.Corpus(
        tuple(
            storymeter.Document(
                id, tuple(storymeter.Caption(c["caption"], float(c["start"]), float(c["end"])) for c in TRUTH)
            )
            for id in ANSWERS
        ),
        "people",
    )
    with pytest.warns(storymeter.errors.StorymeterWarning, match="1 of 3 answers"):
        answers = storymeter.read(path, role="candidates")
    assert [d.id for d in answers] == [*ANSWERS]
    assert answers.documents[1].captions[0].text == ANSWERS["v_b"].split(": ", 1)[1].strip()
    value = storymeter.evaluate(answers, people, "soda_c", resamples=0)["soda_c"].value
    assert log.results.scores[0].metrics["mean"].value == pytest.approx(value, abs=1e-12)
