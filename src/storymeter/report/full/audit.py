"""What the metrics reward: the audit of `storymeter stress audit` as a section of the report."""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup

from ...stress.audit import Audit
from ..stress import audit_figure, audit_table
from ..templating import shown


@dataclass(frozen=True, slots=True)
class AuditSection:
    intro: str
    figure: Markup
    note: str
    verdicts: Markup


def audit_section(audit: Audit, system: str) -> AuditSection:
    kept = sum(verdict.holds for verdict in audit.verdicts)
    return AuditSection(
        f"The captions of {system} were damaged on purpose, in a different way on every line. A good metric"
        f" should then give a lower score. {kept} of {len(audit.verdicts)} verdicts hold.",
        audit_figure(audit),
        "The change in per cent. Orange: the score falls; blue: it rises. A thick border: a verdict based"
        " on this cell does not hold. swap, shuffle and reverse also move the segments and are compared"
        " with jitter, which does only that; all others with the original.",
        shown(audit_table(audit)).html,
    )
