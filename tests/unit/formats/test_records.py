"""Records of an id and a caption are read whatever their fields are called; nothing is guessed."""

from __future__ import annotations

import csv
import json
import shlex
import zipfile
from pathlib import Path
from typing import Any

import pytest

from storymeter import evaluate, read, write
from storymeter.engine import load
from storymeter.errors import DataError
from storymeter.files import unguarded
from storymeter.formats import corpus_from_records, examine
from storymeter.report import present, render


def _captions(corpus: Any) -> list[tuple[str, list[tuple[str, float | None, float | None]]]]:
    return [(d.id, [(c.text, c.start, c.end) for c in d.captions]) for d in corpus]


def _file(folder: Path, name: str, content: Any) -> Path:
    path = folder / name
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def test_records_in_memory() -> None:
    rows = [{"id": "a", "Q": "what?", "A": "a dog", "pred": "a cat"}]
    assert _captions(corpus_from_records(rows, role="candidates")) == [("a", [("a cat", None, None)])]
    assert _captions(corpus_from_records(rows, role="references")) == [("a", [("a dog", None, None)])]
    with pytest.raises(DataError, match="several fields fit equally well"):
        corpus_from_records([{"id": "a", "text": "one dog", "description": "two dogs"}])


def test_both_commands_are_named(tmp_path: Path) -> None:
    path = _file(tmp_path, "f.json", [{"id": "a", "text": "one dog", "description": "two dogs"}])
    (problem,) = examine(path, role="candidates").errors
    assert problem.code == "ambiguous"
    for field in ("text", "description"):
        assert f"storymeter score {path} --columns text={field}" in problem.text
        assert read(path, columns={"text": field}).documents[0].text.endswith(("dog", "dogs"))


@pytest.mark.parametrize("name", ["target", "gt", "label", "reference", "ground truth"])
def test_a_reference_is_never_the_candidate(tmp_path: Path, name: str) -> None:
    path = _file(tmp_path, "f.json", [{"id": "a", name: "a dog runs"}])
    (problem,) = examine(path, role="candidates").errors
    assert f"--columns {shlex.quote(f'text={name}')}" in problem.text
    assert read(path, role="references").documents[0].text == "a dog runs"


def test_lines_led_by_an_id_are_not_captions_with_an_id(tmp_path: Path) -> None:
    flickr = _file(tmp_path, "f.txt", "a.jpg#0\ta dog runs\na.jpg#1\ta dog plays\nb.jpg#0\ta cat\n")
    assert [d.id for d in read(flickr)] == ["a", "a", "b"]
    colon = _file(tmp_path, "c.txt", "a: a dog runs\nb: a cat sits\n")
    assert _captions(read(colon)) == [
        ("a", [("a dog runs", None, None)]),
        ("b", [("a cat sits", None, None)]),
    ]


def test_lists_of_sentences(tmp_path: Path) -> None:
    path = _file(tmp_path, "s.json", {"a": [f"sentence {k}" for k in range(5)]})
    assert len(read(path, kind="story").documents[0].captions) == 5
    assert len(read(path, role="references").documents) == 5
    (problem,) = examine(path, role="candidates").errors
    assert "--lists story" in problem.text and "--lists alternatives" in problem.text


def test_what_was_assumed_is_kept(tmp_path: Path) -> None:
    lines = "".join(
        f'{{"question_id": {k}, "prompt": "p", "text": "a {w}"}}\n' for k, w in enumerate(("dog", "cat"))
    )
    corpus = read(_file(tmp_path, "m.jsonl", lines))
    assert corpus.meta["read_as"] == "id = question_id, caption = text"
    assert corpus.origin.format == "records"


def test_reversed_segments_name_the_repair(tmp_path: Path) -> None:
    path = _file(tmp_path, "f.jsonl", '{"vid": "a", "segment": [5, 2], "caption": "x"}\n' * 2)
    with pytest.raises(DataError, match="--repair"):
        read(path)
    assert read(path, repair=True).documents[0].captions[0].start == 2


FORMULAS = {"=cmd|x": "=1+1 is two", "-abc": "-- a cat", "'=q": "+ x", "@a": "it's", "''-b": "'quoted'"}


@pytest.mark.parametrize("name", ["f.csv", "f.tsv"])
def test_tables_are_safe_in_a_spreadsheet_and_read_back(tmp_path: Path, name: str) -> None:
    before = read(_file(tmp_path, "f.json", FORMULAS))
    write(before, tmp_path / name)
    delimiter = "\t" if name.endswith("tsv") else ","
    for row in csv.reader((tmp_path / name).open(encoding="utf-8"), delimiter=delimiter):
        assert not any(cell.startswith(("=", "+", "-", "@")) for cell in row)
    assert _captions(read(tmp_path / name)) == _captions(before)


def test_scores_of_documents_are_safe_in_a_spreadsheet(tmp_path: Path) -> None:
    from storymeter.cli import main

    path = _file(tmp_path, "f.json", FORMULAS)
    for name, delimiter in (("d.csv", ","), ("d.tsv", "\t")):
        with pytest.raises(SystemExit) as ended:
            main(["score", str(path), "-m", "words", "--per-document", str(tmp_path / name)])
        assert ended.value.code in (0, None)
        rows = list(csv.DictReader((tmp_path / name).open(encoding="utf-8"), delimiter=delimiter))
        assert not any(row["document"].startswith(("=", "+", "-", "@")) for row in rows)
        assert {unguarded(row["document"]) for row in rows} == FORMULAS.keys()


def test_one_answer_in_a_list_is_read_as_the_answer(tmp_path: Path) -> None:
    """lmms-eval keeps the answer in a list; a mapped column gives what is found without one."""
    answer = "From 0 to 4 seconds, a dog runs. From 4 to 9 seconds, it jumps."
    lines = "".join(
        json.dumps({"doc_id": k, "target": "t", "filtered_resps": [answer]}) + "\n" for k in (0, 1)
    )
    path = _file(tmp_path, "log.jsonl", lines)
    mapped = read(path, columns={"answer": "filtered_resps", "video": "doc_id"})
    assert (
        _captions(mapped)
        == _captions(read(path))
        == [(str(k), [("a dog runs.", 0, 4), ("it jumps.", 4, 9)]) for k in (0, 1)]
    )


def test_a_lone_quote_swallows_no_rows(tmp_path: Path) -> None:
    path = _file(tmp_path, "t.tsv", 'video_id\tcaption\na\t"hello there he says\nb\ta cat sits\n')
    assert [d.id for d in read(path)] == ["a", "b"]


def test_options_of_references_are_apart(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from storymeter.cli import main

    mine = _file(tmp_path, "m.json", [{"id": "a", "x": "a dog runs", "y": "no words here"}])
    gold = _file(tmp_path, "g.json", [{"id": "a", "u": "a dog runs", "v": "no words here"}])
    options = ["--columns", "text=x", "--reference-columns", "text=u"]
    with pytest.raises(SystemExit) as ended:
        main(["validate", str(mine), "-r", str(gold), *options])
    out = capsys.readouterr().out
    assert ended.value.code in (0, None)
    assert "1 document of 1 references found" in out and out.rstrip().endswith(" ".join(options))
    twice = _file(
        tmp_path, "t.json", [{"video_id": "a", "caption": "one dog"}, {"video_id": "a", "caption": "two"}]
    )
    with pytest.raises(SystemExit) as ended:
        main(["validate", str(twice), "-r", str(gold), "--reference-columns", "text=u"])
    assert ended.value.code == 1 and "repeated-id" in capsys.readouterr().out


@pytest.mark.parametrize("role", ["candidates", "references", None])
@pytest.mark.parametrize("key", ["answer", "caption", "text", "gt", "columnsx", "zz", "video_id", ""])
def test_a_table_whose_columns_have_another_key_keeps_its_rows(tmp_path: Path, key: str, role: Any) -> None:
    rows = [["a1", "a dog runs over the grass"], ["b2", "a man cooks an egg"]]
    whole = [(id, [(text, None, None)]) for id, text in rows]
    reading = examine(_file(tmp_path, "t.json", {key: ["id", "caption"], "data": rows}), role=role)
    assert not reading.errors and _captions(reading.corpus) == whole
    # names that say nothing: the field is a question or found by content, and no head is a caption
    reading = examine(_file(tmp_path, "u.json", {key: ["foo", "bar"], "data": rows}), role=role)
    assert reading.errors or _captions(reading.corpus) == whole
    # a row of another width is an error at its place
    short = {key: ["id", "caption"], "data": [*rows, ["c3"]]}
    (problem,) = examine(_file(tmp_path, "v.json", short), role=role).errors
    assert "data[2]" in problem.where
    # two lists that name the columns equally well
    both = {key: ["id", "caption"], "names": ["video", "text"], "data": rows}
    errors = examine(_file(tmp_path, "w.json", both), role=role).errors
    assert any(problem.where.endswith("data") for problem in errors)


def test_captions_beside_numbers_called_data_are_no_table() -> None:
    value = {"captions": ["a dog runs", "a cat sits"], "data": [[0, 4], [4, 8]]}
    texts = [c.text for d in corpus_from_records(value, lists="alternatives") for c in d.captions]
    assert texts == value["captions"]


def test_evaluate_compares_ids_without_the_ending_of_files(tmp_path: Path) -> None:
    """As `storymeter score` does; a file of references whose ids have none stays in."""
    ours, theirs, others = tmp_path / "mine.json", tmp_path / "refs.csv", tmp_path / "more.json"
    ours.write_text('[{"video_path": "d/a1.mp4", "pred": "a dog runs"}]')
    theirs.write_text("video,caption\na1.mp4,a dog is running\n")
    others.write_text('{"a1": "a dog ran"}')
    assert evaluate(ours, theirs, metrics="bleu_4").documents
    both = evaluate(ours, [theirs, others], metrics="bleu_4")
    assert "annotators:2" in str(both["bleu_4"].signature)


@pytest.mark.parametrize(
    "content",
    [
        {"status": "ok"},
        {"dataset_name": "textcaps"},
        {"status": "ok", "count": 3},
        {"a": {"status": "ok"}},
        {"error": "the rate limit was reached"},
        {"model": "gpt-4o", "a1": "A dog runs.", "b2": "Two men cook."},
    ],
)
def test_a_setting_is_no_caption(tmp_path: Path, content: Any) -> None:
    path = _file(tmp_path, "f.json", content)
    problems = examine(path, role="candidates").errors
    assert any("a setting of a run" in each.text and "--from plain" in each.text for each in problems)
    assert not any("(fields: ;" in each.text for each in problems)


@pytest.mark.parametrize(
    "content", [{"a": "a dog"}, {"a": "dog"}, {"vid1": "dogs"}, {"a": "ok", "b": "fine"}]
)
def test_short_captions_by_id_are_read(tmp_path: Path, content: dict[str, str]) -> None:
    assert {d.id: d.text for d in read(_file(tmp_path, "f.json", content))} == content


@pytest.mark.parametrize(
    ("lines", "place"),
    [
        ("a1 0.0 4.5##A dog runs.\na1 4.5##It jumps.\nb2 1 65##A man cooks.\n", "line 2"),
        ("a1.jpg#0\tA dog runs.\nb2.jpg#0|Two men cook.\nc3.jpg#0\tRain falls.\n", "line 2"),
        ("a1: A dog runs.\nb2: Two men cook.\nc3 Rain falls.\n", "line 3"),
    ],
)
def test_a_line_unlike_the_others_is_an_error(tmp_path: Path, lines: str, place: str) -> None:
    """The whole file was taken for captions that contain the id."""
    (problem,) = examine(_file(tmp_path, "f.txt", lines)).errors
    assert problem.where == place


def test_times_in_cells_are_no_chapters(tmp_path: Path) -> None:
    rows = "00:00:00.00,00:00:04.50,A dog runs.,a1.eaf\n00:00:04.50,00:00:09.00,It jumps.,a1.eaf\n"
    head = "Begin Time - hh:mm:ss.ms,End Time - hh:mm:ss.ms,File\n"
    assert [c.text for d in read(_file(tmp_path, "f.csv", rows)) for c in d.captions] == [
        "A dog runs.",
        "It jumps.",
    ]
    untold = head + "00:00:00.00,00:00:04.50,a1.eaf\n00:00:04.50,00:00:09.00,a1.eaf\n"
    (problem,) = examine(_file(tmp_path, "g.csv", untold)).errors
    assert "no field holds the caption" in problem.text


def test_captions_under_the_name_of_references_are_no_candidates(tmp_path: Path) -> None:
    events = [{"timestamp": [0, 1], "caption": "A dog."}]
    path = _file(tmp_path, "f.json", [{"qid": "a1", "made": events, "gt": events}])
    (problem,) = examine(path, role="candidates").errors
    assert "never read as a candidate's caption" in problem.text and "--columns text=gt" in problem.text


def test_records_without_an_id_are_not_one_video(tmp_path: Path) -> None:
    lists = (
        "timestamps;captions\n[[0, 4]];['A dog runs.']\n[[1, 65], [66, 70]];['A man cooks.', 'He eats.']\n"
    )
    (problem,) = examine(_file(tmp_path, "f.csv", lists)).errors
    assert "no field holds the id" in problem.text


def test_a_model_output_is_not_the_reference_beside_other_texts(tmp_path: Path) -> None:
    rows = [{"id": i, "ref1": f"{i} dog runs.", "hyp": "A cat."} for i in ("one", "two")]
    assert [d.text for d in read(_file(tmp_path, "f.json", rows), role="references")] == [
        "one dog runs.",
        "two dog runs.",
    ]
    rows = [{"id": i, "worte": f"{i} dog runs.", "hyp": "A cat."} for i in ("one", "two")]
    (problem,) = examine(_file(tmp_path, "g.json", rows), role="references").errors
    assert problem.code == "ambiguous"


def test_what_was_assumed_is_in_the_record_of_a_run(tmp_path: Path) -> None:
    lines = '{"question_id": 1, "text": "a dog runs"}\n{"question_id": 2, "text": "a cat sits"}\n'
    mine = _file(tmp_path, "m.jsonl", lines)
    people = _file(tmp_path, "r.csv", "Video ID,Caption\n1,a dog is running\n2,a cat is sitting\n")
    results = evaluate(mine, people, ["rouge_l"])
    results.save(tmp_path / "s.smr")
    for each in (results, load(tmp_path / "s.smr")):
        assert each.systems[0].candidates.meta["read_as"] == "id = question_id, caption = text"
        assert each.references[0].meta["read_as"] == "id = Video ID, caption = Caption"
        record = json.loads(render(present(each), "json"))
        assert record["systems"][0]["read_as"] == "id = question_id, caption = text"
        assert record["references"] == [{"name": "r", "read_as": "id = Video ID, caption = Caption"}]


def _workbook(path: Path, *sheets: list[list[Any]], merged: str = "") -> Path:
    """A workbook of several sheets; cells are inline."""
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("xl/workbook.xml", "<workbook/>")
        for n, rows in enumerate(sheets, 1):
            lines = ""
            for r, row in enumerate(rows, 1):
                cells = "".join(
                    f'<c r="{chr(65 + k)}{r}" t="inlineStr"><is><t>{cell}</t></is></c>'
                    if isinstance(cell, str)
                    else f'<c r="{chr(65 + k)}{r}"><v>{cell}</v></c>'
                    for k, cell in enumerate(row)
                    if cell is not None
                )
                lines += f'<row r="{r}">{cells}</row>'
            more = f'<mergeCells><mergeCell ref="{merged}"/></mergeCells>' if merged else ""
            archive.writestr(
                f"xl/worksheets/sheet{n}.xml", f"<worksheet><sheetData>{lines}</sheetData>{more}</worksheet>"
            )
    return path


TABLE = [["video_id", "caption"], ["a1", "A dog runs."], ["b2", "Two men cook."]]
BOTH = {"a1": "A dog runs.", "b2": "Two men cook."}


@pytest.mark.parametrize(
    "sheets",
    [
        [[["made by x"]], TABLE],
        [[["My captions, May"], [None], *TABLE]],
        [[TABLE[0], [None, None], *TABLE[1:], [None]]],
        [[[None, *row] for row in TABLE]],
        [[["index", "video", "question", "answer", "prediction"], [0, "a1", "What is it?", "no", BOTH["a1"]],
          [1, "b2", "What is it?", "no", BOTH["b2"]]]],
    ],
    ids=["second-sheet", "title", "empty-rows", "empty-column", "vlmevalkit"],
)  # fmt: skip
def test_workbooks(tmp_path: Path, sheets: list[list[list[Any]]]) -> None:
    corpus = read(_workbook(tmp_path / "f.xlsx", *sheets), role="candidates")
    assert {d.id: d.text for d in corpus} == BOTH


def test_a_second_table_of_a_workbook_is_named(tmp_path: Path) -> None:
    reading = examine(_workbook(tmp_path / "f.xlsx", TABLE, [TABLE[0], ["c3", "Rain falls."]]))
    assert len(reading.corpus) == 2
    assert [problem.where for problem in reading.problems if problem.code == "other-sheet"] == ["sheet 2"]


def test_merged_ids_of_a_workbook_hold_for_all_their_rows(tmp_path: Path) -> None:
    rows = [["video_id", "start", "end", "caption"], ["a1", 0, 4, "A dog."], [None, 4, 9, "It jumps."]]
    corpus = read(_workbook(tmp_path / "f.xlsx", [*rows, ["b2", 1, 6, "A man."]], merged="A2:A3"))
    assert _captions(corpus) == [
        ("a1", [("A dog.", 0, 4), ("It jumps.", 4, 9)]),
        ("b2", [("A man.", 1, 6)]),
    ]


@pytest.mark.parametrize("kind", ["large_string", "dictionary", "struct", "starts", "list"])
def test_parquet_of_other_programs(tmp_path: Path, kind: str) -> None:
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    ids, texts = list(BOTH), list(BOTH.values())
    tables = {
        "large_string": {"video_id": arrow.array(ids, arrow.large_string()), "caption": texts},
        "dictionary": {"video_id": arrow.array(ids).dictionary_encode(), "caption": texts},
        "struct": {"image": [{"bytes": b"\x89PNG", "path": f"{i}.jpg"} for i in ids], "caption": texts},
        "list": {"image_id": ids, "captions": [[text] for text in texts]},
        "starts": {
            "video_id": ids,
            "captions_starts": [[0.0], [1.0]],
            "captions_ends": [[4.0], [6.0]],
            "en_captions": [[text] for text in texts],
        },
    }
    parquet.write_table(arrow.table(tables[kind]), tmp_path / "f.parquet")
    corpus = read(tmp_path / "f.parquet", role="references")
    assert {d.id: d.text for d in corpus} == BOTH
    times = [(c.start, c.end) for d in corpus for c in d.captions]
    assert times == ([(0, 4), (1, 6)] if kind == "starts" else [(None, None)] * 2)


def test_a_column_meta_of_another_program_is_kept(tmp_path: Path) -> None:
    corpus = read(_file(tmp_path, "f.csv", ",video,caption,meta\n0,a1,A dog runs.,x\n1,b2,Two men cook.,7\n"))
    assert [(d.text, d.captions[0].meta) for d in corpus] == [
        ("A dog runs.", {"meta": "x"}),
        ("Two men cook.", {"meta": "7"}),
    ]
