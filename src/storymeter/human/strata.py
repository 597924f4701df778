"""Ratings that must not be mixed: language pairs, or whatever a file calls a stratum."""

from __future__ import annotations

from dataclasses import replace

from .ratings import Labels, Ratings


def parts(ratings: Ratings, wanted: str | None = None) -> dict[str, Ratings]:
    """What is to be analysed by itself: every stratum, one of them, or everything under the name `all`.

    Item numbers are those of a stratum: where all are mixed knowingly, the items of different strata stay
    apart."""
    strata = ratings.strata
    if wanted is not None and wanted != "all":
        return {wanted: ratings.of_stratum(wanted)}
    if ratings.stratum is None or len(strata) < 2:
        return {"all": ratings}
    if wanted is None:
        return {name: ratings.of_stratum(name) for name in strata}
    names = [f"{s} {i}" for s, i in zip(ratings.stratum.listed(), ratings.item.listed(), strict=True)]
    note = f"{len(strata)} strata were mixed: {', '.join(strata)}."
    mixed = replace(ratings, item=Labels.of(names), stratum=None, notes=(*ratings.notes, note))
    return {"all": mixed}
