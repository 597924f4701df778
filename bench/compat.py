"""An unchanged script under pycocoevalcap and under storymeter.compat, in the same run: how long, how equal.

    python bench/compat.py [--captions 5000]

Both are whole processes: start, tokeniser, BLEU, METEOR, ROUGE-L, CIDEr, end. A `java` that leaves a mark
stands first on the path of ours: the last line says whether it was called."""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SCRIPT = """
import json, sys
from pycocoevalcap.eval import Bleu, Cider, Meteor, Rouge
from pycocoevalcap.tokenizer.ptbtokenizer import PTBTokenizer
gts, res = json.load(open(sys.argv[1]))
tokenizer = PTBTokenizer()
gts, res = tokenizer.tokenize(gts), tokenizer.tokenize(res)
out = {}
for name, scorer in (("BLEU", Bleu(4)), ("METEOR", Meteor()), ("ROUGE_L", Rouge()), ("CIDEr", Cider())):
    score, each = scorer.compute_score(gts, res)
    whole = list(score) if isinstance(score, list) else float(score)
    out[name] = [whole, [list(e) for e in each] if name == "BLEU" else list(map(float, each))]
json.dump(out, open(sys.argv[2], "w"))
"""


def captions(count: int) -> tuple[dict, dict]:
    """Sentences of ActivityNet where its folder is there (STORYMETER_DATA), made-up ones elsewhere."""
    draw = random.Random(1)
    folder = Path(os.environ.get("STORYMETER_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))
    if (folder / "anet" / "val_1.json").is_file():
        videos = json.loads((folder / "anet" / "val_1.json").read_text(encoding="utf-8")).values()
        lines = [sentence for video in videos for sentence in video["sentences"]]
    else:
        words = [f"word{k}" for k in range(2_000)]
        lines = [" ".join(draw.choices(words, k=13)).capitalize() + "." for _ in range(20_000)]
    gts = {k: [{"caption": draw.choice(lines)} for _ in range(draw.randint(1, 3))] for k in range(count)}
    res = {
        k: [{"caption": " ".join(word for word in group[0]["caption"].split() if draw.random() < 0.8) or "a"}]
        for k, group in gts.items()
    }
    return gts, res


def largest_difference(a: object, b: object) -> float:
    if isinstance(a, dict) and isinstance(b, dict):
        return max(largest_difference(a[key], b[key]) for key in a)
    if isinstance(a, list) and isinstance(b, list):
        return max((largest_difference(x, y) for x, y in zip(a, b, strict=True)), default=0.0)
    return abs(a - b)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--captions", type=int, default=5_000)
    count = parser.parse_args().captions
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "script.py").write_text(SCRIPT, encoding="utf-8")
        (folder / "in.json").write_text(json.dumps(captions(count)), encoding="utf-8")
        trap = folder / "bin" / "java"
        trap.parent.mkdir()
        trap.write_text(f"#!/bin/sh\ntouch '{folder}/java-was-called'\nexit 1\n", encoding="utf-8")
        trap.chmod(0o755)
        runs = {
            "pycocoevalcap": ([], os.environ["PATH"]),
            "storymeter.compat": (
                ["-m", "storymeter.compat"],
                f"{trap.parent}{os.pathsep}{os.environ['PATH']}",
            ),
        }
        seconds, processor, results = {}, {}, {}
        for which, (options, path) in runs.items():
            target = folder / f"{which}.json"
            begin, before = time.perf_counter(), os.times()
            subprocess.run(
                [sys.executable, *options, folder / "script.py", folder / "in.json", target],
                check=True,
                capture_output=True,
                env={**os.environ, "PATH": path},
            )
            seconds[which], after = time.perf_counter() - begin, os.times()
            processor[which] = sum(after[2:4]) - sum(before[2:4])
            results[which] = json.loads(target.read_text(encoding="utf-8"))
            print(
                f"{which:18} {seconds[which]:8.2f} s for {count:,} captions, end to end"
                f" ({processor[which]:.2f} s of processor)"
            )
        wall, work = (theirs / ours for theirs, ours in (seconds.values(), processor.values()))
        difference = largest_difference(*results.values())
        print(
            f"{wall:.0f} times faster ({work:.0f} times less processor); largest difference {difference:.1e}"
        )
        print("java was called" if (folder / "java-was-called").exists() else "no java process was started")


if __name__ == "__main__":
    main()
