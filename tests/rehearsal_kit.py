"""Whole campaigns on paper: clips with facts, captions that get them right or wrong, and a crowd of raters.

No server and no clip: to count how often honest raters are lost and others believed takes thousands of raters
(`bench/human_blind.py`). A clip shows somebody who does something with a thing in some place. People name all
four; system k names each rightly with a probability that falls with k. A caption's true quality is

    10 + 20 (facts named rightly) - 12 (facts named wrongly), in 0 … 100

which an honest rater sees with an own shift, an own scale and noise, and which nobody can read from the text.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rating_kit import Ratings, from_records

from storymeter.captions import Caption, Corpus, Document, Rating
from storymeter.human.analysis.span_records import words_at
from storymeter.human.campaign.design import Hit, Layout, build
from storymeter.human.campaign.fluency import Bigrams
from storymeter.human.rehearsal import Blind

WHO = (
    "man",
    "woman",
    "boy",
    "girl",
    "dog",
    "chef",
    "dancer",
    "farmer",
    "soldier",
    "nurse",
    "clown",
    "monkey",
)
DOES = (
    "lifts",
    "throws",
    "paints",
    "hides",
    "cleans",
    "carries",
    "drops",
    "kicks",
    "fixes",
    "holds",
    "burns",
)
WHAT = ("ball", "box", "chair", "guitar", "cake", "bottle", "lamp", "drum", "basket", "kite", "book", "tyre")
WHERE = ("kitchen", "garden", "street", "forest", "stadium", "garage", "river", "church", "train", "office")
FACTS = (WHO, DOES, WHAT, WHERE)
#: what people add
HOW = ("old", "young", "small", "tall", "red", "heavy", "wet", "broken", "blue", "dark")
FRAMES = (
    "a {a} {0} {1} the {b} {2} in the {3}",
    "in a {3} the {a} {0} {1} a {2} while others watch",
    "we see how a {0} {1} some {b} {2} near a {3} at night",
    "a {0} with a {b} hat {1} the {2} and then leaves the {3}",
)
PLAIN = (
    "a {0} {1} a {2} in the {3}",
    "the {0} {1} the {2} near a {3}",
    "there is a {0} who {1} a {2} in a {3}",
)
Facts = tuple[str, str, str, str]


@dataclass(frozen=True)
class World:
    facts: Mapping[str, Facts]
    systems: tuple[Corpus, ...]
    human: Corpus
    #: captions of other clips, which an attacker may have read
    elsewhere: tuple[str, ...]

    def quality(self, item: str, text: str) -> float:
        words = set(text.split())
        right = wrong = 0
        for known, fact in zip(FACTS, self.facts[item], strict=True):
            right += fact in words
            wrong += len((words & set(known)) - {fact})
        return float(min(100, max(0, 10 + 20 * right - 12 * wrong)))


def world(clips: int, systems: int, seed: int | str) -> World:
    rng = random.Random(f"world {seed}")
    facts = {f"v{k:04d}": _facts(rng) for k in range(clips)}
    shares = [0.85 - 0.55 * k / max(1, systems - 1) for k in range(systems)]

    def corpus(name: str, told: Sequence[str]) -> Corpus:
        documents = (Document(item, (Caption(text),)) for item, text in zip(facts, told, strict=True))
        return Corpus(tuple(documents), name)

    machines = tuple(
        corpus(f"system{k}", [_plain(_blurred(fact, share, rng), rng) for fact in facts.values()])
        for k, share in enumerate(shares)
    )
    people = corpus("people", [_rich(fact, rng) for fact in facts.values()])
    elsewhere = tuple(_rich(_facts(rng), rng) for _ in range(400))
    return World(facts, machines, people, elsewhere)


def crowd(
    there: World,
    characters: Sequence[str],
    *,
    raters_per_hit: int,
    noise: float = 12.0,
    seed: int | str = 0,
) -> Ratings:
    """The ratings of a campaign with so many raters, `w000` on, of these characters: honest, fluent, twins,
    random. Every HIT gets its first rater before any gets its second.
    """
    hits = -(-len(characters) // raters_per_hit)
    dealt = build(there.systems, there.human, hits=hits, seed=seed).hits
    rng, model = random.Random(f"crowd {seed}"), Bigrams(there.elsewhere)
    records: list[Rating] = []
    for number, character in enumerate(characters):
        hit = dealt[number % hits]
        records += _work(hit, f"w{number:03d}", character, there, noise, model, rng)
    return from_records(records)


def _work(
    hit: Hit, rater: str, character: str, there: World, noise: float, model: Bigrams, rng: random.Random
) -> list[Rating]:
    blind = Blind(model, rng, twins=character == "twins")
    shift, scale = rng.gauss(0, 6), rng.uniform(0.8, 1.15)

    def score(item: str, text: str) -> float:
        if character == "honest":
            return 50 + (there.quality(item, text) - 50) * scale + shift + rng.gauss(0, noise)
        return rng.uniform(0, 100) if character == "random" else blind.score(text)

    return [
        Rating(
            slot.item,
            slot.systems[0],
            rater,
            float(round(min(100.0, max(0.0, score(slot.item, slot.text))))),
            slot.kind,
            hit=slot.hit,
            pair=slot.pair,
            position=slot.position,
        )
        for slot in hit.slots
    ]


def _facts(rng: random.Random) -> Facts:
    return rng.choice(WHO), rng.choice(DOES), rng.choice(WHAT), rng.choice(WHERE)


def _blurred(facts: Facts, share: float, rng: random.Random) -> Facts:
    who, does, what, where = (
        fact if rng.random() < share else rng.choice(known) for fact, known in zip(facts, FACTS, strict=True)
    )
    return who, does, what, where


def _plain(facts: Facts, rng: random.Random) -> str:
    return rng.choice(PLAIN).format(*facts)


def _rich(facts: Facts, rng: random.Random) -> str:
    return rng.choice(FRAMES).format(*facts, a=rng.choice(HOW), b=rng.choice(HOW))


#: what an error in each fact is called
KINDS = ("person", "action", "object", "place")
#: how often a rater marks a word that is wrong, and one that is not
SEEN, INVENTED = 0.85, 0.03


def profiled(clips: int, profiles: Mapping[str, Sequence[float]], seed: int | str) -> World:
    """A world whose systems get each of the four facts wrong with a probability of their own, in the order of
    `KINDS`.
    """
    plain = world(clips, 1, seed)
    rng = random.Random(f"profiled {seed}")

    def told(facts: Facts, wrong: Sequence[float]) -> str:
        who, does, what, where = (
            rng.choice([other for other in known if other != fact]) if rng.random() < rate else fact
            for fact, known, rate in zip(facts, FACTS, wrong, strict=True)
        )
        return _plain((who, does, what, where), rng)

    systems = tuple(
        Corpus(tuple(Document(v, (Caption(told(f, wrong)),)) for v, f in plain.facts.items()), name)
        for name, wrong in profiles.items()
    )
    return World(plain.facts, systems, plain.human, plain.elsewhere)


def markers(there: World, raters: int, *, layout: Layout, seed: int | str = 0) -> list[Rating]:
    """The judgements of an error span study by so many attentive raters, three for a HIT. Errors about
    persons and actions are major.
    """
    hits = -(-raters // 3)
    dealt = build(there.systems, there.human, layout=layout, hits=hits, seed=seed).hits
    rng = random.Random(f"markers {seed}")
    out: list[Rating] = []
    for number in range(raters):
        shift = rng.gauss(0, 5)
        for slot in dealt[number % hits].slots:
            spans: list[dict[str, object]] = []
            meta: dict[str, object] = {"text": slot.text, "spans": spans, "missing": ""}
            places = words_at(slot.text)
            for start, end in places:
                kind = _fault(slot.text[start:end], there.facts[slot.item])
                if rng.random() < (SEEN if kind else INVENTED):
                    severity = "major" if kind in ("person", "action") else "minor"
                    spans.append({"start": start, "end": end, "severity": severity, "kind": kind or "other"})
            if slot.degraded:
                last = min(len(places), slot.degraded.start + slot.degraded.length) - 1
                meta["planted"] = {"start": places[slot.degraded.start][0], "end": places[last][1]}
            quality = there.quality(slot.item, slot.text) + shift + rng.gauss(0, 8)
            out.append(
                Rating(
                    slot.item,
                    slot.systems[0],
                    f"m{number:03d}",
                    float(round(min(100.0, max(0.0, quality)))),
                    slot.kind,
                    criterion="spans",
                    hit=slot.hit,
                    pair=slot.pair,
                    position=slot.position,
                    meta=meta,
                )
            )
    return out


def _fault(word: str, facts: Facts) -> str:
    """What is wrong about a word: the kind of the fact that it names wrongly, or nothing."""
    for known, fact, kind in zip(FACTS, facts, KINDS, strict=True):
        if word in known and word != fact:
            return kind
    return ""
