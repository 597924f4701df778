"""Ratings that must not be mixed: language pairs, or whatever a file calls a stratum."""

from __future__ import annotations

from dataclasses import replace

from .ratings import Labels, Ratings


def parts(ratings: Ratings, wanted: str | None = None) -> dict[str, Ratings]:
    """What is to be analysed by itself: every stratum, one of them, or everything under the name `all`.

    Item numbers are those of a stratum: where all are mixed knowingly, the items of different strata stay
    apart."""
    strata = ratings.strata
    if wanted == "all" or len(strata) < 2:
        if wanted not in (None, "all"):
            return {wanted: ratings.of_stratum(wanted)}
        return {"all": _mixed(ratings) if len(strata) > 1 else ratings}
    return {name: ratings.of_stratum(name) for name in ([wanted] if wanted is not None else strata)}


def _mixed(ratings: Ratings) -> Ratings:
    if ratings.stratum is None:
        return ratings
    names = [f"{s} {i}" for s, i in zip(ratings.stratum.listed(), ratings.item.listed(), strict=True)]
    note = f"{len(ratings.strata)} strata were mixed: {', '.join(ratings.strata)}."
    return replace(ratings, item=Labels.of(names), stratum=None, notes=(*ratings.notes, note))
