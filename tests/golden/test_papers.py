"""Every number that docs/papers call ours is printed by the commands of the pages.

What the commands print is stored (`python bench/papers.py --write` runs them all, in 15 minutes); here
the pages are compared with it, and the commands that take seconds are run again; with
STORYMETER_PAPERS=all every command is run."""

from __future__ import annotations

import importlib.util
import json
import os
import random
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
#: a file that a command writes, not one of the data
FILE = re.compile(r"(?<![/\w])\w+\.(?:json|csv|py)\b")


@pytest.fixture(scope="module")
def papers() -> ModuleType:
    spec = importlib.util.spec_from_file_location("bench_papers", ROOT / "bench" / "papers.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def stored(papers: ModuleType) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = json.loads(papers.STORED.read_text(encoding="utf-8"))
    return found


@pytest.fixture(scope="module")
def printed(stored: dict[str, dict[str, Any]]) -> dict[str, str]:
    return {key: entry["printed"] for key, entry in stored.items()}


def test_each_paper_has_a_page_with_numbers_of_ours(papers: ModuleType) -> None:
    pages = papers.texts()
    assert set(pages) == {"soda", "soda-poster", "nlp2020", "rovist", "direct-assessment"}
    for name, text in pages.items():
        assert papers.rows_of_ours(text), name
        assert papers.sources(name, pages), name


def test_what_every_command_prints_is_stored(papers: ModuleType, printed: dict[str, str]) -> None:
    new = [
        block
        for page in papers.texts().values()
        for block in papers.blocks(page)
        if papers.key_of(block) not in printed
    ]
    assert not new, "python bench/papers.py --write stores what these print:\n" + "\n".join(new)


def test_every_number_is_printed_by_a_command(papers: ModuleType, printed: dict[str, str]) -> None:
    pages = papers.texts()
    assert [lost for name in pages for lost in papers.compared(name, pages, printed)] == []


def test_a_wrong_number_is_found(papers: ModuleType, printed: dict[str, str]) -> None:
    """Another last digit, in the rows that stand in one line of the output."""
    rng, found, tried = random.Random(7), 0, 0
    pages = papers.texts()
    for name, text in pages.items():
        for row, numbers in papers.rows_of_ours(text):
            if len(numbers) < 3:
                continue
            place = rng.randrange(len(numbers))
            digit = re.sub(r"\d$", lambda last: str((int(last[0]) + 3) % 10), numbers[place])
            cells = row.rsplit(numbers[place], 1)
            wrong = text.replace(row, digit.join(cells), 1)
            tried += 1
            found += bool(papers.compared(name, {**pages, name: wrong}, printed))
    assert tried > 30 and found >= 0.9 * tried, (found, tried)


def test_decimals_of_sentences_are_compared(papers: ModuleType) -> None:
    """But for those of the paper, of a table, and numbers of sections."""
    page = "| | published |\n|:--|--:|\n| r | .80 |\n\nIt falls by 4.5 % from .80."
    page += " The median is .545 (section 4.1):"
    page += "\n```sh\nx 9.9\n```\nIn the paper it is 7.7. Of 1,302 videos `a=2.2` has 3, and [b](c1.1.md)."
    ours = papers.prose_of_ours(page)
    assert [numbers for _, numbers in ours] == [["4.5"], [".545"], ["1,302"]]
    pages = {"one": page.replace("x 9.9", "x data")}
    (block,) = papers.blocks(pages["one"])
    printed = {papers.key_of(block): "falls -4.5\n0.5446 of 1302"}
    assert papers.compared("one", pages, printed) == []
    wrong = {"one": pages["one"].replace("1,302", "1,303")}
    assert [number for _, number in papers.compared("one", wrong, printed)] == ["1,303"]


def test_a_number_that_no_command_prints_is_found(papers: ModuleType) -> None:
    page = "| | m=1 |\n|:--|--:|\n| published | 9.99 |\n| BMT, here | 5.12 (-3.1) |\n\n"
    page += "| | here |\n|:--|--:|\n| r | .5 |\n"
    assert [numbers for _, numbers in papers.rows_of_ours(page)] == [["5.12", "-3.1"], [".5"]]
    lines = papers.lines_of("anet   5.12 ± 0.02 (-3.1)\nr   +0.498")
    assert [one for _, numbers in papers.rows_of_ours(page) for one in papers.missing(numbers, lines)] == []
    assert papers.missing(["5.13"], lines) == ["5.13"]
    files = "## Study\n\n```sh\nstorymeter show a mine.json\n```\n\n| | here |\n|:--|--:|\n| r | .7 |\n"
    assert papers.rows_of_ours(files) == []  # nobody else has the files


#: rows that are compared at least; the commands of nlp2020 all take longer
LEAST = {"soda": 10, "direct-assessment": 15, "rovist": 1}
ALL = os.environ.get("STORYMETER_PAPERS") == "all"
if ALL:
    LEAST |= {"nlp2020": 1}


@pytest.mark.parametrize("name", LEAST)
def test_quick_commands_print_their_rows(
    papers: ModuleType, stored: dict[str, dict[str, Any]], data: Path, tmp_path: Path, name: str
) -> None:
    page, shown = papers.texts()[name], 0
    (tmp_path / "data").symlink_to(data)
    (tmp_path / "bench").symlink_to(ROOT / "bench")
    left: set[str] = set()  # files of the blocks that are not run
    for block in papers.blocks(page):
        entry = stored[papers.key_of(block)]
        files = set(FILE.findall(block))
        if not (ALL or entry["quick"]) or files & left:
            left |= {file for file in files if not (tmp_path / file).exists()}
            continue
        if f"$ {block}" in page:  # test_docs runs the blocks of a console
            continue
        before, now = (papers.lines_of(text) for text in (entry["printed"], papers.run(block, tmp_path)))
        for row, numbers in papers.rows_of_ours(page):
            if not papers.missing(numbers, before):
                assert not papers.missing(numbers, now), (row, block)
                shown += 1
    assert shown >= LEAST[name]


#: reads the stories of figure 5 from the text of the paper, and prints what `storymeter show` says of them
FIGURE_5 = """
import json, re, sys
from click.testing import CliRunner
from storymeter.cli import cli
rows = [line.split("\\t") for line in open(sys.argv[1], encoding="utf-8") if "Sent 1-2:" in line]
stories = {
    name: [f"{s.strip().lower()} ." for s in re.findall(r"([^.]+)\\.", re.sub(r"\\b(?:\\d|S)\\. ", "", text))]
    for name, text, *_ in rows
}
stories = {name: [re.sub("^ve ", "we ", s) for s in story] for name, story in stories.items()}
json.dump(stories, open("figure5.json", "w"))
for name in stories:
    done = CliRunner().invoke(cli, ["show", name, "figure5.json", "--lists", "story"])
    links = re.findall(r"\\| (0\\.\\d+)", done.output)
    print(name, *links, re.search(r"coherence \\(C\\) ([\\d.]+)", done.output)[1])
"""


def test_figure_5_of_rovist(papers: ModuleType, data: Path, tmp_path: Path) -> None:
    texts = sorted((data.parent / "papers").glob("002_*.txt"))
    if not texts:
        pytest.skip("needs the text of the paper beside the data")
    pytest.importorskip("tokenizers", reason="pip install 'storymeter[neural]' runs this test")
    done = subprocess.run(
        [sys.executable, "-c", FIGURE_5, str(texts[0])], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    lines = papers.lines_of(done.stdout)
    page = papers.texts()["rovist"]
    section = page[page.index("## Figure 5") :].partition("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("| | here |")]
    assert len(rows) == len(lines) == 4
    for row, line in zip(rows, lines, strict=True):
        assert papers.missing(papers.NUMBER.findall(row), [line[-5:]]) == [], (row, line)


@pytest.mark.parametrize(
    ("card", "begin"),
    [("grounding", "**What VG and `rovist` follow**"), ("coherence", "**Order and topic**")],
)
def test_model_cards_have_the_rows_of_the_command(papers: ModuleType, card: str, begin: str) -> None:
    """`python bench/rovist.py > tests/golden/written/rovist.txt` prints what is stored, in ten minutes."""
    stored = papers.lines_of((ROOT / "tests/golden/written/rovist.txt").read_text(encoding="utf-8"))
    text = (ROOT / "docs" / "models" / f"{card}.md").read_text(encoding="utf-8")
    section = text[text.index(begin) :].partition("\n**Limitations.**")[0]
    rows = [papers.NUMBER.findall(line) for line in section.splitlines() if re.search(r"\| [.\d]", line)]
    assert len(rows) >= 6
    for numbers in rows:
        assert any(papers._in_order(numbers, line) for line in stored), numbers
    sentences = [
        n for line in section.splitlines() if line.startswith("- ") for n in papers.NUMBER.findall(line)
    ]
    assert papers.missing([n for n in sentences if n.partition(".")[2]], stored) == []
