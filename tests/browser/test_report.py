"""The report in Chromium: sort, filter, search, brush, open, play, keys, address, no script, print, phone,
dark.
"""

from __future__ import annotations

import random
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import human_kit
import pytest
from click.testing import CliRunner

import storymeter
from storymeter.captions import Caption, Corpus, Document
from storymeter.cli import cli
from storymeter.report.full.build import write_report
from storymeter.report.full.findings import Findings
from storymeter.report.full.videos import find_videos

ROOT = Path(__file__).resolve().parents[2]
ARTEFACTS = ROOT / "artefacts"
VIDEOS = ROOT / "examples" / "videos"
NAMES = ("good", "padded", "disordered")


def _findings(title: str, **options: Any) -> Findings:
    results = storymeter.evaluate(
        candidates=[storymeter.read(VIDEOS / f"{name}.json") for name in NAMES],
        references=[storymeter.read(VIDEOS / f"reference_{k}.json") for k in (1, 2)],
        metrics=["soda_c", "soda_b", "meteor", "cider", "localisation"],
    )
    return Findings(title, results, results.compare(), **options)


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    clips = human_kit.tiny_clips(folder / "clips", ["pancakes"], seconds=70, rate=2)
    page = folder / "report.html"
    findings = _findings("Three systems", videos=find_videos(clips, ["pancakes", "salad"], page))
    assert list(findings.videos) == ["pancakes"]
    assert write_report(page, findings) == [page]
    return page


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
        page.set_default_timeout(30_000)
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


def _photograph(page: Any, name: str, **options: Any) -> None:
    ARTEFACTS.mkdir(exist_ok=True)
    page.screenshot(path=str(ARTEFACTS / f"report-{name}.png"), **options)


def _systems(page: Any) -> list[str]:
    return [text.strip() for text in page.locator("#board tbody th").all_inner_texts()]


def _rows(page: Any) -> list[str]:
    return page.locator("#rows tbody tr:not(.space) a").all_inner_texts()


def test_verdict_follows_from_the_tests(example: Path, look: Callable[..., Any]) -> None:
    page = look(example)
    text = page.inner_text("#verdict")
    assert re.search(r"good leads on \d of 5 metrics", text)
    assert "localisation" in text and "ties with disordered" in text


def test_leaderboard_sorts_chooses_columns_and_is_copied(example: Path, look: Callable[..., Any]) -> None:
    page = look(example)
    assert _systems(page) == list(NAMES)
    page.click('#board th[data-column="0"] button')
    values = [float(t.split()[0]) for t in page.locator('#board td[data-column="0"]').all_inner_texts()]
    assert values == sorted(values, reverse=True)
    page.click('#board th[data-column="0"] button')
    assert _systems(page)[-1] == "good"
    page.click("summary:has-text('Columns')")
    page.uncheck('#columns input[value="3"]')
    assert not page.is_visible('#board td[data-column="3"]')
    copied = {}
    for what in ("latex", "csv", "markdown", "signatures", "paragraph", "bibtex"):
        page.click(f'[data-copy="{what}"]')
        page.wait_for_function("() => document.documentElement.dataset.copied")
        copied[what] = page.evaluate("() => document.documentElement.dataset.copied")
        page.evaluate("() => { delete document.documentElement.dataset.copied }")
    assert r"\textbf{" in copied["latex"] and r"soda\_c" in copied["latex"] and "cider" not in copied["latex"]
    assert (
        copied["csv"].startswith("system,metric,value,low,high\n") and "padded,soda_c,0.08" in copied["csv"]
    )
    assert "| system | soda_c |" in copied["markdown"] and "**" in copied["markdown"]
    assert "all: tok:ptb" in copied["signatures"] and "We scored 3 systems" in copied["paragraph"]
    assert "@inproceedings{fujita2020" in copied["bibtex"]


def test_luck_shows_one_metric_at_a_time(example: Path, look: Callable[..., Any]) -> None:
    page = look(example)
    assert page.locator(".luck:visible").count() == 1
    page.select_option("#luck-metric", "4")
    assert page.inner_text(".luck:visible h3") == "localisation"


def test_documents_are_searched_filtered_ordered_and_brushed(example: Path, look: Callable[..., Any]) -> None:
    page = look(example)
    assert len(_rows(page)) == 12 and page.inner_text("#count") == "12 documents"
    page.fill("#search", "batter spoon")
    page.wait_for_function("() => document.getElementById('count').textContent.startsWith('1 of')")
    assert _rows(page) == ["pancakes"]
    page.click("#reset")
    page.fill("#low", "25")
    page.press("#low", "Enter")
    page.wait_for_function("() => document.getElementById('count').textContent.includes('of 12')")
    assert 0 < len(_rows(page)) < 12
    page.click("#reset")
    page.click('[data-order="ab"]')
    differences = [
        float(t) for t in page.locator("#rows tbody tr:not(.space) td:nth-child(5)").all_inner_texts()
    ]
    assert len(differences) == 12 and differences == sorted(differences, reverse=True)
    page.click('[data-order="single"]')
    assert page.get_attribute('[data-order="single"]', "aria-pressed") == "true"
    page.click("#reset")
    box = page.locator("#plane svg").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] * 0.6, box["y"] + 5)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.99, box["y"] + box["height"] * 0.99, steps=5)
    page.mouse.up()
    page.wait_for_function("() => document.getElementById('count').textContent.includes('of 12')")
    assert 0 < len(_rows(page)) < 12 and "brush=" in page.url


def test_a_dot_opens_its_document(example: Path, look: Callable[..., Any]) -> None:
    page = look(example)
    path = page.get_attribute("#plane path.kept", "d")
    x, y = (float(v) for v in re.findall(r"M([\d.]+) ([\d.]+)h0", path)[0])
    page.locator("#plane svg").scroll_into_view_if_needed()
    box = page.locator("#plane svg").bounding_box()
    page.mouse.move(box["x"] + x / 360 * box["width"], box["y"] + y / 360 * box["height"])
    page.mouse.down()
    page.mouse.up()
    page.wait_for_selector("#one:not([hidden])")
    assert "#d=" in page.url and page.inner_text("#one h3") in page.url


def test_a_caption_plays_the_video_where_it_stands(example: Path, look: Callable[..., Any]) -> None:
    page = look(example, "#d=pancakes")
    page.wait_for_function("() => document.querySelector('#one video')?.readyState >= 1")
    page.evaluate("() => { document.querySelector('#one video').muted = true }")
    first = page.locator("#one .event[data-start='14'] .when").first
    first.click()
    page.wait_for_function(
        "() => { const v = document.querySelector('#one video');"
        " return v.currentTime >= Math.min(14, v.duration - .2) }"
    )
    line = page.locator("#one .lanes svg.links line")
    page.wait_for_function("() => Number(document.querySelector('#one .links line').getAttribute('x1')) > 0")
    assert line.count() == 1
    _photograph(page, "document")


def test_links_words_annotators_and_matchings_of_a_document(example: Path, look: Callable[..., Any]) -> None:
    page = look(example, "#d=pancakes")
    page.locator("#one .event").first.hover()
    assert page.locator("#one .lanes svg.links path").count() >= 1
    assert page.locator("#one .event.linked").count() >= 1
    assert "no partner" in page.inner_text("#one")
    selects = page.locator("#one select")
    assert selects.count() == 3
    selects.nth(2).select_option("links")
    assert page.locator("#one .w0").count() > 3
    page.locator("#one select").nth(2).select_option("unsaid")
    assert page.locator("#one .unsaid").count() > 0
    page.locator("#one select").nth(1).select_option("1")
    assert page.locator("#one h4:has-text('References')").all_inner_texts() == ["References: reference_2"]
    page.locator("#one select").nth(0).select_option("1")
    assert "al=1" in page.url


def test_keys_walk_through_the_documents_and_the_address_holds_the_state(
    example: Path, look: Callable[..., Any]
) -> None:
    page = look(example, "#d=pancakes&order=ab&q=pan")
    assert page.input_value("#search") == "pan"
    rows = _rows(page)
    assert "pancakes" in rows and len(rows) < 12
    page.click("#reset")
    page.click('[data-order="id"]')
    page.locator("#one h3").click()
    page.keyboard.press("j")
    page.wait_for_function("() => document.querySelector('#one h3').textContent === 'planting'")
    page.keyboard.press("k")
    page.keyboard.press("k")
    page.wait_for_function("() => document.querySelector('#one h3').textContent === 'haircut'")
    address = page.url.partition("#")[2]
    again = look(example, f"#{address}")
    assert again.inner_text("#one h3") == "haircut"
    page.go_back()
    page.wait_for_function("() => document.querySelector('#one h3').textContent === 'pancakes'")


def test_complete_without_script(example: Path, look: Callable[..., Any]) -> None:
    page = look(example, java_script_enabled=False)
    text = page.inner_text("body")
    for said in (
        "good leads on",
        "localisation",
        "She mixes the batter with a spoon.",
        "no partner",
        "SHA-256",
    ):
        assert said in text
    assert page.locator("noscript table tbody tr").count() == 12
    assert page.locator("noscript h3").count() == 12  # all documents with all their captions
    assert page.locator(".luck:visible").count() == 5 and not page.is_visible("#search")


def _cut(page: Any) -> list[str]:
    """Elements whose content is wider than they are and hidden, or that reach out of the page."""
    return page.evaluate(
        """() => [...document.querySelectorAll('main *')].filter(e => e.getClientRects().length)
        .filter(e => !e.closest('.scroll, .rows, pre, select, nav'))
        .filter(e => e.getBoundingClientRect().right > innerWidth + 1)
        .map(e => e.outerHTML.slice(0, 120))"""
    )


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_no_screen_is_cut_and_axe_finds_nothing_serious(
    example: Path, look: Callable[..., Any], violations: Callable[[Any], list[str]], scheme: str, width: int
) -> None:
    page = look(
        example,
        "#d=pancakes",
        viewport={"width": width, "height": 900},
        color_scheme=scheme,
        bypass_csp=True,  # axe is put into the page by its source
    )
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    assert not _cut(page)
    assert not violations(page)
    page.evaluate("() => scrollTo(0, 0)")
    _photograph(page, f"{scheme}-{width}")
    page.evaluate("() => document.getElementById('one').scrollIntoView({ behavior: 'instant' })")
    _photograph(page, f"{scheme}-{width}-document")


def test_printed_nothing_is_cut(example: Path, look: Callable[..., Any], tmp_path: Path) -> None:
    page = look(example, "#d=pancakes")
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 1032, "height": 730})  # A4 across, less its margins
    page.evaluate("() => dispatchEvent(new Event('beforeprint'))")
    wide = page.evaluate("""() => [...document.querySelectorAll('main table, main svg, main pre, main p')]
        .filter(e => e.getClientRects().length && e.getBoundingClientRect().right > innerWidth + 1)
        .map(e => e.outerHTML.slice(0, 120))""")
    assert not wide
    clipped = page.evaluate(
        """() => [...document.querySelectorAll('.scroll, .rows')].filter(e => e.getClientRects().length)
        .filter(e => e.scrollWidth > e.clientWidth + 1 || e.scrollHeight > e.clientHeight + 1)
        .map(e => e.outerHTML.slice(0, 120))"""
    )
    assert not clipped
    for heading in ("#board thead th", "#rows thead th", "#one .event .when"):
        assert all(text.strip() for text in page.locator(heading).all_inner_texts())
        assert page.locator(heading).first.is_visible()
    page.pdf(path=str(tmp_path / "report.pdf"), prefer_css_page_size=True)
    assert (tmp_path / "report.pdf").stat().st_size > 20_000


def test_long_ids_and_japanese_names_stay_inside_on_a_phone_and_on_paper(
    look: Callable[..., Any], tmp_path: Path
) -> None:
    ids = ["v_" + "Abc9-_" * 20, "台所で料理をする人の映像その一" * 6, "short"]

    def corpus(name: str, text: str) -> Corpus:
        captions = (Caption(text, 0.0, 4.0), Caption("犬が草の上を走っている。" * 6, 4.0, 9.0))
        return Corpus(tuple(Document(i, captions, 10.0) for i in ids), name)

    results = storymeter.evaluate(
        candidates=[
            corpus("提案手法（事前学習あり・大規模言語モデル版）", "男の人が野菜を切る"),
            corpus("x" * 70, "犬"),
        ],
        references=[corpus("注釈者一", "男の人が台所で野菜を切っている")],
        metrics=["soda_c(scorer=rouge_l)", "rouge_l", "localisation"],
        tokenizer="zh",
    )
    page_path = tmp_path / "report.html"
    write_report(page_path, Findings("長い題名" * 20, results, results.compare()))
    for width, scheme in ((390, "dark"), (1280, "light")):
        page = look(page_path, f"#d={ids[0]}", viewport={"width": width, "height": 900}, color_scheme=scheme)
        assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
        assert not _cut(page)
        heights = page.locator("#rows tbody tr:not(.space)").evaluate_all(
            "rows => rows.map(r => r.offsetHeight)"
        )
        assert len(set(heights)) == 1  # the table scrolls by rows of one height
        _photograph(page, f"japanese-{width}", full_page=True)
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 1032, "height": 730})
    page.evaluate("() => dispatchEvent(new Event('beforeprint'))")
    assert not _cut(page)
    _photograph(page, "japanese-print", full_page=True)


def test_the_page_of_a_meta_evaluation_is_short(look: Callable[..., Any], tmp_path: Path) -> None:
    """Thirteen metrics with all intervals: the long tables are folded."""
    draw = random.Random(0)
    names = [f"metric_{k}" for k in range(13)]
    human, scores = ["system,item,score"], [f"system,item,{','.join(names)}"]
    for system in range(6):
        for item in range(10):
            quality = system + draw.random()
            human.append(f"s{system},i{item},{quality:.3f}")
            scores.append(
                f"s{system},i{item}," + ",".join(f"{quality + 3 * draw.random():.3f}" for _ in names)
            )
    (tmp_path / "human.csv").write_text("\n".join(human))
    (tmp_path / "scores.csv").write_text("\n".join(scores))
    page_path = tmp_path / "meta.html"
    files = ["--human", str(tmp_path / "human.csv"), "--scores", str(tmp_path / "scores.csv")]
    counts = ["--resamples", "20", "--permutations", "50", "--level", "segment"]
    done = CliRunner().invoke(cli, ["meta", *files, *counts, "--html", str(page_path)])
    assert done.exit_code == 0, done.output
    page = look(page_path, ready=False, viewport={"width": 1280, "height": 900})  # it has no script
    assert page.evaluate("() => document.documentElement.scrollHeight") < 4000
    _photograph(page, "meta", full_page=True)
    page.locator("summary").last.click()
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")


HOSTILE = "</script><script>document.title='run'</script><img src=x onerror=\"document.title='run'\">"


def test_hostile_text_is_shown_and_never_run(look: Callable[..., Any], tmp_path: Path) -> None:
    bad = f"{HOSTILE} \x00\x1b[31m\u202e=cmd()"
    long = "word " * 200_000
    ids = [bad, "-dash", "=1+1", "emoji 👩‍👩‍👧", "日本語", "x" * 300]

    def corpus(name: str, text: str) -> Corpus:
        captions = (
            Caption(text, 0.0, 4.0),
            Caption("犬が草の上を走っている。" * 20, 4.0, 9.0),
            Caption(bad, 1.0, 2.0),
        )
        return Corpus(tuple(Document(i, captions, 10.0) for i in ids), name)

    results = storymeter.evaluate(
        candidates=[corpus(bad, "a dog runs"), corpus("رجل يركض " * 9, long)],
        references=[corpus(f"ann {bad}", "a dog runs on grass")],
        metrics=["soda_c", "rouge_l"],
    )
    page_path = tmp_path / "report.html"
    write_report(page_path, Findings(bad, results, results.compare()))
    page = look(page_path)
    page.locator("#rows tbody a").first.click()
    page.wait_for_selector("#one:not([hidden])")
    for _ in range(5):
        page.keyboard.press("j")
    assert page.title().startswith("</script>") and page.evaluate("() => document.scripts.length") == 2
    assert page.locator("main img").count() == 0
    assert "<img src=x" in page.inner_text("body")
    for what in ("latex", "csv", "markdown"):
        page.click(f'[data-copy="{what}"]')
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    _photograph(page, "hostile")


@pytest.fixture(scope="module")
def large(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """BMT and two damaged copies on all of ActivityNet's validation videos, eight metrics."""
    anet = data / "anet"
    folder = tmp_path_factory.mktemp("large")

    def run(*arguments: object) -> None:
        subprocess.run([sys.executable, "-m", "storymeter", *map(str, arguments)], check=True, timeout=900)

    for change in ("shuffle", "drop(share=0.5)"):
        name = change.partition("(")[0]
        run("stress", "apply", change, anet / "bmt_val_1.json", folder / f"{name}.json")
    run(
        "report",
        *(anet / "bmt_val_1.json", folder / "shuffle.json", folder / "drop.json"),
        *(
            "-r",
            anet / "val_1.json",
            "-r",
            anet / "val_2.json",
            "--resamples",
            99,
            "--out",
            folder / "report.html",
        ),
        *("-m", "soda_c,soda_a,soda_b,anet(scorer=meteor),anet(scorer=cider),anet(scorer=bleu_4)"),
        *("-m", "localisation,start_distance"),
    )
    return folder / "report.html"


def test_a_large_report_is_complete_without_script(large: Path) -> None:
    text = large.read_text(encoding="utf-8")
    written = text[text.rindex("<noscript>") :]
    assert written.count("<h3") == 4917 and "documents can be read" not in text


def test_a_large_report_is_small_quick_and_scrolls(large: Path, browser: Any) -> None:
    assert large.stat().st_size <= 20e6 and [p.name for p in large.parent.glob("report*")] == ["report.html"]
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.set_default_timeout(60_000)
    page.add_init_script(
        "window.tasks = []; new PerformanceObserver(l => tasks.push(...l.getEntries().map(e => e.duration)))"
        ".observe({ type: 'longtask', buffered: true })"
    )
    page.goto(f"file://{large}", wait_until="commit")
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
        f"{large.stat().st_size / 1e6:.1f} MB, interactive after {ready:.0f} ms, longest task"
        f" {longest:.0f} ms"
    )
    assert "434 of 4,917 documents are missing; each counts 0" in page.inner_text("#verdict")
    page.fill("#search", "woman kitchen")
    page.wait_for_function("() => document.getElementById('count').textContent.includes(' of 4,917')")
    page.locator("#rows tbody a").first.click()
    page.wait_for_selector("#one:not([hidden]) .event")
    link = page.get_attribute("#one a[href*='youtube']", "href")
    assert link and re.fullmatch(r"https://www\.youtube\.com/watch\?v=[\w-]{11}&t=\d+s", link)
    page.close()
