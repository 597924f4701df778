"""What the metrics reward: the audit of `storymeter stress audit` as a section of the report."""

from __future__ import annotations

from ...stress.auditing import Audit
from ..stress import audit_figure, audit_table
from ..templating import shown


def audit_section(audit: Audit, system: str) -> dict[str, str]:
    kept = sum(verdict.holds for verdict in audit.verdicts)
    return {
        "intro": (
            f"The captions of {system} were damaged on purpose, in a different way on every line. A good"
            f" metric should then give a lower score. {kept} of {len(audit.verdicts)} verdicts hold."
        ),
        "figure": audit_figure(audit),
        "note": (
            "The change in per cent. Orange: the score falls; blue: it rises. A thick border: a verdict based"
            " on this cell does not hold. swap, shuffle and reverse also move the segments and are compared"
            " with jitter, which does only that; all others with the original."
        ),
        "verdicts": shown(audit_table(audit)).html,
    }
