"""Results of `validate` (every problem with its place, how the files fit together, what to run) and of
`check-metric`.
"""

import json
from collections.abc import Sequence
from typing import Any

from ..engine.metric_checks import MetricCheck
from ..engine.systems import Fit, Validation
from ..errors import many
from ..formats import Reading
from ..formats.problems import group
from .fitting import escape_controls
from .presentation import Presentation, plain, present, present_all
from .table import Table, keys, numbers, to_json

_BOLD, _RED, _GREEN, _YELLOW = 1, 31, 32, 33


@present.register(Validation)
def present_validation(found: Validation) -> Presentation:
    return Presentation(
        "Files",
        lambda style, width: [problem_table(found)],
        lambda: json.dumps(_data(found), indent=2),
        text=lambda width, colour: validation_text(found, colour),
    )


@present_all.register(MetricCheck)
def present_checks(first: MetricCheck, found: Sequence[MetricCheck], *, metric: str = "") -> Presentation:
    """`metric`: the name of what was checked."""
    rows = [[one.check, "yes" if one.holds else "NO", one.because] for one in found]
    checks = [{"check": one.check, "holds": one.holds, "because": one.because} for one in found]
    return plain(
        metric,
        [Table([*keys("check"), "holds", "because"], rows, title=metric)],
        json=lambda: to_json({"schema": 1, "metric": metric, "checks": checks}),
    )


def validation_text(found: Validation, colour: bool = False) -> str:
    lines = [_page(reading, colour) for reading in found.readings]
    lines += [f"{escape_controls(fit.path)}: {escape_controls(fit.line)}" for fit in found.fits]
    if found.command:
        mended = found.fine or (found.swapped and not any(fit.complaint for fit in found.fits))
        head = "Run:" if mended else "Mend the errors above, then run:"
        lines.append(f"{head} {escape_controls(found.command)}")
    return "\n".join(lines)


def problem_table(found: Validation) -> Table:
    rows = [
        [reading.path, p.severity, p.code, p.where, p.text, p.count]
        for reading in found.readings
        for p in group(reading.problems)
    ]
    return Table([*keys("file", "severity", "problem"), "place", "text", *numbers(",d", "times")], rows)


def _page(reading: Reading, colour: bool) -> str:
    def styled(text: str, code: int) -> str:
        return f"\x1b[{code}m{escape_controls(text)}\x1b[0m" if colour else escape_controls(text)

    corpus = reading.corpus
    sizes = f"{many(len(corpus.by_id()), 'document')}, {many(corpus.captions, 'caption')}"
    lines = [f"{styled(reading.path, _BOLD)}: {corpus.origin.format or 'unknown format'}, {sizes}"]
    if assumed := corpus.meta.get("read_as"):
        lines.append(f"  read as: {escape_controls(str(assumed))}")
    for problem in group(reading.problems):
        times = f", {problem.count:,} times" if problem.count > 1 else ""
        severity = styled(problem.severity, _RED if problem.severity == "error" else _YELLOW)
        lines.append(f"  {severity} [{problem.code}{times}] {escape_controls(problem.text)}")
        lines.append(f"    at {escape_controls(problem.where)}")
    errors = len(reading.errors)
    lines.append(
        f"  {many(errors, 'error')}, {many(len(reading.problems) - errors, 'warning')}"
        if reading.problems
        else styled("  fine", _GREEN)
    )
    if any(problem.code == "reversed" for problem in reading.errors):
        lines.append("  Reversed segments can be swapped with --repair.")
    return "\n".join(lines)


def _data(found: Validation) -> dict[str, Any]:
    result: dict[str, Any] = {"schema": 1, "files": [_record(reading) for reading in found.readings]}
    if found.references:
        result["fits"] = [_fit(fit) for fit in found.fits]
        result["command"] = found.command
    return result


def _fit(fit: Fit) -> dict[str, Any]:
    counts = {"matched": fit.matched, "missing": fit.missing, "extra": fit.extra}
    return {"path": fit.path, **counts, "complaint": fit.complaint or None}


def _record(reading: Reading) -> dict[str, Any]:
    corpus = reading.corpus
    return {
        "path": reading.path,
        "format": corpus.origin.format or None,
        "documents": len(corpus.by_id()),
        "captions": corpus.captions,
        **({"read_as": corpus.meta["read_as"]} if "read_as" in corpus.meta else {}),
        "problems": [
            {"severity": p.severity, "code": p.code, "where": p.where, "message": p.text, "count": p.count}
            for p in group(reading.problems)
        ],
    }
