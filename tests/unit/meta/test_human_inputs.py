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
    assert (
        "by 2 of 3 raters" in passed.stderr
        and "1 rater failed the test questions and was left out" in passed.stderr
    )
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


def rated_stories(folder: Path) -> tuple[list[Path], Path, Path]:
    """Two systems on twelve items, three whole stories as references of each, and a survey of four marks."""
    rng = np.random.default_rng(5)
    words = ["dog", "cat", "park", "beach", "house", "tree", "bride", "game", "food", "boat"]

    def story() -> str:
        drawn = [" ".join(rng.choice(words, 4)) for _ in range(3)]
        return " . ".join(f"the {sentence}" for sentence in drawn) + " ."

    items = [f"720{k:04d}" for k in range(12)]
    files = [folder / f"{system}.json" for system in "ab"]
    for file in files:
        file.write_text(json.dumps({item: story() for item in items}))
    references = folder / "references.json"
    references.write_text(json.dumps({item: [story() for _ in range(3)] for item in items}))
    ratings = [
        Rating(item, system, f"r{k}", float(rng.integers(1, 6)), criterion=criterion)
        for item in items
        for system in "ab"
        for criterion in ("grounded", "coherent", "no_repetition")
        for k in range(2)
    ]
    return files, references, write(folder / "survey.jsonl", ratings)


def test_table_1_has_all_criteria_side_by_side(tmp_path: Path) -> None:
    """A row per metric, rho, r and tau for each criterion; the last row has RoViST's parts with their own."""
    survey, scores = write(tmp_path / "s.jsonl", marks(liar=False)), tmp_path / "scores.csv"
    metrics = ("rovist_vg", "rovist_c", "rovist_nr", "rovist")
    rng = np.random.default_rng(1)
    lines = [f"{s},s{k}," + ",".join(map(str, rng.random(4))) for k in range(10) for s in "ab"]
    scores.write_text("\n".join(["system,item," + ",".join(metrics), *lines]) + "\n")
    records = [json.loads(line) for line in survey.read_text().splitlines()]
    more = [
        {**r, "criterion": c}
        for c in ("coherent", "no_repetition")
        for r in records
        if r["criterion"] == "grounded"
    ]
    survey.write_text("".join(json.dumps(r) + "\n" for r in [*records, *more]))
    done = meta("--human", survey, "--scores", scores, *QUICK, "--format", "json")
    levels = {level["title"].split(", ")[1]: level["metrics"] for level in json.loads(done.stdout)["levels"]}
    table = meta("--human", survey, "--scores", scores, *QUICK, "--format", "csv", "--layout", "criteria")
    head, *rows = (line.split(",") for line in table.stdout.splitlines())
    criteria = ["grounded", "coherent", "no_repetition", "overall"]
    assert head == ["metric", *(f"{name} {what}" for name in criteria for what in ("rho", "r", "tau-b"))]
    assert [row[0] for row in rows] == [*metrics, "rovist (-vg/-c/-nr)"]
    for place, (criterion, metric) in enumerate(zip(criteria, metrics, strict=True)):
        (own,) = [one for one in levels[criterion] if one["metric"] == metric]
        wanted = [own["spearman"], own["pearson"], own["kendall_b"]]
        cells = [list(map(float, row[1 + 3 * place : 4 + 3 * place])) for row in (rows[place], rows[-1])]
        assert cells == [wanted, wanted]
    page = tmp_path / "page.html"
    shown = meta("--human", survey, "--scores", scores, *QUICK, "--html", page)
    html = page.read_text()
    assert "<h1>Agreement of metrics with human scores: s</h1>" in html
    assert html.index("Agreement by criterion") < html.index("s, grounded: segment level")
    assert html.count("<dt>rho</dt>") == 1, "what a word means is said once"
    assert len(shown.stdout.splitlines()) < 50 and "Agreement by criterion" in shown.stdout
    assert (
        "Metrics compared" in meta("--human", survey, "--scores", scores, *QUICK, "--layout", "full").stdout
    )


def test_the_curve_over_references_has_intervals(tmp_path: Path) -> None:
    files, references, survey = rated_stories(tmp_path)
    common = (*files, "-r", references, "--human", survey, "-m", "bleu_1,rovist_nr", "--reference-curve")
    asked = (*common, "kendall_b", "--resamples", 50, "--permutations", 50)
    done = meta(*asked, "--format", "json")
    assert done.exit_code == 0, done.exception
    curve = json.loads(done.stdout)["levels"][0]["reference_curve"]
    assert curve["n"] == {"bleu_1": [24] * 3, "rovist_nr": [24] * 3}, (
        "three references, not one of many sentences"
    )
    for metric, values in curve["values"].items():
        for value, (low, high) in zip(values, curve["intervals"][metric], strict=True):
            assert low <= value <= high
    assert len(set(curve["values"]["rovist_nr"])) == 1 < len(set(curve["values"]["bleu_1"]))
    shown = meta(*asked)
    assert "number of references" in shown.stdout
    row = next(line for line in shown.stdout.splitlines() if line.split()[:2] == ["bleu_1", "2"])
    assert "[" in row and row.split()[-1] == "24"
    fewer = json.loads(meta(*asked, "--curve-references", 2, "--format", "json").stdout)
    assert len(fewer["levels"][0]["reference_curve"]["values"]["bleu_1"]) == 2
    assert "No item has 4 references" in str(meta(*asked, "--curve-references", 4).exception)
    page = tmp_path / "page.html"
    assert meta(*asked, "--html", page).exit_code == 0 and "Number of references" in page.read_text()
