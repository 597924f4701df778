"""Ratings made by arithmetic, the table of ratings and its analysis, and the verb that analyses them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from click.testing import CliRunner

from storymeter.captions import Rating
from storymeter.cli import cli
from storymeter.human.analysis.assessment import analyse as analyse
from storymeter.human.analysis.quality import assess as assess
from storymeter.human.analysis.scores import caption_scores as caption_scores, rank as rank
from storymeter.human.ratings import (
    DEGRADED as DEGRADED,
    REPEAT as REPEAT,
    Ratings as Ratings,
    from_columns as from_columns,
    from_records as from_records,
)
from storymeter.human.sources import read as read

QUALITY = {"best": 75.0, "middle": 55.0, "worst": 35.0}


def campaign(raters: int = 6, items: int = 30, seed: int = 0, bots: int = 0) -> list[Rating]:
    """Every rater rates every system on every item, plus ten control pairs; the last `bots` of them answer at
    random.
    """
    random = np.random.default_rng(seed)
    out = []
    for k in range(raters):
        bot = k >= raters - bots

        def score(mean: float, bot: bool = bot) -> float:
            return (
                float(random.integers(0, 101))
                if bot
                else float(np.clip(round(random.normal(mean, 12)), 0, 100))
            )

        place = 0
        for item in range(items):
            for system, mean in QUALITY.items():
                out.append(
                    Rating(
                        f"v{item}",
                        system,
                        f"r{k}",
                        score(mean),
                        "system",
                        hit=f"h{k}",
                        position=place,
                        seconds=6.0,
                    )
                )
                place += 1
        for pair in range(10):
            for kind, mean in (("human", 95.0), ("degraded", 40.0)):
                out.append(
                    Rating(
                        f"v{pair}",
                        "Human-b",
                        f"r{k}",
                        score(mean),
                        kind,
                        hit=f"h{k}",
                        pair=f"p{pair}",
                        position=place,
                        seconds=6.0,
                    )
                )
                place += 1
    return out


def preferences() -> list[Rating]:
    out = []
    for item, answers in {"v1": [2, 1, 1], "v2": [-1, -2, 0], "v3": [1, 2, 2], "v4": [0, 0, 0]}.items():
        out += [
            Rating(item, "a", f"r{k}", float(v), criterion="preference", meta={"against": "b"})
            for k, v in enumerate(answers)
        ]
    out += [
        Rating("v1", "", "liar", 0.0, "test", criterion="test"),
        Rating("v1", "a", "liar", -2.0, criterion="preference", meta={"against": "b"}),
    ]
    out += [
        Rating("v2", "b", "r9", 2.0, criterion="preference", meta={"against": "a"})
    ]  # the other way round: a is better
    return out


def survey() -> list[Rating]:
    marks = {"x": (5, 5, 4), "y": (3, 2, 4), "z": (1, 1, 4)}
    records = [
        Rating(item, system, rater, float(v), criterion=c)
        for item in ("s1", "s2")
        for rater in ("r1", "r2")
        for system, vs in marks.items()
        for c, v in zip(("grounded", "coherent", "no_repetition"), vs, strict=True)
    ]
    chosen = {"r1": "x", "r2": "x"}
    return records + [
        Rating(item, s, r, float(chosen[r] == s), criterion="vote")
        for item in ("s1", "s2")
        for r in chosen
        for s in marks
    ]


def write(path: Path, records: list[Rating]) -> Path:
    path.write_bytes(b"\n".join(msgspec.json.encode(r) for r in records) + b"\n")
    return path


def run(*arguments: Any) -> Any:
    return CliRunner().invoke(cli, ["human", "analyse", *map(str, arguments)], catch_exceptions=True)
