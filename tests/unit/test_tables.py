from __future__ import annotations

import csv
import io
import json

import pytest

from storymeter.errors import UsageError
from storymeter.report.table import Column, Table

TABLE = Table(["name", Column("score", ".1f", 100), Column("n", ",d")], [["a|b & <i>_x", 0.1234, 1200], ["=cmd()", float("nan"), None]], title="T", note="N")


def test_terminal_table_scales_and_marks_what_is_missing() -> None:
    text = TABLE.render("table")
    assert "12.3" in text and "1,200" in text and "–" in text


def test_csv_keeps_full_numbers_and_defuses_formulas() -> None:
    rows = list(csv.reader(io.StringIO(TABLE.render("csv"))))
    assert rows[1] == ["a|b & <i>_x", "0.1234", "1200"]
    assert rows[2] == ["'=cmd()", "", ""]


def test_markup_is_escaped_in_each_costume() -> None:
    assert r"a\|b" in TABLE.render("markdown")
    assert r"\& <i>\_x" in TABLE.render("latex")
    assert "&lt;i&gt;" in TABLE.render("html")


def test_json_has_no_nan() -> None:
    assert json.loads(TABLE.render("json"))["rows"][1]["score"] is None


def test_unknown_style() -> None:
    with pytest.raises(UsageError):
        TABLE.render("sculpture")


def test_a_short_row_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="1 cells under 2"):
        Table(["a", "b"], [["x"]])


def test_a_page_looks_at_its_columns_once_and_not_once_per_row(monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[int] = []
    numeric = Table.numeric
    monkeypatch.setattr(Table, "numeric", lambda self: looks.append(1) or numeric(self))
    Table(["a", "b"], [[k, "x"] for k in range(50)]).render("html")
    assert len(looks) == 1
