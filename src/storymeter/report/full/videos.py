"""Which video belongs to which document, and the address at which the page finds it."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import quote

#: what browsers play, in the order in which one of several is taken
ENDINGS = (".mp4", ".webm", ".m4v", ".ogv", ".mov", ".mkv")


def find_videos(folder: Path, ids: Iterable[str], page: Path) -> dict[str, str]:
    """Document id -> address relative to the page. A file is named by the id, with or without a leading
    `v_`.
    """
    known: dict[str, Path] = {}
    for path in sorted(folder.rglob("*"), key=lambda p: (_rank(p), p.as_posix())):
        if _rank(path) < len(ENDINGS):
            known.setdefault(path.stem, path)
            known.setdefault(path.name, path)
    found = {}
    for id in ids:
        video = known.get(id) or known.get(id.removeprefix("v_")) or known.get(f"v_{id}")
        if video is not None:
            relative = os.path.relpath(video.resolve(), page.resolve().parent)
            found[id] = quote(Path(relative).as_posix())
    return found


def _rank(path: Path) -> int:
    ending = path.suffix.lower()
    return ENDINGS.index(ending) if ending in ENDINGS else len(ENDINGS)
