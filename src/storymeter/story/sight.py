"""Vectors of pictures, frames and texts by a CLIP, each worked out once.

They are kept on the disk by content: a picture by the hash of its file, a frame by that of its video and its
time, a text by itself; one cache file per model and release (`pairs.embeddings` says where, and how to switch
it off)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from .. import __version__
from ..arrays import Float32
from ..errors import UsageError
from ..metric import Progress, silent
from ..pairs.embeddings import VectorStore, vector_folder
from ..pairs.vector_rows import VectorRows
from .clip_model import PICTURES, ClipModel, load_clip
from .frames import frames_at
from .pictures import open_picture
from .views import View, Views, Visuals

#: texts encoded between two writes to the cache
CHUNK = 2048


class Sight:
    """A model and the folders that a run looks at."""

    def __init__(self, clip: ClipModel, visuals: Visuals) -> None:
        self.clip, self.visuals = clip, visuals
        folder = vector_folder()
        made_by = hashlib.sha256(f"{__version__} {clip.identity}".encode()).hexdigest()
        self._kept = VectorStore(folder / f"clip-{made_by[:16]}.sqlite", clip.width) if folder else None
        self._vectors = VectorRows(clip.width)
        self._rows: dict[str, int] = {}
        self._digests: dict[Path, str] = {}

    @classmethod
    def of(cls, model: str, images: str | None, videos: str | None, device: str, metric: str) -> Sight:
        if not model:
            raise UsageError(
                f"{metric} needs a model of pictures and texts, and none comes with Storymeter.",
                hint=f"Name the folder of a CLIP on this machine: {metric}(model=FOLDER).",
            )
        visuals = Visuals(images, videos, metric)
        return cls(load_clip(model, device), visuals)

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
            self._remember([self._name(path) for path in part], partial(self._see_pictures, part))
            progress("encoding pictures", begin + len(part), len(paths))
        for done, (path, wanted) in enumerate(films.items(), 1):
            times = sorted(wanted)
            self._remember([self._name(path, time) for time in times], partial(self._see_frames, path, times))
            progress("encoding videos", done, len(films))

    def of_views(self, views: Views) -> Float32:
        """(pictures and frames of all, width); after `look`."""
        names = [self._name(view.path, time) for view in views for time in (view.times or (None,))]
        return self._vectors.view()[[self._rows[name] for name in names]]

    def texts(self, texts: Sequence[str]) -> Float32:
        """(texts, width)"""
        names = [f"text {text}" for text in texts]
        new = [text for text in dict.fromkeys(texts) if f"text {text}" not in self._rows]
        self.clip.warn_of_cut(new)
        for begin in range(0, len(new), CHUNK):
            part = new[begin : begin + CHUNK]
            self._remember([f"text {text}" for text in part], partial(self._read, part))
        return self._vectors.view()[[self._rows[name] for name in names]]

    def _see_pictures(self, paths: Sequence[Path], wanted: Sequence[int]) -> Float32:
        return self.clip.pictures(open_picture(paths[k], whole=True) for k in wanted)

    def _see_frames(self, path: Path, times: Sequence[float], wanted: Sequence[int]) -> Float32:
        return self.clip.pictures(frames_at(path, [times[k] for k in wanted]))

    def _read(self, texts: Sequence[str], wanted: Sequence[int]) -> Float32:
        return self.clip.texts([texts[k] for k in wanted])

    def _remember(self, names: Sequence[str], make: Callable[[Sequence[int]], Float32]) -> None:
        """Takes from the disk what is there, and makes the rest: `make` is given the places of the names that
        are lacking, in their order.
        """
        fresh = {name: k for k, name in enumerate(names) if name not in self._rows}
        known = self._kept.get(list(fresh)) if self._kept and fresh else {}
        lacking = [name for name in fresh if name not in known]
        if lacking:
            made = make([fresh[name] for name in lacking])
            if self._kept:
                self._kept.put(lacking, made)
            known.update(zip(lacking, made, strict=True))
        if known:
            begin = self._vectors.append(np.stack(list(known.values())))
            self._rows.update({name: begin + k for k, name in enumerate(known)})

    def _name(self, path: Path, time: float | None = None) -> str:
        if path not in self._digests:
            digest = hashlib.sha256()
            with path.open("rb") as file:
                while block := file.read(1 << 20):
                    digest.update(block)
            self._digests[path] = digest.hexdigest()
        return f"picture {self._digests[path]}" if time is None else f"frame {self._digests[path]} {time:.6f}"
