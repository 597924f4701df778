"""The three tasks from one description: what a place shows, which answers fit, and what a browser may know of
it.

A browser gets a random-looking id per place, made from the signing key: no system, no kind, no pair, no file
name. The two showings of one clip have different addresses."""

from __future__ import annotations

import hmac
from typing import Any

import msgspec

from ..campaign import Campaign, Secrets
from ..store import Place
from ..studies import CRITERIA


class Ids:
    """Public ids of places and media: they can be checked, but neither guessed nor linked."""

    def __init__(self, secrets: Secrets) -> None:
        self._secrets = secrets

    def slot(self, assignment: int, position: int) -> str:
        return self._secrets.token("slot", str(assignment), str(position), length=12)

    def media(self, assignment: int, position: int, number: int) -> str:
        return self._secrets.token("media", str(assignment), str(position), str(number), length=12)

    def is_slot(self, text: str, assignment: int, position: int) -> bool:
        return hmac.compare_digest(text.encode(), self.slot(assignment, position).encode())


def watch_seconds(campaign: Campaign, place: Place) -> float | None:
    """How long the place's clip must have been playing; None where there is nothing to play."""
    if campaign.task == "survey" or not place.media:
        return None
    return place.media[0].seconds * campaign.watch


def item(
    campaign: Campaign,
    ids: Ids,
    base: str,
    assignment: int,
    first: int,
    size: int,
    position: int,
    place: Place,
) -> dict[str, Any]:
    """The place as the page gets it."""
    practice = position < 0
    return {
        "id": ids.slot(assignment, position),
        "at": position,
        "practice": practice,
        "n": position - first + 1 if practice else position + 1,
        "of": -first if practice else size,
        "task": campaign.task,
        "media": [
            f"{base}/m/{ids.media(assignment, position, number)}" for number in range(len(place.media))
        ],
        "watch": watch_seconds(campaign, place) is not None,
        **place.payload,
    }


class _Score(msgspec.Struct, forbid_unknown_fields=True):
    value: int


class _Preference(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    value: int
    test: int | None = None


class _Marks(msgspec.Struct, forbid_unknown_fields=True):
    marks: list[list[int]]
    vote: int


def checked(campaign: Campaign, place: Place, answer: Any) -> str | None:
    """The answer as it will be stored (always the same text for the same answer), or None where it does not
    fit the place.
    """
    try:
        if campaign.task == "da":
            score = msgspec.convert(answer, _Score)
            return msgspec.json.encode(score).decode() if 0 <= score.value <= 100 else None
        if campaign.task == "preference":
            choice = msgspec.convert(answer, _Preference)
            question = place.payload.get("question")
            fits = (
                choice.test is None
                if question is None
                else choice.test is not None and 0 <= choice.test < len(question["options"])
            )
            return msgspec.json.encode(choice).decode() if -2 <= choice.value <= 2 and fits else None
        marks = msgspec.convert(answer, _Marks)
        stories = len(place.payload["stories"])
        whole = len(marks.marks) == stories and all(
            len(row) == len(CRITERIA) and all(1 <= mark <= 5 for mark in row) for row in marks.marks
        )
        return msgspec.json.encode(marks).decode() if whole and 0 <= marks.vote < stories else None
    except msgspec.ValidationError:
        return None


def feedback(campaign: Campaign, words: dict[str, Any], number: int, answer: str) -> dict[str, Any] | None:
    """What a rater hears after a practice item: whether the answer fits, and why."""
    if not 0 <= number < len(campaign.practice):
        return None
    wanted = campaign.practice[number]
    good = wanted.low <= msgspec.json.decode(answer)["value"] <= wanted.high
    why = wanted.feedback or words["feedback_high" if wanted.high > 50 else "feedback_low"]
    return {"good": good, "text": f"{words['feedback_good']} {why}" if good else why}
