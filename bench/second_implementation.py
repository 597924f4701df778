"""Compares the library with the second implementation of `tests/second_kit.py` on random odd data.

    python bench/second_implementation.py --values 20000

Each case draws a protocol (every preset, some deviations), a corpus and annotators, and is scored in one of
the ways that a user has: Python, a saved run, shards (the worker's code in this process), the command line.
Prints how many values were compared and which differ by more than 1e-12; the exit code is 1 if any does.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import random
import sys
import tempfile
import time
import warnings
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))
import second_kit

import storymeter
from storymeter.protocol import PRESETS, get

DEVIATIONS = [
    "paper+refs=mean",
    "paper+refs=merge",
    "paper+refs=corpus-mean",
    "paper+missing=skip",
    "paper+average=submitted-videos",
    "soda-v1+refs=best",
    "pdvc+refs=mean",
    "paper+tious=.1/.5",
    "paper+soda_tious=.3/.5",
    "paper+text_tiou=>",
    "paper+orientation=reference+order=start-end",
    "anet-2018+unmatched=ignore",
    "paper+reversed=turn",
    "paper+max_proposals=3",
]
WAYS = ("python", "saved", "shards", "command")


def by_python(case: second_kit.Case, names: list[str], folder: Path) -> dict[str, dict[str, float]]:
    candidates, references = case.corpora()
    run = storymeter.Run(references, protocol=case.protocol, jobs=1)
    return _parts(run.score(candidates, names, 0), names)


def by_saved(case: second_kit.Case, names: list[str], folder: Path) -> dict[str, dict[str, float]]:
    candidates, references = case.corpora()
    storymeter.Run(references, protocol=case.protocol, jobs=1).score(candidates, names, 0).save(
        folder / "run.smr"
    )
    return _parts(storymeter.load(folder / "run.smr"), names)


def by_shards(case: second_kit.Case, names: list[str], folder: Path) -> dict[str, dict[str, float]]:
    import shard_kit

    candidates, references = case.corpora()
    mine = shard_kit.write_folder(folder / "mine", candidates)
    people = [shard_kit.write_folder(folder / c.name, c) for c in references]
    found = shard_kit.score_in_shards(
        [mine], people, names, folder / "saved", protocol=str(case.protocol), jobs=1
    )
    return _parts(found, names)


def by_command(case: second_kit.Case, names: list[str], folder: Path) -> dict[str, dict[str, float]]:
    from storymeter.cli import main

    candidates, references = case.corpora()
    paths = []
    for corpus in (candidates, *references):
        storymeter.write(corpus, folder / f"{corpus.name}.jsonl")
        paths.append(str(folder / f"{corpus.name}.jsonl"))
    arguments = ["score", paths[0], *(word for path in paths[1:] for word in ("-r", path))]
    arguments += [
        "-m",
        ",".join(names),
        "--protocol",
        str(case.protocol),
        "--resamples",
        "0",
        "--format",
        "json",
    ]
    out, said = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(said):
        try:
            main(arguments)
        except SystemExit as end:
            if end.code:
                raise RuntimeError(f"score ended with {end.code}: {said.getvalue()}") from None
    scores = json.loads(out.getvalue())["systems"][0]["scores"]
    return {
        name: {"value": score["value"], **score.get("parts", {})}
        for name, score in zip(names, scores, strict=True)
    }


def _parts(results: storymeter.Results, names: list[str]) -> dict[str, dict[str, float]]:
    scores = results.systems[0].scores
    return {n: {"value": s.value, **s.parts} for n, s in zip(names, scores, strict=True)}


SCORED = {"python": by_python, "saved": by_saved, "shards": by_shards, "command": by_command}


def drawn(rng: random.Random, way: str, protocol: str = "") -> tuple[second_kit.Case, list[str]]:
    case = second_kit.draw(rng, get(protocol or rng.choice([*PRESETS, *DEVIATIONS])))
    if way in ("command", "shards"):  # a file with a reversed segment is refused
        for videos in (case.candidates, *case.annotators):
            for i, track in videos.items():
                videos[i] = [(min(s, e), max(s, e), text) for s, e, text in track]
    names = rng.sample(list(second_kit.METRICS), 8)
    if sum(len(track) for track in case.candidates.values()) > 60:
        names = [name for name in names if "meteor" not in name and "soda_" not in name] or ["soda_d"]
    return case, names


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--values", type=int, default=20_000, help="how many values to compare")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=list(WAYS))
    chosen = parser.parse_args()
    warnings.simplefilter("ignore")
    rng = random.Random(chosen.seed)
    compared: Counter[str] = Counter()
    presets: Counter[str] = Counter()
    ambiguous, wrong, cases, begin = 0, [], 0, time.perf_counter()
    while compared.total() < chosen.values:
        way = chosen.ways[cases % len(chosen.ways)]
        case, names = drawn(rng, way)
        with tempfile.TemporaryDirectory() as folder:
            found = SCORED[way](case, names, Path(folder))
        number, unclear, differ = second_kit.differences(case, found)
        compared[way] += number
        presets[case.protocol.name] += number
        ambiguous += unclear
        wrong += [f"{way}: {line}" for line in differ]
        cases += 1
        if cases % 100 == 0:
            print(f"{cases:,} cases, {compared.total():,} values, {len(wrong)} differ", flush=True)
    print(f"{compared.total():,} values of {cases:,} cases in {time.perf_counter() - begin:.0f} s")
    print("ways:   ", dict(compared))
    print("presets:", dict(presets))
    print(f"{ambiguous:,} metrics had several best matchings or annotators and were not compared")
    print(f"{len(wrong):,} values differ by more than 1e-12")
    for line in wrong[:20]:
        print("  " + line)
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
