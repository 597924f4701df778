"""The story survey of Wang et al. (RoViST, figure 7): a picture sequence, several stories, three marks from 1
to 5 for each, and one vote for the best. The criteria are defined with the examples of the figure.

The order of the stories is drawn by lot. In every sequence there is one more story, of other pictures, which
must be the worst. Who votes for it, or gives any other story no higher mark for `grounded`, did not look; one
slip in eight is allowed (`base.least_right`). docs/human-studies.md says what blind and text-only raters
reach."""

import itertools
import math
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from ...captions import Caption, Document, Rating
from ...errors import DataError, first_few
from ...progress import Progress, silent
from ..campaign import clips
from ..campaign.request import CampaignRequest, drawn
from .base import TEST, Design, SimulatedRater, Standings, fit
from .stories import (
    REPEAT,
    Foils,
    Story,
    StoryStudy,
    deal_rounds,
    gather,
    pictures_of,
    repeat_count,
    with_repeats,
)

CRITERIA = ("grounded", "coherent", "no_repetition")
#: the share of the sequences with a story that must lose, and how many at least
CONTROLS, LEAST = 1.0, 3


class Panel(msgspec.Struct, frozen=True, omit_defaults=True, tag_field="task", tag="survey"):
    """One picture sequence with its stories in the order shown: a line of the private key."""

    hit: str
    position: int
    item: str
    #: empty where the story is the control
    systems: tuple[str, ...]
    texts: tuple[Story, ...]
    images: tuple[str, ...]
    #: which story was told of the sequence `donor` and must lose; -1: none
    foil: int = -1
    donor: str = ""
    seed: str = ""
    #: `repeat` where the rater has seen it before, with its stories in another order; `pair`: both showings
    kind: str = "system"
    pair: str = ""


class _Marks(msgspec.Struct, forbid_unknown_fields=True):
    marks: list[list[int]]
    vote: int


class Survey(StoryStudy):
    name = "survey"
    title = "surveys"
    options = frozenset({"faithful", "gates", "held", "missing"})
    control_word = "with a control story"
    line = Panel
    plays = False
    media_word = "pictures"
    difference_unit = "marks"
    answering = 30.0

    def design(self, options: CampaignRequest, seed: str, progress: Progress = silent) -> Design:
        ids = sorted({document.id for corpus in options.systems for document in corpus})
        named = clips.sequences(options.clips, pictures_of(options.systems), ids)
        checked = clips.check(
            options.clips, sorted({image for images in named.values() for image in images}), clips.IMAGE
        )
        whole = {
            item: images
            for item, images in named.items()
            if images and all(image in checked.clips for image in images)
        }
        without = [item for item in ids if not named.get(item)]
        problems = checked.problems + [f"{item}: no pictures" for item in without]
        if not whole:
            raise DataError(
                f"{len(without):,} sequences have no pictures: {first_few(without)}.",
                hint="Name them in the caption files, or put them into FOLDER/<sequence id>/.",
            )
        stories = gather(options.systems, whole, self.name)
        key = self.panels(stories, whole, options, drawn(self.name, seed))
        return Design(key, checked.clips, problems=problems, warnings=checked.warnings)

    def panels(
        self,
        stories: Mapping[str, Mapping[str, Story]],
        pictures: Mapping[str, tuple[str, ...]],
        options: CampaignRequest,
        rng: random.Random,
    ) -> list[Panel]:
        foils = Foils(stories)
        per_hit = options.per_hit or min(8, len(stories))
        repeated = repeat_count(options.repeat_per_hit, per_hit)
        key: list[Panel] = []
        for number, hand in enumerate(deal_rounds(list(stories), per_hit, options, rng, "sequences"), 1):
            count = max(LEAST, math.ceil(CONTROLS * per_hit))
            controls = set(rng.sample(hand, min(len(hand), count)))
            panels: list[Panel] = []
            for position, item in enumerate(hand):
                told: list[tuple[str, Story]] = sorted(stories[item].items())
                # each sequence lends one story at most to a HIT: a text found twice is then seldom telling
                lent = Counter(panel.donor for panel in panels)
                strange = foils.among(item, rng, lent) if item in controls else None
                if strange is not None:
                    told.append(("", strange[1]))
                order = rng.sample(told, len(told))
                names = tuple(name for name, _ in order)
                panels.append(
                    Panel(
                        f"h{number:05d}",
                        position,
                        item,
                        names,
                        tuple(story for _, story in order),
                        pictures[item],
                        names.index("") if strange is not None else -1,
                        strange[0] if strange is not None else "",
                    )
                )
            chosen = rng.sample(panels, repeated) if repeated else []
            key += with_repeats(panels, chosen, lambda panel: _shuffled(panel, rng))
        return key

    def captions(self, line: Panel) -> Iterator[tuple[str, Document]]:
        for name, story in zip(line.systems, line.texts, strict=True):
            if name:
                told = itertools.zip_longest(story, line.images, fillvalue="")
                yield name, Document(line.item, tuple(Caption(text, image=image) for text, image in told))

    def per_hit(self, hit: Sequence[Panel]) -> int | None:
        return len(hit) - self.repeats(hit)

    def display_counts(self, key: Iterable[Panel]) -> Mapping[Any, int]:
        return Counter(line.item for line in key if line.kind != REPEAT)

    def media(self, line: Panel) -> tuple[str, ...]:
        return line.images

    def page_data(self, line: Panel) -> dict[str, Any]:
        return {"stories": line.texts}

    def missing_controls(self, key: Iterable[Panel]) -> str:
        if any(line.foil >= 0 for line in key):
            return ""
        return (
            "The raters cannot be checked: no sequence has a control story, so careless raters are not"
            " detected. With two sequences or more, control stories are added automatically."
        )

    def texts(self, payload: Mapping[str, Any]) -> Iterable[str]:
        return (sentence for story in payload["stories"] for sentence in story)

    def validate_answer(self, payload: Mapping[str, Any], answer: Any) -> str | None:
        given, stories = fit(answer, _Marks), len(payload["stories"])
        if given is None or len(given.marks) != stories or not 0 <= given.vote < stories:
            return None
        whole = all(len(row) == len(CRITERIA) and all(1 <= mark <= 5 for mark in row) for row in given.marks)
        return msgspec.json.encode(given).decode() if whole else None

    def judgements(self, line: Panel, answer: Any, common: dict[str, Any]) -> Iterator[Rating]:
        for number, system in enumerate(line.systems):
            if number == line.foil:
                if line.kind == REPEAT:
                    continue  # asked once
                others = [marks[0] for place, marks in enumerate(answer["marks"]) if place != number]
                right = answer["vote"] != number and answer["marks"][number][0] < min(others)
                yield Rating(**common, system="", value=float(right), kind=TEST, criterion=TEST)
                continue
            said = [*zip(CRITERIA, answer["marks"][number], strict=True), ("vote", answer["vote"] == number)]
            for criterion, value in said:
                yield Rating(
                    **common,
                    system=system,
                    value=float(value),
                    kind=line.kind,
                    criterion=criterion,
                    pair=line.pair,
                )

    def standings(self, records: Sequence[Rating]) -> list[Standings]:
        """The means and vote shares of `human analyse`."""
        try:
            found = self.analyse(records, faithful=None, minimum=1)
        except DataError:
            return []
        stories = {(one.system, one.criterion, one.item) for one in records}
        items = Counter((system, criterion) for system, criterion, _ in stories)
        rows = []
        for one in found.means:
            low, high = one.interval or (None, None)
            count = items[one.system, one.criterion]
            rows.append(Standings(one.criterion, one.system, one.mean, low, high, count, one.n))
        total = sum(found.votes.values())
        for name, votes in found.votes.items() if total else ():
            low, high = found.vote_intervals[name] or (None, None)
            rows.append(Standings("vote", name, votes / total, low, high, items[name, "vote"], total))
        return sorted(rows, key=lambda row: (row.criterion, -row.value))

    def analyse(
        self, records: Sequence[Rating], *, faithful: float | None, minimum: int, **options: Any
    ) -> Any:
        from ..analysis.survey import analyse_survey

        return analyse_survey(records, faithful=faithful, **options)

    def reply(self, item: Mapping[str, Any], bot: SimulatedRater, secret: Any) -> dict[str, Any]:
        levels = self.thought(item["stories"], bot, secret)
        marks = [
            [max(1, min(5, round(1 + level / 25 + bot.rng.gauss(0, 0.4)))) for _ in CRITERIA]
            for level in levels
        ]
        if secret is not None and secret.foil >= 0 and bot.attentive:
            # who looks sees that the other stories have at least something of the pictures
            for number, row in enumerate(marks):
                row[0] = 1 if number == secret.foil else max(2, row[0])
        return {"marks": marks, "vote": levels.index(max(levels))}


def _shuffled(panel: Panel, rng: random.Random) -> Panel:
    """The same stories in another order."""
    order = list(range(len(panel.texts)))
    while order == sorted(order):
        order = rng.sample(order, len(order))
    return msgspec.structs.replace(
        panel,
        systems=tuple(panel.systems[k] for k in order),
        texts=tuple(panel.texts[k] for k in order),
        foil=order.index(panel.foil) if panel.foil >= 0 else -1,
    )
