"""How a campaign is getting on: progress, seats, raters with their control statistics so far; for `status`
and the dashboard.
"""

from __future__ import annotations

import datetime
import statistics
from collections import defaultdict
from typing import Any

from ..captions import Rating
from .campaign import Folder
from .export import ratings
from .platforms import Verdict, judge
from .store import Store
from .store.progress import counts as _counts
from .store.progress import raters as _raters


def overview(folder: Folder, store: Store) -> dict[str, Any]:
    campaign = folder.campaign
    counts = store.read(_counts)
    found = ratings(folder, store)
    by_rater: dict[str, list[Rating]] = defaultdict(list)
    for one in found:
        by_rater[one.rater].append(one)
    verdicts = judge(found) if campaign.task == "da" else {}
    raters = [
        _rater(row, by_rater.get(row["id"], []), verdicts.get(row["id"])) for row in store.read(_raters)
    ]
    seconds = [one.seconds for one in found if one.seconds is not None]
    total = counts["seats"]
    return {
        "schema": 1,
        "campaign": campaign.id,
        "title": campaign.title,
        "task": campaign.task,
        "platform": campaign.platform.name,
        "state": store.state(),
        "hits": campaign.hits,
        "hit_size": campaign.hit_size,
        "seats": {
            "total": total,
            "done": counts["done"],
            "active": counts["active"],
            "free": total - counts["done"] - counts["active"],
            "abandoned": counts["expired"],
        },
        "ratings": counts["ratings"],
        "wanted": total * campaign.hit_size,
        "seconds_per_item": statistics.median(seconds) if seconds else None,
        "cost_so_far": round(counts["done"] * campaign.price * (1 + campaign.fee), 2),
        "currency": campaign.currency,
        "raters": raters,
    }


def _rater(row: dict[str, Any], found: list[Rating], verdict: Verdict | None) -> dict[str, Any]:
    seconds = [one.seconds for one in found if one.seconds is not None]
    tests = [one.value for one in found if one.kind == "test"]
    return {
        "id": row["id"],
        "done": row["done"],
        "active": row["active"],
        "abandoned": row["expired"],
        "ratings": len({(one.hit, one.position) for one in found}),
        "last": (
            datetime.datetime.fromtimestamp(row["last"], datetime.timezone.utc).isoformat(timespec="seconds")
        ),
        "seconds_per_item": statistics.median(seconds) if seconds else None,
        "pairs": verdict.pairs if verdict else None,
        "mean_high": verdict.high if verdict else None,
        "mean_low": verdict.low if verdict else None,
        "p": verdict.p if verdict else None,
        "accepted": verdict.accepted if verdict else None,
        "flags": list(verdict.flags) if verdict else [],
        "tests_right": sum(tests) / len(tests) if tests else None,
    }
