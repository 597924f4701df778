"""One call from ratings to everything that the report shows."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np

from ...errors import DataError, UsageError
from ..campaign.money import Pay
from ..ratings import REPEAT, BoolArray, Ratings
from .influence import Influence, Robust, influence, robust_ranking
from .left_out import Held, Lacking, Missing, of_table, table_with_worst, table_without
from .quality import Gates, Quality, Test, assess
from .reliability import RaterAgreement, SplitHalf, agreement, split_half
from .scores import CaptionScores, Clusters, Ranking, Repeats, caption_scores, rank, standardise

#: Graham et al. (2018): fewer ratings make a caption's or a system's score unreliable
CAPTION_MINIMUM, SYSTEM_MINIMUM = 15, 500


@dataclass(frozen=True, slots=True)
class Analysis:
    ratings: Ratings
    quality: Quality
    kept: BoolArray
    used: Ratings
    captions: CaptionScores
    ranking: Ranking
    agreement: RaterAgreement
    split_half: SplitHalf | None
    scale: Literal["raw", "z"]
    accept: Literal["passed", "all"]
    #: all that were worked on, also by raters who do not pass or are on hold: what is paid
    hits: int
    influence: Influence
    notes: tuple[str, ...]
    #: the ranking by the other kind of test
    other: Ranking
    #: what it paid, as its campaign says
    pay: Pay | None = None
    robust: Robust | None = None

    @property
    def tested(self) -> bool:
        """Whether there are control pairs, by which raters were tested."""
        return self.quality.tested


def analyse(
    ratings: Ratings,
    *,
    test: Test = "t",
    alpha: float = 0.05,
    scale: Literal["raw", "z"] = "raw",
    accept: Literal["passed", "all"] = "passed",
    repeats: Repeats = "all",
    gates: Gates = "auto",
    enforce_repeats: bool = False,
    splits: int = 100,
    seed: int = 0,
    held: Held = "leave-out",
    clusters: Clusters = "raters",
    doubted: Mapping[str, str] | None = None,
    need_ranking: bool = True,
    robust: bool = False,
    missing: Missing = "leave-out",
    lacking: Lacking | None = None,
) -> Analysis:
    """`clusters="raters"`: differences that hold for other raters; `ranksum`: the papers' test over
    captions. `accept="all"` drops nobody but raters on hold; the verdicts are still reported. Without
    control pairs nobody can be tested, and all are used. `splits=0` leaves the split-half bootstrap out.
    `doubted`: raters whom other evidence speaks against, with the reason. `missing="worst"`: a caption that a
    system lacks counts as the worst; `lacking`: which these are (None: items that others have ratings on).
    `need_ranking=False`: a crowd that cannot rank systems is a note, not an error. `robust`: also
    a ranking that a few raters cannot move.
    """
    if ratings.standardised:  # means of captions, whose raters are not known
        scale, clusters = "z", "ranksum"
    if len(ratings.strata) > 1:
        counts = ", ".join(f"{name or '(none)'} {n:,}" for name, n in ratings.strata.items())
        raise DataError(
            f"The ratings belong to {len(ratings.strata)} strata (for example language pairs), which are"
            f" separate studies: {counts}.",
            hint="Choose one with --stratum NAME, or analyse them together with --stratum all.",
        )
    work = np.unique(ratings.rater.codes * len(ratings.hit) + ratings.hit.codes)
    ratings = _in_range(table_without(ratings, held), scale)
    quality = assess(
        ratings,
        test=test,
        alpha=alpha,
        gates=gates,
        enforce_repeats=enforce_repeats,
        scale=scale,
        doubted=doubted,
    )
    gated = accept == "passed" and quality.tested
    kept = quality.accepted if gated else np.ones(len(quality.workers), dtype=bool)
    if quality.unranked and gated and need_ranking:
        rings = "".join(f" {note}" for note in quality.notes if note.startswith("Ring:"))
        raise DataError(
            f"No ranking is given: {quality.unranked}.{rings}",
            hint="Let more raters take part, three or more for each caption. --gates control ranks by the"
            " control pairs alone, which raters who never watch or who share answers can pass.",
        )
    if not kept.any():
        reasons = {worker.reason.split(" (")[0] for worker in quality.workers}
        raise DataError(
            f"None of the {len(kept):,} raters passed the control test ({test}, alpha = {alpha:g}):"
            f" {'; '.join(sorted(reasons)[:3])}.",
            hint="If the file holds accepted raters only, use --accept all.",
        )
    used = ratings.of_raters(kept) if not kept.all() else ratings
    captions = caption_scores(used, scale=scale, repeats=repeats)
    without = _lacking(ratings, lacking, missing)
    ranked, scored = used, captions
    if missing == "worst" and without.systems:
        worst = float(used.value.min()) if scale == "z" else used.bounds[0]
        ranked = table_with_worst(used, without, worst)
        scored = caption_scores(ranked, scale=scale, repeats=repeats)
    by_raters, by_captions = (
        rank(ranked, alpha=alpha, scale=scale, repeats=repeats, captions=scored, by=by)
        for by in get_args(Clusters)
    )
    ranking, other = (by_raters, by_captions) if clusters == "raters" else (by_captions, by_raters)
    moved = influence(used, scale)
    if quality.partisans:  # shown with their bias, although their ratings do not count
        shown = influence(ratings.of_raters(kept | np.isin(ratings.rater.names, quality.partisans)), scale)
        moved = moved._replace(biases=shown.biases)
    return Analysis(
        ratings,
        quality,
        kept,
        used,
        captions,
        ranking,
        agreement(used, standardise(used, scale)),
        split_half(used, splits=splits, seed=seed, scale=scale) if splits else None,
        scale,
        accept,
        len(work),
        moved,
        (*_notes(ratings, quality, ranking), *without.sentences(missing), *moved.notes),
        other,
        robust=robust_ranking(used, scale) if robust else None,
    )


def _lacking(ratings: Ratings, known: Lacking | None, missing: Missing) -> Lacking:
    """What systems lack. Published means are of the captions that were rated, which may be a sample."""
    if not ratings.standardised:
        return of_table(ratings, known)
    if missing == "worst":
        raise UsageError(
            "The file has the means of the captions that were rated; which captions a system lacks is not in"
            " it.",
            hint="Leave out --missing worst.",
        )
    return Lacking((), {})


#: more raw scores outside 0-100 than this share, and they are no raw scores
OUTSIDE = 0.05


def _in_range(ratings: Ratings, scale: str) -> Ratings:
    """Raw scores are within the scale, 0 to 100 on a slider. A few others are left out; many are no raw
    scores."""
    if scale == "z":
        return ratings
    low, high = ratings.bounds
    good = (ratings.value >= low) & (ratings.value <= high)
    bad = ratings.value[~good]
    if not len(bad):
        return ratings
    worst = (
        f"{len(bad):,} of {len(good):,} scores are not in {low:g}-{high:g} (from {bad.min():g} to"
        f" {bad.max():g})"
    )
    if len(bad) > OUTSIDE * len(good):
        raise DataError(
            f"{worst}.",
            hint="If the scores are already standardised, use --scale z; otherwise correct the file.",
        )
    return replace(ratings.rows(good), notes=(*ratings.notes, f"{worst}; they were left out."))


def _notes(ratings: Ratings, quality: Quality, ranking: Ranking) -> tuple[str, ...]:
    notes = [*ratings.notes, *quality.notes, *ranking.notes]
    if quality.unranked:
        notes.append(f"WARNING: these raters do not rank systems: {quality.unranked}.")
    if quality.incomplete:
        notes.append(
            f"{quality.incomplete:,} control captions have no partner that the same rater rated (a HIT left"
            " half done?); they are not used in any test."
        )
    if not quality.tested and not ratings.standardised:
        repeats = "" if (ratings.kind == REPEAT).any() else ", the check of repeats"
        notes.append(
            f"There are no control pairs, so that no rater could be tested: the worker test{repeats} and the"
            " check of attention cannot be applied, and the ratings of all raters are used."
        )
    thin = [s.name for s in ranking.systems if s.n < SYSTEM_MINIMUM]
    if thin:
        notes.append(
            f"Fewer than {SYSTEM_MINIMUM} ratings, the minimum that the method's authors recommend for a"
            f" system: {', '.join(thin)}."
        )
    if any(s.raw is None for s in ranking.systems):
        notes.append("The file holds standardised scores, so raw means are not known.")
    return tuple(notes)
