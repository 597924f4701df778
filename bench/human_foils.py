"""Can who only compares the texts find the story that must lose?   python bench/human_foils.py VIST

VIST is a folder with `arel_test.json`, `mcsm_rnn.json` and `mcsm_bart.txt` (stories of three systems by
album) and `test_reference.json` (people's). For surveys of 10, 20, 50 and 150 sequences, 400 controls each:
how often the foil is the story with the least in common with the others, by lot and as it is chosen.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Sequence
from pathlib import Path

from storymeter.human.study.stories import Foils, Story

CONTROLS = 400
FILES = {
    "arel": "arel_test.json",
    "rnn": "mcsm_rnn.json",
    "bart": "mcsm_bart.txt",
    "people": "test_reference.json",
}
GROUPS = (("arel", "rnn", "bart"), ("arel", "rnn"), ("arel", "bart", "people"))


def told(path: Path) -> dict[str, Story]:
    """The first story of each album, in sentences."""
    found = {}
    for album, texts in json.loads(path.read_text()).items():
        text = texts[0] if isinstance(texts, list) else texts
        found[album] = tuple(part.strip() + " ." for part in text.split(" .") if part.strip())
    return found


def outlier(foils: Foils, panel: Sequence[Story]) -> int:
    """Which story has the least in common with the others."""
    common = [foils.alike(one, [*panel[:k], *panel[k + 1 :]]) for k, one in enumerate(panel)]
    return common.index(min(common))


def blind(foils: Foils, item: str, rng: random.Random) -> Story:
    """A foil that is only as long as the others."""
    own = list(foils.stories[item].values())
    length = round(sum(map(len, own)) / len(own))
    others = [s for other, by in foils.stories.items() if other != item for s in by.values() if s not in own]
    nearest = min(abs(len(story) - length) for story in others)
    return rng.choice([story for story in others if abs(len(story) - length) == nearest])


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("vist", type=Path)
    options = parser.parse_args(arguments)
    stories = {name: told(options.vist / file) for name, file in FILES.items()}
    albums = sorted(set.intersection(*(set(by) for by in stories.values())))
    print("| stories by | sequences | a guess % | by lot % | by likeness % |\n|:--|--:|--:|--:|--:|")
    for group in GROUPS:
        for size in (10, 20, 50, 150):
            rng = random.Random(f"{group} {size}")
            found, total = [0, 0], 0
            while total < CONTROLS:
                chosen = rng.sample(albums, size)
                foils = Foils({album: {name: stories[name][album] for name in group} for album in chosen})
                for album in chosen:
                    own = list(foils.stories[album].values())
                    strange = foils.among(album, rng)
                    for k, foil in enumerate((blind(foils, album, rng), strange[1] if strange else ())):
                        found[k] += outlier(foils, [*own, foil]) == len(own)
                    total += 1
            shares = " | ".join(f"{100 * count / total:.0f}" for count in found)
            print(f"| {', '.join(group)} | {size} | {100 / (len(group) + 1):.0f} | {shares} |", flush=True)


if __name__ == "__main__":
    main()
