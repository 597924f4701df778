"""Every fenced block of the documentation runs.

```python  blocks are executed, one after another per page, in one namespace.
```console blocks hold commands after `$ `, which run in a real shell as a reader would paste them, and,
           below them, lines of their output, which must appear in that order; `…` stands for anything. A
           block marked ```console data needs the real data folder and is skipped where that is absent.
```sh run  blocks run in a shell whose stdout is a terminal of 80 columns, and the block ```text output below
           them, as below a python block, holds exactly what was printed (tools/refresh_docs.py writes it).
```sh      blocks, for what installs things or needs the reader's own files, are read by the shell, not run.
Other blocks (```text) are for people only.
"""

from __future__ import annotations

import fnmatch
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
FENCE = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def _blocks(page: Path, language: str) -> list[tuple[str, str]]:
    return [
        (mark.strip(), body)
        for kind, mark, body in FENCE.findall(page.read_text(encoding="utf-8"))
        if kind == language
    ]


def _commands(body: str) -> list[tuple[str, list[str]]]:
    """(command, lines of output that must appear) in order."""
    out: list[tuple[str, list[str]]] = []
    for line in body.replace("\\\n", " ").splitlines():
        if line.startswith("$ "):
            out.append((line[2:], []))
        elif out and line.strip():
            out[-1][1].append(line)
    return out


def _squeeze(line: str) -> str:
    return " ".join(line.split())


def _check_output(command: str, wanted: list[str], text: str) -> None:
    lines = [_squeeze(line) for line in text.splitlines()]
    position = 0
    for want in wanted:
        pattern = _squeeze(want).replace("[", "[[]").replace("…", "*")
        hits = [k for k in range(position, len(lines)) if fnmatch.fnmatchcase(lines[k], pattern)]
        assert hits, f"{command!r} does not print {want!r}; it prints:\n{text}"
        position = hits[0] + 1


def _needs_no_missing_part(stderr: str) -> None:
    """A page about an optional part cannot run where that part is not installed."""
    if found := re.search(r"needs the optional part '(\w+)'", stderr):
        package = {
            "neural": "torch",
            "human": "starlette",
            "judge": "aiohttp",
            "ray": "ray",
            "parquet": "pyarrow",
        }[found[1]]
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"pip install 'storymeter[{found[1]}]' runs this page")


@pytest.fixture
def reader(tmp_path: Path) -> Path:
    """A folder where a reader of one page would stand: the examples are here, and nothing else."""
    folder = tmp_path / "reader"
    shutil.copytree(ROOT / "examples", folder / "examples")
    (folder / "bin").mkdir()
    program = folder / "bin" / "storymeter"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m storymeter "$@"\n')
    program.chmod(0o755)
    data = Path(os.environ.get("STORYMETER_DATA", ROOT.parent / "shared" / "data"))
    if data.is_dir():
        (folder / "data").symlink_to(data.resolve())
    return folder


@pytest.mark.parametrize("page", [p for p in PAGES if _blocks(p, "console")], ids=lambda p: p.name)
def test_commands(page: Path, reader: Path) -> None:
    for mark, body in _blocks(page, "console"):
        if mark == "data" and not (reader / "data").exists():
            continue
        for command, wanted in _commands(body):
            assert command.startswith("storymeter "), f"only storymeter commands run here: {command}"
            done = subprocess.run(
                ["bash", "-c", command],
                cwd=reader,
                capture_output=True,
                text=True,
                timeout=300,
                env={
                    **os.environ,
                    "COLUMNS": "200",
                    "NO_COLOR": "1",
                    "PATH": f"{reader / 'bin'}:{os.environ['PATH']}",
                },
            )
            _needs_no_missing_part(done.stdout + done.stderr)
            assert "syntax error" not in done.stderr, f"{command}: {done.stderr}"
            assert "Traceback" not in done.stderr, done.stderr
            assert done.returncode == 0 or wanted, f"{command}: {done.stderr}"
            _check_output(command, wanted, done.stdout + done.stderr)


@pytest.mark.parametrize("page", [p for p in PAGES if _blocks(p, "sh")], ids=lambda p: p.name)
def test_shell_blocks_are_free_of_syntax_errors(page: Path) -> None:
    for _, body in _blocks(page, "sh"):
        done = subprocess.run(["bash", "-n"], input=body, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, f"{body}\n{done.stderr}"


def test_examples_of_the_help_can_be_pasted() -> None:
    """Every line of a docstring of a verb that begins with `storymeter `."""
    for module in sorted((ROOT / "src" / "storymeter" / "cli").rglob("*.py")):
        for line in module.read_text(encoding="utf-8").splitlines():
            command = re.split(r" {3,}", line.strip())[0]
            if command.startswith("storymeter ") and "…" not in command:
                done = subprocess.run(
                    ["bash", "-n", "-c", command], capture_output=True, text=True, timeout=60
                )
                assert done.returncode == 0, f"{module.name}: {command}\n{done.stderr}"


@pytest.mark.parametrize("page", [p for p in PAGES if _blocks(p, "python")], ids=lambda p: p.name)
def test_python(page: Path, reader: Path) -> None:
    script = "\n\n".join(
        body for mark, body in _blocks(page, "python") if mark != "data" or (reader / "data").exists()
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=reader, capture_output=True, text=True, timeout=300
    )
    _needs_no_missing_part(done.stderr)
    if found := re.search(r"No module named '(sacrebleu)'", done.stderr):
        pytest.skip(f"the page compares with {found[1]}, which is not installed")
    assert done.returncode == 0, f"{script}\n{done.stderr}"


def _refresh_docs() -> ModuleType:
    spec = importlib.util.spec_from_file_location("refresh_docs", ROOT / "tools" / "refresh_docs.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.skipif(os.name == "nt", reason="Windows has no pseudo-terminals of this kind")
@pytest.mark.parametrize(
    "page", [p for p in PAGES if "```text output\n" in p.read_text(encoding="utf-8")], ids=lambda p: p.name
)
def test_every_output_is_the_real_one(page: Path, tmp_path: Path) -> None:
    tool = _refresh_docs()
    text = page.read_text(encoding="utf-8")
    assert tool.refreshed(text, tool.reader_folder(tmp_path)) == text, "run tools/refresh_docs.py"


def test_the_readme_is_one_screen_that_can_be_pasted() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 120
    assert not re.search(r"^\$ ", text, re.MULTILINE)
    blocks = re.findall(r"^```(.+)$", text, re.MULTILINE)
    for kind, after in zip(blocks, [*blocks[1:], ""], strict=True):
        assert after == "text output" or kind not in ("sh run", "python"), kind
    for block in re.findall(r"^```text output\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        assert all(len(line) <= 88 for line in block.splitlines()), block
