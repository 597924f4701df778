"""Explanations are by the metrics that scored: `show`, `report` and `score` agree to the last bit."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from part_kit import need

from storymeter.captions import Caption, Corpus, Document
from storymeter.engine import Results, Run, show
from storymeter.errors import DataError, UsageError
from storymeter.formats import read, write
from storymeter.report import write_report
from storymeter.story import Recipe, TrainingOptions, coherence, explain_story, read_stories, train_coherence
from storymeter.story.rovist import StoryExplanation

from . import tiny

torch = need("torch")
need("transformers")
need("HanTa")
Image = pytest.importorskip("PIL.Image")

EXAMPLES = Path(__file__).resolve().parents[3] / "examples" / "stories"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A trained model of order, an untrained CLIP, three pictures, and 1,000 stories."""
    folder = tmp_path_factory.mktemp("explained")
    data, words = tiny.ordered_stories(folder / "train.json")
    encoder = tiny.text_model(folder / "bert", words, "bert")
    options = TrainingOptions(lr=5e-3, batch_size=32, epochs=1, interval=3)
    recipe = Recipe(freeze=1, pooling="cls+a+b", dropout=0.1, options=options)
    train_coherence(read_stories(data), [], folder / "c1", encoder=str(encoder), recipe=recipe)
    tiny.clip(folder / "clip", words, seed=3)
    (folder / "images").mkdir()
    random = np.random.default_rng(5)
    for k in range(3):
        pixels = random.integers(0, 255, (24, 24, 3), dtype=np.uint8)
        Image.fromarray(pixels).save(folder / "images" / f"{k}.png")
    told = [sentence for story in read_stories(data) for sentence in story.sentences]
    documents = tuple(
        Document(
            f"s{k:04}",
            tuple(
                Caption(f"{told[random.integers(len(told))]} with the {noun}", image=f"{random.integers(3)}")
                for noun in random.choice(["dog", "boat", "sea", "cake", "friend", "house"], 4)
            ),
        )
        for k in range(1000)
    )
    for count in (8, 1000):
        write(Corpus(documents[:count], "mine", "story"), folder / f"{count}.jsonl")
    return folder


def _scored(home: Path, count: int, *metrics: str) -> Results:
    corpus = read(home / f"{count}.jsonl")
    assert isinstance(corpus, Corpus) and len(corpus) == count and corpus.kind == "story"
    return Run(images=str(home / "images")).score(corpus, list(metrics), resamples=0)


def _numbers(found: Any) -> tuple[float, float, float]:
    assert isinstance(found, StoryExplanation) and found.links is not None and found.sight is not None
    return found.sight.score, found.links.mean, found.nr


@pytest.mark.parametrize("count", [8, 1000])
@pytest.mark.filterwarnings("ignore:The idf of nouns")
def test_show_report_and_score_agree_to_the_last_bit(home: Path, tmp_path: Path, count: int) -> None:
    images = str(home / "images")
    name = f"rovist(coherence={home / 'c1'},grounding={home / 'clip'},idf=corpus,repeats=score)"
    results = _scored(home, count, name)
    score = results.systems[0].scores[0]
    assert score.rows is not None
    saved = str(tmp_path / "run.smr")
    results.save(saved)
    write_report(results, tmp_path / "report.html", images=images)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    report = json.loads(page.partition('id="data">')[2].partition("</script>")[0])["stories"][0]
    for k in (0, 3, 7):
        document = score.ids[k]
        _, vg, c, nr = score.rows[k, :4].tolist()
        for found in (
            show(document, saved, images=images),
            show(document, str(home / f"{count}.jsonl"), metric=name, images=images),
        ):
            assert _numbers(found) == (vg, c, nr) and not found.notes  # type: ignore[union-attr]
        links = show(document, saved, images=images).links  # type: ignore[union-attr]
        assert report[k]["links"] == [round(p, 3) for p in links.probabilities]


def test_a_model_that_is_not_there_is_refused(home: Path) -> None:
    with pytest.raises(DataError, match="holds no coherence model"):
        show("s0000", str(home / "8.jsonl"), metric="rovist_c(model=runs/nonexistent)")
    with pytest.raises(UsageError, match="has no explanation of a story"):
        show("s0000", str(home / "8.jsonl"), metric="meteor")


def test_a_saved_run_is_explained_by_what_it_scored(home: Path, tmp_path: Path) -> None:
    saved = str(tmp_path / "run.smr")
    results = _scored(home, 8, f"rovist_c(model={home / 'c1'})")
    results.save(saved)
    found = show("s0000", saved, images=str(home / "images"))
    assert isinstance(found, StoryExplanation) and found.sight is None
    assert "Grounding was not scored (rovist_vg)." in found.notes
    with pytest.raises(UsageError, match="no scores of rovist_c"):
        show("s0000", saved, metric="rovist_c")


def test_a_model_that_has_changed_is_named(home: Path, tmp_path: Path) -> None:
    """The run says one number and the model of today another."""
    import shutil

    model = tmp_path / "c"
    shutil.copytree(home / "c1", model)
    saved = str(tmp_path / "run.smr")
    before = _scored(home, 8, f"rovist_c(model={model})")
    before.save(saved)
    config = json.loads((model / "coherence.json").read_text())
    (model / "coherence.json").write_text(json.dumps({**config, "temperature": 7.0}))
    coherence.load.cache_clear()
    notes = " ".join(show("s0000", saved).notes)  # type: ignore[union-attr]
    assert re.search(
        r"The run has C 0\.\d{3} for this story, and its models and pictures now give 0\.", notes
    )
    now = _scored(home, 8, f"rovist_c(model={model})")
    assert now.systems[0].scores[0].signature != before.systems[0].scores[0].signature
    coherence.load.cache_clear()


def test_the_readings_of_the_paper(home: Path) -> None:
    """Repeated sentences, final marks and temperature, each by itself."""
    story = Document(
        "s", (Caption("We ran there."), Caption("we ran there"), Caption("In the night we slept!"))
    )
    values = {}
    for options in ("", "repeats=score", "marks=keep", "temperature=one"):
        found = explain_story(story, metrics=[f"rovist_c({options})" if options else "rovist_c"])
        assert found.links is not None
        values[options] = found.links.probabilities
    assert values[""][0] == 0 and values["repeats=score"][0] > 0
    assert values["repeats=score"][1] == values[""][1]
    assert values["marks=keep"][1] != values[""][1]
    p, raw = values[""][1], values["temperature=one"][1]
    logit = lambda x: np.log(x / (1 - x))  # noqa: E731
    assert logit(raw) == pytest.approx(coherence.load().config.temperature * logit(p))  # type: ignore[attr-defined]


def test_coherence_of_a_story_does_not_depend_on_the_others() -> None:
    stories = [[c.text for c in d.captions] for d in read(EXAMPLES / "good.json")]
    model = coherence.load()
    together = coherence.coherence(stories, model)
    for k in (0, 5):
        assert np.array_equal(coherence.coherence([stories[k]], model)[0], together[k])
    backwards = coherence.coherence(stories[::-1], model)[::-1]
    assert all(map(np.array_equal, together, backwards))
