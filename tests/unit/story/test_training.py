"""Training end to end on tiny things: it learns, it resumes to the same weights after a kill, and what it
writes can be used.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import numpy as np
import pytest
from click.testing import CliRunner
from part_kit import need

from storymeter.cli import cli
from storymeter.errors import DataError, StorymeterWarning, UsageError
from storymeter.progress import LoggedProgress
from storymeter.story import (
    Recipe,
    TrainingOptions,
    coherence,
    read_captions,
    read_mentions,
    read_stories,
    train_coherence,
    train_grounding,
)
from storymeter.story.spaces import load_paired_space, load_space
from storymeter.story.train.coherence import _for_trial, chosen_temperature, fit_temperature, nll
from storymeter.story.train.data import Pair
from storymeter.story.train.loop import CURVE, STATE, fit, read_safetensors
from storymeter.story.train.mentions import Mention

from . import tiny

torch = need("torch")
need("transformers")

QUICK = TrainingOptions(
    lr=3e-3, schedule="epoch", lr_decay=0.95, batch_size=32, epochs=6, patience=5, interval=3
)


def test_an_albert_learns_an_artificial_order(tmp_path: Path) -> None:
    data, words = tiny.ordered_stories(tmp_path / "stories.json")
    encoder = tiny.text_model(tmp_path / "albert", words)
    out = tmp_path / "run"
    train_coherence(
        read_stories(data), [], out, encoder=str(encoder), recipe=Recipe(dropout=0.1, options=QUICK)
    )
    model = coherence.load(str(out))
    pairs = [
        ("in the morning we ran there", "in the noon we ate gladly"),
        ("in the evening we sang here", "in the night we slept there"),
    ]
    told, swapped = model.probabilities(pairs), model.probabilities([(b, a) for a, b in pairs])
    assert (told > 0.8).all() and (swapped < 0.2).all()
    assert (out / CURVE).read_bytes().startswith(b"\x89PNG")
    assert json.loads((out / "coherence.json").read_text())["trained"]["dev"]["forced choice"] > 0.95
    assert model.label.startswith("coherence#")


def test_the_top_of_a_bert_learns_over_frozen_layers(tmp_path: Path) -> None:
    data, words = tiny.ordered_stories(tmp_path / "stories.json")
    encoder = tiny.text_model(tmp_path / "bert", words, "bert")
    out = tmp_path / "run"
    options = msgspec.structs.replace(QUICK, lr=5e-3, epochs=3)
    recipe = Recipe(freeze=1, pooling="cls+a+b", dropout=0.1, options=options)
    model = train_coherence(read_stories(data), [], out, encoder=str(encoder), recipe=recipe)
    assert model.config.trained["dev"]["forced choice"] > 0.95
    again = coherence.load(str(out))
    pairs = [("in the morning we ran", "in the noon we ate"), ("in the night", "in the noon")]
    assert (
        np.abs(again.probabilities(pairs) - model.probabilities(pairs)).max() < 5e-3
    )  # half precision on disk


def test_our_layers_are_the_encoders_layers(tmp_path: Path) -> None:
    from transformers import BertModel

    from storymeter.story.order_net import OrderConfig, OrderModel

    encoder = tiny.text_model(tmp_path / "bert", ["a", "b", "c", "d"], "bert")
    model = OrderModel(OrderConfig(frozen=1, pooling="cls+a+b"), encoder)
    batch = model.batch(model.encode([("a b", "c"), ("a", "b c d")]))
    with torch.no_grad():
        ours = model.net.tail(model.lower(batch).inputs, src_key_padding_mask=~batch.mask)
        theirs = (
            BertModel.from_pretrained(encoder)
            .eval()(input_ids=batch.inputs, token_type_ids=batch.types, attention_mask=batch.mask.long())
            .last_hidden_state
        )
    assert torch.allclose(ours[batch.mask], theirs[batch.mask], atol=1e-5)


LONG = TrainingOptions(lr=3e-3, batch_size=8, epochs=3, patience=5, interval=5)
SCRIPT = """
import sys, torch
torch.set_num_threads(1)
from storymeter.story import Recipe, TrainingOptions, read_stories, train_coherence
from pathlib import Path
options = TrainingOptions(lr=3e-3, batch_size=8, epochs=3, patience=5, interval=5)
recipe = Recipe(freeze=1, pooling="cls+a+b", options=options)
train_coherence(read_stories(sys.argv[1]), [], Path(sys.argv[3]), encoder=sys.argv[2], recipe=recipe)
"""


def test_a_trial_of_two_steps_judges_a_sample_of_the_pairs_kept_back() -> None:
    pairs = [Pair(f"{k}", "b", 0, 0) for k in range(3638)]
    kept = _for_trial(pairs, TrainingOptions(steps=2))
    assert 150 < len(kept) <= 200 and kept[0] == pairs[0] and kept[-1] in pairs[3600:]
    assert _for_trial(pairs, TrainingOptions()) is pairs
    assert _for_trial(pairs[:100], TrainingOptions(steps=2)) == pairs[:100]


def test_killed_and_resumed_equals_unbroken(tmp_path: Path) -> None:
    data, words = tiny.ordered_stories(tmp_path / "stories.json", 40)
    encoder = tiny.text_model(tmp_path / "bert", words, "bert")

    def train(out: str) -> None:
        train_coherence(
            read_stories(data),
            [],
            tmp_path / out,
            encoder=str(encoder),
            recipe=Recipe(freeze=1, pooling="cls+a+b", options=LONG),
        )

    broken = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, str(data), str(encoder), str(tmp_path / "broken")], env={**os.environ}
    )
    deadline = time.monotonic() + 120
    while (
        not (tmp_path / "broken" / STATE).exists() and broken.poll() is None and time.monotonic() < deadline
    ):
        time.sleep(0.01)
    broken.send_signal(signal.SIGKILL)  # somewhere in the middle
    assert broken.wait() == -signal.SIGKILL and not (tmp_path / "broken" / "coherence.json").exists()
    train("broken")
    train("unbroken")
    a, b = (read_safetensors(tmp_path / run / "coherence.safetensors") for run in ("unbroken", "broken"))
    assert a.keys() == b.keys() and all(torch.equal(a[name], b[name]) for name in a)


class _Line:
    """y = wx, to look at the loop itself."""

    def __init__(self) -> None:
        torch.manual_seed(0)
        self.net = torch.nn.Linear(1, 1)
        self.fail_at: int | None = None
        self.steps = 0

    def batches(self, epoch: int) -> list[np.ndarray]:
        return [np.array([k]) for k in np.random.default_rng(epoch).permutation(5)]

    def loss(self, batch: np.ndarray) -> torch.Tensor:
        self.steps += 1
        if self.steps == self.fail_at:
            raise KeyboardInterrupt
        x = torch.tensor(batch, dtype=torch.float32)[None]
        return ((self.net(x) - 3 * x) ** 2).mean()

    def evaluate(self) -> dict[str, float]:
        return {"loss": float((self.net.weight - 3).detach().abs().sum())}


def test_interrupted_at_every_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "storymeter.story.train.loop.draw_curve", lambda history, path: None
    )  # looked at elsewhere; it takes the most time
    options = TrainingOptions(lr=0.05, epochs=3, patience=9, interval=2)
    whole = _Line()
    fit(whole, options, tmp_path / "whole")
    for step in (1, 2, 3, 5, 8, 11, 14, 15):
        first, then = _Line(), _Line()
        first.fail_at = step
        with pytest.raises(KeyboardInterrupt):
            fit(first, options, tmp_path / str(step))
        history = fit(then, options, tmp_path / str(step))
        assert torch.equal(whole.net.weight, then.net.weight) and len(history) == 3
        assert then.steps <= 15 - step + 1 + options.interval  # no more than the last interval is lost


def test_another_run_in_the_same_folder_is_refused(tmp_path: Path) -> None:
    fit(_Line(), TrainingOptions(lr=0.05, epochs=1), tmp_path)
    with pytest.raises(UsageError, match="other data or settings"):
        fit(_Line(), TrainingOptions(lr=0.04, epochs=1), tmp_path)
    (tmp_path / STATE).write_bytes((tmp_path / STATE).read_bytes()[:100])
    with pytest.raises(DataError, match="not a readable"):
        fit(_Line(), TrainingOptions(lr=0.05, epochs=1), tmp_path)


@pytest.mark.parametrize(("seconds", "drawn"), [(-1, [1, 2, 3, 4]), (3600, [4])])
def test_early_stopping_and_when_the_curve_is_drawn(
    seconds: int, drawn: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    curves: list[int] = []
    monkeypatch.setattr(
        "storymeter.story.train.loop.draw_curve", lambda history, path: curves.append(len(history))
    )
    monkeypatch.setattr("storymeter.story.train.loop.REDRAW", seconds)
    task = _Line()
    task.evaluate = lambda: {"loss": 1.0}
    assert len(fit(task, TrainingOptions(lr=0.01, epochs=30, patience=3), tmp_path)) == 4
    assert curves == drawn


def test_the_symmetric_loss_by_hand() -> None:
    from storymeter.story.layers import symmetric_loss

    images, texts = torch.tensor([[1.0, 0.0], [0.0, 1.0]]), torch.tensor([[0.5, 0.0], [0.0, 1.0]])
    # logits T Iᵀ = [[.5, 0], [0, 1]]; labels softmax((I Iᵀ + T Tᵀ) / 2) = softmax([[.625, 0], [0, 1]])
    p, q = np.exp(0.625) / (1 + np.exp(0.625)), np.exp(1) / (1 + np.exp(1))
    log = lambda x: np.log(np.exp(x) / (1 + np.exp(x)))  # noqa: E731
    loss = -(p * log(0.5) + (1 - p) * (log(0.5) - 0.5) + q * log(1) + (1 - q) * (log(1) - 1)) / 2
    assert float(symmetric_loss(images, texts)) == pytest.approx(
        loss, abs=1e-6
    )  # the logits are symmetric here
    skewed = torch.tensor([[0.0, 1.0], [0.0, 1.0]])
    rows = torch.tensor([[0.0, 1.0], [0.0, 1.0]])  # T Iᵀ
    labels = ((torch.eye(2) + torch.ones(2, 2)) / 2).softmax(-1)
    one = -(labels * rows.log_softmax(-1)).sum(-1).mean()
    two = -(labels * rows.T.log_softmax(-1)).sum(-1).mean()
    assert float(symmetric_loss(images, skewed)) == pytest.approx(float((one + two) / 2), abs=1e-6)


def test_grounding_learns_shapes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STORYMETER_CACHE", str(tmp_path / "cache"))
    entities, images = tiny.flickr(tmp_path, 150)
    vectors = tiny.glove(tmp_path / "glove.txt", [*tiny.COLOURS, *tiny.SHAPES, "page"])
    mentions = read_mentions(entities)
    assert len(mentions) == 300 and {m.phrase.split()[0] for m in mentions} == set(tiny.COLOURS)
    options = TrainingOptions(lr=5e-3, batch_size=32, epochs=6, patience=6, interval=25)
    train_grounding(
        mentions,
        images,
        tiny.vision_model(tmp_path / "vit"),
        vectors,
        tmp_path / "run",
        options=options,
        width=32,
    )
    space = load_space(str(tmp_path / "run"))
    from PIL import Image

    phrases = [f"{colour} {shape}" for colour in tiny.COLOURS for shape in tiny.SHAPES]
    said = space.phrases(phrases)
    right, chance = [], 1 / len(phrases)
    for mention in mentions[:120]:
        crop = Image.open(images / f"{mention.image}.png").convert("RGB").crop(mention.box)
        seen = space.regions([crop], [])[0]
        right.append(phrases[int((said @ seen).argmax())] == mention.phrase)
    assert np.mean(right) > 5 * chance, np.mean(right)
    weights = tmp_path / "run" / "grounding.safetensors"
    content = weights.read_bytes()
    for broken, message in (
        (content[: len(content) // 2], "not a readable safetensors"),
        (b"\x80\x04\x95junk", "not a readable safetensors"),
    ):
        weights.write_bytes(broken)
        with pytest.raises(DataError, match=message):
            load_paired_space(tmp_path / "run")
    weights.rename(weights.with_suffix(".bin"))
    with pytest.raises(DataError, match="only safetensors"):
        load_paired_space(tmp_path / "run")


def test_the_verbs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STORYMETER_CACHE", str(tmp_path / "cache"))
    data, words = tiny.ordered_stories(tmp_path / "stories.json", 40)
    encoder = tiny.text_model(tmp_path / "albert", words)
    _train("coherence", data=data, encoder=encoder, out=tmp_path / "c", epochs=1, lr="1e-3", threads=1)
    assert (tmp_path / "c" / "coherence.safetensors").is_file()
    entities, images = tiny.flickr(tmp_path, 12)
    files = {
        "vision": tiny.vision_model(tmp_path / "vit"),
        "glove": tiny.glove(tmp_path / "glove.txt", [*tiny.COLOURS, *tiny.SHAPES]),
        "out": tmp_path / "g",
    }
    sizes = {"epochs": 1, "width": 8, "batch-size": 4, "dev-share": 0.4}
    _train("grounding", entities=entities, images=images, **files, **sizes)
    assert (tmp_path / "g" / "grounding.safetensors").is_file()


def _train(what: str, **options: object) -> str:
    given = [
        (name, one)
        for name, value in options.items()
        for one in (value if isinstance(value, list) else [value])
    ]
    words = [word for name, value in given for word in (f"--{name}", str(value))]
    result = CliRunner().invoke(cli, ["train", what, *words])
    assert result.exit_code == 0, (result.output, result.exception)
    return result.stderr


def test_both_recipes_on_data_of_ones_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pictures with captions in CSV and JSON, stories in JSON Lines; an ALBERT, a ViT and GloVe from local
    files; and the models score and are evaluated."""
    monkeypatch.setenv("STORYMETER_CACHE", str(tmp_path / "cache"))
    _, images = tiny.flickr(tmp_path, 12)
    boxed = [f"{k}.png,red square,0,0,32,32\n{k}.png,blue circle,32,0,32,32" for k in range(6)]
    (tmp_path / "boxes.csv").write_text("\n".join(["image,caption,x,y,w,h", *boxed]) + "\n")
    told = {str(k): ["a green triangle and a page", "a page"] for k in range(6, 12)}
    (tmp_path / "captions.json").write_text(json.dumps(told))
    grounding = {
        "images": images,
        "vision": tiny.vision_model(tmp_path / "vit"),
        "glove": tiny.glove(tmp_path / "glove.txt", ["red", "blue", "square", "circle", "triangle"]),
        "out": tmp_path / "vg",
    }
    sizes = {"epochs": 1, "width": 8, "batch-size": 4, "dev-share": 0.4}
    said = _train(
        "grounding", captions=[tmp_path / "boxes.csv", tmp_path / "captions.json"], **grounding, **sizes
    )
    assert "1 of 6 words have no vector in glove.txt: page (6)" in said  # phrases of captions are nouns
    assert "finding nouns …" in said and "training …" in said

    data, words = tiny.ordered_stories(tmp_path / "stories.json", 40)
    stories = {id: one[0].split(" . ") for id, one in json.loads(data.read_text()).items()}
    mine = tmp_path / "mine.jsonl"
    mine.write_text("".join(json.dumps({"id": id, "sentences": one}) + "\n" for id, one in stories.items()))
    encoder = tiny.text_model(tmp_path / "albert", words)
    said = _train("coherence", data=mine, encoder=encoder, out=tmp_path / "c", steps=2, threads=1)
    assert said.index("loading the model …") < said.index("finding tokens …") < said.index("training …")
    asked = ["--evaluate", "--model", str(tmp_path / "c"), "--held-out", str(mine), "--format", "csv"]
    evaluated = CliRunner().invoke(cli, ["train", "coherence", *asked])
    assert evaluated.exit_code == 0, evaluated.exception
    head, row = (line.split(",") for line in evaluated.stdout.splitlines()[:2])
    found = dict(zip(head, row, strict=True))
    assert (found["stories"], found["pairs"]) == ("mine.jsonl", "120") and 0 <= float(
        found["forced choice"]
    ) <= 1

    shown = {"output_stories": [{"album_id": "s", "photo_sequence": ["0", "1"]}]}
    shown["output_stories"][0]["story_text_normalized"] = "a red square is near a page . the circle is blue ."
    (tmp_path / "told.json").write_text(json.dumps(shown))
    metric = f"rovist(coherence={tmp_path / 'c'},grounding={tmp_path / 'vg'})"
    with pytest.warns(StorymeterWarning, match=r"glove\.txt has no vector for 1 of 3 nouns, .*: page\."):
        scored = CliRunner().invoke(
            cli, ["score", str(tmp_path / "told.json"), "--images", str(images), "-m", metric]
        )
    assert scored.exit_code == 0, scored.exception
    space = load_space(str(tmp_path / "vg"))
    assert not space.phrases(["page"]).any()

    other = tiny.glove(tmp_path / "other.txt", ["red", "blue", "square", "circle", "page"])
    monkeypatch.setenv("STORYMETER_GLOVE", str(other))
    load_space.cache_clear()
    assert load_space(str(tmp_path / "vg")).label != space.label, "other numbers have another signature"
    load_space.cache_clear()


def test_captions_as_mentions(tmp_path: Path) -> None:
    path = tmp_path / "c.csv"
    path.write_text("image,caption\na.jpg,A man walks his dogs in the park\na.jpg,the\n")
    assert read_captions(path) == [Mention("a", word, None) for word in ("man", "dogs", "park")]
    path.write_text("image,caption,xmin,ymin,xmax,ymax\na.jpg,the old dog,1,2,30,40\n")
    assert read_captions(path) == [Mention("a", "old dog", (1, 2, 30, 40))]
    coco, splits = tmp_path / "coco.json", tmp_path / "splits.json"
    images = [{"id": 7, "file_name": "a.jpg"}, {"id": 8, "file_name": "b.jpg"}]
    captions = [{"id": 1, "image_id": 8, "caption": "A man"}, {"id": 2, "image_id": 7, "caption": "a dog"}]
    coco.write_text(json.dumps({"images": images, "annotations": captions}))
    assert set(read_captions(coco)) == {Mention("b.jpg", "man", None), Mention("a.jpg", "dog", None)}
    told = [{"filename": f"{k}.jpg", "split": s, "sentences": [{"raw": t}]} for k, s, t in (
        ("c", "train", "A man"), ("d", "test", "a dog"), ("e", "restval", "the park"))]  # fmt: skip
    splits.write_text(json.dumps({"dataset": "flickr30k", "images": told}))
    assert read_captions(splits) == [Mention("c.jpg", "man", None), Mention("e.jpg", "park", None)]
    path.write_text("image,caption,x,y,w,h\na.jpg,the old dog,1,2,0,40\n")
    with pytest.raises(DataError, match="x, y, w, h = 1, 2, 0, 40 is no box"):
        read_captions(path)
    path.write_text("image,caption\na.jpg,the\n")
    with pytest.raises(DataError, match="names nothing that a picture could show"):
        read_captions(path)
    missing = CliRunner().invoke(cli, ["train", "grounding", "--images", str(tmp_path), "--out", "x"])
    assert missing.exit_code == 2


def test_few_steps_look_at_few_pairs(tmp_path: Path) -> None:
    """Frozen layers run for the pairs of the steps alone, and both ways end with the same weights."""
    data, words = tiny.ordered_stories(tmp_path / "stories.json", 60)
    encoder = tiny.text_model(tmp_path / "bert", words, "bert")
    totals: dict[str, int] = {}

    def train(out: str, steps: int) -> None:
        options = msgspec.structs.replace(QUICK, batch_size=8, steps=steps)
        recipe = Recipe(freeze=1, pooling="cls+a+b", options=options)

        def progress(what: str, done: int, total: int) -> None:
            totals[f"{out} {what}"] = total

        train_coherence(
            read_stories(data), [], tmp_path / out, encoder=str(encoder), recipe=recipe, progress=progress
        )

    train("two", 2)
    train("all", 1000)
    layers = "running the frozen layers"
    kept_back = totals["two judging pairs kept back"]
    assert totals[f"two {layers}"] == 2 * (2 * 8 + kept_back) < totals[f"all {layers}"]
    assert totals["all training\tepoch 6"] < 1000 and totals["two training\tepoch 1"] == 2


def test_progress_as_lines() -> None:
    said: list[str] = []
    times = iter([0.0, 1.0, 20.0, 21.0, 25.0, 3000.0])
    progress = LoggedProgress(said.append, every=10, clock=lambda: next(times))
    for what, done in [
        ("reading", 0),
        ("reading", 1),
        ("reading\tpart 2", 2),
        ("reading", 3),
        ("training", 0),
    ]:
        progress(what, done, 20)
    progress("training", 10, 40)
    assert said == [
        "reading …",
        "reading (part 2): 2 of 20, about 3 min left",
        "training …",
        "training: 10 of 40, about 2 h 29 min left",
    ]


def test_help_states_the_defaults_of_both_recipes() -> None:
    shown = " ".join(CliRunner().invoke(cli, ["train", "coherence", "--help-all"]).output.split())
    for wanted in ("(0.08; with --encoder 0.15)", "(0.0002; with --encoder 1e-05)", "(1; with --encoder 30)"):
        assert wanted in shown


def test_temperature() -> None:
    random = np.random.default_rng(0)
    truth = random.normal(size=(4000, 2)) * [1, 1] + [0.7, -0.7]
    wild = truth * 5
    assert fit_temperature(wild) > 2 * fit_temperature(truth)
    assert nll(wild, fit_temperature(wild)) < nll(wild, 1.0)
    assert chosen_temperature(wild) == round(fit_temperature(wild), 4)
    odds = np.log(0.7 / 0.3) * np.where(
        np.arange(4000)[:, None] % 10 < 7, [1, -1], [-1, 1]
    )  # says .7 and is right in 70 of 100: nothing to mend
    assert chosen_temperature(odds) == 1 and chosen_temperature(odds[:10]) == 1
