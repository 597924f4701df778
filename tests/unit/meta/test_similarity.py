"""Systems and people against each other: sums done by hand with ROUGE-L, and files that give trouble."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
import numpy as np
import pytest

from storymeter.captions import Caption, Corpus, Document
from storymeter.meta import similarity
from storymeter.pairs import RougeL
from storymeter.report import present, render

Run = Callable[..., tuple[int, str, str]]


def corpus(name: str, **texts: str | list[str]) -> Corpus:
    return Corpus(
        tuple(
            Document(id, (Caption(text),))
            for id, several in texts.items()
            for text in ([several] if isinstance(several, str) else several)
        ),
        name,
    )


def both_ways(a: str, b: str) -> float:
    return float(
        (RougeL().matrix(candidates=[a], references=[b]) + RougeL().matrix(candidates=[b], references=[a]))[
            0, 0
        ]
        / 2
    )


def test_means_by_hand() -> None:
    one, two, human = (
        corpus("one", x="a red dog", y="a cat"),
        corpus("two", x="a red dog", y="a bird sings"),
        corpus("people", x="a dog", y="the cat", z="left out"),
    )
    found = similarity([one, two], [human], scorer="rouge_l", tokenizer="whitespace", resamples=50)
    assert (
        found.items == ("x", "y")
        and found.pairs == ((0, 1), (0, 2), (1, 2))
        and "1 of 3 items" in found.notes[0]
    )
    expected = [
        [1.0, both_ways("a cat", "a bird sings")],
        [both_ways("a red dog", "a dog"), both_ways("a cat", "the cat")],
        [both_ways("a red dog", "a dog"), 0.0],
    ]
    assert np.allclose(found.values, expected)
    assert np.isnan(found.matrix()[0, 0]) and found.matrix()[2, 0] == pytest.approx(np.mean(expected[1]))
    nearest = found.means([found.of_source(0), found.of_source(0, human=True), found.of_kind("human-human")])
    assert (
        nearest[0] is not None
        and nearest[0].value == pytest.approx(np.mean(expected[:2]))
        and nearest[0].interval is not None
    )
    assert nearest[0].interval[0] <= nearest[0].value <= nearest[0].interval[1]
    assert (
        nearest[1] is not None
        and nearest[1].value == pytest.approx(np.mean(expected[1]))
        and nearest[2] is None
    )


def test_the_order_of_files_changes_nothing() -> None:
    texts = {f"v{k}": ("a red dog runs", "a cat", "two birds sing")[k % 3] for k in range(9)}
    one, other = corpus("one", **texts), corpus("other", **dict.fromkeys(texts, "a dog and two birds"))
    there, back = (
        similarity([Corpus(documents, "one"), other], scorer="rouge_l", tokenizer="whitespace", resamples=50)
        for documents in (one.documents, one.documents[::-1])
    )
    assert render(present(there), "json") == render(present(back), "json")


def test_alternatives_of_one_author_all_count() -> None:
    several, human = (
        corpus("several", x=["a dog", "a cat"]),
        corpus("people", x=["a dog", "the bird", "a dog"]),
    )
    found = similarity([several], [human], scorer="rouge_l", tokenizer="whitespace", resamples=0)
    assert found.values[0, 0] == pytest.approx(
        np.mean([both_ways(a, b) for a in ("a dog", "a cat") for b in ("a dog", "the bird", "a dog")])
    )


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    paths = [tmp_path / f"captions.{name}" for name in ("one", "two", "human")]
    for path, lines in zip(
        paths, (["a red dog", "a cat"], ["a red dog", "a bird sings"], ["a dog", "the cat"]), strict=True
    ):
        path.write_text("\n".join(lines) + "\n")
    return [str(path) for path in paths]


def test_the_verb(run: Run, files: list[str], tmp_path: Path) -> None:
    people = ["--human", files[2], "--scorer", "rouge_l", "--resamples", "50"]
    code, out, _ = run(
        "meta",
        "similarity",
        "--systems",
        files[0],
        files[1],
        *people,
        "--html",
        str(tmp_path / "page.html"),
        "--figures",
        str(tmp_path / "figures"),
    )
    assert code == 0 and "human-human" not in out and " one " in out and "█" in out
    page = (tmp_path / "page.html").read_text()
    assert (
        ">human<" in page
        and page.count("<svg") == 3
        and {f.name for f in (tmp_path / "figures").iterdir()}
        == {"similarity-kinds.png", "similarity-sources.png", "similarity-matrix.png"}
    )
    code, out, _ = run(
        "meta",
        "similarity",
        "--systems",
        files[0],
        "--systems",
        files[1],
        *people,
        "--format",
        "json",
        "--out",
        str(tmp_path / "out.json"),
        "--jobs",
        "2",
    )
    assert code == 0 and out == ""
    data = msgspec.json.decode((tmp_path / "out.json").read_bytes())
    assert data["items"] == 2 and {row["source"]: row["kind"] for row in data["sources"]} == {
        "one": "system",
        "two": "system",
        "human": "human",
    }
    low, high = data["kinds"][1]["interval"]
    assert low <= data["kinds"][1]["mean"] <= high
    assert sum(data["kinds"][1]["histogram"]) == 2 and data["matrix"]["one"]["one"] is None


def test_what_cannot_be_compared(run: Run, files: list[str], tmp_path: Path) -> None:
    (tmp_path / "other.json").write_text('{"q1": "a dog"}')
    for arguments, said in (
        ([files[0]], "two sources"),
        ([files[0], str(tmp_path / "other.json")], "No item is described"),
        ([*files, "--scorer", "psychic"], "psychic"),
    ):
        code, out, err = run("meta", "similarity", "--scorer", "rouge_l", "--systems", *arguments)
        assert code != 0 and not out and said in err
