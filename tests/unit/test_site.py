"""The documentation site builds without a warning; the notebook tutorial runs from start to end."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def test_the_site_builds_without_a_warning(tmp_path: Path) -> None:
    """Strict: a dead link, a missing anchor, a page outside the navigation or a name that is not in the code
    fails."""
    for package in ("mkdocs", "mkdocstrings"):
        pytest.importorskip(package, reason="pip install 'storymeter[docs]' builds the site")
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "mkdocs",
            "build",
            "--strict",  # with --quiet it would count no warning
            "--site-dir",
            str(tmp_path / "site"),
        ],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0 and "WARNING" not in done.stderr, done.stdout + done.stderr
    built = {path.relative_to(tmp_path / "site").as_posix() for path in tmp_path.rglob("*.html")}
    assert {"index.html", "reference/commands.html", "reference/python.html", "glossary.html"} <= built
    commands = (tmp_path / "site" / "reference" / "commands.html").read_text(encoding="utf-8")
    assert all(verb in commands for verb in ("score", "compare", "stress", "human", "meta", "convert"))


def test_the_spelling_of_the_documentation() -> None:
    pytest.importorskip("codespell_lib", reason="pip install 'storymeter[docs]' checks the spelling")
    done = subprocess.run(
        [sys.executable, "-m", "codespell_lib", "README.md", "CHANGELOG.md", "SECURITY.md", "docs", "src"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_notebook_has_the_outputs_of_its_cells(tmp_path: Path) -> None:
    for needed in ("nbclient", "nbformat", "ipykernel"):
        pytest.importorskip(needed, reason="pip install 'storymeter[test]' runs notebooks")
    spec = importlib.util.spec_from_file_location("refresh_docs", ROOT / "tools" / "refresh_docs.py")
    assert spec is not None and spec.loader is not None
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    notebook = ROOT / "docs" / "tutorials" / "notebook.ipynb"
    stored = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    assert "subprocess" not in str(stored)
    again = tool.executed(notebook, tmp_path)["cells"]
    assert any(cell.get("outputs") for cell in stored)
    for before, after in zip(stored, again, strict=True):
        assert before.get("outputs") == after.get("outputs"), "run tools/refresh_docs.py"
