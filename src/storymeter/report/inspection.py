"""What stands before a run: the problems of files (`validate`), the checks of a metric (`check-metric`), and
what metrics, protocols and prompts declare (`info`): options, choices, defaults, papers.
"""

import importlib
import json
from collections.abc import Sequence
from typing import Any

from ..engine.metric_checks import MetricCheck
from ..engine.systems import Validation
from ..errors import many
from ..formats import Reading
from ..formats.problems import group
from ..judge.prompt import get as get_prompt, named as named_prompt, names as prompt_names
from ..measure import Measure
from ..metrics import Metric
from ..options import Option, options_of
from ..papers import PAPERS
from ..protocol import PRESETS, get as get_protocol
from ..registry import metric as get_metric, read_name
from .fitting import escape_controls
from .presentation import Presentation, plain, present, present_all
from .table import Column, Table, keys, numbers, to_json

_BOLD, _RED, _GREEN, _YELLOW = 1, 31, 32, 33


@present.register(Validation)
def present_validation(found: Validation) -> Presentation:
    rows = [
        [reading.path, p.severity, p.code, p.where, p.text, p.count]
        for reading in found.readings
        for p in group(reading.problems)
    ]
    heads: list[Column | str] = [
        *keys("file", "severity", "problem"),
        "place",
        "text",
        *numbers(",d", "times"),
    ]
    return Presentation(
        "Files",
        lambda style, width: [Table(heads, rows)],
        lambda: json.dumps(_data(found), indent=2),
        text=lambda width, colour: validation_text(found, colour),
    )


@present_all.register(MetricCheck)
def present_checks(first: MetricCheck, found: Sequence[MetricCheck], *, metric: str = "") -> Presentation:
    """`metric`: the name of what was checked."""
    rows = [[one.check, "yes" if one.holds else "NO", one.because] for one in found]
    checks = [{"check": one.check, "holds": one.holds, "because": one.because} for one in found]
    return plain(
        metric,
        [Table([*keys("check"), "holds", "because"], rows, title=metric)],
        json=lambda: to_json({"schema": 1, "metric": metric, "checks": checks}),
    )


def validation_text(found: Validation, colour: bool = False) -> str:
    lines = [_page(reading, colour) for reading in found.readings]
    lines += [f"{escape_controls(fit.path)}: {escape_controls(fit.line)}" for fit in found.fits]
    if found.command:
        mended = found.fine or (found.swapped and not any(fit.complaint for fit in found.fits))
        head = "Run:" if mended else "Mend the errors above, then run:"
        lines.append(f"{head} {escape_controls(found.command)}")
    return "\n".join(lines)


def _page(reading: Reading, colour: bool) -> str:
    def styled(text: str, code: int) -> str:
        return f"\x1b[{code}m{escape_controls(text)}\x1b[0m" if colour else escape_controls(text)

    corpus = reading.corpus
    sizes = f"{many(len(corpus.by_id()), 'document')}, {many(corpus.captions, 'caption')}"
    lines = [f"{styled(reading.path, _BOLD)}: {corpus.origin.format or 'unknown format'}, {sizes}"]
    if assumed := corpus.meta.get("read_as"):
        lines.append(f"  read as: {escape_controls(str(assumed))}")
    for problem in group(reading.problems):
        times = f", {problem.count:,} times" if problem.count > 1 else ""
        severity = styled(problem.severity, _RED if problem.severity == "error" else _YELLOW)
        lines.append(f"  {severity} [{problem.code}{times}] {escape_controls(problem.text)}")
        lines.append(f"    at {escape_controls(problem.where)}")
    errors = len(reading.errors)
    lines.append(
        f"  {many(errors, 'error')}, {many(len(reading.problems) - errors, 'warning')}"
        if reading.problems
        else styled("  fine", _GREEN)
    )
    if any(problem.code == "reversed" for problem in reading.errors):
        lines.append("  Reversed segments can be swapped with --repair.")
    return "\n".join(lines)


def _data(found: Validation) -> dict[str, Any]:
    result: dict[str, Any] = {"schema": 1, "files": [_record(reading) for reading in found.readings]}
    if found.references:
        result["fits"] = [
            {
                "path": fit.path,
                "matched": fit.matched,
                "missing": fit.missing,
                "extra": fit.extra,
                "complaint": fit.complaint or None,
            }
            for fit in found.fits
        ]
        result["command"] = found.command
    return result


def _record(reading: Reading) -> dict[str, Any]:
    corpus = reading.corpus
    return {
        "path": reading.path,
        "format": corpus.origin.format or None,
        "documents": len(corpus.by_id()),
        "captions": corpus.captions,
        **({"read_as": corpus.meta["read_as"]} if "read_as" in corpus.meta else {}),
        "problems": [
            {"severity": p.severity, "code": p.code, "where": p.where, "message": p.text, "count": p.count}
            for p in group(reading.problems)
        ],
    }


# Declarations as tables.


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
