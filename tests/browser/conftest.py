"""Chromium, axe-core, and a server per campaign."""

from __future__ import annotations

import os
import shutil
import subprocess
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import human_kit
import pytest
from human_kit import Folder, start

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
#: parts of Chromium that are not wanted: the two pages behind its address bar, which nobody sees without a
#: window, cost each context more than a small report does; the others are Playwright's own list, whose flag
#: this one takes the place of
UNWANTED = (
    *("WebUIOmniboxPopup", "WebUIOmniboxAimPopup"),
    *("AimEnabled", "AvoidCorsURLLoaderRestartOnRedirect", "AvoidUnnecessaryBeforeUnloadCheckSync"),
    *("DestroyProfileOnBrowserClose", "HttpsFirstBalancedModeAutoEnable", "HttpsUpgrades", "LensOverlay"),
    *("MediaRouter", "NetworkTimeServiceQuerying", "OptimizationHints", "PaintHolding"),
    *("PreconnectToSearch", "ThirdPartyStoragePartitioning"),
)
FLAGS = [
    f"--disable-features={','.join(UNWANTED)}",
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--mute-audio",
]
ARTEFACTS = Path(__file__).resolve().parents[2] / "artefacts"


@pytest.fixture(scope="module")  # while Playwright runs, no other test of this thread can start an event loop
def browser() -> Iterator[Any]:
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def clips(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return human_kit.tiny_clips(tmp_path_factory.mktemp("clips"), [f"qclip{k:02d}" for k in range(50)])


@pytest.fixture(scope="session")
def axe(tmp_path_factory: pytest.TempPathFactory) -> str:
    """axe-core's source, from npm, once for all processes of the run."""
    root = tmp_path_factory.getbasetemp()
    source = (root.parent if "PYTEST_XDIST_WORKER" in os.environ else root) / "axe.min.js"
    if not source.is_file():
        folder = tmp_path_factory.mktemp("axe")
        try:
            made = subprocess.run(
                ["npm", "pack", "axe-core", "--silent"],
                cwd=folder,
                capture_output=True,
                text=True,
                timeout=120,
                check=True,
            )
        except (OSError, subprocess.SubprocessError) as error:
            pytest.skip(f"axe-core cannot be had: {error}")
        with tarfile.open(folder / made.stdout.strip().splitlines()[-1]) as archive:
            member = archive.extractfile("package/axe.min.js")
            assert member is not None
            (folder / source.name).write_bytes(member.read())
        (folder / source.name).replace(source)  # whole or not at all, whichever process comes first
    return source.read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def violations(axe: str) -> Callable[[Any], list[str]]:
    """What axe-core finds on a page that is serious or worse."""

    errors = pytest.importorskip("playwright.sync_api")

    def look(page: Any) -> list[str]:
        if not page.evaluate("() => 'axe' in window"):  # it is half a megabyte
            page.evaluate(axe)
        for attempt in range(3):  # on a busy machine axe may give up waiting for a clip
            try:
                found = page.evaluate("() => axe.run(document, {resultTypes: ['violations']})")
                break
            except errors.Error:
                if attempt == 2:
                    raise
                page.wait_for_timeout(500)
        return [
            f"{v['id']} ({v['impact']}): {v['nodes'][0]['html'][:160]}"
            for v in found["violations"]
            if v["impact"] in ("serious", "critical")
        ]

    return look


@pytest.fixture
def served() -> Iterator[Callable[[Folder], tuple[str, list[str]]]]:
    """Starts the real server for a campaign; gives its address and the raters' links."""
    running = []

    def serve(folder: Folder) -> tuple[str, list[str]]:
        process, url = start(folder.path)
        running.append(process)
        return url, [url + link for link in folder.links()]

    yield serve
    for process in running:
        process.terminate()
        process.wait(timeout=20)


@pytest.fixture
def open_page(browser: Any) -> Iterator[Callable[..., Any]]:
    """A page in a fresh context that fails the test on script errors, CSP violations and requests to anywhere
    else.
    """
    contexts, troubles = [], []

    def make(**options: Any) -> Any:
        context = browser.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(60_000)  # for a hang, not for a busy machine
        page.on("pageerror", lambda error: troubles.append(f"script error: {error}"))
        page.on(
            "console",
            lambda message: (
                troubles.append(message.text)
                if message.type == "error" and "Content Security Policy" in message.text
                else None
            ),
        )
        page.on(
            "request",
            lambda request: (
                troubles.append(f"outside request: {request.url}")
                if not request.url.startswith(("http://127.0.0.1:", "blob:", "data:"))
                else None
            ),
        )
        return page

    yield make
    for context in contexts:
        context.close()
    assert not troubles, troubles


@pytest.fixture
def photograph() -> Callable[[Any, str], None]:
    ARTEFACTS.mkdir(exist_ok=True)
    return lambda page, name: page.screenshot(path=str(ARTEFACTS / f"human-{name}.png"), full_page=False)


@pytest.fixture
def look(browser: Any) -> Iterator[Callable[..., Any]]:
    """Opens a file; fails the test on script errors, violations of the policy, and requests to anywhere
    else.
    """
    contexts, troubles = [], []

    def make(path: Path, address: str = "", ready: bool = True, **options: Any) -> Any:
        context = browser.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(120_000)
        page.on("pageerror", lambda error: troubles.append(f"script error: {error}"))
        page.on("console", lambda message: troubles.append(message.text) if message.type == "error" else None)
        inside = f"file://{path.parent}/"
        page.on(
            "request",
            lambda request: (
                troubles.append(f"outside request: {request.url}")
                if not request.url.startswith((inside, "data:"))
                else None
            ),
        )
        page.goto(f"file://{path}{address}")
        if ready and options.get("java_script_enabled", True):
            page.wait_for_selector("html[data-ready]", state="attached")
        return page

    yield make
    for context in contexts:
        context.close()
    assert not troubles, troubles
