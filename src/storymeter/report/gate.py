"""The result of a gate as a paragraph, Markdown, JUnit and JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from xml.etree import ElementTree

from ..engine.gate import Checked
from .table import Table, keys, numbers, to_json


def gate_paragraph(checked: Sequence[Checked], new: str, old: str) -> str:
    failed = [each for each in checked if each.failed]
    head = (
        f"The gate fails: {new} is worse than {old} beyond the limit ({_listed(failed)})."
        if failed
        else f"The gate passes: no condition is violated by more than chance ({new} against {old})."
    )
    return " ".join([head, *(_sentence(each) for each in checked)])


def _listed(checked: Sequence[Checked]) -> str:
    return ", ".join(each.condition for each in checked)


def _sentence(each: Checked) -> str:
    low, high = each.interval
    return (
        f"{each.metric}: {each.old:.2f} to {each.new:.2f}, a change of {each.change:+.2f} [{low:+.2f},"
        f" {high:+.2f}] on {each.n:,} documents (limit {each.limit:+g}, p {each.p_holm:.4f}); a change of"
        f" {each.detectable:+.2f} fails in 80 of 100 test sets."
    )


def gate_table(checked: Sequence[Checked]) -> Table:
    rows = [
        [
            each.condition,
            each.old,
            each.new,
            each.change,
            each.interval,
            each.p,
            each.p_holm,
            each.detectable,
            each.n,
            "fails" if each.failed else "passes",
        ]
        for each in checked
    ]
    return Table(
        [
            *keys("fails if"),
            *numbers(".2f", "old", "new"),
            *numbers("+.2f", "change", "95 %"),
            *numbers(".4f", "p", "p Holm"),
            *numbers("+.2f", "detectable"),
            "n",
            "gate",
        ],
        rows,
        note="p: one-sided, that the change is beyond the limit; the gate fails below .05 after Holm.",
    )


def gate_markdown(checked: Sequence[Checked], new: str, old: str) -> str:
    return f"{gate_paragraph(checked, new, old)}\n\n{gate_table(checked).render('markdown')}"


def gate_json(checked: Sequence[Checked], new: str, old: str) -> str:
    failed = any(each.failed for each in checked)
    records = [asdict(each) for each in checked]
    return to_json({"schema": 1, "failed": failed, "new": new, "against": old, "conditions": records})


def gate_junit(checked: Sequence[Checked], new: str, old: str) -> str:
    """One test case per condition."""
    failures = sum(each.failed for each in checked)
    suite = ElementTree.Element(
        "testsuite", name="storymeter gate", tests=str(len(checked)), failures=str(failures), errors="0"
    )
    for each in checked:
        case = ElementTree.SubElement(
            suite, "testcase", classname=f"{new} against {old}", name=each.condition
        )
        if each.failed:
            ElementTree.SubElement(case, "failure", message=each.condition).text = _sentence(each)
        else:
            ElementTree.SubElement(case, "system-out").text = _sentence(each)
    ElementTree.indent(suite)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(suite, encoding="unicode") + "\n"
