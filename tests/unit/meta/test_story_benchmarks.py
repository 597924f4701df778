"""Stories with two endings, rated stories, captions with one wrong detail, and samples of benchmarks."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest

from storymeter.errors import DataError
from storymeter.meta.benchmarks import available, load
from storymeter.meta.records import sampled

Run = Callable[..., tuple[int, str, str]]
HEAD = ["InputStoryid", *(f"InputSentence{k}" for k in range(1, 5))]
HEAD += ["RandomFifthSentenceQuiz1", "RandomFifthSentenceQuiz2", "AnswerRightEnding"]


#: wrong details are made by kinds of words
tagger = pytest.mark.skipif(
    find_spec("HanTa") is None, reason="pip install 'storymeter[neural]' runs this test"
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three stories with two endings, three rated ones, and eight videos that two people told."""
    stories = tmp_path / "stories"
    stories.mkdir()
    begun = ["Tom has a dog.", 'It is "old".', "They go out.", "It rains."]
    endings = ["They get wet.", "Tom is a famous singer now in the town."]
    rows = [[f"s{k}", *begun, *(endings if k else endings[::-1]), "1" if k else "2"] for k in range(3)]
    text = "\n".join("\t".join(row) for row in [HEAD, *rows])
    (stories / "storycloze_test_2016.tsv").write_text(text + "\n")
    rated = ["7 ||| a dog runs . it barks . ||| 1 1 0 0", "", "8 ||| a cat sat . a cat sat . ||| 0 0 0 0"]
    (stories / "union_roc_rated.txt").write_text(
        "\n".join([*rated, "9 ||| he sang . all left . ||| 1 1 1 1"])
    )
    videos = [name for name in (f"v{k}" for k in range(40)) if zlib.crc32(name.encode()) % 2 == 0][:8]
    assert len(videos) == 8
    told = [
        ["A man washes two red cars.", "A woman throws the ball to a dog."],
        ["A boy eats nine yellow apples.", "The girl is riding a horse."],
    ]
    (tmp_path / "anet").mkdir()
    for k in (1, 2):
        known = {name: {"duration": 9.0, "sentences": told[at % 2]} for at, name in enumerate(videos)}
        (tmp_path / f"anet/val_{k}.json").write_text(json.dumps(known))
    return tmp_path


def test_endings(run: Run, folder: Path) -> None:
    benchmark = load("story-cloze", folder)
    assert [choice.better for choice in benchmark.choices] == [
        "second\t00002",
        "first\t00003",
        "first\t00004",
    ]
    told = dict(zip(benchmark.task.ids, benchmark.task.candidates, strict=True))
    right = told["second\t00002"]
    assert [caption.text for caption in right.captions][1:] == [
        'It is "old"', "They go out", "It rains", "They get wet"
    ]  # fmt: skip
    code, out, err = run(
        "meta", "benchmark", "story-cloze", "--data", str(folder), "-m", "words", "--format=csv"
    )
    assert (code, out.splitlines()[1]) == (0, "words,0.0,0,3"), err  # each wrong ending is the longer one


def test_rated_stories(folder: Path) -> None:
    judgements = load("stories-roc", folder).judgements
    assert [(j.item, j.value) for j in judgements] == [("0000", 0.5), ("0001", 0.0), ("0002", 1.0)]


@tagger
def test_one_wrong_detail(run: Run, folder: Path) -> None:
    benchmark = load("wrong-detail", folder)
    kinds = {choice.category for choice in benchmark.choices}
    assert kinds >= {"object", "action", "colour", "number", "negation", "exchange"}
    code, out, err = run(
        "meta", "benchmark", "wrong-detail", "--data", str(folder), "-m", "bleu_4", "--format=csv"
    )
    assert code == 0, err
    assert out.splitlines()[0].startswith("metric,object,action,colour,number,negation,exchange,mean")


@tagger
def test_videos_that_facts_has_seen_are_left_out(folder: Path) -> None:
    odd = next(name for name in (f"w{k}" for k in range(40)) if zlib.crc32(name.encode()) % 2)
    for k in (1, 2):
        path = folder / f"anet/val_{k}.json"
        known = json.loads(path.read_text())
        told = {"sentences": ["A boy eats nine yellow bananas."]}
        path.write_text(json.dumps({odd: told, **known}))
    texts = [document.text for document in load("wrong-detail", folder).task.candidates]
    assert texts and not any("bananas" in text for text in texts)
    rated = folder / "metaeval/factvc_activitynet/paragraphs.jsonl"
    rated.parent.mkdir(parents=True)
    rated.write_text("\n".join(json.dumps({"video": name, "x": 1}) for name in known))
    with pytest.raises(DataError, match="no video has captions in both files"):
        load("wrong-detail", folder)


def test_all_are_found(folder: Path) -> None:
    assert set(available(folder)) == {"stories-roc", "story-cloze", "wrong-detail"}


@pytest.mark.parametrize(
    ("name", "file", "content", "said"),
    [
        ("story-cloze", "stories/storycloze_test_2016.tsv", "a\tb\n1\t2\n", "line 2: four sentences"),
        ("stories-roc", "stories/union_roc_rated.txt", "1 ||| a story . |||  ", "line 1: `id"),
        ("stories-roc", "stories/union_roc_rated.txt", "1 ||| a story . ||| yes", "line 1: `id"),
        ("wrong-detail", "anet/val_1.json", "[]", "val_1.json: Expected `object`"),
    ],
)
def test_damaged_files(folder: Path, name: str, file: str, content: str, said: str) -> None:
    (folder / file).write_text(content)
    with pytest.raises(DataError, match=said):
        load(name, folder)


@tagger
def test_samples(run: Run, folder: Path) -> None:
    whole = load("wrong-detail", folder)
    part = sampled(whole, 5, seed=1)
    assert len(part.choices) == 5 and set(part.choices) < set(whole.choices)
    assert set(part.task.ids) == {key for choice in part.choices for key in choice[:2]}
    assert sampled(whole, 5, seed=1).choices == part.choices != sampled(whole, 5, seed=2).choices
    assert sampled(whole, 10_000, seed=1) is whole
    rated = sampled(load("stories-roc", folder), 2, seed=0)
    assert len(rated.judgements) == len(rated.task) == 2
    arguments = ["meta", "benchmark", "story-cloze", "--data", str(folder), "-m", "words", "--sample", "2"]
    code, _, err = run(*arguments)
    assert code == 0 and "2 of 3 pairs, drawn by seed 0" in err


@tagger
def test_the_card_has_a_column_for_wrong_details(run: Run, folder: Path) -> None:
    pair = {"captions": ["a dog", "a plane lands there"], "preferred": 0, "references": ["a dog"]}
    path = folder / "metaeval/pascal50s/pairs.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text("\n".join(json.dumps({**pair, "category": kind}) for kind in ("HC", "HI")))
    asked = ["-m", "bleu_1,words", "-b", "pascal-50s", "-b", "wrong-detail", "--resamples", "0"]
    code, out, err = run("meta", "report-card", "--data", str(folder), *asked)
    assert code == 0, err
    made = "report-card --data DIR --seed 0 --resamples 0 -m bleu_1,words -b pascal-50s -b wrong-detail`"
    assert made in out  # what was left out is said
    summary, details = out.split("## Details")
    assert "Over 1 benchmark it" in summary
    assert "| pascal-50s | wrong detail | cost | training or tuning data |" in summary
    mean = {
        line.split("|")[1].strip(): line.split("|")[-4].strip()
        for line in details.splitlines()
        if "|" in line
    }
    for name in ("bleu_1", "words"):  # the column holds the mean over kinds
        (row,) = [line for line in summary.splitlines() if line.startswith(f"| {name} |")]
        assert row.split("|")[-4].strip() == mean[name]
    code, out, err = run("meta", "report-card", "--data", str(folder), *asked, "--format", "json")
    assert set(json.loads(out)["wrong_detail"]) == {"bleu_1", "words"}, err


@pytest.mark.parametrize("name", ["stories-roc", "story-cloze"])
def test_metrics_that_need_references(run: Run, folder: Path, name: str) -> None:
    code, _, err = run("meta", "benchmark", name, "--data", str(folder), "-m", "words,meteor")
    assert code == 2 and f"{name} has no references, and meteor needs them." in err


HEADS = "team,story_id,album_id,workerId,focused,coherent,share,human,grounded,detailed"


def vist_edit_copy(folder: Path) -> None:
    """The layout of the release: two models, two stories each, two raters; edited stories without a text."""
    release = folder / "stories/vist_edit"
    for place, model in enumerate(("AREL", "GLAC")):
        (release / model / "test").mkdir(parents=True)
        rows = [HEADS]
        for k in range(2):
            story, photos = f"{k}1-{k}2", [f"{k}1", f"{k}2"]
            text = "we went out . it was fun ." if k else "a dog ran . a dog ran . a dog ran ."
            content = {
                "auto_story_text_normalized": text,
                "album_id": str(k),
                "photo_sequence_ids": photos,
                "x": [],
            }
            (release / model / f"test/{story}.json").write_text(json.dumps(content))
            rows += [f"auto-gen,{story},7.22E+16,r{j},{1 + 2 * k + j},2,2,2,2,{3 + place},,," for j in (0, 1)]
            rows.append(f"lstm,{story},7.22E+16,r0,5,5,5,5,5,5,,,")
        (release / "Human_eval").mkdir(exist_ok=True)
        (release / f"Human_eval/{model}.csv").write_text("\n".join(rows) + "\n")


def test_vist_edit(run: Run, folder: Path) -> None:
    vist_edit_copy(folder)
    benchmark = load("vist-edit", folder)
    assert not benchmark.needs_references and "There are no references" in benchmark.notes[-1]
    by_key = {(j.system, j.item): j.value for j in benchmark.judgements}
    assert by_key["AREL", "01-02"] == pytest.approx((1.5 + 8 + 3) / 6)
    assert by_key["GLAC", "11-12"] == pytest.approx((3.5 + 8 + 4) / 6)
    focus = {(j.system, j.item): j.value for j in benchmark.criteria["focus"]}
    assert focus["GLAC", "01-02"] == 1.5 and len(benchmark.criteria) == 6
    story = benchmark.task.candidates[benchmark.task.ids.index("AREL\t01-02")]
    assert [caption.text for caption in story.captions] == ["a dog ran ."] * 3
    assert "4 marks of edited stories are left out" in benchmark.notes[1]
    (folder / "vist").mkdir()
    told = {str(k): ["the dog ran .", "they went out ."] for k in range(2)}
    (folder / "vist/test_reference.json").write_text(json.dumps(told))
    code, out, err = run(
        *("meta", "benchmark", "vist-edit", "--data", str(folder), "-m", "rovist_nr,bleu_1"),
        *("--resamples", "0", "--permutations", "50", "--format", "json"),
    )
    assert code == 0, err
    assert [level["title"] for level in json.loads(out)["levels"]][-1].endswith("detailed")
    assert "mean of six marks from 1 to 5 by 2 raters, who were not tested" in err


@pytest.mark.parametrize(
    ("file", "content", "said"),
    [
        ("Human_eval/AREL.csv", f"{HEADS}\nauto-gen,01-02,7,r,1,2,3,x,5,5\n", "line 2: a team, a story"),
        ("Human_eval/AREL.csv", f"{HEADS}\nauto-gen,../../x,7,r,1,2,3,4,5,5\n", "has no story '../../x'"),
        ("AREL/test/01-02.json", "{}", "01-02.json: Object missing required field"),
    ],
)
def test_a_damaged_copy_of_vist_edit(folder: Path, file: str, content: str, said: str) -> None:
    vist_edit_copy(folder)
    (folder / "stories/vist_edit" / file).write_text(content)
    with pytest.raises(DataError, match=said):
        load("vist-edit", folder)
