"""Checks of the clips before a study: whether each is there and decodes, and how long it is.

PyAV does the looking: it carries its own decoders (no ffmpeg program needed), opens whatever a browser might
be given, and really decodes a frame, where readers of tags would believe any header. Pictures (for surveys)
go through it too."""

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from ...errors import MissingPartError
from ...progress import Progress, silent

#: what browsers play, and the type they are told; the order decides where one clip comes in several files
VIDEO = {
    ".mp4": "video/mp4",
    ".webm": "video/webm",
    ".m4v": "video/mp4",
    ".ogv": "video/ogg",
    ".mov": "video/quicktime",
}
IMAGE = {
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".png": "image/png",
    ".webp": "image/webp",
    ".gif": "image/gif",
}
#: what some browsers do not play; said, not refused
DOUBTFUL = {"hevc": "H.265", "mpeg4": "MPEG-4 part 2", "mpeg2video": "MPEG-2", "prores": "ProRes"}


class Clip(msgspec.Struct, frozen=True):
    """A file that can be shown; `path` is relative to the campaign's clip folder."""

    path: str
    mime: str
    seconds: float
    bytes: int


class Checked(msgspec.Struct):
    clips: dict[str, Clip]
    problems: list[str]
    warnings: list[str]


def find(folder: Path, ids: Iterable[str], kinds: dict[str, str] = VIDEO) -> dict[str, Path]:
    """The file of each id: its name is the id, with a known suffix. Ids are looked up, never joined to a
    path.
    """
    files: dict[str, Path] = {}
    order = list(kinds)
    for path in sorted(
        folder.rglob("*"),
        key=lambda p: (order.index(p.suffix.lower()) if p.suffix.lower() in order else 99, str(p)),
    ):
        if path.suffix.lower() in kinds and path.is_file():
            relative = path.relative_to(folder).as_posix()
            for name in (relative, path.name, relative[: -len(path.suffix)], path.stem):
                files.setdefault(name, path)
    return {item: files[item] for item in ids if item in files}


def sequences(
    folder: Path, named: dict[str, tuple[str, ...]], ids: Iterable[str]
) -> dict[str, tuple[str, ...]]:
    """The pictures of each sequence: those its caption file names, in the subfolder of its id where albums
    number their pictures; else all pictures in that subfolder.
    """
    places = Counter(name for path in folder.rglob("*") if path.is_file() for name in {path.name, path.stem})
    subfolders = {path.name: path for path in sorted(folder.iterdir()) if path.is_dir()}
    found = {}
    for item in ids:
        inside = sorted(subfolders[item].iterdir()) if item in subfolders else []
        own = {name for path in inside for name in (path.name, path.stem)}
        if item in named:
            found[item] = tuple(
                f"{item}/{name}" if name in own or (own and places[name] > 1) else name
                for name in named[item]
            )
        elif item in subfolders:
            found[item] = tuple(p.relative_to(folder).as_posix() for p in inside if p.suffix.lower() in IMAGE)
    return found


def check(
    folder: Path, ids: Sequence[str], kinds: dict[str, str] = VIDEO, *, progress: Progress = silent
) -> Checked:
    """Look at the clip of every id. Nothing is thrown: each problem is a line that names the clip and says
    what is wrong.
    """
    found = find(folder, ids, kinds)
    result = Checked(
        {},
        [
            f"{item}: no clip of that name in {folder} ({', '.join(kinds)})"
            for item in ids
            if item not in found
        ],
        [],
    )
    for number, (item, path) in enumerate(found.items()):
        progress("looking at clips", number, len(found))
        seconds, codec, problem = probe(path)
        if problem:
            result.problems.append(f"{item}: {path.name} {problem}")
        elif kinds is VIDEO and seconds <= 0:
            result.problems.append(f"{item}: {path.name} has no duration")
        else:
            if codec in DOUBTFUL:
                result.warnings.append(
                    f"{item}: {path.name} is {DOUBTFUL[codec]}, which some browsers do not play; H.264, VP9"
                    " and AV1 are safe"
                )
            result.clips[item] = Clip(
                path.relative_to(folder).as_posix(), kinds[path.suffix.lower()], seconds, path.stat().st_size
            )
    return result


def probe(path: Path) -> tuple[float, str, str]:
    """(seconds, codec, problem) of one file: opened, and one frame decoded."""
    try:
        import av
    except ImportError:
        raise MissingPartError.extra("Checking clips", "human") from None
    if path.stat().st_size == 0:
        return 0.0, "", "is empty"
    try:
        with av.open(str(path)) as container:
            streams: Any = container.streams.video
            if not streams:
                return 0.0, "", "has no picture"
            stream = streams[0]
            if next(container.decode(stream), None) is None:
                return 0.0, "", "has no frame that decodes"
            seconds = float(container.duration or 0) / av.time_base
            if not seconds and stream.duration:
                seconds = float(stream.duration * stream.time_base)
            if not seconds:  # live recordings carry no duration: walk to the end
                for frame in container.decode(stream):
                    seconds = frame.time or seconds
            return seconds, str(stream.codec_context.name), ""
    except (av.error.FFmpegError, OSError, ValueError) as error:
        return 0.0, "", f"does not decode ({type(error).__name__})"
