"""The two verbs, as a shell sees them: exact JSON, exit codes, no traceback, no half file."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from storymeter.cli import main
from storymeter.formats import FORMATS

GOOD = {"results": {"v_1": [{"sentence": "a dog", "timestamp": [0, 1]}]}}


def _run(*arguments: object) -> int:
    with pytest.raises(SystemExit) as stop:
        main([str(a) for a in arguments])
    return int(stop.value.code or 0)


@pytest.fixture
def good(tmp_path: Path) -> Path:
    (tmp_path / "good.json").write_text(json.dumps(GOOD))
    return tmp_path / "good.json"


def test_json_has_the_fixed_shape(good: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bad = tmp_path / "bad.json"
    bad.write_text('{"results": {"v": [{"sentence": "x", "timestamp": [2, 1]}]}}')
    assert _run("validate", good, bad, tmp_path / "none.json", tmp_path, "--format", "json") == 1
    out = json.loads(capsys.readouterr().out)
    assert set(out) == {"schema", "files"} and out["schema"] == 1
    assert [set(f) for f in out["files"]] == [{"path", "format", "documents", "captions", "problems"}] * 4
    assert out["files"][0] == {
        "path": str(good),
        "format": "activitynet",
        "documents": 1,
        "captions": 1,
        "problems": [],
    }
    assert out["files"][1]["problems"] == [
        {
            "severity": "error",
            "code": "reversed",
            "where": "$.results.v[0].timestamp",
            "message": "the segment ends before it starts (2 to 1)",
            "count": 1,
        }
    ]
    assert [f["problems"][0]["code"] for f in out["files"][2:]] == ["unreadable", "unreadable"]


def test_exit_codes(good: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _run("validate", good) == 0
    (tmp_path / "warn.json").write_text('{"results": {"v": [{"sentence": "", "timestamp": [1, 2]}]}}')
    assert _run("validate", tmp_path / "warn.json") == 0
    assert _run("validate") == 2
    assert _run("validate", good, "--from", "activitnet") == 2
    assert "Did you mean 'activitynet'?" in capsys.readouterr().err
    assert _run("validate", good, "--id-map", "no-such") == 2
    assert _run("validate", good, "--columns", "text") == 2


def test_stdin(good: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(good.read_bytes())))
    assert _run("validate", "-") == 0
    assert "activitynet, 1 document, 1 caption" in capsys.readouterr().out


def test_convert_by_suffix_and_back(good: Path, tmp_path: Path) -> None:
    assert _run("convert", good, tmp_path / "a.jsonl") == 0
    assert _run("convert", tmp_path / "a.jsonl", tmp_path / "b.json") == 0
    assert json.loads((tmp_path / "b.json").read_text()) == GOOD


def test_convert_names_what_is_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "r.json").write_text(
        '{"v": {"duration": 9, "timestamps": [[0.1234567, 1]], "sentences": ["x"], "split": "a"}}'
    )
    assert _run("convert", tmp_path / "r.json", tmp_path / "r.srt") == 0
    assert "durations, other keys of documents, fractions of 0.001 s" in capsys.readouterr().err
    (tmp_path / "map.csv").write_text("v,7\n")
    assert _run("convert", tmp_path / "r.json", tmp_path / "r.txt", "--id-map", tmp_path / "map.csv") == 0
    assert (tmp_path / "r.txt").read_text() == "7 x\n"
    assert "start and end" in capsys.readouterr().err


def test_convert_refuses_what_would_lose_the_meaning(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "s.json").write_text('{"a": ["one", "two"]}')
    for target in ("activitynet", "srt", "lines"):
        assert _run("convert", tmp_path / "s.json", tmp_path / "out", "--to", target) == 1
        assert "cannot hold" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_convert_asks_when_the_suffix_says_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "s.csv").write_text("id,text\n1,x\n")
    assert _run("convert", tmp_path / "s.csv", tmp_path / "s.json") == 2
    assert "--to: " in capsys.readouterr().err
    assert _run("convert", tmp_path / "s.csv", tmp_path / "s", "--to", "nothing") == 2


def test_convert_leaves_the_old_file_when_it_fails(good: Path, tmp_path: Path) -> None:
    target = tmp_path / "old.jsonl"
    target.write_text("precious")
    (tmp_path / "bad.json").write_text('{"results": {"v": [{"sentence": null}]}}')
    assert _run("convert", tmp_path / "bad.json", target, "--force") == 1
    assert target.read_text() == "precious"
    assert _run("convert", good, tmp_path) == 2
    assert sorted(p.name for p in tmp_path.iterdir()) == ["bad.json", "good.json", "old.jsonl"]


@pytest.mark.skipif(os.name == "nt" or not hasattr(os, "geteuid"), reason="POSIX permissions")
def test_convert_to_a_place_that_cannot_be_written(good: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _run("convert", good, "/proc/nowhere/x.jsonl") == 1
    assert "cannot be written" in capsys.readouterr().err


def test_half_a_character_in_another_key_is_named_not_written(
    good: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "half.json").write_text(
        '{"v": {"duration": 9.0, "timestamps": [[0, 4]], "sentences": ["a man"], "note": "\\ud800"}}'
    )
    assert _run("convert", tmp_path / "half.json", tmp_path / "out.jsonl") == 1
    assert "half of a character" in capsys.readouterr().err and not (tmp_path / "out.jsonl").exists()


def test_id_maps(good: Path, tmp_path: Path) -> None:
    (tmp_path / "map.csv").write_text("v_1,first\n")
    for rule, id in (("strip-v", "1"), ("add-v", "v_1"), (str(tmp_path / "map.csv"), "first")):
        assert _run("convert", good, tmp_path / "x.json", "--id-map", rule, "--to", "id-list", "--force") == 0
        assert json.loads((tmp_path / "x.json").read_text()) == [id]
    (tmp_path / "both.json").write_text('["v_a", "a"]')
    assert _run("validate", tmp_path / "both.json", "--id-map", "strip-v") == 1


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX systems")
def test_interrupt_leaves_no_half_file(tmp_path: Path) -> None:
    """Ctrl-C in the middle of a big conversion."""
    event = json.dumps({"sentence": "a dog runs over the grass", "timestamp": [0.0, 4.5]})
    (tmp_path / "big.json").write_text(
        '{"results": {' + ",".join(f'"v{i}": [{event}]' for i in range(150_000)) + "}}"
    )
    job = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "storymeter",
            "convert",
            str(tmp_path / "big.json"),
            str(tmp_path / "out" / "big.jsonl"),
        ],
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # a background shell hands SIGINT on as ignored
    while job.poll() is None and not (tmp_path / "out").exists():  # the folder appears when writing begins
        time.sleep(0.005)
    job.send_signal(signal.SIGINT)
    _, err = job.communicate(timeout=60)
    assert "Traceback" not in err
    left = [path.name for path in (tmp_path / "out").iterdir()]
    assert left == ["big.jsonl"] or (left == [] and job.returncode == 130)
    if left:  # it was complete before the signal came
        assert (tmp_path / "out" / "big.jsonl").read_bytes().count(b"\n") == 1 + 150_000


def test_any_terminal_can_show_any_name(tmp_path: Path) -> None:
    """A terminal that knows only ASCII, an id and a file name that are not."""
    path = tmp_path / "ü中.json"
    path.write_text('{"results": {"ü": [{"sentence": "x", "timestamp": [2, 1]}]}}', encoding="utf-8")
    for style in ("table", "json"):
        job = subprocess.run(
            [sys.executable, "-m", "storymeter", "validate", str(path), "--format", style],
            capture_output=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONIOENCODING": "ascii"},
            check=False,
        )
        assert (job.returncode, job.stderr) == (1, b"")
        assert style == "table" or json.loads(job.stdout)["files"][0]["path"] == str(path)


def test_stdout_gets_json_lines(good: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert _run("convert", good, "-") == 0
    assert capfdbinary.readouterr().out.splitlines()[-1] == b'{"doc":"v_1","text":"a dog","start":0,"end":1}'


def test_help_lists_every_format(capsys: pytest.CaptureFixture[str]) -> None:
    assert _run("convert", "--help") == 0
    shown = "".join(capsys.readouterr().out.split())  # names with a hyphen may be broken over two lines
    assert all(name in shown for name in FORMATS)
