"""What `score`, `compare` and their kin share: the options that say what to compute, and the reading before
it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from ..errors import UsageError
from ..names import split
from ..progress import Progress
from ..score import Score
from ._declare import ABOVE_ZERO, option, together
from ._judging import budget, judging_options
from ._options import (
    busy,
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
from ._reading import READING, read_candidates, read_references, require_equal_lines, same_endings
from ._shards import in_shards, score_in_shards

if TYPE_CHECKING:
    from ..captions import Corpus
    from ..engine.annotators import Spread
    from ..engine.partial import PartialRun
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


#: names of files that are training runs of the system that their folder is named after
_SEED = re.compile(r"seed[-_]?\d+", re.IGNORECASE)
#: options of a verb that a `Run` is made of
SETTINGS = ("protocol", "tokenizer", "language", "device", "images", "videos", "jobs", "seed")


def make_run(references: Sequence[Corpus], progress: Progress, options: Mapping[str, Any]) -> Run:
    """A run from a verb's options; other options are left alone."""
    from ..engine.run import Run

    given = {key: options[key] for key in SETTINGS if options.get(key) is not None}
    return Run(references, progress=progress, budget=budget(progress), **given)


def metric_names(texts: Sequence[str]) -> list[str]:
    """The metrics named on the command line, all checked before any file is opened."""
    from ..engine.run import named

    names = [name for text in texts for name in split(text)]
    if texts and not names:
        raise UsageError(
            f"--metric {texts[0]!r} is empty.",
            hint="Leave it out for the default ones, or see storymeter info --metrics.",
        )
    named(names)
    return names


def read_both(
    candidates: Sequence[str],
    references: Sequence[str],
    options: Mapping[str, Any],
    metrics: Sequence[str] = (),
) -> tuple[list[Corpus], list[Corpus]]:
    """Systems and references. Lists of sentences are stories where a story metric is asked for, or pictures
    are given, and those of references where they are stories in a system."""
    reading = {key: options[key] for key in READING if key in options}
    if [*candidates, *references].count("-") > 1:
        raise UsageError("stdin (-) can be read only once.", hint="Give the other files by name.")
    with busy("reading the files"):
        kind = "story" if options.get("images") is not None or any(map(_of_stories, metrics)) else None
        systems = read_candidates(candidates, kind=kind, **reading)
        told = any(corpus.meta.get("kind") == "story" and corpus.captions > len(corpus) for corpus in systems)
        against = read_references(references, kind="story" if told else kind, **reading)
        return same_endings(systems, against)


def _of_stories(name: str) -> bool:
    """Is this a metric of stories?"""
    from ..registry import metric

    return type(metric(name)).__module__.startswith("storymeter.story.")


def with_seeds(
    candidates: Sequence[str], systems: Sequence[str]
) -> tuple[tuple[str, ...], dict[str, tuple[int, ...]]]:
    """All files, and which of them (by number) are the training runs of one system."""
    paths, groups = list(candidates), dict[str, tuple[int, ...]]()
    folders: dict[Path, list[int]] = {}
    for k, path in enumerate(paths):
        if _SEED.fullmatch(Path(path).name.partition(".")[0]) and not is_saved(path):
            folders.setdefault(Path(path).resolve().parent, []).append(k)
    for folder, members in folders.items():
        if len(members) > 1:
            groups[folder.name] = tuple(members)
    for text in systems:
        name, _, files = text.partition("=")
        listed = [file.strip() for file in files.split(",") if file.strip()]
        if not name.strip() or not listed:
            hint = "Write it like --system mine=seed1.json,seed2.json"
            raise UsageError(f"--system cannot be {text!r}.", hint=hint)
        if name.strip() in groups:
            raise UsageError(f"Two systems are called {name.strip()!r}.", hint="Name each system once.")
        groups[name.strip()] = tuple(range(len(paths), len(paths) + len(listed)))
        paths += listed
    if not paths:
        raise UsageError("There is nothing to score.", hint="Give CANDIDATES (files), or --system NAME=FILE.")
    return tuple(paths), groups


def _named_seeds(
    systems: Sequence[Corpus], groups: Mapping[str, tuple[int, ...]]
) -> tuple[list[Corpus], dict[str, tuple[str, ...]]]:
    """The corpora with the name of their system before their own, and which belong together."""
    import msgspec

    named = list(systems)
    for name, members in groups.items():
        own = [systems[k].name.rpartition("/")[2] for k in members]
        for k, label in zip(members, own, strict=True):
            label = label if own.count(label) == 1 else f"{label} ({k + 1})"
            named[k] = msgspec.structs.replace(
                systems[k], name=name if len(members) == 1 else f"{name}/{label}"
            )
    seeds = {name: tuple(named[k].name for k in members) for name, members in groups.items()}
    return named, {name: members for name, members in seeds.items() if len(members) > 1}


def score_files(
    candidates: Sequence[str],
    *,
    references: Sequence[str],
    metrics: Sequence[str],
    resamples: int | Literal["auto"],
    progress: Progress,
    cluster: str | None = None,
    save: str | None = None,
    unit: str | None = None,
    systems: Sequence[str] = (),
    equal_lines: bool = False,
    each: Callable[[str, Score], None] | None = None,
    **options: Any,
) -> Results:
    """Read, choose the metrics where none are named, score; or take saved runs as they are."""
    from dataclasses import replace

    from .. import protocol as protocols
    from ..engine.defaults import choose_metrics
    from ..engine.partial import PartialRun
    from ..engine.results import INTERVALS, Conditions
    from ..engine.units import with_unit

    names = metric_names(metrics)
    candidates, groups = with_seeds(candidates, systems)
    protocols.get(options["protocol"])
    if any(map(is_saved, candidates)):
        results = load_runs(candidates, references, names)
        return with_unit(results, unit, results.conditions.resamples) if unit else results
    if in_shards(candidates, references):
        if unit:
            hint = "Leave it out, or score the files without a pattern."
            raise UsageError("--unit is not for a corpus in shards, whose rows are not kept.", hint=hint)
        return score_in_shards(
            candidates, references, names, resamples, progress, cluster=cluster, save=save, **options
        )
    for name in ("shards", "sample"):
        if options.pop(name, None) is not None:
            hint = "Give a quoted pattern such as 'mine/*.parquet', or a folder."
            raise UsageError(f"--{name} is for a corpus in shards.", hint=hint)
    resamples = INTERVALS if resamples == "auto" else resamples
    read, against = read_both(candidates, references, options, names)
    scored, seeds = _named_seeds(read, groups)
    if equal_lines:
        require_equal_lines([*scored, *against])
    images = options["images"]
    names = names or choose_metrics(scored[0], references=bool(against), images=images is not None)
    run = make_run(against, progress, options)
    if save is None:
        return replace(
            run.score(scored, names, resamples, unit=unit or "", cluster=cluster, each=each), seeds=seeds
        )
    conditions = Conditions(run.context.protocol, run.context.tokenizer, run.context.seed, resamples)
    journal = PartialRun(save, run.references, conditions, images, options["videos"])
    results = run.score(
        scored, names, resamples, unit=unit or "", cluster=cluster, journal=journal, each=each
    )
    results = replace(results, seeds=seeds)
    _keep(results, save, journal)
    return results


def spread_of_annotators(
    results: Results, options: Mapping[str, Any], *, pairs: bool = False
) -> list[Spread]:
    """Scores, or differences between systems, by each annotator alone."""
    if click.get_current_context().params["style"] == "csv":
        hint = "Use --format json, or leave --annotators out."
        raise UsageError("A CSV file has one kind of rows: no values by annotator.", hint=hint)
    from ..engine.annotators import by_annotator

    settings = {**options, **results.conditions.settings}
    with progress_bar() as progress:
        return by_annotator(results, lambda references: make_run(references, progress, settings), pairs=pairs)


def score_into(
    path: str,
    candidates: Sequence[str],
    progress: Progress,
    options: Mapping[str, Any],
    each: Callable[[str, Score], None] | None = None,
) -> Results:
    """More systems into a saved run, under its references, metrics and conditions; nothing is scored
    again.
    """
    from dataclasses import replace

    from ..engine.partial import PartialRun
    from ..engine.results import merged
    from ..engine.saved import load
    from ..engine.units import DOCUMENT

    before = load(path)
    if before.in_shards:
        raise UsageError(
            f"{path} is a run in shards: it keeps sums, and no references to score more systems against.",
            hint="Score all systems together: storymeter score A/ B/ -r REFERENCES/ --save FOLDER",
        )
    conditions = before.conditions
    labels = [score.metric for score in before.systems[0].scores]
    systems, _ = read_both(candidates, (), options, labels)
    run = make_run(before.references, progress, {**options, **conditions.settings})
    journal = PartialRun(path, run.references, conditions, options["images"], options["videos"])
    unit = conditions.unit or DOCUMENT
    fresh = run.score(systems, labels, conditions.resamples, unit=unit, journal=journal, each=each)
    together = merged([before, replace(fresh, references=before.references, conditions=conditions)])
    _keep(together, path, journal)
    return together


def _keep(results: Results, path: str, journal: PartialRun) -> None:
    results.save(path)
    journal.remove()
    if journal.resumed:
        say(f"{journal.resumed:,} scores were read from an interrupted run and not computed again.")
    systems, metrics = len(results.systems), len(results.metrics)
    say(f"Saved: {path} ({systems} system{'s' * (systems != 1)}, {metrics} metric{'s' * (metrics != 1)})")


def is_saved(path: str) -> bool:
    """Whether this is a saved run: a file by its ending, or the folder of a run in shards."""
    folder = Path(path)
    return path.endswith(".smr") or (folder / "run.smr").is_file() or (folder / "work" / "job").is_file()


def load_runs(paths: Sequence[str], references: Sequence[str], names: Sequence[str]) -> Results:
    """Saved runs as one."""
    from ..engine.results import merged
    from ..engine.saved import load

    others = [path for path in paths if not is_saved(path)]
    if others or references:
        raise UsageError(
            f"A saved run contains its own captions and references; {[*others, *references][0]} is another"
            " file.",
            hint="Add a system to it: storymeter score NEW.json --into RUN.smr",
        )
    results = merged([load(path) for path in paths])
    if not names:
        return results
    known = [score.metric for score in results.systems[0].scores]
    lacking = [name for name in names if name not in known]
    if lacking:
        hint = f"It has {', '.join(known)}."
        raise UsageError(f"The saved run has no scores of {', '.join(lacking)}.", hint=hint)
    return results.only(*names)
