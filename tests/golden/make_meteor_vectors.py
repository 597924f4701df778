"""Makes meteor_vectors.jsonl: sentences written for this project, statistics and scores by the original
METEOR.

    python tests/golden/make_meteor_vectors.py        (needs Java 17 and pycocoevalcap 1.2)

Tool: meteor-1.5.jar of pycocoevalcap 1.2, run as `java -Xmx2G -jar meteor-1.5.jar - - -stdio -l en -norm`
(without `-norm` where `normalize` is false). The cases are those that the big golden files do not decide:
abbreviations before numbers, identical sentences, the order of paraphrases, the width of the beam (39 and 41
give other statistics), more than 64 and more than 1,024 words."""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path

import numpy as np

from storymeter import _native
from storymeter.pairs import meteor

sys.path.insert(0, str(Path(__file__).parents[1] / "compat"))
from meteor_jar import Jar

OUT = Path(__file__).with_name("meteor_vectors.jsonl")

WRITTEN = [
    ("No. 5 is alive", "no . 5 is alive"),
    ("No. 5 is alive", "No . 5 is alive"),
    ("No. Thanks", "no thanks ."),
    ("No. thanks", "no . thanks"),
    ("see pp. 3 and pp. 4", "see pp . 3 and pp 4"),
    ("Art. 4 and Art. Deco", "art. 4 and art deco ."),
    ("Nos. 4 and Nr. 5", "nos 4 and nr 5"),
    ("Mr. Smith v. Mrs. Jones", "mr smith vs. mrs jones"),
    ("the U.S. team won.", "the us team won ."),
    ("they won. Everyone cheered.", "they won everyone cheered"),
    ("e.g. a dog, i.e. an animal", "eg a dog ie an animal"),
    ("wait... what", "wait .. what"),
    ("it's the dogs' bowl", "it is the dog 's bowl"),
    ("rock 'n' roll", "rock ' n ' roll"),
    ("1,000 people, 20 dogs", "1000 people 20 dogs"),
    ("a jack-o-lantern", "a jack o lantern"),
    ("the car is an automobile", "the car is an automobile"),
    ("the car is an automobile", "the automobile is a car"),
    ("a large number of people and many people", "a large number of people and many people"),
    ("many people and a large number of people", "a large number of people and many people"),
    ("the kids are playing and the children played", "the children play and kids are playing"),
    ("a man is walking , a man walks", "a man walks , a man is walking"),
    ("c0 an", "an c0"),
    ("", ""),
    ("a", ""),
    ("", "a"),
    ("he is able to run because of his legs", "he can run due to his legs"),
    ("in order to win they have to run", "to win they must run"),
    ("a lot of people are at the beach", "many people are on the beach"),
    ("as well as", "and also"),
    ("at the same time", "meanwhile , at once"),
]
POOL = [
    "the",
    "the",
    "a",
    "of",
    "man",
    "men",
    "dog",
    "dogs",
    "walk",
    "walks",
    "walking",
    "car",
    "automobile",
    "kids",
    "children",
    "many",
    "people",
    "a",
    "large",
    "number",
    "in",
    "front",
    "of",
]


def crowded(seed: int, low: int, high: int) -> tuple[str, str]:
    chance = random.Random(seed)
    return (
        " ".join(chance.choices(POOL, k=chance.randint(low, high))),
        " ".join(chance.choices(POOL, k=chance.randint(low, high))),
    )


def beam_matters(pairs: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Pairs whose statistics change with a beam of 39 and with one of 41."""
    index = np.arange(len(pairs), dtype=np.int64)
    rows = {
        width: _native.meteor_compare(
            meteor.load(),
            [h for h, _ in pairs],
            [r for _, r in pairs],
            index,
            index,
            "rank",
            True,
            2,
            True,
            width,
        )[1]
        for width in (39, 40, 41)
    }
    changed = (rows[39] != rows[40]).any(axis=1) & (rows[41] != rows[40]).any(axis=1)
    return [pairs[k] for k in np.flatnonzero(changed)]


def main() -> None:
    cases = [("written", pair) for pair in WRITTEN]
    cases += [("crowded", crowded(seed, 3, 12)) for seed in range(60)]
    cases += [("beam", pair) for pair in beam_matters([crowded(seed, 12, 40) for seed in range(6000)])[:12]]
    cases += [("over 64 words", crowded(seed, 65, 130)) for seed in range(12)]
    cases += [("over 1,024 words", crowded(seed, 1030, 1200)) for seed in range(2)]
    with OUT.open("w", encoding="utf-8") as file:
        for options in (("-norm",), ()):
            chosen = cases if options else cases[: len(WRITTEN) + 20]
            with Jar(*options) as jar:
                statistics = jar.statistics([(h, [r]) for _, (h, r) in chosen])
                scores, _ = jar.scores(statistics)
            for (kind, (hyp, ref)), row, score in zip(chosen, statistics, scores, strict=True):
                case = {
                    "kind": kind,
                    "normalize": bool(options),
                    "hyp": hyp,
                    "ref": ref,
                    "stats": [int(float(s)) for s in row.split()],
                    "score": score,
                }
                file.write(json.dumps(case, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
