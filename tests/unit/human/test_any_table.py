"""Ratings in the tables that people have: each shape with what must come out, or the question asked."""

from __future__ import annotations

import csv
import gzip
import io
import json
import lzma
import random
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from rating_kit import run

import storymeter.human
from storymeter.captions import Rating
from storymeter.errors import DataError, UsageError
from storymeter.human.tables import TableRatings, read_tables

RATERS, VIDEOS, SYSTEMS = ("w1", "w2", "w3"), ("v1", "v2", "v3", "v4"), ("bmt", "pdvc", "vid2seq")
DRAWN = random.Random(7)
#: rater, video, system -> score
SCORES = {
    (rater, video, system): DRAWN.randint(1, 5) for rater in RATERS for video in VIDEOS for system in SYSTEMS
}
SCORES["w1", "v1", "bmt"], SCORES["w1", "v1", "pdvc"] = 1, 5
CHOICES = {(rater, video): DRAWN.choice(("bmt", "pdvc", "")) for rater in RATERS for video in VIDEOS}
CHOICES["w1", "v1"], CHOICES["w1", "v2"], CHOICES["w1", "v3"] = "bmt", "pdvc", ""


def table(heads: Sequence[str], rows: Sequence[Sequence[Any]], mark: str = ",") -> str:
    out = io.StringIO()
    csv.writer(out, delimiter=mark, lineterminator="\n").writerows([heads, *rows])
    return out.getvalue()


def long(heads: Sequence[str], mark: str = ",", scale: float = 1) -> str:
    return table(heads, [(*key, value * scale) for key, value in SCORES.items()], mark)


def file(folder: Path, name: str, text: str | bytes) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def scores(found: TableRatings) -> dict[tuple[str, str, str], float]:
    return {(one.rater, one.item, one.system): one.value for one in found.records}


LONG = {
    "worker": long(("worker_id", "video_id", "model", "rating")),
    "annotator": long(("annotator", "item", "system", "score")),
    "spelled": long(("Worker ID", "Video-Id", "System Name", "Ratings")),
    "tabs": long(("participant", "clip", "method", "mark"), "\t"),
    "semicolons": long(("user", "file", "approach", "grade"), ";"),
    "bom": "\ufeff" + long(("rater", "vid", "sys", "value")),
    "index": table(
        ("", "judge", "image", "team", "stars"), [(n, *k, v) for n, (k, v) in enumerate(SCORES.items())]
    ),
    "extras": table(
        ("rater", "video", "caption", "system", "genre", "rating", "comment", "duration"),
        [(r, v, f"{v} {s}", s, v > "v2", x, "", 12.5) for (r, v, s), x in SCORES.items()],
    ),
    "plural": long(("evaluators", "samples", "models", "scores")),
    "content": long(("participant", "thing", "approach", "points")),
    "records": json.dumps(
        [dict(zip(("worker", "video", "model", "rating"), (*k, v), strict=True)) for k, v in SCORES.items()]
    ),
    "lines": "\n".join(
        json.dumps(dict(zip(("rater", "item", "system", "score"), (*k, v), strict=True)))
        for k, v in SCORES.items()
    ),
    "columns": json.dumps(
        {
            head: {str(n): (*k, v)[place] for n, (k, v) in enumerate(SCORES.items())}
            for place, head in enumerate(("worker", "video", "model", "rating"))
        }
    ),
    "wandb": json.dumps(
        {"columns": ["rater", "video", "model", "score"], "data": [(*k, v) for k, v in SCORES.items()]}
    ),
    "under a key": json.dumps(
        {
            "project": "x",
            "ratings": [{"rater": r, "video": v, "model": s, "score": x} for (r, v, s), x in SCORES.items()],
        }
    ),
    "column per rater": table(
        ("video", "system", *(f"rater{n}" for n in (1, 2, 3))),
        [(v, s, *(SCORES[r, v, s] for r in RATERS)) for v in VIDEOS for s in SYSTEMS],
    ).replace("rater", "w"),
    "column per system": table(
        ("rater", "video", *(f"system {name}" for name in SYSTEMS)),
        [(r, v, *(SCORES[r, v, s] for s in SYSTEMS)) for r in RATERS for v in VIDEOS],
    ),
    "form": table(
        ("Timestamp", "Email Address", *(f"Video {v[1:]} - System {s}" for v in VIDEOS for s in SYSTEMS)),
        [("2024/01/02 10:00:00", r, *(SCORES[r, v, s] for v in VIDEOS for s in SYSTEMS)) for r in RATERS],
    ),
    "form with a grid": table(
        ("Timestamp", "Name", *(f"How good? [Video {v[1:]} - System {s}]" for v in VIDEOS for s in SYSTEMS)),
        [("2024", r, *(f"{SCORES[r, v, s]} - fine" for v in VIDEOS for s in SYSTEMS)) for r in RATERS],
    ),
    "label studio": json.dumps(
        [
            {
                "id": number,
                "data": {"video": video, "system": system, "caption": "a dog"},
                "annotations": [
                    {
                        "completed_by": rater,
                        "lead_time": 4.5,
                        "result": [
                            {
                                "from_name": "stars",
                                "to_name": "video",
                                "type": "rating",
                                "value": {"rating": SCORES[rater, video, system]},
                            }
                        ],
                    }
                    for rater in RATERS
                ],
            }
            for number, (video, system) in enumerate((v, s) for v in VIDEOS for s in SYSTEMS)
        ]
    ),
    "label studio, small": json.dumps(
        [
            {
                "video": v,
                "system": s,
                "id": 7,
                "annotator": r,
                "annotation_id": 3,
                "lead_time": 1.0,
                "rating": x,
            }
            for (r, v, s), x in SCORES.items()
        ]
    ),
    "potato": "\n".join(
        json.dumps(
            {
                "user_id": rater,
                "instance_id": f"{video}__{system}",
                "displayed_text": "a dog",
                "label_annotations": {"quality": {f"scale_{value}": str(value)}},
                "span_annotations": [],
                "behavioral_data": {"time_spent": 2.5},
            }
        )
        for (rater, video, system), value in SCORES.items()
    ),
}


@pytest.mark.parametrize("shape", LONG)
def test_scores_are_read_without_an_option(tmp_path: Path, shape: str) -> None:
    ending = "json" if LONG[shape].lstrip()[0] in "[{" else "csv"
    found = read_tables([file(tmp_path, f"mine.{ending}", LONG[shape])])
    wanted = {(rater, video, system): float(value) for (rater, video, system), value in SCORES.items()}
    renamed = {key: key for key in wanted}
    if shape.startswith("form"):
        renamed = {(r, v, s): (r, f"Video {v[1:]}", f"System {s}") for r, v, s in wanted}
    elif shape == "column per system":
        renamed = {(r, v, s): (r, v, f"system {s}") for r, v, s in wanted}
    assert scores(found) == {renamed[key]: value for key, value in wanted.items()}
    assert found.kind == "da" and found.bounds == (1.0, 5.0)
    assert found.notes[0].startswith(f"read mine.{ending}: ") and "scale 1-5, found" in found.notes[0]


@pytest.mark.parametrize("ending", ["csv.gz", "csv.xz", "xlsx", "parquet"])
def test_containers(tmp_path: Path, ending: str) -> None:
    text = LONG["worker"]
    path = tmp_path / f"mine.{ending}"
    if ending == "csv.gz":
        path.write_bytes(gzip.compress(text.encode("utf-8-sig")))
    elif ending == "csv.xz":
        path.write_bytes(lzma.compress(text.encode()))
    elif ending == "parquet":
        arrow = pytest.importorskip("pyarrow")
        rows = list(csv.DictReader(io.StringIO(text)))
        pytest.importorskip("pyarrow.parquet").write_table(arrow.Table.from_pylist(rows), path)
    else:
        path.write_bytes(workbook(list(csv.reader(io.StringIO(text)))))
    assert scores(read_tables([path])) == SCORES


def workbook(rows: list[list[str]]) -> bytes:
    """A workbook as spreadsheets write it: shared strings, numbers as numbers."""
    words = sorted({cell for row in rows for cell in row if not cell.isdigit()})
    main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    cells = "".join(
        f'<row r="{n}">'
        + "".join(
            f'<c r="{chr(65 + k)}{n}"><v>{cell}</v></c>'
            if cell.isdigit()
            else f'<c r="{chr(65 + k)}{n}" t="s"><v>{words.index(cell)}</v></c>'
            for k, cell in enumerate(row)
        )
        + "</row>"
        for n, row in enumerate(rows, 1)
    )
    parts = {
        "xl/workbook.xml": f'<workbook {main} xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/'
        'relationships"><sheets><sheet name="Ratings" sheetId="1" r:id="rId1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/'
        'relationships"><Relationship Id="rId1" Target="worksheets/sheet1.xml"/></Relationships>',
        "xl/sharedStrings.xml": f"<sst {main}>" + "".join(f"<si><t>{w}</t></si>" for w in words) + "</sst>",
        "xl/worksheets/sheet1.xml": f"<worksheet {main}><sheetData>{cells}</sheetData></worksheet>",
    }
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
    return out.getvalue()


def test_a_workbook_that_cannot_be_read(tmp_path: Path) -> None:
    raw = workbook([["rater", "video"], ["w1", "v1"]])
    with pytest.raises(DataError, match="cannot be read as an xlsx workbook"):
        read_tables([file(tmp_path, "bad.xlsx", raw[: len(raw) // 2])])


@pytest.mark.parametrize(
    ("factor", "bounds"), [(20, (0.0, 100.0)), (0.2, (0.0, 1.0)), (1.4, (1.0, 7.0)), (2, (1.0, 10.0))]
)
def test_the_scale_is_found_and_said(tmp_path: Path, factor: float, bounds: tuple[float, float]) -> None:
    text = table(
        ("rater", "video", "model", "rating"), [(*k, round(v * factor, 3)) for k, v in SCORES.items()]
    )
    found = read_tables([file(tmp_path, "a.csv", text)])
    assert found.bounds == bounds and f"scale {bounds[0]:g}-{bounds[1]:g}" in found.notes[0]


def test_a_stated_scale_counts(tmp_path: Path) -> None:
    path = file(tmp_path, "a.csv", LONG["worker"])
    shown = json.loads(run(path, "--scale", "1-7", "--format", "json", "--splits", 0).stdout)
    assert shown["bounds"] == [1, 7] and "scale 1-7, as stated" in shown["notes"][0]
    assert isinstance(run(path, "--scale", "high").exception, UsageError)
    narrow = run(path, "--scale", "1-3", "--splits", 0)
    assert narrow.exit_code == 1 and "are not in 1-3" in narrow.exception.message


def test_without_controls_the_analysis_says_which_gates_are_missing(tmp_path: Path) -> None:
    path = file(tmp_path, "a.csv", LONG["worker"])
    done = run(path, "--splits", 0)
    said = " ".join(done.stderr.split())
    assert done.exit_code == 0 and "vid2seq" in done.stdout
    assert "the worker test, the check of repeats and the check of attention cannot be applied" in said
    assert "read a.csv: rater = worker_id, system = model, item = video_id, score = rating" in said
    shown = run(path, "--format", "json", "--splits", 0)
    answer = json.loads(shown.stdout)
    assert answer["tested"] is False and answer["ratings_used"] == len(SCORES)
    assert "read a.csv: " in answer["notes"][0] and "read a.csv: " in shown.stderr


VOTES = {
    "sides": (("rater", "video", "left", "right", "choice"), {"bmt": "left", "pdvc": "right", "": "tie"}),
    "letters": (("judge", "clip", "system_a", "system_b", "vote"), {"bmt": "A", "pdvc": "B", "": "equal"}),
    "numbers": (("rater", "video", "left", "right", "choice"), {"bmt": 1, "pdvc": 2, "": 0}),
    "names": (("rater", "video", "left", "right", "preferred"), {"bmt": "bmt", "pdvc": "pdvc", "": "tie"}),
    "arena": (
        ("user", "id", "model_a", "model_b", "winner"),
        {"bmt": "model_a", "pdvc": "model_b", "": "tie (bothbad)"},
    ),
    "signs": (("worker", "item", "first", "second", "answer"), {"bmt": -1, "pdvc": 1, "": 0}),
    "unnamed": (("worker", "item", "left", "right", "q1"), {"bmt": "left", "pdvc": "right", "": "same"}),
}


@pytest.mark.parametrize("shape", VOTES)
def test_votes_are_read_without_an_option(tmp_path: Path, shape: str) -> None:
    heads, words = VOTES[shape]
    rows = [(r, v, "bmt", "pdvc", words[choice]) for (r, v), choice in CHOICES.items()]
    found = read_tables([file(tmp_path, "votes.csv", table(heads, rows))])
    assert found.kind == "preference" and len(found.records) == len(CHOICES)
    for one in found.records:
        assert (one.system, one.meta["against"]) == ("bmt", "pdvc")
        assert one.value == {"bmt": -1, "pdvc": 1, "": 0}[CHOICES[one.rater, one.item]]


def test_a_choice_by_name_counts_on_either_side(tmp_path: Path) -> None:
    rows = [
        (r, v, *(("bmt", "pdvc") if v in ("v1", "v3") else ("pdvc", "bmt")), choice or "tie")
        for (r, v), choice in CHOICES.items()
    ]
    path = file(tmp_path, "votes.csv", table(("rater", "video", "left", "right", "choice"), rows))
    (pair,) = storymeter.human.analyse(path)["all"]
    means = dict(zip(pair.items, pair.means, strict=True))
    for video in VIDEOS:
        given = [{"bmt": -1, "pdvc": 1, "": 0}[CHOICES[rater, video]] for rater in RATERS]
        assert means[video] == pytest.approx(sum(given) / 3)
    assert "A wins" in run(path).stdout


def test_votes_of_a_form(tmp_path: Path) -> None:
    heads = ("Timestamp", "Name", *(f"Video {v[1:]} - System bmt vs System pdvc" for v in VIDEOS))
    words = {"bmt": "System bmt", "pdvc": "System pdvc", "": "No preference"}
    rows = [("2024", r, *(words[CHOICES[r, v]] for v in VIDEOS)) for r in RATERS]
    found = read_tables([file(tmp_path, "form.csv", table(heads, rows))])
    assert {(one.rater, one.item): one.value for one in found.records} == {
        (r, f"Video {v[1:]}"): {"bmt": -1, "pdvc": 1, "": 0}[choice] for (r, v), choice in CHOICES.items()
    }


QUESTIONS = {
    "raters or criteria": (
        table(
            ("video", "system", "ann", "bob"),
            [(v, s, SCORES["w1", v, s], SCORES["w2", v, s]) for v in VIDEOS for s in SYSTEMS],
        ),
        ["--columns rater=ann+bob", "--columns criterion=ann+bob"],
    ),
    "item or system": (
        long(("rater", "thing", "how", "points")),
        ["--columns item=thing,system=how", "--columns item=how,system=thing"],
    ),
    "two scores": (
        table(("rater", "video", "model", "rating", "score"), [(*k, v, 6 - v) for k, v in SCORES.items()]),
        ["--columns score=rating", "--columns score=score"],
    ),
    "parts of a head": (
        table(
            ("Timestamp", "Name", *(f"{v} - {s}" for v in ("dog", "cook", "run") for s in SYSTEMS)),
            [("2024", r, *[3, 4, 5] * 3) for r in RATERS],
        ),
        ["'pattern={item} - {system}'", "'pattern={system} - {item}'"],
    ),
    "zero and one": (
        table(
            ("rater", "video", "left", "right", "choice"),
            [(r, v, "bmt", "pdvc", int(v > "v2")) for r in RATERS for v in VIDEOS],
        ),
        ["--answers 0=left,1=right", "--answers 0=tie,1=left"],
    ),
    "sides or names": (
        table(
            ("rater", "video", "left", "right", "choice"),
            [(r, v, *(("A", "B") if v > "v2" else ("B", "A")), "A") for r in RATERS for v in VIDEOS],
        ),
        ["--answers a=left,b=right", "--answers names"],
    ),
}


@pytest.mark.parametrize("shape", QUESTIONS)
def test_two_readings_are_a_question_and_each_command_works(tmp_path: Path, shape: str) -> None:
    text, commands = QUESTIONS[shape]
    path = file(tmp_path, "mine.csv", text)
    asked = run(path)
    assert asked.exit_code == 1 and isinstance(asked.exception, DataError)
    for command in commands:
        assert f"storymeter human analyse {path} " in asked.exception.hint and command in asked.exception.hint
        option, value = command.split(" ", 1) if command.startswith("--") else ("--columns", command)
        done = run(path, option, value.strip("'"), "--splits", 0)
        assert done.exit_code == 0, done.output


def test_criteria_as_columns_and_as_rows(tmp_path: Path) -> None:
    wide = table(
        ("rater", "video", "system", "Coherence", "Relevance"), [(*k, v, 6 - v) for k, v in SCORES.items()]
    )
    rows = [(*k, c, x) for k, v in SCORES.items() for c, x in (("Coherence", v), ("Relevance", 6 - v))]
    tall = table(("rater", "video", "system", "aspect", "score"), rows)
    first = storymeter.human.analyse(file(tmp_path, "wide.csv", wide))["all"]
    second = storymeter.human.analyse(file(tmp_path, "tall.csv", tall))["all"]
    assert first.criteria == ("Coherence", "Relevance") and first.means == second.means
    mean = {(one.system, one.criterion): one.mean for one in first.means}
    wanted = [value for (_, _, system), value in SCORES.items() if system == "bmt"]
    assert mean["bmt", "Coherence"] == pytest.approx(sum(wanted) / len(wanted))
    shown = run(tmp_path / "wide.csv").stdout
    assert "Coherence" in shown and "votes" not in shown


def test_answers_in_words(tmp_path: Path) -> None:
    words = {1: "Strongly disagree", 2: "Disagree", 3: "Neutral", 4: "Agree", 5: "Strongly Agree"}
    text = table(("rater", "video", "model", "rating"), [(*k, words[v]) for k, v in SCORES.items()])
    found = read_tables([file(tmp_path, "a.csv", text)])
    assert scores(found) == SCORES and any("strongly disagree 1" in note for note in found.notes)


def test_a_prolific_export_beside_it(tmp_path: Path) -> None:
    people = table(
        ("Submission id", "Participant id", "Status", "Time taken"),
        [("s1", "w1", "APPROVED", 60), ("s2", "w2", "RETURNED", 5), ("s3", "w3", "AWAITING REVIEW", 70)],
    )
    found = read_tables([file(tmp_path, "a.csv", LONG["worker"]), file(tmp_path, "prolific.csv", people)])
    assert {one.rater for one in found.records} == {"w1", "w3"}
    assert any("1 were left out (returned)" in note for note in found.notes)
    strangers = people.replace("w1", "x1").replace("w2", "x2").replace("w3", "x3")
    with pytest.raises(DataError, match="No rater of the ratings"):
        read_tables([tmp_path / "a.csv", file(tmp_path, "prolific.csv", strangers)])


def test_potato_with_a_folder_per_rater(tmp_path: Path) -> None:
    paths = []
    for rater in RATERS:
        lines = [
            {
                "id": f"{v}__{s}",
                "displayed_text": "x",
                "label_annotations": {"q": {f"scale_{SCORES[rater, v, s]}": "on"}},
            }
            for v in VIDEOS
            for s in SYSTEMS
        ]
        paths.append(file(tmp_path, f"{rater}/annotated_instances.jsonl", "\n".join(map(json.dumps, lines))))
    found = read_tables(paths)
    assert scores(found) == SCORES and "read w2/annotated_instances.jsonl" in found.notes[1]


def test_rows_and_data_frames(tmp_path: Path) -> None:
    rows = [{"worker": r, "video": v, "model": s, "rating": x} for (r, v, s), x in SCORES.items()]
    from_file = storymeter.human.analyse(file(tmp_path, "a.csv", LONG["worker"]), splits=0)["all"]
    from_rows = storymeter.human.analyse(rows, splits=0)["all"]
    assert from_rows.ranking.systems == from_file.ranking.systems
    pandas = pytest.importorskip("pandas")
    from_frame = storymeter.human.analyse(pandas.DataFrame(rows), splits=0)["all"]
    assert from_frame.ranking.systems == from_file.ranking.systems
    ratings = [Rating(v, s, r, float(x)) for (r, v, s), x in SCORES.items()]
    assert storymeter.human.analyse(ratings, splits=0)["all"].ranking.systems == from_file.ranking.systems
    with pytest.raises(DataError, match="no rows"):
        storymeter.human.analyse([])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("rater,video,model,rating\nw1,v1,a,4\nw1,v2\n", "line"),
        ("rater,video,model,rating\n", "no rows"),
        ("rater,video,model,rating\nw1,v1,a,4\nw1,v2,a,good\nw1,v3,a,3\n", "row 3, rating: 'good'"),
        ("rater,video,rating,rating\nw1,v1,4,4\n", "more than one column"),
        ("video,caption\nv1,a dog\nv2,a cat\n", "no column holds scores"),
        ("rater,video,left,right,choice\nw1,v1,a,b,perhaps\nw1,v2,a,b,left\n", "perhaps"),
        ("rater,video,left,right,choice\nw1,v1,a,a,left\nw1,v2,a,b,right\n", "with itself"),
        ('{"a": 1}\n{"a": \n', "line"),
    ],
)
def test_what_cannot_be_read_is_said(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises((DataError, UsageError)) as caught:
        read_tables([file(tmp_path, "mine.csv", text)])
    assert said in str(caught.value)


def test_a_column_that_is_not_there_is_named(tmp_path: Path) -> None:
    done = run(file(tmp_path, "a.csv", LONG["worker"]), "--columns", "rater=nobody")
    assert isinstance(done.exception, UsageError) and "worker_id" in done.exception.hint


def test_ranks_are_turned_round(tmp_path: Path) -> None:
    """1 is the best: read as scores that rise, the worst system would lead."""
    ranks = [
        (rater, video, system, place)
        for rater in RATERS
        for video in VIDEOS
        for place, system in enumerate(SYSTEMS, 1)
    ]
    found = read_tables([file(tmp_path, "r.csv", table(["rater", "video", "system", "rank"], ranks))])
    assert {(one.system, one.value) for one in found.records} == {("bmt", 3), ("pdvc", 2), ("vid2seq", 1)}


def test_qualtrics_has_three_lines_of_heads(tmp_path: Path) -> None:
    asked = [f"{video} - {system}" for video in VIDEOS for system in SYSTEMS]
    rows = [
        [rater, 100, *(SCORES[rater, video, system] for video in VIDEOS for system in SYSTEMS)]
        for rater in RATERS
    ]
    heads = ["Rater", "Progress", *(f"Q{n}" for n in range(len(asked)))]
    imported = [f'{{"ImportId":"QID{n}"}}' for n in range(len(heads))]
    text = table(heads, [["Rater", "Progress", *asked], imported, *rows])
    found = read_tables([file(tmp_path, "q.csv", text)])
    assert scores(found) == SCORES


def test_the_scale_of_ranks_is_that_of_the_ranks(tmp_path: Path) -> None:
    ranks = [(r, v, s, place) for r in RATERS for v in VIDEOS for place, s in enumerate(SYSTEMS, 1)]
    found = read_tables([file(tmp_path, "r.csv", table(["rater", "video", "system", "rank"], ranks))])
    assert found.bounds == (1, 3) and "scale 1-3" in found.notes[0]


def test_the_id_of_a_response_names_its_rater(tmp_path: Path) -> None:
    asked = [f"{video} - {system}" for video in VIDEOS for system in SYSTEMS]
    rows = [
        ["2026-01-01", rater, *(SCORES[rater, video, system] for video in VIDEOS for system in SYSTEMS)]
        for rater in RATERS
    ]
    text = table(["StartDate", "ResponseId", *asked], rows)
    assert scores(read_tables([file(tmp_path, "q.csv", text)])) == SCORES


def test_a_pair_that_cannot_be_tested_is_named(tmp_path: Path) -> None:
    sides = random.Random(3)
    votes = [(f"w{n}", v, "bmt", "pdvc", sides.choice(("left", "right"))) for n in range(6) for v in VIDEOS]
    votes += [("w0", v, "bmt", "vid2seq", "left") for v in VIDEOS]
    path = file(tmp_path, "v.csv", table(["rater", "video", "left", "right", "choice"], votes))
    out = run(path).output
    assert "No test over raters can be made between bmt and vid2seq" in " ".join(out.split())
    assert "between bmt and pdvc" not in " ".join(out.split())


def test_a_table_without_systems_names_the_column_to_say(tmp_path: Path) -> None:
    rows = [(r, v, SCORES[r, v, "bmt"]) for r in RATERS for v in VIDEOS]
    found = read_tables([file(tmp_path, "n.csv", table(["rater", "video", "score"], rows))])
    assert "--columns system=COLUMN" in found.notes[0]
