"""A folder of pictures or videos, and its files by name.

Names are looked up in a listing of the folder, so a name with `..` in it leads nowhere.
"""

import filecmp
import os
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar

from ..captions import Document
from ..errors import DataError, MissingPartError, StorymeterWarning, UsageError, first_few


class MediaFolder:
    """Files at any depth, each known by its path in the folder and by every end of it, such as its name, with
    and without the ending; where several share one, the first in order has it.
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
        #: names that files in several folders share
        self._shared: dict[str, list[Path]] = {}
        for place, folders, files in os.walk(self.folder):
            folders.sort()
            for name in sorted(files):
                path = Path(place) / name
                if path.suffix.lower() in self.endings:
                    self._add(path, path.relative_to(self.folder))

    def _add(self, path: Path, relative: Path) -> None:
        for whole in (relative, relative.with_suffix("")):
            ends = ["/".join(whole.parts[k:]) for k in range(len(whole.parts))]
            for key in ends:
                first = self._by_name.setdefault(key, path)
                if first.parent != path.parent:
                    self._shared.setdefault(key, [first]).append(path)


# A story's pictures: found by name in one folder, and decoded safely.
#
# A picture is measured before it is decoded; a huge, broken or unreadable one is an error that names the
# file. EXIF rotation is honoured, and large pictures are scaled down at once, so that memory stays flat.


MAX_PIXELS = 80_000_000
LONGEST_SIDE = 1024


class Pictures(MediaFolder):
    """A folder of images: `name.jpg` or `name`, at any depth; or a subfolder per story, or an image, named by
    its id.
    """

    kind: ClassVar[str] = "images"
    endings: ClassVar[tuple[str, ...]] = (".jpg", ".jpeg", ".png", ".webp", ".gif", ".bmp", ".tif", ".tiff")

    def __init__(self, folder: str | Path) -> None:
        self._by_folder: dict[str, list[str]] = {}
        #: every end of a subfolder's path
        self._folders: set[str] = set()
        super().__init__(folder)

    def _add(self, path: Path, relative: Path) -> None:
        super()._add(path, relative)
        if relative.parent != Path():
            self._by_folder.setdefault(relative.parent.as_posix(), []).append(relative.as_posix())
            parts = relative.parent.parts
            self._folders.update("/".join(parts[k:]) for k in range(len(parts)))

    def of(self, document: Document) -> list[str]:
        """The names of a story's pictures; where the file names none, those in the subfolder of its id, or
        the one that is called so.
        """
        return (
            [self.called(document, name) for name in document.images]
            or self._by_folder.get(document.id)
            or ([document.id] if document.id in self._by_name else [])
        )

    def called(self, document: Document, name: str) -> str:
        """The name of a picture of a story; with the subfolder of the story's id, where that holds it."""
        own = f"{document.id}/{name}"
        numbered = bool(self._shared) and document.id in self._by_folder and "/" not in name
        root = self._by_name.get(name)
        lacking = numbered and (root is None or root.parent != self.folder)
        return own if own in self._by_name or lacking else name

    def shown(self, item: Sequence[Document]) -> Document:
        """The first document of an item that says which pictures it is about; otherwise its first one."""
        return next(filter(self.of, item), item[0])

    def present(self, document: Document) -> list[str]:
        """Those of a story's pictures that are in the folder."""
        return [name for name in self.of(document) if self.find(name) is not None]

    def find(self, name: str) -> Path | None:
        """The file of a name or path, whose folders may be called otherwise here. Where albums number their
        pictures (files of one name in several folders), a path names no file of another folder.
        """
        parts = Path(name).parts
        for key in ("/".join(parts[k:]) for k in range(len(parts))):
            if key in self._by_name:
                elsewhere = key != name and "/" not in key and self._by_name[key].parent != self.folder
                return None if elsewhere and self._shared else self._one(name, key)
            if key.rpartition("/")[0] in self._folders:
                return None
        return None

    def _one(self, name: str, key: str) -> Path:
        """The file whose whole path it is, or that of a name; files that share one must be copies."""
        files = self._shared.get(key, [self._by_name[key]])
        for file in files:
            path = file.relative_to(self.folder)
            if key in (path.as_posix(), path.with_suffix("").as_posix()):
                return file
        for other in files[1:]:
            if not filecmp.cmp(files[0], other, shallow=False):
                raise DataError(
                    f"{name} names several images: {files[0]}, {other}",
                    hint="Name images by their folders, as in album/1.jpg, or call the subfolders by the ids"
                    " of the stories.",
                )
        return files[0]

    def check(
        self, documents: Sequence[Document], metric: str = "rovist_vg", *, missing: str = "error"
    ) -> None:
        """What is missing, counted and named: an error, or with `missing=skip` a warning."""
        named = dict.fromkeys(name for document in documents for name in self.of(document))
        lacking = [name for name in named if self.find(name) is None]
        blind = [document.id for document in documents if document.captions and not self.of(document)]
        gone = f"{len(lacking):,} of {len(named):,} images are not in {self.folder}: {first_few(lacking)}"
        none = f"{len(blind):,} of {len(documents):,} stories name no image: {first_few(blind)}"
        if missing == "skip":
            told = [*([gone] if lacking else []), *([none] if blind else [])]
            if told:
                warnings.warn(f"missing=skip: {'; '.join(told)}.", StorymeterWarning, stacklevel=3)
            return
        if lacking:
            raise DataError(
                gone,
                hint=(
                    f"Add them, or score the stories by the pictures that are there: {metric}(missing=skip)."
                ),
            )
        if blind:
            raise DataError(
                none,
                hint=(
                    "Give captions with images, a photo_sequence, or an image or subfolder of images named"
                    f" by the id; or use {metric}(missing=skip)."
                ),
            )


def open_picture(path: Path, *, whole: bool = False) -> Any:
    """The picture in RGB, upright, its longest side at most 1024, or in its own size.

    path: an image file.
    whole: in its own size.
    """
    try:
        from PIL import Image, ImageOps
    except ImportError:
        raise MissingPartError.extra("Reading images", "neural") from None
    if not path.is_file():  # a pipe would be waited for, a link may lead nowhere
        raise DataError(f"{path} is not a file.", hint="Put the picture itself there.")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Pillow's own warning about large files; ours is an error
            image = Image.open(path)
            if image.width * image.height > MAX_PIXELS:
                raise DataError(
                    f"{path} has {image.width * image.height / 1e6:,.0f} megapixels, which is more than the"
                    f" {MAX_PIXELS // 1_000_000} that are decoded.",
                    hint="Scale it down; regions are scaled to 224 x 224 pixels anyway.",
                )
            if not whole:
                image.draft("RGB", (LONGEST_SIDE, LONGEST_SIDE))
            image.load()
            rgb = (ImageOps.exif_transpose(image) or image).convert("RGB")
    except DataError:
        raise
    except Image.DecompressionBombError:
        raise DataError(
            f"{path} claims more pixels than are decoded ({MAX_PIXELS // 1_000_000} million).",
            hint="Scale it down.",
        ) from None
    except Exception as error:  # decoders raise whatever they like on broken files
        raise DataError(
            f"{path} is not a readable image: {str(error) or type(error).__name__}",
            hint="It may be truncated: copy it again.",
        ) from None
    if not whole:
        rgb.thumbnail((LONGEST_SIDE, LONGEST_SIDE))
    return rgb


# Frames of videos at even distances, found by name in one folder and decoded safely (PyAV, which carries
# its own decoders).
#
# A stretch from a to b is cut into n equal parts, and the frame on show in the middle of each is taken:
#
#     t_k = a + (k + 1/2) (b - a) / n,   k = 0 … n - 1
#
# The frame on show at t is the last one whose time is not after t. Frames are turned upright, and given one
# after another, so that memory stays flat.


ENDINGS = (".mp4", ".m4v", ".mov", ".mkv", ".webm", ".avi", ".mpg", ".mpeg", ".ts", ".flv", ".wmv", ".3gp")
#: seconds ahead from which jumping to the next key frame costs less than decoding up to it
JUMP = 5.0


class Videos(MediaFolder):
    """A folder of videos, at any depth, named by the ids of the documents; `v_` before an id may be lacking
    on either side.
    """

    kind: ClassVar[str] = "videos"
    endings: ClassVar[tuple[str, ...]] = ENDINGS

    def find(self, name: str) -> Path | None:
        found = (self._by_name.get(key) for key in (name, name.removeprefix("v_"), f"v_{name}"))
        return next((path for path in found if path is not None), None)


def even_times(start: float, end: float, count: int) -> list[float]:
    """The middles of `count` equal parts.

    >>> even_times(0.0, 8.0, 4)
    [1.0, 3.0, 5.0, 7.0]
    """
    return [start + (k + 0.5) * (end - start) / count for k in range(count)]


def video_seconds(path: Path) -> float:
    """How long a video lasts, in seconds."""
    with _opened(path) as container:
        stream = container.streams.video[0]
        known = (container.duration or 0) / 1e6  # FFmpeg counts microseconds
        known = known or float((stream.duration or 0) * stream.time_base)
        if not known:  # live recordings carry no duration: walk to the end
            known = max((_time(frame) for frame in container.decode(stream)), default=0.0)
    if not known:
        raise DataError(f"{path} has no duration.", hint="It may be truncated: copy it again.")
    return known


def frames_at(path: Path, times: Sequence[float]) -> Iterator[Any]:
    """The frames on show at these times, as pictures in RGB; each distinct time is decoded once, in the order
    of time, and given in that order.

    path: a video.
    times: in seconds.
    """
    with _opened(path) as container:
        stream = container.streams.video[0]
        decoded = container.decode(stream)
        held, ahead = None, next(decoded, None)
        begin = float((stream.start_time or 0) * stream.time_base)  # streams of broadcasts begin at any time
        for time in (begin + max(each, 0.0) for each in sorted(set(times))):
            if time - _time(ahead or held) > JUMP:
                container.seek(int(time / stream.time_base), stream=stream)
                decoded = container.decode(stream)
                held, ahead = None, next(decoded, None)
            while ahead is not None and (held is None or _time(ahead) <= time):
                held, ahead = ahead, next(decoded, None)
            yield _picture(held, path)


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    """A container with a picture in it; whatever a decoder says of a broken file becomes an error that names
    it.
    """
    if not path.is_file():  # a pipe would be waited for, a link may lead nowhere
        raise DataError(f"{path} is not a file.", hint="Put the video itself there.")
    try:
        import av
    except ImportError:
        raise MissingPartError.extra("Reading videos", "neural") from None
    try:
        with av.open(str(path)) as container:
            if not container.streams.video:
                raise DataError(f"{path} has no picture.", hint="Give a video, not a sound file.")
            yield container
    except (av.error.FFmpegError, OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
        raise DataError(
            f"{path} is not a readable video: {reason}", hint="It may be truncated: copy it again."
        ) from None


def _time(frame: Any) -> float:
    return 0.0 if frame is None or frame.time is None else float(frame.time)


def _picture(frame: Any, path: Path) -> Any:
    if frame is None:
        raise DataError(f"{path} has no frame that decodes.", hint="It may be truncated: copy it again.")
    if frame.width * frame.height > MAX_PIXELS:
        raise DataError(
            f"{path} has frames of {frame.width * frame.height / 1e6:,.0f} megapixels, which is more than"
            f" the {MAX_PIXELS // 1_000_000} that are decoded.",
            hint="Scale it down.",
        )
    picture = frame.to_image()
    turn = getattr(frame, "rotation", 0)
    return picture.rotate(turn, expand=True) if turn else picture
