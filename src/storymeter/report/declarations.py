"""Declarations of a measure or a protocol as a table: options, choices, defaults, papers, what a value
means.
"""

import importlib
from typing import Any

from ..judge.prompt import get as get_prompt, named as named_prompt, names as prompt_names
from ..measure import Measure
from ..metrics import Metric
from ..options import Option, options_of
from ..papers import PAPERS
from ..protocol import PRESETS, get as get_protocol
from ..registry import metric as get_metric, read_name
from .table import Table


def metric_table(text: str) -> Table:
    """One metric: what it says, its options with type, choices and default, its papers."""
    metric, word = get_metric(text), read_name(text).word
    bearer = metric._named_measure
    rows: list[list[Any]] = []
    hidden: dict[str, Any] = {}
    named = next((each for each in bearer.declaration.names if each.word == word), None)
    if named is not None:
        hidden, rows = named.preset, [["summary", named.sentence, "", ""]]
    rows += [
        ["values", _meaning(metric), "", ""],
        ["name", metric.name, "", ""],
        ["Python", _python(bearer), "", ""],
    ]
    if bearer.declaration.names:
        for key, option in options_of(type(bearer)).items():
            if key not in hidden:
                rows.append([key, option.sentence, _fits(option), option.print(option.default)])
    rows += [
        ["paper", PAPERS[key].citation if key in PAPERS else key, "", ""] for key in bearer.declaration.papers
    ]
    return Table(["option", "what it is", "choices", "default"], rows, title=word)


def _python(metric: Measure) -> str:
    """The line that makes the metric in Python, with its import."""
    kind = type(metric)
    room = kind.__module__.rpartition(".")[0]
    exported = getattr(importlib.import_module(room), "__all__", ()) if room else ()
    door = room if kind.__name__ in exported else kind.__module__
    return f"from {door} import {kind.__name__}; {metric!r}"


#: what the card of a prompt says
CARD = ("asks", "needs", "use", "limits")


def protocol_table(text: str) -> Table:
    """Every field of one protocol, what deviates from the paper's marked; its source and what is wrong
    there.
    """
    protocol = get_protocol(text)
    preset, paper = PRESETS[protocol.name], get_protocol("paper")
    rows: list[list[Any]] = []
    for key, option in options_of(type(protocol)).items():
        value = getattr(protocol, key)
        mark = "" if value == getattr(paper, key) else f"paper: {option.print(getattr(paper, key))}"
        if key != "name":
            rows.append([key, option.print(value), mark, option.sentence])
    note = f"{preset.sentence} Source: {preset.citation}."
    if preset.known:
        note += f" Known to be wrong in the original: {preset.known}"
    return Table(["field", "value", "differs from", "what it is"], rows, title=str(protocol), note=note)


def prompt_table(name: str) -> Table:
    """What a judge can be asked: the cards of all prompts, or the card, examples and text of one."""
    if not name:
        known = [named_prompt(each) for each in prompt_names()]
        rows: list[list[Any]] = [[each.name, *(dict(each.card)[key] for key in CARD)] for each in known]
        note = (
            "Card and text: storymeter info --prompts NAME. Your own: judge(prompt=FILE), see docs/judges.md."
        )
        return Table(["prompt", *CARD], rows, title="Prompts", note=note)
    prompt = get_prompt(name)
    rows = [[key, value] for key, value in prompt.card]
    rows += [
        ["example", f"{each.candidate} | {each.reference or 'no reference'} | {each.share:g} of the scale"]
        for each in prompt.examples
    ]
    rows += [["text" if k == 0 else "", line] for k, line in enumerate(filter(None, prompt.text.split("\n")))]
    return Table(["part", "what it is"], rows, title=prompt.label)


def _meaning(metric: Metric) -> str:
    better = {True: "higher is better", False: "lower is better", None: "neither higher nor lower is better"}
    low, high = getattr(metric, "range", (None, None))
    span = "" if low is None else f", from {low:g} to {high:g}"
    printed = "printed as a percentage" if metric.percent else "printed as it is"
    needs = "needs references" if metric.needs_references else "needs no references"
    return f"{better[metric.higher_is_better]}{span}; {printed}; {needs}"


def _fits(option: Option) -> str:
    if option.choices:
        return ", ".join(map(str, option.choices))
    kinds = {int: "whole number", float: "number", bool: "true, false", str: "text"}
    return kinds.get(option.type) or str(getattr(option.type, "__name__", ""))
