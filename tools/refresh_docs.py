"""Run the commands of the documentation and write their real output below them.

    python tools/refresh_docs.py            writes README.md and docs/**/*.md
    python tools/refresh_docs.py --check    writes nothing; exit 1 where an output is not the real one

A block ```sh run is given to bash, as a reader would paste it; stdout is a terminal of 80 columns. The python
blocks of a page run one after another in one namespace. A block ```text output holds what the block above it
printed. All blocks of a page run in one new folder with a copy of examples/."""

from __future__ import annotations

import argparse
import json
import os
import pty
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOK = ROOT / "docs" / "tutorials" / "notebook.ipynb"
BLOCK = re.compile(r"^```(sh run|python|text output)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COLUMNS = 80
#: parts the printed text of python blocks
MARK = "\x1e"


def pages(root: Path = ROOT) -> list[Path]:
    """The pages with an output to be refreshed."""
    found = [root / "README.md", *sorted((root / "docs").rglob("*.md"))]
    return [page for page in found if "```text output\n" in page.read_text(encoding="utf-8")]


def refreshed(text: str, folder: Path) -> str:
    """A page with the real outputs; `folder` is where its commands run."""
    blocks = list(BLOCK.finditer(text))
    printed = iter(_python([b[2] for b in blocks if b[1] == "python"], folder))
    out, end, last = [], 0, ""
    for block in blocks:
        if block[1] == "text output":
            out += [text[end : block.start()], f"```text output\n{last}\n```"]
            end = block.end()
        else:
            last = tidy(next(printed) if block[1] == "python" else _shell(block[2], folder))
    return "".join([*out, text[end:]])


def executed(notebook: Path, folder: Path) -> dict[str, Any]:
    """A notebook with the outputs of a run from its first cell to its last."""
    import nbclient
    import nbformat

    read = nbformat.read(notebook, as_version=4)
    client = nbclient.NotebookClient(read, timeout=550, kernel_name="python3", record_timing=False)
    client.create_kernel_manager().kernel_cmd = [
        *(sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"),
    ]
    client.execute(cwd=str(folder))
    read.metadata.pop("language_info", None)
    return json.loads(nbformat.writes(read))  # type: ignore[no-any-return]


def tidy(text: str) -> str:
    """Without blank lines at both ends and blanks at the ends of lines."""
    lines = [line.rstrip() for line in text.replace("\r", "").split("\n")]
    return "\n".join(lines).strip("\n")


def reader_folder(folder: Path) -> Path:
    """A folder where a reader would stand: the examples, and the command."""
    shutil.copytree(ROOT / "examples", folder / "examples")
    (folder / ".bin").mkdir()
    program = folder / ".bin" / "storymeter"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m storymeter "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    return folder


def _environment(folder: Path) -> dict[str, str]:
    here = {"COLUMNS": str(COLUMNS), "NO_COLOR": "1", "TERM": "xterm", "PYTHONIOENCODING": "utf-8"}
    return {**os.environ, **here, "PATH": f"{folder / '.bin'}:{os.environ['PATH']}"}


def _shell(commands: str, folder: Path) -> str:
    """What a block prints to a terminal; notes (stderr) are not part of it."""
    ours, theirs = pty.openpty()
    pieces: list[bytes] = []

    def listen() -> None:
        while True:
            try:
                data = os.read(ours, 65536)
            except OSError:  # Linux ends a terminal without writers so
                return
            if not data:
                return
            pieces.append(data)

    listener = threading.Thread(target=listen)
    listener.start()
    done = subprocess.run(
        ["bash", "-e", "-c", commands],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=subprocess.PIPE,
        env=_environment(folder),
    )
    os.close(theirs)
    listener.join()
    os.close(ours)
    if done.returncode:
        raise SystemExit(f"{commands}\n{done.stderr.decode(errors='replace')}")
    return b"".join(pieces).decode("utf-8")


def _python(blocks: list[str], folder: Path) -> list[str]:
    """What each of the blocks prints."""
    script = f"\nprint({MARK!r}, end='')\n".join(blocks)
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=folder, capture_output=True, env=_environment(folder)
    )
    if done.returncode:
        raise SystemExit(f"{script}\n{done.stderr.decode(errors='replace')}")
    return done.stdout.decode("utf-8").split(MARK)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing")
    check = parser.parse_args().check
    stale = []
    for page in pages():
        text = page.read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as folder:
            fresh = refreshed(text, reader_folder(Path(folder)))
        if fresh != text:
            stale.append(page)
            if not check:
                page.write_text(fresh, encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        cells = json.dumps(executed(NOTEBOOK, Path(folder)), indent=1, ensure_ascii=False) + "\n"
    if cells != NOTEBOOK.read_text(encoding="utf-8"):
        stale.append(NOTEBOOK)
        if not check:
            NOTEBOOK.write_text(cells, encoding="utf-8")
    for page in stale:
        sys.stderr.write(f"{page.relative_to(ROOT)} {'has other outputs' if check else 'was refreshed'}\n")
    sys.exit(1 if check and stale else 0)


if __name__ == "__main__":
    main()
