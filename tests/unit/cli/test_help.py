"""Help in layers: the short help is short, the long one complete, and both fit a terminal of 80 columns."""

from __future__ import annotations

from collections.abc import Iterator

import click
import pytest
from click.testing import CliRunner

from storymeter.cli import cli
from storymeter.cli._verbs import COMMON, FEW, TASKS


def _commands(
    group: click.Group, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        found = group.get_command(context, name)
        assert found is not None
        if isinstance(found, click.Group):
            yield from _commands(found, (*path, name))
        else:
            yield (*path, name), found


COMMANDS = dict(_commands(cli))


def _help(*arguments: str) -> str:
    result = CliRunner().invoke(cli, list(arguments), prog_name="storymeter", terminal_width=80)
    assert result.exit_code == 0, result.output
    return result.output


def _options(command: click.Command) -> list[click.Option]:
    return [p for p in command.params if isinstance(p, click.Option) and p.name != "help_all"]


def _shown(command: click.Command, text: str) -> list[str]:
    """The options with a line of their own in a help."""
    heads = {line.strip().split("  ")[0] for line in text.splitlines() if line.startswith("  -")}
    words = {word for head in heads for word in head.replace(",", " ").split()}
    return [max(o.opts, key=len) for o in _options(command) if max(o.opts, key=len) in words]


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_the_short_help_shows_ten_options_and_the_long_one_all(path: tuple[str, ...]) -> None:
    command = COMMANDS[path]
    every = {max(o.opts, key=len) for o in _options(command)}
    short, full = _help(*path, "--help"), _help(*path, "--help-all")
    assert set(_shown(command, full)) == every
    assert len(_shown(command, short)) <= FEW
    if len(every) > FEW:
        rest = len(every) - len(_shown(command, short))
        assert (
            f"{rest} more option{'s' if rest > 1 else ''}: storymeter {' '.join(path)} --help-all"
            in " ".join(short.split())
        )
        assert len(short.splitlines()) < len(full.splitlines())
    for line in [*short.splitlines(), *full.splitlines()]:
        assert len(line) <= 80, line


def test_the_help_of_groups_fits_too() -> None:
    groups = {path[:-1] for path in COMMANDS}
    assert ("human",) in groups and () in groups
    for path in groups:
        for line in [*_help(*path, "--help").splitlines(), *_help(*path, "--help-all").splitlines()]:
            assert len(line) <= 80, line


def test_a_required_option_is_never_in_the_second_layer() -> None:
    for path, command in COMMANDS.items():
        shown = _shown(command, _help(*path, "--help"))
        assert all(max(o.opts, key=len) in shown for o in _options(command) if o.required), path


def test_the_tables_name_only_what_there_is() -> None:
    assert {name for names in TASKS.values() for name in names.split()} == {path[0] for path in COMMANDS}
    for path, wanted in COMMON.items():
        own = {max(o.opts, key=len).lstrip("-") for o in _options(COMMANDS[tuple(path.split())])}
        assert set(wanted.split()) <= own, path


def test_all_commands_are_listed_by_task() -> None:
    listed = _help("--help-all")
    for path in COMMANDS:
        assert f"  {' '.join(path)} " in listed
    assert all(f"{task}:" in listed for task in TASKS)


def test_a_wrong_use_still_names_the_help() -> None:
    result = CliRunner().invoke(cli, ["show"], prog_name="storymeter")
    assert result.exit_code == 2 and "Try 'storymeter show --help'" in result.output


def test_limits_of_judges_in_one_option() -> None:
    from storymeter.cli._options import KEY
    from storymeter.cli._scoring import judging_options

    @click.command()
    @judging_options
    @click.pass_context
    def show(context: click.Context) -> None:
        click.echo(
            {key.removeprefix(KEY): value for key, value in context.meta.items() if key.startswith(KEY)}
        )

    one = CliRunner().invoke(show, ["--judge", "requests=100,deadline=60,price=0.15/0.60,yes"])
    four = CliRunner().invoke(
        show, ["--max-requests", "100", "--deadline", "60", "--token-price", "0.15/0.60", "--yes"]
    )
    assert one.exit_code == four.exit_code == 0
    assert eval(one.output) == eval(four.output)
    for wrong in ("requests", "yes=1", "budget=3", "price=dear"):
        assert CliRunner().invoke(show, ["--judge", wrong]).exit_code != 0


@pytest.mark.parametrize(
    ("command", "option", "heading"),
    [
        ("report", "--title", "Output"),
        ("gate", "--against", "Evaluation"),
        ("gate", "--fail-if", "Evaluation"),
        ("score", "--lists", "Reading of files"),
        ("score", "--reference-columns", "Reading of files"),
        ("human export", "--real-ids", "Output"),
    ],
)
def test_options_are_below_the_heading_that_fits(command: str, option: str, heading: str) -> None:
    text = _help(*command.split(), "--help-all")
    before = text[: text.index(f"\n  {option} ")]
    assert [line for line in before.splitlines() if line.endswith(":") and line[:1] != " "][
        -1
    ] == f"{heading}:"
