"""The options of commands that score files, and what they mean to `engine.score_files`.

The limits of judges (`judge(...)`) stand in the click context and not among the arguments of the verbs: none
has to pass them on.
"""

from __future__ import annotations

import contextlib
import functools
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from .. import engine
from ..captions import Corpus
from ..context import Budget, Estimate
from ..errors import UsageError
from ..options import split
from ..progress import Progress
from ._files import layout_of
from ._options import (
    ABOVE_ZERO,
    FROM_ZERO,
    KEY,
    POSITIVE,
    Bars,
    device_option,
    images_option,
    metrics_option,
    option,
    print_note,
    progress_bar,
    protocol_option,
    references_option,
    remember,
    remembered,
    together,
    tokenizer_option,
    videos_option,
)

if TYPE_CHECKING:
    from ..engine.annotators import Spread


class _Price(click.ParamType):  # type: ignore[type-arg]  # not generic before click 8.4
    name = "price"

    def convert(self, value: Any, param: Any, context: Any) -> tuple[float, float]:
        if isinstance(value, tuple):
            return value
        parts = value.split("/")
        try:
            prices = float(parts[0]), float(parts[-1])
        except ValueError:
            prices = (-1.0, -1.0)
        if len(parts) > 2 or not all(0 <= price < 1e9 for price in prices):
            self.fail(f"{value!r} is not a price; write it like 0.15/0.60 (a million tokens in and out).")
        return prices


def _keep_all(context: click.Context, _: click.Parameter, text: str | None) -> None:
    """`requests=100,deadline=60,price=0.15/0.60,yes`, each as the option of its own would be."""
    for part in text.split(",") if text else ():
        key, _equals, value = (piece.strip() for piece in part.partition("="))
        if key not in _JUDGE or (key == "yes") == bool(value):
            hint = "Write it like --judge requests=100,deadline=60,price=0.15/0.60,yes"
            raise UsageError(f"--judge cannot be {text!r}.", hint=hint)
        name, kind = _JUDGE[key]
        context.meta[f"{KEY}{name}"] = True if kind is None else kind.convert(value, None, context)


#: key of --judge -> name of the option, its type
_JUDGE: dict[str, tuple[str, click.ParamType | None]] = {  # type: ignore[type-arg]
    "requests": ("max_requests", FROM_ZERO),
    "deadline": ("deadline", POSITIVE),
    "price": ("token_price", _Price()),
    "yes": ("yes", None),
}
_option = functools.partial(option, expose_value=False, callback=remember)
judging_options = together(
    option(
        "--judge",
        "Limits of judges in one: requests=100,deadline=60,price=0.15/0.60,yes; each is also an option of its"
        " own.",
        expose_value=False,
        callback=_keep_all,
        metavar="LIMITS",
    ),
    _option("--max-requests", "Judges: maximum number of requests.", FROM_ZERO, metavar="N"),
    _option(
        "--deadline",
        "Judges: stop after this time; answers received so far are kept.",
        POSITIVE,
        metavar="SECONDS",
    ),
    _option(
        "--token-price",
        "Judges: price of a million tokens in and out, for the estimate of the cost.",
        _Price(),
        metavar="IN/OUT",
    ),
    _option("--yes", "Judges: send requests without asking for confirmation.", bool),
)


def budget(progress: Progress) -> Budget:
    """What the options of the present verb allow; in a terminal somebody is asked before anything is sent."""
    sure = remembered("yes")  # here, since `ask` may be called by a thread without a context

    def ask(estimate: Estimate) -> bool:
        if sure or not (sys.stdin.isatty() and sys.stderr.isatty()):
            print_note(f"Judge: {estimate}.")
            return True
        with progress.paused() if isinstance(progress, Bars) else contextlib.nullcontext():
            return click.confirm(f"Judge: {estimate}. Send them?", err=True)

    made = Budget(
        max_requests=remembered("max_requests"),
        deadline=remembered("deadline"),
        price=remembered("token_price"),
        ask=ask,
    )
    if (context := click.get_current_context(silent=True)) is not None:
        context.call_on_close(functools.partial(_say_sum, made))
    return made


def _say_sum(spent: Budget) -> None:
    """What was sent in all, retries among it."""
    if spent.sent:
        cost = spent.cost(spent.tokens_in, spent.tokens_out)
        price = "" if cost is None else f", {cost:,.4g} in the currency of --token-price"
        print_note(
            f"Judge: sent {spent.sent:,} requests in all, {spent.tokens_in:,} tokens in and"
            f" {spent.tokens_out:,} out{price}."
        )


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
) -> tuple[list[Corpus], list[Corpus]]:
    """Systems and references, read as the options say."""
    from ..engine.systems import read_systems

    return read_systems(
        candidates,
        references,
        layout=layout_of(options),
        images=options.get("images"),
        stories=options.get("stories", False),
        note=print_note,
    )


def score_files(candidates: Sequence[str], progress: Progress, options: Mapping[str, Any]) -> engine.Results:
    """`engine.score_files` with the options of a verb."""
    given = {key: options[key] for key in _FILES if options.get(key) is not None}
    return engine.score_files(
        candidates,
        options["references"],
        metric_names(options["metrics"]) or None,
        systems=seed_files(options.get("systems", ())),
        layout=layout_of(options),
        note=print_note,
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
    results: engine.Results, candidates: Sequence[str], options: Mapping[str, Any], *, pairs: bool = False
) -> list[Spread]:
    """Scores, or differences between systems, by each annotator alone."""
    from ..engine.annotators import by_annotator, by_annotator_in_shards
    from ..engine.systems import in_shards

    with progress_bar() as progress:
        if in_shards(candidates, options["references"]):

            def score(pattern: str, metrics: Sequence[str]) -> engine.Results:
                own = {"references": (pattern,), "metrics": metrics, "save": None, "each": None}
                return score_files(candidates, progress, {**options, **own})

            return by_annotator_in_shards(results, score, options["references"], pairs=pairs)
        settings = {**options, **results.conditions.settings}
        given = settings_of(settings, progress)
        return by_annotator(results, lambda references: engine.Run(references, **given), pairs=pairs)
