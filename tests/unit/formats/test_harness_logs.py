"""Logs that harnesses wrote (lmms-eval 0.7.3, VLMEvalKit as ms-vlmeval 0.0.20, Inspect 0.3.285) are read as
they are. The files were made by running the harnesses on three videos with answers written beforehand.
"""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import storymeter
from storymeter.cli import cli
from storymeter.formats import examine

LOGS = Path(__file__).parents[2] / "golden" / "harness_logs"
TIMED = {"v_a": [(0, 5, "A dog runs."), (5, 9, "It jumps.")], "v_b": [(0, 5, "A cat.")], "v_c": []}
NO_ARROW = importlib.util.find_spec("pyarrow") is None


def content(name: str, role: str = "candidates") -> dict[str, list[tuple[float | None, float | None, str]]]:
    corpus = examine(LOGS / name, role=role).require()  # type: ignore[arg-type]
    found: dict[str, list[tuple[float | None, float | None, str]]] = {}
    for document in corpus:
        found.setdefault(document.id, []).extend((c.start, c.end, c.text) for c in document.captions)
    return found


@pytest.mark.parametrize(
    "name",
    [
        "lmms_eval_activitynet.jsonl",
        "vlm_video.xlsx",
        "vlm_video.tsv",
        "vlm_video.csv",
        "vlm_video.json",
        "inspect.json",
        pytest.param("inspect.eval", marks=pytest.mark.skipif(NO_ARROW, reason="needs pyarrow (Zstandard)")),
    ],
)
def test_answers_with_times(name: str) -> None:
    assert content(name) == TIMED
    with pytest.warns(storymeter.errors.StorymeterWarning, match="1 of 3 answers hold no caption"):
        storymeter.read(LOGS / name, role="candidates")


def test_single_captions() -> None:
    coco = {"a": "A man rides a horse.", "b": "A cat.", "c": "bus"}
    for name in ("vlm_coco.xlsx", "vlm_coco.tsv"):
        assert content(name) == {id: [(None, None, text)] for id, text in coco.items()}
        references = content(name, "references")
        assert references["a"] == [(None, None, "A man rides."), (None, None, "A man's horse.")]
    assert content("lmms_eval_msrvtt.jsonl") == {"m1": [(None, None, "a man rides")]}
    chinese = content("lmms_eval_vatex_zh.jsonl")
    assert chinese["z0"] == [(None, None, "一只狗在跑")] and len(chinese) == 3


def test_segments_of_a_video_are_its_captions() -> None:
    assert content("lmms_eval_youcook2.jsonl") == {
        "v_a": [(0, 5, "A dog runs."), (5, 9, "The dog jumps.")],
        "v_b": [(0, 5, "A cat.")],
    }


def test_row_numbers_name_the_options(tmp_path: Path) -> None:
    """A log with nothing but doc_id: the message names --id-from and the table, and both work."""
    log, references = LOGS / "lmms_eval_doc_id.jsonl", tmp_path / "people.csv"
    references.write_text("video_id,caption\nv1,A dog runs.\nv2,A dog jumps.\nv3,A cat.\n")
    score = ["score", str(log), "-r", str(references), "-m", "meteor", "--resamples", "0", "--format", "json"]
    failed = CliRunner().invoke(cli, score)
    assert isinstance(failed.exception, storymeter.errors.DataError)
    hint = failed.exception.hint
    assert "doc_id counts the rows" in hint and "--id-from FIELD" in hint and "`0,v1`" in hint
    (tmp_path / "ids.csv").write_text("doc_id,id\n0,v1\n1,v2\n2,v3\n")
    done = CliRunner().invoke(cli, [*score, "--id-map", str(tmp_path / "ids.csv")])
    assert json.loads(done.stdout)["systems"][0]["coverage"]["matched"] == 3
    table = tmp_path / "log.jsonl"
    rows = [json.loads(line) | {"of": {"clip": f"v{k}"}} for k, line in enumerate(log.open(), 1)]
    table.write_text("\n".join(map(json.dumps, rows)))
    done = CliRunner().invoke(cli, [score[0], str(table), *score[2:], "--id-from", "of.clip"])
    assert json.loads(done.stdout)["systems"][0]["coverage"]["matched"] == 3


def test_an_object_in_place_of_an_id_names_the_option(tmp_path: Path) -> None:
    """With a column of answers named by hand, `doc` was taken for the id, and the error named no way out."""
    log = tmp_path / "log.jsonl"
    rows = [{"doc": {"clip": key}, "filtered_resps": ["0:00 - 0:05: A dog runs."]} for key in "ab"]
    log.write_text("\n".join(map(json.dumps, rows)))
    failed = CliRunner().invoke(cli, ["validate", str(log), "--columns", "answer=filtered_resps"])
    assert "--columns video=FIELD.clip names the id in it" in failed.output + str(failed.exception)
    done = CliRunner().invoke(
        cli, ["validate", str(log), "--columns", "answer=filtered_resps,video=doc.clip"]
    )
    assert done.exit_code == 0 and "2 documents, 2 captions" in done.output


def test_one_reversed_segment_does_not_stop_a_log(tmp_path: Path) -> None:
    rows = [
        {"doc": {"video_id": "a"}, "filtered_resps": ["0:09 - 0:07: It jumps.\n0:00 - 0:05: A dog runs."]}
    ]
    rows.append({"doc": {"video_id": "b"}, "filtered_resps": ["0:00 - 0:05: A cat."]})
    path = tmp_path / "log.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    reading = examine(path)
    assert [len(d.captions) for d in reading.require()] == [1, 1]
    assert [(p.code, p.where) for p in reading.problems] == [("skipped-times", "line 1, answer line 1")]
    assert [len(d.captions) for d in examine(path, repair=True).require()] == [2, 1]


def test_a_zip_that_is_no_log_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "log.eval"
    path.write_bytes((LOGS / "inspect.eval").read_bytes()[:3000])
    reading = examine(path)
    assert reading.errors and "zip" in reading.errors[0].message
