"""BLEU, ROUGE-L and CIDEr: pycocoevalcap and Storymeter on the same captions in one run, and how time grows.

    python bench/ngram.py [--groups 4000]

Captions are those of ActivityNet in the folder STORYMETER_DATA (default ../shared/data), through the PTB
tokeniser; made-up sentences where that folder is absent."""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import random
import timeit
from collections.abc import Callable
from pathlib import Path

from pycocoevalcap.bleu.bleu import Bleu as TheirBleu
from pycocoevalcap.cider.cider import Cider as TheirCider
from pycocoevalcap.rouge.rouge import Rouge as TheirRouge

from storymeter.pairs import Bleu, Cider, RougeL
from storymeter.text import tokenize


def sentences(draw: random.Random, wanted: int) -> list[str]:
    file = (
        Path(os.environ.get("STORYMETER_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))
        / "anet"
        / "val_1.json"
    )
    if file.is_file():
        lines = [
            s for video in json.loads(file.read_text(encoding="utf-8")).values() for s in video["sentences"]
        ]
    else:
        lines = [
            " ".join(draw.choices([f"w{int(draw.paretovariate(0.8)) % 9000}" for _ in range(50)], k=13))
            for _ in range(20_000)
        ]
    return tokenize(draw.choices(lines, k=wanted), "ptb")


def seconds(work: Callable[[], object], times: int = 1) -> float:
    """The best of a few runs."""
    with contextlib.redirect_stdout(io.StringIO()):
        return min(timeit.repeat(work, "gc.enable()", repeat=times, number=1))


def main() -> None:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--groups", type=int, default=4000, help="captions, each with three references")
    groups = options.parse_args().groups
    draw = random.Random(0)
    lines = sentences(draw, 4 * groups)
    candidates, references = (
        lines[:groups],
        [lines[groups + 3 * k : groups + 3 * k + 3] for k in range(groups)],
    )
    truth, results = dict(enumerate(references)), {k: [c] for k, c in enumerate(candidates)}
    print(f"{groups:,} captions with three references each; seconds, best of three (pycocoevalcap: one run)")
    print(f"{'':10}{'pycocoevalcap':>15}{'1 thread':>10}{'2 threads':>11}{'ratio':>8}")
    for name, theirs, ours in (
        ("BLEU-1..4", TheirBleu(4), Bleu(4)),
        ("ROUGE-L", TheirRouge(), RougeL()),
        ("CIDEr", TheirCider(), Cider()),
    ):
        slow = seconds(lambda peer=theirs: peer.compute_score(truth, results))
        one, two = (
            seconds(
                lambda scorer=ours, j=jobs: scorer.pairs(
                    candidates=candidates, references=references, jobs=j
                ),
                3,
            )
            for jobs in (1, 2)
        )
        print(f"{name:10}{slow:15.3f}{one:10.3f}{two:11.3f}{slow / one:7.0f}x")
    block = lines[:1000]
    for name, scorer in (("BLEU-4", Bleu(4)), ("ROUGE-L", RougeL()), ("CIDEr", Cider())):
        taken = seconds(lambda s=scorer: s.matrix(candidates=block, references=block, jobs=2), 3)
        print(
            f"all against all, 1,000 x 1,000, two threads: {name:8} {len(block) ** 2 / taken / 1e6:6.2f}"
            " million pairs a second"
        )
    a, b = (" ".join(draw.choices("abcdefgh", k=100_000)) for _ in range(2))
    print(
        "ROUGE-L of two texts of 100,000 words:"
        f" {seconds(lambda: RougeL().matrix(candidates=[a], references=[b]), 3):.2f} s"
    )


if __name__ == "__main__":
    main()
