"""Raters on hold: their answers are kept and exported, and counted only where somebody asks for it.

An organiser holds a rater on the dashboard, with a reason; it stands in each of the rater's records
(`meta.held`). Every analysis leaves these records out (`held="leave-out"`), says how many there were and why,
or counts them like all others and says that (`held="include"`).

>>> said(["too fast", "", "too fast"], ["w1", "w2", "w1"], "leave-out")
'1 rater is on hold: w1 (too fast; 2 ratings); left out (--held include counts them).'
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from ..captions import Rating
from ..errors import DataError, first_few
from .ratings import Ratings

Held = Literal["leave-out", "include"]


def said(reasons: Sequence[str], raters: Sequence[str], held: Held) -> str:
    """Who is on hold and why; nothing where nobody is. A reason and a rater for each rating."""
    found = [(rater, reason) for rater, reason in zip(raters, reasons, strict=True) if reason]
    if not found:
        return ""
    listed = [f"{rater} ({reason}; {n:,} ratings)" for (rater, reason), n in sorted(Counter(found).items())]
    count = len({rater for rater, _ in found})
    what = "left out (--held include counts them)" if held == "leave-out" else "counted all the same"
    return f"{count:,} {'rater is' if count == 1 else 'raters are'} on hold: {first_few(listed)}; {what}."


def records_without(records: Sequence[Rating], held: Held = "leave-out") -> tuple[list[Rating], list[str]]:
    """The records that count, and what is to be said about the others."""
    reasons = [str(one.meta.get("held", "")) for one in records]
    note = said(reasons, [one.rater for one in records], held)
    if not note or held == "include":
        return list(records), [note] if note else []
    kept = [one for one, reason in zip(records, reasons, strict=True) if not reason]
    if not kept:
        raise _nobody(note)
    return kept, [note]


def table_without(ratings: Ratings, held: Held = "leave-out") -> Ratings:
    """The same for a table; what is to be said goes into its notes."""
    if ratings.held is None:
        return ratings
    note = said(ratings.held.to_list(), ratings.rater.to_list(), held)
    noted = replace(ratings, notes=(*ratings.notes, note) if note else ratings.notes)
    if not note or held == "include":
        return noted
    free = np.array([not reason for reason in ratings.held.names])[ratings.held.codes]
    if not free.any():
        raise _nobody(note)
    kept = noted.rows(free)
    return replace(kept, rater=kept.rater.drop_unused(), hit=kept.hit.drop_unused(), held=None)


def _nobody(note: str) -> DataError:
    return DataError(
        f"Nobody's ratings are left: {note}", hint="Release raters on the dashboard, or use --held include."
    )
