"""How fast are SODA and the ActivityNet score on a submission with the shape of the paper's?

    python bench/dense.py [--videos 4917] [--captions 228] [--jobs 2] [--no-double] [--before REVISION]

A generated submission (sentences sampled from the references, random segments, seeded) is scored against both
annotators of ActivityNet Captions: SODA a, b, c, d and the ActivityNet METEOR at four thresholds. Then twice
the videos. Wants at most 30 s on two cores, under 3 GB, and at most 2.2 times as long for twice the videos;
says so and exits 1 if not. The peer in the same run is a textbook dynamic programme in Python on some of the
same videos, matching only. `--before` builds an earlier commit beside the present one and lets both score the
same submission by turns: processor time and peak memory of each, best of `--rounds`, and whether all values
are equal to the last bit.

Reads ActivityNet's val_1.json and val_2.json from STORYMETER_DATA/anet (default ../shared/data).
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from before import built, python

import storymeter
from storymeter.captions import Caption, Corpus, Document
from storymeter.context import Context
from storymeter.dense.caption_pairs import optimum_table
from storymeter.dense.tracks import TrackPairs, tracks_of
from storymeter.join import Task, join
from storymeter.pairs.sentences import pair_table, sentences_of
from storymeter.registry import metric, scorer

METRICS = ("soda_a", "soda_b", "soda_c", "soda_d", "anet(scorer=meteor)")
SECONDS, GIGABYTES, GROWTH = 30.0, 3.0, 2.2
#: of one process that scores the whole submission with `--before`: processor time, memory
GOALS = {"processor time": (12.0, "s"), "peak memory": (1.2, "GB")}


def references(copies: int, videos: int) -> list[Corpus]:
    folder = (
        Path(os.environ.get("STORYMETER_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))
        / "anet"
    )
    out = []
    for name in ("val_1.json", "val_2.json"):
        documents = storymeter.read(folder / name).documents[:videos]
        out.append(
            Corpus(
                tuple(
                    Document(f"{d.id}/{k}", d.captions, d.duration) for k in range(copies) for d in documents
                ),
                name,
            )
        )
    return out


def submission(against: list[Corpus], captions: int, seed: int = 0) -> Corpus:
    random = np.random.default_rng(seed)
    sentences = [c.text for corpus in against for d in corpus for c in d.captions]
    documents = []
    for document in against[0]:
        duration = document.duration or 100.0
        chosen = random.integers(0, len(sentences), captions).tolist()
        times = np.sort(random.uniform(0, duration, (captions, 2)), axis=1).tolist()
        documents.append(
            Document(
                document.id,
                tuple(
                    Caption(sentences[k], start, end) for k, (start, end) in zip(chosen, times, strict=True)
                ),
            )
        )
    return Corpus(tuple(documents), "generated")


def cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def run(copies: int, options: argparse.Namespace) -> tuple[float, float]:
    against = references(copies, options.videos)
    mine = submission(against, options.captions)
    print(
        f"\n{len(mine):,} videos, {mine.captions:,} captions, {sum(c.captions for c in against):,}"
        f" references, {options.jobs} jobs"
    )
    setting = Context(jobs=options.jobs)
    begin, used = time.perf_counter(), cpu()
    task = join(candidates=mine, references=against)
    for name in METRICS:
        since = time.perf_counter()
        score = metric(name).score(task, setting)
        print(f"  {name:24} {100 * score.value:8.4f}   {time.perf_counter() - since:6.2f} s")
    elapsed, used = time.perf_counter() - begin, cpu() - used
    report(task, setting, elapsed, used)
    return elapsed, used


def alone(options: argparse.Namespace) -> dict[str, float]:
    """Every value, and what a process needs that does nothing else."""
    against = references(1, options.videos)
    task = join(candidates=submission(against, options.captions), references=against)
    bench, used = Context(jobs=options.jobs), cpu()
    values = {name: metric(name).score(task, bench).value for name in METRICS}
    return {**values, "processor time": cpu() - used, "peak memory": peak()}


def compare(options: argparse.Namespace) -> int:
    sides = {"before": python(built(options.before)), "now": python(None)}
    best: dict[str, dict[str, float]] = {}
    names = ("videos", "captions", "jobs")
    job = [__file__, "--alone", *(f"--{name}={getattr(options, name)}" for name in names)]
    for _ in range(options.rounds):
        for side, (command, environment) in sides.items():
            run = subprocess.run(
                [*command, *job], env=environment, check=True, capture_output=True, text=True
            )
            found = json.loads(run.stdout)
            best[side] = {name: min(found[name], best.get(side, found)[name]) for name in found}
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}; before is {options.before}\n")
    print(f"{'':24}{'before':>12}{'now':>12}{'before/now':>12}")
    for name, now in best["now"].items():
        before = best["before"][name]
        goal, unit = GOALS.get(name, (0.0, ""))
        said = f"  go for {goal:g} {unit}" if goal else "  equal" if now == before else "  NOT EQUAL"
        print(f"{name:24}{before:12.6g}{now:12.6g}{before / now:12.2f}{said}")
    return 0 if all(best["now"][name] == best["before"][name] for name in METRICS) else 1


def report(task: Task, setting: Context, elapsed: float, used: float) -> None:
    possible = sum(
        len(c.captions) * sum(len(d.captions) for d in refs)
        for c, refs in zip(task.candidates, task.references, strict=True)
    )
    scored = len(pair_table(setting, scorer("meteor")))
    print(
        f"  together {elapsed:.1f} s ({used:.1f} s of processor time);"
        f" {len(sentences_of(setting).texts):,} distinct sentences"
    )
    print(
        f"  {possible:,} pairs possible, {scored:,} scored: {scored / elapsed:,.0f} pairs/s;"
        f" {100 * (1 - scored / possible):.1f} % skipped"
    )
    print(f"  peak memory {peak():.2f} GB")
    textbook(tracks_of(setting, task).per_annotator)


def textbook(problems: TrackPairs, sample: int = 30) -> None:
    """The same matching as a double loop in Python, on the first problems."""
    begin = time.perf_counter()
    problems.match(problems.overlaps.iou)
    ours = (time.perf_counter() - begin) / len(problems)
    o, sample = problems.overlaps, min(sample, len(problems))
    begin = time.perf_counter()
    for k in range(sample):
        weights = np.zeros((int(problems.reference_count[k]), int(problems.candidate_count[k])))
        part = slice(int(o.offset[k]), int(o.offset[k + 1]))
        weights[
            o.reference[part] - problems.reference_begin[k], o.candidate[part] - problems.candidate_begin[k]
        ] = o.iou[part]
        optimum_table(weights)
    theirs = (time.perf_counter() - begin) / sample
    print(
        f"  matching alone: {1e6 * ours:.1f} us a video and annotator, {theirs / ours:,.0f} times as fast as"
        " a double loop in Python"
    )


def peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--videos", type=int, default=4917)
    parser.add_argument("--captions", type=int, default=228)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--no-double", action="store_true", help="leave the run with twice the videos out")
    parser.add_argument("--before", metavar="REVISION", help="compare with this commit, and do nothing else")
    parser.add_argument("--rounds", type=int, default=1, help="how often both sides of --before run")
    parser.add_argument("--alone", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.before:
        return compare(options)
    scorer("meteor").open().prepare()
    if options.alone:
        print(json.dumps(alone(options)))
        return 0
    once, used = run(1, options)
    memory = peak()
    print(f"\n{once:.1f} s (at most {SECONDS:.0f}), {memory:.2f} GB (under {GIGABYTES:.0f})")
    fine = once <= SECONDS and memory < GIGABYTES
    if not options.no_double:
        twice, used_twice = run(2, options)
        print(
            f"\ntwice the videos: {twice / once:.2f} times as long (at most {GROWTH});"
            f" {used_twice / used:.2f} times the processor time"
        )
        fine = fine and twice <= GROWTH * once
    print("fine" if fine else "NOT FINE")
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
