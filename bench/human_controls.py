"""Who is accepted in a survey and in a preference study?   python bench/human_controls.py VIST

VIST is the folder of bench/human_foils.py. Studies of 10, 20 and 50 stories of two to four systems are dealt
as `human new` deals them, one HIT of the default size per rater; a quarter of the raters are of the kind in
question and the others honest, at least 400 of each kind in each cell. The rule is that of `human analyse`:
controls, agreement with the others, repeats. Columns: controls right; accepted by controls alone; accepted.
The standard error of a share near 5 % of 400 is 1.1 points, near 97 % 0.9.

Blind raters know nothing of the pictures and compare nothing; text-only raters compare the texts:
  one high    one story by lot gets 5, all others 1 (preference: always the left side)
  by lot      the order of the stories is drawn by lot (preference: a coin)
  least, second    the story that has the least, or second least, in common with the others is the worst
  length      the story (side) whose length differs most from the others (that is shorter) is the worst
  rare, common     the story (side) with the rarest, or most common, words is the worst
  memory      knows the texts of the whole HIT: what stands at another item, too, is foreign
  told        knows every control, from somebody else, and draws the rest by lot; no strategy of a text
Honest raters see stories of a true quality (people 85, AREL 65, BART 60, RNN 45; from story to story 10 more
or less, from showing to showing 8), the control near 6; once in 200 controls they take it for an ordinary
story. Marks are 1 + quality / 25, rounded; no rule keeps the other stories above the control.
  noisy       10 in place of 8, all raters
  tastes      each likes each system by 7.5 points (one standard deviation, .3 marks) more or less, all raters
  minority    a quarter of the raters has the systems in the opposite order
"""

from __future__ import annotations

import argparse
import random
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from human_foils import FILES, GROUPS, told

from storymeter.captions import Corpus, Rating
from storymeter.human.campaign.request import CampaignRequest
from storymeter.human.study import named
from storymeter.human.study.stories import Foils, Story

ANSWERS = 400
SHARE = 4
SIZES = (10, 20, 50)
QUALITY = {"people": 85.0, "arel": 65.0, "bart": 60.0, "rnn": 45.0}
LAPSE, NOISE = 0.005, 8.0
#: how good a strategy takes each story to be
Guess = Callable[[Foils, Sequence[Story], random.Random], list[float]]


def likeness(foils: Foils, panel: Sequence[Story], rng: random.Random) -> list[float]:
    return [foils.alike(one, [*panel[:k], *panel[k + 1 :]]) for k, one in enumerate(panel)]


def second(foils: Foils, panel: Sequence[Story], rng: random.Random) -> list[float]:
    common = likeness(foils, panel, rng)
    common[sorted(range(len(panel)), key=common.__getitem__)[1]] = -1.0
    return common


def length(foils: Foils, panel: Sequence[Story], rng: random.Random) -> list[float]:
    sizes = [sum(map(len, story)) for story in panel]
    if len(panel) == 2:
        return list(map(float, sizes))
    middle = sorted(sizes)[len(sizes) // 2]
    return [-abs(size - middle) for size in sizes]


GUESSES: dict[str, Guess] = {
    "by lot": lambda foils, panel, rng: [rng.random() for _ in panel],
    "least": likeness,
    "second": second,
    "length": length,
    "rare": lambda foils, panel, rng: [-foils.rarity(story) for story in panel],
    "common": lambda foils, panel, rng: [foils.rarity(story) for story in panel],
}
HONEST = ("honest", "noisy", "tastes", "minority")
KINDS = ("one high", *GUESSES, "memory", "told", *HONEST)


class Rater:
    """One rater of a kind, who answers every place of the private key."""

    def __init__(self, kind: str, foils: Foils, rng: random.Random) -> None:
        self.kind, self.foils, self.rng = kind, foils, rng
        spread = 7.5 if kind == "tastes" else 0.0
        self.taste = {name: rng.gauss(0, spread) for name in QUALITY}
        if kind == "minority":
            self.taste = {name: 130 - 2 * level for name, level in QUALITY.items()}
        self.noise = 10.0 if kind == "noisy" else NOISE

    def sees(self, line: Any, place: int) -> float:
        """The quality of a story, 0-100."""
        if place == line.foil and self.rng.random() >= LAPSE:
            return self.rng.gauss(6, 4)
        system = line.systems[place]
        usual = QUALITY.get(system, 60.0) + self.taste.get(system, 0.0)
        return usual + random.Random(repr(line.texts[place])).gauss(0, 10) + self.rng.gauss(0, self.noise)

    def remembers(self, line: Any, hit: Sequence[Any]) -> list[float]:
        """How often a text stands elsewhere at the same item, less how often at others."""
        seen = [(other.item == line.item, text) for other in hit if other is not line for text in other.texts]
        return [
            sum((1 if same else -1) for same, text in seen if text == story) + self.rng.random() / 2
            for story in line.texts
        ]

    def answer(self, line: Any, hit: Sequence[Any]) -> dict[str, Any]:
        duel, count = len(line.texts) == 2 and hasattr(line, "question"), len(line.texts)
        if self.kind in HONEST:
            levels = [self.sees(line, place) for place in range(count)]
            if duel:
                return {"value": max(-2, min(2, round((levels[1] - levels[0]) / 15)))}
            return _marks([max(1, min(5, round(1 + level / 25))) for level in levels], levels)
        if self.kind == "one high":
            best = self.rng.randrange(count)
            return (
                {"value": -1}
                if duel
                else _marks([5 if k == best else 1 for k in range(count)], _one(best, count))
            )
        if self.kind == "memory":
            levels = self.remembers(line, hit)
        else:
            guess = GUESSES["by lot" if self.kind == "told" else self.kind]
            levels = guess(self.foils, line.texts, self.rng)
        if self.kind == "told" and line.foil >= 0:
            levels[line.foil] = min(levels) - 1
        if duel:
            return {"value": 1 if levels[1] > levels[0] else -1}
        order = sorted(range(count), key=levels.__getitem__)
        # the worst gets 1, the others 2 to 5 in their order
        return _marks([round(1 + 4 * order.index(k) / (count - 1)) for k in range(count)], levels)


def _marks(marks: Sequence[int], levels: Sequence[float]) -> dict[str, Any]:
    return {"marks": [[mark] * 3 for mark in marks], "vote": list(levels).index(max(levels))}


def _one(best: int, count: int) -> list[float]:
    return [float(k == best) for k in range(count)]


def key_of(task: str, stories: dict[str, dict[str, Story]], names: Sequence[str], rng: random.Random) -> Any:
    """The HITs of a study, dealt as `human new` deals them."""
    study: Any = named(task)
    options = CampaignRequest(systems=[Corpus((), name) for name in names], clips=Path())
    if task == "survey":
        key = study.panels(stories, dict.fromkeys(stories, ()), options, rng)
    else:
        key = study.duels(stories, {name: {} for name in names}, {}, options, rng)
    hits: dict[str, list[Any]] = defaultdict(list)
    for line in key:
        hits[line.hit].append(line)
    return hits


def judged(task: str, hits: dict[str, list[Any]], raters: dict[str, Rater], of: dict[str, str]) -> Any:
    """The records of a crowd: `of` says which rater answers a HIT."""
    study: Any = named(task)
    return [
        record
        for hit, lines in hits.items()
        for line in lines
        for record in study.judgements(
            line,
            raters[of[hit]].answer(line, lines),
            {"item": line.item, "rater": of[hit], "hit": hit, "meta": {}},
        )
    ]


class Tally:
    def __init__(self) -> None:
        self.raters = self.passed = self.accepted = self.tests = 0
        self.right = 0.0

    def add(self, task: str, records: Sequence[Rating], names: Sequence[str]) -> None:
        study: Any = named(task)
        controls, whole = study.verdicts(records), study.included(records)
        for name in names:
            self.raters += 1
            self.passed += controls[name].accepted is True
            self.accepted += whole[name].accepted is True
            self.tests += controls[name].tests
            self.right += (controls[name].tests_right or 0.0) * controls[name].tests

    @property
    def cells(self) -> str:
        shares = (self.right / self.tests, self.passed / self.raters, self.accepted / self.raters)
        return f"{self.raters} | " + " | ".join(f"{100 * share:.1f}" for share in shares)


def tallies(
    task: str,
    group: Sequence[str],
    stories: dict[str, dict[str, Story]],
    size: int,
    kinds: Sequence[str],
    seed: str,
    answers: int = ANSWERS,
    per_rater: int = 1,
) -> dict[str, Tally]:
    """By kind, raters who do `per_rater` HITs each, until there are so many."""
    rng = random.Random(f"{task} {group} {size}{seed}")
    albums = sorted(set.intersection(*(set(by) for by in stories.values())))
    found = {kind: Tally() for kind in kinds}
    while min(one.raters for one in found.values()) < answers:
        chosen = {a: {name: stories[name][a] for name in group} for a in rng.sample(albums, size)}
        hits = key_of(task, chosen, group, rng)
        foils = Foils(chosen)  # raters know all stories of the study, foils included
        crowd = [f"r{number}" for number in range(max(1, len(hits) // per_rater))]
        of = {hit: crowd[number % len(crowd)] for number, hit in enumerate(hits)}
        for kind, tally in found.items():
            # everybody, where all are of the kind; else a quarter of the crowd, twice over
            alone = kind in HONEST and kind != "minority"
            for _ in range(1 if alone else 2):
                asked = crowd if alone else rng.sample(crowd, max(1, len(crowd) // SHARE))
                raters = {name: Rater(kind if name in asked else "honest", foils, rng) for name in crowd}
                if tally.raters < answers:
                    tally.add(task, judged(task, hits, raters, of), asked)
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("vist", type=Path)
    parser.add_argument("--seed", default="", help="other studies and raters")
    parser.add_argument("--answers", type=int, default=ANSWERS, help="raters of each kind and cell")
    parser.add_argument("--hits-per-rater", type=int, default=1)
    parser.add_argument("--only", default="", metavar="KIND,…")
    parser.add_argument("--task", default="survey,preference")
    options = parser.parse_args(arguments)
    stories = {name: told(options.vist / file) for name, file in FILES.items()}
    wanted = options.only.split(",") if options.only else KINDS
    print("| task | stories by | stories | rater | raters | controls right % | by controls % | accepted % |")
    print("|:--|:--|--:|:--|--:|--:|--:|--:|", flush=True)
    for task in options.task.split(","):
        kinds = [kind for kind in wanted if task == "survey" or kind not in ("least", "second")]
        for group in (*GROUPS, tuple(FILES)):
            for size in SIZES:
                found = tallies(
                    task, group, stories, size, kinds, options.seed, options.answers, options.hits_per_rater
                )
                for kind, tally in found.items():
                    print(f"| {task} | {', '.join(group)} | {size} | {kind} | {tally.cells} |", flush=True)


if __name__ == "__main__":
    main()
