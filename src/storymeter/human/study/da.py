"""Direct Assessment (Graham et al., PLoS ONE 2018): a clip, one caption, a slider from 0 to 100.

The HITs are those of `storymeter.human.campaign.design`. Each rater sees them in an order of their own:
blocks that belong together move together, the two halves may change places, and within a block the order is
drawn anew, so that the members of a control pair stay as far apart as the design put them."""

import itertools
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

import msgspec

from ...captions import Caption, Corpus, Document, Rating
from ...errors import DataError, first_few
from ...progress import Progress, silent
from ..campaign import clips, design
from ..campaign.design import Slot
from ..campaign.request import CampaignRequest, Layout, Practice, drawn
from .base import ControlResult, Design, SimulatedRater, Standings, Study, by_gates, by_pairs, fit


class _Score(msgspec.Struct, forbid_unknown_fields=True):
    value: int


class DirectAssessment(Study):
    name = "da"
    title = "ratings of captions"
    options = frozenset(
        (
            *("accept", "alpha", "clusters", "enforce_repeats", "gates", "held"),
            *("missing", "repeats", "robust", "scale", "splits", "test"),
        )
    )
    line = Slot
    formats: ClassVar[tuple[str, ...]] = ("wmt", "appraise")
    criteria: ClassVar[tuple[str, ...]] = ("",)
    scored = True
    plain = True
    standing_word = "z"
    columns: ClassVar[tuple[str, ...]] = ("pairs", "high", "low", "p", "accepted", "included", "flags")
    layout: ClassVar[Layout | None] = Layout()

    def design(self, options: CampaignRequest, seed: str, progress: Progress = silent) -> Design:
        files, problems, warnings = playable(options, progress)
        layout = options.layout or self.layout or Layout()
        warming = practice(options, seed, files)
        human, reserved = _without(options.human, warming, layout)
        laid = design.build(
            options.systems,
            human,
            layout=layout,
            hits=options.hits,
            overlap=options.overlap,
            seed=seed,
            merge_identical=options.merge_identical,
            items=files,
            shown=options.shown,
        )
        warnings += laid.notes
        key = [slot for hit in laid.hits for slot in hit.slots]
        short = sum(bool(slot.degraded and slot.degraded.short) for slot in key)
        if short:
            warnings.append(
                f"{short:,} degraded captions are too short for table 2 (three words or fewer): fewer words"
                " were replaced"
            )
        return Design(key, files, warming, layout, problems, warnings + reserved)

    def page_data(self, line: Any) -> dict[str, Any]:
        return {"caption": line.text}

    def captions(self, line: Any) -> Iterator[tuple[str, Document]]:
        if line.kind != "degraded":
            for name in line.systems:
                yield name, Document(line.item, (Caption(line.text),))

    def display_counts(self, key: Iterable[Any]) -> Mapping[Any, int]:
        kinds = ("system", "human")
        return Counter((line.item, line.systems) for line in key if line.kind in kinds)

    def is_control(self, line: Any) -> bool:
        return bool(line.kind == "degraded")

    def described(
        self, key: Sequence[Slot], layout: Layout | None, systems: Sequence[str], raters: int
    ) -> list[tuple[str, str]]:
        kinds = Counter(line.kind for line in key)
        low, high = (layout or Layout()).distance
        places = ", ".join(f"{count:,} {kind}" for kind, count in sorted(kinds.items()))
        per = Counter(name for line in key if line.kind in ("system", "repeat") for name in line.systems)
        return [
            ("items", f"{places}; pairs {low}-{high} apart"),
            ("ratings per system", ", ".join(f"{name} {per[name] * raters:,}" for name in systems)),
        ]

    def missing_controls(self, key: Iterable[Slot]) -> str:
        if any(line.kind == "degraded" for line in key):
            return ""
        return (
            "The raters cannot be checked: there is no degraded caption, so careless raters are not detected."
        )

    def texts(self, payload: Mapping[str, Any]) -> Iterable[str]:
        return (payload["caption"],)

    def order(
        self, size: int, layout: Layout | None, rng: random.Random, repeats: int = 0
    ) -> list[int] | None:
        if layout is None or layout.size != size:
            return None
        half, block = layout.blocks // 2, layout.block
        low = rng.sample(range(half), half)
        halves = [low, [number + half for number in low]]
        if rng.random() < 0.5:
            halves.reverse()
        return [
            number * block + place
            for number in itertools.chain(*halves)
            for place in rng.sample(range(block), block)
        ]

    def validate_answer(self, payload: Mapping[str, Any], answer: Any) -> str | None:
        score = fit(answer, _Score)
        if score is None or not 0 <= score.value <= 100:
            return None
        return msgspec.json.encode(score).decode()

    def judgements(self, line: Any, answer: Any, common: dict[str, Any]) -> Iterator[Rating]:
        several = {"systems": list(line.systems)} if len(line.systems) > 1 else {}
        yield Rating(
            **{**common, "meta": {**common["meta"], **several}},
            system="+".join(line.systems),
            value=float(answer["value"]),
            kind=line.kind,
            pair=line.pair,
        )

    def verdicts(self, records: Sequence[Rating]) -> dict[str, ControlResult]:
        return by_pairs(records)

    def included(self, records: Sequence[Rating]) -> dict[str, ControlResult]:
        return by_gates(records)

    def analyse(
        self, records: Sequence[Rating], *, faithful: float | None, minimum: int, **options: Any
    ) -> Any:
        from ..analysis.assessment import analyse
        from ..ratings import from_records

        return analyse(from_records(records), **options)

    def scores(self, records: Sequence[Rating]) -> Any:
        """The analysis of the scores."""
        return self.analyse(records, faithful=None, minimum=1, splits=0)

    def standings(self, records: Sequence[Rating]) -> list[Standings]:
        """The ranking of `human analyse`: z-scores of raters who pass every gate; none where nobody does."""
        try:
            found = self.scores(records)
        except DataError:
            return []
        rows = []
        for one in found.ranking.systems:
            low, high = one.interval or (None, None)
            rows.append(Standings("", one.name, one.z, low, high, one.captions, one.n))
        return rows

    def true_quality(self, line: Slot, systems: Mapping[str, float]) -> Iterator[tuple[str, float]]:
        level = (
            90.0
            if line.kind == "human"
            else sum(systems.get(s, 90.0) for s in line.systems) / len(line.systems)
        )
        yield line.text, max(8.0, level - 45) if line.kind == "degraded" else level

    def reply(self, item: Mapping[str, Any], bot: SimulatedRater, secret: Any) -> dict[str, Any]:
        return {"value": round(min(100.0, max(0.0, bot.level(item["caption"]))))}


def playable(
    options: CampaignRequest, progress: Progress
) -> tuple[dict[str, clips.Clip], list[str], list[str]]:
    """The clips of all captions, with problems and warnings; none at all is an error."""
    ids = sorted(
        {document.id for corpus in options.systems for document in corpus}
        | {document.id for document in options.human or ()}
    )
    checked = clips.check(options.clips, ids, progress=progress)
    if not checked.clips:
        raise DataError(
            f"No caption has a clip in {options.clips} that can be shown:"
            f" {first_few(checked.problems, limit=3)}.",
            hint="Clips are found by name: the file of video `v1` is v1.mp4 or v1.webm.",
        )
    return checked.clips, checked.problems, checked.warnings


#: so many times the human captions of a HIT must be left where some are spared for the practice
SPARE = 2


def _without(
    human: Corpus | None, warming: Sequence[Practice], layout: Layout
) -> tuple[Corpus | None, list[str]]:
    """The human captions that HITs may show: practice says which are good, so that those of its items are no
    longer an honest question. Where there are few, they stay, and a warning says so."""
    if human is None or not warming:
        return human, []
    shown = {item.caption for item in warming}
    rest = tuple(one for one in human if " ".join(one.text.split()) not in shown)
    if len(rest) < SPARE * layout.blocks * max(layout.human, layout.degraded):
        return human, [
            f"There are few human captions ({len(human):,}): those of the practice items are rated in HITs,"
            " too. Use --practice 0, or captions of more videos."
        ]
    return msgspec.structs.replace(human, documents=rest), []


def practice(options: CampaignRequest, seed: str, files: Mapping[str, clips.Clip]) -> tuple[Practice, ...]:
    """Warming up: right and wrong captions in turn (a human caption of this clip, one of another)."""
    people = design.texts(options.human, files)
    if not options.practice or len(people) < 2:
        return ()
    rng = drawn("practice", seed)
    items = rng.sample(sorted(people), min(options.practice, len(people) - 1) + 1)
    return tuple(
        (
            Practice(item, people[item], 60, 100, "")
            if number % 2 == 0
            else Practice(item, people[other], 0, 40, "")
        )
        for number, (item, other) in enumerate(itertools.pairwise(items))
    )
