"""The verbs of `storymeter human` as an organiser meets them."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import human_kit
import pytest
from click.testing import CliRunner, Result
from human_kit import HERE, Folder, Store, ranking

from storymeter.captions import Rating
from storymeter.cli import cli
from storymeter.errors import StorymeterError


def run(*words: object) -> Result:
    return CliRunner().invoke(cli, ["human", *map(str, words)])


def new(folder: Path, *more: object, systems: tuple[str, ...] = ("careful", "vague", "confused")) -> Result:
    return run(
        "new",
        folder,
        "--systems",
        *(HERE / f"{name}.json" for name in systems),
        "--human",
        HERE / "human.json",
        "--clips",
        HERE / "clips",
        "--system-per-block",
        2,
        *more,
    )


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example campaign, answered by bots through the real server."""
    folder = tmp_path_factory.mktemp("demo") / "study"
    assert run("demo", "--dir", folder, "--no-open").exit_code == 0
    done = run(
        "simulate", folder, "--raters", 8, "--mix", "honest=.75,random=.25", "--seed", 4, "--format", "json"
    )
    assert done.exit_code == 0, done.output
    assert [row["ended"] for row in json.loads(done.stdout)["rows"]] == ["done"] * 8
    return folder


def test_three_commands(tmp_path: Path) -> None:
    made = new(tmp_path / "study")
    assert made.exit_code == 0, made.output
    assert "cost" in made.stdout and {
        "campaign.json",
        "key.jsonl",
        "secrets.json",
        "links.csv",
        "campaign.db",
    } <= {p.name for p in (tmp_path / "study").iterdir()}
    again = new(tmp_path / "study")
    assert isinstance(again.exception, StorymeterError) and "already holds" in again.exception.message


def test_where_nothing_can_be_written_the_database_stays_empty(tmp_path: Path) -> None:
    (tmp_path / "study" / "secrets.json.tmp").mkdir(parents=True)
    error = new(tmp_path / "study", "--db", f"sqlite:///{tmp_path / 'answers.db'}").exception
    assert isinstance(error, StorymeterError) and "cannot be written" in error.message
    assert not (tmp_path / "answers.db").exists()
    wrong = new(tmp_path / "other", "--db", "mysql://nowhere/answers")
    assert isinstance(wrong.exception, StorymeterError) and not list((tmp_path / "other").iterdir())


def test_dry_run_prints_every_problem_and_writes_nothing(tmp_path: Path) -> None:
    clips = tmp_path / "clips"
    clips.mkdir()
    for path in (HERE / "clips").iterdir():
        (clips / path.name).write_bytes(path.read_bytes())
    (clips / "clip-03.webm").unlink()
    (clips / "clip-05.webm").write_bytes(b"")
    (clips / "clip-07.webm").write_bytes(b"this is no film")
    (clips / "clip-09.webm").write_bytes((clips / "clip-09.webm").read_bytes()[:120])
    result = run(
        "new",
        tmp_path / "study",
        "--systems",
        HERE / "careful.json",
        HERE / "vague.json",
        HERE / "confused.json",
        "--human",
        HERE / "human.json",
        "--clips",
        clips,
        "--blocks",
        2,
        "--system-per-block",
        4,
        "--dry-run",
    )
    assert result.exit_code == 1 and not (tmp_path / "study").exists()
    for expected in (
        "clip-03: no clip",
        "clip-05: clip-05.webm is empty",
        "clip-07: clip-07.webm does not decode",
        "clip-09: clip-09.webm",
        "4 problems",
    ):
        assert expected in result.stderr, expected
    assert "USD" in result.stdout
    two = ["new", tmp_path / "study", "--systems", HERE / "careful.json", HERE / "vague.json"]
    two += ["--human", HERE / "human.json", "--clips", clips, "--blocks", 2, "--system-per-block", 4]
    refused = run(
        *two,
    )
    assert isinstance(refused.exception, StorymeterError) and not (tmp_path / "study").exists()
    skipped = run(
        *two,
        "--skip-bad",
    )
    lines = (tmp_path / "study" / "key.jsonl").read_text().splitlines()
    assert skipped.exit_code == 0 and "clip-03" not in {json.loads(line)["item"] for line in lines}


def test_overlap_is_the_default_is_priced_and_its_lack_is_said(tmp_path: Path) -> None:
    dry = new(tmp_path / "dry", "--dry-run")
    text = " ".join(dry.stdout.split())
    # 36 captions of three systems, three times, over 20 in a HIT: 6 HITs
    assert "6 of 50, 1 rater each: 6 assignments" in text
    assert re.search(r"overlap [3-9]\.\d raters for each caption on average", text), text
    assert re.search(r"pay [\d.]+ USD per HIT of about 9 minutes, 8\.\d\d USD per hour", text), text
    assert "WARNING" not in dry.stderr
    paper = ("--dry-run", "--price", ".99", "--fee", ".2")
    twice = " ".join(new(tmp_path / "dry", *paper, "--overlap", 6).stdout.split())
    assert "11 of 50" in twice and "11 x 0.99 USD + 20% fee = 13.07 USD" in twice
    one = new(tmp_path / "dry", "--dry-run", "--hits", 1)
    assert "WARNING: a caption gets 1.0 raters on average" in " ".join(one.stderr.split())


def test_raters_who_never_watch_can_be_rehearsed(tmp_path: Path) -> None:
    folder = tmp_path / "study"
    assert new(folder, "--hits", 4, "--seed", 1).exit_code == 0
    done = run(
        "simulate", folder, "--raters", 4, "--mix", "honest=.5,fluent=.25,twins=.25", "--format", "json"
    )
    assert [row["ended"] for row in json.loads(done.stdout)["rows"]] == ["done"] * 4, done.output


def test_a_hit_that_cannot_be_filled_says_so(tmp_path: Path) -> None:
    result = run(
        "new",
        tmp_path / "study",
        "--systems",
        HERE / "careful.json",
        "--human",
        HERE / "human.json",
        "--clips",
        HERE / "clips",
    )
    assert (
        isinstance(result.exception, StorymeterError)
        and "cannot be filled" in result.exception.message
        and not (tmp_path / "study").exists()
    )


def test_status(demo: Path) -> None:
    seen = json.loads(run("status", demo, "--format", "json").stdout)
    assert (
        seen["schema"] == 1
        and seen["seats"] == {"total": 30, "done": 8, "active": 0, "held": 0, "free": 22, "abandoned": 0}
        and seen["ratings"] == 400
    )
    assert (
        all(rater["pairs"] == 10 for rater in seen["raters"])
        and sum(rater["accepted"] for rater in seen["raters"]) >= 6
    )
    assert "8 of 30 assignments done" in run("status", demo).stdout


def test_exports(demo: Path, tmp_path: Path) -> None:
    import msgspec

    lines = run("export", demo, "--format", "jsonl").stdout.splitlines()
    found = [msgspec.json.decode(line, type=Rating) for line in lines]
    assert (
        len(found) == 400
        and {r.kind for r in found} == {"system", "repeat", "degraded", "human"}
        and all(r.rater.startswith("r") for r in found)
    )
    rows = list(csv.DictReader(io.StringIO(run("export", demo, "--format", "csv").stdout)))
    assert [float(row["value"]) for row in rows] == [r.value for r in found]
    wmt = run("export", demo, "--format", "wmt").stdout.splitlines()
    assert wmt[0].split() == [
        "HITId",
        "WorkerId",
        "src",
        "trg",
        "item",
        "hit",
        "sys_id",
        "rid",
        "type",
        "sid",
        "score",
        "time",
    ]
    assert len(wmt) == 401 and {line.split("\t")[8] for line in wmt[1:]} == {
        "SYSTEM",
        "REPEAT",
        "REF",
        "BAD_REF",
    }
    appraise = list(csv.reader(io.StringIO(run("export", demo, "--format", "appraise").stdout)))
    assert len(appraise) == 400 and {row[3] for row in appraise} == {"TGT", "CHK", "REF", "BAD"}
    run("export", demo, "--format", "jsonl", "--out", tmp_path / "out.jsonl")
    assert (tmp_path / "out.jsonl").read_text().splitlines() == lines


@pytest.mark.parametrize("style", ["jsonl", "csv", "wmt", "appraise"])
def test_exports_are_read_back_by_the_analysis(demo: Path, tmp_path: Path, style: str) -> None:
    out = tmp_path / f"ratings.{style}"
    run("export", demo, "--format", style, "--out", out)
    result = json.loads(run("analyse", out, "--format", "json").stdout)
    assert [s["name"] for s in result["systems"] if s["name"] in ("careful", "vague", "confused")] == [
        "careful",
        "vague",
        "confused",
    ]
    assert (
        len(result["workers"]) == 8
        and sum(w["accepted"] for w in result["workers"]) >= 6
        and all(w["pairs"] == 10 for w in result["workers"])
    )


def test_the_same_seed_gives_the_same_answers(tmp_path: Path) -> None:
    texts = []
    for name in ("one", "two"):
        folder = tmp_path / name
        assert run("demo", "--dir", folder, "--no-open").exit_code == 0
        assert run("simulate", folder, "--raters", 3, "--mix", "honest=1", "--seed", 9).exit_code == 0
        found = [json.loads(line) for line in run("export", folder, "--format", "jsonl").stdout.splitlines()]
        texts.append(
            [
                (
                    r["item"],
                    r["system"],
                    r["rater"],
                    r["value"],
                    r["kind"],
                    r["hit"],
                    r["pair"],
                    r["position"],
                )
                for r in found
            ]
        )
    assert texts[0] == texts[1] and len(texts[0]) == 150


def test_verify_and_close(tmp_path: Path) -> None:
    folder = tmp_path / "study"
    run("demo", "--dir", folder, "--no-open")
    rows = json.loads(run("simulate", folder, "--raters", 1, "--mix", "honest", "--format", "json").stdout)[
        "rows"
    ]
    code = rows[0]["code"]
    first, again, unknown = (
        run("verify", folder, code),
        run("verify", folder, code.lower()),
        run("verify", folder, "AAAAA-AAAAA"),
    )
    assert (first.exit_code, again.exit_code, unknown.exit_code) == (0, 1, 1)
    assert "good" in first.stdout and "used before" in again.stdout and "unknown" in unknown.stdout
    assert (
        run("close", folder).exit_code == 0
        and json.loads(run("status", folder, "--format", "json").stdout)["state"] == "closed"
    )
    assert (
        run("close", folder, "--reopen").exit_code == 0
        and json.loads(run("status", folder, "--format", "json").stdout)["state"] == "open"
    )


@pytest.mark.parametrize("platform", ["mturk", "prolific"])
def test_platform_campaigns_are_rehearsed_and_reviewed(tmp_path: Path, platform: str) -> None:
    folder = tmp_path / "study"
    assert new(folder, "--platform", platform, "--completion-code", "ABC", "--hits", 4).exit_code == 0
    assert (
        run("simulate", folder, "--raters", 4, "--mix", "honest=.5,constant=.5", "--seed", 2).exit_code == 0
    )
    rows = list(csv.DictReader(io.StringIO(run("export", folder, "--format", platform).stdout)))
    assert len(rows) == 4
    accepted = (
        [bool(row["Approve"]) for row in rows]
        if platform == "mturk"
        else [row["action"] == "APPROVE" for row in rows]
    )
    assert accepted == [True, True, False, False]
    plain = run("export", folder, "--format", "jsonl").stdout
    assert "rehearsal" not in plain.lower(), "pseudonyms by default"
    real = json.loads(run("export", folder, "--format", "jsonl", "--real-ids").stdout.splitlines()[0])[
        "rater"
    ]
    assert real.startswith("AREHEARSAL") if platform == "mturk" else re.fullmatch("[0-9a-f]{24}", real)
    assert isinstance(
        run("export", folder, "--format", "prolific" if platform == "mturk" else "mturk").exception,
        StorymeterError,
    )


def test_preference_with_test_questions(tmp_path: Path) -> None:
    folder = tmp_path / "study"
    made = run(
        "new",
        folder,
        "--task",
        "preference",
        "--systems",
        HERE / "careful.json",
        HERE / "confused.json",
        "--clips",
        HERE / "clips",
        "--tests",
        HERE / "questions.json",
        "--per-hit",
        6,
        "--raters-per-hit",
        3,
    )
    assert made.exit_code == 0, made.output
    assert (
        run("simulate", folder, "--raters", 6, "--mix", "honest=.67,random=.33", "--seed", 1).exit_code == 0
    )
    found = [json.loads(line) for line in run("export", folder).stdout.splitlines()]
    told = [r for r in found if r["criterion"] == "preference" and r["kind"] != "repeat"]
    assert (
        len(told) == 36
        and {r["system"] for r in told} == {"careful"}
        and {r["meta"]["against"] for r in told} == {"confused"}
    )
    honest = [r["value"] for r in told if r["rater"] in ("r001", "r002", "r003", "r004")]
    assert sum(value < 0 for value in honest) > 0.9 * len(honest), (
        "careful is better, whichever side it stood on"
    )
    assert {r["value"] for r in found if r["kind"] == "test" and r["rater"] == "r001"} == {1.0}


def test_mistakes_are_said(tmp_path: Path) -> None:
    for words in (
        ("status", tmp_path),
        ("export", tmp_path),
        ("serve", tmp_path),
        ("verify", "AAAAA-AAAAA"),
        ("simulate", tmp_path),
    ):
        error = run(*words).exception
        assert isinstance(error, StorymeterError) and error.hint, words
    run("demo", "--dir", tmp_path / "d", "--no-open")
    for more in (("--mix", "saints=1"), ("--mix", "honest=x"), ("--mix", "honest=-1"), ("--raters", "1000")):
        error = run("simulate", tmp_path / "d", *more).exception
        assert isinstance(error, StorymeterError) and error.hint, more
    settings = tmp_path / "d" / "campaign.json"
    settings.write_bytes(
        settings.read_bytes().replace(b'"title": "', '"title": "Präferenz '.encode("latin-1"))
    )  # an editor that does not know UTF-8
    error = run("status", tmp_path / "d").exception
    assert isinstance(error, StorymeterError) and "UTF-8" in error.hint


def test_the_design_needs_no_web_server() -> None:
    """`storymeter.human.campaign.design` works where the optional part is not installed; the server says what
    to install."""
    code = (
        "import sys\nfor name in ('httptools', 'uvicorn', 'sqlalchemy', 'alembic', 'aiohttp', 'av',"
        " 'starlette'):\n    sys.modules[name] = None\n"
        "from storymeter.human.campaign import degrade, design, export, organise, record\n"
        "from storymeter.human import study\nfrom storymeter.cli import main\nmain(['human',"
        f" 'status', {str(HERE)!r}])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 1 and "storymeter[human]" in done.stderr and "Traceback" not in done.stderr, (
        done.stderr
    )


def test_human_kit_is_small(clips: Path) -> None:
    assert (
        max(path.stat().st_size for path in (HERE / "clips").iterdir()) < 5000
        and len(list((HERE / "clips").iterdir())) == 12
    )
    assert human_kit.SMALL.size == 20


def test_the_dashboard_and_analyse_leave_out_the_same_raters(demo: Path, tmp_path: Path) -> None:
    home = Folder(shutil.copytree(demo, tmp_path / "study"))
    store = Store(home.database)
    rater = store.raters()[0]["id"]
    before = [row["value"] for row in ranking(home, store)["rows"]]
    assert store.hold(rater, "<b>copies</b>", time.time()).result()
    shown = ranking(home, store)
    analysed = json.loads(run("analyse", home.path, "--format", "json", "--splits", 0).stdout)
    mine = {row["system"]: row["value"] for row in shown["rows"]}
    assert mine == pytest.approx({s["name"]: s["z"] for s in analysed["systems"]})
    assert list(mine.values()) != before
    assert shown["notes"][0] in analysed["notes"] and rater in shown["notes"][0]
    for row in store.raters()[1:]:
        store.hold(row["id"], "all", time.time()).result()
    assert ranking(home, store)["rows"] == [] and "Nobody's" in ranking(home, store)["notes"][0]
    store.close()
