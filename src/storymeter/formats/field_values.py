"""Kinds of values in a record: a text, an id, a time or a span. Names of fields play no part here."""

import re
from collections.abc import Sequence
from typing import Any

from . import aliases
from .aliases import tier
from .problems import MISSING
from .spans import seconds, simple, times
from .tables import number

_FRACTION = re.compile(r"-?\d*\.\d+(?:e-?\d+)?")


def flat(value: Any) -> Any:
    """The one value inside of lists of one: `[["…"]]` is `…`."""
    while isinstance(value, list) and len(value) == 1:
        value = value[0]
    return value


def text_id(value: Any) -> str | None:
    value = flat(value)
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else None
    return str(value) if str(value).strip() else None


def stem(value: str | None) -> str:
    """The name of a media file without its folder and ending; other names as they are.

    >>> stem("clips/a.mp4"), stem("a.jpg#3"), stem("v1.2"), stem("b/c")
    ('a', 'a', 'v1.2', 'b/c')
    """
    text = str(value)
    bare = re.sub(r"#\d{1,2}$", "", text) if "#" in text else text
    if not aliases.MEDIA.search(bare):
        return text
    name = re.split(r"[/\\]", bare)[-1]
    return aliases.MEDIA.sub("", name) or text


#: where the text of an answer stands in what servers of models send
_ANSWER_KEYS = (
    "completion",
    "content",
    "text",
    "caption",
    "message",
    "body",
    "choices",
    "output_text",
    "value",
)


def deep_text(value: Any, depth: int = 0) -> Any:
    """The one text inside of an answer's object: `{"choices": [{"message": {"content": "…"}}]}`, the last
    turn of a talk; what holds none stays as it is.

    >>> deep_text({"body": {"choices": [{"message": {"content": "a dog"}}]}})
    'a dog'
    >>> deep_text([{"from": "human", "value": "what?"}, {"from": "gpt", "value": "a dog"}])
    'a dog'
    """
    value = flat(value)
    if is_talk(value):
        value = value[-1]
    if isinstance(value, dict) and depth < 8:
        for key in _ANSWER_KEYS:
            if key in value and isinstance(found := deep_text(value[key], depth + 1), str):
                return found
    return value


def is_counter(values: Sequence[Any]) -> bool:
    """0, 1, 2 … or 1, 2, 3 …, also as texts."""
    try:
        numbers = [int(value) for value in values]
    except (TypeError, ValueError):
        return False
    return numbers in (list(range(len(numbers))), list(range(1, len(numbers) + 1)))


def all_counting(keys: list[str | None]) -> bool:
    found = [re.fullmatch(r"\D*(\d+)", key or "") for key in keys]
    return all(found) and is_counter([f[1] for f in found if f])


def is_talk(value: Any) -> bool:
    """Turns of a talk, of which only the last one is a model's."""
    if not isinstance(value, list) or len(value) < 2 or not all(isinstance(turn, dict) for turn in value):
        return False
    speakers = [str(turn.get("role", turn.get("from", ""))).lower() for turn in value]
    models = [speaker in ("assistant", "gpt", "model", "bot") for speaker in speakers]
    return models.count(True) == 1 and models[-1]


def is_text(value: Any) -> bool:
    value = flat(value)
    if isinstance(value, dict):
        value = deep_text(value)
    if isinstance(value, list):
        return bool(value) and all(isinstance(v, str) for v in value)
    return isinstance(value, str)


def is_name(value: Any) -> bool:
    value = text_id(value)
    return (
        value is not None and len(value) < 200 and len(value.split()) == 1 and not _FRACTION.fullmatch(value)
    )


def is_file(value: Any) -> bool:
    """The name of a media file, or an address: no caption."""
    value = flat(value)
    return isinstance(value, str) and bool(
        aliases.MEDIA.search(value) or ("://" in value and len(value.split()) == 1)
    )


def is_time(value: Any) -> bool:
    if isinstance(value, str):
        return (
            any(c.isdigit() for c in value)
            and len(value) < 30
            and not any(c.isspace() for c in value.strip()[:3])
        )
    return isinstance(value, int | float) and not isinstance(value, bool)


def plain_time(value: Any) -> float | None:

    found = Clock("", None).seconds(value)
    return found if isinstance(found, int | float) and not isinstance(found, bool) else None


def is_start(value: Any) -> bool:
    """A time of a video, as opposed to a date."""
    if isinstance(value, str):
        return len(value) < 13 and "-" not in value and is_time(value)
    return is_time(value) and abs(value) < 1e8


def is_number_pair(value: Any) -> bool:
    return (
        isinstance(value, list)
        and len(value) == 2
        and all(isinstance(v, int | float) and not isinstance(v, bool) for v in value)
        and value[0] < value[1]
    )


def is_broken_span(value: Any) -> bool:
    return isinstance(value, list) and len(value) < 5 and not any(isinstance(v, list | dict) for v in value)


def is_span(value: Any) -> bool:
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if isinstance(value, dict):
        return any(tier(n, aliases.START) for n in value) and any(tier(n, aliases.END) for n in value)
    if isinstance(value, list):
        return len(value) == 2 and all(is_time(v) for v in value)
    from .spans import times

    return isinstance(value, str) and times(value) is not None


# Times of records: seconds, clock times, and milliseconds or frames where the name of the field says so.


class Clock:
    """Reads the times of one field; `fps` is the frame rate of the record, where it has one.

    >>> Clock("start_ms", None).seconds(1500), Clock("start", None).seconds("1:30")
    (1.5, 90)
    >>> Clock("segment", None).pair("0:05 - 0:09"), Clock("start_frame", 25).seconds(50)
    ((5, 9), 2.0)
    """

    def __init__(self, name: str, fps: Any) -> None:
        self.millis = aliases.unit(name) == "ms"
        self.frames = aliases.unit(name) == "frame"
        rate = number(fps)
        self.fps = rate if isinstance(rate, int | float) and not isinstance(rate, bool) and rate > 0 else None

    def seconds(self, value: Any) -> Any:
        """A time in seconds; what cannot be read is handed on, to be reported."""
        value = number(value)
        if isinstance(value, str):
            found = seconds(simple(value.strip()))
            value = value if found is None else found
        if isinstance(value, bool) or not isinstance(value, int | float):
            return value
        if self.millis:
            return value / 1000
        if self.frames:
            return value / self.fps if self.fps else f"frame {value:g} without a field fps"
        return value

    def pair(self, value: Any) -> tuple[Any, Any]:
        """Start and end out of a list of two, an object, or a text."""
        if isinstance(value, list) and len(value) == 1 and isinstance(value[0], list | str | dict):
            value = value[0]
        if value is None or value == "":
            return MISSING, MISSING
        if isinstance(value, list) and len(value) == 2:
            return self.seconds(value[0]), self.seconds(value[1])
        if isinstance(value, dict):
            start = next((value[n] for n in value if tier(n, aliases.START)), None)
            end = next((value[n] for n in value if tier(n, aliases.END)), None)
            return self.seconds(start), self.seconds(end)
        if isinstance(value, str) and (found := times(value)):
            return self.seconds(found[0]), self.seconds(found[1])
        wrong = value if isinstance(value, list | str | dict) else [value]
        return wrong, wrong
