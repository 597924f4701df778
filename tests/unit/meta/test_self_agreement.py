"""A judge that is asked anew: the option that makes its answers others, and what a report card says of it."""

from __future__ import annotations

import datetime
import json
from pathlib import Path
from typing import Any

import judge_kit

import storymeter
from storymeter.engine import Run
from storymeter.meta import Card
from storymeter.meta.agreeing import asks_judge, for_trial
from storymeter.registry import metric
from storymeter.report import present, render


def test_another_trial_reaches_a_judge_wherever_it_stands() -> None:
    judge = "judge(model=m,endpoint=http://127.0.0.1:1/v1{})"
    plain = metric(judge.format(""))
    assert str(for_trial(plain, 2)) == judge.format(",trial=2")
    inside = metric(f"soda_c(scorer={judge.format(',trial=1')})")
    assert str(for_trial(inside, 1)) == f"soda_c(scorer={judge.format(',trial=2')})"
    assert (asks_judge(plain), asks_judge(inside), asks_judge(metric("soda_c"))) == (True, True, False)
    assert for_trial(plain, 0) is plain


def test_the_report_card_says_which_model_answered_and_when(examples: Path) -> None:
    folder = examples / "formats"
    ours, people = (storymeter.read(folder / f"coco_{name}.json") for name in ("results", "annotations"))
    with judge_kit.serving(judge_kit.by_overlap) as server:
        names = ["meteor", server.judge()]
        scores = Run(people).score(ours, names, 0).systems[0].scores
    signatures = {score.metric: str(score.signature) for score in scores}
    about: dict[str, Any] = {"date": "2026-01-01", "version": "0", "command": "meta report-card"}
    shown = present([Card("own", "Own", "pearson", signatures=signatures)], **about)
    text = render(shown, "markdown")
    section = text.partition("## Judges")[2].partition("## ")[0]
    (line,) = (line for line in section.splitlines() if "served-model" in line)
    today = datetime.datetime.now(datetime.timezone.utc).date()
    assert any((today - datetime.timedelta(days=k)).isoformat() in line for k in (0, 1))
    assert "adequacy-" in line
    assert list(json.loads(render(shown, "json"))["judges"]) == names[1:]
    del signatures[names[1]]
    alone = present([Card("own", "Own", "pearson", signatures=signatures)], **about)
    assert "## Judges" not in render(alone, "markdown")
