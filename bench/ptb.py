"""Captions per second: the jar through pycocoevalcap, and ours, on the same captions in the same run.

    python bench/ptb.py [--captions FILE.jsonl.xz] [--jobs 2]

FILE holds one JSON object with a field `in` per line; without it, sentences are made up. The jar's time
includes the start of its virtual machine, as in every call of pycocoevalcap; its pure rate is estimated from
two runs of different size."""

from __future__ import annotations

import argparse
import json
import lzma
import os
import random
import timeit
from collections.abc import Callable
from pathlib import Path

GOLDEN = Path(os.environ.get("STORYMETER_GOLDEN", Path(__file__).resolve().parents[2] / "shared" / "golden"))
WORDS = (
    "a the man woman dog is are seen standing running, holding ball in on of and then it's doesn't t-shirt"
    " (smiling) camera."
)


def captions(path: Path) -> list[str]:
    if path.exists():
        with lzma.open(path, "rt", encoding="utf-8") as lines:
            return [json.loads(line)["in"] for line in lines]
    rng, words = random.Random(1), WORDS.split()
    return [" ".join(rng.choices(words, k=rng.randint(6, 20))) + "." for _ in range(35_000)]


def seconds(work: Callable[[], object], repeat: int = 1) -> float:
    return min(timeit.repeat(work, "gc.enable()", repeat=repeat, number=1))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--captions", type=Path, default=GOLDEN / "ptb_captions.jsonl.xz")
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    lines = captions(arguments.captions)

    from pycocoevalcap.tokenizer.ptbtokenizer import PTBTokenizer

    from storymeter.text.ptb import tokenize_joined

    def jar(part: list[str]) -> dict[int, list[str]]:
        found: dict[int, list[str]] = PTBTokenizer().tokenize(
            {i: [{"caption": line}] for i, line in enumerate(part)}
        )
        return found

    theirs = jar(lines)
    ours = tokenize_joined(lines, punctuation=False, jobs=arguments.jobs)
    same = sum(theirs[i][0] == line for i, line in enumerate(ours))
    whole, tenth = seconds(lambda: jar(lines), 2), seconds(lambda: jar(lines[: len(lines) // 10]), 2)
    rate = len(lines) / whole
    pure = (len(lines) - len(lines) // 10) / max(whole - tenth, 1e-9)
    print(f"{len(lines)} captions, {same} with the same tokens")
    print(
        f"jar                  {rate:12,.0f} captions/s   (without the start of the machine about"
        f" {pure:,.0f})"
    )
    for jobs in sorted({1, arguments.jobs}):
        own = len(lines) / seconds(lambda jobs=jobs: tokenize_joined(lines, punctuation=False, jobs=jobs), 5)
        print(
            f"storymeter, {jobs} thread{'s' if jobs > 1 else ' '} {own:12,.0f} captions/s   {own / rate:.1f}"
            f" times the jar   ({own / pure:.1f} times its pure rate)"
        )


if __name__ == "__main__":
    main()
