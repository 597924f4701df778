"""An attacker rebuilds the private key: everything public is in hand (the program, campaign.json, the clips,
the human captions, the systems' names, and what the pages show), only the seed is not.
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import human_kit
import pytest
from click.testing import CliRunner
from human_kit import Folder

from storymeter.cli import cli

GUESSES = 10
#: 12 clips, three systems: chance puts the right caption at a place about once in 40 places
CHANCE = 0.15


def files(folder: Path, ids: list[str], dummy: bool = False) -> list[str]:
    """The caption files; those of a stranger hold the right ids and made-up captions of the systems."""
    folder.mkdir()
    systems, human = human_kit.corpora(ids)
    for corpus in [*systems, human]:
        words = random.Random(7)  # long captions of many words: the same damage twice is no chance
        captions = {
            d.id: " ".join(f"w{words.randrange(400)}" for _ in range(24))
            if corpus is human
            else "a dummy caption of eight words or so"
            if dummy
            else d.text
            for d in corpus
        }
        (folder / f"{corpus.name}.json").write_text(json.dumps(captions))
    named = [str(folder / f"{corpus.name}.json") for corpus in systems]
    return ["--systems", *named, "--human", str(folder / f"{human.name}.json")]


def new(folder: Path, *words: str) -> Any:
    done = CliRunner().invoke(cli, ["human", "new", str(folder), *words])
    assert done.exit_code == 0, done.output
    return done


def places(folder: Path) -> dict[tuple[str, int], dict[str, Any]]:
    lines = map(json.loads, (folder / "key.jsonl").read_text().splitlines())
    return {(line["hit"], line["position"]): line for line in lines}


@pytest.fixture
def study(tmp_path: Path, clips: Path) -> tuple[Path, list[str], list[str]]:
    ids = [f"qclip{k:02d}" for k in range(12)]
    shape = ["--clips", str(clips), "--blocks", "4", "--system-per-block", "2", "--hits", "6"]
    new(tmp_path / "study", *files(tmp_path / "own", ids), *shape)
    return tmp_path / "study", ids, shape


def test_the_key_cannot_be_rebuilt(study: tuple[Path, list[str], list[str]], tmp_path: Path) -> None:
    folder, ids, shape = study
    truth = places(folder)
    public = json.loads((folder / "campaign.json").read_text())
    guesses: list[str | None] = [None, *(str(n) for n in range(GUESSES))]
    if "seed" in public:
        guesses.append(str(public["seed"]))
    strange = files(tmp_path / "dummy", ids, dummy=True)
    for number, guess in enumerate(guesses):
        rebuilt = tmp_path / f"guess{number}"
        new(rebuilt, *strange, *shape, *(["--seed", guess] if guess is not None else []))
        found = places(rebuilt)
        right = [
            all(found[place][name] == line[name] for name in ("item", "kind", "systems"))
            for place, line in truth.items()
        ]
        assert sum(right) < CHANCE * len(right), f"seed {guess}: {sum(right)} of {len(right)} places"
        degraded = {line["text"] for line in truth.values() if line["kind"] == "degraded"}
        again = {line["text"] for line in found.values() if line["kind"] == "degraded"}
        assert len(degraded & again) < CHANCE * len(degraded), f"seed {guess}: damaged texts"


def test_the_seed_is_128_bits_and_in_the_key_alone(study: tuple[Path, list[str], list[str]]) -> None:
    folder, _, _ = study
    seeds = {line["seed"] for line in places(folder).values() if "seed" in line}
    assert len(seeds) == 1
    seed = seeds.pop()
    assert len(seed) == 32 and int(seed, 16) > 2**64
    for path in folder.iterdir():
        content = path.read_bytes()
        assert (seed.encode() in content or bytes.fromhex(seed) in content) == (path.name == "key.jsonl"), (
            path
        )
        public = path.name == "campaign.json" or path.suffix == ".md"  # what raters read
        assert public or path.stat().st_mode & 0o077 == 0, path
    assert not Folder(folder).rehearsal and Folder(folder).exposed() == []


def test_a_chosen_seed_says_that_it_is_for_rehearsals(
    study: tuple[Path, list[str], list[str]], tmp_path: Path
) -> None:
    _, ids, shape = study
    own = files(tmp_path / "again", ids)
    done = new(tmp_path / "rehearsal", *own, *shape, "--seed", "5")
    assert "rehearsal" in done.stderr and "reconstruct the private key" in " ".join(done.stderr.split())
    assert Folder(tmp_path / "rehearsal").rehearsal
    again = new(tmp_path / "rehearsal2", *own, *shape, "--seed", "5")
    assert places(tmp_path / "rehearsal") == places(tmp_path / "rehearsal2") and again.exit_code == 0
    assert "rehearsal" in CliRunner().invoke(cli, ["human", "status", str(tmp_path / "rehearsal")]).stderr


def test_open_files_are_pointed_out(study: tuple[Path, list[str], list[str]]) -> None:
    folder, _, _ = study
    (folder / "key.jsonl").chmod(0o644)
    said = CliRunner().invoke(cli, ["human", "status", str(folder)]).stderr
    assert "chmod 600" in said and "key.jsonl" in said and "secrets.json" not in said


def test_a_leftover_of_an_earlier_attempt_does_not_open_a_private_file(tmp_path: Path) -> None:
    from storymeter.human.campaign.record import private

    leftover = tmp_path / "key.jsonl.tmp"
    leftover.write_text("")
    leftover.chmod(0o666)
    private(tmp_path / "key.jsonl", b"secret")
    assert (tmp_path / "key.jsonl").stat().st_mode & 0o777 == 0o600
