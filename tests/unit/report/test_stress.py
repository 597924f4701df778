"""The audit's tables and figure say what the verdicts rest on."""

from __future__ import annotations

import pytest

from storymeter.report import png, present, render, svg_file
from storymeter.scores import Signature
from storymeter.stress import Audit
from storymeter.stress.auditing import Verdict
from storymeter.stress.experiment import Cell, Result, Row

LABELS = ("original", "jitter", "shuffle", "drop", "m=0.5", "m=1", "m=10")
ROWS = tuple(
    Row(metric, "value", tuple(Cell((value,)) for value in values))
    for metric, values in {
        "soda_c": (0.2, 0.1, 0.05, 0.1, 0.03, 0.05, 0.01),
        "anet(scorer=meteor)": (0.2, 0.2, 0.2, 0.2, 0.03, 0.05, 0.06),
    }.items()
)
RESULT = Result(LABELS, ROWS, Signature.of(stress="audit"))
AUDIT = Audit(RESULT, (Verdict("anet(scorer=meteor)", "notices order", "no", "shuffle +0.0 %"),))


def test_changes_of_order_are_measured_from_jitter_and_the_table_says_so() -> None:
    _, damages, samples = present(AUDIT).tables("table", None)
    rows = {row[0]: row for row in damages.rows}
    assert rows["shuffle"][1] == "jitter" and "(-50.0)" in rows["shuffle"][2]
    assert rows["drop"][1] == "original" and "(-50.0)" in rows["drop"][2]
    assert "jitter" in damages.note
    assert not any(str(name).startswith("m=") for name in rows)
    assert [row[0] for row in samples.rows] == ["m=0.5", "m=1", "m=10"]


def test_one_name_for_a_metric_on_every_page() -> None:
    for page in (render(present(found), "html") for found in (RESULT, AUDIT)):
        assert "soda_c" in page and "anet(scorer=meteor)" in page
        assert "SODA (c)" not in page and "Current" not in page


def test_the_figure_is_a_matrix_without_a_legend_and_marks_what_does_not_hold() -> None:
    figures = present(AUDIT).figures
    assert figures is not None
    drawn = figures()["figure"]
    text = str(drawn)
    assert text.count('class="tile') == 3 * 2
    assert text.count(" flag") == 1 and "-50.0" in text
    assert png(drawn).startswith(b"\x89PNG")


def test_pictures_of_any_name_are_the_same_bytes_again_and_warn_of_nothing(
    recwarn: pytest.WarningsRecorder,
) -> None:
    named = Result(
        LABELS[4:], tuple(Row("計量", row.part, row.cells[4:]) for row in ROWS[:1]), RESULT.signature
    )
    figures = present(named).figures
    assert figures is not None
    drawn = figures()["figure"]
    assert png(drawn) == png(drawn) and not recwarn.list
    assert svg_file(drawn) == svg_file(figures()["figure"]) and "計量" in svg_file(drawn).decode()
