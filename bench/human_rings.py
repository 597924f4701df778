"""Crowds that work together against a campaign: whom do the gates believe, whom does the pay list approve?

    python bench/human_rings.py FOLDER [FROM-TO] [--only NAME …] [--clips N] [--noise SD] [--taste SD]
    python bench/human_rings.py FOLDER [FROM-TO] --texts

FOLDER is `single-annotator/2016` of the Direct Assessment data of TRECVID 2016. Each seed (41001-41040 unless
told otherwise) is a campaign of the default layout over 300 of its clips and five systems: 65 HITs, 65 raters
with a HIT each, of whom a share belongs to one kind of attacker.

The model. The quality of a caption is the score that a person gave it (drawn from its system's scores where
nobody did); damage costs 45 points. An honest rater sees quality * U(.8, 1.15) + N(0, 6), with noise N(0, 12)
and, with --taste, a liking N(0, SD) of its own for each system, on a slider from 0 to 100. The attackers:

    twins, fluent    blind A and B of human/rehearsal.py: they score how texts read
    text-only        scores what a text shares with the other caption of its clip in the HIT, and common words
    live, prior      a ring: a common score for each text, plus 30 for the captions of the lab that pays. Of
                     two twins the one that looks damaged gets 35 less: by how often each is met, whether its
                     words stand elsewhere, what other captions of the clip say, and how it reads. `live`
                     knows the texts that members met before, `prior` all texts of all its HITs
    mixed            as prior, with private noise of 20 instead of 4, to look like independent people
    references       know the human captions: those are good, their twins bad, other captions by the words
                     that they share with the human one of the clip
    copies           of four members one watches, and its scores are copied where the others meet its captions
                     (only copiers are counted); the rest as `prior`
    rival            honest, but for 30 points more for its own captions

Attackers see texts and which texts belong to one clip (clips can be told by their pictures, whatever their
bytes are), never kinds or authors; a lab knows its own captions. Accepted: their ratings are used, and a
ranking is given. Paid: APPROVE in the list for the platform."""

from __future__ import annotations

import argparse
import math
import random
import re
import sys
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from storymeter.captions import Caption, Corpus, Document
from storymeter.human.analysis.quality import assess
from storymeter.human.campaign.design import Slot, build
from storymeter.human.campaign.fluency import Bigrams, counts
from storymeter.human.ratings import Ratings, from_columns
from storymeter.human.rehearsal import Blind

SHARES = (0.10, 0.25, 0.33, 0.40)
LIFT, DAMAGE = 30.0, 45.0
Scores = dict[int, list[float]]


class Campaign(NamedTuple):
    hits: tuple[tuple[Slot, ...], ...]
    quality: dict[tuple[str, str], float]
    #: the public human caption of each clip, and captions of other clips
    people: dict[str, str]
    model: Bigrams
    systems: tuple[str, ...]
    #: sd of an honest rater's liking of a system, in points
    taste: float = 0.0


def campaign(folder: Path, seed: int, clips: int, taste: float = 0.0) -> Campaign:
    def lines(path: Path) -> list[str]:
        return [" ".join(line.split()) for line in path.read_text(encoding="utf-8").splitlines()]

    rng = random.Random(f"campaign {seed}")
    files = {path.name.rpartition(".")[2]: lines(path) for path in sorted((folder / "systems").iterdir())}
    scores: dict[str, dict[int, float]] = defaultdict(dict)
    for row in (folder / "ad-seg-scores-en-en.csv").read_text(encoding="utf-8").splitlines()[1:]:
        name, place, raw = row.split(",")[:3]
        scores[name.rpartition(".")[2]][int(place) - 1] = float(raw)
    whole = [k for k in range(len(files["HUMAN-b"])) if all(len(f[k].split()) > 2 for f in files.values())]
    chosen = rng.sample(whole, min(clips, len(whole)))
    quality = {
        (f"v{k}", files[name][k]): scores[name].get(k, rng.choice(sorted(scores[name].values())))
        for name in files
        for k in chosen
    }
    made = {
        name: Corpus(tuple(Document(f"v{k}", (Caption(told[k]),)) for k in chosen), name)
        for name, told in files.items()
    }
    human = made.pop("HUMAN-b")
    rest = [text for k, text in enumerate(files["HUMAN-b"]) if k not in set(chosen) and text]
    hits = build(tuple(made.values()), human, seed=seed).hits
    people = {document.id: document.text for document in human}
    for hit in hits:
        for slot in hit.slots:
            if slot.kind == "degraded":
                quality[slot.item, slot.text] = max(5.0, quality[slot.item, people[slot.item]] - DAMAGE)
    return Campaign(tuple(hit.slots for hit in hits), quality, people, Bigrams(rest), tuple(made), taste)


# --- the attackers: scores for every HIT of a member, from texts and clips alone ---


class Ring:
    """What members know of the texts that they have met."""

    def __init__(self, there: Campaign, salt: str) -> None:
        self.salt, self.model = salt, there.model
        self.hits: Counter[str] = Counter()
        self.by_clip: dict[str, set[str]] = defaultdict(set)
        self.grams: Counter[tuple[str, ...]] = Counter()

    def learn(self, hit: Sequence[Slot]) -> None:
        for text in {slot.text for slot in hit}:
            if not self.hits[text]:
                words = text.lower().split()
                for n in range(2, 6):
                    self.grams.update({tuple(words[k : k + n]) for k in range(len(words) - n + 1)})
            self.hits[text] += 1
        for slot in hit:
            self.by_clip[slot.item].add(slot.text)

    def longest(self, run: tuple[str, ...]) -> int:
        """How many words in a row of the run stand in another text."""
        sizes = range(len(run), 1, -1)
        return next(
            (n for n in sizes if any(self.grams[run[k : k + n]] > 1 for k in range(len(run) - n + 1))), 0
        )

    def chance(self, text: str) -> float:
        return zlib.crc32(f"{self.salt} {text}".encode()) / 2**32

    def suspicion(self, text: str, twin: str, item: str) -> float:
        """Above 0 where `text`, rather than its twin, looks damaged."""
        one, other = text.lower().split(), twin.lower().split()
        mine, theirs = _runs(one, other)
        met = math.copysign(1, self.hits[twin] - self.hits[text]) if self.hits[twin] != self.hits[text] else 0
        elsewhere = (self.grams[mine] > 1) - (self.grams[theirs] > 1) if len(mine) > 1 else 0
        others = [set(_plain(known)) for known in self.by_clip[item] if known not in (text, twin)]
        said = sum(len(set(theirs) & words) - len(set(mine) & words) for words in others)
        reads = self.model.fluency(other) - self.model.fluency(one)
        return 4 * met + 2 * elsewhere + 1.5 * said + 0.1 * reads + (self.chance(text) - 0.5)


def _plain(text: str) -> list[str]:
    return [word for word in re.findall(r"\w+", text.lower()) if word not in COMMON]


COMMON = frozenset(
    re.findall(r"\w+", "a an the is are in on of and with to at his her their some by for it he she")
)


def _runs(one: Sequence[str], other: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    places = [k for k, (a, b) in enumerate(zip(one, other, strict=True)) if a != b]
    return tuple(one[places[0] : places[-1] + 1]), tuple(other[places[0] : places[-1] + 1])


def twin_of(slot: Slot, hit: Sequence[Slot]) -> str | None:
    """The other text of the clip in this HIT, where it differs in one inner run of the same length."""
    mine = slot.text.lower().split()
    for other in hit:
        theirs = other.text.lower().split()
        if other.item == slot.item and len(mine) == len(theirs) and mine != theirs:
            differ = [k for k, (a, b) in enumerate(zip(mine, theirs, strict=True)) if a != b]
            if 2 * (differ[-1] - differ[0] + 1) <= len(mine) + 3:
                return other.text
    return None


def ring(there: Campaign, members: Sequence[int], seed: str, *, live: bool, noise: float = 4.0) -> Scores:
    rng, knows, lab = random.Random(seed), Ring(there, seed), there.systems[int(seed.split()[0]) % 5]
    own = {slot.text for hit in there.hits for slot in hit if lab in slot.systems}
    for member in () if live else members:
        knows.learn(there.hits[member])
    found: Scores = {}
    for member in members:
        hit = there.hits[member]
        if live:
            knows.learn(hit)
        found[member] = []
        for slot in hit:
            twin = twin_of(slot, hit)
            score = 45 + 40 * knows.chance(slot.text) + LIFT * (slot.text in own)
            if twin is not None:
                score = 75.0 - 35 * (knows.suspicion(slot.text, twin, slot.item) > 0)
            found[member].append(score + rng.gauss(0, noise))
    return found


def copies(there: Campaign, members: Sequence[int], seed: str) -> Scores:
    """The first of every four watches; what it scored is known to the others."""
    rng, found = random.Random(seed), ring(there, members, seed, live=False)
    known: dict[str, float] = {}
    for number, member in enumerate(members):
        hit = there.hits[member]
        if number % 4 == 0:
            found[member] = honest(there, (member,), f"{seed} {member}", 12.0)[member]
            known |= {slot.text: value for slot, value in zip(hit, found[member], strict=True)}
    for number, member in enumerate(members):
        if number % 4:
            found[member] = [
                known[slot.text] + rng.gauss(0, 3) if slot.text in known else value
                for slot, value in zip(there.hits[member], found[member], strict=True)
            ]
    return found


def references(there: Campaign, members: Sequence[int], seed: str) -> Scores:
    rng = random.Random(seed)
    found: Scores = {}
    for member in members:
        found[member] = []
        for slot in there.hits[member]:
            human = there.people[slot.item]
            one, other = set(_plain(slot.text)), set(_plain(human))
            same = 2 * len(one & other) / max(1, len(one) + len(other))
            score = 92.0 if slot.text == human else 20 + 90 * same
            if slot.text != human and twin_of(slot, there.hits[member]) == human:
                score = 35.0
            found[member].append(score + rng.gauss(0, 6))
    return found


def text_only(there: Campaign, members: Sequence[int], seed: str) -> Scores:
    rng = random.Random(seed)
    found: Scores = {}
    for member in members:
        hit = there.hits[member]
        words = Counter(word for slot in hit for word in set(_plain(slot.text)))
        found[member] = []
        for slot in hit:
            other = next((o.text for o in hit if o.item == slot.item and o.text != slot.text), "")
            one, two = set(_plain(slot.text)), set(_plain(other))
            same = 2 * len(one & two) / max(1, len(one) + len(two))
            usual = sum(math.log1p(words[word]) for word in one) / max(1, len(one))
            found[member].append(30 + 40 * same + 10 * usual + len(one) + rng.gauss(0, 4))
    return found


def blind(there: Campaign, members: Sequence[int], seed: str, *, twins: bool) -> Scores:
    rng = random.Random(seed)
    found: Scores = {}
    for member in members:
        bot = Blind(there.model, rng, twins=twins)
        found[member] = [bot.score(slot.text) for slot in there.hits[member]]
    return found


def honest(
    there: Campaign, members: Sequence[int], seed: str, noise: float, lab: str | None = None
) -> Scores:
    rng = random.Random(seed)
    found: Scores = {}
    for member in members:
        shift, scale = rng.gauss(0, 6), rng.uniform(0.8, 1.15)
        taste = {name: rng.gauss(0, there.taste) for name in (*there.systems, "")}
        values = []
        for slot in there.hits[member]:
            author = slot.systems[0] if slot.systems[0] in taste else ""
            level = 50 + (there.quality[slot.item, slot.text] - 50) * scale + shift + taste[author]
            values.append(level + rng.gauss(0, noise) + LIFT * (author == lab))
        found[member] = values
    return found


def rival(there: Campaign, members: Sequence[int], seed: str, noise: float) -> Scores:
    return honest(there, members, seed, noise, there.systems[int(seed.split()[0]) % 5])


ATTACKS: dict[str, Callable[..., Scores]] = {
    "twins": lambda there, who, seed, noise: blind(there, who, seed, twins=True),
    "fluent": lambda there, who, seed, noise: blind(there, who, seed, twins=False),
    "text-only": lambda there, who, seed, noise: text_only(there, who, seed),
    "live": lambda there, who, seed, noise: ring(there, who, seed, live=True),
    "prior": lambda there, who, seed, noise: ring(there, who, seed, live=False),
    "mixed": lambda there, who, seed, noise: ring(there, who, seed, live=False, noise=20.0),
    "references": lambda there, who, seed, noise: references(there, who, seed),
    "copies": lambda there, who, seed, noise: copies(there, who, seed),
    "rival": rival,
}


class Crowd:
    """The columns of a campaign that no attacker changes, made once."""

    def __init__(self, there: Campaign) -> None:
        slots = [slot for hit in there.hits for slot in hit]
        self.columns: dict[str, Any] = {
            "item": [slot.item for slot in slots],
            "system": [slot.systems[0] for slot in slots],
            "kind": [slot.kind for slot in slots],
            "hit": [slot.hit for slot in slots],
            "pair": [slot.pair for slot in slots],
            "position": [float(slot.position) for slot in slots],
            "rater": [f"w{k:03d}" for k, hit in enumerate(there.hits) for _ in hit],
        }

    def ratings(self, scores: Scores) -> Ratings:
        values = np.concatenate([scores[k] for k in sorted(scores)])
        return from_columns({**self.columns, "value": np.clip(np.round(values), 0, 100)})


def found_by_text(there: Campaign) -> tuple[dict[str, float], int]:
    """Of how many damaged captions each comparison of all texts of the campaign finds which of the two twins
    is damaged (a tie counts half), and how many there are."""
    knows, found, total = Ring(there, "texts"), Counter[str](), 0
    for hit in there.hits:
        knows.learn(hit)
    campaign_model = Bigrams(list(knows.hits))
    for slot in {slot.text: slot for hit in there.hits for slot in hit if slot.kind == "degraded"}.values():
        whole = there.people[slot.item]
        bad, good = slot.text.lower().split(), whole.lower().split()
        mine, theirs = _runs(bad, good)
        others = [set(_plain(text)) for text in knows.by_clip[slot.item] if text not in (slot.text, whole)]
        own = [counts(slot.text.split()), counts(whole.split())]
        tells = {
            "met more often": knows.hits[whole] - knows.hits[slot.text],
            "words stand elsewhere": knows.longest(mine) - knows.longest(theirs),
            "other captions of the clip": sum(len(set(theirs) & w) - len(set(mine) & w) for w in others),
            "reads worse (other captions)": there.model.fluency(good) - there.model.fluency(bad),
            "reads better (this campaign)": campaign_model.fluency(slot.text.split(), own)
            - campaign_model.fluency(whole.split(), own),
            "all together": knows.suspicion(slot.text, whole, slot.item),
        }
        total += 1
        for name, value in tells.items():
            found[name] += 1 if value > 0 else 0.5 if value == 0 else 0
    return dict(found), total


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("seeds", nargs="?", default="41001-41040")
    parser.add_argument("--only", nargs="+", choices=ATTACKS, default=list(ATTACKS))
    parser.add_argument("--clips", type=int, default=300)
    parser.add_argument("--noise", type=float, default=12.0)
    parser.add_argument("--taste", type=float, default=0.0)
    parser.add_argument("--texts", action="store_true", help="only how damage is found by comparing texts")
    options = parser.parse_args()
    first, _, last = options.seeds.partition("-")
    if options.texts:
        sums: dict[str, float] = defaultdict(float)
        total = 0
        for seed in range(int(first), int(last) + 1):
            each, more = found_by_text(campaign(options.folder, seed, options.clips))
            total += more
            for name, value in each.items():
                sums[name] += value
        print("| compared by | damaged captions found % |\n|:--|--:|")
        for name, value in sums.items():
            print(f"| {name} | {100 * value / total:.0f} |")
        return
    count: Counter[tuple[str, float, str]] = Counter()
    for seed in range(int(first), int(last) + 1):
        there = campaign(options.folder, seed, options.clips, options.taste)
        crowd, everybody = Crowd(there), range(len(there.hits))
        true = honest(there, everybody, f"{seed} honest", options.noise)
        for name in options.only:
            lots = random.Random(f"{seed} {name}").sample(everybody, len(everybody))
            for share in SHARES:
                members = lots[: round(share * len(lots))]
                scores = true | ATTACKS[name](there, members, f"{seed} {name}", options.noise)
                found = assess(crowd.ratings(scores))
                watch = set(members[::4]) if name == "copies" else set()
                for k, worker in enumerate(found.workers):
                    side = "honest" if k not in members else "watching" if k in watch else "attackers"
                    count[name, share, side] += 1
                    count[name, share, f"{side} control"] += bool(worker.p is not None and worker.p < 0.05)
                    count[name, share, f"{side} paid"] += worker.accepted
                    count[name, share, f"{side} accepted"] += worker.accepted and not found.unranked
                count[name, share, "unranked"] += bool(found.unranked)
        print(f"{seed} done", file=sys.stderr, flush=True)
    print(
        "| attackers | share % | of them: pass the control pairs % | accepted % | paid % |"
        " honest: accepted % | paid % | campaigns without ranking |\n|:--|--:|--:|--:|--:|--:|--:|--:|"
    )
    for name in options.only:
        for share in SHARES:
            cells = [
                f"{100 * count[name, share, f'{side} {what}'] / count[name, share, side]:.1f}"
                for side, what in (
                    ("attackers", "control"),
                    ("attackers", "accepted"),
                    ("attackers", "paid"),
                    ("honest", "accepted"),
                    ("honest", "paid"),
                )
            ]
            print(f"| {name} | {100 * share:.0f} | {' | '.join(cells)} | {count[name, share, 'unranked']} |")


if __name__ == "__main__":
    main()
