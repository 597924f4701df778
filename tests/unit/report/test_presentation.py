"""Every kind of result finds its presenter, also as the first result of a process."""

from __future__ import annotations

import json
from importlib import import_module

import pytest

from storymeter import metric
from storymeter.engine import check_metric
from storymeter.meta import Card
from storymeter.report import present, render
from storymeter.report.presentation import _MODULES, present_all


@pytest.mark.parametrize(("kind", "module"), _MODULES.items())
def test_the_module_of_a_kind_presents_it(kind: str, module: str) -> None:
    """Importing this module alone is what a fresh process does."""
    name = f"storymeter.report.{module}"
    import_module(name)
    known = [*present.registry.items(), *present_all.registry.items()]
    assert any(one.__name__ == kind and found.__module__ == name for one, found in known)


@pytest.mark.parametrize("nothing", [[], (), {}])
def test_no_results_are_presented_as_nothing(nothing: object) -> None:
    shown = present(nothing)
    assert shown.title == "Nothing" and render(shown) == "\n"


def test_every_presented_kind_is_found_in_a_fresh_process() -> None:
    """A kind that is registered and not listed is found only by those who imported its module before."""
    for module in set(_MODULES.values()):
        import_module(f"storymeter.report.{module}")
    kinds = {kind for dispatcher in (present, present_all) for kind in dispatcher.registry}
    assert {kind.__name__ for kind in kinds - {object, list, tuple, dict}} == _MODULES.keys()


def test_scores_checks_and_cards_are_results() -> None:
    score = metric("rouge_l").corpus(candidates=["a dog runs"], references=[["the dog runs"]])
    shown = present(score)
    assert json.loads(render(shown, "json"))["signature"] == str(score.signature)
    assert f"{100 * score.value:.2f}" in render(shown) and str(score.signature) in render(shown)
    checks = check_metric("rouge_l")
    assert {one["check"]: one["holds"] for one in json.loads(render(present(checks), "json"))["checks"]} == {
        one.check: one.holds for one in checks
    }
    card = present([Card("own", "Own", "pearson")])
    assert render(card, "markdown").startswith("# Report card\n")
    assert (
        "<!doctype html>" in render(card, "html").lower() and json.loads(render(card, "json"))["schema"] == 1
    )
