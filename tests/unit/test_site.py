"""The documentation site builds without a warning; the notebook tutorial runs from start to end."""

from __future__ import annotations

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


def test_the_notebook_runs(tmp_path: Path) -> None:
    nbclient = pytest.importorskip("nbclient", reason="pip install 'storymeter[test]' runs notebooks")
    nbformat = pytest.importorskip("nbformat", reason="pip install 'storymeter[test]' runs notebooks")
    pytest.importorskip("ipykernel", reason="pip install 'storymeter[test]' runs notebooks")
    notebook = nbformat.read(ROOT / "docs" / "tutorials" / "notebook.ipynb", as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells), "outputs are not stored"
    client = nbclient.NotebookClient(notebook, timeout=550, kernel_name="python3")
    client.create_kernel_manager().kernel_cmd = [
        *(sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"),
    ]
    client.execute(cwd=str(tmp_path))
    printed = "".join(output.get("text", "") for cell in notebook.cells for output in cell.get("outputs", ()))
    assert "good" in printed and "soda_c" in printed
