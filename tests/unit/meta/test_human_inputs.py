"""Human scores for `storymeter meta`: one table of people and metrics, and studies without the raters who
failed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from click.testing import CliRunner
from rating_kit import campaign, write

from storymeter.captions import Rating
from storymeter.cli import cli
from storymeter.errors import DataError, UsageError
from storymeter.meta import agree

QUICK = ("--resamples", "0", "--permutations", "50")


def meta(*arguments: Any) -> Any:
    return CliRunner().invoke(cli, ["meta", *map(str, arguments)], catch_exceptions=True)


def pearson(done: Any, place: int = 0) -> float:
    assert done.exit_code == 0, done.exception
    found = json.loads(done.stdout)
    return float(found.get("levels", [found])[place]["metrics"][0]["pearson"])


@pytest.fixture
def one_table(tmp_path: Path) -> Path:
    rng = np.random.default_rng(3)
    lines = ["video,system,human,mymetric,meteor"]
    for video in range(20):
        for system in "ab":
            human = rng.normal()
            noisy = human + rng.normal()
            lines.append(f"v{video},{system},{human:.6f},{noisy:.6f},{rng.random():.6f}")
    path = tmp_path / "mine.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_one_table_of_people_and_metrics(one_table: Path) -> None:
    rows = [line.split(",") for line in one_table.read_text().splitlines()[1:]]
    human, mine, _ = np.array([row[2:] for row in rows], dtype=float).T
    wanted = float(np.corrcoef(human, mine)[0, 1])
    for arguments in ((one_table,), ("--human", one_table), ("agree", one_table)):
        done = meta(*arguments, *QUICK, "--format", "json")
        assert pearson(done) == pytest.approx(wanted, abs=1e-12)
        assert (
            "read mine.csv: human = human, metrics = mymetric, meteor, system = system, item = video"
            in done.stderr
        )
    found = agree(one_table, resamples=0, permutations=50)["human"]
    assert found.results[0].values["pearson"] == pytest.approx(wanted, abs=1e-12)
    records = [dict(zip(("clip", "model", "human", "mymetric"), row, strict=False)) for row in rows]
    assert agree(records, resamples=0, permutations=50)["human"].results[0].values[
        "pearson"
    ] == pytest.approx(wanted)


def test_systems_alone(one_table: Path, tmp_path: Path) -> None:
    path = tmp_path / "systems.csv"
    path.write_text("model,human,meteor\n" + "".join(f"s{k},{k},{k * k}\n" for k in range(5)))
    assert "--level system" in meta(path, *QUICK).exception.hint
    assert pearson(meta(path, "--level", "system", *QUICK, "--format", "json")) == pytest.approx(
        0.9589, abs=1e-4
    )


def test_which_column_is_human_is_asked(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text("video,system,x,y\n" + "".join(f"v{k},a,{k},{k % 3}\n" for k in range(9)))
    done = meta(path, *QUICK)
    assert isinstance(done.exception, UsageError)
    assert "--columns human=x" in done.exception.hint and "--columns human=y" in done.exception.hint
    assert meta(path, "--columns", "human=x", *QUICK).exit_code == 0
    with pytest.raises(DataError):
        agree(path)
    assert list(agree(path, columns={"human": "y"}, resamples=0, permutations=50)) == ["y"]


def test_one_caption_has_one_score_of_a_metric(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text("video,system,human,meteor\nv1,a,1,.5\nv1,a,2,.6\n")
    assert "row 3: meteor is 0.6 for a v1, and 0.5" in meta(path, *QUICK).exception.message


def test_no_human_scores(tmp_path: Path) -> None:
    done = meta("a.json", "b.json", "-r", "r.json")
    assert isinstance(done.exception, UsageError) and "--human FILE" in done.exception.hint


def marks(liar: bool = True) -> list[Rating]:
    """Stories s0 … s9 of two systems: honest raters like late ones; `liar` likes early ones and fails the
    tests."""
    tests = [Rating(f"s{k}", "", "r1", 1.0, "test", criterion="test") for k in range(30)]
    out = [*tests, Rating("s0", "", "r2", 1.0, "test", criterion="test")]
    for k in range(10):
        for system in "ab":
            out += [Rating(f"s{k}", system, r, 1.0 + k // 2, criterion="grounded") for r in ("r1", "r2")]
            if liar:
                out.append(Rating(f"s{k}", system, "liar", 5.0 - k % 5, criterion="grounded"))
    return [*out, Rating("s0", "", "liar", 0.0, "test", criterion="test")] if liar else out


def late(tmp_path: Path) -> Path:
    path = tmp_path / "scores.csv"
    path.write_text("system,item,mine\n" + "".join(f"{s},s{k},{k}\n" for k in range(10) for s in "ab"))
    return path


def test_a_survey_counts_without_raters_who_failed(tmp_path: Path) -> None:
    survey, scores = write(tmp_path / "s.jsonl", marks()), late(tmp_path)
    common = ("--scores", scores, *QUICK, "--format", "json")
    passed = meta("--human", survey, *common)
    honest = meta("--human", write(tmp_path / "h.jsonl", marks(liar=False)), *common)
    every = meta("--human", survey, "--accept", "all", *common)
    assert pearson(passed) == pearson(honest) != pearson(every)
    assert "by 2 of 3 raters" in passed.stderr and "1 rater failed the test questions" in passed.stderr
    assert "by 3 of 3 raters" in every.stderr


def spans() -> list[Rating]:
    """Direct scores with marked words: `blind` never marks the planted error and scores against the rest."""
    out = []
    for one in campaign(5, 20):
        text = "a dog runs"
        found = one.rater != "r4"
        meta = {"text": text, "spans": [], "missing": ""}
        if one.kind == "degraded":
            mark = {"start": 2, "end": 5, "severity": "major", "kind": "object"}
            meta |= {"planted": {"start": 2, "end": 5}, "spans": [mark] if found else []}
        value = one.value if found else 100 - one.value
        out.append(msgspec.structs.replace(one, value=value, criterion="spans", meta=meta))
    return out


def test_error_spans_are_filtered_and_standardised(tmp_path: Path) -> None:
    records = spans()
    path = write(tmp_path / "spans.jsonl", records)
    plain = [
        Rating(r.item, r.system, r.rater, r.value, r.kind, "", r.hit, r.pair, r.position, r.seconds)
        for r in records
        if r.rater != "r4"
    ]
    scores = tmp_path / "scores.csv"
    worth = {"best": 3, "middle": 2, "worst": 1, "Human-b": 4}
    lines = [f"{s},v{k},{worth[s] + k / 100}\n" for s in worth for k in range(20)]
    scores.write_text("system,item,mine\n" + "".join(lines))
    common = ("--scores", scores, *QUICK, "--format", "json")
    found = meta("--human", path, *common)
    assert pearson(found) == pearson(meta("--human", write(tmp_path / "da.jsonl", plain), *common))
    assert "of 4 of 5 raters" in found.stderr and "r4 (0 of 10)" in found.stderr
