"""What strangers put into files and options: nothing of it commands the terminal, and each mistake gets one
clear message.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., tuple[int, str, str]]

EVIL = "\x1b[31mred\x1b]0;title\x07\x9b2J\u202egnirts\r\x08"
RAW = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


@pytest.fixture
def evil(tmp_path: Path) -> Path:
    """Two systems and their references, whose ids, captions and file names hold escape sequences."""
    told = {
        f"v_{EVIL}": [{"sentence": f"a man {EVIL} runs", "timestamp": [0, 10]}],
        "other": [{"sentence": "a dog", "timestamp": [0, 5]}],
    }
    meant = {
        name: {"duration": 20.0, "timestamps": [[0, 12]], "sentences": [f"a man {EVIL} walks"]}
        for name in told
    }
    for name in ("a", "b", f"c{EVIL}"):
        (tmp_path / f"{name}.json").write_text(
            json.dumps({"version": "VERSION 1.0", "results": told, "external_data": {}})
        )
        told = {key: [{**captions[0], "sentence": f"{EVIL} he sits"}] for key, captions in told.items()}
    (tmp_path / "references.json").write_text(json.dumps(meant))
    return tmp_path


@pytest.mark.parametrize(
    "arguments",
    [
        ["score", f"c{EVIL}.json", "-r", "references.json", "-m", "rouge_l"],
        ["score", f"c{EVIL}.json", "-r", "references.json", "-m", "rouge_l", "--format", "json"],
        ["score", f"c{EVIL}.json", "-r", "references.json", "-m", "rouge_l", "--format", "markdown"],
        ["score", f"none{EVIL}.json", "-r", "references.json"],
        ["score", "a.json", "-r", "references.json", "-m", "rouge_l", "--per-document", f"rows{EVIL}.csv"],
        ["compare", "a.json", "b.json", "-r", "references.json", "-m", "rouge_l"],
        ["compare", "a.json", "b.json", "-r", "references.json", "-m", "rouge_l", "--format", "json"],
        ["show", f"v_{EVIL}", "a.json", "-r", "references.json", "-m", "soda_c(scorer=rouge_l)"],
        ["show", "missing", "a.json", "-r", "references.json"],
        ["validate", f"c{EVIL}.json"],
        ["convert", f"c{EVIL}.json", "out.jsonl"],
    ],
    ids=lambda arguments: " ".join(a for a in arguments if EVIL not in a),
)
def test_escape_sequences_never_reach_the_terminal(
    run: Run, evil: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str]
) -> None:
    monkeypatch.chdir(evil)
    code, out, err = run(*arguments)
    assert code in (0, 1) and out + err
    assert not RAW.search(out + err)


def test_a_row_of_tabs_is_a_line_whatever_the_id(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps({"v\n\t1\r": "a man runs", "w": "a dog"}))
    assert (
        run(
            "score",
            str(tmp_path / "a.json"),
            "-m",
            "distinct_1",
            "--per-document",
            str(tmp_path / "rows.tsv"),
        )[0]
        == 0
    )
    rows = (tmp_path / "rows.tsv").read_text().split("\n")
    assert len(rows) == 4 and {row.count("\t") for row in rows[:3]} == {2}


def test_json_still_says_the_same_id(run: Run, evil: Path) -> None:
    _, out, _ = run(
        "compare",
        str(evil / "a.json"),
        str(evil / "b.json"),
        "-r",
        str(evil / "references.json"),
        "-m",
        "rouge_l",
        "--format",
        "json",
    )
    assert f"v_{EVIL}" in {row["document"] for row in json.loads(out)["comparisons"][0]["most_different"]}


@pytest.mark.parametrize("name", [",", "soda_c(scorer=" * 500 + "rouge_l" + ")" * 500, "a" * 10_000])
def test_a_metric_that_is_none_is_wrong_usage(run: Run, examples: Path, name: str) -> None:
    code, out, err = run(
        "score",
        str(examples / "videos" / "good.json"),
        "-r",
        str(examples / "videos" / "reference_1.json"),
        "-m",
        name,
    )
    assert code == 2 and not out and "error:" in err and len(err) < 500


def test_a_superscript_is_no_number_of_captions(run: Run, examples: Path) -> None:
    good, reference = (str(examples / "videos" / name) for name in ("good.json", "reference_1.json"))
    code, _, err = run("stress", "pad", good, "-r", reference, "--n", "²")
    assert code == 2 and "--n cannot be" in err


def test_stdin_is_asked_for_once(run: Run) -> None:
    code, _, err = run("score", "-", "-r", "-", "-m", "rouge_l")
    assert code == 2 and "only once" in err


def test_one_file_given_twice_gives_two_names(run: Run, examples: Path) -> None:
    good = str(examples / "videos" / "good.json")
    names = [
        system["name"]
        for system in json.loads(run("score", good, good, "-m", "captions", "--format", "json")[1])["systems"]
    ]
    assert names == ["videos/good", "videos/good (2)"]


@pytest.mark.parametrize(
    "options", [["--protocols"], ["--metrics"], ["--formats"], [], ["--protocols", "--metrics"]], ids=str
)
def test_info_prints_one_json_document_or_none(run: Run, options: list[str]) -> None:
    code, out, _ = run("info", *options, "--format", "json")
    assert (code == 2 and not out) if len(options) > 1 else (code == 0 and json.loads(out)["schema"] == 1)


def test_chapters_are_compared_by_their_starts_although_the_last_is_open(run: Run, tmp_path: Path) -> None:
    (tmp_path / "clip.txt").write_text("0:00 intro\n1:00 a man runs\n2:30 the end\n")
    chapters = str(tmp_path / "clip.txt")
    code, out, _ = run("score", chapters, "-r", chapters, "-m", "start_distance", "--format", "json")
    assert code == 0 and json.loads(out)["systems"][0]["scores"][0]["value"] == 1.0
    code, _, err = run("score", chapters, "-r", chapters, "-m", "soda_c")
    assert code == 1 and "in 1 video: clip" in err


@pytest.mark.parametrize("name", ["oracle", "sample(m=1)"])
def test_what_references_measure_is_not_applied_without_them(
    run: Run, examples: Path, tmp_path: Path, name: str
) -> None:
    code, _, err = run(
        "stress", "apply", name, str(examples / "videos" / "good.json"), str(tmp_path / "out.json")
    )
    assert code == 2 and "references" in err and not list(tmp_path.iterdir())


def _program(*arguments: str, stdout: int) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-m", "storymeter", *arguments],
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    return done.returncode, done.stderr


def test_a_reader_that_has_gone_is_no_error(examples: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    code, err = _program(
        "convert", str(examples / "videos" / "good.json"), "-", "--to", "jsonl", stdout=writing
    )
    os.close(writing)
    assert (code, err) == (0, "")


def test_a_closed_stdout_gives_no_traceback(examples: Path) -> None:
    words = [
        sys.executable,
        "-m",
        "storymeter",
        "score",
        str(examples / "videos" / "good.json"),
        "-m",
        "captions",
    ]
    done = subprocess.run(
        ["sh", "-c", '"$@" >&-', "sh", *words], stderr=subprocess.PIPE, text=True, check=False
    )
    assert done.returncode == 0 and "Traceback" not in done.stderr


def test_a_fault_of_our_own_is_no_traceback_either(
    run: Run, monkeypatch: pytest.MonkeyPatch, examples: Path
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise ZeroDivisionError("by nothing")

    monkeypatch.setattr("storymeter.engine.run.Run.score", fails)
    call = ("score", str(examples / "videos" / "good.json"), "-m", "captions")
    with pytest.raises(ZeroDivisionError):
        run(*call)
    monkeypatch.delenv("STORYMETER_TRACEBACK")
    code, out, err = run(*call)
    assert (
        (code, out) == (1, "")
        and "bug in Storymeter" in err
        and "by nothing" in err
        and "storymeter info" in err
    )


@pytest.mark.parametrize(("word", "meant"), [("scroe", "score"), ("Validate", "validate")])
def test_a_verb_that_is_misspelt(run: Run, word: str, meant: str) -> None:
    code, _, err = run(word, "x.json")
    assert code == 2 and f"Did you mean '{meant}'?" in err


def test_metrics_by_the_names_of_the_papers(run: Run) -> None:
    for name, ours in (
        ("METEOR", "meteor"),
        ("BLEU-4", "bleu_4"),
        ("ROUGE-L", "rouge_l"),
        ("SODA_c", "soda_c"),
    ):
        assert f"Did you mean '{ours}'?" in run("score", "x.json", "-m", name)[2]


def test_ids_that_differ_by_an_ending_get_the_map_that_takes_it_off(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"v1.mp4": "a man runs"}')
    (tmp_path / "b.json").write_text('{"v1": "a man runs"}')
    arguments = ["score", str(tmp_path / "a.json"), "-r", str(tmp_path / "b.json"), "-m", "rouge_l"]
    code, _, err = run(*arguments)
    assert code == 1 and "--id-map strip-ext" in err
    assert run(*arguments, "--id-map", "strip-ext")[0] == 0


def test_no_list_of_verbs_breaks_off_in_a_sentence(run: Run) -> None:
    for group in ([], ["human"], ["meta"], ["stress"], ["train"]):
        assert "...\n" not in run(*group, "--help")[1].partition("Commands:")[2]


def test_long_work_that_cannot_say_how_far_it_is_turns_a_wheel(monkeypatch: pytest.MonkeyPatch) -> None:
    import io
    import time

    from storymeter.cli._options import busy

    class Screen(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", screen := Screen())
    with busy("short", patience=5):
        pass
    assert not screen.getvalue()
    with busy("reading [bold]", patience=0.01):
        deadline = time.monotonic() + 10
        while "reading" not in screen.getvalue() and time.monotonic() < deadline:
            time.sleep(0.02)
    assert "reading [bold]" in screen.getvalue()
