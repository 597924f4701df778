"""What the sub-verbs share."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from .._options import say

if TYPE_CHECKING:
    from ...human.campaign import Folder
    from ...human.store import Store


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
