"""Progress of a campaign: work done, seats, raters with their control statistics so far; for `status`
and the dashboard.
"""

import datetime
import shutil
import statistics
from collections import defaultdict
from typing import Any

import msgspec

from ...captions import Rating
from ...errors import DataError
from ..analysis.left_out import records_without
from ..store import Store
from ..study import ControlResult
from .export import ratings
from .money import measured_seconds
from .record import Folder

#: below this many bytes the dashboard warns
LITTLE_ROOM = 500_000_000
#: what the organiser is shown of a rater's answer
_SHOWN = ("position", "item", "system", "kind", "criterion", "value", "seconds", "time")


def overview(folder: Folder, store: Store) -> dict[str, Any]:
    campaign, study = folder.campaign, folder.study
    counts = store.counts()
    found = ratings(folder, store)
    by_rater: dict[str, list[Rating]] = defaultdict(list)
    for one in found:
        by_rater[one.rater].append(one)
    verdicts, included = (
        study.verdicts(found),
        study.included([one for one in found if not one.meta.get("held")]),
    )
    nothing = ControlResult()
    raters = [
        _rater(
            row,
            by_rater.get(row["id"], []),
            verdicts.get(row["id"], nothing),
            included.get(row["id"], nothing),
        )
        for row in store.raters()
    ]
    seconds = [one.seconds for one in found if one.seconds is not None]
    total = counts["seats"]
    measured = measured_seconds(found)
    pay = campaign.pay(counts["paid"], measured)
    state = health(folder, store)
    return {
        "schema": 1,
        "campaign": campaign.id,
        "title": campaign.title,
        "task": campaign.task,
        "columns": list(study.columns),
        "unvouched": study.missing_controls(folder.key.values()),
        "platform": campaign.platform.name,
        "state": store.state(),
        "pilot": int(places) if (places := store.get("pilot")) is not None else None,
        "hits": campaign.hits,
        "hit_size": campaign.hit_size,
        "seats": {
            "total": total,
            "done": counts["done"],
            "active": counts["active"],
            "held": counts["held"],
            "free": total - counts["done"] - counts["active"] - counts["held"],
            "abandoned": counts["expired"],
        },
        "ratings": counts["ratings"],
        "erased": counts["erased"],
        "wanted": total * campaign.hit_size,
        "seconds_per_item": statistics.median(seconds) if seconds else None,
        "cost_so_far": round(pay.total, 2),
        "cost": round(campaign.pay().total, 2),
        "currency": campaign.currency,
        "pay": {
            "per_hit": campaign.price,
            "per_hour": pay.hourly,
            "minutes_per_hit": pay.seconds / 60,
            "measured": bool(measured),
            "said": pay.rate,
            "warning": pay.warning(campaign.hourly),
        },
        "health": {**msgspec.structs.asdict(state), "little_room": state.little_room},
        "raters": raters,
    }


def answers_of(folder: Folder, store: Store, rater: str) -> list[dict[str, Any]]:
    """One rater's judgements, in the order of the work, with what stands behind each: for the organiser's
    eyes alone."""
    return [
        {name: getattr(one, name) for name in _SHOWN} for one in ratings(folder, store) if one.rater == rater
    ]


def ranking(folder: Folder, store: Store) -> dict[str, Any]:
    """Where the systems stand so far, as `human analyse` would say, without raters whose work is held."""
    study = folder.study
    try:
        found, notes = records_without(ratings(folder, store))
    except DataError as error:
        return {"word": study.standing_word, "rows": [], "notes": [error.message]}
    rows = [row._asdict() for row in study.standings(found)]
    return {"word": study.standing_word, "rows": rows, "notes": notes}


def _rater(
    row: dict[str, Any], found: list[Rating], verdict: ControlResult, included: ControlResult
) -> dict[str, Any]:
    seconds = [one.seconds for one in found if one.seconds is not None]
    last = datetime.datetime.fromtimestamp(row["last"], datetime.timezone.utc)
    return {
        "id": row["id"],
        "done": row["done"],
        "active": row["active"],
        "abandoned": row["expired"],
        "held": row["reason"],
        "ratings": len({(one.hit, one.position) for one in found}),
        "last": last.isoformat(timespec="seconds"),
        "seconds_per_item": statistics.median(seconds) if seconds else None,
        "pairs": verdict.pairs,
        "mean_high": verdict.high,
        "mean_low": verdict.low,
        "p": verdict.p,
        "accepted": verdict.accepted,
        "reason": verdict.reason,
        # as `human analyse` decides: by every gate, and without raters on hold
        "included": False if row["reason"] is not None else included.accepted,
        "included_reason": f"on hold: {row['reason']}" if row["reason"] is not None else included.reason,
        "flags": list(verdict.flags),
        "tests": verdict.tests,
        "tests_right": verdict.tests_right,
    }


class Health(msgspec.Struct):
    """Whether everything is there that a campaign needs while it runs: its clips, and room on its disk."""

    clips: int
    #: file: what is wrong with it
    broken: dict[str, str]
    #: file: how often raters reported that it did not play
    reported: dict[str, int]
    free_bytes: int

    @property
    def little_room(self) -> bool:
        return self.free_bytes < LITTLE_ROOM


def health(folder: Folder, store: Store) -> Health:
    clips = store.clips()
    broken = {}
    for clip in clips:
        try:
            size = (folder.clips / clip.path).stat().st_size
        except OSError:
            broken[clip.path] = "is missing"
        else:
            if size != clip.bytes:
                broken[clip.path] = f"has {size:,} bytes; it had {clip.bytes:,} when the campaign was made"
    return Health(len(clips), broken, store.skipped(), shutil.disk_usage(folder.path).free)
