"""Photograph the report for the documentation: light, dark, phone; from a real run on the examples.

python docs/make_report_pictures.py
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

HERE = Path(__file__).resolve().parent
VIDEOS = HERE.parent / "examples" / "videos"
SHOTS = {
    "light": ("", {"viewport": {"width": 1180, "height": 760}}, "header"),
    "dark": ("#d=pancakes", {"viewport": {"width": 1180, "height": 760}, "color_scheme": "dark"}, "#one"),
    "phone": ("", {"viewport": {"width": 390, "height": 844}, "device_scale_factor": 2}, "header"),
}


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        page_path = Path(folder) / "report.html"
        arguments = [
            *(str(VIDEOS / f"{name}.json") for name in ("good", "padded", "disordered")),
            *(part for k in (1, 2) for part in ("-r", str(VIDEOS / f"reference_{k}.json"))),
            *("-m", "soda_c,soda_b,meteor,cider,localisation", "--title", "Three systems"),
            *("--out", str(page_path)),
        ]
        subprocess.run([sys.executable, "-m", "storymeter", "report", *arguments], check=True)
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        for name, (address, options, where) in SHOTS.items():
            page = browser.new_page(**options)
            page.goto(f"file://{page_path}{address}")
            page.wait_for_selector("html[data-ready]", state="attached")
            page.wait_for_timeout(1000)  # the page walks to an opened document by itself
            page.evaluate(f"document.querySelector('{where}').scrollIntoView({{ behavior: 'instant' }})")
            page.wait_for_timeout(200)
            page.screenshot(path=str(HERE / f"report-{name}.png"))
        browser.close()


if __name__ == "__main__":
    main()
