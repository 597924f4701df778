"""Error spans in Chromium: words marked by mouse, by keyboard alone and by touch on a phone; pages in
Japanese and in the dark; captions with times that lead into the clip."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import human_kit
import pytest
from human_kit import CampaignRequest, Folder, Layout, prepare, write

from storymeter.captions import Caption, Corpus, Document
from storymeter.human.analysis.span_records import Span, spans_of

Serve = Callable[[Folder], tuple[str, list[str]]]
READY = "() => document.getElementById('next')?.getAttribute('aria-disabled') === 'false'"
SHORT = Layout(blocks=2, system=1)


def count(page: Any, text: str) -> None:
    page.wait_for_function("text => document.getElementById('count')?.textContent === text", arg=text)


def watch(page: Any) -> None:
    page.wait_for_function(
        "() => !document.getElementById('why')?.textContent.match(/clip|動画/)", timeout=60_000
    )


@pytest.fixture
def study(tmp_path: Path, clips: Path) -> Folder:
    return human_kit.campaign(tmp_path / "study", clips, items=20, task="spans", layout=SHORT, watch=0.2)


def test_by_mouse(study: Folder, served: Serve, open_page: Any, violations: Any, photograph: Any) -> None:
    _, links = served(study)
    page = open_page(viewport={"width": 1280, "height": 900})
    page.goto(links[0])
    assert "Mark the words" in page.locator(".steps").text_content()
    page.get_by_role("button", name="I agree").click()
    size = study.campaign.hit_size
    for n in range(1, size + 1):
        count(page, f"{n} of {size}")
        page.locator("#play").click()
        watch(page)
        assert page.locator("#why").text_content() == "Mark the wrong words, or say that nothing is wrong."
        if n % 2:
            words = page.locator(".word")
            words.nth(1).hover()
            page.mouse.down()
            words.nth(3).hover()
            page.mouse.up()
            assert "how bad" in page.locator("#why").text_content()
            page.get_by_label("major").check(force=True)
            page.get_by_label("action").check(force=True)
            words.nth(5).click()
            mark = page.locator(".mark").nth(1)
            mark.get_by_label("minor").check(force=True)
            mark.get_by_label("object").check(force=True)
            page.locator("#missing").fill("the river")
            if n == 1:  # the mark behind the text is asked how bad it is, and not what it is about
                page.get_by_role("button", name="[missing], not marked").click()
                assert "how bad" in page.locator("#why").text_content()
                behind = page.locator(".mark").nth(2)
                assert behind.locator("fieldset").count() == 1
                behind.get_by_label("major").check(force=True)
                photograph(page, "spans")
                assert violations(page) == []
        else:
            page.get_by_label("Nothing is wrong").check()
        page.locator("#slider").scroll_into_view_if_needed()
        box = page.locator("#slider").bounding_box()
        page.mouse.click(box["x"] + box["width"] * 0.4, box["y"] + box["height"] / 2)
        page.wait_for_function(READY)
        page.locator("#next").click()
    page.wait_for_selector("#code")
    found = human_kit.answers(study)
    assert len(found) == size and {one.criterion for one in found} == {"spans"}
    for one in found:
        text, marks = one.meta["text"], spans_of(one)
        if one.position % 2 == 0:
            words = text.split()
            if one.position == 0:
                assert marks.pop() == Span(len(text), len(text), "major", "missing")
            assert [text[m.start : m.end] for m in marks] == [" ".join(words[1:4]), words[5]]
            assert [(m.severity, m.kind) for m in marks] == [("major", "action"), ("minor", "object")]
            assert one.meta["missing"] == "the river"
        else:
            assert marks == [] and one.meta["missing"] == ""
        assert ("planted" in one.meta) == (one.kind == "degraded")


def test_by_keyboard_alone(study: Folder, served: Serve, open_page: Any, photograph: Any) -> None:
    _, links = served(study)
    page = open_page(viewport={"width": 1280, "height": 900})
    page.goto(links[0])
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    count(page, f"1 of {study.campaign.hit_size}")
    for _ in range(8):  # instructions, comment and the controls of the clip come before it
        page.keyboard.press("Tab")
        if page.evaluate("() => document.activeElement.id") == "play":
            break
    assert page.evaluate("() => document.activeElement.id") == "play"
    page.keyboard.press("Enter")
    watch(page)
    page.keyboard.press("Tab")
    assert page.evaluate("() => document.activeElement.className") == "word"
    for key in ("ArrowRight", "Shift+ArrowRight", "Shift+ArrowRight", "Enter"):
        page.keyboard.press(key)
    assert page.locator(".word.marked").count() == 3
    photograph(page, "spans-keyboard")
    page.keyboard.press("Delete")
    assert page.locator(".word.marked").count() == 0
    page.keyboard.press("Enter")
    assert page.locator(".word.marked").count() == 1
    page.keyboard.press("Tab")  # the button that takes the mark away
    page.keyboard.press("Tab")
    page.keyboard.press("Space")  # minor
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")  # the first kind was skipped, the second is chosen
    page.keyboard.press("Tab")
    assert page.evaluate("() => document.activeElement.id") == "missing"
    page.keyboard.type("a dog")
    page.keyboard.press("Tab")
    assert page.evaluate("() => document.activeElement.id") == "slider"
    page.keyboard.press("7")
    page.wait_for_function(READY)
    page.keyboard.press("Enter")
    count(page, f"2 of {study.campaign.hit_size}")
    (one,) = human_kit.answers(study)
    (mark,) = spans_of(one)
    assert (one.value, mark.severity, mark.kind, one.meta["missing"]) == (70.0, "minor", "action", "a dog")
    assert one.meta["text"][mark.start : mark.end] == one.meta["text"].split()[3]


def test_by_touch_on_a_phone_in_japanese_and_in_the_dark(
    tmp_path: Path, clips: Path, served: Serve, open_page: Any, violations: Any, photograph: Any
) -> None:
    pytest.importorskip("budoux", reason="words of Japanese captions: the part human")
    ids = sorted(path.stem for path in clips.glob("*.webm"))[:12]
    told = (
        "犬が公園で赤いボールを追いかけている",
        "女の人が台所で野菜を切っている",
        "子供たちが川のそばで歌を歌う",
    )
    corpora = [
        Corpus(tuple(Document(i, (Caption(told[(k + n) % 3] + "。"),)) for k, i in enumerate(ids)), name)
        for n, name in enumerate((*human_kit.SYSTEMS, human_kit.HUMAN))
    ]
    options = CampaignRequest(
        task="spans",
        systems=corpora[:3],
        human=corpora[3],
        clips=clips,
        hits=1,
        layout=Layout(blocks=2, system=1, degraded=0, repeat=1, human=1),
        language="ja",
    )
    folder = write(prepare(options), tmp_path / "study")
    _, links = served(folder)
    page = open_page(
        viewport={"width": 390, "height": 844},
        device_scale_factor=2,
        is_mobile=True,
        has_touch=True,
        color_scheme="dark",
        locale="ja",
    )
    page.goto(links[0])
    photograph(page, "spans-phone-welcome-ja")
    assert violations(page) == []
    page.get_by_role("button", name="同意してはじめる").tap()
    count(page, f"1 / {folder.campaign.hit_size}")
    page.locator("#play").tap()
    watch(page)
    page.locator(".word").nth(2).tap()
    page.get_by_label("重い").check(force=True)
    page.get_by_label("場所").check(force=True)
    photograph(page, "spans-phone-ja")
    assert violations(page) == []
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    page.locator("#slider").scroll_into_view_if_needed()
    box = page.locator("#slider").bounding_box()
    page.touchscreen.tap(box["x"] + box["width"] * 0.3, box["y"] + box["height"] / 2)
    photograph(page, "spans-phone-ja-end")
    page.wait_for_function(READY)
    page.locator("#next").tap()
    count(page, f"2 / {folder.campaign.hit_size}")
    (one,) = human_kit.answers(folder)
    (mark,) = spans_of(one)
    assert (mark.severity, mark.kind) == ("major", "place")
    assert 0 < len(one.meta["text"][mark.start : mark.end]) < 6


def test_captions_with_times_lead_into_the_clip(
    tmp_path: Path, clips: Path, served: Serve, open_page: Any, violations: Any, photograph: Any
) -> None:
    ids = sorted(path.stem for path in clips.glob("*.webm"))[:4]
    corpora = [
        Corpus(
            tuple(
                Document(i, (Caption(f"{name} begins {i}", 0.0, 0.1), Caption(f"{name} ends {i}", 0.1, 0.2)))
                for i in ids
            ),
            name,
        )
        for name in human_kit.SYSTEMS[:2]
    ]
    folder = write(
        prepare(CampaignRequest(task="preference", systems=corpora, clips=clips, per_hit=4)),
        tmp_path / "study",
    )
    assert folder.campaign.hit_size == 8, "no test questions: four more comparisons are controls"
    _, links = served(folder)
    page = open_page(viewport={"width": 1200, "height": 1000}, color_scheme="dark")
    page.goto(links[0])
    page.get_by_role("button", name="I agree").click()
    count(page, "1 of 8")
    assert page.locator(".time").first.get_attribute("aria-disabled") == "true"
    page.locator("#play").click()
    page.wait_for_function("() => document.querySelector('.time')?.getAttribute('aria-disabled') === null")
    page.locator(".time").nth(1).click()
    page.wait_for_function("() => document.querySelector('video')?.currentTime >= 0.09")
    photograph(page, "preference-times-dark")
    assert violations(page) == []
