"""Score tables: wide for people, long and in full for machines."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from pathlib import Path

import pytest

import storymeter
from storymeter import compare, evaluate
from storymeter.captions import Caption, Corpus, Document
from storymeter.engine import Results
from storymeter.errors import UsageError
from storymeter.files import unguarded
from storymeter.report import present, render
from storymeter.report.marks import mark_notes
from storymeter.report.scores import document_table, document_writer

IDS = ["-AwyG", "=1+1", "plain"]
TEXTS = ["a man rides a horse", "a dog runs on the grass", "two women cook in a kitchen"]


def corpus(name: str, texts: list[str]) -> Corpus:
    return Corpus(
        tuple(Document(i, (Caption(text, 0.0, 9.0),), 10.0) for i, text in zip(IDS, texts, strict=True)), name
    )


@pytest.fixture(scope="module")
def report() -> Results:
    good, bad = corpus("a-system-with-a-long-name", TEXTS), corpus("another-system", [*TEXTS[:2], "nothing"])
    return evaluate(
        candidates=[good, bad], references=[corpus("people", TEXTS)], metrics=["soda_c", "cider", "rouge_l"]
    )


def records(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_people_get_one_row_per_system_with_the_best_marked(report: Results) -> None:
    table = present(report, comparisons=compare(report)).tables("table", None)[0]
    assert [row[0] for row in table.rows] == ["a-system-with-a-long-name", "another-system"]
    text = table.render("table", width=80)
    assert "*" in text and "±" in text and "bold" in text.casefold()
    assert "†" not in text and "n too small to tell" in table.note  # three documents can prove nothing
    assert "?" in text and "6 documents would do" in table.note
    assert "**" in table.render("markdown") and r"\textbf{" in table.render("latex")
    assert "<strong>" in table.render("html")


def test_machines_get_fractions_and_named_columns(report: Results) -> None:
    found = records(present(report).tables("table", None)[0].render("csv"))
    assert found == records(present(report, long=True).tables("table", None)[0].render("csv"))
    row = next(r for r in found if (r["system"], r["metric"]) == ("another-system", "soda_c"))
    score = report["another-system", "soda_c"]
    assert float(row["value"]) == score.value < 1
    assert score.interval is not None
    assert (float(row["low"]), float(row["high"])) == score.interval
    assert float(row["part_recall"]) == score.parts["recall"]
    assert row["signature"] == str(score.signature)


def test_tables_say_where_tests_and_the_score_of_the_best_cannot_be_trusted(report: Results) -> None:
    (c, *_) = compare(report)
    plain = replace(c, n=40, wins=20, ties=0, losses=20, skewness=0.2, p_smallest=0.0)
    assert "trust p bootstrap" not in present([plain]).tables("table", None)[0].note
    assert "trust p bootstrap" in present([replace(plain, skewness=-2.0)]).tables("table", None)[0].note
    assert (
        "trust p bootstrap"
        not in present([replace(plain, skewness=-2.0, p_seeds=0.5)]).tables("table", None)[0].note
    )
    assert "Few documents differ" not in present([plain]).tables("table", None)[0].note
    assert (
        "Few documents differ"
        in present([replace(plain, wins=4, ties=31, losses=5)]).tables("table", None)[0].note
    )
    chosen = "not distinguishable scores too high"
    assert chosen in mark_notes([["best", "level", "worse"]], [plain])
    assert chosen not in mark_notes([["best", "worse", "worse"], ["best", "level"]], [plain])


@pytest.mark.parametrize("style", ["latex", "markdown", "html"])
def test_whole_signatures_are_in_every_style_a_line_each(report: Results, style: str) -> None:
    shown = present(report)
    lines = shown.tables("table", None)[0].signatures
    for metric, line in zip(report.metrics, lines, strict=True):
        name = report.systems[0].name
        assert line == str(report[name, metric.name].signature)
    for text in (render(shown, style), render(present(report, long=True), style)):
        assert text.count("tok:ptb") == len(lines) and "scorer:meteor" in text
    assert render(present(report), "json").count("tok:ptb") == 6


def test_ids_in_files_are_those_of_the_input(report: Results) -> None:
    written = [row["document"] for row in records(document_table(report).render("csv"))]
    assert {unguarded(cell) for cell in written} == set(IDS)
    assert not any(cell.startswith(("=", "-")) for cell in written)  # no formula to a spreadsheet


def test_a_comparison_keeps_both_names_in_every_block_of_a_narrow_terminal(report: Results) -> None:
    text = present(compare(report)).tables("table", None)[0].render("table", width=60)
    heads = [line.split() for line in text.splitlines() if line.strip().startswith("metric")]
    assert len(heads) > 2 and all(head[:3] == ["metric", "A", "B"] for head in heads)
    assert max(map(len, text.splitlines())) <= 60


@pytest.mark.parametrize("metrics", [["soda_c", "cider", "rouge_l"], ["soda_c"]])
def test_a_comparison_at_80_columns_is_two_tables_that_are_not_cut(
    report: Results, metrics: list[str]
) -> None:
    chosen = [each.candidates for each in report.systems]
    if len(metrics) == 1:  # more pairs than metrics
        chosen = [corpus(f"a-system-{k}", [*TEXTS[:2], text]) for k, text in enumerate(("two", "a", "the"))]
    comparisons = compare(evaluate(candidates=chosen, references=list(report.references), metrics=metrics))
    wide, documents = present(comparisons).tables("table", None)
    assert not wide.fits(80) and wide.fits(200) and wide.fits(None)
    differences, tests, same = present(comparisons).tables("table", 80)
    assert same == documents
    assert differences.fits(80) and tests.fits(80)
    assert "3 documents" in differences.title and tests.note == wide.note
    assert [row[0] for row in differences.rows] == (
        metrics if len(metrics) > 1 else [f"{c.a}, {c.b}" for c in comparisons]
    )
    shown = "".join(table.render("table", width=200) for table in (differences, tests))
    for row in wide.shown():
        assert all(cell in shown for cell in row)  # nothing is left out


def test_the_scale_is_said_wherever_scores_are_printed(report: Results) -> None:
    for table in (
        present(report, long=True).tables("table", None)[0],
        present(report).tables("table", None)[0],
        present(compare(report)).tables("table", None)[0],
    ):
        assert "Scores are times 100; JSON, CSV" in table.note
    mixed = evaluate(candidates=corpus("a", TEXTS), references=corpus("r", TEXTS), metrics=["cider", "words"])
    assert "Scores are times 100 (not: words);" in present(mixed, long=True).tables("table", None)[0].note
    plain = evaluate(candidates=corpus("a", TEXTS), metrics=["words"])
    assert present(plain, long=True).tables("table", None)[0].note == ""


def test_files_of_comparisons_are_fractions_with_named_ends(report: Results) -> None:
    comparisons = compare(report)
    row = records(present(comparisons).tables("table", None)[0].render("csv"))[0]
    assert float(row["A - B"]) == comparisons[0].difference < 1
    assert (float(row["low"]), float(row["high"])) == comparisons[0].interval
    assert int(row["wins"]) + int(row["ties"]) + int(row["losses"]) == int(row["n"]) == 3
    assert records(present(comparisons).tables("table", None)[1].render("csv"))[0]["document"] == "plain"


@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl", "parquet"])
def test_one_row_per_document(examples: Path, tmp_path: Path, suffix: str) -> None:
    if suffix == "parquet":
        pytest.importorskip("pyarrow")
    systems = [storymeter.read(examples / f"videos/{name}.json") for name in ("good", "padded", "disordered")]
    report = storymeter.evaluate(systems, metrics=["captions"], resamples=0)
    path = tmp_path / f"out.{suffix}"
    document_writer(str(path))(report)
    assert path.stat().st_size > 100
    assert len(document_table(report).rows) == 36
    with pytest.raises(UsageError):
        document_writer("out.docx")
