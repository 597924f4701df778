"""Raters who never watch a clip: how many of them are believed and paid, and how many honest raters are lost?

    python bench/human_blind.py [FROM-TO] [--trecvid FOLDER]        seeds; 5001-5100 unless told otherwise

Each seed is a campaign of the default layout and overlap (HITs of 100, every caption in three HITs) over 100
clips and five systems, with 24 raters of whom a share are bots, half of them `fluent` and half `twins`
(`storymeter/human/rehearsal.py`). For comparison, three raters for each HIT (`same HIT`) and no overlap. The
gates and the damage were chosen on seeds 1-40.

--trecvid takes real captions, and as a caption's true quality the score that people gave it in TRECVID 2016
(folder `single-annotator/2016` of its Direct Assessment data); the bots have read the captions of other
clips.

Accepted: their ratings are used, and a ranking is given. Paid: APPROVE in the list for the platform."""

# ruff: noqa: E402  (the tests' helpers have to be found first)
from __future__ import annotations

import argparse
import csv
import random
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "tests")]

from rehearsal_kit import World, crowd, world

from storymeter.captions import Caption, Corpus, Document
from storymeter.human.analysis.quality import assess

CLIPS, SYSTEMS, RATERS = 100, 5, 24
#: name, share of bots, noise of honest raters, raters per HIT, raters
CROWDS: tuple[tuple[str, float, float, int, int], ...] = (
    ("10 % bots", 0.1, 12.0, 1, RATERS),
    ("25 % bots", 0.25, 12.0, 1, RATERS),
    ("40 % bots", 0.4, 12.0, 1, RATERS),
    ("40 % bots, noise 9", 0.4, 9.0, 1, RATERS),
    ("40 % bots, noise 16", 0.4, 16.0, 1, RATERS),
    ("40 % bots, noise 22", 0.4, 22.0, 1, RATERS),
    ("40 % bots, three raters for the same HIT", 0.4, 12.0, 3, RATERS),
    ("40 % bots, no overlap", 0.4, 12.0, 1, 8),
)
SHOWN = ("control", "unasked", "accepted", "paid")


class Rated(World):
    """Real captions with the scores that people gave them; damage costs 45 points."""

    scores: dict[tuple[str, str], float]

    def quality(self, item: str, text: str) -> float:
        human = self.scores[item, self.human.by_id()[item][0].text]
        return self.scores.get((item, text), max(5.0, human - 45))


def trecvid(folder: Path, seed: int) -> World:
    def lines(path: Path) -> list[str]:
        return [" ".join(line.split()) for line in path.read_text(encoding="utf-8").splitlines()]

    files = {path.name.rpartition(".")[2]: lines(path) for path in sorted((folder / "systems").iterdir())}
    with (folder / "ad-seg-scores-en-en.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file, skipinitialspace=True))
    found = {(row["SYS"].rpartition(".")[2], int(row["SID"]) - 1): float(row["RAW.SCR"]) for row in rows}
    whole = [k for k in range(len(files["HUMAN-b"])) if all((name, k) in found for name in files)]
    whole = [k for k in whole if all(len(told[k].split()) > 2 for told in files.values())]
    chosen = random.Random(f"clips {seed}").sample(whole, min(CLIPS, len(whole)))
    made = {
        name: Corpus(tuple(Document(f"v{k}", (Caption(told[k]),)) for k in chosen), name)
        for name, told in files.items()
    }
    rest = tuple(text for k, text in enumerate(files["HUMAN-b"]) if k not in set(chosen) and text)
    human = made.pop("HUMAN-b")
    there = Rated({f"v{k}": ("", "", "", "") for k in chosen}, tuple(made.values()), human, rest)
    scores = {(f"v{k}", files[name][k]): found[name, k] for name in files for k in chosen}
    object.__setattr__(there, "scores", scores)
    return there


def characters(share: float, raters: int, seed: int) -> list[str]:
    bots = round(share * raters)
    mixed = ["honest"] * (raters - bots) + ["fluent"] * (bots // 2) + ["twins"] * (bots - bots // 2)
    random.Random(f"mix {seed}").shuffle(mixed)
    return mixed


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("seeds", nargs="?", default="5001-5100")
    parser.add_argument("--trecvid", type=Path)
    options = parser.parse_args(arguments)
    first, _, last = options.seeds.partition("-")
    print(
        "| crowd | raters | how many | pass the control pairs | not asked for agreement | accepted | paid |\n"
        "|:--|:--|--:|--:|--:|--:|--:|"
    )
    for name, share, noise, raters_per_hit, raters in CROWDS:
        total: Counter[str] = Counter()
        counts: dict[str, Counter[str]] = {key: Counter() for key in SHOWN}
        for seed in range(int(first), int(last) + 1):
            there = trecvid(options.trecvid, seed) if options.trecvid else world(CLIPS, SYSTEMS, seed)
            who = characters(share, raters, seed)
            quality = assess(crowd(there, who, raters_per_hit=raters_per_hit, noise=noise, seed=seed))
            total.update(who)
            for character, worker in zip(who, quality.workers, strict=True):
                passes = worker.p is not None and worker.p < quality.alpha
                counts["control"][character] += passes
                counts["unasked"][character] += passes and worker.agreement_p is None
                counts["accepted"][character] += worker.accepted and not quality.unranked
                counts["paid"][character] += worker.accepted
        for character, count in sorted(total.items(), reverse=True):
            shown = " | ".join(f"{100 * counts[key][character] / count:.1f}" for key in counts)
            print(f"| {name} | {character} | {count:,} | {shown} |", flush=True)


if __name__ == "__main__":
    main()
