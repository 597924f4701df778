"""Run the commands of docs/papers on the real data, and compare every number that the pages say is ours.

    python bench/papers.py [PAGE…]    soda nlp2020 direct-assessment rovist soda-poster; default: all
    python bench/papers.py --write    also store what was printed in tests/golden/papers.json

A reader's commands are the blocks ```sh that use the folder data/ (a block that needs files of your own is
left out) and the lines after `$ ` of the blocks ```console data. Those of a page run one after another in a
new folder. In a table, a row or column that says "here" or names BMT holds our numbers: a line of the output
must hold all of a row, or, where a row brings several commands together, each must stand in the output for
itself, rounded as it is on the page. A decimal in the sentences must be printed, too, whatever its
sign, unless it stands in a table of the page (the published values) or its sentence speaks of the paper.
Without commands of its own, a page is compared with the pages that it links to; a section whose commands all
need files of your own is left out. Exit 1 where a number is printed by no command. All pages take about 15
minutes on two cores; a test compares the pages with what was stored, and runs what takes seconds (with
STORYMETER_PAPERS=all: every command)."""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PAGES = ROOT / "docs" / "papers"
STORED = ROOT / "tests" / "golden" / "papers.json"
BLOCK = re.compile(r"^```(sh|console data)\n(.*?)^```", re.MULTILINE | re.DOTALL)
OURS = re.compile(r"\bhere\b|\bBMT\b")
NUMBER = re.compile(r"(?<![\w.])[+-]?\d*\.\d+(?![\w.]*\d)|(?<![\w.])\d[\d,]*\.?\d*")
#: a decimal in a sentence
DECIMAL = re.compile(r"(?<![\w.])[+-]?\d*\.\d+(?![\w.]*\d)|(?<![\w.])\d{1,3}(?:,\d{3})+(?!\d)")
#: what is no number of ours: names of sections, and sentences about the paper
SECTION = re.compile(r"\b[Ss]ections? \d[\d.]*")
THEIRS = re.compile(r"\b([Pp]ublished|[Pp]aper('s)?|there)\b")
#: seconds of processor time that a test may spend on a block
QUICK = 6.0


def blocks(page: str) -> list[str]:
    """What a reader types, where the public data are enough for it."""
    found = []
    for kind, body in BLOCK.findall(page):
        lines = body.splitlines()
        typed = lines if kind == "sh" else [line[2:] for line in lines if line.startswith("$ ")]
        if re.search(r"\bdata\b", body):
            found.append("\n".join(typed) + "\n")
    return found


def rows_of_ours(page: str) -> list[tuple[str, list[str]]]:
    """(row, numbers) of every row of a table that is ours, or of its columns that are."""
    found: list[tuple[str, list[str]]] = []
    head: list[str] = []
    sections = re.split(r"^(?=## )", page, flags=re.MULTILINE)
    for line in "".join(filter(_public, sections)).splitlines():
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
            ours: Iterable[str] = values
        elif len(cells) == len(head):
            ours = [cells[k] for k in columns]
        else:
            ours = []
        if numbers := [number for cell in ours for number in NUMBER.findall(cell)]:
            found.append((line, numbers))
    return found


def prose_of_ours(page: str) -> list[tuple[str, list[str]]]:
    """(sentence, decimals) of what stands between tables and code, but for values that a table of the page
    has.
    """
    body = re.sub(r"^```.*?^```", "", page, flags=re.MULTILINE | re.DOTALL)
    lines = body.splitlines()
    known = [float(n.replace(",", "")) for line in lines if line[:1] == "|" for n in NUMBER.findall(line)]
    prose = " ".join(line for line in lines if line[:1] != "|")
    prose = SECTION.sub("", re.sub(r"`[^`]*`|\]\([^)]*\)", "", prose))
    found = []
    for sentence in re.split(r"(?<=[.:;]) +(?=[A-Z(*\[])", prose):
        if not THEIRS.search(sentence):
            numbers = DECIMAL.findall(sentence)
            unknown = [n for n in numbers if not any(same(n.lstrip("+-"), abs(value)) for value in known)]
            found += [(sentence, unknown)] if unknown else []
    return found


def _public(section: str) -> bool:
    """Whether its tables can be compared: not where all its commands need files that are not public."""
    return bool(blocks(section)) or not BLOCK.search(section)


def _split(cells: list[str]) -> tuple[list[str], list[str]]:
    """The names at the front of a row, and its values."""
    first = next((k for k, cell in enumerate(cells) if NUMBER.match(cell.strip("*`"))), len(cells))
    return cells[:first], cells[first:]


def same(shown: str, printed: float) -> bool:
    """Whether a printed number is the shown one, which may have fewer places and no leading zero."""
    places = len(shown.partition(".")[2])
    return abs(float(shown.replace(",", "")) - printed) <= 0.5 * 10.0**-places + 1e-9


def lines_of(text: str) -> list[list[float]]:
    """The numbers of each line that has any, but for signatures."""
    lines = (line for line in text.splitlines() if "|version:" not in line)
    found = (NUMBER.findall(line.replace("-", " -")) for line in lines)
    return [[float(number.replace(",", "")) for number in numbers] for numbers in found if numbers]


def missing(numbers: Sequence[str], lines: Sequence[Sequence[float]]) -> list[str]:
    """Those that no line holds; none where one line holds all. Where a line holds all but one of three
    or more, in order, that one is wrong, even if it stands elsewhere by chance.
    """
    if any(all(any(same(number, p) for p in line) for number in numbers) for line in lines):
        return []
    if len(numbers) > 2:
        for k, number in enumerate(numbers):
            if any(_in_order([*numbers[:k], *numbers[k + 1 :]], line) for line in lines):
                return [number]
    return [number for number in numbers if not any(same(number, p) for line in lines for p in line)]


def _in_order(numbers: Sequence[str], line: Sequence[float]) -> bool:
    rest = iter(line)
    return all(any(same(number, printed) for printed in rest) for number in numbers)


def sources(name: str, pages: dict[str, str]) -> list[str]:
    """The pages whose commands print the numbers of this one."""
    if blocks(pages[name]):
        return [name]
    return [link for link in re.findall(r"\]\((\w[\w-]*)\.md", pages[name]) if link in pages]


def key_of(block: str) -> str:
    return hashlib.sha256(block.encode()).hexdigest()[:16]


def run(block: str, folder: Path) -> str:
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-ec", block],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "COLUMNS": "240", "NO_COLOR": "1", "PATH": path},
    )
    if done.returncode:
        raise SystemExit(f"{block}\n{done.stdout}")
    return done.stdout


def texts() -> dict[str, str]:
    return {path.stem: path.read_text(encoding="utf-8") for path in sorted(PAGES.glob("*.md"))}


def data_folder() -> Path:
    return Path(os.environ.get("STORYMETER_DATA", ROOT.parent / "shared" / "data")).resolve()


def compared(name: str, pages: dict[str, str], printed: dict[str, str]) -> list[tuple[str, str]]:
    """(row, number) of each number of a page that no command prints; `printed`: by key of the block."""
    known = [key_of(block) for source in sources(name, pages) for block in blocks(pages[source])]
    lines = [line for key in known if key in printed for line in lines_of(printed[key])]
    sizes = [[abs(number) for number in line] for line in lines]
    lost = [(row, one) for row, numbers in rows_of_ours(pages[name]) for one in missing(numbers, lines)]
    for sentence, numbers in prose_of_ours(pages[name]):
        lost += [(sentence, n) for n in missing([number.lstrip("+-") for number in numbers], sizes)]
    return lost


def _store(pages: dict[str, str], stored: dict[str, Any]) -> None:
    """In the order of the pages, without blocks that they no longer have."""
    current = [key_of(block) for page in pages.values() for block in blocks(page)]
    kept = {key: stored[key] for key in current if key in stored}
    STORED.write_text(json.dumps(kept, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def main() -> int:
    import resource  # not on Windows, where a test reads this file

    plain = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=plain)
    parser.add_argument("pages", nargs="*", metavar="PAGE")
    parser.add_argument("--write", action="store_true", help="store what was printed")
    given = parser.parse_args()
    pages, data = texts(), data_folder()
    if not data.is_dir():
        raise SystemExit(f"The data are not at {data}; STORYMETER_DATA names another folder.")
    stored: dict[str, Any] = json.loads(STORED.read_text(encoding="utf-8")) if STORED.exists() else {}
    wanted = given.pages or list(pages)
    for name in dict.fromkeys(source for page in wanted for source in sources(page, pages)):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "data").symlink_to(data)
            (Path(folder) / "bench").symlink_to(ROOT / "bench")
            for block in blocks(pages[name]):
                start, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
                text = run(block, Path(folder))
                seconds, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
                cost = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
                print(
                    f"{seconds:6.1f} s ({cost:.1f} of processor)  {name}: {block.splitlines()[-1]}",
                    file=sys.stderr,
                )
                stored[key_of(block)] = {"page": name, "quick": cost < QUICK, "printed": text}
                if given.write:
                    _store(pages, stored)
    printed = {key: entry["printed"] for key, entry in stored.items()}
    wrong = 0
    for name in wanted:
        count = sum(len(n) for _, n in [*rows_of_ours(pages[name]), *prose_of_ours(pages[name])])
        lost = compared(name, pages, printed)
        wrong += len(lost)
        print(f"{name}: {count - len(lost)} of {count} numbers are printed by a command")
        for row, number in lost:
            print(f"  {number} is printed by no command: {row}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
