"""What strangers put into files and options: nothing of it commands the terminal, and each mistake gets one clear message."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., tuple[int, str, str]]

EVIL = "\x1b[31mred\x1b]0;title\x07\x9b2J\u202egnirts\r\x08"
RAW = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


@pytest.fixture
def evil(tmp_path: Path) -> Path:
    """Two systems and their references, whose ids, captions and file names hold escape sequences."""
    told = {f"v_{EVIL}": [{"sentence": f"a man {EVIL} runs", "timestamp": [0, 10]}], "other": [{"sentence": "a dog", "timestamp": [0, 5]}]}
    meant = {name: {"duration": 20.0, "timestamps": [[0, 12]], "sentences": [f"a man {EVIL} walks"]} for name in told}
    for name in ("a", "b", f"c{EVIL}"):
        (tmp_path / f"{name}.json").write_text(json.dumps({"version": "VERSION 1.0", "results": told, "external_data": {}}))
        told = {key: [{**captions[0], "sentence": f"{EVIL} he sits"}] for key, captions in told.items()}
    (tmp_path / "references.json").write_text(json.dumps(meant))
    return tmp_path


@pytest.mark.parametrize("arguments", [
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
], ids=lambda arguments: " ".join(a for a in arguments if EVIL not in a))
def test_escape_sequences_never_reach_the_terminal(run: Run, evil: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str]) -> None:
    monkeypatch.chdir(evil)
    code, out, err = run(*arguments)
    assert code in (0, 1) and out + err
    assert not RAW.search(out + err)


def test_json_still_says_the_same_id(run: Run, evil: Path) -> None:
    _, out, _ = run("compare", str(evil / "a.json"), str(evil / "b.json"), "-r", str(evil / "references.json"), "-m", "rouge_l", "--format", "json")
    assert f"v_{EVIL}" in {row["document"] for row in json.loads(out)["comparisons"][0]["most_different"]}
