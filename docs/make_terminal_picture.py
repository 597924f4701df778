"""Draw docs/terminal.svg: the README's picture of the terminal, from a real run on the examples.

python docs/make_terminal_picture.py
"""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

from rich.console import Console
from rich.text import Text

HERE = Path(__file__).resolve().parent
SYSTEMS = [f"examples/videos/{name}.json" for name in ("good", "padded", "disordered")]
COMMAND = [
    "score",
    *SYSTEMS,
    "-r",
    "examples/videos/reference_1.json",
    "-r",
    "examples/videos/reference_2.json",
    "-m",
    "soda_c,soda_a,anet(scorer=meteor)",
]


def main() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "storymeter", *COMMAND],
        cwd=HERE.parent,
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "COLUMNS": "120"},
    )
    width = max(map(len, done.stdout.splitlines())) + 1
    console = Console(record=True, width=width, file=io.StringIO())
    console.print(
        Text(
            "$ storymeter score good.json padded.json disordered.json -r reference_1.json -r"
            " reference_2.json …",
            style="bold",
        )
    )
    console.print(Text(done.stdout.rstrip()))
    console.save_svg(str(HERE / "terminal.svg"), title="storymeter")


if __name__ == "__main__":
    main()
