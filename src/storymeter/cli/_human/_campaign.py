"""What the sub-verbs share."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from .._options import say

if TYPE_CHECKING:
    from ...human.campaign.record import Folder
    from ...human.store import Store


def warn(home: Folder) -> None:
    """What makes the private key less than private."""
    from ...human.sources import campaign_notes

    say(*campaign_notes(home))


@contextlib.contextmanager
def campaign(folder: Path) -> Iterator[tuple[Folder, Store]]:
    """A campaign's files and its database, closed again at the end."""
    from ...human.campaign.record import Folder
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
