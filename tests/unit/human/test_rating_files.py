"""Files of ratings: every format says the same, bad rows get a message, duplicates count once."""

from __future__ import annotations

import math
from pathlib import Path

import msgspec
import numpy as np
import pytest
from human_kit import to_csv
from rating_kit import analyse, campaign, from_records, read, run, write

from storymeter.errors import DataError
from storymeter.human.rating_files import csv_columns, csv_rows
from storymeter.human.ratings import Labels


def test_duplicate_rows_count_once() -> None:
    records = campaign()
    once, twice = from_records(records), from_records(records + records[:50])
    assert len(once) == len(twice) and any("50 rows repeat" in note for note in twice.notes)
    changed = from_records([*records, msgspec.structs.replace(records[0], value=records[0].value + 1)])
    assert any("a different score or item" in note for note in changed.notes)
    np.testing.assert_array_equal(changed.value, once.value)
    bare = [msgspec.structs.replace(r, position=None) for r in records]
    assert len(from_records(bare + bare[:7])) == len(from_records(bare))


def test_a_regular_table_is_read_by_columns_as_row_by_row(tmp_path: Path) -> None:
    records = [
        msgspec.structs.replace(
            r,
            system="=best" if r.system == "best" else r.system,
            seconds=None if k % 7 == 0 else r.seconds,
            meta={"held": "=1+1, clicks"} if r.rater == "r1" else {},
        )
        for k, r in enumerate(campaign(bots=1))
    ]
    text = to_csv(records)
    quick, slow = csv_columns(text), csv_rows(text, "x")
    assert quick is not None
    for key in quick:
        column = (
            quick[key].to_list()
            if isinstance(quick[key], Labels)
            else [None if math.isnan(v) else v for v in quick[key].tolist()]
        )
        wanted = [
            [r.meta.get(key, "") if key == "held" else getattr(r, key) for r in t] for t in (slow, records)
        ]
        assert column == wanted[0] == wanted[1], key
    for odd in (
        text + "\n",
        text + "v,best,r9,high,,,,,,,,,,\n",
        text.replace("item,", "meta,item,", 1),
        "item,system\na,b\n",
        "",
    ):
        assert csv_columns(odd) is None
    short = csv_columns("value,kind,item,system,rater\n3,,v,s,r\n")
    assert (
        short is not None
        and short["value"].tolist() == [3.0]
        and {key: short[key].to_list() for key in ("kind", "item", "system", "rater")}
        == {"kind": ["system"], "item": ["v"], "system": ["s"], "rater": ["r"]}
    )


def test_files_with_other_columns_are_read_as_one(tmp_path: Path) -> None:
    records = campaign(raters=4)
    first, second = (
        write(tmp_path / "a.jsonl", [r for r in records if r.rater in ("r0", "r1")]),
        tmp_path / "b.csv",
    )
    rest = [r for r in records if r.rater not in ("r0", "r1")]
    second.write_text(
        "rater,item,system,value,kind,hit,pair,position\n"
        + "".join(
            f"{r.rater},{r.item},{r.system},{r.value},{r.kind},{r.hit},{r.pair},{r.position}\n" for r in rest
        )
    )
    together, whole = read([first, second]), from_records(records)
    assert len(together) == len(whole) and int(np.isnan(together.seconds).sum()) == len(rest)
    assert [(s.name, s.z, s.n) for s in analyse(together).ranking.systems] == [
        (s.name, s.z, s.n) for s in analyse(whole).ranking.systems
    ]


@pytest.mark.parametrize(
    "text",
    [
        "",
        '{"item": 3}\n',
        "not a table at all\n1,2,3\n",
        "item,system,rater,value\na,b,c,high\n",
        "item,system,rater\na,b,c\n",
        "\ufeff\n",
        "item,system,rater,value\n" + "a" * 200_000 + ",b,c,1\n",
        '{\n "v": {\n  "item": 3\n }\n}\n',
    ],
    ids=lambda text: repr(text[:30]),
)
def test_bad_files_get_a_message_not_a_traceback(tmp_path: Path, text: str) -> None:
    path = tmp_path / "ratings.csv"
    path.write_text(text)
    result = run(path)
    assert isinstance(result.exception, DataError) and result.exception.hint


def test_nan_scores_are_dropped_and_counted(tmp_path: Path) -> None:
    path = write(tmp_path / "r.jsonl", campaign())
    path.write_text(
        path.read_text()
        + '{"item":"v0","system":"best","rater":"r0","value":null}\n'
        + '{"item":"v0","system":"best","rater":"r0","value":1e308}\n'
    )
    assert any("2 rows have no usable number" in note for note in read(path).notes)


@pytest.mark.parametrize("place", ["inf", "1e300", "-7", "1.5"])
def test_a_place_may_be_any_number(tmp_path: Path, place: str) -> None:
    rows = [
        f"v{k},{system},r{rater},{50 + k},h,{place if k == 3 else k}"
        for rater in range(3)
        for k, system in enumerate("abababab")
    ]
    (tmp_path / "r.csv").write_text("\n".join(["item,system,rater,value,hit,position", *rows]))
    assert len(read(tmp_path / "r.csv")) == 24


def test_a_byte_order_mark_before_json_lines(tmp_path: Path) -> None:
    path = write(tmp_path / "r.jsonl", campaign())
    plain = read(path)
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert read(path).systems == plain.systems and len(read(path)) == len(plain)


def testcsv_rows_jsonl_and_wmt_say_the_same(tmp_path: Path) -> None:
    records = campaign()
    fields = ("item", "system", "rater", "value", "kind", "hit", "pair", "position", "seconds")
    table = [
        ",".join(fields),
        *(",".join("" if getattr(r, f) is None else str(getattr(r, f)) for f in fields) for r in records),
    ]
    (tmp_path / "r.csv").write_text("\n".join(table))
    kinds = {"system": "SYSTEM", "human": "REF", "degraded": "BAD_REF"}
    rows = ["HITId WorkerId src trg item hit sys_id rid type sid score time"]
    rows += [
        f"{r.hit}\t{r.rater}\tv\ten\tad\t1\t{r.system}\t{r.position}\t{kinds[r.kind]}\t{r.item}\t"
        f"{r.value}\t660"
        for r in records
    ]
    (tmp_path / "r.wmt").write_text("\n".join(rows))
    kinds = {"system": "TGT", "human": "REF", "degraded": "BAD"}
    (tmp_path / "r.app").write_text(
        "\n".join(
            f"{r.rater},{r.system},{r.item},{kinds[r.kind]},v,en,{r.value},"
            f"{r.position},{(r.position or 0) + 6}"
            for r in records
        )
    )
    answers = [
        analyse(read(path))
        for path in (
            write(tmp_path / "r.jsonl", records),
            tmp_path / "r.csv",
            tmp_path / "r.wmt",
            tmp_path / "r.app",
        )
    ]
    expected = [(s.name, s.raw, s.z, s.n) for s in answers[0].ranking.systems]
    assert len(expected) == 4
    for answer in answers[1:]:
        assert [(s.name, s.raw, s.z, s.n) for s in answer.ranking.systems] == expected
        assert [w.p for w in answer.quality.workers] == [w.p for w in answers[0].quality.workers]
