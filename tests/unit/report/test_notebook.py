"""A notebook shows the results as the leaderboard."""

from __future__ import annotations

from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[3] / "examples" / "videos"
CELL = f"""
import storymeter
read = lambda name: storymeter.read(rf"{EXAMPLES}/{{name}}.json")
systems, references = [read("good"), read("padded")], read("reference_1")
storymeter.evaluate(candidates=systems, references=references, metrics=["soda_c", "cider"])
"""


def test_results_are_a_leaderboard_in_a_notebook() -> None:
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(CELL)])
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    outputs = notebook.cells[0].outputs
    (shown,) = [output["data"]["text/html"] for output in outputs if "data" in output]
    assert shown.count("<tr>") == 3 and "<strong>20.75" in shown and "soda_c" in shown and "tok:ptb" in shown
