"""The page of a rater: clips as large as the window allows, help a click away, comments, pictures in view."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import human_kit
import pytest
from human_kit import HERE, CampaignRequest, Folder, prepare, write
from page_kit import READY, SHORT, begun, by_keyboard

from storymeter.human import preview

Serve = Callable[[Folder], tuple[str, list[str]]]
IN_VIEW = (
    "() => [...document.images].map(i => i.getBoundingClientRect())"
    ".every(b => b.top >= 0 && b.bottom < innerHeight)"
)


@pytest.mark.parametrize(("width", "height", "least"), [(1280, 720, 400), (1920, 1080, 700), (390, 844, 200)])
def test_the_clip_is_large(
    tmp_path: Path, clips: Path, served: Serve, open_page: Any, width: int, height: int, least: int
) -> None:
    folder = human_kit.campaign(tmp_path / "study", clips, items=20, layout=SHORT, watch=0.0)
    page = begun(open_page, served(folder)[1][0], viewport={"width": width, "height": height})
    page.locator("#play").wait_for()
    page.wait_for_function("() => document.querySelector('video')?.readyState > 0")
    box = page.locator("video").bounding_box()
    assert box["height"] >= least and box["y"] + box["height"] < height, box
    if width > 900:  # clip and question are seen together
        slider = page.locator("#slider").bounding_box()
        assert slider["y"] + slider["height"] < height and slider["x"] > box["x"] + box["width"]


def test_help_pause_and_comment(
    tmp_path: Path, clips: Path, served: Serve, open_page: Any, violations: Any
) -> None:
    folder = human_kit.campaign(
        tmp_path / "study", clips, items=20, layout=SHORT, watch=0.0, contact="organiser@example.org"
    )
    page = begun(open_page, served(folder)[1][0], viewport={"width": 1280, "height": 720})
    page.locator("#play").wait_for()
    page.get_by_role("button", name="Instructions").press("Enter")
    assert page.locator("dialog#help").is_visible() and violations(page) == []
    assert "organiser@example.org" in page.locator("#help").inner_text()
    page.keyboard.press("Escape")
    assert not page.locator("dialog#help").is_visible()
    assert page.get_by_role("slider", name="Volume").count() == 1
    assert page.get_by_role("button", name="Full screen").is_visible()
    assert page.locator(".left").inner_text() == "0:01 left"
    page.locator("#play").click()
    page.wait_for_function("() => document.querySelector('video')?.ended")
    page.locator("#slider").focus()
    page.keyboard.press("7")
    page.locator("summary").click()
    page.locator("#comment").fill("The clip is dark")
    page.wait_for_function(READY)
    assert violations(page) == []
    page.locator("#next").click()
    page.wait_for_function("() => document.getElementById('count')?.textContent === '2 of 8'")
    assert page.locator("#comment").input_value() == "", "a comment is for one item"
    [one] = human_kit.answers(folder)
    assert (one.value, one.meta["comment"]) == (70, "The clip is dark")


@pytest.mark.parametrize("allowed", [True, False])
def test_a_pause_where_the_study_allows_it(
    tmp_path: Path, served: Serve, open_page: Any, violations: Any, allowed: bool
) -> None:
    clips = human_kit.tiny_clips(tmp_path / "clips", [f"v{k}" for k in range(20)], seconds=60.0, rate=1)
    folder = human_kit.campaign(tmp_path / "study", clips, items=20, layout=SHORT, watch=0.0, pause=allowed)
    page = begun(open_page, served(folder)[1][0], viewport={"width": 1280, "height": 720})
    page.locator("#play").click()
    page.wait_for_function("() => document.querySelector('video')?.currentTime > 0.2")
    page.locator("video").click()
    if allowed:
        page.wait_for_function("() => document.querySelector('video')?.paused")
        page.locator("#play").click()
        page.wait_for_function("() => document.querySelector('video')?.paused === false")
    else:
        page.wait_for_timeout(200)
        assert page.evaluate("() => document.querySelector('video').paused") is False
    assert page.get_by_role("button", name="Pause").count() == allowed
    assert violations(page) == []


@pytest.mark.parametrize(("width", "height"), [(1280, 700), (390, 844)])
def test_pictures_stay_in_view(
    tmp_path: Path, served: Serve, open_page: Any, violations: Any, width: int, height: int
) -> None:
    request = CampaignRequest(
        task="survey",
        systems=human_kit.stories(["story-01", "story-02", "story-03"]),
        clips=HERE / "pictures",
        per_hit=3,
        watch=0.0,
    )
    folder = write(prepare(request), tmp_path / "study")
    page = begun(open_page, served(folder)[1][0], viewport={"width": width, "height": height})
    page.wait_for_function("() => document.images.length && [...document.images].every(i => i.naturalWidth)")
    page.evaluate("() => window.scrollTo(0, document.documentElement.scrollHeight / 2)")
    page.wait_for_timeout(100)
    assert page.evaluate(IN_VIEW)
    page.locator(".enlarge").first.click()
    assert page.locator("dialog.large img").is_visible() and violations(page) == []
    page.keyboard.press("Escape")


@pytest.mark.parametrize("task", ["da", "spans", "preference", "survey"])
def test_back_to_the_last_answer_by_keyboard(
    tmp_path: Path, clips: Path, served: Serve, open_page: Any, violations: Any, photograph: Any, task: str
) -> None:
    if task == "survey":
        stories = human_kit.stories(["story-01", "story-02", "story-03"])
        request = CampaignRequest(
            task="survey", systems=stories, clips=HERE / "pictures", per_hit=3, watch=0.0
        )
        folder = write(prepare(request), tmp_path / "study")
    else:
        # a control is right or wrong, so that another answer may be the same value
        more: dict[str, Any] = {"per_hit": 5, "controls": 0} if task == "preference" else {"layout": SHORT}
        folder = human_kit.campaign(tmp_path / "study", clips, items=20, task=task, watch=0.0, **more)
    page = begun(open_page, served(folder)[1][0], viewport={"width": 1280, "height": 720})
    count = "() => document.getElementById('count')?.textContent.startsWith('{n} ')"
    page.wait_for_function(count.replace("{n}", "1"))
    assert not page.locator("#back").is_visible(), "there is no last answer yet"
    by_keyboard(page)
    page.wait_for_function(count.replace("{n}", "2"))
    page.wait_for_function("() => document.getElementById('back')?.hidden === false")
    assert violations(page) == []
    [first] = {(one.position, one.meta.get("corrections")) for one in human_kit.answers(folder)}
    before = [one.value for one in human_kit.answers(folder)]
    assert first == (0, None)
    page.locator("#back").press("Enter")
    page.wait_for_function(count.replace("{n}", "1"))
    page.wait_for_function(READY)  # the answer stands there, and nothing has to be watched again
    assert violations(page) == []
    photograph(page, f"back-{task}")
    if task in ("da", "spans"):
        assert page.locator("#slider").get_attribute("aria-valuenow") == "70"
        page.locator("#slider").focus()
        page.keyboard.press("3")
    else:
        page.locator("input[type=radio]:checked").last.focus()
        page.keyboard.press("ArrowRight")
    page.locator("#next").press("Enter")
    page.wait_for_function(count.replace("{n}", "2"))
    after = human_kit.answers(folder)
    assert {(one.position, one.meta["corrections"]) for one in after} == {(0, 1)}, "one answer, changed once"
    assert [one.value for one in after] != before
    by_keyboard(page)
    page.wait_for_function(count.replace("{n}", "3"))


@pytest.mark.parametrize("task", ["da", "survey"])
def test_a_preview_shows_every_page_without_work(
    tmp_path: Path, clips: Path, open_page: Any, violations: Any, task: str
) -> None:
    """Consent, practice, every item and the last page, by one button that raters do not have."""
    if task == "survey":
        stories = human_kit.stories(["story-01", "story-02", "story-03"])
        request = CampaignRequest(task="survey", systems=stories, clips=HERE / "pictures", per_hit=3)
        folder, steps = write(prepare(request), tmp_path / "study"), ["1 of 3", "2 of 3", "3 of 3"]
    else:
        folder = human_kit.campaign(tmp_path / "study", clips, items=20, layout=SHORT, practice=2)
        steps = ["Practice 1 of 2", "Practice 2 of 2", *(f"{n} of 8" for n in range(1, 9))]
    with preview(folder.path) as address:
        page = begun(open_page, address, viewport={"width": 1280, "height": 720})
        for n, step in enumerate(steps):
            page.wait_for_function(f"() => document.getElementById('count')?.textContent === '{step}'")
            if n == 0:
                assert violations(page) == []
            page.locator("#pass").click()
        page.wait_for_selector("#code")
    assert human_kit.answers(folder) == [] and not Folder(folder.path).campaign.preview


@pytest.mark.parametrize("language", ["en", "ja"])
def test_a_place_that_another_rater_has_by_now(
    tmp_path: Path, clips: Path, served: Serve, open_page: Any, violations: Any, language: str
) -> None:
    """Two raters of one seat whom nobody signed: who has five answers first keeps it, and the page of the
    other one says so and offers another."""
    folder = human_kit.small_campaign(
        tmp_path / "study",
        clips,
        hits=1,
        raters_per_hit=1,
        watch=0.0,
        platform=human_kit.Platform("prolific", "C0DE"),
        language=language,
    )
    url, _ = served(folder)

    def come(number: int, **how: Any) -> Any:
        page = open_page(**how)
        ids = (("PROLIFIC_PID", number), ("STUDY_ID", 5), ("SESSION_ID", number))
        page.goto(f"{url}/prolific?" + "&".join(f"{name}={value:024x}" for name, value in ids))
        page.locator("form button").click()
        page.locator("#play").wait_for()
        return page

    def answer(page: Any, times: int) -> list[int]:
        link, given = page.url.removesuffix("/task"), []
        for _ in range(times):
            item = page.request.get(f"{link}/item").json()["next"]
            body = {"id": item["id"], "at": item["at"], "answer": {"value": 5}, "events": ["play", "ended"]}
            reply = page.request.post(f"{link}/answer", data=body)
            while reply.json().get("status") == "early":
                page.wait_for_timeout(1000 * reply.json()["missing"] + 50)
                reply = page.request.post(f"{link}/answer", data=body)
            given.append(reply.status)
        return given

    first = come(1, viewport={"width": 390, "height": 844}, color_scheme="dark")
    second = come(2)
    assert answer(first, 3) == [200] * 3 and answer(second, 5) == [200] * 5
    assert answer(first, 1) == [410]
    for title in ("Welcome back", "All places are taken right now"):
        if title == "Welcome back":
            first.reload()
        else:
            first.locator("form button").click()
            first.wait_for_url("**/wait")
        shown = first.locator("h1").text_content()
        assert (shown == title) == (language == "en") and violations(first) == []
        assert first.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    assert len(human_kit.answers(folder)) == 8, "what was acknowledged is kept"
