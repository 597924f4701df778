"""Language pairs are not mixed, odd WMT tables are read, captions get scores of their own, wild scores are
out.
"""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import msgspec
import pytest
from rating_kit import analyse, campaign, from_records, read, run, write

from storymeter.captions import Rating
from storymeter.errors import DataError, UsageError
from storymeter.human.imports import split_row
from storymeter.report import present

HEAD = "HITId WorkerId src trg item hit sys_id rid type sid score time"
TYPES = {"system": "SYSTEM", "degraded": "BAD_REF", "human": "REF"}


def wmt(records: list[Rating], pair: str, mark: str = "\t", quote: bool = False) -> str:
    source, target = pair.split("-")

    def cell(text: str) -> str:
        return f'"{text}"' if quote and " " in text else text

    return "".join(
        mark.join(
            [
                r.hit,
                f"{pair}{r.rater}",
                source,
                target,
                "ad",
                "1",
                cell(r.system),
                "9",
                TYPES[r.kind],
                r.item,
                str(r.value),
                "60",
            ]
        )
        + "\n"
        for r in records
    )


@pytest.fixture
def mixed(tmp_path: Path) -> Path:
    """Two language pairs whose item numbers are the same and whose best systems are not."""
    swap = {"best": "worst", "worst": "best", "middle": "middle", "Human-b": "Human-b"}
    other = [msgspec.structs.replace(r, system=swap[r.system]) for r in campaign(seed=3)]
    path = tmp_path / "both.csv"
    path.write_text(f"{HEAD}\n{wmt(campaign(), 'cs-en')}{wmt(other, 'de-en')}")
    return path


def test_language_pairs_are_analysed_each_by_itself(mixed: Path) -> None:
    result = run(mixed, "--format", "json", "--splits", 0)
    assert result.exit_code == 0, result.output
    assert "2 strata are analysed each by itself" in result.stderr and "--stratum NAME" in result.stderr
    told = json.loads(result.stdout)["strata"]
    assert list(told) == ["cs-en", "de-en"]
    machines = [
        [s["name"] for s in told[pair]["systems"] if s["name"] != "Human-b"] for pair in ("cs-en", "de-en")
    ]
    assert machines == [["best", "middle", "worst"], ["worst", "middle", "best"]]
    assert all(len(part["workers"]) == 6 for part in told.values()), "no rater of the other pair"
    rows = list(csv.DictReader(io.StringIO(run(mixed, "--format", "csv", "--splits", 0).stdout)))
    assert {row["stratum"] for row in rows} == {"cs-en", "de-en"} and len(rows) == 8


def test_one_stratum_or_all_of_them_knowingly(mixed: Path, tmp_path: Path) -> None:
    one = json.loads(run(mixed, "--stratum", "de-en", "--format", "json", "--splits", 0).stdout)
    assert len(one["workers"]) == 6
    every = run(mixed, "--stratum", "all", "--format", "json", "--splits", 0)
    whole = json.loads(every.stdout)
    assert len(whole["workers"]) == 12 and any("were mixed" in note for note in whole["notes"])
    assert next(s for s in whole["systems"] if s["name"] == "best")["captions"] == 60, "items stay apart"
    wrong = run(mixed, "--stratum", "fr-en")
    assert isinstance(wrong.exception, UsageError) and "cs-en" in str(wrong.exception.hint)
    run(mixed, "--html", tmp_path / "page.html", "--splits", 0)
    assert (tmp_path / "page-cs-en.html").exists() and (tmp_path / "page-de-en.html").exists()


def test_the_library_refuses_to_mix(mixed: Path) -> None:
    with pytest.raises(DataError, match=r"2 strata.*cs-en 660, de-en 660"):
        analyse(read(mixed))


def test_appraise_and_our_own_tables_have_strata_too(tmp_path: Path) -> None:
    rows = [
        f"u{k},s,{item},TGT,{source},eng,{50 + k},0.0,9.0\n"
        for source in ("ces", "deu")
        for k in range(2)
        for item in range(3)
    ]
    (tmp_path / "appraise.csv").write_text("".join(rows))
    assert read(tmp_path / "appraise.csv").strata == {"ces-eng": 6, "deu-eng": 6}
    (tmp_path / "own.csv").write_text("item,system,rater,value,stratum\nv,s,r,5,a\nv,s,r,6,b\n")
    assert read(tmp_path / "own.csv").strata == {"a": 1, "b": 1}
    (tmp_path / "own.jsonl").write_text(
        "".join(f'{{"item":"v","system":"s","rater":"r","value":5,"stratum":"{s}"}}\n' for s in "ab")
    )
    assert read(tmp_path / "own.jsonl").strata == {"a": 1, "b": 1}


@pytest.mark.parametrize(
    ("mark", "quote"), [(" ", True), ("\t", True), (",", True), (",", False), ("\t", False)]
)
def test_wmt_tables_with_quoted_names_and_other_separators(tmp_path: Path, mark: str, quote: bool) -> None:
    records = [
        msgspec.structs.replace(r, system="my best system" if r.system == "best" else r.system)
        for r in campaign()
    ]
    path = tmp_path / "odd.csv"
    head = HEAD.replace(" ", mark) if mark == "," else HEAD
    path.write_text(f"{head}\n{wmt(records, 'cs-en', mark, quote)}")
    table = read(path)
    assert "my best system" in table.systems and len(table) == len(records)
    assert table.item.names == from_records(records).item.names


def test_mixed_separators_in_one_row() -> None:
    row = 'h1\tw1 cs en\tad 1 "my system" 9 SYSTEM 4 77.5\t60'
    assert split_row(row, 12) == [
        "h1",
        "w1",
        "cs",
        "en",
        "ad",
        "1",
        "my system",
        "9",
        "SYSTEM",
        "4",
        "77.5",
        "60",
    ]


def test_a_row_that_cannot_be_cut_is_named(tmp_path: Path) -> None:
    path = tmp_path / "bad.csv"
    path.write_text(f"{HEAD}\nh1 w1 cs en ad 1 my best system 9 SYSTEM 4 77.5 60\n")
    with pytest.raises(DataError, match="line 2 has 14 cells, the header 12"):
        read(path)


def test_caption_scores_are_written(tmp_path: Path) -> None:
    path = write(tmp_path / "r.jsonl", campaign())
    assert run(path, "--captions", tmp_path / "captions.csv").exit_code == 0
    rows = list(csv.DictReader((tmp_path / "captions.csv").open()))
    assert list(rows[0]) == ["SYS", "SID", "RAW.SCR", "Z.SCR", "N"] and len(rows) == 3 * 30 + 10
    found = analyse(from_records(campaign()), splits=0)
    mean = sum(float(row["Z.SCR"]) for row in rows if row["SYS"] == "best") / 30
    assert mean == pytest.approx(next(s.z for s in found.ranking.systems if s.name == "best"), abs=1e-12)
    assert run(path, "--captions", "-").stdout.splitlines()[0] == "SYS,SID,RAW.SCR,Z.SCR,N"
    run(path, "--captions", tmp_path / "captions.json")
    assert len(json.loads((tmp_path / "captions.json").read_text())["captions"]) == 100


def test_caption_scores_equal_the_published_ones(data: Path) -> None:
    folder = data / "da" / "wmt21_csen"
    text = run(
        folder / "ad-csen-good-stnd.csv", "--scale", "z", "--accept", "all", "--captions", "-", "--splits", 0
    ).stdout
    ours = {(row["SYS"], row["SID"]): row for row in csv.DictReader(io.StringIO(text))}
    published = [line.split() for line in (folder / "ad-seg-scores-cs-en.csv").read_text().splitlines()[1:]]
    assert len(published) > 5000
    for system, item, _, z, n in published:
        assert float(ours[system, item]["Z.SCR"]) == pytest.approx(float(z), abs=1e-12)
        assert int(ours[system, item]["N"]) == int(n)


def test_a_score_of_minus_500_is_left_out_and_said() -> None:
    records = campaign()
    wild = [msgspec.structs.replace(records[0], value=-500.0), *records[1:]]
    found, clean = analyse(from_records(wild), splits=0), analyse(from_records(records[1:]), splits=0)
    assert any("1 of 660 scores are not in 0-100 (from -500 to -500)" in note for note in found.notes)
    assert [s.z for s in found.ranking.systems] == [s.z for s in clean.ranking.systems]


def test_standardised_scores_are_not_taken_for_raw_ones() -> None:
    records = [msgspec.structs.replace(r, value=(r.value - 50) / 20) for r in campaign()]
    with pytest.raises(DataError, match="not in 0-100") as raised:
        analyse(from_records(records), splits=0)
    assert "--scale z" in str(raised.value.hint)
    assert analyse(from_records(records), splits=0, scale="z").ranking.systems


def test_who_has_no_pair_is_not_said_to_fail() -> None:
    records = [*campaign(raters=4), Rating("v0", "best", "new", 50.0, hit="h9", position=0)]
    tables = present(analyse(from_records(records), splits=0)).tables("table", None)
    raters = next(table for table in tables if table.title == "Raters").render("csv")
    row = next(line for line in raters.splitlines() if line.startswith("new"))
    assert row.startswith("new,,no test is possible with 0 complete control pairs")


def test_strata_of_similar_names_have_files_of_their_own(tmp_path: Path) -> None:
    rows = [
        f"v{item},{system},r{rater},{40 + 3 * item + rater},{stratum}\n"
        for stratum in ("cs/en", "cs_en")
        for rater in range(3)
        for item in range(6)
        for system in "ab"
    ]
    (tmp_path / "own.csv").write_text("item,system,rater,value,stratum\n" + "".join(rows))
    run(tmp_path / "own.csv", "--captions", tmp_path / "c.csv", "--splits", 0)
    assert {path.name for path in tmp_path.glob("c*.csv")} == {"c-cs_en.csv", "c-cs_en-2.csv"}
