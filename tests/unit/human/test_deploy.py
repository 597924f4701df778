"""The files of `human deploy`: they parse, and their commands do what they say."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from storymeter.cli import cli
from storymeter.errors import UsageError
from storymeter.human.campaign import Folder
from storymeter.human.deploy import FILES, deploy


@pytest.fixture
def written(tmp_path: Path, study: Folder) -> Path:
    deploy(study, tmp_path / "out", "study.example.org")
    return tmp_path / "out"


def test_the_files_parse(written: Path, study: Folder) -> None:
    yaml = pytest.importorskip("yaml")
    compose: dict[str, Any] = yaml.safe_load((written / "compose.yaml").read_text())
    assert set(compose["services"]) == {"db", "restore", "server", "caddy"}
    named = {v.partition(":")[0] for s in compose["services"].values() for v in s.get("volumes", ())}
    assert {name for name in named if not name.startswith((".", "/"))} <= set(compose["volumes"])
    assert str(study.clips) in (written / "compose.yaml").read_text()
    for name in FILES:
        text = (written / name).read_text()
        assert text.count("{") == text.count("}") and "{{" not in text and "{%" not in text, name
    assert (written / ".env").stat().st_mode & 0o077 == 0
    assert re.fullmatch(r"POSTGRES_PASSWORD=[0-9a-f]{48}\n", (written / ".env").read_text())
    assert "/admin" in (written / "Caddyfile").read_text(), "the dashboard stays inside"


def test_its_commands_are_ours(written: Path) -> None:
    """Every `storymeter human …` in the files is understood by this version."""
    yaml = pytest.importorskip("yaml")
    services = yaml.safe_load((written / "compose.yaml").read_text())["services"]
    restore = services["restore"]["command"][0].partition("||")[2].partition(";")[0]
    commands = [services["server"]["command"], shlex.split(restore)]
    commands += [shlex.split(line.partition("with: ")[2]) for line in _lines(written, "with: storymeter")]
    assert len(commands) == 3
    for words in commands:
        assert words[0] == "storymeter", words
        command: Any = cli.get_command(None, words[1])
        verb = command.get_command(None, words[2])
        verb.make_context(words[2], list(words[3:]))  # raises on an unknown option


def _lines(folder: Path, having: str) -> list[str]:
    return [line for name in FILES for line in (folder / name).read_text().splitlines() if having in line]


def test_no_other_names(tmp_path: Path, study: Folder) -> None:
    for host in ("https://study.example.org", "a b.org", "localhost", "x.org; rm"):
        with pytest.raises(UsageError, match="not the name of a server"):
            deploy(study, tmp_path / "out", host)
