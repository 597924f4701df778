"""Stories with a row per sentence, and columns that are named twice."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from storymeter.formats import read

Run = Callable[..., tuple[int, str, str]]
ROWS = [("x", 2, "it was fun ."), ("x", 1, "a dog ran ."), ("y", 1, "a cat sat ."), ("x", 3, "we left .")]


def table(path: Path, heads: str, *, numbered: bool = False) -> Path:
    rows = [f"{id},{place},{text}" if numbered else f"{id},{text}" for id, place, text in ROWS]
    path.write_text("\n".join([heads, *rows]) + "\n")
    return path


def told(path: Path, **options: str) -> dict[str, list[str]]:
    return {document.id: [c.text for c in document.captions] for document in read(path, **options)}


def test_a_row_per_sentence_is_read_as_stories(tmp_path: Path, run: Run) -> None:
    path = table(tmp_path / "long.csv", "story_id,text")
    in_file_order = {"x": ["it was fun .", "a dog ran .", "we left ."], "y": ["a cat sat ."]}
    assert told(path, lists="story") == told(path, kind="story") == in_file_order
    assert len(read(path)) == len(read(path, lists="alternatives")) == 4  # alternatives, as in COCO
    lines = path.with_suffix(".jsonl")
    lines.write_text("".join(f'{{"story_id": "{id}", "text": "{text}"}}\n' for id, _, text in ROWS))
    assert told(lines, lists="story") == in_file_order

    code, out, err = run("score", str(path), "-m", "rovist_nr", "--format", "csv")
    assert code == 0 and "rows of one id = sentences of a story" in err, err
    head, row = (line.split(",") for line in out.splitlines()[:2])
    assert dict(zip(head, row, strict=True))["n"] == "2"
    code, _, err = run("score", str(path), "-m", "words")
    assert code == 1 and "--lists story" in err
    assert run("score", str(path), "-m", "words", "--lists", "story")[0] == 0
    code, out, _ = run("validate", str(path))
    assert "--lists story" in out


def test_numbered_rows_are_put_in_their_order(tmp_path: Path) -> None:
    path = table(tmp_path / "long.csv", "story_id,sentence_id,text", numbered=True)
    assert told(path) == {"x": ["a dog ran .", "it was fun .", "we left ."], "y": ["a cat sat ."]}


def test_whole_stories_in_rows_stay_alternatives(tmp_path: Path) -> None:
    path = tmp_path / "told.csv"
    path.write_text("id,text\nx,a dog ran . it was fun .\nx,we went out . we left .\n")
    assert len(read(path, kind="story", role="references")) == 2


STORIES = {"x": ["a dog ran . it was fun .", "we went out . we left ."], "y": ["a cat sat . it slept ."]}
SENTENCES = [(id, story.split(" . ")) for id, stories in STORIES.items() for story in stories]
AS_REFERENCES = {
    "lists.jsonl": "".join(json.dumps({"id": id, "sentences": told}) + "\n" for id, told in SENTENCES),
    "whole.json": json.dumps(STORIES),
    "rows.csv": "id,text\n" + "".join(f"{id},{' . '.join(told)}\n" for id, told in SENTENCES),
    "rows.jsonl": "".join(json.dumps({"id": id, "text": " . ".join(told)}) + "\n" for id, told in SENTENCES),
}


@pytest.mark.parametrize("name", AS_REFERENCES)
def test_several_stories_of_one_id_are_several_references(name: str, tmp_path: Path, run: Run) -> None:
    """Not one long one, also where `--lists story` is needed for the candidates."""
    path, own = tmp_path / name, tmp_path / "own.jsonl"
    path.write_text(AS_REFERENCES[name])
    found = read(path, role="references", lists="story")
    assert [(d.id, " . ".join(c.text for c in d.captions)) for d in found] == [
        (id, story) for id, stories in STORIES.items() for story in stories
    ]
    if name == "lists.jsonl":
        assert len(read(path, role="references", kind="story")) == 3
    own.write_text("".join(json.dumps({"id": i, "sentences": t}) + "\n" for i, t in SENTENCES[1:]))
    code, out, err = run(
        *("score", str(own), "-r", str(path), "--lists", "story", "-m", "bleu_1", "--format", "csv")
    )
    assert code == 0, err
    head, row = (line.split(",") for line in out.splitlines()[:2])
    assert float(dict(zip(head, row, strict=True))["value"]) == pytest.approx(1.0)


@pytest.mark.parametrize("option", ["--columns", "--reference-columns"])
def test_a_field_that_is_named_twice_is_an_error(option: str, tmp_path: Path, run: Run) -> None:
    path = tmp_path / "s.csv"
    path.write_text("id,s1,s2\nx,a dog ran .,it was fun .\n")
    code, _, err = run("score", str(path), "-r", str(path), "-m", "bleu_1", option, "text=s1,text=s2")
    assert code == 2 and f"{option} names text more than once: s1, s2." in err


def test_a_rating_column_that_is_named_twice_is_an_error(tmp_path: Path, run: Run) -> None:
    path = tmp_path / "r.csv"
    path.write_text("rater,item,system,a,b\nr,1,x,2,3\n")
    code, _, err = run("human", "analyse", str(path), "--columns", "score=a,score=b")
    assert code == 2 and "--columns names score more than once: a, b." in err


@pytest.mark.parametrize("picture", ["image_id", "photo_id", "image"])
@pytest.mark.parametrize("suffix", ["csv", "json"])
def test_rows_of_sentences_name_their_pictures(tmp_path: Path, picture: str, suffix: str) -> None:
    """Rows of a sentence each, out of order, also in JSON whose fields are those of COCO's results."""
    rows = [
        ("1", "p0", 0, "A dog ran."),
        ("1", "p1", 1, "It slept."),
        ("2", "p0", 1, "It ate."),
        ("2", "p1", 0, "A cat sat."),
    ]
    names = ("story_id", picture, "order", "caption")
    path = tmp_path / f"rows.{suffix}"
    if suffix == "csv":
        path.write_text("\n".join([",".join(names), *(",".join(map(str, row)) for row in rows)]) + "\n")
    else:
        path.write_text(json.dumps([dict(zip(names, row, strict=True)) for row in rows]))
    found = {d.id: [(c.text, c.image) for c in d.captions] for d in read(path, lists="story")}
    assert found["1"] == [("A dog ran.", "p0"), ("It slept.", "p1")]
    assert found["2"] == [("A cat sat.", "p1"), ("It ate.", "p0")]
