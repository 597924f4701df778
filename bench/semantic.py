"""How fast are the measures that read meaning, and does memory stay flat?

    python bench/semantic.py [--data ../shared/data] [--captions 200000] [--encoded 30000] [--threads 2]
                             [--before HEAD~1] [--only before,profile]

sts      distinct captions encoded a second (fp32); all pairs of the encoded ones; the second run, out of the
         cache
bertscore    beside the package `bert-score` on the same real pairs: speed, and the largest difference of
             precision, recall and F1, idf off and on
memory   of a process that scores `--captions` distinct captions: after 8,000 and after `--encoded` of them
         went through the network, and at most. The others get
         vectors by chance, because the network's own memory does not depend on how many there are; `--encoded
         200000` (about ten minutes) sends all of them through it
bf16     `precision=bf16` beside fp32, by turns: speed on one thread, and the largest difference of a pair
profile  how many operations the layers' matrix products need, how many this machine can do in a second (one
         large product, one thread), and so how much faster fp32 could be at best
before   the commit `--before`, built beside the present one, by turns: captions encoded per second of
         processor time on one thread

Wants 300 captions a second, 5 million pairs a second, a second run 50 times faster, bertscore not slower than
its package and within 1e-5 of it, no pair moved by .01 in bf16, and at most 150 MB more memory at any time
than after the first 8,000; says so and exits 1 if not. On a busy machine compare the figures per second of
processor time."""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from before import built, python

WORDS = [
    "man",
    "woman",
    "dog",
    "child",
    "ball",
    "street",
    "kitchen",
    "runs",
    "cooks",
    "plays",
    "holds",
    "a",
    "the",
    "red",
    "small",
    "two",
    "with",
    "near",
    "on",
    "in",
    "behind",
    "horse",
    "boat",
    "guitar",
    "sings",
    "jumps",
    "snow",
    "field",
]


def generated(count: int, seed: int = 0) -> list[str]:
    """Distinct captions of six to twelve words."""
    draw = random.Random(seed)
    return [" ".join(draw.choices(WORDS, k=draw.randint(5, 11))) + f" {k}" for k in range(count)]


def real_pairs(data: Path, count: int) -> tuple[list[str], list[str]]:
    """Machine captions of TRECVID 2017 with their references; generated ones where the data is not there."""
    folder = data / "da" / "trecvid_vtt" / "single-annotator" / "2017"
    if not folder.is_dir():
        return generated(count), generated(count, seed=1)
    reference = next((folder / "references").iterdir()).read_text(encoding="utf-8").split("\n")
    pairs = [
        (caption, other)
        for file in sorted((folder / "systems").iterdir())
        for caption, other in zip(file.read_text(encoding="utf-8").split("\n"), reference, strict=False)
        if caption and other
    ]
    chosen = random.Random(0).sample(pairs, min(count, len(pairs)))
    return [a for a, _ in chosen], [b for _, b in chosen]


class Clock:
    """Seconds that passed, and seconds of processor time on all threads."""

    def __init__(self, work: Callable[[], Any]) -> None:
        begin, busy = time.perf_counter(), time.process_time()
        self.result = work()
        self.wall, self.busy = time.perf_counter() - begin, time.process_time() - busy

    def rate(self, count: int, threads: int) -> float:
        """What a machine with nothing else to do would reach: the better of both clocks."""
        return max(count / self.wall, threads * count / max(self.busy, 1e-9))

    def said(self, count: int) -> str:
        return (
            f"{count / self.wall:,.0f} a second ({count / max(self.busy, 1e-9):,.0f} per second of processor"
            " time)"
        )


def megabytes() -> float:
    status = Path("/proc/self/status")
    if status.exists():
        return (
            int(next(line for line in status.read_text().splitlines() if line.startswith("VmRSS")).split()[1])
            / 1024
        )
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def speed(captions: list[str], threads: int) -> bool:
    from storymeter.models import load_encoder
    from storymeter.pairs import Sts

    load_encoder().embed(captions[:64])
    distinct = list(dict.fromkeys(captions))
    with tempfile.TemporaryDirectory() as folder:
        os.environ["STORYMETER_CACHE"] = folder
        scorer = Sts()
        first = Clock(lambda: scorer.pairs(candidates=distinct, references=[[text] for text in distinct]))
        pairs = Clock(lambda: scorer.matrix(candidates=distinct, references=distinct, jobs=threads))
        index = np.random.default_rng(0).integers(0, len(distinct), (2, 4_000_000))
        listed = Clock(
            lambda: scorer.open().score_indexed(
                candidates=distinct,
                references=distinct,
                candidate_index=index[0],
                reference_index=index[1],
                jobs=threads,
            )
        )
        again = Clock(lambda: Sts().pairs(candidates=distinct, references=[[text] for text in distinct]))
    assert np.array_equal(first.result, again.result)
    print(f"sts         {len(distinct):,} distinct captions: {first.said(len(distinct))}")
    print(
        f"  pairs     all {len(distinct) ** 2:,}: {pairs.said(len(distinct) ** 2)}; {index.shape[1]:,} listed"
        f" ones: {listed.said(index.shape[1])}"
    )
    print(
        f"  cache     the second run takes {again.wall * 1000:,.0f} ms, the first took {first.wall:,.1f} s:"
        f" {first.wall / again.wall:,.0f} x ({first.busy / again.busy:,.0f} x in processor time)"
    )
    return (
        first.rate(len(distinct), threads) >= 300
        and pairs.rate(len(distinct) ** 2, threads) >= 5e6
        and listed.rate(index.shape[1], threads) >= 5e6
        and max(first.wall / again.wall, first.busy / again.busy) >= 50
    )


def bertscore(candidates: list[str], references: list[str], threads: int, rounds: int = 2) -> bool:
    """`batch=64` does as the package, which compares with padding except for the longest sentence of a batch;
    the default does not depend on batches.
    """
    import bert_score

    from storymeter.models.encoder import default_folder
    from storymeter.pairs import BertScore

    ours, theirs = candidates, references
    fine, index = True, np.arange(len(ours))
    for idf in (False, True):

        def storymeter(idf: bool = idf, batch: int = 64) -> np.ndarray:
            scorer = BertScore(idf=idf, batch=batch)
            scorer = scorer.open().fit([[text] for text in theirs])
            return scorer.parts_indexed(
                candidates=ours, references=theirs, candidate_index=index, reference_index=index, jobs=threads
            )

        def package(idf: bool = idf) -> np.ndarray:
            return np.stack(
                [
                    x.numpy()
                    for x in bert_score.score(
                        ours,
                        theirs,
                        model_type=str(default_folder()),
                        num_layers=BertScore().layer,
                        idf=idf,
                        device="cpu",
                    )
                ],
                axis=1,
            )

        runs = [
            (Clock(storymeter), Clock(package)) for _ in range(rounds)
        ]  # taken in turns, so that a busy moment hits both; the best of each counts
        mine, peer = (min((run[side] for run in runs), key=lambda clock: clock.busy) for side in (0, 1))
        apart = float(np.abs(mine.result - peer.result).max())
        alone = np.abs(storymeter(batch=0) - peer.result).max(axis=1)
        print(
            f"bertscore   {len(ours):,} pairs, idf {'on' if idf else 'off'}: {mine.said(len(ours))}; the"
            f" package: {peer.said(len(ours))}: {peer.busy / mine.busy:.2f} x; largest difference {apart:.1e}"
            f" (without batches: {(alone > 1e-5).sum()} pairs differ, by up to {alone.max():.1e})",
            flush=True,
        )
        fine &= apart < 1e-5 and peer.busy >= mine.busy
    return fine


class ByChance:
    """Stands in for the encoder: a vector of length one per sentence."""

    def embed(self, sentences: list[str]) -> np.ndarray:
        vectors = np.random.default_rng(len(sentences)).standard_normal(
            (len(sentences), 384), dtype=np.float32
        )
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def memory(count: int, encoded: int) -> bool:
    from storymeter.models import vectors as embeddings
    from storymeter.pairs import Sts

    genuine = embeddings.load
    with tempfile.TemporaryDirectory() as folder:
        os.environ["STORYMETER_CACHE"] = folder
        scorer, captions, seen = Sts(), generated(count, seed=7), []
        for begin in range(0, count, 4000):
            if begin >= encoded:
                embeddings.load = lambda *_: ByChance()
            part = captions[begin : begin + 4000]
            scorer.pairs(candidates=part, references=[[other] for other in part[::-1]])
            seen.append(megabytes())
        embeddings.load = genuine
        scorer.pairs(
            candidates=captions, references=[[other] for other in captions[::-1]]
        )  # all of them at once
        seen.append(megabytes())
        again = Sts()
        again.pairs(
            candidates=captions, references=[[other] for other in captions[::-1]]
        )  # and out of the cache
        seen.append(megabytes())
    marks = [
        (number, seen[max(0, -(-number // 4000) - 1)])
        for number in (min(8000, encoded, count), min(encoded, count))
    ]
    base = marks[0][1]
    print(
        f"memory      {count:,} distinct captions:"
        f" {', '.join(f'{megabytes:,.0f} MB after {number:,} encoded ones' for number, megabytes in marks)},"
        f" {max(seen):,.0f} MB at most, {seen[-1]:,.0f} MB at the end (their vectors alone:"
        f" {count * 384 * 4 / 2**20:,.0f} MB)"
    )
    return max(seen) - base <= 150


def products(captions: list[str], ours: list[str], theirs: list[str], rounds: int = 2) -> bool:
    """fp32 and bf16 by turns on one thread: speed, and how far the values of pairs are apart."""
    import torch

    from storymeter.models import load_encoder
    from storymeter.pairs import BertScore, Sts

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    fast: dict[str, float] = {}
    for _ in range(rounds):
        for precision in ("fp32", "bf16"):
            encoder = load_encoder(precision=precision)
            encoder.embed(captions[:64])
            clock = Clock(lambda encoder=encoder: encoder.embed(captions))
            fast[precision] = max(fast.get(precision, 0.0), len(captions) / clock.busy)
    torch.set_num_threads(threads)
    index, apart = np.arange(len(ours)), {}
    for name, scorers in (
        ("sts", [Sts(cache=False, precision=precision) for precision in ("fp32", "bf16")]),
        ("bertscore", [BertScore(precision=precision) for precision in ("fp32", "bf16")]),
    ):
        exact, rounded = (
            scorer.open().score_indexed(
                candidates=ours, references=theirs, candidate_index=index, reference_index=index
            )
            for scorer in scorers
        )
        apart[name] = float(np.abs(exact - rounded).max())
    print(
        f"bf16        {fast['bf16']:,.0f} captions per second of processor time, fp32 {fast['fp32']:,.0f}:"
        f" {fast['bf16'] / fast['fp32']:.2f} x; pairs differ by up to {apart['sts']:.4f} (sts) and"
        f" {apart['bertscore']:.4f} (bertscore)",
        flush=True,
    )
    return max(apart.values()) < 0.01


def gigaflops(rounds: int = 8, side: int = 2048) -> float:
    """What this machine does in fp32 on one thread when nothing but a large product is asked of it."""
    import torch

    a, b = torch.rand(side, side), torch.rand(side, side)
    return 2e-9 * side**3 / min(Clock(lambda: a @ b).busy for _ in range(rounds))


def profile(captions: list[str], rounds: int = 3) -> bool:
    """The share of the encoder's time that the products of its layers need at the machine's full speed."""
    import torch

    from storymeter.models import load_encoder

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    encoder = load_encoder()
    tokens = sum(map(len, encoder.tokenizer(captions)["input_ids"]))
    weights = sum(w.numel() for layer in encoder.packed.layers for w, _ in layer if w.dim() == 2)
    encoder.embed(captions[:64])
    best, seconds = gigaflops(), min(Clock(lambda: encoder.embed(captions)).busy for _ in range(rounds))
    torch.set_num_threads(threads)
    needed = 2e-9 * weights * tokens
    print(
        f"profile     {tokens:,} tokens of {len(captions):,} captions in {seconds:.2f} s of processor time;"
        f" the layers' products are {needed:,.0f} GFLOP: {needed / best:.2f} s at this machine's"
        f" {best:.0f} GFLOP/s. In fp32 nothing can be more than {seconds * best / needed:.2f} x as fast",
        flush=True,
    )
    return True


#: one process of `before`: reads captions as JSON, says how many it encodes per second of processor time
ENCODE = """
import json, sys, time
import torch
from storymeter.models.encoder import Encoder
torch.set_num_threads(1)
precision, captions = json.load(sys.stdin)
encoder = Encoder(**({"precision": precision} if precision != "fp32" else {}))
encoder.embed(captions[:64])
best = float("inf")
for _ in range(2):
    begin = time.process_time()
    encoder.embed(captions)
    best = min(best, time.process_time() - begin)
print(len(captions) / best)
"""


def before(captions: list[str], revision: str, rounds: int = 2) -> bool:
    earlier, present = python(built(revision)), python(None)
    sides = {"before": (earlier, "fp32"), "now": (present, "fp32"), "now, bf16": (present, "bf16")}
    best = dict.fromkeys(sides, 0.0)
    for _ in range(rounds):
        for side, ((command, environment), precision) in sides.items():
            asked = json.dumps([precision, captions])
            run = subprocess.run(
                [*command, "-c", ENCODE], input=asked, env=environment, check=True, stdout=-1, text=True
            )
            best[side] = max(best[side], float(run.stdout))
    told = "; ".join(f"{side} {rate:,.0f} ({rate / best['before']:.2f} x)" for side, rate in best.items())
    print(f"before      {revision}, captions per second of processor time: {told}; go for 3 x", flush=True)
    return True


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--data", type=Path, default=Path(os.environ.get("STORYMETER_DATA", "../shared/data"))
    )
    parser.add_argument("--pairs", type=int, default=2000, help="real pairs for the speeds and for bertscore")
    parser.add_argument(
        "--captions", type=int, default=200_000, help="distinct captions for the memory; 0: leave out"
    )
    parser.add_argument("--encoded", type=int, default=30_000, help="how many of them go through the network")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--before", default="HEAD~1", metavar="REVISION", help="the commit to compare with")
    parser.add_argument("--only", default="", help="some parts: sts,bertscore,bf16,profile,before,memory")
    chosen = parser.parse_args()

    import torch

    torch.set_num_threads(chosen.threads)
    candidates, references = real_pairs(chosen.data, chosen.pairs)
    distinct = list(dict.fromkeys([*candidates, *references]))
    parts: dict[str, Callable[[], bool]] = {
        "sts": lambda: speed([*candidates, *references], chosen.threads),
        "bertscore": lambda: bertscore(candidates, references, chosen.threads),
        "bf16": lambda: products(distinct, candidates, references),
        "profile": lambda: profile(distinct),
        "before": lambda: before(distinct, chosen.before),
    }
    if chosen.captions:
        parts["memory"] = lambda: memory(chosen.captions, chosen.encoded)
    wanted = [part for part in chosen.only.split(",") if part] or list(parts)
    found = [parts[part]() for part in wanted]  # all of them, also behind one that is too slow
    fine = all(found)
    print("fine" if fine else "too slow, too large or not equal")
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
