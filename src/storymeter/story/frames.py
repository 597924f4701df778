"""Frames of videos at even distances, found by name in one folder and decoded safely (PyAV, which carries its
own decoders).

A stretch from a to b is cut into n equal parts, and the frame on show in the middle of each is taken:

    t_k = a + (k + 1/2) (b - a) / n,   k = 0 … n - 1

The frame on show at t is the last one whose time is not after t. Frames are turned upright, and given one
after another, so that memory stays flat."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar

from ..errors import DataError, MissingPartError
from .media import MediaFolder
from .pictures import MAX_PIXELS

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
