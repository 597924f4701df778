"""What all commands have in common."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import click
import pytest

from storymeter.cli import cli


def commands(group: click.Group, path: tuple[str, ...] = ()) -> Iterator[tuple[str, click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        found = group.get_command(context, name)
        assert found is not None, f"{name} is listed but not there"
        yield " ".join((*path, name)), found
        if isinstance(found, click.Group):
            yield from commands(found, (*path, name))


ALL = dict(commands(cli))


@pytest.mark.parametrize("name", ALL)
def test_each_option_is_declared_once_and_explained(name: str) -> None:
    options = [each for each in ALL[name].params if isinstance(each, click.Option)]
    flags = Counter(flag for each in options for flag in (*each.opts, *each.secondary_opts))
    assert not [flag for flag, count in flags.items() if count > 1]
    assert not [each.opts[0] for each in options if not each.help]
    assert ALL[name].help
