"""What tables, notes and messages say: once, and only of what is there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from storymeter import Corpus, Document, meta
from storymeter.captions import Caption
from storymeter.cli import cli
from storymeter.errors import StorymeterError
from storymeter.join import join
from storymeter.meta import similarity
from storymeter.protocol import get as get_protocol
from storymeter.report import present, render

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"


def corpus(name: str, *texts: str) -> Corpus:
    return Corpus(tuple(Document(f"i{k}", (Caption(text),)) for k, text in enumerate(texts)), name)


def test_how_many_there_are_is_said_once() -> None:
    twice = [Document(f"v{k}", (Caption("a dog"),)) for k in range(12)] * 2
    with pytest.raises(StorymeterError) as error:
        join(
            candidates=Corpus(tuple(twice), "mine"),
            references=[Corpus(tuple(twice[:12]), "people")],
            protocol=get_protocol("paper"),
        )
    assert error.value.message.count("12") == 1 and error.value.message.endswith("…")


def test_one_rank_is_no_range() -> None:
    done = CliRunner().invoke(cli, ["human", "analyse", str(EXAMPLES / "ratings.csv")])
    assert done.exit_code == 0, done.output
    assert "rank" in done.stdout and not re.search(r"\b(\d+)-\1\b", done.stdout)


def test_a_column_of_reasons_is_there_only_with_a_reason() -> None:
    draw = np.random.default_rng(2).normal(size=(9, 3)).tolist()

    def heads(*more: str) -> list[str]:
        records = [
            {
                "system": f"s{k % 3}",
                "item": f"i{k // 3}",
                "human": h,
                "one": a,
                "two": b,
                **dict.fromkeys(more, 1),
            }
            for k, (h, a, b) in enumerate(draw)
        ]
        _, table = present(meta.agree(records, resamples=0)).tables("markdown", None)
        return [head.name for head in table.heads]

    assert heads("flat")[-1] == "reason" and "reason" not in heads()


@pytest.mark.parametrize("people", [1, 2])
def test_the_note_below_the_similarities_speaks_of_lines_that_are_drawn(people: int) -> None:
    told = ["a red dog", "the dog is red", "a cat", "a bird"]
    systems = [corpus("one", *told[:2]), corpus("two", *told[2:])]
    humans = [corpus(f"person {k}", *np.roll(told, k)[:2].tolist()) for k in range(people)]
    page = render(present(similarity(systems, humans, scorer="rouge_l", resamples=20)), "html")
    assert len(re.findall(r'class="interval thin', page)) == 1 + people  # kinds of pairs
    assert ("human-human line" in " ".join(page.split())) == (people == 2)


@pytest.mark.parametrize("level", ["segment", "system"])
def test_the_sentence_on_corrected_p_names_a_table_that_is_there(level: Any) -> None:
    """In the terminal a matrix of Williams' tests stands in place of the comparisons of systems."""
    people, one, other = np.random.default_rng(1).normal(size=(3, 8, 6))
    records = [
        {"system": f"s{s}", "item": f"i{i}", "human": h + s, "good": h + s + a, "poor": b}
        for s, rows in enumerate(zip(people.tolist(), one.tolist(), other.tolist(), strict=True))
        for i, (h, a, b) in enumerate(zip(*rows, strict=True))
    ]
    shown = present(meta.agree(records, level=level, resamples=0))
    printed, page = render(shown, "table"), render(shown, "html")
    assert "corrected ones in the table of comparisons)" in page
    assert ("p Holm" in printed) == ("corrected ones in the table of comparisons)" in printed)
    assert ("--format markdown" in printed) == ("p Holm" not in printed) == (level == "system")
    assert "p Holm" in render(shown, "markdown")
