"""A command is a function of the package, called with its options: the JSON of the command line is the
function's result, presented and rendered."""

from __future__ import annotations

import pydoc
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import click
import human_kit
import msgspec
import pytest
from click.testing import CliRunner

import storymeter
from storymeter.cli import cli
from storymeter.engine import Run, gate, score_files, show, validate
from storymeter.human import (
    analyse,
    backup,
    close,
    export,
    plan,
    rank,
    restore,
    simulate,
    status,
    verify,
)
from storymeter.meta import BENCHMARKS, agree, point_at_words, self_agreement, similarity
from storymeter.report import present, render, write_report
from storymeter.stress import attacks, audit, count, details, oracle, order, pad

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
VIDEOS = EXAMPLES / "videos"
COMMANDS = EXAMPLES.parent / "docs" / "commands.md"
GOOD, PADDED = str(VIDEOS / "good.json"), str(VIDEOS / "padded.json")
PEOPLE = [str(VIDEOS / "reference_1.json"), str(VIDEOS / "reference_2.json")]
AGAINST = ["-r", PEOPLE[0], "-r", PEOPLE[1]]


def printed(*arguments: str) -> str:
    done = CliRunner().invoke(cli, list(arguments))
    assert done.exit_code == 0, done.output
    return done.stdout


def as_json(result: Any, **options: Any) -> str:
    return render(present(result, **options), "json")


def stressed(experiment: Callable[..., Any], **options: Any) -> Any:
    run = Run([storymeter.read(path) for path in PEOPLE])
    return experiment(storymeter.read(GOOD), run, **options)


def test_score_and_compare() -> None:
    results = score_files([GOOD, PADDED], PEOPLE, "soda_c,meteor")
    tests = results.compare()
    assert printed("score", GOOD, PADDED, *AGAINST, "-m", "soda_c,meteor", "--format", "json") == as_json(
        results, comparisons=tests
    )
    plain = score_files([GOOD, PADDED], PEOPLE, ["soda_c"], resamples=0)
    command = ("compare", GOOD, PADDED, *AGAINST, "-m", "soda_c", "--difference", "2", "--format", "json")
    assert printed(*command) == as_json(plain.compare(difference=2), difference=2)


@pytest.mark.parametrize("style", ["json", "csv", "markdown", "latex", "html"])
def test_every_style_is_that_of_render(style: str) -> None:
    results = score_files(GOOD, PEOPLE, "rouge_l")
    command = ("score", GOOD, *AGAINST, "-m", "rouge_l", "--format", style)
    assert printed(*command) == render(present(results), style)


@pytest.mark.parametrize(
    ("options", "keywords"),
    [((), {}), (("--graphs",), {"view": "graphs"}), (("--facts",), {"view": "facts"})],
)
def test_show(options: tuple[str, ...], keywords: dict[str, Any]) -> None:
    found = show("pancakes", GOOD, PEOPLE, **keywords)
    assert printed("show", "pancakes", GOOD, *AGAINST, *options) == render(present(found))


def test_a_run_is_saved_and_added_to(tmp_path: Path) -> None:
    target, notes = str(tmp_path / "run.smr"), list[str]()
    saved = score_files(GOOD, PEOPLE, "rouge_l", save=target, note=notes.append)
    both = score_files(PADDED, into=target, note=notes.append)
    assert [system.name for system in both.systems] == ["good", "padded"]
    assert str(both["good", "rouge_l"]) == str(saved["rouge_l"])
    assert notes == [
        f"Saved: {target} (1 system, 1 metric)",
        f"Saved: {target} (2 systems, 1 metric)",
    ]
    assert as_json(storymeter.load(target)) == as_json(both)


def test_the_defaults_are_those_of_the_command_line() -> None:
    """`jobs=None` is all usable cores in `Run`, `evaluate` and `score_files`; it changes no number."""
    assert Run().context.jobs == storymeter.Run(jobs=None).context.jobs >= 1
    alone = storymeter.evaluate(GOOD, PEOPLE, "rouge_l")
    assert as_json(alone) == as_json(score_files(GOOD, PEOPLE, "rouge_l", jobs=1))


@pytest.mark.parametrize("name", ["ratings.csv"])
def test_human_analyse(name: str) -> None:
    ratings = str(EXAMPLES / name)
    found = analyse(ratings)
    for style in ("json", "csv", "latex", "html"):
        assert printed("human", "analyse", ratings, "--format", style) == render(present(found), style)


def test_human_rank(tmp_path: Path) -> None:
    votes = [
        {"rater": f"r{r}", "video": f"v{v}", "left": "a", "right": "b", "choice": "left" if v % 3 else "tie"}
        for r in range(3)
        for v in range(6)
    ]
    path = tmp_path / "votes.json"
    path.write_bytes(msgspec.json.encode(votes))
    assert printed("human", "rank", str(path), "--format", "json") == as_json(rank(str(path)))


def test_meta(tmp_path: Path) -> None:
    rows = [{"video": n, "system": "a", "human": n % 7, "mine": n * n % 11} for n in range(12)]
    table = tmp_path / "table.json"
    table.write_bytes(msgspec.json.encode(rows))
    assert printed("meta", str(table), "--format", "json") == as_json(agree(table))
    people = tmp_path / "people.csv"
    ids = [document.id for document in storymeter.read(GOOD)]
    marks = [f"{system},{one},{k % 5}" for system in ("good", "padded") for k, one in enumerate(ids)]
    people.write_text("\n".join(["system,item,score", *marks]))
    asked = {"candidates": [GOOD, PADDED], "references": PEOPLE, "metrics": ["rouge_l"]}
    assert printed(
        *("meta", "agree", GOOD, PADDED, *AGAINST, "-m", "rouge_l", "--human", str(people)),
        *("--level", "system", "--format", "json"),
    ) == as_json(agree(people, level="system", **asked))
    sources = [storymeter.read(GOOD), storymeter.read(PADDED)]
    assert printed(
        "meta", "similarity", "--systems", GOOD, PADDED, "--scorer", "rouge_l", "--format", "json"
    ) == as_json(similarity(sources, scorer=storymeter.scorer("rouge_l")))
    again = self_agreement(sources[:1], Run([storymeter.read(PEOPLE[0])]), metrics=["rouge_l"])
    assert printed("meta", "self", GOOD, "-r", PEOPLE[0], "-m", "rouge_l", "--format", "json") == as_json(
        again
    )


STRESS: list[tuple[Sequence[str], Callable[[], Any]]] = [
    (
        ("count", "--m", "1,2", "--repeats", "2"),
        lambda: stressed(count, m=["1", "2"], repeats=2, metrics=["rouge_l"]),
    ),
    (("pad", "--n", "20", "--repeats", "1"), lambda: stressed(pad, n=[20], repeats=1, metrics=["rouge_l"])),
    (("order", "--repeats", "1"), lambda: stressed(order, repeats=1, metrics=["rouge_l"])),
    (("audit", "--repeats", "1"), lambda: stressed(audit, repeats=1, metrics=["rouge_l"])),
    (("attacks", "--most", "3"), lambda: stressed(attacks, most=3, metrics=["rouge_l"])),
    (("details", "--most", "5"), lambda: stressed(details, most=5, metrics=["rouge_l"])),
]


@pytest.mark.parametrize(
    ("command", "found"), STRESS, ids=lambda value: value[0] if isinstance(value, tuple) else ""
)
def test_stress(command: Sequence[str], found: Callable[[], Any]) -> None:
    name, *more = command
    text = printed("stress", name, GOOD, *AGAINST, "-m", "rouge_l", *more, "--format", "json")
    assert text == as_json(found())


def test_oracle_captions() -> None:
    found = [stressed(oracle)]
    assert printed("stress", "oracle", GOOD, *AGAINST, "--format", "json") == render(present(found), "json")


def test_the_help_of_benchmarks_names_every_one() -> None:
    text = printed("meta", "benchmark", "--help")
    words = {word.strip(",.") for word in text.split()}
    assert not set(BENCHMARKS) - words


def test_the_documents_show_the_function_of_every_command() -> None:
    rows = re.findall(r"^\| (`.*?) \| (.*?) \| .*? \|$", COMMANDS.read_text(encoding="utf-8"), re.MULTILINE)
    shown = set()
    for commands, functions in rows:
        first, *others = re.findall(r"`(.+?)`", commands)
        group = first.rpartition(" ")[0]
        shown |= {first, *(f"{group} {name}".strip() for name in others)}
        assert all(pydoc.locate(name) is not None for name in re.findall(r"`(.+?)`", functions)), functions
    assert shown == set(_verbs(cli))


def _verbs(group: click.Group, before: str = "") -> Iterator[str]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from _verbs(command, f"{before}{name} ")
        else:
            yield before + name


def test_validate() -> None:
    found = validate([GOOD], PEOPLE)
    text = printed("validate", GOOD, *AGAINST)
    assert text == render(present(found)) and found.fine and found.command in text
    assert printed("validate", GOOD, *AGAINST, "--format", "json") == as_json(found)
    wrong = validate([GOOD, str(EXAMPLES / "ratings.csv")], PEOPLE)
    assert not wrong.fine and "Mend the errors above" in render(present(wrong))


def test_gate(tmp_path: Path) -> None:
    run = str(tmp_path / "run.smr")
    score_files(GOOD, PEOPLE, "rouge_l", save=run)
    found = gate([GOOD], run, ["rouge_l < -1"])
    assert not found.failed and found.checked[0].change == 0
    command = ("gate", GOOD, "--against", run, "--fail-if", "rouge_l < -1", "--format", "json")
    assert printed(*command) == as_json(found)


def test_words_that_people_call_wrong(tmp_path: Path) -> None:
    words = [
        {"text": "a", "start": 0, "end": 1, "wrong": 0.0, "major": 0.0},
        {"text": "cat", "start": 2, "end": 5, "wrong": 1.0, "major": 0.0},
    ]
    labels = tmp_path / "labels.jsonl"
    about = {"item": "v", "system": "s", "text": "a cat", "raters": 1, "words": words}
    labels.write_bytes(msgspec.json.encode(about) + b"\n")
    people = storymeter.formats.corpus_from_records([{"video": "v", "caption": "a dog"}])
    storymeter.write(people, tmp_path / "people.jsonl")
    found = point_at_words(labels, [people], "rouge_l")
    printed_words = printed(
        *("meta", "words", str(labels), "-r", str(tmp_path / "people.jsonl")),
        *("-m", "rouge_l", "--format", "json"),
    )
    assert printed_words == as_json(found) and found[0].auc == 1.0


def test_html_of_every_command_is_a_page_or_with_fragment_the_tables() -> None:
    """`human plan --format html` was the table alone, and `--fragment` did nothing in `meta`."""
    plan = ("human", "plan", "--worker-tests", "--simulations", "50", "--format", "html")
    assert printed(*plan).startswith("<!doctype html>")
    assert printed(*plan, "--fragment").startswith("<table>")


def test_report(tmp_path: Path) -> None:
    results = score_files([GOOD, PADDED], PEOPLE, "soda_c")
    (page,) = write_report(results, tmp_path / "mine.html", human=EXAMPLES / "ratings.csv")
    ratings = str(EXAMPLES / "ratings.csv")
    out = tmp_path / "theirs.html"
    printed("report", GOOD, PADDED, *AGAINST, "-m", "soda_c", "--human", ratings, "--out", str(out))
    assert page.read_text() == out.read_text()


def test_steps_of_a_study(tmp_path: Path) -> None:
    clips = human_kit.tiny_clips(tmp_path / "clips", [f"v{k}" for k in range(20)])
    human_kit.small_campaign(tmp_path / "study", clips)
    folder = str(tmp_path / "study")
    (tally,) = simulate(folder, 1, mix="honest=1", seed=1)
    assert [one.verdict for one in verify(folder, [tally.code, tally.code, "X"])] == [
        *("good", "used before", "unknown")
    ]
    seen = msgspec.json.decode(printed("human", "status", folder, "--format", "json"))
    assert seen["raters"] == msgspec.json.decode(msgspec.json.encode(status(folder)["raters"]))
    assert printed("human", "export", folder, "--format", "csv") == export(folder, "csv") != ""
    close(folder)
    assert status(folder)["state"] == "closed"
    kept = backup(folder, tmp_path / "kept")
    again, changed = restore(tmp_path / "kept", tmp_path / "again")
    assert kept.rows == again.rows and not changed
    assert export(tmp_path / "again") == export(folder)
    numbers = {"systems": 3, "captions": 400, "difference": 10.0, "simulations": 50}
    options = [text for name, value in numbers.items() for text in (f"--{name}", str(value))]
    assert printed("human", "plan", *options, "--format", "json") == as_json(plan(**numbers))
