"""HITs for Direct Assessment: which caption stands where, with controls that nobody can tell from the rest.

A HIT has an even number of blocks (ten) of equal make-up (7 system captions, 1 degraded, 1 exact repeat, 1
human caption). Blocks i and i + 5 belong together: every slot of one has a twin in the other that shows **the
same clip**.

    degraded  <->  the human caption it was made from   (control_base = human; with `system`: a system's
              caption)
    repeat    <->  the caption it repeats
    the rest  <->  another author's caption of the same clip

So the two members of a pair stand 41-59 places apart, either may come first, and since *every* clip comes
twice, a second showing of a clip betrays nothing. Within a block the order is shuffled. Clips and authors
that were shown least come first, ties are drawn by lot; the seed decides everything, byte for byte.

A human caption is damaged in one HIT, as long as there are captions that were not; later HITs show it with
the same damage. Else who compares the texts of many HITs would know that what recurs is whole.

Every caption is shown in several HITs (`OVERLAP`), each time in other company, so that each rater shares
captions with many others and can be held against what they said. That is stronger than several raters for the
same HIT: where two of three are bots, nobody can tell which side is right (docs/human-analysis.md).

Two captions of one clip need two authors, and each caption is shown once per HIT (its repeat apart). Where
the files cannot give that, `build` raises an error that says what is missing; where only the twins of
ordinary captions cannot be had (a single system) they show different clips and `HitDesign.notes` says what
that costs."""

import heapq
import random
from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Literal

import msgspec

from ...captions import Corpus
from ...errors import DataError, UsageError, first_few
from .degrade import Damage, Degraded, damage, degrade
from .request import OVERLAP, Layout, drawn

__all__ = ["Degraded", "Hit", "HitDesign", "Layout", "Slot", "build", "degrade"]

Kind = Literal["system", "degraded", "repeat", "human"]


class Slot(msgspec.Struct, frozen=True, omit_defaults=True, tag_field="task", tag="da"):
    """One place in a HIT, with everything that raters must not know: a line of the private key."""

    hit: str
    position: int
    item: str
    kind: Kind
    systems: tuple[str, ...]
    text: str
    #: the same for both members of a control pair, empty otherwise
    pair: str = ""
    degraded: Degraded | None = None
    #: on the first line: the seed that everything was drawn from
    seed: str = ""


class Hit(msgspec.Struct, frozen=True):
    id: str
    slots: tuple[Slot, ...]


class HitDesign(msgspec.Struct, frozen=True):
    layout: Layout
    hits: tuple[Hit, ...]
    notes: tuple[str, ...]


class _Entry(msgspec.Struct, frozen=True):
    """A caption that can be shown: by one author, or by several who wrote the same words."""

    item: str
    systems: tuple[str, ...]
    text: str


#: a caption in its place: what it is there, and its pair
_Placed = tuple[Kind, _Entry, str]


def texts(corpus: Corpus | None, wanted: Container[str] | None = None) -> dict[str, str]:
    """One caption for each video that is wanted (default: all) and has one: the sentences of the first
    document of each id, joined by blanks.
    """
    found: dict[str, str] = {}
    for document in corpus or ():
        if document.id not in found and (wanted is None or document.id in wanted):
            found[document.id] = " ".join(document.text.split())
    return {item: text for item, text in found.items() if text}


def build(
    systems: Sequence[Corpus],
    human: Corpus | None = None,
    *,
    layout: Layout | None = None,
    hits: int | None = None,
    seed: str | int = 0,
    merge_identical: bool = False,
    items: Iterable[str] | None = None,
    overlap: int = OVERLAP,
    shown: Mapping[tuple[str, tuple[str, ...]], int] | None = None,
) -> HitDesign:
    """Lay out `hits` HITs (default: enough to show every system caption `overlap` times) over the videos in
    `items` (default: all). `shown`: how often other HITs show each caption, by item and authors; captions of
    an author that lag behind the others of that author come first.
    """
    layout = layout or Layout()
    layout.check()
    names = [corpus.name for corpus in systems]
    if len(set(names)) < len(names):
        raise DataError(
            f"Two systems share a name: {first_few(name for name, n in Counter(names).items() if n > 1)}.",
            hint="Rename one of the files.",
        )
    if human is None and layout.human + (layout.degraded if layout.control_base == "human" else 0):
        raise UsageError(
            "The layout asks for human captions, but there is no file of them.",
            hint="Give --human FILE, or --human-per-block 0 --control-base system.",
        )
    wanted = set(items) if items is not None else None
    people = texts(human, wanted)
    pool = _pool(systems, wanted, merge_identical)
    read = [entry.text for entries in pool.values() for entry in entries] + list(people.values())
    donors = people or {item: entries[0].text for item, entries in pool.items()}
    lot = drawn("design", seed)
    dealer = _Dealer(pool, people, human.name if human else "", layout, damage(donors, read), lot)
    before = shown or {}
    dealer.begin(before)
    total = sum(map(len, pool.values()))
    count = hits if hits is not None else -(-total * overlap // max(1, layout.blocks * layout.system))
    if count < 1:
        raise DataError(
            "There is no system caption to rate.",
            hint="Check that the ids of the caption files match the clips.",
        )
    dealt = tuple(dealer.hit(f"h{number:05d}") for number in range(1, count + 1))
    unseen = sum(
        not dealer.shown[entry.item, entry.systems] and not before.get((entry.item, entry.systems))
        for entries in pool.values()
        for entry in entries
    )
    if unseen:
        dealer.notes.append(
            f"{unseen:,} of {total:,} system captions are in no HIT: with more HITs (--hits) all are rated."
        )
    return HitDesign(layout, dealt, tuple(dealer.notes))


def _pool(systems: Sequence[Corpus], wanted: set[str] | None, merge: bool) -> dict[str, list[_Entry]]:
    by_item: dict[str, dict[tuple[str, str], list[str]]] = {}
    for corpus in systems:
        for item, text in texts(corpus, wanted).items():
            by_item.setdefault(item, {}).setdefault((text, "" if merge else corpus.name), []).append(
                corpus.name
            )
    return {
        item: [_Entry(item, tuple(authors), text) for (text, _), authors in entries.items()]
        for item, entries in sorted(by_item.items())
    }


class _Dealer:
    """Deals captions to HITs so that clips, authors and captions are shown equally often."""

    def __init__(
        self,
        pool: Mapping[str, list[_Entry]],
        people: Mapping[str, str],
        human: str,
        layout: Layout,
        damage: Damage,
        rng: random.Random,
    ) -> None:
        self.pool, self.people, self.human, self.layout, self.rng = pool, people, human, layout, rng
        self.damage = damage
        self.damaged: dict[_Entry, Degraded] = {}
        self.told = {item: (_Entry(item, (human,), text),) for item, text in people.items()}
        self.shown: Counter[tuple[str, tuple[str, ...]]] = Counter()
        self.notes: list[str] = []
        #: clips by how often captions of this role were shown; the least shown, by lot, on top
        self.heaps = {
            role: [(0, rng.random(), item) for item in sorted(items)]
            for role, items in (("system", pool), ("human", people))
        }
        for heap in self.heaps.values():
            heapq.heapify(heap)

    def begin(self, shown: Mapping[tuple[str, tuple[str, ...]], int]) -> None:
        """Take into account what other HITs show, within each author: so all authors stay equal."""
        everybody = [(item, e.systems) for item, entries in self.pool.items() for e in entries]
        everybody += [(item, entry.systems) for item, entries in self.told.items() for entry in entries]
        least: dict[tuple[str, ...], int] = {}
        for item, systems in everybody:
            least[systems] = min(least.get(systems, 10**9), shown.get((item, systems), 0))
        for item, systems in everybody:
            count = shown.get((item, systems), 0) - least[systems]
            if count:
                self.shown[item, systems] = count

    def hit(self, name: str) -> Hit:
        layout, half = self.layout, self.layout.blocks // 2
        self.used: set[tuple[str, tuple[str, ...]]] = set()
        self.balance: Counter[str] = Counter()
        self.resting: dict[str, list[tuple[int, float, str]]] = {"system": [], "human": []}
        self.present: set[str] = set()
        blocks: list[list[_Placed]] = [[] for _ in range(layout.blocks)]
        self.name, pairs = name, 0
        kinds: list[Kind] = ["degraded"] * layout.degraded
        kinds += ["repeat"] * layout.repeat
        for low in range(half):
            # controls of `here`, originals in `there`
            for here, there in ((low, low + half), (low + half, low)):
                for kind in kinds:
                    pairs += 1
                    pair = f"{name}.p{pairs:03d}"
                    source: Kind = (
                        "human" if kind == "degraded" and layout.control_base == "human" else "system"
                    )
                    entry = self.one(source)
                    blocks[there].append((source, entry, pair))
                    blocks[here].append((kind, entry, pair))
            self.fill(blocks[low], blocks[low + half])
        slots: list[Slot] = []
        for block in blocks:
            self.rng.shuffle(block)
            for kind, entry, pair in block:
                what = self.spoil(entry) if kind == "degraded" else None
                text = what.text if what else entry.text
                slots.append(Slot(name, len(slots), entry.item, kind, entry.systems, text, pair, what))
        for role, clips in self.resting.items():
            for uses, _, item in clips:
                heapq.heappush(self.heaps[role], (uses, self.rng.random(), item))
        return Hit(name, tuple(slots))

    def spoil(self, entry: _Entry) -> Degraded:
        """The caption, damaged; in the same way in every HIT that has to show it damaged again: as often as
        raters meet one of the two, they meet the other."""
        if entry not in self.damaged:
            beside = [one.text for one in self.pool.get(entry.item, ()) if one.text != entry.text]
            self.damaged[entry] = self.damage.of(
                entry.text, self.rng, item=entry.item, near=self.present, beside=beside
            )
        return self.damaged[entry]

    def fill(self, a: list[_Placed], b: list[_Placed]) -> None:
        """The places without a pair: two authors of one clip, one in each of the two blocks."""
        for left, right in zip(self.missing(a), self.missing(b), strict=True):
            if left == right == "human":
                first, second = self.one("human"), self.one("human")
            else:
                first, second = self.two(left, right)
            a.append((left, first, ""))
            b.append((right, second, ""))

    def missing(self, block: list[_Placed]) -> list[Kind]:
        have = Counter(kind for kind, *_ in block)
        rest: list[Kind] = ["system"] * (self.layout.system - have["system"])
        rest += ["human"] * (self.layout.human - have["human"])
        self.rng.shuffle(rest)
        return rest

    def one(self, kind: Kind) -> _Entry:
        return self.draw((kind,))[0]

    def two(self, left: Kind, right: Kind) -> tuple[_Entry, _Entry]:
        try:
            first, second = self.draw((left, right))
        except DataError:
            first, second = self.one(left), self.one(right)
            note = (
                "For some clips fewer than two captions were left for a HIT. These clips are shown once,"
                " while clips of control items are shown twice, which raters may notice: add systems, or use"
                " smaller HITs."
            )
            if note not in self.notes:
                self.notes.append(note)
        return first, second

    def draw(self, kinds: tuple[Kind, ...]) -> list[_Entry]:
        """Captions of these kinds, all of the clip that was shown least and does not stand in this HIT
        yet.
        """
        role = "system" if "system" in kinds else "human"
        heap, resting, passed = self.heaps[role], self.resting[role], []
        try:
            while heap:
                uses, lot, item = heapq.heappop(heap)
                if item in self.present:
                    resting.append((uses, lot, item))
                elif (entries := self.choose(item, kinds)) is not None:
                    # a clip comes twice in a HIT whatever its role: counted by captions, a repeated one would
                    # lag and be chosen again
                    resting.append((uses + (2 if role == "system" else 1), lot, item))
                    self.present.add(item)
                    return entries
                else:
                    passed.append((uses, lot, item))
        finally:
            for waiting in passed:
                heapq.heappush(heap, waiting)
        return self.again(kinds, resting)

    def again(self, kinds: tuple[Kind, ...], resting: list[tuple[int, float, str]]) -> list[_Entry]:
        """A clip that already stands in this HIT, but has captions that do not: for sets with few clips."""
        for place in sorted(range(len(resting)), key=lambda p: resting[p][:2]):
            uses, lot, item = resting[place]
            if (entries := self.choose(item, kinds)) is not None:
                resting[place] = (uses + len(kinds), lot, item)
                return entries
        have = (
            f"{sum(map(len, self.pool.values())):,} system captions and {len(self.people):,} human captions"
            f" of {len({*self.pool, *self.people}):,} clips"
        )
        raise DataError(
            f"HIT {self.name} with {self.layout.size} captions cannot be filled: all available"
            f" {' and '.join(kinds)} captions are already in it ({have}).",
            hint="Use smaller HITs (--blocks, --system-per-block), or add clips or systems.",
        )

    def choose(self, item: str, kinds: tuple[Kind, ...]) -> list[_Entry] | None:
        chosen: list[_Entry] = []
        for kind in kinds:
            options = self.told.get(item, ()) if kind == "human" else self.pool.get(item, ())
            free = [e for e in options if (item, e.systems) not in self.used and e not in chosen]
            if not free:
                return None
            if len(free) > 1:
                shown, balance = self.shown, self.balance
                ranks = [
                    (shown.get((item, e.systems), 0), min([balance.get(s, 0) for s in e.systems]))
                    for e in free
                ]
                least = min(ranks)
                free = [e for e, rank in zip(free, ranks, strict=True) if rank == least]
            chosen.append(free[int(self.rng.random() * len(free))] if len(free) > 1 else free[0])
        for entry in chosen:
            self.used.add((item, entry.systems))
            self.shown[item, entry.systems] += 1
            for author in entry.systems:
                self.balance[author] += 1
        return chosen
