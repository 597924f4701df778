"""What bench/papers.py finds on the pages of the papers; the comparison itself runs for minutes."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def papers() -> ModuleType:
    spec = importlib.util.spec_from_file_location("bench_papers", ROOT / "bench" / "papers.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_each_paper_has_a_page_with_numbers_of_ours(papers: ModuleType) -> None:
    pages = {path.stem: path.read_text(encoding="utf-8") for path in papers.PAGES.glob("*.md")}
    assert set(pages) == {"soda", "soda-poster", "nlp2020", "rovist", "direct-assessment"}
    for name, text in pages.items():
        assert papers.our_numbers(text), name
    for name in ("soda", "nlp2020", "direct-assessment"):
        assert papers.commands(pages[name]), name


def test_a_number_that_no_command_prints_is_found(papers: ModuleType) -> None:
    page = "| | m=1 |\n|:--|--:|\n| published | 9.99 |\n| BMT, here | 5.12 (-3.1) |\n\n"
    page += "| | here |\n|:--|--:|\n| r | .5 |\n"
    assert [number for _, number in papers.our_numbers(page)] == ["5.12", "-3.1", ".5"]
    printed = papers.numbers_of("anet   5.12 ± 0.02 (-3.1)   +0.498")
    assert [n for _, n in papers.our_numbers(page) if not any(papers.same(n, p) for p in printed)] == []
    assert not any(papers.same("5.13", p) for p in printed)
