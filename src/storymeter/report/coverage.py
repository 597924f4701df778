"""Which documents a system has, as sentences and for JSON."""

from ..engine.results import Results, SystemResult, hollow_references, with_reference
from ..errors import first_few


def coverage_lines(results: Results) -> list[str]:
    """How many documents were missing, extra and empty: always said, because a silent gap is a wrong
    number; and what the missing ones cost. Without references, what other systems have and a system has not.
    """
    if not results.references:
        return uneven_lines(results)
    return [
        f"{system.name}: {with_reference(system.coverage, results.references)}, {missing:,} missing"
        f"{cost_of_missing(results) if missing else ''}, {extra:,} extra, {empty:,} empty."
        for system in results.systems
        for missing, extra, either in [system.coverage.sizes]
        for empty in [either - hollow_references(system.coverage, results.references)]
    ]


def uneven_lines(results: Results) -> list[str]:
    """Without references: which documents of other systems a system does not have. Its mean is then one of
    other documents.
    """
    scored = {system.name: set(system.scores[0].ids) for system in results.systems if system.scores}
    every = set().union(*scored.values())
    return [
        f"{name}: {len(every - own):,} of the {len(every):,} documents of all systems are missing"
        f" ({first_few(sorted(every - own), limit=3)}), so that its score is a mean of other documents. With"
        " references each counts 0: --references FILE."
        for name, own in scored.items()
        if every - own
    ]


def cost_of_missing(results: Results) -> str:
    """
    Under `missing=zero` a system pays for every document that it did not submit; corpus metrics see it as an
    empty caption.
    """
    protocol = results.conditions.protocol
    if protocol.missing == "zero":
        return f" (each counts 0; --protocol {protocol}+missing=skip leaves them out)"
    return " (left out of its scores)"


def coverage_record(system: SystemResult) -> dict[str, int]:
    """How many documents met a reference, and how many were missing, extra and empty."""
    counts = dict(zip(("missing", "extra", "empty"), system.coverage.sizes, strict=True))
    return {"matched": system.coverage.matched, **counts}
