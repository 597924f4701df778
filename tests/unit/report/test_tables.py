from __future__ import annotations

import csv
import io
import json

import pytest

from storymeter.errors import UsageError
from storymeter.report import Column, Table

TABLE = Table(
    ["name", Column("score", ".1f", 100), Column("n", ",d")],
    [["a|b & <i>_x", 0.1234, 1200], ["=cmd()", float("nan"), None]],
    title="T",
    note="N",
)


def test_terminal_table_scales_and_marks_what_is_missing() -> None:
    text = TABLE.render("table")
    assert "12.3" in text and "1,200" in text and "–" in text


def test_csv_keeps_full_numbers_and_defuses_formulas() -> None:
    rows = list(csv.reader(io.StringIO(TABLE.render("csv"))))
    assert rows[1] == ["a|b & <i>_x", "0.1234", "1200"]
    assert rows[2] == ["'=cmd()", "", ""]


def test_markup_is_escaped_in_each_costume() -> None:
    assert r"a\|b" in TABLE.render("markdown")
    assert r"\& \textless{}i\textgreater{}\_x" in TABLE.render("latex")
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


def test_a_row_of_latex_is_never_an_option_of_the_line_before_nor_a_way_out_of_a_comment() -> None:
    text = Table(["name"], [["[male] walks\n\nhome"], ["*x"]], title="a\n\\input{b}").render("latex")
    assert r"{}[male] walks  home \\" in text and r"{}*x \\" in text and "\n\\input" not in text


def test_markdown_holds_no_tags_but_keeps_a_less_than() -> None:
    assert "| &lt;img src=x> p < 0.05 |" in Table(["name"], [["<img src=x> p < 0.05"]]).render("markdown")


def test_headings_of_csv_are_defused_too() -> None:
    assert Table(["=cmd()"], []).render("csv") == "'=cmd()\n"


WIDE = Table(
    ["rank", "system", *(Column(f"number {k}", ".4f") for k in range(9)), "because"],
    [[k, f"system-{k}", *[k / 7] * 9, "it was said to be so by everybody"] for k in range(3)],
    title="T",
    note="a|note|that|is|longer|than|the|table|" + "x" * 150,
)


def test_a_narrow_terminal_cuts_tables_into_blocks_that_name_their_rows() -> None:
    lines = WIDE.render("table", width=60).splitlines()
    assert max(map(len, lines)) <= 60
    heads = [line for line in lines if "rank" in line]
    assert len(heads) > 1 and all("system" in line for line in heads)
    assert " ".join(lines).count("0.2857") == 9  # every number once, and whole
    assert "said" in " ".join(lines)


def test_a_file_gets_tables_and_notes_uncut() -> None:
    text = WIDE.render("table")
    assert WIDE.note in text.splitlines() and text.count("rank") == 1


def test_names_are_folded_and_never_left_out() -> None:
    names = ["a" * 44, "b" * 44]
    table = Table(
        [Column("metric", key=True), Column("A", key=True), *(Column(f"n{k}", ".4f") for k in range(9))],
        [[*names, *[0.5] * 9]],
    )
    text = table.render("table", width=80)
    blocks = text.count("metric")
    assert blocks > 1 and text.count("a" * 6) >= blocks
    assert text.count("a") == 44 * blocks and text.count("b") == 44 * blocks


def test_yes_and_no_are_words_and_stand_left() -> None:
    assert Table(["holds"], [[True], [False]]).numeric() == [False]


def test_cells_are_as_wide_as_the_terminal_draws_them() -> None:
    from rich.cells import cell_len

    text = Table(["文", "n"], [["犬が草の上を走っている", 1], ["dog", 2]]).render("table", width=60)
    rows = [line for line in text.splitlines() if line.rstrip().endswith(("1", "2"))]
    assert len({cell_len(line.rstrip()) for line in rows}) == 1


def test_intervals_and_parts_are_columns_of_their_own_in_files() -> None:
    table = Table(["a", "95 %", "parts"], [["x", (0.1, 0.2), {"f1": 0.3}], ["y", None, {}]])
    assert table.render("csv") == "a,low,high,part_f1\nx,0.1,0.2,0.3\ny,,,\n"
    assert "[0.1000, 0.2000]" in table.render("table")
