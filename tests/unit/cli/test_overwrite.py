"""Nothing is overwritten without --force, by any command that writes a file."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from storymeter import load
from storymeter.cli import cli

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


def test_what_a_gate_writes(folder: Path) -> None:
    run(*SCORE, "--save", "run.smr")
    gate = ("gate", "mine.json", "--against", "run.smr", "--fail-if", "bleu_1 < 0")
    for option in ("--junit", "--markdown"):
        Path("result").write_text("mine")
        assert "result exists" in run(*gate, option, "result", code=2)
        assert Path("result").read_text() == "mine"
        Path("result").write_text("")  # as mktemp and the summaries of CI make it
        run(*gate, option, "result")
        assert Path("result").read_text()


#: parameters that name files or folders, and only read them
READ = {
    "accept", "against", "candidates", "clips", "data", "entities", "file", "files", "glove", "held-out",
    "human", "images", "labels", "pilot", "references", "replicates", "scores", "source", "sources", "system",
    "systems", "tests", "videos", "vision", "wheels", "human verify words",
    "completion-code", "platform-key", "meta benchmark name", "train grounding captions",
}  # fmt: skip
#: those that write in a folder or file of their own and keep what is there: a campaign, a backup or a
#: deployment is never made over another; a run, a training and a store of values go on where they stopped
KEPT = {
    "human backup out", "human deploy out", "human restore folder", "human new folder", "human demo dir",
    "score into", "meta report-card keep",
}  # fmt: skip
#: folders of campaigns, which these commands read or add answers to
CAMPAIGNS = {
    "analyse",
    "backup",
    "close",
    "deploy",
    "erase",
    "export",
    "extend",
    "pilot",
    "preview",
    "serve",
    "simulate",
    "status",
    "verify",
}


def _commands(group: click.Command, path: tuple[str, ...] = ()) -> Iterator[tuple[str, click.Command]]:
    if not isinstance(group, click.Group):
        yield " ".join(path), group
        return
    context = click.Context(group)
    for name in group.list_commands(context):
        below = group.get_command(context, name)
        assert below is not None
        yield from _commands(below, (*path, name))


def test_every_parameter_that_names_a_file_is_known_to_read_it_or_is_guarded() -> None:
    """A new option for a file fails here until it is guarded, or is listed as one that only reads."""
    guarded = []
    for path, command in _commands(cli):
        forces = any("--force" in each.opts for each in command.params)
        for each in command.params:
            shown = str(each.make_metavar(click.Context(command))).upper()
            name = each.opts[0] if isinstance(each, click.Argument) else max(each.opts, key=len).lstrip("-")
            if isinstance(each.callback, functools.partial):
                guarded.append(f"{path} {name}")
                assert forces, f"{path} {name}"
            elif isinstance(each.type, click.Path) or any(
                word in shown for word in ("FILE", "DIR", "PATH", "FOLDER", "SMR")
            ):
                campaign = name == "folder" and path.split()[-1] in CAMPAIGNS
                assert campaign or {name, f"{path} {name}"} & (READ | KEPT), f"{path} {name}"
    assert len(guarded) > 20, guarded
    for written in (
        "score save",
        "gate junit",
        "convert target",
        "human analyse captions",
        "stress audit out",
    ):
        assert written in guarded
