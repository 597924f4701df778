"""Nothing is overwritten without --force, by any command that writes a file."""

from __future__ import annotations

import json
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from storymeter import load
from storymeter.cli import cli
from storymeter.cli._overwrite import ALSO, WRITTEN

FILES = {"mine.json": {"a": "a dog runs", "b": "a cat"}, "truth.json": {"a": ["the dog runs"], "b": ["cats"]}}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, content in FILES.items():
        Path(name).write_text(json.dumps(content))
    return tmp_path


def run(*arguments: str, code: int = 0) -> str:
    done = CliRunner().invoke(cli, arguments, prog_name="storymeter")
    shown = done.output + str(done.exception or "")
    assert done.exit_code == code or (code and done.exception is not None), shown
    return shown


SCORE = ("score", "mine.json", "-r", "truth.json", "-m", "bleu_1")


def test_a_saved_run_is_replaced_by_force_alone(folder: Path) -> None:
    run(*SCORE, "-m", "rouge_l", "--save", "run.smr")
    before = Path("run.smr").read_bytes()
    said = run(*SCORE, "--save", "run.smr", code=2)
    assert (
        "run.smr exists, and nothing is overwritten" in said
        and "--force" in said
        and "--into run.smr" in said
    )
    assert Path("run.smr").read_bytes() == before
    run(*SCORE, "--save", "run.smr", "--force")
    assert [metric.name for metric in load("run.smr").metrics] == ["bleu_1"]


def test_an_interrupted_run_continues(folder: Path) -> None:
    run(*SCORE, "--save", "whole.smr")
    Path("run.smr.partial").mkdir()  # what an interruption leaves; the run itself is not there
    run(*SCORE, "--save", "run.smr")
    assert Path("run.smr").read_bytes() == Path("whole.smr").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "written"),
    [
        ((*SCORE, "--per-document", "rows.csv"), "rows.csv"),
        (("convert", "mine.json", "mine.jsonl"), "mine.jsonl"),
        (("report", "mine.json", "-r", "truth.json", "-m", "bleu_1", "--out", "page.html"), "page.html"),
    ],
)
def test_files_of_other_commands(folder: Path, arguments: tuple[str, ...], written: str) -> None:
    Path(written).write_text("mine")
    assert f"{written} exists" in run(*arguments, code=2)
    assert Path(written).read_text() == "mine"
    run(*arguments, "--force")
    assert Path(written).read_text() != "mine"


def test_every_command_that_writes_has_the_option() -> None:
    def commands(
        group: click.Command, path: tuple[str, ...] = ()
    ) -> list[tuple[tuple[str, ...], click.Command]]:
        if not isinstance(group, click.Group):
            return [(path, group)]
        context = click.Context(group)
        return [
            found
            for name in group.list_commands(context)
            if (below := group.get_command(context, name)) is not None
            for found in commands(below, (*path, name))
        ]

    for path, command in commands(cli):
        names = {name.lstrip("-") for each in command.params for name in each.opts}
        writes = names & WRITTEN or names & set(ALSO.get(path[-1], ())) or "target" in names
        assert bool(writes) == ("force" in names), path
