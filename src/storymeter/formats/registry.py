"""The one list of formats: it drives `--from` and `--to`, recognition, and the page docs/formats.md."""

from __future__ import annotations

from ..errors import UsageError, closest
from .activitynet import Ids, Reference, Submission
from .base import Format
from .coco import Annotations, Results
from .jsonl import JsonLines
from .plain import Plain
from .source import Source
from .vist import Challenge, Sis

#: in the order in which contents are tried: the most telling shapes first
FORMATS: dict[str, Format] = {f.name: f for f in (
    JsonLines(), Submission(), Challenge(), Sis(), Annotations(), Results(), Reference(), Plain(), Ids(),
)}


def get(name: str) -> Format:
    try:
        return FORMATS[name]
    except KeyError:
        raise UsageError(f"There is no format {name!r}.", hint=closest(name, FORMATS)) from None


def sniff(source: Source) -> Format | None:
    """By content first, then by suffix; None where nothing fits."""
    return next((f for f in FORMATS.values() if f.sniff(source)), None) or by_suffix(source)


def by_suffix(source: Source) -> Format | None:
    """For files whose content does not speak; JSON always speaks, and `.json` says nothing more."""
    if source.is_json or source.suffix == ".json":
        return None
    return next((f for f in FORMATS.values() if source.suffix in f.suffixes), None)


def writable(name: str) -> Format:
    format = get(name)
    if not format.writable:
        raise UsageError(f"Storymeter reads the format {name!r} but does not write it.", hint="Choose another with --to.")
    return format
