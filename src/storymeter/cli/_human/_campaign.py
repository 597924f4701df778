"""What the sub-verbs share."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .._options import say

if TYPE_CHECKING:
    from ...human.campaign import Folder
    from ...human.store import Store


class Greedy(click.Command):
    """A command with options that take all words up to the next option: `--systems a.json b.json`."""

    def __init__(self, *args: Any, greedy: tuple[str, ...] = (), **rest: Any) -> None:
        super().__init__(*args, **rest)
        self.greedy = greedy

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        out: list[str] = []
        option = ""
        for word in args:
            if word.startswith("-") and word != "-":
                option = word if word in self.greedy else ""
                if not option:
                    out.append(word)
            else:
                out.extend([option, word] if option else [word])
        return super().parse_args(ctx, out)


def warn(home: Folder) -> None:
    """What makes the private key less than private."""
    if exposed := home.exposed():
        names = " ".join(str(home.path / name) for name in exposed)
        say(f"note: other users of this machine can read private files. Restrict access: chmod 600 {names}")
    if home.rehearsal:
        say(
            "note: this campaign was drawn from a chosen --seed, from which others may reconstruct the"
            " private key: use it for rehearsals only."
        )


@contextlib.contextmanager
def campaign(folder: Path) -> Iterator[tuple[Folder, Store]]:
    """A campaign's files and its database, closed again at the end."""
    from ...human.campaign import Folder
    from ...human.store import Store

    home = Folder(folder)
    number = home.campaign.id
    warn(home)
    store = Store(home.database)
    try:
        store.check(number)
        yield home, store
    finally:
        store.close()
