"""Judges on the command line: what is allowed, asked for and printed."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import judge_kit
import pytest
from aiohttp import web

from storymeter import Corpus, Document, Run
from storymeter.captions import Caption
from storymeter.cli import _options

Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def arguments(server: judge_kit.Server, tmp_path: Path) -> list[str]:
    (tmp_path / "mine.txt").write_text("a dog runs\na cat sleeps\n")
    (tmp_path / "people.txt").write_text("a dog jumps\na cat sleeps\n")
    return ["score", str(tmp_path / "mine.txt"), "-r", str(tmp_path / "people.txt"), "-m", server.judge()]


def test_the_estimate_comes_first(run: Command, arguments: list[str]) -> None:
    code, out, err = run(*arguments, "--token-price", "1000/2000", "--format", "csv")
    assert code == 0
    assert "Judge: 2 requests to small at 127.0.0.1" in err
    assert "in the currency of --token-price" in err
    assert ",0.85," in out  # (7 + 10) / 20


def test_limits_are_kept(run: Command, arguments: list[str], server: judge_kit.Server) -> None:
    code, _, err = run(*arguments, "--max-requests", "1")
    assert code == 2
    assert "--max-requests allows 1 in all; none of them was sent" in err
    code, _, err = run(*arguments, "--deadline", "0.000001")
    assert code == 1
    assert "The deadline of 1e-06 s has passed. 0 of 2 new answers were received." in err
    assert not server.bodies
    for wrong in ("cheap", "1/2/3", "-1", "nan"):
        code, _, err = run(*arguments, "--token-price", wrong)
        assert code == 2
        assert "is not a price" in err


@pytest.mark.parametrize(("answer", "sent"), [("n", 0), ("y", 2)])
def test_somebody_at_a_terminal_is_asked(
    arguments: list[str], server: judge_kit.Server, answer: str, sent: int
) -> None:
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "storymeter", *arguments], stdin=theirs, stderr=theirs, stdout=subprocess.PIPE
    )
    os.close(theirs)
    said = b""
    while b"Send them? [y/N]" not in said:
        said += os.read(ours, 4096)
    assert b"2 requests to small at 127.0.0.1" in b" ".join(said.split())
    assert not server.bodies
    os.write(ours, f"{answer}\n".encode())
    process.communicate(timeout=120)
    os.close(ours)
    assert process.returncode == (0 if sent else 2)
    assert len(server.bodies) == sent


def test_prompts_are_listed_with_their_cards(run: Command) -> None:
    code, out, _ = run("info", "--prompts")
    assert code == 0
    assert "story by the criteria of RoViST" in out
    code, out, _ = run("info", "--prompts", "support")
    assert "{candidate}" in out
    assert "statement by statement" in out
    code, _, err = run("info", "--prompts", "suport")
    assert code == 2
    assert "Did you mean 'support'?" in err


@pytest.mark.filterwarnings("ignore::storymeter.errors.StorymeterWarning")
def test_documents_without_a_verdict_are_neither_won_nor_lost() -> None:
    async def mostly(request: web.Request, body: dict[str, Any], number: int) -> web.StreamResponse:
        strange = "strange" in judge_kit.question(body)[0]
        return web.json_response(judge_kit.completion("what?" if strange else str(judge_kit.overlap(body))))

    def corpus(name: str, *texts: str) -> Corpus:
        return Corpus(tuple(Document(str(k), (Caption(text),)) for k, text in enumerate(texts)), name)

    people = corpus("people", "a b", "a b", "a b", "a b")
    one, other = (
        corpus("one", "a b", "a b", "strange", "a b"),
        corpus("other", "a x", "a b", "a b", "strange"),
    )
    with judge_kit.serving(mostly) as server:
        (found,) = Run(people).score([one, other], server.judge(missing=0.5)).compare()
    assert (found.wins, found.ties, found.losses) == (1, 1, 0)
    assert {each.document for each in found.most_different} <= {"0", "1"}


def test_a_remark_that_changes_is_one_bar() -> None:
    bars = _options.Bars(0)
    bars("asking small\t5 tokens/s", 1, 9)
    bars("asking small\t7 tokens/s", 2, 9)
    (task,) = bars._bars.tasks
    bars.stop()
    assert (task.description, task.completed) == ("asking small (7 tokens/s)", 2)
