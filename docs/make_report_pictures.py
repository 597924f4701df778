"""Photograph the report for the documentation: light, dark, phone, and the picture of the README; from real
runs on the examples.

python docs/make_report_pictures.py
"""

from __future__ import annotations

import io
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, sync_playwright

HERE = Path(__file__).resolve().parent
VIDEOS = HERE.parent / "examples" / "videos"
METRICS = "soda_c,soda_b,meteor,cider,localisation"
SHOTS = {
    "light": ("", {"viewport": {"width": 1180, "height": 760}}, "header"),
    "dark": ("#d=pancakes", {"viewport": {"width": 1180, "height": 760}, "color_scheme": "dark"}, "#one"),
    "phone": ("", {"viewport": {"width": 390, "height": 844}, "device_scale_factor": 2}, "header"),
}


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        page_path = Path(folder) / "report.html"
        _report(page_path, ("good", "disordered", "padded"), (1, 2), METRICS)
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        for name, (address, options, where) in SHOTS.items():
            page = browser.new_page(**options)
            page.goto(f"file://{page_path}{address}")
            page.wait_for_selector("html[data-ready]", state="attached")
            page.wait_for_timeout(1000)  # the page walks to an opened document by itself
            page.evaluate(f"document.querySelector('{where}').scrollIntoView({{ behavior: 'instant' }})")
            page.wait_for_timeout(200)
            page.screenshot(path=str(HERE / f"report-{name}.png"))
        _first(browser, Path(folder))
        browser.close()


def _first(browser: Browser, folder: Path) -> None:
    """docs/first.png: the leaderboard of three systems, below it one video of two of them."""
    board, one = folder / "report.html", folder / "one.html"
    _report(one, ("good", "disordered"), (1,), "soda_c")
    parts = []
    for path, where in ((f"{board}", "#leaderboard .scroll table"), (f"{one}#d=pancakes", "#one .lanes")):
        page = browser.new_page(
            viewport={"width": 900, "height": 1600}, device_scale_factor=1.5, bypass_csp=True
        )
        page.goto(f"file://{path}")
        page.wait_for_selector("html[data-ready]", state="attached")
        page.wait_for_timeout(1000)
        page.add_style_tag(content="nav.top { display: none !important } .board { width: 100% !important }")
        parts.append(Image.open(io.BytesIO(page.locator(where).first.screenshot())))
        page.close()
    gap = 30
    size = max(p.width for p in parts) + 2 * gap, sum(p.height + gap for p in parts) + gap
    picture = Image.new("RGB", size, "white")
    top = gap
    for part in parts:
        picture.paste(part.convert("RGB"), (gap, top))
        top += part.height + gap
    picture.quantize(128).save(HERE / "first.png", optimize=True)


def _report(path: Path, systems: Sequence[str], annotators: Sequence[int], metrics: str) -> None:
    arguments = [
        *(str(VIDEOS / f"{name}.json") for name in systems),
        *(part for k in annotators for part in ("-r", str(VIDEOS / f"reference_{k}.json"))),
        *("-m", metrics, "--title", "Three systems", "--out", str(path)),
    ]
    subprocess.run([sys.executable, "-m", "storymeter", "report", *arguments], check=True)


if __name__ == "__main__":
    main()
