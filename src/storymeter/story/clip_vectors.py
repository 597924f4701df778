"""Vectors of pictures, frames and texts by a CLIP, each worked out once.

They are kept on the disk by content: a picture by the hash of its file, a frame by that of its video and its
time, a text by itself; one cache file per model and release (`models.vectors` says where, and how to switch
it off)."""

import hashlib
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path

from .. import __version__
from ..arrays import Float32
from ..context import Context
from ..errors import UsageError
from ..models.clip import PICTURES, Clip, load_clip
from ..models.media import frames_at, open_picture
from ..models.packages import sha256_of
from ..models.vectors import KeptVectors
from ..progress import Progress, silent
from .documents import View, Views, Visuals, check_visuals

#: texts encoded between two writes to the cache
CHUNK = 2048


class Sight:
    """A model and the folders that a run looks at."""

    def __init__(self, clip: Clip, visuals: Visuals) -> None:
        self.clip, self.visuals = clip, visuals
        made_by = hashlib.sha256(f"{__version__} {clip.identity}".encode()).hexdigest()
        self._kept = KeptVectors(f"clip-{made_by[:16]}.sqlite", clip.width)
        self._digests: dict[Path, str] = {}

    def look(self, views: Iterable[View], progress: Progress = silent) -> None:
        """Works out the vectors of these, as far as they are not known."""
        pictures: dict[Path, None] = {}
        films: dict[Path, set[float]] = {}
        for view in views:
            if view.times:
                films.setdefault(view.path, set()).update(view.times)
            else:
                pictures[view.path] = None
        paths = list(pictures)
        for begin in range(0, len(paths), PICTURES):
            part = paths[begin : begin + PICTURES]
            self._kept.remember({self._name(path): path for path in part}, self._see_pictures)
            progress("encoding pictures", begin + len(part), len(paths))
        for done, (path, wanted) in enumerate(films.items(), 1):
            named = {self._name(path, time): time for time in sorted(wanted)}
            self._kept.remember(named, partial(self._see_frames, path))
            progress("encoding videos", done, len(films))

    def of_views(self, views: Views) -> Float32:
        """(pictures and frames of all, width); after `look`."""
        return self._kept.named(
            self._name(view.path, time) for view in views for time in (view.times or (None,))
        )

    def texts(self, texts: Sequence[str]) -> Float32:
        """(texts, width)"""
        new = [text for text in dict.fromkeys(texts) if f"text {text}" not in self._kept]
        self.clip.warn_of_cut(new)
        for begin in range(0, len(new), CHUNK):
            part = {f"text {text}": text for text in new[begin : begin + CHUNK]}
            self._kept.remember(part, self.clip.texts)
        return self._kept.named(f"text {text}" for text in texts)

    def _see_pictures(self, paths: Sequence[Path]) -> Float32:
        return self.clip.pictures(open_picture(path, whole=True) for path in paths)

    def _see_frames(self, path: Path, times: Sequence[float]) -> Float32:
        return self.clip.pictures(frames_at(path, times))

    def _name(self, path: Path, time: float | None = None) -> str:
        if path not in self._digests:
            self._digests[path] = sha256_of(path)
        return f"picture {self._digests[path]}" if time is None else f"frame {self._digests[path]} {time:.6f}"


def sight_of(context: Context, model: str, metric: str) -> Sight:
    """A CLIP and the pictures or videos of the run, for all metrics that ask the same model."""
    if not model:
        raise UsageError(
            f"{metric} needs a model of pictures and texts, and none comes with Storymeter.",
            hint=f"Name the folder of a CLIP on this machine: {metric}(model=FOLDER).",
        )
    check_visuals(context.images, context.videos, metric)
    return context.per_run(_sight_of, model)


def _sight_of(context: Context, model: str) -> Sight:
    return Sight(load_clip(model, context.device), Visuals(context.images, context.videos))
