"""The one list of formats: it drives `--from` and `--to`, recognition, and the page docs/formats.md."""

from ..captions import Document
from ..errors import UsageError, suggest
from .activitynet import Ids, Reference, Submission
from .base import Format
from .checks import Check
from .datasets import Annotations, Challenge, Results, Sis, TimeChat, YouCook2
from .line_formats import JsonLines, Lines, Plain
from .prose import Prose
from .records import Records
from .source import Source
from .subtitles import Srt, VidChapters, Vitt, WebVtt, YouTube
from .tables import Csv, Parquet, Tsv

#: in the order in which contents are tried: the most telling shapes first
FORMATS: dict[str, Format] = {
    f.name: f
    for f in (
        Prose(),  # before JSON: `[0, 12] a dog` begins like a list
        JsonLines(),
        Vitt(),
        Submission(),
        YouCook2(),
        Challenge(),
        Sis(),
        Annotations(),
        Results(),
        Reference(),
        VidChapters(),
        TimeChat(),
        Plain(),
        Ids(),
        Parquet(),
        WebVtt(),
        Srt(),
        Tsv(),
        Csv(),
        YouTube(),
        Lines(),
    )
}

#: reads records of any names; it is tried where no format above fits, and cannot be written
RECORDS = Records()

_SHOWN = {
    "documents": "many documents",
    "several": "many captions each",
    "alternatives": "alternatives",
    "times": "times",
    "duration": "durations",
    "images": "images",
    "meta": "other keys of captions",
    "about": "other keys of documents",
}


def rows() -> list[list[str]]:
    """The formats as `storymeter info --formats` and docs/formats.md show them: name, what it is, a sample,
    what it carries.
    """
    return [
        [
            f.name,
            f.title,
            f.shape,
            (
                ", ".join(words for field, words in _SHOWN.items() if field in f.carries)
                if "captions" in f.carries
                else "ids alone"
            ),
        ]
        for f in FORMATS.values()
    ]


def get(name: str) -> Format:
    if name == RECORDS.name:
        return RECORDS
    try:
        return FORMATS[name]
    except KeyError:
        raise UsageError(f"There is no format {name!r}.", hint=suggest(name, FORMATS)) from None


def regular(
    source: Source, chosen: Format | None, check: Check
) -> tuple[Format, tuple[Document, ...]] | None:
    """The format and the documents of a JSON file whose shape is regular (`Format.regular`)."""
    if source.is_json and not source.is_json_lines and not source.columns and source.sound:
        for format in (chosen,) if chosen else FORMATS.values():
            found = format.regular(source, check)
            if found is not None:
                return format, found
    return None


def sniff(source: Source) -> Format | None:
    """By content first, then by suffix; None where nothing fits."""
    return next((f for f in FORMATS.values() if f.sniff(source)), None) or by_suffix(source)


def by_suffix(source: Source) -> Format | None:
    """For files whose content does not tell the format; that of JSON always does, whatever the ending."""
    if source.is_json or source.suffix == ".json":
        return None
    return next((f for f in FORMATS.values() if source.suffix in f.suffixes), None)
