"""Error spans (Kocmi et al., WMT 2024: Error Span Annotation), for video: the rater watches the clip, marks
the words of the caption that are wrong, says how bad (minor, major) and what about (object, action, …), marks
[missing] behind it where something is not told and writes what, and then gives a score from 0 to 100.

Items and controls are those of Direct Assessment. In a degraded caption the words that were put in are known,
so that beside the scores of the pair the marks tell who looked: one of the planted words must be marked."""

import itertools
import random
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

import msgspec

from ...captions import Rating
from ...errors import UsageError
from ...progress import Progress, silent
from ..analysis.span_records import (
    CRITERION,
    FOUND,
    KINDS,
    OMISSION,
    SEVERITIES,
    Span,
    meta_of,
    not_believed,
    planted_found,
    words_at,
)
from ..campaign.design import Slot
from ..campaign.request import CampaignRequest, Layout, Practice
from .base import ControlResult, Design, SimulatedRater, by_gates, by_pairs, fit
from .da import DirectAssessment

#: the longest remark on what is missing, and the most marks in one caption
REMARK, MARKS = 500, 60


class Marked(Slot, frozen=True, omit_defaults=True, tag_field="task", tag="spans"):
    """A place of an error span study: a line of the private key."""

    #: an own list of what errors may be about
    kinds: tuple[str, ...] = ()


class _Answer(msgspec.Struct, forbid_unknown_fields=True):
    value: int
    spans: list[Span]
    missing: str = ""


class ErrorSpans(DirectAssessment):
    name = "spans"
    title = "error span studies"
    line = Marked
    formats: ClassVar[tuple[str, ...]] = ()
    criteria: ClassVar[tuple[str, ...]] = (CRITERION,)
    plain = False
    answering = 25.0
    columns: ClassVar[tuple[str, ...]] = ("tests", *DirectAssessment.columns)
    #: no repeats, and fewer pairs than in Direct Assessment: the marks say more (bench/human_spans.py)
    layout: ClassVar[Layout | None] = Layout(blocks=8, system=4, repeat=0)

    def design(self, options: CampaignRequest, seed: str, progress: Progress = silent) -> Design:
        own = _kinds(options.kinds)
        design = super().design(options, seed, progress)
        fields = Slot.__struct_fields__
        design.key = [
            Marked(**{name: getattr(line, name) for name in fields}, kinds=own) for line in design.key
        ]
        return design

    def meanings(self, options: CampaignRequest) -> tuple[str, ...]:
        return options.kinds

    def kinds_of(self, key: Iterable[Any]) -> tuple[str, ...]:
        return next(iter(key)).kinds or KINDS

    def page_data(self, line: Any) -> dict[str, Any]:
        return {"caption": line.text, "kinds": line.kinds or KINDS}

    def practice_page(self, item: Practice, options: CampaignRequest) -> dict[str, Any]:
        return {"caption": item.caption, "kinds": _kinds(options.kinds) or KINDS}

    def validate_answer(self, payload: Mapping[str, Any], answer: Any) -> str | None:
        given = fit(answer, _Answer)
        if given is None or not 0 <= given.value <= 100:
            return None
        if len(given.missing) > REMARK or len(given.spans) > MARKS:
            return None
        text, kinds = payload["caption"], payload["kinds"]
        given.spans.sort(key=lambda mark: (mark.start, mark.end))
        omissions = [mark for mark in given.spans if mark.omission]
        inside = len(omissions) < 2 and all(
            mark.start == mark.end == len(text)
            if mark.omission
            else 0 <= mark.start < mark.end <= len(text)
            and mark.kind in kinds
            and text[mark.start : mark.end].strip()
            for mark in given.spans
        )
        apart = all(before.end <= after.start for before, after in itertools.pairwise(given.spans))
        return msgspec.json.encode(given).decode() if inside and apart else None

    def judgements(self, line: Any, answer: Any, common: dict[str, Any]) -> Iterator[Rating]:
        said = meta_of(line.text, msgspec.convert(answer["spans"], list[Span]), answer.get("missing", ""))
        planted = planted_at(line)
        if planted is not None:
            said["planted"] = {"start": planted[0], "end": planted[1]}
        for one in super().judgements(line, answer, {**common, "meta": {**common["meta"], **said}}):
            yield msgspec.structs.replace(one, criterion=CRITERION)

    def verdicts(self, records: Sequence[Rating]) -> dict[str, ControlResult]:
        """The worker test on the scores, and how many of the planted errors were marked: both must hold."""
        found, out = planted_found(records), {}
        for rater, verdict in by_pairs(records).items():
            marks = found[rater]
            if marks:
                share = sum(marks) / len(marks)
                said = f"{sum(marks)} of {len(marks)} planted errors marked; {verdict.reason}"
                accepted = None if verdict.accepted is None else verdict.accepted and share >= FOUND
                verdict = verdict._replace(
                    accepted=accepted, reason=said, tests=len(marks), tests_right=share
                )
            out[rater] = verdict
        return out

    def included(self, records: Sequence[Rating]) -> dict[str, ControlResult]:
        return by_gates(records, not_believed(planted_found(records)))

    def analyse(
        self, records: Sequence[Rating], *, faithful: float | None, minimum: int, **options: Any
    ) -> Any:
        from ..analysis.spans import analyse_spans

        return analyse_spans(records, **options)

    def scores(self, records: Sequence[Rating]) -> Any:
        return super().scores(records).analysis

    def reply(self, item: Mapping[str, Any], bot: SimulatedRater, secret: Any) -> dict[str, Any]:
        """The score, and marks: an attentive rater marks planted words, and in other captions the more words
        the worse the caption is, always the same ones.
        """
        score = super().reply(item, bot, secret)
        spans: list[dict[str, Any]] = []
        planted = planted_at(secret) if secret is not None else None
        if bot.attentive and planted is not None:
            kind = item["kinds"][0]
            spans = [{"start": planted[0], "end": planted[1], "severity": "major", "kind": kind}]
        elif bot.attentive and secret is not None:
            spans = list(_true_errors(secret, item["kinds"], bot))
        elif bot.rng.random() < 0.5:
            start, end = bot.rng.choice(words_at(item["caption"]))
            kind = bot.rng.choice(list(item["kinds"]))
            spans = [{"start": start, "end": end, "severity": bot.rng.choice(SEVERITIES), "kind": kind}]
        return {**score, "spans": spans, "missing": ""}


def _kinds(kinds: tuple[str, ...]) -> tuple[str, ...]:
    """An own list of kinds, checked; empty where it is the usual one."""
    if kinds == KINDS:
        return ()
    if OMISSION in kinds:
        raise UsageError(
            f"{OMISSION} is a mark of its own, behind the text, in every error span study.",
            hint="Leave it out of --kinds.",
        )
    if not kinds or len(set(kinds)) < len(kinds) or any(not k.strip() or len(k) > 40 for k in kinds):
        raise UsageError(
            f"{', '.join(kinds)!r} is not a list of error categories.",
            hint="Write --kinds object,action,place: each once, forty letters at most.",
        )
    return kinds


def planted_at(line: Slot) -> tuple[int, int] | None:
    """The characters of a degraded caption that were put in; None where nothing was."""
    if line.degraded is None:
        return None
    if line.degraded.at is not None:
        return line.degraded.at
    words = words_at(line.text)
    first, last = line.degraded.start, line.degraded.start + line.degraded.length - 1
    return words[first][0], words[min(last, len(words) - 1)][1]


def _true_errors(line: Slot, kinds: Sequence[str], bot: SimulatedRater) -> Iterable[dict[str, Any]]:
    """Errors that a rehearsal pretends a caption has: its quality decides how many words are wrong, its
    author what most errors are about. The words are the same for every rater; now and then one is overlooked.
    """
    truth = random.Random(f"{line.item} {line.text}")
    share = max(0.0, min(0.9, (85.0 - bot.truth_of(line.text)) / 100))
    favourite = kinds[zlib.crc32(line.systems[0].encode()) % len(kinds)]
    for start, end in words_at(line.text):
        wrong = truth.random() < share
        severity = "major" if truth.random() < 0.5 else "minor"
        kind = favourite if truth.random() < 0.6 else kinds[truth.randrange(len(kinds))]
        if wrong and bot.rng.random() < 0.85:
            yield {"start": start, "end": end, "severity": severity, "kind": kind}
