"""The files of `human deploy`: they parse, and their commands do what they say."""

from __future__ import annotations

import http.client
import os
import re
import shlex
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import human_kit
import pytest
from human_kit import Folder

from storymeter.cli import cli
from storymeter.errors import UsageError
from storymeter.human.deploy import FILES, deploy
from storymeter.human.server.run import listen


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
    assert re.fullmatch(r"POSTGRES_PASSWORD=[0-9a-f]{48}\nOWNER=\d+\n", (written / ".env").read_text())
    assert "/admin" in (written / "Caddyfile").read_text(), "the dashboard stays inside"


def test_no_step_runs_as_root(written: Path) -> None:
    """Every container of ours runs as the user who owns the backup, and can read it."""
    yaml = pytest.importorskip("yaml")
    services = yaml.safe_load((written / "compose.yaml").read_text())["services"]
    owner = int((written / ".env").read_text().partition("OWNER=")[2])
    assert owner > 0 and {path.stat().st_uid for path in (written / "backup").rglob("*")} == {owner}
    for name in ("restore", "server"):
        assert "user" not in services[name] and services[name]["build"]["args"] == {"OWNER": "${OWNER}"}
    assert "chown" not in str(services["restore"]["command"])
    assert re.search(r"^USER \$OWNER$", (written / "Containerfile").read_text(), re.MULTILINE)


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


@pytest.mark.needs("postgresql")
def test_its_commands_run(written: Path, study: Folder, tmp_path: Path) -> None:
    """Restored twice, served, answered, asked and backed up by the words of the compose file alone; only the
    places inside the container are those of this test. STORYMETER_BIN may name the
    programs of another environment, such as a fresh one with the wheel alone."""
    yaml = pytest.importorskip("yaml")
    services = yaml.safe_load((written / "compose.yaml").read_text())["services"]
    programs, inside = tmp_path / "bin", tmp_path / "campaign"
    programs.mkdir()
    own = f'exec {sys.executable} -m storymeter "$@"'
    other = os.environ.get("STORYMETER_BIN")
    script(programs / "storymeter", f'exec {other}/storymeter "$@"' if other else own)
    with listen("127.0.0.1", 0) as probe:
        port = str(probe.getsockname()[1])

    def here(word: str) -> str:
        for there, mine in (("/campaign", inside), ("/backup", written / "backup"), ("/clips", study.clips)):
            word = re.sub(rf"(^|(?<= )){there}\b(?=[/ ;]|$)", str(mine), word)
        return {"0.0.0.0": "127.0.0.1", "8000": port}.get(word, word).replace("$$", "$")

    with human_kit.postgres() as database:
        environment = {"DATABASE": database("storymeter"), "PATH": f"{programs}:{os.environ['PATH']}"}
        run = {"env": environment, "text": True, "capture_output": True, "timeout": 300}
        restore = [*services["restore"]["entrypoint"], here(services["restore"]["command"][0])]
        for _ in range(2):  # the second start finds the campaign and leaves it alone
            done = subprocess.run(restore, **run)
            assert done.returncode == 0, done.stderr
        server = subprocess.Popen([here(word) for word in services["server"]["command"]], env=environment)
        try:
            told = (study.path / "links.csv").read_text().splitlines()[1]
            link = "/r/" + told.rpartition("/r/")[2]
            head = {"Host": "study.example.org", "Origin": "https://study.example.org"}
            assert (
                answered(port, "GET", link, head) == 200
                and answered(port, "POST", link + "/begin", head) < 400
            )
            assert answered(port, "GET", "/admin", head) == 404, "the dashboard stays inside"
            lines = (written / "compose.yaml").read_text().splitlines()
            for line in (line for line in lines if "compose exec server" in line):
                words = shlex.split(line.partition("exec server ")[2].partition(" > ")[0])
                asked = subprocess.run([here(word) for word in words], **run)
                assert asked.returncode == 0, asked.stderr
            assert (inside / "backup-1" / "manifest.json").exists()
        finally:
            server.terminate()
            server.wait(timeout=60)


def script(path: Path, line: str) -> None:
    path.write_text(f"#!/bin/sh\n{line}\n")
    path.chmod(0o755)


def answered(port: str, method: str, path: str, head: dict[str, str]) -> int:
    """The status, as soon as there is a server."""
    for _ in range(600):
        connection = http.client.HTTPConnection("127.0.0.1", int(port), timeout=60)
        try:
            connection.request(method, path, headers={**head, "X-Forwarded-For": "192.0.2.7"})
            return connection.getresponse().status
        except ConnectionRefusedError:
            time.sleep(0.1)
        finally:
            connection.close()
    raise AssertionError("no server")


def _lines(folder: Path, having: str) -> list[str]:
    return [line for name in FILES for line in (folder / name).read_text().splitlines() if having in line]


def test_no_other_names(tmp_path: Path, study: Folder) -> None:
    for host in ("https://study.example.org", "a b.org", "localhost", "x.org; rm"):
        with pytest.raises(UsageError, match="not the name of a server"):
            deploy(study, tmp_path / "out", host)
