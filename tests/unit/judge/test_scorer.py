"""The judge as a scorer of pairs, as a metric of documents, and inside SODA."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import judge_kit
import numpy as np
import pytest
from aiohttp import web

from storymeter import Caption, Corpus, Document, Run
from storymeter.context import Context
from storymeter.errors import DataError, StorymeterWarning, UsageError
from storymeter.judge import Judge, asking
from storymeter.registry import metric, scorer

ONE = "a dog runs on grass"
CANDIDATES = [ONE, "a cat sleeps", ""]
REFERENCES = [["a dog runs fast", "the grass"], ["a bird sings"], ["anything"]]


def test_marks_become_values(server: judge_kit.Server) -> None:
    judge = scorer(server.judge())
    values = judge.pairs(candidates=CANDIDATES, references=REFERENCES)
    assert values == pytest.approx([0.8, 0.3, 0.0])
    assert len(server.bodies) == 2, "an empty candidate is 0 and is not sent"
    assert judge_kit.question(server.bodies[0])[1] == ["a dog runs fast", "the grass"]


def test_in_a_run_it_has_the_device_the_progress_and_the_budget_of_the_run() -> None:
    bench = Context(device="cuda", progress=lambda *what: None)
    bound: Any = Judge(model="m").open(bench)
    assert (bound.device, bound.progress, bound._budget) == ("cuda", bench.progress, bench.budget)


def test_each_distinct_question_is_sent_once_in_a_run_and_once_on_disk(server: judge_kit.Server) -> None:
    judge = scorer(server.judge())
    twice = judge.pairs(candidates=[ONE, ONE], references=[["a dog", "grass"], ["grass", "a dog", "grass"]])
    assert twice[0] == twice[1]
    assert len(server.bodies) == 1, "references are sorted, each once"
    again = scorer(server.judge()).pairs(candidates=[ONE], references=[["grass", "a dog"]])
    assert again[0] == twice[0]
    assert len(server.bodies) == 1
    scorer(server.judge(trial=1)).pairs(candidates=[ONE], references=[["grass", "a dog"]])
    assert len(server.bodies) == 2, "another trial asks anew"
    scorer(server.judge(scale="1-5")).pairs(candidates=["a x y z"], references=[["a"]])
    assert len(server.bodies) == 3, "another scale is another question"


def _videos() -> tuple[Corpus, Corpus]:
    ours = Corpus(
        (
            Document(
                "v",
                (
                    Caption("a dog runs", 0, 10),
                    Caption("a cat sleeps", 10, 20),
                    Caption("a dog runs", 20, 30),
                ),
            ),
        ),
        "mine",
    )
    people = Corpus(
        (
            Document(
                "v",
                (Caption("a dog jumps", 0, 10), Caption("the cat sleeps", 12, 20), Caption("far", 90, 99)),
            ),
        ),
        "people",
    )
    return ours, people


def test_soda_sends_only_pairs_that_overlap(server: judge_kit.Server) -> None:
    ours, people = _videos()
    results = Run(people).score(ours, f"soda_c(scorer={server.judge()})", resamples=0)
    assert sorted(judge_kit.question(body)[0] for body in server.bodies) == ["a cat sleeps", "a dog runs"]
    # IoU 1 x .7 and IoU .8 x .7, over three captions and three references
    assert results.systems[0].scores[0].value == pytest.approx((0.7 + 0.8 * 0.7) / 3)
    signature = str(results.systems[0].scores[0].signature)
    assert "judge:served-model" in signature
    assert "prompt:adequacy-" in signature
    assert "answered:20" in signature


def test_rdcap_is_the_mean_over_thresholds_and_sends_nothing_below_the_lowest(
    server: judge_kit.Server,
) -> None:
    ours = Corpus((Document("v", (Caption("a dog runs", 0, 10), Caption("a b", 10, 20))),), "mine")
    people = Corpus((Document("v", (Caption("a dog runs", 0, 6), Caption("a b", 12, 40))),), "people")
    name = f"soda_c(scorer={server.judge(prompt='rdcap')})"
    results = Run(people, protocol="rdcap").score(ours, name, resamples=0)
    assert len(server.bodies) == 1, "IoU 8 / 30 is under every threshold"
    # IoU .6 reaches .3 and .5 of the four thresholds; precision = recall = F1 = .6 / 2 there
    assert results.systems[0].scores[0].value == pytest.approx((0.3 + 0.3 + 0 + 0) / 4)


async def _never_of_cats(request: web.Request, body: dict[str, Any], number: int) -> web.StreamResponse:
    cats = "cat" in judge_kit.question(body)[0]
    return web.json_response(judge_kit.completion("I like cats." if cats else str(judge_kit.overlap(body))))


def test_an_unreadable_verdict_is_asked_again_then_missing_never_0() -> None:
    with judge_kit.serving(_never_of_cats) as server:
        judge = scorer(server.judge(missing=0.5))
        with pytest.warns(StorymeterWarning, match="1 of 2 verdicts of the judge are missing"):
            values = judge.pairs(candidates=[ONE, "a cat"], references=[["a dog runs"], ["a cat"]])
        assert values[0] == pytest.approx(0.6)
        assert np.isnan(values[1])
        assert len(server.bodies) == 1 + 3
        assert server.bodies[-1]["messages"][-2]["content"] == "I like cats."
        with pytest.raises(DataError, match=r"1 of 2 verdicts .* more than the share 0.05 .* 'I like cats.'"):
            scorer(server.judge()).pairs(candidates=[ONE, "a cat"], references=[["a dog runs"], ["a cat"]])


@pytest.mark.filterwarnings("ignore::storymeter.errors.StorymeterWarning")
def test_documents_and_videos_without_a_verdict_are_left_out_of_the_mean() -> None:
    ours, people = _videos()
    more = Corpus((*ours.documents, Document("w", (Caption("a dog runs", 0, 10),))), "mine")
    known = Corpus((*people.documents, Document("w", (Caption("a dog runs", 0, 10),))), "people")
    with judge_kit.serving(_never_of_cats) as server:
        name = server.judge(missing=0.6)
        soda, plain = Run(known).score(more, [f"soda_c(scorer={name})", name], resamples=0).systems[0].scores
    assert soda.value == 1.0, "the video with the cat could have any score: it is left out"
    assert plain.value == pytest.approx(1.0)
    assert plain.parts["missing"] == 0.5
    documents = metric(name).combine(plain.rows)["value"]
    assert np.isnan(documents[0])
    assert documents[1] == 1.0


def test_a_missing_verdict_that_cannot_matter_leaves_the_score() -> None:
    """The cat overlaps both references, but at most for .1 of what the others give."""
    ours = Corpus((Document("v", (Caption("a dog", 0, 10), Caption("the cat", 0, 1))),), "mine")
    people = Corpus((Document("v", (Caption("a dog", 0, 10),)),), "people")
    with judge_kit.serving(_never_of_cats) as server, pytest.warns(StorymeterWarning):
        name = f"soda_c(scorer={server.judge(missing=0.6)})"
        score = Run(people).score(ours, name, resamples=0).systems[0].scores[0]
    assert score.value == pytest.approx(2 * 0.5 * 1 / 1.5)


def test_samples_are_averaged_and_have_seeds() -> None:
    async def by_seed(request: web.Request, body: dict[str, Any], number: int) -> web.StreamResponse:
        return web.json_response(judge_kit.completion(str(2 * body["seed"])))

    with judge_kit.serving(by_seed) as server:
        judge = scorer(server.judge(n=3, temperature=1))
        assert judge.pairs(candidates=["a"], references=[["a"]])[0] == pytest.approx(0.2)
        assert sorted(body["seed"] for body in server.bodies) == [0, 1, 2]
    with pytest.raises(UsageError, match="all the same"):
        Judge("m", "http://127.0.0.1:1/v1", n=3)


def test_probabilities_give_the_expected_mark_until_the_endpoint_refuses_them() -> None:
    def place(token: str, **likely: float) -> dict[str, Any]:
        tops = [{"token": text, "logprob": float(np.log(p))} for text, p in likely.items()]
        return {"token": token, "logprob": tops[0]["logprob"], "top_logprobs": tops}

    async def gives(request: web.Request, body: dict[str, Any], number: int) -> web.StreamResponse:
        choice = judge_kit.completion("7")["choices"][0]
        choice["logprobs"] = {"content": [place("7", **{"7": 0.5, "9": 0.3, "the": 0.2})]}
        return web.json_response(judge_kit.completion("7", choices=[choice]))

    async def refuses(request: web.Request, body: dict[str, Any], number: int) -> web.StreamResponse:
        if "logprobs" in body:
            return web.json_response({"error": {"message": "logprobs are not supported"}}, status=400)
        return web.json_response(judge_kit.completion("7"))

    with judge_kit.serving(gives) as server:
        assert scorer(server.judge()).pairs(candidates=["a"], references=[["a"]])[0] == pytest.approx(
            (0.5 * 7 + 0.3 * 9) / 0.8 / 10
        )
    with judge_kit.serving(refuses) as server:
        judge = scorer(server.judge(parallel=1))
        assert judge.pairs(candidates=["a", "b"], references=[["a"], ["b"]]).tolist() == [0.7, 0.7]
        assert len(server.bodies) == 3


def test_a_parameter_that_is_called_otherwise_is() -> None:
    async def newer(request: web.Request, body: dict[str, Any], number: int) -> web.StreamResponse:
        if "max_tokens" in body:
            said = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
            return web.json_response({"error": {"message": said}}, status=400)
        return web.json_response(judge_kit.completion(str(body["max_completion_tokens"])))

    with judge_kit.serving(newer) as server:
        assert scorer(server.judge(tokens=9)).pairs(candidates=["a"], references=[["a"]])[0] == 0.9
        assert len(server.bodies) == 2


def test_a_prompt_of_the_users_own(server: judge_kit.Server, tmp_path: Path) -> None:
    own = tmp_path / "own.txt"
    own.write_text("Compare.\n{references}\n{candidate}\n")
    judge = scorer(server.judge(prompt=own))
    assert judge.pairs(candidates=["a dog"], references=[["a cat"]])[0] == 0.5
    (turn,) = server.bodies[0]["messages"]
    assert turn["content"].startswith("Compare.\n<reference>a cat</reference>\n<candidate>a dog</candidate>")
    assert "from 0 (worst) to 10 (best)" in turn["content"]


def test_a_story_by_itself_needs_no_references(server: judge_kit.Server) -> None:
    async def five(request: web.Request, body: dict[str, Any], number: int) -> web.StreamResponse:
        return web.json_response(judge_kit.completion("Mark: 5/10"))

    with judge_kit.serving(five) as server:
        stories = Corpus((Document("s", (Caption("We went."), Caption("We sat."))),), "mine")
        score = Run().score(stories, server.judge(prompt="quality"), resamples=0).systems[0].scores[0]
        assert score.value == 0.5
        assert judge_kit.question(server.bodies[0]) == ("We went. We sat.", [])


def test_the_cache_is_for_its_owner_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A new one, and one that an earlier version made readable by others."""
    monkeypatch.setenv("STORYMETER_CACHE", str(tmp_path / "cache"))
    for _ in range(2):
        answers = asking.Answers()
        answers.put(b"key", asking.Answer(0.5, False, "reply", "m", 1, 1, "now"))
        files = list(answers.path.parent.iterdir())
        assert answers.path in files and all(file.stat().st_mode & 0o777 == 0o600 for file in files), files
        assert answers.path.parent.stat().st_mode & 0o777 == 0o700
        answers.close()
        answers.path.chmod(0o644)
        answers.path.parent.chmod(0o755)
