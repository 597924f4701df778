"""Run the commands of docs/papers on the real data, and compare every number that the pages say is ours.

    python bench/papers.py [PAGE…]      soda nlp2020 direct-assessment rovist soda-poster; default: all
    python bench/papers.py --keep DIR   keep what was printed (and use it again: a rerun takes no time)

The blocks ```sh of a page that use the folder data/ run one after another in a new folder, as a reader would
type them; a block that needs files of your own is left out. In a table, a row that says "here" or names BMT
holds our numbers: each must be printed by a command of the pages, rounded as it is there. Exit 1 where one is
not. All pages take about ten minutes on two cores; tests/unit/test_docs.py runs the short examples."""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGES = ROOT / "docs" / "papers"
BLOCK = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)
OURS = re.compile(r"\bhere\b|\bBMT\b")
NUMBER = re.compile(r"(?<![\w.])[+-]?\d*\.\d+(?![\w.]*\d)|(?<![\w.])\d[\d,]*\.?\d*")


def commands(page: str) -> list[str]:
    """The blocks that the public data are enough for."""
    return [block for block in BLOCK.findall(page) if re.search(r"\bdata\b", block)]


def our_numbers(page: str) -> list[tuple[str, str]]:
    """(row, number) of every number in a row of a table that is ours; in a table with a column called `here`
    or BMT and no such row, of that column.
    """
    found: list[tuple[str, str]] = []
    head: list[str] = []
    for line in page.splitlines():
        if not line.startswith("|"):
            head = []
            continue
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if not head:
            head = cells
            continue
        if set(line) <= set("|:- "):
            continue
        labels, values = _split(cells)
        columns = [k for k, name in enumerate(head) if OURS.search(name)]
        if any(OURS.search(label) for label in labels):
            found += [(line, number) for cell in values for number in NUMBER.findall(cell)]
        elif columns and len(cells) == len(head):
            found += [(line, number) for k in columns for number in NUMBER.findall(cells[k])]
    return found


def _split(cells: list[str]) -> tuple[list[str], list[str]]:
    """The names at the front of a row, and its values."""
    first = next((k for k, cell in enumerate(cells) if NUMBER.match(cell.strip("*`"))), len(cells))
    return cells[:first], cells[first:]


def same(shown: str, printed: float) -> bool:
    """Whether a printed number is the shown one, which may have fewer places and no leading zero."""
    places = len(shown.partition(".")[2])
    return abs(float(shown.replace(",", "")) - printed) <= 0.5 * 10.0**-places + 1e-9


def numbers_of(text: str) -> set[float]:
    return {float(number.replace(",", "")) for number in NUMBER.findall(text.replace("-", " -"))}


def run(block: str, folder: Path, kept: Path | None) -> str:
    key = hashlib.sha256(block.encode()).hexdigest()[:16]
    stored = kept / f"{key}.txt" if kept else None
    if stored is not None and stored.exists():
        return stored.read_text(encoding="utf-8")
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-ec", block],
        cwd=folder,
        capture_output=True,
        text=True,
        env={**os.environ, "COLUMNS": "240", "NO_COLOR": "1", "PATH": path},
    )
    if done.returncode:
        raise SystemExit(f"{block}\n{done.stderr}")
    if stored is not None:
        stored.write_text(done.stdout, encoding="utf-8")
    return done.stdout


def main() -> int:
    plain = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=plain)
    parser.add_argument("pages", nargs="*", metavar="PAGE")
    parser.add_argument("--keep", type=Path, metavar="DIR")
    given = parser.parse_args()
    data = Path(os.environ.get("STORYMETER_DATA", ROOT.parent / "shared" / "data")).resolve()
    if not data.is_dir():
        raise SystemExit(f"The data are not at {data}; STORYMETER_DATA names another folder.")
    if given.keep:
        given.keep.mkdir(parents=True, exist_ok=True)
    texts = {path.stem: path.read_text(encoding="utf-8") for path in sorted(PAGES.glob("*.md"))}
    printed: set[float] = set()
    wrong = 0
    with tempfile.TemporaryDirectory() as name:
        for page, text in texts.items():
            folder = (given.keep or Path(name)).resolve() / page
            folder.mkdir(exist_ok=True)
            if not (folder / "data").exists():
                (folder / "data").symlink_to(data)
            for block in commands(text):
                if given.pages and page not in given.pages:
                    continue
                print(f"{page}: {block.splitlines()[-1]}", file=sys.stderr, flush=True)
                printed |= numbers_of(run(block, folder, given.keep))
    for page in given.pages or texts:
        ours = our_numbers(texts[page])
        missing = [(row, number) for row, number in ours if not any(same(number, p) for p in printed)]
        wrong += len(missing)
        print(f"{page}: {len(ours) - len(missing)} of {len(ours)} numbers are printed by a command")
        for row, number in missing:
            print(f"  {number} is printed by no command: {row}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
