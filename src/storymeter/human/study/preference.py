"""Story preference (SODA, ECCV 2020, section 6.3): a clip, the captions of two systems, which are better?

The sides are drawn by lot, and the answer is -2 (left is better) … 2 (right is better). Every (video, pair of
systems) comes once before any comes twice. Raters are checked by test questions that only a viewer can answer
(`--tests`). Where there are none, half as many controls as comparisons, and at least nine, are mixed in: one
side shows captions of another video, and must lose. A coin finds eight of nine in 1 of 51 cases, and who
looks may slip once. Studies of few videos have fewer of both (`hit_sizes`)."""

from __future__ import annotations

import itertools
import math
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

import msgspec

from ...captions import Caption, Document, Rating
from ...errors import DataError, first_few, many
from ...progress import Progress, silent
from ..campaign.request import CampaignRequest, Question, drawn
from .base import TEST, Design, SimulatedRater, Standings, fit
from .da import playable
from .stories import (
    REPEAT,
    Foils,
    Story,
    StoryStudy,
    deal_rounds,
    gather,
    repeat_count,
    times_of,
    with_repeats,
)

#: comparisons of a HIT
COMPARISONS = 10
#: comparisons with a side that must lose, as a share of the others, and how many at least; how many there are
#: of both, at least, in a study of few videos
CONTROLS, LEAST, FEW = 0.5, 9, 5


class Duel(msgspec.Struct, frozen=True, omit_defaults=True, tag_field="task", tag="preference"):
    """One comparison, with what raters must not know: a line of the private key. `systems` is (left,
    right).
    """

    hit: str
    position: int
    item: str
    systems: tuple[str, str]
    texts: tuple[Story, Story]
    question: Question | None = None
    #: when each caption begins and ends, where the files say so
    times: tuple[tuple[tuple[float, float], ...], tuple[tuple[float, float], ...]] | None = None
    #: the side (0 left, 1 right) that shows captions of the video `donor` and must lose; -1: none
    foil: int = -1
    donor: str = ""
    seed: str = ""
    #: `repeat` where the rater has seen it before, with its sides exchanged; `pair`: both showings
    kind: str = "system"
    pair: str = ""


class _Choice(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    value: int
    test: int | None = None


class Preference(StoryStudy):
    name = "preference"
    title = "preference studies"
    options = frozenset({"faithful", "gates", "held", "minimum", "missing"})
    control_word = "controls"
    difference_unit = "of the mean answer"
    standing_word = "strength"
    line = Duel
    answering = 12.0
    criteria: ClassVar[tuple[str, ...]] = ("preference",)

    def design(self, options: CampaignRequest, seed: str, progress: Progress = silent) -> Design:
        files, problems, warnings = playable(options, progress)
        stories = gather(options.systems, files, self.name)
        times = {corpus.name: times_of(corpus) for corpus in options.systems}
        tests = _by_item(options.questions)
        key = self.duels(stories, times, tests, options, drawn(self.name, seed))
        if not tests and not any(duel.foil >= 0 for duel in key):
            warnings.append("Every video has the same captions, so no control item can be made.")
        asked = {(duel.hit, duel.item) for duel in key if duel.foil < 0}
        twice = sum(duel.foil >= 0 and (duel.hit, duel.item) in asked for duel in key)
        if twice:
            warnings.append(
                f"{twice:,} of {many(sum(duel.foil >= 0 for duel in key), 'control')} are about a video that"
                " the same HIT shows anyway, because there are too few videos; who remembers the texts can"
                " tell them. Use more videos, a smaller --per-hit, or test questions (--tests)."
            )
        alike = {duel.item for duel in key if duel.foil < 0 and duel.texts[0] == duel.texts[1]}
        if alike:
            warnings.append(
                f"Both sides of {many(len(alike), 'video')} show the same captions, of which raters can"
                f" prefer none: {first_few(sorted(alike))}. Leave them out of the files."
            )
        return Design(key, files, problems=problems, warnings=warnings)

    def duels(
        self,
        stories: Mapping[str, Mapping[str, Story]],
        times: _Times,
        tests: Mapping[str, Sequence[Question]],
        options: CampaignRequest,
        rng: random.Random,
    ) -> list[Duel]:
        foils = Foils(stories)
        deck = [
            (item, a, b) for item, by in stories.items() for a, b in itertools.combinations(sorted(by), 2)
        ]
        if options.added:
            deck = [card for card in deck if not {*options.added}.isdisjoint(card[1:])]
        per_hit, controls = hit_sizes(len(stories), options.per_hit)
        if tests:
            per_hit, controls = options.per_hit or COMPARISONS, 0
        elif options.controls is not None:
            controls = options.controls
        repeated = repeat_count(options.repeat_per_hit, per_hit)
        key: list[Duel] = []
        for number, hand in enumerate(deal_rounds(deck, per_hit, options, rng, "comparisons"), 1):
            hit = f"h{number:05d}"
            duels = [_duel(hit, item, a, b, stories, times, tests, rng) for item, a, b in hand]
            duels += _controls(hit, hand, deck, foils, times, controls, rng)
            rng.shuffle(duels)
            asked = [duel for duel in duels if duel.foil < 0]
            key += with_repeats(duels, rng.sample(asked, repeated) if repeated else [], _exchanged)
        return key

    def captions(self, line: Duel) -> Iterator[tuple[str, Document]]:
        for side, (name, story) in enumerate(zip(line.systems, line.texts, strict=True)):
            if side != line.foil:
                times = line.times[side] if line.times else [(None, None)] * len(story)
                told = (Caption(text, start, end) for text, (start, end) in zip(story, times, strict=True))
                yield name, Document(line.item, tuple(told))

    def per_hit(self, hit: Sequence[Duel]) -> int | None:
        return sum(line.foil < 0 for line in hit) - self.repeats(hit)

    def display_counts(self, key: Iterable[Duel]) -> Mapping[Any, int]:
        shown = [line for line in key if line.foil < 0 and line.kind != REPEAT]
        return Counter((line.item, *sorted(line.systems)) for line in shown)

    def is_control(self, line: Duel) -> bool:
        return super().is_control(line) or (line.kind != REPEAT and line.question is not None)

    def questions(self, key: Iterable[Duel]) -> tuple[Question, ...]:
        return tuple(dict.fromkeys(line.question for line in key if line.question is not None))

    def page_data(self, line: Duel) -> dict[str, Any]:
        question = (
            {"text": line.question.question, "options": line.question.options} if line.question else None
        )
        times = {"times": line.times} if line.times else {}
        return {"left": line.texts[0], "right": line.texts[1], "question": question, **times}

    def missing_controls(self, key: Iterable[Duel]) -> str:
        if any(line.question is not None or line.foil >= 0 for line in key):
            return ""
        return (
            "The raters cannot be checked: there is neither a test question (--tests) nor a control item, so"
            " careless raters are not detected."
        )

    def texts(self, payload: Mapping[str, Any]) -> Iterable[str]:
        asked = payload.get("question")
        return (*payload["left"], *payload["right"], *((asked["text"], *asked["options"]) if asked else ()))

    def validate_answer(self, payload: Mapping[str, Any], answer: Any) -> str | None:
        choice, question = fit(answer, _Choice), payload.get("question")
        if choice is None or not -2 <= choice.value <= 2:
            return None
        fits = (
            choice.test is None
            if question is None
            else choice.test is not None and 0 <= choice.test < len(question["options"])
        )
        return msgspec.json.encode(choice).decode() if fits else None

    def judgements(self, line: Duel, answer: Any, common: dict[str, Any]) -> Iterator[Rating]:
        if line.foil >= 0:
            right = answer["value"] > 0 if line.foil == 0 else answer["value"] < 0
            yield Rating(**common, system="", value=float(right), kind=TEST, criterion=TEST)
            return
        first, second = sorted(line.systems)
        value = float(answer["value"]) * (1 if line.systems[0] == first else -1)
        meta = {**common["meta"], "against": second}
        yield Rating(
            **{**common, "meta": meta},
            system=first,
            value=value,
            kind=line.kind,
            criterion="preference",
            pair=line.pair,
        )
        if line.question is not None and line.kind != REPEAT:  # asked once
            right = answer.get("test") == line.question.answer
            yield Rating(**common, system="", value=float(right), kind=TEST, criterion=TEST)

    def standings(self, records: Sequence[Rating]) -> list[Standings]:
        """The ranking of `human rank`: strengths by the Bradley-Terry model."""
        from ..analysis import pairwise
        from ..analysis.preference import votes_of

        try:
            votes, *_ = votes_of(records)
            found = pairwise.fit(votes)
        except DataError:
            return []
        seen = {(name, one.item) for one in votes for name in (one.system, one.meta["against"])}
        items = Counter(name for name, _ in seen)
        rows = []
        for one in found.systems:
            low, high = one.interval or (None, None)
            answers = one.wins + one.ties + one.losses
            rows.append(Standings("", one.name, one.strength, low, high, items[one.name], answers))
        return rows

    def analyse(
        self, records: Sequence[Rating], *, faithful: float | None, minimum: int, **options: Any
    ) -> Any:
        from ..analysis.preference import analyse_preferences

        return analyse_preferences(records, faithful=faithful, minimum=minimum, **options)

    def reply(self, item: Mapping[str, Any], bot: SimulatedRater, secret: Any) -> dict[str, Any]:
        left, right = self.thought((item["left"], item["right"]), bot, secret)
        out: dict[str, Any] = {"value": max(-2, min(2, round((right - left) / 15)))}
        if item.get("question"):
            known = secret is not None and secret.question is not None and bot.attentive
            options = len(item["question"]["options"])
            out["test"] = secret.question.answer if known else bot.rng.randrange(options)
        return out


def hit_sizes(videos: int, per_hit: int | None = None) -> tuple[int, int]:
    """How many comparisons and controls a HIT has, in a study of so many videos.

    Who remembers texts can tell a control about a video that the HIT shows anyway. Ten comparisons and nine
    controls need 19 videos. With fewer there are five controls, all of which must be right (a coin finds them
    in 1 of 32 cases), and as many comparisons as there are other videos, from five to ten.

    >>> [hit_sizes(videos) for videos in (10, 12, 18, 19)]
    [(5, 5), (7, 5), (10, 5), (10, 9)]
    """
    per_hit = per_hit or min(COMPARISONS, max(FEW, videos - FEW))
    controls = max(LEAST, math.ceil(CONTROLS * per_hit))
    return per_hit, FEW if FEW <= videos - per_hit < controls else controls


def _by_item(questions: Sequence[Question]) -> dict[str, list[Question]]:
    found: dict[str, list[Question]] = {}
    for question in questions:
        if not 0 <= question.answer < len(question.options) or len(question.options) < 2:
            raise DataError(
                f"The test question of {question.item!r} has no right answer among its"
                f" {len(question.options)} options.",
                hint="`answer` counts the options from 0; give two options or more.",
            )
        found.setdefault(question.item, []).append(question)
    return found


def _exchanged(duel: Duel) -> Duel:
    """The same comparison with its sides exchanged."""
    systems, texts, times = duel.systems[::-1], duel.texts[::-1], duel.times and duel.times[::-1]
    return msgspec.structs.replace(duel, systems=systems, texts=texts, times=times)


_Times = Mapping[str, Mapping[str, tuple[tuple[float, float], ...]]]
_Card = tuple[str, str, str]


def _duel(
    hit: str,
    item: str,
    a: str,
    b: str,
    stories: Mapping[str, Mapping[str, Story]],
    times: _Times,
    tests: Mapping[str, Sequence[Question]],
    rng: random.Random,
) -> Duel:
    left, right = (a, b) if rng.random() < 0.5 else (b, a)
    timed = (times[left].get(item), times[right].get(item))
    return Duel(
        hit,
        0,
        item,
        (left, right),
        (stories[item][left], stories[item][right]),
        rng.choice(tests[item]) if item in tests else None,
        None if timed[0] is None or timed[1] is None else (timed[0], timed[1]),
    )


def _controls(
    hit: str,
    hand: Sequence[_Card],
    deck: Sequence[_Card],
    foils: Foils,
    times: _Times,
    count: int,
    rng: random.Random,
) -> list[Duel]:
    """Comparisons with captions of another video on one side: of videos that the HIT does not show already,
    as far as there are any, so that a second showing gives nothing away; and with times where the others have
    some."""
    shown = {item for item, _, _ in hand}
    read = Counter(foils.stories[item][author] for item, *authors in hand for author in authors)
    cards = rng.sample(deck, len(deck))
    found: list[Duel] = []
    for item, *authors in sorted(cards, key=lambda card: card[0] in shown):
        if len(found) == count:
            break
        if item in {duel.item for duel in found}:
            continue
        author, displaced = rng.sample(authors, 2)
        read.update(text for duel in found[-1:] for text in duel.texts)
        other = foils.instead(item, displaced, author, rng, read)
        if other is None:
            continue
        donor, strange = other
        own, borrowed = times[author].get(item), times[displaced].get(item)
        timed = None
        if own is not None and borrowed is not None:
            strange = strange[: len(borrowed)]
            timed = (own, borrowed[: len(strange)])
        side = rng.randrange(2)
        texts = (foils.stories[item][author], strange)
        if side == 0:
            texts, timed = (strange, texts[0]), (timed[1], timed[0]) if timed else None
        found.append(Duel(hit, 0, item, (author, author), texts, times=timed, foil=side, donor=donor))
    return found
