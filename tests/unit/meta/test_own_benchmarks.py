"""Tables of one's own as benchmarks, by path, in `meta benchmark`, `report-card` and Python."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from storymeter.errors import DataError, UsageError
from storymeter.meta import benchmark
from storymeter.meta.benchmarks import load

Verb = Callable[..., tuple[int, str, str]]
WORDS = ["a", "small", "dog", "runs", "over", "the", "green", "field"]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "ratings.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["Model", "video_id", "worker", "Output", "Reference 1", "references_2", "rating"])
        for s, system in enumerate("abc"):
            for k in range(6):
                text = " ".join(WORDS[: 8 - 2 * s - k % 2])
                row = [
                    system,
                    f"v{k}",
                    "w1",
                    text,
                    " ".join(WORDS),
                    json.dumps(["dogs run fast", "many animals move"]),
                ]
                writer.writerow([*row, 5 - 2 * s - 0.5 * (k % 2)])
    return path


def test_a_table(table: Path) -> None:
    found = load(str(table), Path())
    assert len(found.task) == 18 and found.levels == ("segment", "system")
    assert {len(references) for references in found.task.references} == {3}
    result = benchmark(str(table), Path(), ["rouge_l"], resamples=0, permutations=10)
    assert result.agreements[0].results[0].values["pearson"] > 0.9, result.agreements[0]


def test_a_folder_names_its_columns(table: Path, tmp_path: Path) -> None:
    text = table.read_text().replace("Output", "First answer", 1).replace("rating", "Quality of it", 1)
    table.write_text(text)
    with pytest.raises(DataError, match="none is the caption"):
        load(str(table), Path())
    (tmp_path / "benchmark.toml").write_text(
        'table = "ratings.csv"\ntitle = "Dogs"\nheadline = "kendall_c"\n'
        '[columns]\ncaption = "First answer"\nscore = "Quality of it"\nreferences = "Reference 1"\n'
    )
    found = load(str(tmp_path), Path())
    assert (found.title, found.headline, len(found.task.references[0])) == ("Dogs", "kendall_c", 1)


def test_on_the_command_line(run: Verb, table: Path, tmp_path: Path) -> None:
    code, out, err = run(
        "meta", "benchmark", str(table), "-m", "rouge_l", "--resamples", "10", "--format", "json"
    )
    assert code == 0 and '"pearson"' in out, err
    folder = ["--data", str(tmp_path), "-b", str(table)]
    code, out, err = run("meta", "report-card", *folder, "-m", "rouge_l,bleu_1", "--resamples", "10")
    assert code == 0 and "Recommended first" in out, err


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("a,v0,w1,another text,x,y,3", "has another caption before"),
        ("a,v9,w1,some text,x,y,good", "1 scores are not numbers: line 20: 'good'"),
    ],
)
def test_damaged_rows(table: Path, row: str, said: str) -> None:
    table.write_text(table.read_text() + row + "\n")
    with pytest.raises(DataError, match=said):
        load(str(table), Path())


def test_two_columns_that_fit_are_a_question(table: Path) -> None:
    table.write_text(table.read_text().replace("worker", "score", 1))
    with pytest.raises(UsageError, match="could both be the score"):
        load(str(table), Path())
    with pytest.raises(UsageError, match="no such file"):
        load("nothing", Path())
