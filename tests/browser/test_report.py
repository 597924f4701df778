"""The report in Chromium: sort, filter, search, brush, open, play, keys, address, no script, print, phone,
dark. Each test runs on the report of the example and on one of ActivityNet's size.
"""

from __future__ import annotations

import itertools
import json
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, quote

import pytest
from report_kit import ROOT, Report, cut, example_report, large_report, photograph, printed, squeezed

import storymeter
from storymeter.report import write_report

DATA = Path(os.environ.get("STORYMETER_DATA", ROOT.parent / "shared" / "data"))


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Report:
    return example_report(tmp_path_factory.mktemp("example"))


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory, data: Path) -> Report:
    return large_report(tmp_path_factory.mktemp("large"), data / "anet")


# without the data the last test of this file skips and says why
@pytest.fixture(scope="module", params=["example", *(["large"] if DATA.is_dir() else [])])
def report(request: pytest.FixtureRequest) -> Report:
    made: Report = request.getfixturevalue(request.param)
    return made


def _board(page: Any) -> list[str]:
    return [text.strip() for text in page.locator("#board tbody th").all_inner_texts()]


def _rows(page: Any) -> list[str]:
    return page.locator("#rows tbody tr:not(.space) a").all_inner_texts()


def _column(page: Any, number: int) -> list[float]:
    cells = page.locator(f"#rows tbody tr:not(.space) td:nth-child({number})").all_inner_texts()
    return [float(text) for text in cells if text != "–"]


def _wait_for_count(page: Any, line: str) -> None:
    page.wait_for_function("line => document.getElementById('count')?.textContent === line", arg=line)


def test_the_verdict_follows_from_the_tests(report: Report, look: Callable[..., Any]) -> None:
    text = look(report.page).inner_text("#verdict")
    assert re.search(rf"{report.systems[0]} leads on \d of {len(report.metrics)} metrics", text)
    assert "ties with" in text or "drop leads on anet(scorer=meteor)" in text


def test_the_leaderboard_sorts_chooses_columns_and_is_copied(
    report: Report, look: Callable[..., Any]
) -> None:
    page = look(report.page)
    assert _board(page) == report.systems
    cells = page.locator('#board td[data-column="0"]')
    page.click('#board th[data-column="0"] button')
    values = [float(text.split()[0]) for text in cells.all_inner_texts()]
    assert values == sorted(values, reverse=True)
    page.click('#board th[data-column="0"] button')
    assert [float(text.split()[0]) for text in cells.all_inner_texts()] == values[::-1]
    assert _board(page)[-1] == report.systems[0]
    page.click("summary:has-text('Columns')")
    page.uncheck('#columns input[value="3"]')
    assert not page.is_visible('#board td[data-column="3"]')
    copied = {}
    for what in ("latex", "csv", "markdown", "signatures", "paragraph", "bibtex"):
        page.click(f'[data-copy="{what}"]')
        page.wait_for_function("() => document.documentElement.dataset.copied")
        copied[what] = page.evaluate("() => document.documentElement.dataset.copied")
        page.evaluate("() => { delete document.documentElement.dataset.copied }")
    hidden = report.metrics[3].replace("_", r"\_")
    assert r"\textbf{" in copied["latex"] and r"soda\_c" in copied["latex"] and hidden not in copied["latex"]
    assert copied["csv"].startswith("system,metric,value,low,high\n")
    assert f"{report.systems[1]},soda_c,0.0" in copied["csv"]
    assert "| system | soda_c |" in copied["markdown"] and "**" in copied["markdown"]
    assert "|tok:ptb|" in copied["signatures"] and "We scored 3 systems" in copied["paragraph"]
    assert "@inproceedings{fujita2020" in copied["bibtex"]


def test_luck_shows_one_metric_at_a_time(report: Report, look: Callable[..., Any]) -> None:
    page = look(report.page)
    assert page.locator(".luck:visible").count() == 1
    page.select_option("#luck-metric", "4")
    assert page.inner_text(".luck:visible h3") == report.metrics[4]


def test_documents_are_searched_filtered_and_ordered(report: Report, look: Callable[..., Any]) -> None:
    page = look(report.page)
    assert page.inner_text("#count") == report.count()
    assert _rows(page) == report.ids[: len(_rows(page))] and len(_rows(page)) >= 12
    found = report.holding(report.words)
    assert report.clip in found and len(found) < len(report.ids)
    page.fill("#search", report.words)
    _wait_for_count(page, report.count(len(found)))
    assert _rows(page) == found[: len(_rows(page))]
    page.click("#reset")
    a, b = report.values(0), report.values(1)
    page.fill("#low", "25")
    page.press("#low", "Enter")
    _wait_for_count(page, report.count(sum(value >= 25 for value in a)))
    assert min(_column(page, 2)) >= 25
    page.click("#reset")
    page.click('[data-order="ab"]')
    differences = sorted((x - y for x, y in zip(a, b, strict=True)), reverse=True)
    shown = _column(page, 5)
    assert len(shown) >= 12 and shown == pytest.approx(differences[: len(shown)], abs=0.006)
    page.select_option("#a", "1")
    page.click('[data-order="single"]')
    assert page.get_attribute('[data-order="single"]', "aria-pressed") == "true"
    single = _column(page, 6)
    assert single == sorted(single, reverse=True) and single[0] > 0


def test_a_box_drawn_around_dots_keeps_their_documents(report: Report, look: Callable[..., Any]) -> None:
    page = look(report.page)
    page.locator("#plane svg").scroll_into_view_if_needed()
    box = page.locator("#plane svg").bounding_box()
    page.mouse.move(box["x"] + box["width"] * 0.6, box["y"] + 5)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.99, box["y"] + box["height"] * 0.99, steps=5)
    page.mouse.up()
    page.wait_for_function("() => location.hash.includes('brush=')")
    left, right, low, high = map(float, parse_qs(page.url.partition("#")[2])["brush"][0].split(","))
    pairs = zip(report.data["values"][0][0], report.data["values"][1][0], strict=True)
    kept = sum(left <= x <= right and low <= y <= high for x, y in pairs)
    assert 0 < kept < len(report.ids)
    _wait_for_count(page, report.count(kept))
    again = look(report.page, f"#{page.url.partition('#')[2]}")
    assert again.inner_text("#count") == report.count(kept) and _rows(again) == _rows(page)


def test_a_dot_opens_its_document(report: Report, look: Callable[..., Any]) -> None:
    page = look(report.page)
    path = page.get_attribute("#plane path.kept", "d")
    x, y = (float(v) for v in re.findall(r"M([\d.]+) ([\d.]+)h0", path)[0])
    page.locator("#plane svg").scroll_into_view_if_needed()
    box = page.locator("#plane svg").bounding_box()
    page.mouse.move(box["x"] + x / 360 * box["width"], box["y"] + y / 360 * box["height"])
    page.mouse.down()
    page.mouse.up()
    page.wait_for_selector("#one:not([hidden])")
    assert page.inner_text("#one h3") in report.ids
    assert f"#d={quote(page.inner_text('#one h3'))}" in page.url


def test_a_caption_plays_the_video_where_it_stands(report: Report, look: Callable[..., Any]) -> None:
    page = look(report.page, f"#d={report.clip}")
    page.wait_for_function("() => document.querySelector('#one video')?.readyState >= 1")
    page.evaluate(
        """() => { const video = document.querySelector('#one video'); video.muted = true;
        video.addEventListener('seeking', () => { window.sought = video.currentTime }, { once: true }) }"""
    )
    page.locator(f"#one .event[data-start='{report.begins}'] .when").first.click()
    page.wait_for_function("begins => Math.abs(window.sought - begins) < .01", arg=report.begins)
    page.wait_for_function(
        "begins => document.querySelector('#one video')?.currentTime > begins", arg=report.begins
    )
    page.wait_for_function("() => Number(document.querySelector('#one .links line')?.getAttribute('x1')) > 0")
    assert page.locator("#one .lanes svg.links line").count() == 1
    photograph(page, f"document-{len(report.ids)}")


def test_links_words_annotators_and_matchings_of_a_document(report: Report, look: Callable[..., Any]) -> None:
    page = look(report.page, f"#d={report.clip}")
    page.locator("#one .event").first.hover()
    assert page.locator("#one .lanes svg.links path").count() >= 1
    assert page.locator("#one .event.linked").count() >= 1
    selects = page.locator("#one select")
    assert selects.count() == 3
    if report.data["words"]:  # a page of a hundred thousand pairs has no room for them
        selects.nth(2).select_option("links")
        assert page.locator("#one .w0").count() > 3
    selects.nth(2).select_option("unsaid")
    assert page.locator("#one .unsaid").count() > 0
    selects.nth(1).select_option("1")
    named = page.locator("#one h4:has-text('References')").all_inner_texts()
    assert named == [f"References: {report.references[1].stem}"]
    selects.nth(0).select_option("1")
    assert "al=1" in page.url
    page.click('[data-order="single"]')
    page.locator("#rows tbody tr:not(.space) a").first.click()
    page.wait_for_function("() => document.querySelector('#one')?.innerText.includes('no partner')")


def test_keys_walk_through_the_documents_and_the_address_holds_the_state(
    report: Report, look: Callable[..., Any]
) -> None:
    word = report.words.split()[0]
    page = look(report.page, f"#d={report.clip}&order=ab&q={word}&m=1&b=2&low=1")
    assert page.input_value("#search") == word and page.input_value("#low") == "1"
    assert page.input_value("#metric") == "1" and page.input_value("#b") == "2"
    assert page.get_attribute('[data-order="ab"]', "aria-pressed") == "true"
    high = [id for id, x in zip(report.ids, report.values(0, 1), strict=True) if x >= 1]
    assert page.inner_text("#count") == report.count(len(set(report.holding(word)) & set(high)))
    page.click("#reset")
    page.click('[data-order="id"]')
    at = report.ids.index(report.clip)
    opened = "id => document.querySelector('#one h3')?.textContent === id"
    page.locator("#one h3").click()
    page.keyboard.press("j")
    page.wait_for_function(opened, arg=report.ids[at + 1])
    page.keyboard.press("k")
    page.keyboard.press("k")
    page.wait_for_function(opened, arg=report.ids[at - 1])
    again = look(report.page, f"#{page.url.partition('#')[2]}")
    assert again.inner_text("#one h3") == report.ids[at - 1]
    page.go_back()
    page.wait_for_function(opened, arg=report.clip)


def test_complete_without_script(report: Report, look: Callable[..., Any]) -> None:
    page = look(report.page, java_script_enabled=False)
    for said in (f"{report.systems[0]} leads on", "localisation", "SHA-256"):
        assert said in page.inner_text("main")
    rows = page.locator("noscript table tbody tr")
    assert rows.count() == len(report.ids)
    assert rows.first.locator("td").count() == 3 * len(report.metrics)
    assert page.locator("noscript h3").count() == len(report.ids)  # all documents with all their captions
    assert "documents can be read" not in report.text
    lists = page.locator(f"noscript h3:text-is('{report.clip}') ~ ol")
    begins = f"{report.begins:g}"
    assert any(text.startswith(begins) for text in lists.first.locator("li").all_text_contents())
    assert page.locator("noscript li:has-text('no partner')").count() > 0
    assert page.locator(".luck:visible").count() == len(report.metrics) and not page.is_visible("#search")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_no_screen_is_cut_and_axe_finds_nothing_serious(
    report: Report, look: Callable[..., Any], violations: Callable[[Any], list[str]], scheme: str, width: int
) -> None:
    page = look(
        report.page,
        f"#d={report.clip}",
        viewport={"width": width, "height": 900},
        color_scheme=scheme,
        bypass_csp=True,  # axe is put into the page by its source
    )
    dark = page.evaluate("() => getComputedStyle(document.body).backgroundColor") == "rgb(20, 24, 31)"
    assert dark == (scheme == "dark")
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    assert not cut(page)
    assert not violations(page)
    page.evaluate("() => scrollTo(0, 0)")
    photograph(page, f"{scheme}-{width}-{len(report.ids)}")
    page.evaluate("() => document.getElementById('one').scrollIntoView({ behavior: 'instant' })")
    photograph(page, f"{scheme}-{width}-{len(report.ids)}-document")


def test_printed_nothing_is_cut(report: Report, look: Callable[..., Any], tmp_path: Path) -> None:
    page = look(report.page, f"#d={report.clip}")
    sheets = printed(page, tmp_path / "report.pdf")
    assert page.locator("#rows tbody tr:not(.space)").count() < 100  # the screen is as before
    page.click("#rows thead th:nth-child(2) button")
    assert "order=s0" in page.url
    page.click("#reset")
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 1032, "height": 730})  # A4 across, less its margins
    page.evaluate("() => dispatchEvent(new Event('beforeprint'))")
    assert not cut(page)
    clipped = page.evaluate(
        """() => [...document.querySelectorAll('.scroll, .rows')].filter(e => e.getClientRects().length)
        .filter(e => e.scrollWidth > e.clientWidth + 1 || e.scrollHeight > e.clientHeight + 1)
        .map(e => e.outerHTML.slice(0, 120))"""
    )
    assert not clipped
    whole = "".join(sheets)
    cells = page.locator("#board th, #board td, .luck th, .luck td, #rows th, #rows td, #one .text, dt")
    texts = [squeezed(text) for text in cells.all_inner_texts()]
    assert sum(map(bool, texts)) > 100 and not [text for text in texts if text not in whole]
    ids = _rows(page)
    assert ids == report.ids[: len(ids)] and len(ids) == min(500, len(report.ids))
    assert page.locator(".luck:visible").count() == len(report.metrics)
    first_of_all = f"Thefirst500of{len(report.ids):,}documents"
    assert (first_of_all in whole) == (len(report.ids) > 500)
    tables = [sheet for sheet in sheets if sum(squeezed(id) in sheet for id in ids) > 5]
    assert tables and not [sheet for sheet in tables if "nopartner" not in sheet]  # headings on each sheet
    assert len(sheets) < 12 + len(ids) / 20


def test_a_large_report_is_small_quick_and_scrolls(large: Report, browser: Any) -> None:
    assert large.page.stat().st_size <= 20e6 and [p.name for p in large.page.parent.glob("report*")] == [
        "report.html"
    ]
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.set_default_timeout(60_000)
    page.add_init_script(
        "window.tasks = []; new PerformanceObserver(l => tasks.push(...l.getEntries().map(e => e.duration)))"
        ".observe({ type: 'longtask', buffered: true })"
    )
    page.goto(f"file://{large.page}", wait_until="commit")
    page.wait_for_selector("html[data-ready]", state="attached")
    ready = page.evaluate("() => performance.now()")
    assert page.locator("#rows tbody tr").count() < 100
    page.locator("#rows").scroll_into_view_if_needed()
    page.evaluate("() => { tasks.length = 0 }")
    page.locator("#rows").hover()
    for _ in range(40):
        page.mouse.wheel(0, 4200)
        page.wait_for_timeout(25)
    assert page.evaluate("() => document.getElementById('rows').scrollTop") > 100_000
    longest = page.evaluate("() => Math.max(0, ...tasks)")
    sys.stdout.write(
        f"{large.page.stat().st_size / 1e6:.1f} MB, interactive after {ready:.0f} ms, longest task"
        f" {longest:.0f} ms"
    )
    assert "434 of 4,917 documents are missing; each counts 0" in page.inner_text("#verdict")
    page.fill("#search", "woman kitchen")
    page.wait_for_function("() => document.getElementById('count')?.textContent.includes(' of 4,917')")
    page.locator("#rows tbody a").first.click()
    page.wait_for_selector("#one:not([hidden]) .event")
    link = page.get_attribute("#one a[href*='youtube']", "href")
    assert link and re.fullmatch(r"https://www\.youtube\.com/watch\?v=[\w-]{11}&t=\d+s", link)
    page.close()


def test_boxes_carry_their_nouns(tmp_path: Path, look: Callable[..., Any]) -> None:
    """Every region stands on the picture that holds it, with the nouns that it shows best."""
    pytest.importorskip("torch")
    examples = ROOT / "examples" / "stories"
    stories, images = storymeter.read(examples / "good.json"), str(examples / "images")
    metrics = "rovist_vg(missing=skip)"
    results = storymeter.evaluate(candidates=stories, metrics=metrics, images=images)
    write_report(results, tmp_path / "a.html", title="stories", images=images)
    text = (tmp_path / "a.html").read_text()
    found = json.loads(re.search(r'id="data">(.*?)</script>', text, re.DOTALL).group(1))
    place, story = next((k, one) for k, one in enumerate(found["stories"][0]) if one and one.get("regions"))
    page = look(tmp_path / "a.html", f"#d={quote(found['ids'][place])}")
    frames = page.locator("ol.story .frame").all()
    assert len(frames) == len(story["images"])
    for number, frame in enumerate(frames):
        wanted = {r["noun"] for r in story["regions"] if r["picture"] == number}
        shown = [
            text.split(" (")[0]
            for label in frame.locator(".noun").all_inner_texts()
            for text in label.split(", ")
        ]
        assert set(shown) == wanted
    assert sum(len(one.locator(".noun").all()) for one in frames) > 0

    sizes = {"sea": 1.0, "boat": 0.6, "sail": 0.4}  # three regions of the grid begin at one corner
    story["regions"] = [
        {"noun": noun, "sentence": 0, "picture": 0, "box": [0, 0, size, size]} for noun, size in sizes.items()
    ]
    data = re.search(r'id="data">(.*?)</script>', text, re.DOTALL).group(1)
    (tmp_path / "b.html").write_text(text.replace(data, json.dumps(found)))
    page = look(tmp_path / "b.html", f"#d={quote(found['ids'][place])}")
    labels = page.locator("ol.story .frame").first.locator(".noun")
    # at one moment: the page above may still grow
    areas = labels.evaluate_all("found => found.map(one => one.getBoundingClientRect().toJSON())")
    assert len(areas) == 3
    for a, b in itertools.combinations(areas, 2):
        apart = a["x"] + a["width"] <= b["x"] or b["x"] + b["width"] <= a["x"]
        assert apart or a["y"] + a["height"] <= b["y"] + 1 or b["y"] + b["height"] <= a["y"] + 1, (a, b)
