"""Who passes the controls of a survey and of a preference study?   python bench/human_controls.py VIST

VIST is the folder of bench/human_foils.py. Studies of 10, 20 and 50 stories are dealt as `human new` deals
them; one rater of each kind answers every HIT (at least 400 each), and the study's rule says who is accepted.

Blind raters know nothing of the pictures and compare nothing; text-only raters compare the texts:
  one high    one story by lot gets 5, all others 1 (preference: always the left side)
  by lot      one story by lot is the worst, without ties (preference: a coin)
  least, second    the story that has the least, or second least, in common with the others is the worst
  length      the story (side) whose length differs most from the others (that is shorter) is the worst
  rare, common     the story (side) with the rarest, or most common, words is the worst
Honest raters see stories of a true quality (people 85, AREL 65, BART 60, RNN 45; from story to story 10 more
or less, from rater to rater 8), the control near 6; once in 200 controls they take it for an ordinary story.
Marks are 1 + quality / 25, rounded; no rule keeps the other stories above the control.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from human_foils import FILES, GROUPS, outlier, told

from storymeter.captions import Corpus
from storymeter.human.campaign.request import CampaignRequest
from storymeter.human.study import named
from storymeter.human.study.stories import Foils, Story

ANSWERS = 400
QUALITY = {"people": 85.0, "arel": 65.0, "bart": 60.0, "rnn": 45.0}
LAPSE = 0.005
Guess = Callable[[Foils, Sequence[Story], random.Random], int]


def second(foils: Foils, panel: Sequence[Story], rng: random.Random) -> int:
    common = [foils.alike(one, [*panel[:k], *panel[k + 1 :]]) for k, one in enumerate(panel)]
    return sorted(range(len(panel)), key=common.__getitem__)[1]


def length(foils: Foils, panel: Sequence[Story], rng: random.Random) -> int:
    sizes = [sum(map(len, story)) for story in panel]
    if len(panel) == 2:
        return sizes.index(min(sizes))
    middle = sorted(sizes)[len(sizes) // 2]
    return max(range(len(panel)), key=lambda k: abs(sizes[k] - middle))


def rare(foils: Foils, panel: Sequence[Story], rng: random.Random) -> int:
    return max(range(len(panel)), key=lambda k: foils.rarity(panel[k]))


def common(foils: Foils, panel: Sequence[Story], rng: random.Random) -> int:
    return min(range(len(panel)), key=lambda k: foils.rarity(panel[k]))


GUESSES: dict[str, Guess] = {
    "by lot": lambda foils, panel, rng: rng.randrange(len(panel)),
    "least": lambda foils, panel, rng: outlier(foils, panel),
    "second": second,
    "length": length,
    "rare": rare,
    "common": common,
}


def quality(line: Any, place: int, rng: random.Random) -> float:
    if place == line.foil and rng.random() >= LAPSE:
        return rng.gauss(6, 4)
    usual = QUALITY.get(line.systems[place], 60.0)
    return usual + random.Random(repr(line.texts[place])).gauss(0, 10) + rng.gauss(0, 8)


def answer(kind: str, task: str, line: Any, foils: Foils, rng: random.Random) -> dict[str, Any]:
    count = len(line.texts)
    if kind == "honest":
        levels = [quality(line, place, rng) for place in range(count)]
        if task == "preference":
            return {"value": max(-2, min(2, round((levels[1] - levels[0]) / 15)))}
        marks = [[max(1, min(5, round(1 + level / 25)))] * 3 for level in levels]
        return {"marks": marks, "vote": levels.index(max(levels))}
    if kind == "one high":
        best = rng.randrange(count)
        if task == "preference":
            return {"value": -1}
        return {"marks": [[5 if k == best else 1] * 3 for k in range(count)], "vote": best}
    worst = GUESSES[kind](foils, line.texts, rng)
    if task == "preference":
        return {"value": 1 if worst == 0 else -1}
    vote = rng.choice([k for k in range(count) if k != worst])
    return {"marks": [[1 if k == worst else 3] * 3 for k in range(count)], "vote": vote}


def accepted(task: str, group: Sequence[str], stories: dict[str, dict[str, Story]], size: int) -> list[str]:
    study: Any = named(task)
    rng = random.Random(f"{task} {group} {size}")
    albums = sorted(set.intersection(*(set(by) for by in stories.values())))
    kinds = ["one high", "by lot", "least", "second", "length", "rare", "common", "honest"]
    kinds = [kind for kind in kinds if task == "survey" or kind not in ("least", "second")]
    passed, asked, right, tests = dict.fromkeys(kinds, 0), 0, dict.fromkeys(kinds, 0), 0
    while asked < ANSWERS:
        chosen = {a: {name: stories[name][a] for name in group} for a in rng.sample(albums, size)}
        options = CampaignRequest(systems=[Corpus((), name) for name in group], clips=Path())
        if task == "survey":
            key = study.panels(chosen, dict.fromkeys(chosen, ()), options, rng)
        else:
            key = study.duels(chosen, {name: {} for name in group}, {}, options, rng)
        hits: dict[str, list[Any]] = {}
        for line in key:
            hits.setdefault(line.hit, []).append(line)
        # raters know all stories of the study, foils included
        foils = Foils(chosen)
        for hit, lines in hits.items():
            asked += 1
            tests += sum(line.foil >= 0 for line in lines)
            for kind in kinds:
                records = [
                    record
                    for line in lines
                    for record in study.judgements(
                        line,
                        answer(kind, task, line, foils, rng),
                        {"item": line.item, "rater": kind, "hit": hit, "meta": {}},
                    )
                ]
                verdict = study.verdicts(records)[kind]
                passed[kind] += verdict.accepted is True
                right[kind] += round((verdict.tests_right or 0) * verdict.tests)
    return [
        f"| {task} | {', '.join(group)} | {size} | {kind} | {100 * right[kind] / tests:.1f}"
        f" | {100 * passed[kind] / asked:.1f} |"
        for kind in kinds
    ]


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("vist", type=Path)
    options = parser.parse_args(arguments)
    stories = {name: told(options.vist / file) for name, file in FILES.items()}
    print(
        "| task | stories by | stories | rater | controls right % | accepted % |\n|:--|:--|--:|:--|--:|--:|"
    )
    for task in ("survey", "preference"):
        for group in GROUPS:
            for size in (10, 20, 50):
                print("\n".join(accepted(task, group, stories, size)), flush=True)


if __name__ == "__main__":
    main()
