"""What an organiser asks for when a campaign is made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec

from ...captions import Corpus
from ..analysis.span_records import KINDS
from .design import OVERLAP, Layout


class Platform(msgspec.Struct, frozen=True, omit_defaults=True):
    """Where raters come from. Prolific's completion code is the study's own, from its settings page."""

    name: Literal["local", "mturk", "prolific"] = "local"
    completion_code: str = ""


class Practice(msgspec.Struct, frozen=True):
    """A warming-up item: the answer should fall between `low` and `high`, and `feedback` says why."""

    item: str
    caption: str
    low: int
    high: int
    feedback: str


class Question(msgspec.Struct, frozen=True):
    """A test question about a clip: `answer` counts the options from 0."""

    item: str
    question: str
    options: tuple[str, ...]
    answer: int


class RaterTerms(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """What raters work under; asked for, and then kept in campaign.json."""

    language: str = "en"
    #: how many raters each HIT gets, and how many HITs one rater may do
    raters_per_hit: int = 1
    hits_per_rater: int = 1
    #: how much of a clip's length must pass between its start and the answer, by the server's clock (0: only
    #: that it ended)
    watch: float = 0.9
    lease_minutes: float = 120.0
    platform: Platform = Platform()
    currency: str = "USD"
    contact: str = ""
    #: the address under which raters reach the server
    public_url: str = ""


class CampaignRequest(RaterTerms, frozen=True, kw_only=True):
    task: str = "da"
    systems: Sequence[Corpus] = ()
    human: Corpus | None = None
    clips: Path
    #: pay per HIT, and the platform's fee as a share of it; None: what `hourly` makes of the time that a HIT
    #: takes, and the platform's usual fee
    price: float | None = None
    fee: float | None = None
    #: pay per hour below which there is a warning; None: 8 in USD, EUR, GBP and CHF
    hourly: float | None = None
    hits: int | None = None
    #: how many HITs show each caption, where `hits` does not say how many there are
    overlap: int = OVERLAP
    #: None: the study's own
    layout: Layout | None = None
    per_hit: int | None = None
    #: for rehearsals: a chosen seed can be guessed, and with it the private key
    seed: int | None = None
    merge_identical: bool = False
    questions: Sequence[Question] = ()
    #: spans: what an error may be about
    kinds: tuple[str, ...] = KINDS
    practice: int = 0
    title: str = ""
    #: where a campaign is extended: systems that are new, and how often each caption (comparison, sequence)
    #: was shown before
    added: tuple[str, ...] = ()
    shown: Mapping[Any, int] = {}
