"""Tokens of the original tool: every caption of ActivityNet's validation set, and adversarial lines."""

from __future__ import annotations

import json
import lzma
from pathlib import Path
from typing import Any

import pytest

from storymeter.text import ptb

#: The captions whose golden tokens depend on the caption that followed them in the batch, and why.
CONTEXT_DEPENDENT = {
    9859: (
        "ends in a single letter and a dot, and the next caption began with a sentence word: the original"
        " then cut off the dot"
    ),
}


def _load(path: Path) -> list[dict[str, Any]]:
    if not path.exists():
        pytest.skip(f"{path} is not there")
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def test_captions(golden: Path) -> None:
    rows = _load(golden / "ptb_captions.jsonl.xz")
    assert len(rows) == 34_536
    captions = [row["in"] for row in rows]
    raw = ptb.tokenize_joined(captions, punctuation=True)
    final = ptb.tokenize_joined(captions, punctuation=False)
    wrong = {i for i, row in enumerate(rows) if (raw[i], final[i]) != (row["ptb"], row["final"])}
    assert wrong == set(CONTEXT_DEPENDENT)


def test_the_context_dependent_caption_in_its_context(golden: Path) -> None:
    rows = _load(golden / "ptb_captions.jsonl.xz")
    for index in CONTEXT_DEPENDENT:
        both = rows[index]["in"] + "\n" + rows[index + 1]["in"]
        assert ptb.tokenize_joined([both], punctuation=True) == [
            rows[index]["ptb"] + " " + rows[index + 1]["ptb"]
        ]


def test_adversarial_lines(golden: Path) -> None:
    """Each was tokenised with a next line behind it; so it is here."""
    rows = _load(golden / "ptb_fuzz.jsonl.xz")
    assert len(rows) == 6_000
    found = ptb.tokenize_joined([row["in"] + row["context_after"] for row in rows], punctuation=True)
    wrong = [
        (row["in"], row["ptb"], tokens)
        for row, tokens in zip(rows, found, strict=True)
        if tokens != f"{row['ptb']} {row['context_after'].strip()}".strip()
    ]
    assert wrong == []
