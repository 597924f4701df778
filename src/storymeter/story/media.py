"""A folder of pictures or videos, and its files by name.

Names are looked up in a listing of the folder, so a name with `..` in it leads nowhere.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import ClassVar

from ..errors import UsageError


class MediaFolder:
    """Files at any depth, each known by its name and by its path, with and without the ending; where several
    share one, the first in order has it.
    """

    kind: ClassVar[str]
    endings: ClassVar[tuple[str, ...]]

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        if not self.folder.is_dir():
            raise UsageError(
                f"There is no folder {str(folder)!r} of {self.kind}.",
                hint=f"Give it with --{self.kind} FOLDER.",
            )
        self._by_name: dict[str, Path] = {}
        for place, folders, files in os.walk(self.folder):
            folders.sort()
            for name in sorted(files):
                path = Path(place) / name
                if path.suffix.lower() in self.endings:
                    self._add(path, path.relative_to(self.folder))

    def _add(self, path: Path, relative: Path) -> None:
        for key in (path.name, path.stem, relative.as_posix(), relative.with_suffix("").as_posix()):
            self._by_name.setdefault(key, path)
