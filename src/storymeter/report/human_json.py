"""A human study as JSON."""

from __future__ import annotations

from typing import Any

from ..human.analysis import Analysis
from ..human.reliability import Replication, cost
from .human_study import known, pairs
from .influence import influence_json
from .table import to_json


def analysis_json(analysis: Analysis, **more: Any) -> str:
    return to_json(analysis_data(analysis, **more))


def analysis_data(
    analysis: Analysis, *, price: float = 0.99, fee: float = 0.20, repeated: Replication | None = None
) -> dict[str, Any]:
    """What the JSON output holds."""
    ranking, quality = analysis.ranking, analysis.quality
    split, spent = (
        analysis.split_half,
        cost(analysis.hits, len(analysis.ranking.systems), price=price, fee=fee),
    )
    return {
        "schema": 1,
        "test": quality.test,
        "alpha": quality.alpha,
        "gates": quality.gates,
        "scale": analysis.scale,
        "accept": analysis.accept,
        "tested": analysis.tested,
        "bounds": list(analysis.ratings.bounds) if analysis.scale == "raw" else None,
        "ratings": len(analysis.ratings),
        "ratings_used": len(analysis.used),
        "hits": analysis.hits,
        "workers": [
            {
                "id": w.id,
                "pairs": w.pairs,
                "p": w.p,
                "accepted": w.accepted,
                "used": bool(used),
                "reason": w.reason,
                "flags": list(w.flags),
                "ratings": w.ratings,
                "mean_high": w.mean_high,
                "mean_low": w.mean_low,
                "repeats": w.repeats,
                "repeat_p": w.repeat_p,
                "consistency_p": w.consistency_p,
                "agreement": w.agreement,
                "agreement_p": w.agreement_p,
                "seconds": w.seconds,
            }
            for w, used in zip(quality.workers, analysis.kept, strict=True)
        ],
        "systems": [
            {
                "name": s.name,
                "raw": s.raw,
                "z": s.z,
                "n": s.n,
                "captions": s.captions,
                "interval": s.interval,
                "ranks": s.ranks,
            }
            for s in ranking.systems
        ],
        "significance": [
            {"better": a, "worse": b, "p": p, "p_holm": h, "p_bh": q} for a, b, p, h, q in pairs(analysis)
        ],
        "clusters": [list(cluster) for cluster in ranking.clusters],
        "clusters_by": ranking.by,
        **{
            f"clusters_{one.by}": [list(cluster) for cluster in one.clusters]
            for one in (analysis.other, ranking)
        },
        "raters_used": ranking.raters,
        "reliability": {
            "krippendorff_alpha": known(analysis.agreement.alpha),
            "icc": known(analysis.agreement.icc),
            "captions_rated_twice": analysis.agreement.units,
            "split_half_z": known(split.z) if split else None,
            "split_half_interval": split.interval if split else None,
            "usual_agreement": quality.usual,
        },
        "influence": influence_json(analysis.influence),
        "cost": {"hits": spent.hits, "total": spent.total, "per_system": spent.per_system},
        **(
            {
                "replication": {
                    "systems": list(repeated.systems),
                    "raw": known(repeated.raw),
                    "z": known(repeated.z),
                    "only_first": list(repeated.only_first),
                    "only_second": list(repeated.only_second),
                }
            }
            if repeated
            else {}
        ),
        "notes": list(analysis.notes),
    }
