"""How good are the gates that decide whose ratings count? Many simulated campaigns, without the server, so
that rare errors can be counted. (Raters who never watch: bench/human_blind.py.)

    python bench/human_gates.py [FROM-TO]        seeds; 3001-3200 unless told otherwise

The campaigns are those of bench/human_campaign.py (six HITs of 50, 30 raters), in crowds of several kinds: a
third bots, half of the raters lazy, honest raters who are less sure of themselves. The gates were chosen on
seeds 1001-1200 and 2001-2040."""

from __future__ import annotations

import sys
from collections import Counter
from types import SimpleNamespace
from typing import Any, Literal

from storymeter import formats
from storymeter.captions import Rating
from storymeter.human.analysis.quality import assess
from storymeter.human.campaign import design
from storymeter.human.example import HERE
from storymeter.human.ratings import Ratings, from_records
from storymeter.human.rehearsal import Bot, Truth, mix

SYSTEMS = ("careful", "vague", "confused")
BOTS = "honest=20,lazy=2,random=2,constant=2,rushing=2,extremes=2"
CROWDS: dict[str, tuple[str, float]] = {
    "a third bots": (BOTS, 9.0),
    "half lazy": ("honest=15,lazy=15", 9.0),
    "two thirds lazy": ("honest=10,lazy=20", 9.0),
    "noise 12": (BOTS, 12.0),
    "noise 16": (BOTS, 16.0),
    "noise 22": (BOTS, 22.0),
}
GATES: tuple[Literal["control", "repeats", "attention"], ...] = ("control", "repeats", "attention")
LEVELS = (0.1, 0.05, 0.02, 0.01, 0.005)


def campaign(seed: int, shares: str, noise: float) -> tuple[Ratings, dict[str, str]]:
    corpora = [formats.read(HERE / f"{name}.json") for name in SYSTEMS]
    hits = design.build(
        corpora, formats.read(HERE / "human.json"), layout=design.Layout(system=2), hits=6, seed=seed
    ).hits
    made: Any = SimpleNamespace(systems=SYSTEMS, task="da")
    truth = Truth(made, {(slot.hit, slot.position): slot for hit in hits for slot in hit.slots})
    characters = {f"w{k:02d}": character for k, character in enumerate(mix(shares, 30))}
    records = []
    for k, (name, character) in enumerate(characters.items()):
        bot = Bot(character, truth, f"{seed} {k}")
        bot.noise = noise if character == "honest" else bot.noise
        records += [
            Rating(
                slot.item,
                slot.systems[0],
                name,
                float(bot.answer({"task": "da", "caption": slot.text})["value"]),
                slot.kind,
                hit=slot.hit,
                pair=slot.pair,
                position=slot.position,
            )
            for slot in hits[k % len(hits)].slots
        ]
    return from_records(records), dict(characters)


def group(character: str) -> str:
    return character if character in ("honest", "lazy") else "other bots"


def main() -> None:
    first, _, last = (sys.argv[1] if len(sys.argv) > 1 else "3001-3200").partition("-")
    print("| crowd | raters | how many | control | repeats | attention |\n|:--|:--|--:|--:|--:|--:|")
    levels: Counter[tuple[str, float]] = Counter()
    for crowd, (shares, noise) in CROWDS.items():
        total: Counter[str] = Counter()
        passed: Counter[tuple[str, str]] = Counter()
        for seed in range(int(first), int(last) + 1):
            ratings, truth = campaign(seed, shares, noise)
            total.update(map(group, truth.values()))
            for gates in GATES:
                workers = assess(ratings, gates=gates).workers
                passed.update((group(truth[w.id]), gates) for w in workers if w.accepted)
                if crowd == next(iter(CROWDS)) and gates == "control":
                    levels.update(
                        (group(truth[w.id]), level)
                        for w in workers
                        for level in LEVELS
                        if w.accepted and (w.agreement_p is None or w.agreement_p < level)
                    )
        for name, count in total.items():
            print(
                f"| {crowd} | {name} | {count:,} | "
                + " | ".join(f"{100 * passed[name, gates] / count:.1f}" for gates in GATES)
                + " |",
                flush=True,
            )
        if crowd == next(iter(CROWDS)):
            everyone = dict(total)
    print(
        "\nthreshold of agreement, a third bots; in % of raters accepted\n\n| p < | honest | lazy | other"
        " bots |\n|--:|--:|--:|--:|"
    )
    for level in LEVELS:
        print(
            f"| {level:g} | "
            + " | ".join(f"{100 * levels[name, level] / count:.2f}" for name, count in everyone.items())
            + " |"
        )


if __name__ == "__main__":
    main()
