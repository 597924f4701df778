"""Two or three sentences that follow from the tests, and what the reader must know of the coverage."""

from __future__ import annotations

from collections.abc import Sequence

from ...join import Coverage
from ..marks import too_few
from .findings import Findings

_LUCK = "paired permutation test, p\N{NO-BREAK SPACE}<\N{NO-BREAK SPACE}.05 after Holm"


def verdict(findings: Findings) -> list[str]:
    judged = [m for m in range(len(findings.metrics)) if findings.direction(m)]
    if len(findings.systems) == 1 or not judged:
        return [_alone(findings)]
    if all(findings.unknown(m) for m in judged):
        return ["There are too few documents or resamples to tell which system is better."]
    alone = {
        m: findings.best(m)[0]
        for m in judged
        if len(findings.best(m)) == 1 and not findings.near(m) + findings.unknown(m)
    }
    wins = [sum(leader == k for leader in alone.values()) for k in range(len(findings.systems))]
    best = [sum(k in findings.best(m) for m in judged) for k in range(len(findings.systems))]
    leader = max(range(len(findings.systems)), key=lambda k: (wins[k], best[k]))
    name = findings.systems[leader]
    if not wins[leader]:
        said = [f"No system leads clearly: on none of {_count(len(judged), 'metric')} is one of them"
                f" significantly better than all others ({_LUCK})."]  # fmt: skip
    else:
        said = [f"{name} leads on {wins[leader]} of {_count(len(judged), 'metric')}, each time"
                f" significantly ({_LUCK})."]  # fmt: skip
    ties: dict[tuple[str, ...], list[str]] = {}
    for m in judged:
        level = [*findings.best(m), *findings.near(m)]
        if leader in level and len(level) > 1:
            others = tuple(findings.systems[k] for k in level if k != leader)
            ties.setdefault(others, []).append(findings.metrics[m])
    if ties:
        said.append(
            "; ".join(
                f"{'on' if k else 'On'} {_listed(metrics)} {'it' if k or wins[leader] else name} ties with"
                f" {_listed(others)}"
                for k, (others, metrics) in enumerate(ties.items())
            )
            + "."
        )
    for k, other in enumerate(findings.systems):
        led = [findings.metrics[m] for m in judged if alone.get(m) == k]
        if k != leader and led:
            said.append(f"{other} leads on {_listed(led)}.")
    return said


def _alone(findings: Findings) -> str:
    scores = [score for m in range(len(findings.metrics)) for score in findings.scores(m)[:1]]
    told = []
    for score in scores[:3]:
        text = f"{score.metric} is {score.value * score.scale:.2f}"
        if score.interval is not None:
            low, high = (end * score.scale for end in score.interval)
            text += f" (95 %: {low:.2f} to {high:.2f})"
        told.append(text)
    more = f" and {len(scores) - 3} more metrics below" if len(scores) > 3 else ""
    return f"{findings.systems[0]} on {_count(len(findings.ids), 'document')}: {', '.join(told)}{more}."


def warnings(findings: Findings) -> list[str]:
    """What is equally true of several systems is said once."""
    protocol = findings.results.conditions.protocol
    said: dict[str, list[str]] = {}
    for system in findings.results.systems:
        for text in _coverage(system.coverage, protocol.missing == "zero", str(protocol)):
            said.setdefault(text, []).append(system.name)
    few = too_few(findings.comparisons)
    return [*([few] if few else []), *(f"{_listed(names)}: {text}" for text, names in said.items())]


def _coverage(c: Coverage, zero: bool, protocol: str) -> list[str]:
    said = []
    missing, extra, empty = c.sizes
    if missing:
        cost = (
            f"each counts 0 (--protocol {protocol}+missing=skip leaves them out)"
            if zero
            else (
                "they are left out of the scores, so that the scores of systems may be based on different"
                " documents"
            )
        )
        said.append(f"{missing:,} of {_count(c.matched + missing, 'document')} are missing; {cost}.")
    if extra:
        said.append(f"{_count(extra, 'document')} without a reference, not scored.")
    if empty:
        said.append(f"{_count(empty, 'document')} without any caption.")
    return said


def _count(number: int, what: str) -> str:
    """
    >>> _count(1, "metric"), _count(4917, "document")
    ('1 metric', '4,917 documents')
    """
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _listed(names: Sequence[str]) -> str:
    """
    >>> _listed(["a", "b", "c"]), _listed(["a"])
    ('a, b and c', 'a')
    """
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
