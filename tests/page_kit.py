"""What tests of a rater's page share: a client on the same machine, and Chromium's way through a HIT."""

from __future__ import annotations

from typing import Any

from human_kit import Layout
from starlette.testclient import TestClient

#: HITs of 8 places
SHORT = Layout(blocks=2, system=1)
READY = "() => document.getElementById('next')?.getAttribute('aria-disabled') === 'false'"


class LocalClient(TestClient):
    """A browser on the machine of the server."""

    def __init__(self, app: Any, **options: Any) -> None:
        here = {"base_url": "http://localhost", "client": ("127.0.0.1", 50_000)}
        super().__init__(app, **{**here, **options})


def begun(open_page: Any, link: str, **how: Any) -> Any:
    page = open_page(**how)
    page.goto(link)
    page.get_by_role("button", name="I agree").click()
    return page


#: what has the focus: how it is answered by keyboard
FOCUS = """() => {
  const e = document.activeElement ?? {};
  if (e.id === 'play' || e.id === 'next') return e.id;
  return e.getAttribute?.('role') === 'slider' ? 'slider' : e.type ?? '';
}"""


def by_keyboard(page: Any, digit: str = "7", *, play: bool = True) -> None:
    """Answers the item at hand without a mouse: every question that Tab leads to, then Next."""
    marked = False
    for _ in range(80):
        here = page.evaluate(FOCUS)
        if here == "play" and play and not page.evaluate("() => document.querySelector('video')?.ended"):
            page.keyboard.press("Enter")
            page.wait_for_function("() => document.querySelector('video')?.ended")
        elif here == "slider":
            page.keyboard.press(digit)
        elif here in ("radio", "checkbox"):
            page.keyboard.press("Space")
            marked = True
        elif here == "next" and page.evaluate(READY):
            page.keyboard.press("Enter")
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"Next was not reached; marked: {marked}")
