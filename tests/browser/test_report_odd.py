"""Reports of odd files in Chromium: long and Japanese names, hostile text, a long meta-evaluation."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

from click.testing import CliRunner
from report_kit import cut, photograph

import storymeter
from storymeter.captions import Caption, Corpus, Document
from storymeter.cli import cli
from storymeter.formats import write
from storymeter.report import write_report


def test_long_ids_and_japanese_names_stay_inside_on_a_phone_and_on_paper(
    look: Callable[..., Any], tmp_path: Path
) -> None:
    ids = ["v_" + "Abc9-_" * 20, "台所で料理をする人の映像その一" * 6, "short"]

    def corpus(name: str, text: str) -> Corpus:
        captions = (Caption(text, 0.0, 4.0), Caption("犬が草の上を走っている。" * 6, 4.0, 9.0))
        return Corpus(tuple(Document(i, captions, 10.0) for i in ids), name)

    results = storymeter.evaluate(
        candidates=[
            corpus(
                "提案手法（事前学習あり・大規模言語モデル・追加データ使用・最終版その三）",
                "男の人が野菜を切る",
            ),
            corpus("x" * 70, "犬"),
        ],
        references=[corpus("注釈者一", "男の人が台所で野菜を切っている")],
        metrics=["soda_c(scorer=rouge_l)", "rouge_l", "localisation"],
        tokenizer="zh",
    )
    page_path = tmp_path / "report.html"
    write_report(results, page_path, title="長い題名" * 20)
    for width, scheme in ((390, "dark"), (1280, "light")):
        page = look(page_path, f"#d={ids[0]}", viewport={"width": width, "height": 900}, color_scheme=scheme)
        assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
        assert not cut(page)
        heights = page.locator("#rows tbody tr:not(.space)").evaluate_all(
            "rows => rows.map(r => r.offsetHeight)"
        )
        assert len(set(heights)) == 1  # the table scrolls by rows of one height
        page.select_option("#a", "1")
        page.select_option("#b", "0")
        boxes = page.locator("#plane svg text").evaluate_all(
            "texts => texts.map(t => t.getBoundingClientRect()).map(r => [r.left, r.top, r.right, r.bottom])"
        )
        for a, b in combinations(boxes, 2):  # names of axes and their numbers
            assert a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]
        photograph(page, f"japanese-{width}", full_page=True)
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 1032, "height": 730})
    page.evaluate("() => dispatchEvent(new Event('beforeprint'))")
    assert not cut(page)
    photograph(page, "japanese-print", full_page=True)


def test_one_document_of_one_system_has_no_empty_room_and_nothing_of_others(
    look: Callable[..., Any], tmp_path: Path
) -> None:
    def corpus(name: str, text: str) -> Corpus:
        return Corpus((Document("v", (Caption(text, 0.0, 4.0),), 9.0),), name)

    results = storymeter.evaluate(
        candidates=[corpus("mine", "a dog")],
        references=[corpus("people", "a dog runs")],
        metrics=["soda_c", "rouge_l"],
    )
    write_report(results, tmp_path / "report.html", title="One")
    page = look(tmp_path / "report.html")
    assert page.inner_text("#count") == "1 document"
    assert page.locator("#rows").bounding_box()["height"] < 100
    assert not page.is_visible("#a") and not page.is_visible("#b") and not page.is_visible("#plane")
    text = page.inner_text("main")
    for untrue in ("1 documents", "Bold: the best", "†", "95 %", "A at its", "Holm"):
        assert untrue not in text


def test_a_long_id_stays_inside_the_heading_of_show(look: Callable[..., Any], tmp_path: Path) -> None:
    id = "v" + "Abc9" * 50
    write(Corpus((Document(id, (Caption("a dog runs", 0.0, 4.0),), 9.0),), "x"), tmp_path / "x.jsonl")
    files = [str(tmp_path / "x.jsonl"), "-r", str(tmp_path / "x.jsonl")]
    done = CliRunner().invoke(cli, ["show", id, *files, "--html", str(tmp_path / "page.html")])
    assert done.exit_code == 0, done.output
    page = look(tmp_path / "page.html", ready=False, viewport={"width": 390, "height": 900})
    assert id in page.inner_text("h1")
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")


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
    photograph(page, "meta", full_page=True)
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
    write_report(results, page_path, title=bad)
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
    photograph(page, "hostile")
