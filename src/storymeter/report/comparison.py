"""Comparisons as tables and JSON."""

import math
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any
from xml.etree import ElementTree

from ..engine.gating import Checked, GateResult
from ..engine.results import Comparison
from ..errors import many
from ..registry import heading
from .marks import coverage_lines, coverage_record, few_differ, rough, scale_note, skewed, tied, too_few
from .presentation import Presentation, present, present_all
from .table import Cell, Column, Table, keys, numbers, raw, to_json

SCORES = ("A's score", "B's score", "A - B")


@present_all.register(Comparison)
def present_comparisons(
    first: Comparison,
    comparisons: Sequence[Comparison],
    *,
    difference: float | None = None,
    spread: Table | None = None,
    annotators: Sequence[dict[str, Any]] | None = None,
) -> Presentation:
    """`difference`: how many documents find it; `spread` and `annotators`: the differences by each annotator
    alone, as a table and for JSON.
    """

    def tables(style: str, width: int | None) -> list[Table]:
        if style == "csv" and spread is not None:
            return [joined(comparison_table(comparisons), spread, "annotators_")]
        documents = difference_table(comparisons)
        people = style in ("table", "html") and len(documents.rows)
        return [
            *fitted_tables(comparisons, width if style == "table" else None),
            *([documents] if people else []),
            *([needed_table(comparisons, difference)] if difference is not None and style != "csv" else []),
            *([spread] if spread is not None else []),
        ]

    more = {} if annotators is None else {"annotators": list(annotators)}
    return Presentation(
        "Comparison",
        tables,
        lambda: to_json({"schema": 1, "comparisons": comparison_records(comparisons), **more}),
    )


def comparison_records(comparisons: Sequence[Comparison]) -> list[dict[str, Any]]:
    records = [asdict(comparison) for comparison in comparisons]
    for record in records:
        del record["percent"]  # values are fractions here, whatever people are shown
    return records


def comparison_table(comparisons: Sequence[Comparison]) -> Table:
    seeded = any(c.p_seeds is not None for c in comparisons)
    rows = [
        [
            _headed(c),
            c.a,
            c.b,
            *_values(c, c.value_a, c.value_b, c.difference),
            _interval(c),
            *(c.p_permutation, c.p_bootstrap, c.p_holm),
            Cell({"wins": c.wins, "ties": c.ties, "losses": c.losses}, win_tie_loss(c)),
            c.n,
            _detectable(c),
            *([c.p_seeds] if seeded else []),
        ]
        for c in comparisons
    ]
    columns: list[Column | str] = [
        *keys("metric", "A", "B"),
        *SCORES,
        "95 %",
        *numbers(".4f", "p permutation", "p bootstrap", "p Holm"),
        Column("win/tie/loss", prefix=""),
        Column("n", ",d"),
        "detectable",
        *(numbers(".4f", "p seeds") if seeded else []),
    ]
    return Table(columns, rows, note=_note(comparisons))


def narrow_tables(comparisons: Sequence[Comparison]) -> list[Table]:
    """The same for a narrow terminal, in groups of two tables: the differences, and the tests behind them. A
    group is a pair of systems, or a metric where there are more pairs than metrics.
    """
    seeded = any(c.p_seeds is not None for c in comparisons)
    pairs, metrics = {(c.a, c.b) for c in comparisons}, {c.metric for c in comparisons}
    by_pair = len(pairs) <= len(metrics)
    groups: dict[str, list[Comparison]] = {}
    for c in comparisons:
        groups.setdefault(f"A: {c.a}, B: {c.b}" if by_pair else heading(c.metric), []).append(c)
    found: list[Table] = []
    for title, own in groups.items():
        name = keys("metric" if by_pair else "A, B")
        names = [heading(c.metric) if by_pair else f"{c.a}, {c.b}" for c in own]
        counts = sorted({c.n for c in own})
        number = f"{counts[0]:,} to " * (counts[0] < counts[-1]) + many(counts[-1], "document")
        values = [[*_values(c, c.value_a, c.value_b, c.difference), _interval(c), c.p_holm] for c in own]
        tests = [
            [
                c.p_permutation,
                c.p_bootstrap,
                *([c.p_seeds] if seeded else []),
                win_tie_loss(c),
                _detectable(c),
            ]
            for c in own
        ]
        found += [
            Table(
                [*name, "A", "B", "A - B", "95 %", *numbers(".4f", "p Holm")],
                [[key, *row] for key, row in zip(names, values, strict=True)],
                title=f"{title} ({number})",
            ),
            Table(
                [
                    *name,
                    *numbers(".4f", "p permutation", "p bootstrap", *(["p seeds"] if seeded else [])),
                    *("win/tie/loss", "detectable"),
                ],
                [[key, *row] for key, row in zip(names, tests, strict=True)],
                title=f"{title}: tests",
            ),
        ]
    return [*found[:-1], *(replace(last, note=_note(comparisons)) for last in found[-1:])]


def fitted_tables(comparisons: Sequence[Comparison], width: int | None) -> list[Table]:
    """One table where it fits into a terminal of this width (None: a file or a pipe)."""
    wide = comparison_table(comparisons)
    return [wide] if wide.fits(width) else narrow_tables(comparisons)


def _interval(c: Comparison) -> Cell:
    return Cell(c.interval, f"[{', '.join(f'{end * c.scale:+.2f}' for end in c.interval)}]")


def _headed(c: Comparison) -> Cell:
    return Cell(c.metric, heading(c.metric))


def _detectable(c: Comparison) -> Cell:
    return Cell(c.detectable, "–" if math.isnan(c.detectable) else f"{c.detectable * c.scale:.2f}")


def needed_table(comparisons: Sequence[Comparison], difference: float) -> Table:
    """How many documents would find a difference of this many points."""
    rows = [[_headed(c), c.a, c.b, c.documents_for, c.units or c.n, _detectable(c)] for c in comparisons]
    seeded = any(c.p_seeds is not None for c in comparisons)
    units = any(c.units not in (0, c.n) for c in comparisons)
    what = "units" if units else "documents"
    return Table(
        [*keys("metric", "A", "B"), Column(what, ",d"), Column("now", ",d"), "detectable now"],
        rows,
        title=f"{what.capitalize()} that find a difference of {difference:g} points in 80 of 100 studies",
        note=f"If further {what} are like these; the limit of .05 is divided by the {comparisons[0].tests}"
        " comparisons of one metric."
        + (" Tests over training runs need more runs, not more documents." if seeded else ""),
    )


def _note(comparisons: Sequence[Comparison]) -> str:
    seeded = any(c.p_seeds is not None for c in comparisons)
    tests = max((c.tests for c in comparisons), default=1)
    in_shards = any(math.isnan(c.skewness) for c in comparisons)  # there are no rows to make a bootstrap-t of
    notes = [
        f"p Holm: corrected over the {tests} comparisons of one metric; their 95 % intervals hold together."
        if tests > 1
        else "",
        "p permutation: could the outputs be exchanged; p bootstrap: are the scores equal"
        f" ({'t-test' if in_shards else 'bootstrap-t'}).",
        "detectable: the smallest difference that this many documents"
        f"{' (of training runs: this many runs)' * seeded} find in 80 of 100 studies.",
        "p seeds: Welch's t-test over training runs; there p Holm corrects it, and the interval contains"
        " their noise."
        if seeded
        else "",
        "win/tie/loss counts documents.",
        f"Resampled and swapped by units: {comparisons[0].units:,}."
        if any(c.units not in (0, c.n) for c in comparisons)
        else "",
        rough(min((c.units or c.n for c in comparisons), default=0)),
        too_few(comparisons),
        _limits(comparisons),
        scale_note({c.metric: c.percent for c in comparisons}),
    ]
    return " ".join(note for note in notes if note)


def _limits(comparisons: Sequence[Comparison]) -> str:
    """Under which metrics the differences are such that the tests cannot be trusted."""
    over_documents = [c for c in comparisons if c.p_seeds is None and c.testable]
    skew = dict.fromkeys(c.metric for c in over_documents if skewed(c.skewness, c.units or c.n))
    few = min((c.units or c.n for c in over_documents), default=0)
    rough_too = "" if rough(few) else "; their intervals are rough"  # said of all where documents are few
    said = f"Skewed differences ({', '.join(skew)}): trust p bootstrap, not p permutation{rough_too}."
    return " ".join([*([said] if skew else []), *few_differ(comparisons)])


def _values(c: Comparison, a: float, b: float, difference: float) -> list[Cell]:
    """The cells under SCORES."""
    shown = ((a, ""), (b, ""), (difference, "+"))
    return [Cell(value, f"{value * c.scale:{sign}.2f}") for value, sign in shown]


def win_tie_loss(c: Comparison) -> str:
    return "–" if c.wins is None else f"{c.wins:,}/{c.ties:,}/{c.losses:,}"


def difference_table(comparisons: Sequence[Comparison]) -> Table:
    """The documents where two systems differ most, for the first metric of the run."""
    rows = [
        [c.a, c.b, d.document, *_values(c, d.a, d.b, d.a - d.b)]
        for c in comparisons
        if c.metric == comparisons[0].metric
        for d in c.most_different
    ]
    title = f"Documents with the largest differences ({comparisons[0].metric})" if comparisons else ""
    return Table([*keys("A", "B", "document"), *SCORES], rows, title=title)


# The result of a gate as a paragraph, Markdown, JUnit and JSON.


@present.register(GateResult)
def present_gate(found: GateResult) -> Presentation:
    """The table of a terminal is short; a paragraph says the rest."""
    return Presentation(
        "Gate",
        lambda style, width: [gate_table(found.checked, short=style == "table")],
        lambda: gate_json(found),
        _covered(found),
        summary=[gate_paragraph(found)],
    )


def _covered(found: GateResult) -> list[str]:
    """Documents that are missing count 0, which must not read as worse captions."""
    return [] if found.results is None else coverage_lines(found.results)


def gate_paragraph(found: GateResult) -> str:
    failed = ", ".join(each.condition for each in found.failed)
    head = (
        f"The gate fails: {found.new} is worse than {found.old} beyond the limit ({failed})."
        if failed
        else f"The gate passes: no condition is violated by more than chance ({found.new} against"
        f" {found.old})."
    )
    return " ".join([head, *(_sentence(each) for each in found.checked), *_covered(found)])


def _sentence(each: Checked) -> str:
    low, high = each.interval
    return (
        f"{each.metric}: {each.old:.2f} to {each.new:.2f}, a change of {each.change:+.2f} [{low:+.2f},"
        f" {high:+.2f}] on {many(each.n, 'document')} (limit {each.limit:+g}, p {each.p_holm:.4f})"
        f"{_power(each)}.{_limit(each)}"
    )


def _reach(each: Checked) -> float | None:
    """The change that the gate would find; None where too few documents changed to tell."""
    return None if each.units and tied(each.changed, each.units) else each.detectable


def _power(each: Checked) -> str:
    reach = _reach(each)
    return "" if reach is None else f"; a change of {reach:+.2f} fails in 80 of 100 test sets"


def _limit(each: Checked) -> str:
    """Where the test of a gate cannot be trusted."""
    if not each.units:
        return ""
    if skewed(each.skewness, each.units):
        often = "often" if (each.skewness > 0) == ("<" in each.condition) else "seldom"
        return f" A few documents decide this (skewness {each.skewness:+.1f}): the gate may fail too {often}."
    if not each.changed:
        return " No document changed: the gate cannot say which change it would find."
    if tied(each.changed, each.units):
        return f" Only {each.changed:,} of {each.units:,} changed: the gate finds little."
    return ""


def gate_table(checked: Sequence[Checked], *, short: bool = False) -> Table:
    """The verdict first; `short` fits 80 columns: what it leaves out is in the paragraph below."""
    rows = [
        [
            "fails" if each.failed else "passes",
            each.condition,
            each.old,
            each.new,
            each.change,
            each.interval,
            *([] if short else [each.p]),
            each.p_holm,
            *([] if short else [_reach(each), each.n]),
        ]
        for each in checked
    ]
    return Table(
        [
            *keys("gate", "fails if"),
            *numbers(".2f", "old", "new"),
            *numbers("+.2f", "change", "95 %"),
            *numbers(".4f", *([] if short else ["p"]), "p Holm"),
            *([] if short else [*numbers("+.2f", "detectable"), Column("n")]),
        ],
        rows,
        note="p: one-sided, that the change is beyond the limit; the gate fails below .05 after Holm.",
    )


def gate_markdown(found: GateResult) -> str:
    return f"{gate_paragraph(found)}\n\n{gate_table(found.checked).render('markdown')}"


def gate_json(found: GateResult) -> str:
    records = [asdict(each) for each in found.checked]
    about = {"failed": bool(found.failed), "new": found.new, "against": found.old}
    systems = () if found.results is None else found.results.systems
    coverage = {system.name: coverage_record(system) for system in systems}
    return to_json({"schema": 1, **about, "coverage": coverage, "conditions": records})


def gate_junit(found: GateResult) -> str:
    """One test case per condition."""
    tests, failures = str(len(found.checked)), str(len(found.failed))
    suite = ElementTree.Element(
        "testsuite", name="storymeter gate", tests=tests, failures=failures, errors="0"
    )
    for each in found.checked:
        case = ElementTree.SubElement(
            suite, "testcase", classname=f"{found.new} against {found.old}", name=each.condition
        )
        text = " ".join([_sentence(each), *_covered(found)])
        if each.failed:
            ElementTree.SubElement(case, "failure", message=each.condition).text = text
        else:
            ElementTree.SubElement(case, "system-out").text = text
    ElementTree.indent(suite)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(suite, encoding="unicode") + "\n"


def joined(table: Table, more: Table, prefix: str) -> Table:
    """For CSV: the columns of `more`, named with the prefix, beside the rows with the same keys."""
    left, right = table.machine or table, more.machine or more
    names = [head.name for head in right.heads if head.key]

    def key(of: Table, row: Sequence[Any]) -> dict[str, object]:
        cells = zip(of.heads, row, strict=True)
        return {head.name: raw(cell) for head, cell in cells if head.name in names}

    others = [k for k, head in enumerate(right.heads) if not head.key]
    heads = list(left.heads)
    for head in (right.heads[k] for k in others):
        low, high = head.ends
        heads.append(replace(head, name=f"{prefix}{head.name}", ends=(f"{prefix}{low}", f"{prefix}{high}")))
    rows = []
    for row in left.rows:
        found = next((each for each in right.rows if key(right, each) == key(left, row)), None)
        rows.append([*row, *(None if found is None else found[k] for k in others)])
    return Table(heads, rows)
