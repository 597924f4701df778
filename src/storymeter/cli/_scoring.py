"""The options of commands that score files, and what they mean to `engine.score_files`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from ..errors import UsageError
from ..options import split
from ..progress import Progress, silent
from ._declare import ABOVE_ZERO, option, together
from ._judging import budget, judging_options
from ._options import (
    device_option,
    images_option,
    metrics_option,
    progress_bar,
    protocol_option,
    references_option,
    say,
    tokenizer_option,
    videos_option,
)
from ._reading import layout_of

if TYPE_CHECKING:
    from ..captions import Corpus
    from ..engine.annotators import Spread
    from ..engine.results import Results
    from ..engine.run import Run

cluster_options = together(
    option(
        "--cluster", "Run on a Ray cluster: local (the cores here), auto, or its address.", metavar="ADDRESS"
    ),
    option(
        "--shards",
        "For a corpus in shards (a quoted pattern, or a folder of .parquet or .jsonl): number of shards;"
        " default: one per 200,000 captions. Does not change results.",
        click.IntRange(1, 999_999),
    ),
    option(
        "--sample",
        "For a corpus in shards: score this share of the documents, drawn by their ids.",
        ABOVE_ZERO,
        metavar="SHARE",
    ),
)


system_option = option(
    "--system systems",
    "Several training runs (seeds) of one system: their mean, spread and tests. Files named seed1, seed2 … in"
    " one folder are such runs, too.",
    multiple=True,
    metavar="NAME=FILE,FILE…",
)
unit_option = option(
    "--unit",
    "Documents that are drawn and swapped together in intervals and tests: those with the same FIELD of the"
    " file, with the same part of the id before SEPARATOR (id:SEPARATOR), or each by itself (id); default:"
    " the field `source` if all have it, else id.",
    metavar="FIELD|id:SEPARATOR|id",
)


annotators_option = option(
    "--annotators",
    "With several files of references: also score against each annotator alone; the spread between them, and"
    " intervals that contain it.",
    bool,
)


scoring_options = together(
    references_option,
    metrics_option("Metric, or a comma-separated list; default: chosen by the kind of document."),
    protocol_option,
    tokenizer_option(
        "How sentences become words: ptb as captioning papers do, whitespace for text that is already"
        " tokenised, 13a and intl as machine translation does, ja and zh for Japanese and Chinese."
    ),
    option(
        "--language",
        "Language of the captions (en, ja, de …); default: detected from their script. A warning"
        " names metrics that are made for English only.",
        metavar="CODE",
    ),
    images_option,
    videos_option,
    device_option,
    judging_options,
)

#: options of a verb that a `Run` is made of
SETTINGS = ("protocol", "tokenizer", "language", "device", "images", "videos", "jobs", "seed")
#: options of a verb that `score_files` takes as they are
_FILES = ("unit", "cluster", "shards", "sample", "resamples", "save", "into", "equal_lines", "each")


def settings_of(options: Mapping[str, Any], progress: Progress, but: Sequence[str] = ()) -> dict[str, Any]:
    """What a `Run` is made of, from a verb's options; other options, and those of `but`, are left alone."""
    given = {key: options[key] for key in SETTINGS if options.get(key) is not None and key not in but}
    return {**given, "budget": budget(progress), "progress": progress}


def make_run(references: Sequence[Corpus], progress: Progress, options: Mapping[str, Any]) -> Run:
    from ..engine.run import Run

    return Run(references, **settings_of(options, progress))


def metric_names(texts: Sequence[str]) -> list[str]:
    """The metrics named on the command line, all checked before any file is opened."""
    from ..engine.run import parse_metrics

    names = [name for text in texts for name in split(text)]
    if texts and not names:
        raise UsageError(
            f"--metric {texts[0]!r} is empty.",
            hint="Leave it out for the default ones, or see storymeter info --metrics.",
        )
    parse_metrics(names)
    return names


def read_both(
    candidates: Sequence[str],
    references: Sequence[str],
    options: Mapping[str, Any],
    metrics: Sequence[str] = (),
    progress: Progress = silent,
) -> tuple[list[Corpus], list[Corpus]]:
    """Systems and references, read as the options say."""
    from ..engine.run import parse_metrics
    from ..engine.systems import read_systems

    return read_systems(
        candidates,
        references,
        layout=layout_of(options),
        metrics=parse_metrics(metrics).values(),
        images=options.get("images"),
        progress=progress,
        note=say,
    )


def score_files(candidates: Sequence[str], progress: Progress, options: Mapping[str, Any]) -> Results:
    """`engine.score_files` with the options of a verb."""
    from ..engine.scored_files import score_files

    given = {key: options[key] for key in _FILES if options.get(key) is not None}
    systems = seed_files(options.get("systems", ()))
    names = metric_names(options["metrics"]) or None
    return score_files(
        candidates,
        options["references"],
        names,
        systems=systems,
        layout=layout_of(options),
        note=say,
        **given,
        **settings_of(options, progress),
    )


def seed_files(texts: Sequence[str]) -> dict[str, list[str]]:
    """`mine=seed1.json,seed2.json` to {"mine": ["seed1.json", "seed2.json"]}"""
    systems: dict[str, list[str]] = {}
    for text in texts:
        name, _, files = text.partition("=")
        listed = [file.strip() for file in files.split(",") if file.strip()]
        if not name.strip() or not listed:
            hint = "Write it like --system mine=seed1.json,seed2.json"
            raise UsageError(f"--system cannot be {text!r}.", hint=hint)
        if name.strip() in systems:
            raise UsageError(f"Two systems are called {name.strip()!r}.", hint="Name each system once.")
        systems[name.strip()] = listed
    return systems


def spread_of_annotators(
    results: Results, options: Mapping[str, Any], *, pairs: bool = False
) -> list[Spread]:
    """Scores, or differences between systems, by each annotator alone."""
    if click.get_current_context().params.get("style") == "csv":
        hint = "Use --format json, or leave --annotators out."
        raise UsageError("A CSV file has one kind of rows: no values by annotator.", hint=hint)
    from ..engine.annotators import by_annotator

    settings = {**options, **results.conditions.settings}
    with progress_bar() as progress:
        return by_annotator(results, lambda references: make_run(references, progress, settings), pairs=pairs)
