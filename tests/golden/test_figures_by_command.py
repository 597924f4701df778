"""SODA, the ActivityNet scores, non-redundancy, z-scores and clusters by the commands a user types, against
slow computations from the papers on the original tools' sentence scores. `make.py` says how the figures
were made."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from storymeter.cli import cli

sys.path.insert(0, str(Path(__file__).parent))
import material

TIOUS = (0.3, 0.5, 0.7, 0.9)
SCORERS = ["bleu_1", "bleu_2", "bleu_3", "bleu_4", "rouge_l", "cider", "meteor"]
BOTH = ["-r", str(material.DRAWN / "annotator_1.json"), "-r", str(material.DRAWN / "annotator_2.json")]


def figures(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((material.FIGURES / f"{name}.json").read_text(encoding="utf-8"))
    return found


def command(*arguments: str) -> dict[str, Any]:
    result = CliRunner().invoke(cli, [*arguments, "--format", "json"])
    assert result.exit_code == 0, result.output
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def score(path: Path, folder: Path, *arguments: str) -> tuple[dict[str, Any], dict[str, dict[str, float]]]:
    """The scores by metric, and each document's row."""
    rows = folder / "rows.jsonl"
    options = ["--resamples", "0", "--per-document", str(rows)]
    [system] = command("score", str(path), *arguments, *options)["systems"]
    documents = [json.loads(line) for line in rows.read_text(encoding="utf-8").splitlines()]
    return {s["metric"]: s for s in system["scores"]}, {row["document"]: row for row in documents}


def test_the_drawn_files_are_those_of_the_script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(material, "DRAWN", tmp_path)
    material.write_drawn()
    for path in tmp_path.iterdir():
        stored = Path(__file__).parent / "drawn" / path.name
        assert path.read_text(encoding="utf-8") == stored.read_text(encoding="utf-8"), path.name


@pytest.mark.parametrize("protocol", ["soda-v1", "soda-v1-multi", "paper"])
def test_soda(protocol: str, tmp_path: Path) -> None:
    made = figures("soda")["protocols"]
    names = ",".join(f"soda_{variant}" for variant in "abcd")
    scores, rows = score(
        material.DRAWN / "candidate.json", tmp_path, *BOTH, "--protocol", protocol, "-m", names
    )
    for variant in "abcd":
        expected = made[f"{protocol}/{variant}"]
        assert set(rows) == set(expected["videos"])
        for video, values in expected["videos"].items():
            found = [rows[video][f"soda_{variant}.{part}"] for part in ("precision", "recall", "f1")]
            assert found == pytest.approx(values, abs=1e-9), (variant, video)
        parts = scores[f"soda_{variant}"]["parts"]
        assert [parts[part] for part in ("precision", "recall", "f1")] == pytest.approx(
            expected["mean"], abs=1e-9
        )


@pytest.mark.parametrize("protocol", ["anet-2018", "anet-2017"])
def test_activitynet(protocol: str, tmp_path: Path) -> None:
    made = figures("activitynet")
    names = ",".join(f"anet(scorer={scorer})" for scorer in SCORERS)
    scores, _ = score(
        material.DRAWN / "candidate.json",
        tmp_path,
        *BOTH,
        "--protocol",
        protocol,
        "-m",
        f"{names},localisation",
    )
    for scorer in SCORERS:
        found = scores[f"anet(scorer={scorer})"]
        expected = made[protocol][scorer]
        assert [found["parts"][f"at_{t:g}"] for t in TIOUS] == pytest.approx(expected, abs=1e-9), scorer
        assert found["value"] == pytest.approx(np.mean(expected), abs=1e-9)
    for part in ("precision", "recall"):
        found = [scores["localisation"]["parts"][f"{part}_at_{t:g}"] for t in TIOUS]
        assert found == pytest.approx(made[part], abs=1e-9)


@pytest.mark.parametrize(("jaccard", "name"), [("set", "rovist_nr"), ("pairs", "rovist_nr(jaccard=pairs)")])
def test_non_redundancy(jaccard: str, name: str, tmp_path: Path) -> None:
    made = figures("redundancy")[jaccard]
    _, rows = score(material.DRAWN / "stories.jsonl", tmp_path, "-m", name)
    assert set(rows) == set(made)
    for story, (value, inter, intra) in made.items():
        found = [rows[story][key] for key in (name, f"{name}.inter", f"{name}.intra")]
        assert found == pytest.approx([value, inter, intra], abs=1e-12), story


@pytest.mark.parametrize("accept", ["all", "passed"])
def test_z_scores_and_clusters(accept: str) -> None:
    expected = figures("ratings")[accept]
    found = command(
        "human",
        "analyse",
        str(material.DRAWN / "ratings.csv"),
        "--accept",
        accept,
        "--gates",
        "control",
        "--clusters",
        "ranksum",
    )
    assert found["clusters"] == expected["clusters"]
    for system in found["systems"]:
        for key in ("z", "raw", "n"):
            assert system[key] == pytest.approx(expected[key][system["name"]], abs=1e-12), system["name"]
    p = {(better, worse): value for better, worse, value in expected["p"]}
    assert len(found["significance"]) == 10
    for pair in found["significance"]:
        assert pair["p"] == pytest.approx(p[pair["better"], pair["worse"]], rel=1e-9), pair


@pytest.mark.parametrize("test", ["t", "mann-whitney"])
def test_worker_tests(test: str) -> None:
    expected = figures("ratings")["workers"]
    found = command(
        "human", "analyse", str(material.DRAWN / "ratings.csv"), "--test", test, "--gates", "control"
    )
    assert {worker["id"] for worker in found["workers"]} == set(expected)
    for worker in found["workers"]:
        made = expected[worker["id"]]
        assert worker["pairs"] == made["pairs"]
        if made[test] is None:
            assert not worker["accepted"]
        else:
            assert worker["p"] == pytest.approx(made[test], rel=1e-9), worker["id"]
            assert worker["accepted"] == (made[test] < 0.05)
