"""Is everything there that a campaign needs while it runs: its clips, and room on its disk?"""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import msgspec

from .campaign import Folder

if TYPE_CHECKING:
    from .store import Store

#: below this many bytes the dashboard warns
LITTLE_ROOM = 500_000_000


class Health(msgspec.Struct):
    clips: int
    #: file: what is wrong with it
    broken: dict[str, str]
    #: file: how often raters reported that it did not play
    reported: dict[str, int]
    free_bytes: int

    @property
    def little_room(self) -> bool:
        return self.free_bytes < LITTLE_ROOM


def health(folder: Folder, store: Store) -> Health:
    clips = store.clips()
    broken = {}
    for clip in clips:
        try:
            size = (folder.clips / clip.path).stat().st_size
        except OSError:
            broken[clip.path] = "is missing"
        else:
            if size != clip.bytes:
                broken[clip.path] = f"has {size:,} bytes; it had {clip.bytes:,} when the campaign was made"
    return Health(len(clips), broken, store.skipped(), shutil.disk_usage(folder.path).free)
