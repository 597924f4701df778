"""The means of captions that TRECVID and WMT publish (`SYS,SID,RAW.SCR,Z.SCR,N`): figure 7 in one command."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from rating_kit import read

from storymeter.errors import DataError

ROWS = [("good", k, 60 + k, 0.5 + k / 10) for k in range(8)] + [("bad", k, 40 + k, k / 40) for k in range(8)]
CSV = "SYS,SID,RAW.SCR,Z.SCR,N\n" + "".join(f"{s},{k},{raw},{z},2\n" for s, k, raw, z in ROWS)

Verb = Callable[..., tuple[int, str, str]]


@pytest.fixture
def published(tmp_path: Path) -> Path:
    path = tmp_path / "ad-seg-scores.csv"
    path.write_text(CSV, encoding="utf-8")
    return path


def test_figure_7_is_one_command(published: Path, run: Verb) -> None:
    code, out, err = run("human", "analyse", str(published), "--format", "json")
    assert code == 0, err
    found = json.loads(out)
    [pair] = found["significance"]
    assert (pair["better"], pair["worse"]) == ("good", "bad")
    z = {s: [row[3] for row in ROWS if row[0] == s] for s in ("good", "bad")}
    stats = pytest.importorskip("scipy.stats", reason="scipy is not installed")
    expected = stats.mannwhitneyu(z["good"], z["bad"], alternative="greater", method="asymptotic").pvalue
    assert pair["p"] == pytest.approx(expected)
    assert any("16 captions (32 ratings)" in note for note in found["notes"])
    assert {s["name"]: (s["raw"], s["captions"], s["n"]) for s in found["systems"]} == {
        "good": (63.5, 8, 16),
        "bad": (43.5, 8, 16),
    }
    assert (found["ratings"], found["workers"], found["raters_used"], found["cost"]) == (32, [], None, None)


def test_nothing_is_said_of_raters_who_are_not_in_the_file(
    published: Path, tmp_path: Path, run: Verb
) -> None:
    page = tmp_path / "page.html"
    code, out, err = run("human", "analyse", str(published), "--html", str(page))
    assert code == 0, err
    html = page.read_text(encoding="utf-8")
    for words in ("1 rater", "(not published)", "streak", "control pairs", "USD"):
        assert words not in out + err, words
        assert words not in html, words


@pytest.mark.parametrize("form", [lambda line: line.replace(",", " ") + " ", lambda line: line + ",0"])
def test_the_files_of_wmt_and_of_many_raters_are_read(
    tmp_path: Path, form: Callable[[str], str], published: Path, run: Verb
) -> None:
    """With blanks, and with the HIT of each caption."""
    other = tmp_path / "other.csv"
    lines = CSV.splitlines()
    other.write_text("\n".join([form(lines[0]).replace(",0", ",HIT"), *map(form, lines[1:])]) + "\n")
    first, second = (run("human", "analyse", str(path), "--format", "json") for path in (published, other))
    assert first[0] == second[0] == 0, second[2]
    assert json.loads(first[1])["systems"] == json.loads(second[1])["systems"]


def test_a_sample_of_captions_is_no_lack(tmp_path: Path, run: Verb) -> None:
    """Captions of a system that nobody rated are not missing."""
    sample = tmp_path / "sample.csv"
    sample.write_text("\n".join(line for line in CSV.splitlines() if not line.startswith(("bad,1", "bad,2"))))
    code, _, err = run("human", "analyse", str(sample))
    assert code == 0 and "captions of 6" not in err
    code, _, err = run("human", "analyse", str(sample), "--missing", "worst")
    assert code and "which captions a system lacks is not in it" in " ".join(err.split())


def test_the_file_that_captions_writes_is_read_again(published: Path, tmp_path: Path, run: Verb) -> None:
    again = tmp_path / "again.csv"
    assert run("human", "analyse", str(published), "--captions", str(again))[0] == 0
    values = [read(path).value.tolist() for path in (published, again)]
    assert sorted(values[0]) == pytest.approx(sorted(values[1]))
    lines = again.read_text(encoding="utf-8").splitlines()
    assert sorted(lines[1:]) == sorted(f"{s},{k},{float(raw)},{z},2" for s, k, raw, z in ROWS)


def test_raw_means_that_are_not_published_are_not_known(tmp_path: Path, run: Verb) -> None:
    path = tmp_path / "z.csv"
    path.write_text("".join(re.sub(r"(,\d+),\d+,", r"\1,NA,", line) + "\n" for line in CSV.splitlines()))
    code, out, err = run("human", "analyse", str(path), "--format", "json")
    assert code == 0, err
    assert [s["raw"] for s in json.loads(out)["systems"]] == [None, None]


def test_table_5_is_one_command(published: Path, tmp_path: Path, run: Verb) -> None:
    other = tmp_path / "other.csv"
    other.write_text("SYS,SID,RAW.SCR,Z.SCR,N\ngood,all,70,.9,9\nbad,all,30,-.1,9\n")
    code, _, err = run("human", "analyse", str(published), "--replicates", str(other))
    assert code == 0 and "Replication over 2 systems" in err


@pytest.mark.parametrize("number", ["-3", "0", "nan", "inf", "1.5", "", "many"])
def test_a_number_of_ratings_is_a_whole_number(tmp_path: Path, number: str) -> None:
    path = tmp_path / "odd.csv"
    path.write_text(f"{CSV}good,99,50,0.5,{number}\n")
    with pytest.raises(DataError, match="1 ratings cannot be read: line 18"):
        read(path)


def test_z_means_and_ratings_are_not_mixed(published: Path, tmp_path: Path) -> None:
    ours = tmp_path / "ratings.jsonl"
    ours.write_text('{"item": "a", "system": "x", "rater": "r", "value": 50, "kind": "system"}\n')
    with pytest.raises(DataError, match="z-scores of captions"):
        read([published, ours])


def test_help_of_make_clips_writes_nothing(tmp_path: Path) -> None:
    pytest.importorskip("av", reason="the part 'human' is not installed")
    script = Path(__file__).resolve().parents[3] / "examples" / "make_clips.py"
    here = tmp_path / "examples"
    here.mkdir()
    (here / "make_clips.py").write_text(script.read_text(encoding="utf-8"), encoding="utf-8")
    done = subprocess.run([sys.executable, here / "make_clips.py", "--help"], capture_output=True, text=True)
    assert done.returncode == 0
    assert "usage:" in done.stdout
    assert [*tmp_path.rglob("*")] == [here, here / "make_clips.py"]
