"""Raters in Chromium: whole HITs by mouse (all 100 items), by keyboard alone and on a phone (8 items each);
the other tasks; trouble; the dashboard.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import human_kit
import pytest
from human_kit import CampaignRequest, Folder, Layout, prepare, write

from storymeter.human.campaign.request import Question

#: HITs of 8 places
SHORT = Layout(blocks=2, system=1)
#: the share of a clip's and a text's time that a rater has to spend, where the wait is not the subject;
#: `test_preference` keeps the usual share, and waits for the server's clock
QUICK = 0.2
Serve = Callable[[Folder], tuple[str, list[str]]]
READY = "() => document.getElementById('next')?.getAttribute('aria-disabled') === 'false'"
#: the clip is over and the page asks for the rating
WATCHED = (
    "() => document.getElementById('why')?.textContent.startsWith('Move the slider') ||"
    " document.getElementById('next')?.getAttribute('aria-disabled') === 'false'"
)


def begun(open_page: Any, link: str, **how: Any) -> Any:
    """The task page of a rater who has agreed."""
    page = open_page(**how)
    page.goto(link)
    page.get_by_role("button", name="I agree").click()
    return page


def at(page: Any, n: int, total: int) -> None:
    try:
        page.wait_for_function(
            "text => document.getElementById('count')?.textContent === text", arg=f"{n} of {total}"
        )
    except Exception as error:
        said = page.evaluate(
            "() => Object.fromEntries(['count', 'why', 'notice'].map(id => [id,"
            " document.getElementById(id)?.textContent]))"
        )
        raise AssertionError(f"the page does not get to {n} of {total}; it says {said}") from error


def value_of(n: int) -> int:
    return (37 * n) % 101


def drag_to(page: Any, value: int) -> None:
    box = page.locator("#slider").bounding_box()
    x = box["x"] + box["width"] * value / 100
    page.mouse.move(x, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.up()


def on_a_phone(page: Any, name: str, violations: Any, photograph: Any) -> None:
    """From here on the screen is that of a phone: from top to bottom nothing sticks out."""
    page.set_viewport_size({"width": 390, "height": 844})
    for end, scroll in (("top", "0"), ("end", "document.documentElement.scrollHeight")):
        page.evaluate(f"() => window.scrollTo(0, {scroll})")
        photograph(page, f"phone-{name}-{end}")
    outside = page.evaluate(
        "() => [...document.querySelectorAll('body *')].filter(e => e.checkVisibility() &&"
        " e.getBoundingClientRect().right > innerWidth + 1).map(e => e.outerHTML.slice(0, 120))"
    )
    assert outside == [] and page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    assert violations(page) == []


def looked_at(page: Any, n: int, name: str, violations: Any, photograph: Any) -> None:
    """The first item on a wide screen, the second on a phone's."""
    if n == 1:
        photograph(page, name)
        assert violations(page) == []
    if n == 2:
        on_a_phone(page, name, violations, photograph)


@pytest.mark.slow
def test_a_whole_hit_by_mouse(
    tmp_path: Path, clips: Path, served: Serve, open_page: Any, violations: Any, photograph: Any
) -> None:
    folder = human_kit.campaign(tmp_path / "study", clips, contact="study@example.org", watch=QUICK)
    _, links = served(folder)
    page = open_page(viewport={"width": 1280, "height": 800})
    page.goto(links[0])
    photograph(page, "welcome")
    assert violations(page) == []
    page.get_by_role("button", name="I agree").click()
    at(page, 1, 100)
    photograph(page, "task-before")
    assert violations(page) == []
    assert page.locator("#why").text_content() == "Play the clip to its end first."
    page.locator("#next").click(force=True)
    at(page, 1, 100)
    assert (
        page.locator("#slider").get_attribute("aria-valuetext") == "no rating yet"
        and not page.locator(".knob").is_visible()
    )
    for n in range(1, 101):
        at(page, n, 100)
        page.locator("#play").click()
        page.wait_for_function(WATCHED)
        drag_to(page, value_of(n))
        if n == 7:
            photograph(page, "task-rated")
            assert violations(page) == []
        page.wait_for_function(READY)
        page.locator("#next").click()
    page.wait_for_selector("#code")
    photograph(page, "done")
    assert violations(page) == []
    found = human_kit.answers(folder)
    assert len(found) == 100
    assert all(abs(one.value - value_of(one.position + 1)) <= 1 for one in found)
    code = page.locator("#code").text_content()
    page.go_back()
    page.wait_for_selector("#code")
    assert page.locator("#code").text_content() == code, "the back button leads back to thanks"


@pytest.mark.slow
def test_a_whole_hit_by_keyboard_alone(
    tmp_path: Path, clips: Path, served: Serve, open_page: Any, photograph: Any
) -> None:
    folder = human_kit.campaign(tmp_path / "study", clips, items=20, layout=SHORT, watch=QUICK)
    _, links = served(folder)
    page = open_page(viewport={"width": 1280, "height": 800})
    page.goto(links[0])
    focus = "() => document.activeElement.id || document.activeElement.textContent.trim()"
    page.keyboard.press("Tab")
    assert "I agree" in page.evaluate(focus)
    page.keyboard.press("Enter")
    at(page, 1, 8)
    for _ in range(8):  # help, comment and the controls of the clip come before it
        page.keyboard.press("Tab")
        if page.evaluate(focus) == "play":
            break
    for n in range(1, 9):
        at(page, n, 8)
        assert page.evaluate(focus) == "play", "focus is where the work begins"
        page.keyboard.press("Enter")
        page.wait_for_function(WATCHED)
        page.keyboard.press("Tab")
        assert page.evaluate(focus) == "slider"
        if n == 1:
            photograph(page, "keyboard-focus")
            for key, expected in (
                ("ArrowRight", 0),
                ("ArrowRight", 1),
                ("PageUp", 11),
                ("PageDown", 1),
                ("Home", 0),
                ("ArrowLeft", 0),
                ("End", 100),
                ("ArrowUp", 100),
                ("ArrowDown", 99),
                ("4", 40),
            ):
                page.keyboard.press(key)
                assert page.locator("#slider").get_attribute("aria-valuenow") == str(expected), key
        page.keyboard.press(str(value_of(n) // 10 % 10))
        page.wait_for_function(READY)
        if n % 2:
            page.keyboard.press("Tab")
            assert page.evaluate(focus) == "next"
        page.keyboard.press("Enter")
    page.wait_for_selector("#code")
    found = human_kit.answers(folder)
    assert len(found) == 8 and all(one.value == value_of(one.position + 1) // 10 % 10 * 10 for one in found)


@pytest.mark.slow
def test_a_whole_hit_on_a_phone_with_a_reload(
    tmp_path: Path, clips: Path, served: Serve, open_page: Any, violations: Any, photograph: Any
) -> None:
    folder = human_kit.campaign(tmp_path / "study", clips, items=20, layout=SHORT, watch=QUICK)
    _, links = served(folder)
    page = open_page(
        viewport={"width": 390, "height": 844}, device_scale_factor=2, is_mobile=True, has_touch=True
    )
    page.goto(links[0])
    photograph(page, "phone-welcome")
    page.get_by_role("button", name="I agree").tap()
    for n in range(1, 9):
        at(page, n, 8)
        if n == 5:
            page.locator("#play").tap()
            page.reload()
            at(page, 5, 8)
        page.locator("#play").tap()
        page.wait_for_function(WATCHED)
        box = page.locator("#slider").bounding_box()
        page.touchscreen.tap(box["x"] + box["width"] * value_of(n) / 100, box["y"] + box["height"] / 2)
        page.wait_for_function(READY)
        if n == 3:
            photograph(page, "phone-task")
            assert violations(page) == []
            assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth"), (
                "nothing sticks out"
            )
        page.locator("#next").tap()
    page.wait_for_selector("#code")
    photograph(page, "phone-done")
    assert len(human_kit.answers(folder)) == 8


def test_preference(
    tmp_path: Path, clips: Path, served: Serve, open_page: Any, violations: Any, photograph: Any
) -> None:
    ids = sorted(path.stem for path in clips.glob("*.webm"))[:4]
    systems, _ = human_kit.corpora(ids, sentences=3)
    questions = [Question(item, "Which colour grew?", ("blue", "yellow", "none"), 0) for item in ids]
    folder = write(
        prepare(
            CampaignRequest(
                task="preference",
                systems=systems[:2],
                clips=clips,
                per_hit=4,
                questions=questions,
            )
        ),
        tmp_path / "study",
    )
    _, links = served(folder)
    page = begun(open_page, links[0], viewport={"width": 1200, "height": 1000})
    for n in range(1, 5):
        at(page, n, 4)
        page.locator("#play").click()
        page.wait_for_function(
            "() => document.getElementById('why')?.textContent.startsWith('Answer the question')"
        )
        page.get_by_label("blue" if n != 2 else "yellow").check(force=True)
        assert page.locator("#why").text_content() == "Choose one of the answers."
        page.get_by_label("B is much better").check(force=True)
        looked_at(page, n, "preference", violations, photograph)
        page.locator("#next").click()
    page.wait_for_selector("#code")
    found = human_kit.answers(folder)
    assert [one.value for one in found if one.kind == "test"] == [1.0, 0.0, 1.0, 1.0]
    key = folder.key
    for one in found:
        if one.criterion == "preference":
            left, _ = key[one.hit, one.meta["place"]].systems
            assert one.value == (2 if left == one.system else -2), "right is better, whoever stands there"


def test_survey(tmp_path: Path, served: Serve, open_page: Any, violations: Any, photograph: Any) -> None:
    from human_kit import HERE

    ids = ["story-01", "story-02", "story-03"]
    folder = write(
        prepare(
            CampaignRequest(
                task="survey", systems=human_kit.stories(ids), clips=HERE / "pictures", per_hit=3, watch=QUICK
            )
        ),
        tmp_path / "study",
    )
    _, links = served(folder)
    page = begun(open_page, links[0], viewport={"width": 1200, "height": 1000})
    for n in range(1, 4):
        at(page, n, 3)
        assert page.evaluate("() => [...document.images].every(i => i.complete)") or page.wait_for_function(
            "() => [...document.images].every(i => i.complete && i.naturalWidth)"
        )
        stories = page.locator("section.card h2").count()  # three, or one more that must lose
        assert page.locator("#why").text_content() == f"{3 * stories} marks are missing."
        if n == 1:
            seen = page.evaluate(
                "() => [...document.images].every(i => i.getBoundingClientRect().bottom < innerHeight"
                " && i.getBoundingClientRect().right <= innerWidth)"
            )
            assert seen, "all pictures are in view"
        for story in range(stories):
            for c, name in enumerate(("grounded", "coherent", "no_repetition")):
                page.locator(f"input[name='mark-{story}-{name}'][value='{(story + c) % 5}']").check(
                    force=True
                )
        assert page.locator("#why").text_content() == "Choose the best story."
        page.locator("input[name='vote'][value='1']").check(force=True)
        looked_at(page, n, "survey", violations, photograph)
        page.locator("#next").click()
    page.wait_for_selector("#code")
    found = [one for one in human_kit.answers(folder) if one.criterion != "test"]
    assert len(found) == 3 * 3 * 4 and len(human_kit.answers(folder)) == len(found) + 3, (
        "one story of each sequence had to lose"
    )
    for one in found:
        story = folder.key[one.hit, one.meta["place"]].systems.index(one.system)
        expected = (
            float(story == 1)
            if one.criterion == "vote"
            else (story + ("grounded", "coherent", "no_repetition").index(one.criterion)) % 5 + 1
        )
        assert one.value == expected


def test_two_tabs_no_connection_a_broken_clip_and_practice(
    tmp_path: Path, clips: Path, served: Serve, open_page: Any, photograph: Any
) -> None:
    folder = human_kit.small_campaign(tmp_path / "study", clips, practice=1, watch=QUICK)
    _, links = served(folder)
    page = begun(open_page, links[0])
    page.wait_for_function("() => document.getElementById('count')?.textContent === 'Practice 1 of 1'")
    page.locator("#play").click()
    page.wait_for_function(WATCHED)
    drag_to(page, 5)
    page.locator("#next").click()
    page.wait_for_function("() => document.getElementById('notice')?.textContent.includes('high rating was')")
    photograph(page, "practice-feedback")
    assert page.locator("#next").text_content() == "Continue" and page.locator("#stage *").count() == 0
    page.locator("#next").click()
    at(page, 1, 20)
    assert page.locator("#notice").is_hidden(), "practice is over, and so is its feedback"

    other = page.context.new_page()
    other.goto(links[0])
    at(other, 1, 20)
    for tab in (page, other):
        tab.locator("#play").click()
        tab.wait_for_function(WATCHED)
        drag_to(tab, 70 if tab is page else 20)
        tab.locator("#next").click()
        at(tab, 2, 20)
    assert "already answered" in other.locator("#notice").text_content()
    photograph(other, "stale-tab")
    assert [one.value for one in human_kit.answers(folder)] == [pytest.approx(70, abs=1)]
    other.close()

    page.locator("#play").click()
    page.wait_for_function(WATCHED)
    drag_to(page, 60)
    page.context.set_offline(True)
    page.locator("#next").click()
    page.wait_for_function("() => document.getElementById('notice')?.textContent.startsWith('No connection')")
    photograph(page, "offline")
    page.context.set_offline(False)
    at(page, 3, 20)

    page.route(re.compile(r"/m/"), lambda route: route.abort())
    page.reload()
    at(page, 3, 20)
    page.wait_for_function("() => document.body?.textContent.includes('could not be loaded')")
    photograph(page, "broken-clip")
    page.unroute(re.compile(r"/m/"))
    page.get_by_role("button", name="Try again").click()
    page.wait_for_function(WATCHED)
    drag_to(page, 60)
    page.locator("#next").click()
    at(page, 4, 20)
    page.route(re.compile(r"/m/"), lambda route: route.abort())
    page.reload()
    page.get_by_role("button", name="skip it").click()
    at(page, 5, 20)
    assert "Reported" in page.locator("#notice").text_content()
    assert len(human_kit.answers(folder)) == 3, "a skipped clip is no answer"
    page.unroute(re.compile(r"/m/"))
    page.go_back()
    page.wait_for_load_state()
    page.goto(links[0])
    at(page, 5, 20)


def test_a_slow_network(tmp_path: Path, clips: Path, served: Serve, open_page: Any, photograph: Any) -> None:
    """50 kB/s and 400 ms each way: the page says that it loads and that it saves, and the work gets done."""
    folder = human_kit.campaign(
        tmp_path / "study", clips, items=20, layout=Layout(blocks=2, system=1, degraded=0, repeat=0, human=1)
    )
    _, links = served(folder)
    page = open_page(viewport={"width": 390, "height": 844})
    wire = page.context.new_cdp_session(page)
    wire.send("Network.enable")
    wire.send(
        "Network.emulateNetworkConditions",
        {"offline": False, "latency": 400, "downloadThroughput": 50_000, "uploadThroughput": 50_000},
    )
    page.goto(links[0])
    page.get_by_role("button", name="I agree").click()
    page.get_by_text("the task is loading").wait_for()
    photograph(page, "slow-loading")
    for n in range(1, folder.campaign.hit_size + 1):
        at(page, n, folder.campaign.hit_size)
        assert page.locator("#wait").count() == 0
        page.locator("#play").click()
        page.wait_for_function(WATCHED)
        drag_to(page, value_of(n))
        page.wait_for_function(READY)
        page.locator("#next").click()
        if n < folder.campaign.hit_size:
            page.wait_for_function("() => document.getElementById('why')?.textContent === 'Saving …'")
            assert page.locator("#next").get_attribute("aria-disabled") == "true"
            if n == 1:
                photograph(page, "slow-saving")
    page.wait_for_selector("#code")
    assert [one.value for one in human_kit.answers(folder)] == [
        pytest.approx(value_of(n), abs=1) for n in range(1, folder.campaign.hit_size + 1)
    ]


def test_word_of_the_play_that_comes_late_or_never(
    tmp_path: Path, clips: Path, served: Serve, open_page: Any
) -> None:
    """The server's clock misses time that was spent watching: the page waits, the rater does not watch
    again.
    """
    folder = human_kit.small_campaign(tmp_path / "study", clips)
    _, links = served(folder)
    page = begun(open_page, links[0])
    held: list[Any] = []

    def late(route: Any) -> None:
        held.append(route)
        if json.loads(route.request.post_data)["event"] == "ended":
            for one in held:
                one.continue_()

    for n, trouble in enumerate((late, lambda route: route.abort()), start=1):
        at(page, n, 20)
        page.route(re.compile(r"/event$"), trouble, times=2)
        page.locator("#play").click()
        page.wait_for_function(WATCHED)
        drag_to(page, value_of(n))
        page.wait_for_function(READY)
        page.locator("#next").click()
        at(page, n + 1, 20)
    assert [one.value for one in human_kit.answers(folder)] == [
        pytest.approx(value_of(n), abs=1) for n in (1, 2)
    ]


def test_the_dashboard(
    tmp_path: Path, served: Serve, open_page: Any, violations: Any, photograph: Any
) -> None:
    import asyncio
    from concurrent.futures import ThreadPoolExecutor

    from storymeter.human.example import build
    from storymeter.human.rehearsal import Bot, Truth, mix, rehearse

    folder = build(tmp_path / "study", raters=6)
    (folder.path / "campaign.json").write_text(
        json.dumps({**json.loads((folder.path / "campaign.json").read_text()), "watch": 0.0})
    )
    url, links = served(Folder(folder.path))
    bots = [
        Bot(c, Truth(folder.campaign, folder.key), str(k))
        for k, c in enumerate(mix("honest=3,random=1,constant=1", 5))
    ]
    with ThreadPoolExecutor() as pool:  # the browser's driver keeps a loop of its own in this thread
        pool.submit(
            lambda: asyncio.run(rehearse(url, [link.removeprefix(url) for link in links[:5]], bots))
        ).result()
    page = open_page(viewport={"width": 1280, "height": 900})
    page.goto(url + "/admin")
    photograph(page, "admin-login")
    assert violations(page) == []
    page.get_by_label("Admin token").fill("wrong")
    page.keyboard.press("Enter")
    page.get_by_role("alert").wait_for()
    page.get_by_label("Admin token").fill(folder.secrets.admin_token)
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Raters").wait_for()
    photograph(page, "admin")
    assert violations(page) == []
    assert page.locator("tbody tr").count() == 5 and page.get_by_text("does not pass").count() >= 1
    page.get_by_role("link", name="Show it").click()
    page.get_by_role("columnheader", name="95 % interval").wait_for()
    photograph(page, "admin-ranking")
    assert violations(page) == []
    ranked = page.locator("table").first.locator("tbody th").all_text_contents()
    assert ranked == ["human", "careful", "vague", "confused"]
    page.get_by_role("link", name="r005").click()
    page.get_by_label("Reason").fill("clicks through")
    photograph(page, "admin-rater")
    assert violations(page) == [] and page.locator("tbody tr").count() == 50
    page.get_by_role("button", name="Hold").click()
    page.get_by_text("On hold: clicks through", exact=True).wait_for()
    page.get_by_role("button", name="Release").click()
    page.get_by_role("button", name="Hold").wait_for()
    page.get_by_role("link", name="Back").click()
    page.get_by_role("button", name="Close …").click()
    page.get_by_role("heading", name="Close the campaign?").wait_for()
    photograph(page, "admin-close")
    assert violations(page) == []
    page.get_by_role("link", name="Leave it open").click()
    page.get_by_role("button", name="Pause").click()
    page.locator(".state.paused").wait_for()
    visitor = open_page()
    visitor.goto(links[5])
    visitor.get_by_text("The study is paused").wait_for()
    photograph(visitor, "paused")
    with page.expect_download() as download:
        page.get_by_role("link", name="jsonl").click()
    assert len(Path(download.value.path()).read_text().splitlines()) == 250
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(url + "/admin")
    photograph(page, "phone-admin")
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
