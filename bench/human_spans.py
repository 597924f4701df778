"""How many controls does an error span study need?   python bench/human_spans.py [FROM-TO]     (seeds, 1-20)

Campaigns of 100 clips and five systems in HITs of about 50 items, 24 raters each, a quarter of them bots, are
dealt with several layouts, every caption in three HITs. Printed are, for each layout, the share of the items
that rate a system, and the share of raters who are used: by the controls alone (score test and planted
errors; payment goes by these), and by the analysis.

honest      sees the facts of the clip (tests/rehearsal_kit.py), scores with noise 12, 16 or 22, and marks 17
            in 20 of the words that are wrong and 3 in 100 of the others
random      any score; marks a word by lot in every second caption
fluent      scores how fluent a caption is, and marks its least usual word
twins       the same, and gives the less fluent of two captions that differ in some words a lower score"""

# ruff: noqa: E402  (the tests' helpers have to be found first)
from __future__ import annotations

import random
import sys
from collections import Counter
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "tests")]

from rehearsal_kit import FACTS, INVENTED, SEEN, World, world

from storymeter.captions import Rating
from storymeter.human.analysis.span_records import Span, meta_of, words_at
from storymeter.human.campaign.design import Hit, Layout, Slot, build
from storymeter.human.campaign.fluency import Bigrams
from storymeter.human.rehearsal import Blind
from storymeter.human.study import named
from storymeter.human.study.spans import planted_at

LAYOUTS = {
    "10 x (2, 1, 1, 1)": Layout(blocks=10, system=2),
    "8 x (3, 1, 1, 1)": Layout(blocks=8, system=3),
    "8 x (4, 1, 0, 1)": Layout(blocks=8, system=4, repeat=0),
    "6 x (5, 1, 1, 1)": Layout(blocks=6, system=5),
    "6 x (6, 1, 0, 1)": Layout(blocks=6, system=6, repeat=0),
}
RATERS = ("honest",) * 18 + ("random", "random", "fluent", "fluent", "twins", "twins")


class Rater:
    def __init__(
        self, character: str, there: World, noise: float, model: Bigrams, rng: random.Random
    ) -> None:
        self.character, self.there, self.noise, self.model, self.rng = character, there, noise, model, rng
        self.blind = Blind(model, rng, twins=character == "twins")
        self.shift, self.scale = rng.gauss(0, 6), rng.uniform(0.8, 1.15)

    def score(self, slot: Slot) -> float:
        if self.character == "honest":
            truth = self.there.quality(slot.item, slot.text)
            return 50 + (truth - 50) * self.scale + self.shift + self.rng.gauss(0, self.noise)
        return self.rng.uniform(0, 100) if self.character == "random" else self.blind.score(slot.text)

    def marks(self, slot: Slot) -> list[Span]:
        words, rng = words_at(slot.text), self.rng
        if self.character == "honest":
            planted = planted_at(slot) or (0, 0)
            wrong = {
                word
                for known, fact in zip(FACTS, self.there.facts[slot.item], strict=True)
                for word in known
                if word != fact
            }
            chosen = [
                (start, end)
                for start, end in words
                if rng.random()
                < (SEEN if slot.text[start:end] in wrong or planted[0] <= start < planted[1] else INVENTED)
            ]
        elif self.character == "random":
            chosen = [rng.choice(words)] if rng.random() < 0.5 else []
        else:
            told = slot.text.split()
            steps = [self.model.step(a, b) for a, b in zip(["<s>", *told], told, strict=False)]
            chosen = [words[min(range(len(words)), key=steps.__getitem__)]]
        return [Span(start, end, "major", "object") for start, end in chosen]


def records_of(hit: Hit, name: str, rater: Rater) -> list[Rating]:
    out = []
    for slot in hit.slots:
        meta = meta_of(slot.text, rater.marks(slot), "")
        planted = planted_at(slot)
        if planted is not None:
            meta["planted"] = {"start": planted[0], "end": planted[1]}
        value = float(round(min(100.0, max(0.0, rater.score(slot)))))
        place = {"hit": slot.hit, "pair": slot.pair, "position": slot.position}
        out.append(
            Rating(slot.item, slot.systems[0], name, value, slot.kind, criterion="spans", meta=meta, **place)
        )
    return out


def main() -> None:
    first, _, last = (sys.argv[1] if len(sys.argv) > 1 else "1-20").partition("-")
    study = named("spans")
    print("blocks x (system, degraded, repeat, human); raters used by the controls / by the analysis, in %\n")
    print(
        "| layout | items | rate a system | raters | noise | controls | analysis |\n"
        "|:--|--:|--:|:--|--:|--:|--:|"
    )
    for name, layout in LAYOUTS.items():
        for noise in (12.0, 16.0, 22.0):
            total: Counter[str] = Counter()
            passed: Counter[str] = Counter()
            used: Counter[str] = Counter()
            for seed in range(int(first), int(last or first) + 1):
                there = world(100, 5, seed)
                hits = build(there.systems, there.human, layout=layout, hits=len(RATERS), seed=seed).hits
                model, rng = Bigrams(there.elsewhere), random.Random(f"{seed} {noise}")
                found: list[Rating] = []
                for number, (character, hit) in enumerate(zip(RATERS, hits, strict=True)):
                    rater = Rater(character, there, noise, model, rng)
                    found += records_of(hit, f"{character} {number}", rater)
                controls, included = study.verdicts(found), study.included(found)
                for who, verdict in controls.items():
                    kind = who.split()[0]
                    total[kind] += 1
                    passed[kind] += verdict.accepted is True
                    used[kind] += included[who].accepted is True
            share = (layout.system + layout.repeat) / layout.block
            for kind in ("honest", "random", "fluent", "twins") if noise == 12.0 else ("honest",):
                print(
                    f"| {name} | {layout.size} | {share:.0%} | {kind} | {noise:g} |"
                    f" {100 * passed[kind] / total[kind]:.1f} | {100 * used[kind] / total[kind]:.1f} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
