"""A corpus in shards on the command line: quoted patterns, and folders of Parquet or JSON Lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from ..errors import UsageError
from ..progress import Progress
from ._judging import budget
from ._options import say

if TYPE_CHECKING:
    from ..engine.results import Results

#: options of a verb that the workers' `Run` is made of
_SETTINGS = ("protocol", "tokenizer", "language", "device", "images", "videos", "seed")


def in_shards(candidates: Sequence[str], references: Sequence[str]) -> bool:
    """All of the inputs, or none: a file and a pattern do not go together."""
    from ..engine.sharded.inputs import is_sharded

    given = {text: is_sharded(text) for text in (*candidates, *references)}
    if any(given.values()) and not all(given.values()):
        other = next(text for text, sharded in given.items() if not sharded)
        raise UsageError(
            f"{other} is one file, and the others are corpora in shards.",
            hint="Give it as a pattern or a folder too: .parquet or .jsonl (storymeter convert writes both).",
        )
    return any(given.values())


def score_in_shards(
    candidates: Sequence[str],
    references: Sequence[str],
    names: Sequence[str],
    resamples: int | Literal["auto"],
    progress: Progress,
    *,
    cluster: str | None,
    save: str | None,
    **options: Any,
) -> Results:
    """On `--cluster`, or on the cores here; `--jobs` is the number of workers there."""
    from ..engine.defaults import default_metrics
    from ..engine.sharded.inputs import find, glance
    from ..engine.sharded.run import score_shards

    if options.get("format") not in (None, "parquet", "jsonl"):
        raise UsageError(
            f"A corpus in shards is Parquet or JSON Lines, not {options['format']}.",
            hint="Convert the files with: storymeter convert FILE --to jsonl",
        )
    columns = options.get("columns") or {}
    if not names:
        kind = glance(find(candidates[0]), columns).kind
        names = default_metrics(kind, references=bool(references), images=options["images"] is not None)
    results = score_shards(
        candidates,
        references,
        names,
        cluster=cluster or "local",
        save=save,
        shards=options.get("shards"),
        sample=options.get("sample"),
        resamples=resamples,
        workers=options["jobs"],
        reading={
            key: options.get(key)
            for key in ("columns", "repair", "id_map", "reference_columns", "reference_id_map")
        },
        progress=progress,
        budget=budget(progress),
        **{key: options[key] for key in _SETTINGS if options.get(key) is not None},
    )
    if options.get("sample"):
        say(f"A sample: {options['sample']:.3%} of the documents, drawn by their ids.")
    if save is not None:
        systems, metrics = len(results.systems), len(results.metrics)
        say(f"Saved: {save} ({systems} system{'s' * (systems != 1)}, {metrics} metric{'s' * (metrics != 1)})")
    return results
