"""Rewards as trainers call them: TRL, ms-swift, verl, EasyR1; equal to `Run`, picklable, never silently 0."""

from __future__ import annotations

import json
import pickle

import pytest

from storymeter import Caption, Corpus, Document, Run, read_answer
from storymeter.errors import UsageError
from storymeter.rewards import AnetReward, BleuReward, CiderD, CiderDReward, MeteorReward, SodaReward

REFERENCE = [
    {"start": 0, "end": 5, "caption": "a dog runs in the park"},
    {"start": 5, "end": 9, "caption": "it jumps over a fence"},
]
ANSWER = "0:00 - 0:04: A dog runs.\n0:05 - 0:09: The dog jumps over the fence."
TEXTS = {"a": ["a dog runs", "the dog is running"], "b": ["two cats sleep"]}


def of_run(metric: str, reward: float) -> None:
    said = (Caption("A dog runs.", 0, 4), Caption("The dog jumps over the fence.", 5, 9))
    truth = tuple(Caption(str(c["caption"]), float(c["start"]), float(c["end"])) for c in REFERENCE)
    run = Run(Corpus((Document("v", truth),), "people"), jobs=1)
    assert run.score(Corpus((Document("v", said),), "mine"), metric, 0)["mine", metric].value == reward


@pytest.mark.parametrize(("reward", "metric"), [(SodaReward(), "soda_c"), (AnetReward(), "anet")])
def test_every_call_gives_the_value_of_the_metric(reward: SodaReward | AnetReward, metric: str) -> None:
    (value,) = reward(prompts=["?"], completions=[ANSWER], completion_ids=[[1, 2]], references=[REFERENCE])
    of_run(metric, value)
    chat = [[{"role": "assistant", "content": ANSWER}]]
    assert reward(prompts=["?"], completions=chat, solution=[json.dumps(REFERENCE)]) == [value]
    parts = [[{"role": "assistant", "content": [{"type": "text", "text": ANSWER}]}]]
    assert reward(parts, references=[REFERENCE]) == [value]
    assert (
        reward(data_source="d", solution_str=ANSWER, ground_truth=json.dumps(REFERENCE), extra_info={})
        == value
    )
    batch = [{"response": ANSWER, "response_length": 9, "ground_truth": REFERENCE}]
    assert reward(batch) == [{"overall": value}]
    assert pickle.loads(pickle.dumps(reward))([ANSWER], references=[REFERENCE]) == [value]


def test_unreadable_answers_get_the_stated_reward() -> None:
    answers = [ANSWER, "I cannot watch videos.", "[]"]
    values = SodaReward(unreadable=-0.25)(answers, references=[REFERENCE] * 3)
    assert values[0] > 0 and values[1] == -0.25 and values[2] == 0
    reward, logged = SodaReward(), []
    reward(
        answers, references=[REFERENCE] * 3, log_metric=lambda *each: logged.append(each)
    )  # as TRL calls it
    assert (reward.answers, reward.unread) == (3, 1)
    assert logged == [("unreadable/SodaReward", pytest.approx(1 / 3))]


def test_references_by_id_are_compiled_once() -> None:
    reward = SodaReward({"v": REFERENCE})
    (value,) = reward([ANSWER], video_id=["v"])
    of_run("soda_c", value)
    with pytest.raises(UsageError, match="no references"):
        reward([ANSWER], video_id=["w"])


def test_cider_d_has_the_idf_of_the_training_set() -> None:
    reward = pickle.loads(pickle.dumps(CiderDReward(TEXTS)))
    wanted = CiderD.fit(TEXTS, tokenizer="ptb")
    answers = ["A dog runs.", "<think>hm</think><answer>two cats</answer>"]
    assert reward(completions=answers, id=["a", "b"]) == wanted(["A dog runs.", "two cats"]).tolist()
    own = reward(completions=["Two cats."], references=[["two cats sleep"]])
    assert own == wanted(["Two cats."], references=[["two cats sleep"]]).tolist()
    with pytest.raises(UsageError, match="whole training set"):
        CiderDReward()(["a dog"], references=[["a dog"]])


def test_untimed_rewards_equal_the_scorers() -> None:
    for reward, metric in ((MeteorReward(), "meteor"), (BleuReward(), "bleu_4(level=sentence)")):
        values = reward(["A dog runs."], references=[TEXTS["a"]])
        people = [Corpus((Document("a", (Caption(text),)),), str(k)) for k, text in enumerate(TEXTS["a"])]
        mine = Corpus((Document("a", (Caption("A dog runs."),)),), "mine")
        assert values == [Run(people, jobs=1).score(mine, metric, 0)["mine", metric].value]


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: SodaReward()([ANSWER]), "has no references"),
        (lambda: SodaReward()([ANSWER], references=[["no times"]]), "timed caption"),
        (lambda: SodaReward()([ANSWER, ANSWER], references=[REFERENCE]), "1 entries for 2"),
        (lambda: SodaReward()(ANSWER, references=[REFERENCE]), "one string"),
        (lambda: SodaReward()([3], references=[REFERENCE]), "a text or a list of messages"),
        (lambda: MeteorReward()(), "no completions"),
    ],
)
def test_wrong_calls_say_what_to_do(call: object, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        call()  # type: ignore[operator]


def test_read_answer() -> None:
    answer = read_answer(ANSWER + "\nI hope this helps!\n0:20 - 0:30: late", duration=8)
    assert [(c.start, c.end) for c in answer.captions] == [(0, 4), (5, 8)]
    assert [(part.line, part.reason) for part in answer.unread] == [
        (3, "no times"),
        (4, "begins after the end of the video"),
    ]
    assert answer.share == 0.5 and answer.readable
    assert read_answer("[]").readable and not read_answer("").readable and not read_answer("sorry").readable
    with pytest.raises(UsageError, match="not int"):
        read_answer(3)  # type: ignore[arg-type]
