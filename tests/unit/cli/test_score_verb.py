"""The verb as a user meets it: fixed JSON, exit codes, one clear message and never a traceback."""

from __future__ import annotations

import importlib.metadata
import json
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., tuple[int, str, str]]


def test_json_of_two_systems(run: Run, examples: Path) -> None:
    videos = examples / "videos"
    code, out, err = run(
        "score",
        str(videos / "good.json"),
        str(videos / "padded.json"),
        "--references",
        str(videos / "reference_1.json"),
        "--metric",
        "captions,words",
        "--metric",
        "coverage",
        "--format",
        "json",
    )
    result = json.loads(out)
    assert code == 0 and result["schema"] == 1
    assert [s["metric"] for s in result["systems"][1]["scores"]] == ["captions", "words", "coverage"]
    assert "12 documents have a reference, 0 missing, 0 extra, 0 empty" in err


def test_same_bytes_whatever_the_jobs(run: Run, examples: Path) -> None:
    names = ("coco_results.json", "coco_annotations.json")
    captions, references = (str(examples / "formats" / name) for name in names)
    arguments = ["score", captions, "-r", references, "-m", "bleu_4,rouge_l,cider", "--format", "json"]
    one, two = (run(*arguments, "--jobs", jobs)[1] for jobs in ("1", "2"))
    assert one == two


@pytest.mark.parametrize("style", ["table", "csv", "latex", "markdown", "html"])
def test_every_style_prints(run: Run, examples: Path, style: str) -> None:
    code, out, _ = run("score", str(examples / "videos" / "good.json"), "-m", "captions", "--format", style)
    assert code == 0 and "captions" in out


def test_files_of_one_name_are_told_apart(run: Run, examples: Path, tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "out.json").write_bytes((examples / "videos" / "good.json").read_bytes())
    _, out, _ = run(
        "score",
        str(tmp_path / "a/out.json"),
        str(tmp_path / "b/out.json"),
        "-m",
        "captions",
        "--format",
        "json",
    )
    assert [s["name"] for s in json.loads(out)["systems"]] == ["a/out", "b/out"]


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["score", "nowhere.json", "-m", "captions"], 1, "nowhere.json"),
        (["score", "{good}", "-m", "capitons"], 2, "captions"),
        (["score", "{good}", "-m", "captions", "--protocol", "papr"], 2, "paper"),
        (["score", "{good}", "-m", "captions(x=1)"], 2, "no option"),
        (["score", "{good}", "-m", "captions", "--per-document", "x.docx"], 2, ".csv"),
        (["score", "{good}", "-m", "captions", "--columns", "video"], 2, "--columns"),
        (["score", "{good}", "-m", "bleu_4"], 2, "references"),
        (["score", "{good}", "-m", "captions", "--per-document", "{good}/x.csv"], 1, "cannot be written"),
        (["compare", "{good}", "-m", "captions"], 2, "two systems"),
        (["score"], 2, "CANDIDATES"),
        (["scor"], 2, "scor"),
    ],
)
def test_trouble_is_said_clearly(
    run: Run, examples: Path, arguments: list[str], code: int, words: str
) -> None:
    good = str(examples / "videos" / "good.json")
    got, _, err = run(*(a.replace("{good}", good) for a in arguments))
    assert got == code and words in err


def test_references_in_the_same_file_are_pointed_out(run: Run, tmp_path: Path) -> None:
    table = tmp_path / "mine.tsv"
    table.write_text(
        "video_id\tprediction\tground_truth\na\ta man rides\ta man is riding\n", encoding="utf-8"
    )
    command = f"-r {table} scores against them"
    _, _, err = run("score", str(table))
    assert command in err and "ground_truth" in err
    assert command not in run("score", str(table), "-r", str(table))[2]
    table.write_text("video_id\tprediction\na\ta man rides\n", encoding="utf-8")
    assert command not in run("score", str(table))[2]


def test_per_document_file(run: Run, examples: Path, tmp_path: Path) -> None:
    target = tmp_path / "deep" / "rows.csv"
    run("score", str(examples / "videos" / "good.json"), "-m", "captions", "--per-document", str(target))
    assert len(target.read_text().splitlines()) == 13


def test_compare_prints_a_table_and_json(run: Run, examples: Path) -> None:
    names = ("good.json", "padded.json", "reference_1.json")
    good, padded, reference = (str(examples / "videos" / name) for name in names)
    arguments = ["compare", good, padded, "-r", reference, "-m", "captions", "--resamples", "99"]
    _, out, _ = run(*arguments)
    assert "0/0/12" in out and "Documents with the largest differences" in out
    _, out, _ = run(*arguments, "--format", "json")
    assert json.loads(out)["comparisons"][0]["p_permutation"] == 0.01


def test_info_lists_the_parts_of_the_package(run: Run) -> None:
    extras = importlib.metadata.metadata("storymeter").get_all("Provides-Extra") or []
    printed = run("info", "--format", "csv")[1]
    assert all(f"part '{extra}'" in printed for extra in extras if extra not in ("all", "test", "docs"))
    assert "part 'test'" not in printed and "filelock" in printed


def test_info_names_what_is_there(run: Run) -> None:
    assert "native module" in run("info")[1]
    assert "soda-v1-multi" in run("info", "--protocols")[1]
    assert "captions per document" in run("info", "--metrics")[1]
    assert "activitynet" in run("info", "--formats")[1]
