"""The report's words and data, without a browser."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote
from warnings import catch_warnings, simplefilter

import pytest

import storymeter
from storymeter.captions import Caption, Corpus, Document
from storymeter.report import present
from storymeter.report.full import build
from storymeter.report.full.build import find_videos, report_page, write_page
from storymeter.report.full.findings import Findings
from storymeter.report.full.sections import methods, verdict, warnings

TEXTS = [f"a man number {k} rides a brown horse over the hills" for k in range(12)]


def corpus(name: str, texts: list[str], end: float = 9.0, first: int = 0) -> Corpus:
    documents = [Document(f"v{k:02}", (Caption(text, 0.0, end),), 10.0) for k, text in enumerate(texts)]
    return Corpus(tuple(documents[first:]), name)


def findings(*systems: Corpus, metrics: list[str], **options: Any) -> Findings:
    results = storymeter.evaluate(
        candidates=list(systems), references=[corpus("people", TEXTS)], metrics=metrics, **options
    )
    return Findings("t", results, results.compare() if len(systems) > 1 else [])


def data_of(page: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    return json.loads(found[1])


def test_the_verdict_says_who_leads_and_who_ties() -> None:
    good, bad = corpus("good", TEXTS), corpus("bad", ["nothing at all"] * 12)
    said = verdict(findings(good, bad, metrics=["soda_c", "rouge_l", "localisation"]))
    assert said[0].startswith("good leads on 2 of 3 metrics")
    assert said[1] == "On localisation it ties with bad."
    assert verdict(findings(good, corpus("twin", TEXTS), metrics=["soda_c"]))[0].startswith("No system leads")
    alone = verdict(findings(good, metrics=["rouge_l"]))
    assert alone == ["good on 12 documents: rouge_l is 100.00 (95 %: 100.00 to 100.00)."]


def test_the_page_says_what_its_numbers_are_multiplied_by() -> None:
    page = report_page(findings(corpus("good", TEXTS), corpus("twin", TEXTS), metrics=["rouge_l", "words"]))
    assert page.count("Scores are times 100 (not: words);") == 2


def test_the_methods_cite_the_papers_of_a_metric_and_of_its_scorer() -> None:
    said = methods(findings(corpus("good", TEXTS), metrics=["soda_c", "rouge_l"]))
    cited = re.findall(r"@\w+\{(\w+),", said["bibtex"])
    assert cited[:3] == ["fujita2020", "denkowski2014", "lin2004"]
    assert "soda_c (Fujita et al." in said["paragraph"]


def test_tables_and_methods_name_other_engines() -> None:
    """Keys of JSON and CSV stay as they are."""
    found = findings(corpus("good", TEXTS), corpus("bad", TEXTS[::-1]), metrics=["spice", "rouge_l"])
    paragraph = methods(found)["paragraph"]
    assert "(protocol paper, tokenizer ptb): spice (Anderson et al., 2016; not the" in paragraph
    assert "original's engine; tagger HanTa-" in paragraph and "rouge_l (Lin, 2004)." in paragraph
    table = present(found.results).tables("table", None)[0]
    assert [head.name for head in table.heads] == ["system", "spice(rules)", "rouge_l"]
    assert "spice has another engine than the original" in table.note and "spice(rules)" in report_page(found)
    assert "good,spice,1.0" in table.render("csv")
    assert (
        present(found.comparisons)
        .tables("table", None)[0]
        .render("csv")
        .splitlines()[1]
        .startswith("spice,good,bad")
    )


def test_the_methods_of_stories_leave_out_what_does_not_apply() -> None:
    sentences = (Caption("a dog runs ."), Caption("then it rests ."))
    stories = Corpus(tuple(Document(f"v{k:02}", sentences) for k in range(12)), "good")
    paragraph = methods(findings(stories, metrics=["rovist_nr"]))["paragraph"]
    assert paragraph.startswith("We scored 1 system on 12 stories with Storymeter")
    assert "protocol" not in paragraph and "tokenizer" not in paragraph and "annotator" not in paragraph


def test_a_page_of_stories_names_the_settings_of_storytelling_papers() -> None:
    sentences = (Caption("a dog runs ."), Caption("then it rests ."))
    stories = Corpus(tuple(Document(f"v{k:02}", sentences) for k in range(12)), "good")
    pages = {}
    for protocol in ("paper", "vist"):
        with catch_warnings():
            simplefilter("ignore")
            pages[protocol] = report_page(findings(stories, metrics=["meteor"], protocol=protocol))
    assert "print task hter without normalisation" in pages["paper"] and "--protocol vist" in pages["paper"]
    assert "--protocol vist" not in pages["vist"]


def test_missing_documents_say_what_they_cost() -> None:
    partial = corpus("partial", TEXTS, first=4)
    assert warnings(findings(partial, metrics=["rouge_l"])) == [
        "partial: 4 of 12 documents are missing; each counts 0 (--protocol paper+missing=skip leaves them"
        " out)."
    ]
    skipped = warnings(findings(partial, metrics=["rouge_l"], protocol="paper+missing=skip"))
    assert "left out of the scores" in skipped[0]
    both = warnings(findings(partial, corpus("other", TEXTS, first=4), metrics=["rouge_l"]))
    assert len(both) == 1 and both[0].startswith("partial and other: 4 of 12 documents are missing; each")


def test_resamples_too_few_for_any_test_to_come_out_are_named() -> None:
    good, bad = corpus("good", TEXTS), corpus("bad", ["nothing at all"] * 12)
    made = findings(good, bad, metrics=["soda_c", "rouge_l", "meteor", "bleu_1", "bleu_4"])
    assert not warnings(made) and made.comparisons[0].resamples == 2**12  # all swaps
    few = Findings("t", made.results, made.results.compare(resamples=19))
    assert min(c.p_holm for c in few.comparisons) >= 0.05  # though one system says everything, one nothing
    said = (
        "19 resamples are too few to tell: no difference can be significant (smallest possible p 0.050). Use"
        " --resamples auto, or 20 or more."
    )
    assert warnings(few) == [said]
    assert said in present(few.comparisons).tables("table", None)[0].note
    table = present(few.results, comparisons=few.comparisons).tables("table", None)[0]
    assert said in table.note and "†" not in table.render()
    enough = made.results.compare(resamples=20)
    assert max(c.p_holm for c in enough) < 0.05 and not warnings(Findings("t", made.results, enough))


def test_the_data_block_holds_what_the_page_shows() -> None:
    found = findings(corpus("good", TEXTS), corpus("short", TEXTS, end=3.0), metrics=["soda_c", "rouge_l"])
    data = data_of(report_page(found))
    assert data["schema"] == 1 and data["systems"] == ["good", "short"] and len(data["ids"]) == 12
    score = found.results["short", "soda_c"]
    mean = sum(data["values"][1][0]) / 12
    assert mean == pytest.approx(score.value, abs=1e-5) and data["scores"][1][0][0] == pytest.approx(
        score.value, rel=1e-4
    )
    assert data["captions"][1][0][:2] == [0, 3] and data["texts"][data["captions"][1][0][2]] == TEXTS[0]
    link = data["alignments"][0]["links"][1][0]
    assert link[:3] == [0, 0, 0] and link[3] == pytest.approx(3 / 9, abs=1e-3)
    assert data["words"][0][0][0][0].split()[:2] == ["0-0", "1-1"]


def test_nothing_in_a_text_ends_the_data_block() -> None:
    hostile = corpus("</script><script>alert(1)</script>", ["</script><!--"] * 12)
    page = report_page(findings(hostile, metrics=["rouge_l"]))
    assert data_of(page)["systems"] == ["</script><script>alert(1)</script>"]
    assert page.count("<script") == 2 and "sha256-" in page


def test_videos_are_found_by_id_and_named_relative_to_the_page(tmp_path: Path) -> None:
    for name in ("v_abc.mp4", "def ü.webm", "notes.txt"):
        (tmp_path / name).touch()
    page = tmp_path / "out" / "report.html"
    found = find_videos(tmp_path, ["abc", "def ü", "notes"], page)
    assert found == {"abc": "../v_abc.mp4", "def ü": "../def%20%C3%BC.webm"}


def test_pictures_stand_beside_the_page_only_where_it_would_be_too_large(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    examples = Path(__file__).resolve().parents[3] / "examples" / "stories"
    pytest.importorskip("torch")
    results = storymeter.evaluate(candidates=storymeter.read(examples / "good.json"), metrics="rovist_nr")
    found = Findings("stories", results, [])
    options = {"images": str(examples / "images")}
    assert write_page(tmp_path / "a.html", found, **options) == [tmp_path / "a.html"]
    assert "data:image/jpeg" in (tmp_path / "a.html").read_text()
    monkeypatch.setattr(build, "LARGEST", 1000)
    explained: list[object] = []
    explain = build.details
    monkeypatch.setattr(build, "details", lambda *a: explained.append(a) or explain(*a))
    assert write_page(tmp_path / "b.html", found, **options) == [tmp_path / "b.html", tmp_path / "b_files"]
    assert len(explained) == 1  # models look at the pictures once
    text = (tmp_path / "b.html").read_text()
    assert "data:image/jpeg" not in text
    for address in data_of(text)["images"].values():
        assert (tmp_path / address).read_bytes().startswith(b"\xff\xd8")


def test_pictures_of_similar_names_keep_their_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = ["a/1.png", "a_1.png", "x" * 120, "x" * 120 + "y", "100% #1"]
    monkeypatch.setattr(build, "report_page", lambda found, store: repr(store(found)))
    pictures: Any = {name: name.encode() for name in names}
    page, folder = write_page(tmp_path / "my page.html", pictures)
    addresses = ast.literal_eval(page.read_text())
    assert [(tmp_path / unquote(addresses[name])).read_text() for name in names] == names
    assert len(list(folder.iterdir())) == len(names)
