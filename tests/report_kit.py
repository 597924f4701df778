"""What the browser tests of reports share: the two reports that each test is run on, and what is seen of a
page.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import human_kit

import storymeter

ROOT = Path(__file__).resolve().parents[1]
ARTEFACTS = ROOT / "artefacts"
VIDEOS = ROOT / "examples" / "videos"


@dataclass(frozen=True)
class Report:
    """A page, the files it was made of, and the one document that has a clip."""

    page: Path
    candidates: tuple[Path, ...]
    references: tuple[Path, ...]
    metrics: tuple[str, ...]
    clip: str
    #: seconds: where a caption of that document begins
    begins: float
    #: words that are searched for; the document of the clip has them
    words: str

    @property
    def systems(self) -> list[str]:
        return [path.stem for path in self.candidates]

    @cached_property
    def text(self) -> str:
        return self.page.read_text(encoding="utf-8")

    @cached_property
    def data(self) -> dict[str, Any]:
        """What the page's script reads."""
        found = re.search(r'<script type="application/json" id="data">(.*?)</script>', self.text, re.DOTALL)
        assert found is not None
        return json.loads(found[1])

    @property
    def ids(self) -> list[str]:
        return self.data["ids"]

    def count(self, kept: int | None = None) -> str:
        """The line above the table."""
        return f"{len(self.ids):,} documents" if kept is None else f"{kept:,} of {len(self.ids):,} documents"

    def holding(self, words: str) -> list[str]:
        """The documents whose id and captions, of systems and references, hold all the words."""
        told = {id: id.lower() for id in self.ids}
        for path in (*self.candidates, *self.references):
            for document in storymeter.read(path):
                if document.id in told:
                    told[document.id] += "\n" + "\n".join(c.text.lower() for c in document.captions)
        return [id for id in self.ids if all(word in told[id] for word in words.split())]

    def values(self, system: int, metric: int = 0) -> list[float]:
        """In per cent, in the order of the documents."""
        return [100 * value for value in self.data["values"][system][metric]]


def example_report(folder: Path) -> Report:
    report = Report(
        folder / "report.html",
        tuple(VIDEOS / f"{name}.json" for name in ("good", "padded", "disordered")),
        tuple(VIDEOS / f"reference_{k}.json" for k in (1, 2)),
        ("soda_c", "soda_b", "meteor", "cider", "localisation"),
        clip="pancakes",
        begins=14,
        words="batter spoon",
    )
    _make(report, seconds=70, resamples=1000)
    return report


def large_report(folder: Path, anet: Path) -> Report:
    """BMT and two damaged copies on all of ActivityNet's validation videos, eight metrics."""
    for change in ("shuffle", "drop(share=0.5)"):
        name = change.partition("(")[0]
        _storymeter("stress", "apply", change, anet / "bmt_val_1.json", folder / f"{name}.json")
    report = Report(
        folder / "report.html",
        (anet / "bmt_val_1.json", folder / "shuffle.json", folder / "drop.json"),
        (anet / "val_1.json", anet / "val_2.json"),
        (
            *("soda_c", "soda_a", "soda_b", "anet(scorer=meteor)", "anet(scorer=cider)"),
            *("anet(scorer=bleu_4)", "localisation", "start_distance"),
        ),
        clip="v_-02DygXbn6w",
        begins=53.21,
        words="slowly snow boarding",
    )
    _make(report, seconds=110, resamples=999)
    return report


def _make(report: Report, *, seconds: float, resamples: int) -> None:
    clips = human_kit.tiny_clips(report.page.parent / "clips", [report.clip], seconds=seconds, rate=2)
    references = [part for path in report.references for part in ("-r", path)]
    metrics = [part for metric in report.metrics for part in ("-m", metric)]
    made = ("--videos", clips, "--title", "Three systems", "--resamples", resamples, "--out", report.page)
    _storymeter("report", *report.candidates, *references, *metrics, *made)


def _storymeter(*arguments: object) -> None:
    subprocess.run([sys.executable, "-m", "storymeter", *map(str, arguments)], check=True, timeout=900)


def photograph(page: Any, name: str, **options: Any) -> None:
    ARTEFACTS.mkdir(exist_ok=True)
    page.screenshot(path=str(ARTEFACTS / f"report-{name}.png"), **options)


def cut(page: Any) -> list[str]:
    """Elements that reach out of the page, but for those in boxes that scroll."""
    return page.evaluate(
        """() => [...document.querySelectorAll('main *')].filter(e => e.getClientRects().length)
        .filter(e => !e.closest('.scroll, .rows, pre, select, nav'))
        .filter(e => e.getBoundingClientRect().right > innerWidth + 1)
        .map(e => e.outerHTML.slice(0, 120))"""
    )


def printed(page: Any, path: Path) -> list[str]:
    """The page as a PDF: the squeezed text of each sheet. Fails where a letter lies outside its sheet."""
    import pypdfium2

    page.pdf(path=str(path), prefer_css_page_size=True)
    sheets = []
    with pypdfium2.PdfDocument(path) as document:
        for sheet in document:
            text, (width, height) = sheet.get_textpage(), sheet.get_size()
            for k in range(text.count_chars()):
                left, bottom, right, top = text.get_charbox(k)
                assert left >= -1 and bottom >= -1 and right <= width + 1 and top <= height + 1, (
                    f"sheet {len(sheets) + 1}: {text.get_text_range(max(0, k - 30), 60)!r}"
                )
            sheets.append(squeezed(text.get_text_range()))
    return sheets


def squeezed(text: str) -> str:
    """Without blanks, marks of order, and hyphens, which readers of PDF take for those of a line's end."""
    return re.sub(r"[\s▲▼\x02\xad\ufffe-]", "", text)
