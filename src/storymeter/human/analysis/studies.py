"""Analyses ratings of any source by their kind of study, in one call.

>>> rows = [
...     {"worker": f"w{w}", "video": f"v{v}", "model": model, "rating": min(5, better + (v * w) % 4)}
...     for w in range(3) for v in range(6) for model, better in (("new", 2), ("old", 1))
... ]
>>> found = analyse(rows, splits=0)["all"]
>>> [(system.name, round(system.raw, 2)) for system in found.ranking.systems]
[('new', 2.72), ('old', 1.72)]
"""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from ...errors import DataError, StorymeterWarning, many
from ...progress import Note, unsaid
from ..ratings import parts
from ..sources import OpenedRatings, open_ratings
from ..study import Study
from .assessment import Analysis, analyse as analyse_scores
from .left_out import Held, Missing, of_records, records_with_worst
from .pairwise import PairwiseRanking, fit
from .preference import Preferences
from .reliability import Replication, replication
from .spans import SpanStudy
from .story_raters import Gates, believed
from .survey import Survey

StudyResult: TypeAlias = Analysis | Preferences | Survey | SpanStudy
#: so many ratings are split into halves by default
SPLIT_LIMIT = 200_000
#: the options of `analyse` beside `seed`, with their defaults
DEFAULTS: Mapping[str, Any] = {
    "accept": "passed",
    "alpha": 0.05,
    "clusters": "raters",
    "enforce_repeats": False,
    "faithful": None,
    "gates": "auto",
    "held": "leave-out",
    "minimum": 1,
    "missing": "leave-out",
    "repeats": "all",
    "robust": False,
    "scale": "raw",
    "splits": None,
    "test": "t",
}


def analyse(
    sources: Any,
    *,
    origin: str | None = None,
    stratum: str | None = None,
    scale: str = "raw",
    columns: Mapping[str, str] | None = None,
    answers: Mapping[str, str] | None = None,
    note: Note = unsaid,
    **options: Any,
) -> dict[str, StudyResult]:
    """Analyses a human study; the results by stratum (`all` where there is one only).

    sources: the folder of a campaign, a file of ratings (any table), several of them, a list of records, or
        a data frame.
    origin: the format of the files: storymeter, wmt, mturk, appraise or table; default: found out.
    stratum: one stratum (such as a language pair), or `all` to mix them; default: each by itself.
    scale: `raw`, `z` (the scores are standardised already), or the ends of the scale of a table: `1-5`;
        default: found from the scores.
    columns: columns of a table by their roles: `{"rater": "worker", "system": "model"}`.
    answers: what the answers of a table of votes mean: `{"0": "left", "1": "right"}`.
    note: called with each sentence about what was read and what is analysed by itself.
    options: those of `storymeter human analyse`: test, alpha, accept, held, repeats, gates, enforce_repeats,
        splits, seed, clusters, robust, missing (`worst`: a caption that a system lacks counts as the worst);
        faithful for preferences and surveys, minimum for preferences. A warning (where `note` is given, a
        note) names those that the kind of study has no use for.
    """
    stated = None if scale in ("raw", "z") else scale
    opened = open_ratings(sources, origin, columns=columns, scale=stated, answers=answers)
    options = {"scale": "z" if scale == "z" else "raw", **options}
    for line in opened.about:
        note(line)
    unused = unused_options(opened.kind, options)
    if unused and note is unsaid:
        warnings.warn(not_applied(unused, opened.kind.title), StorymeterWarning, stacklevel=2)
    elif unused:
        flags = ["--" + name.replace("_", "-") for name in unused]
        note(not_applied(flags, opened.kind.title))
    chosen = strata_of(opened, stratum)
    if len(chosen) > 1:
        note(
            f"{len(chosen)} strata are analysed each by itself: "
            + ", ".join(f"{name} ({many(len(part), 'rating')})" for name, part in chosen.items())
            + ". --stratum NAME takes one of them, --stratum all mixes them."
        )
    elif opened.table is not None and opened.table.strata and stratum not in (None, "all"):
        note(f"Only {stratum}: {len(chosen[stratum]):,} of {len(opened):,} ratings.")
    results: dict[str, StudyResult] = {}
    for name, part in chosen.items():
        try:
            results[name] = result_of(part, **options)
        except DataError as error:
            if len(chosen) == 1:
                raise
            warnings.warn(f"{name} was left out: {error.message}", StorymeterWarning, stacklevel=2)
    if not results:
        raise DataError("No stratum could be analysed.", hint="The lines above say why.")
    return results


def rank(
    sources: Any,
    *,
    origin: str | None = None,
    columns: Mapping[str, str] | None = None,
    answers: Mapping[str, str] | None = None,
    faithful: float | None = None,
    held: Held = "leave-out",
    gates: Gates = "auto",
    alpha: float = 0.05,
) -> PairwiseRanking:
    """Ranks systems by pairwise votes of a table (`rater,video,left,right,choice`) or of a preference study.

    sources: a file of votes, the folder of a preference campaign, several of them, records, or a data frame.
    origin, columns, answers: as in `storymeter.human.analyse`.
    faithful: the share of test questions that a rater must have got right; votes of others are left out.
    held: `include` counts raters whom the organiser put on hold.
    gates: `control` leaves nobody out for disagreeing with the others; as in `storymeter.human.analyse`.
    alpha: the level of the tests between systems (corrected by Holm) that clusters rest on.
    """
    opened = open_ratings(sources, origin, columns=columns, answers=answers)
    if opened.table is not None or not any("against" in record.meta for record in opened.records):
        raise DataError(
            "There are no pairwise votes.",
            hint="Give a row per vote: rater, item, left, right, choice. Scores: storymeter human analyse.",
        )
    kept, notes, _ = believed(opened.records, faithful, held, gates)
    votes = [record for record in kept if "against" in record.meta]
    if not votes:
        raise DataError("No vote of a rater who passed the test questions is left.", hint="Lower --faithful.")
    return fit(votes, alpha=alpha, notes=(*opened.notes, *notes))


def replications(found: Mapping[str, StudyResult], again: Any, **options: Any) -> dict[str, Replication]:
    """How the system scores of a second run correlate with those of the first, by stratum.

    again: the ratings of the second run; options: those that `analyse` was called with.
    """
    if all(scores_of(one) is None for one in found.values()):
        return {}
    shared = {name: value for name, value in options.items() if name not in ("faithful", "minimum")}
    second = analyse(again, **{**shared, "stratum": None, "splits": 0})
    only = next(iter(second.values()))
    repeated = {}
    for name, one in found.items():
        first, other = scores_of(one), scores_of(second.get(name, only))
        if first is not None and other is not None:
            repeated[name] = replication(first.ranking, other.ranking)
    return repeated


def scores_of(found: StudyResult) -> Analysis | None:
    """The analysis of the scores of a study, also of one that has more than scores; None without scores."""
    scores = getattr(found, "analysis", found)
    return scores if isinstance(scores, Analysis) else None


def unused_options(kind: Study, options: Mapping[str, Any]) -> list[str]:
    """The options that ask for something which the analysis of this kind of study does not do."""
    for name in options:
        if name not in DEFAULTS and name != "seed":
            raise TypeError(f"analyse() got an unexpected keyword argument {name!r}")
    return [
        name
        for name, value in sorted(options.items())
        if name not in kind.options
        and name != "seed"
        and value != DEFAULTS[name]
        and (name, value) != ("splits", 0)
    ]


def not_applied(names: Sequence[str], title: str) -> str:
    """
    >>> not_applied(["--alpha", "--test"], "surveys")
    '--alpha and --test do not apply to surveys and were ignored.'
    """
    listed = " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
    verbs = ("does", "was") if len(names) == 1 else ("do", "were")
    return f"{listed} {verbs[0]} not apply to {title} and {verbs[1]} ignored."


def strata_of(opened: OpenedRatings, wanted: str | None) -> dict[str, OpenedRatings]:
    """What is analysed by itself: each stratum of a table of scores, one of them, or everything."""
    if opened.table is None:
        return {"all": opened}
    return {name: replace(opened, table=part) for name, part in parts(opened.table, wanted).items()}


def result_of(
    opened: OpenedRatings,
    *,
    faithful: float | None = None,
    minimum: int = 1,
    splits: int | None = None,
    missing: Missing = "leave-out",
    **options: Any,
) -> StudyResult:
    """The result of one study. `splits`: by default 100, and none for very many ratings."""
    if splits is None:
        splits = 100 if len(opened) <= SPLIT_LIMIT else 0
    options |= {"missing": missing, "lacking": opened.lacking}
    if opened.table is not None:
        return replace(analyse_scores(opened.table, splits=splits, **options), pay=opened.pay)
    notes, records = opened.notes, opened.records
    if opened.kind.scored:
        more = {"splits": splits, "pay": opened.pay, **options}
    else:
        more = {name: options.get(name, DEFAULTS[name]) for name in ("held", "gates")}
        lacking = of_records(records, opened.lacking)
        notes = (*notes, *lacking.sentences(missing))
        records = tuple(records_with_worst(records, lacking)) if missing == "worst" else records
    found: StudyResult = opened.kind.analyse(records, faithful=faithful, minimum=minimum, **more)
    if opened.pay is not None and not opened.kind.scored:
        notes = (*notes, opened.pay.sentence)
    return _noted(found, notes)


def _noted(found: StudyResult, notes: tuple[str, ...]) -> StudyResult:
    """With what is to be said of the reading before the rest."""
    if not notes:
        return found
    if isinstance(found, Preferences):
        pairs = (replace(one, notes=(*notes, *one.notes)) for one in found)
        return Preferences(pairs, found.ranking, found.quality)
    return replace(found, notes=(*notes, *found.notes))
