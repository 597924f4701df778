"""storymeter meta words LABELS -r REFERENCES…: does a metric penalise the words that raters marked?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from .._declare import ABOVE_ZERO, RESAMPLES, option
from .._options import metrics_option, progress_bar, put, run_options


@click.command("words")
@click.argument("labels", metavar="LABELS", type=click.Path(path_type=Path))
@option(
    "--references -r", "Captions of the same items by people.", multiple=True, required=True, metavar="FILE"
)
@metrics_option("Scorer of sentence pairs, or a comma-separated list.  [default: meteor,rouge_l,bleu_1]")
@option("--threshold", "Share of raters who must have marked a word for it to be wrong.", ABOVE_ZERO, 0.5)
@option("--tokenizer", "Tokeniser.", ("ptb", "whitespace", "none"), "ptb")
@option("--resamples", "Bootstrap resamples for the intervals; 0: none.", RESAMPLES, 1000)
@run_options()
def command(
    labels: Path, references: tuple[str, ...], metrics: tuple[str, ...], style: str, **options: Any
) -> None:
    """Does a metric penalise the words that raters marked as wrong?

    LABELS are the words of an error span study: storymeter human analyse CAMPAIGN --words LABELS. The blame
    of a word is the gain in score when it is left out.

    \b
    storymeter meta words labels.jsonl -r references.json -m meteor,rouge_l
    """
    from dataclasses import asdict

    from ... import read
    from ...human.analysis.spans import read_labels
    from ...meta.words import point_at_words
    from ...options import split
    from ...report.table import Table, keys, numbers, to_json

    told: dict[str, list[str]] = {}
    for path in references:
        for document in read(path):
            told.setdefault(document.id, []).append(document.text)
    names = [name for text in metrics for name in split(text)] or ["meteor", "rouge_l", "bleu_1"]
    with progress_bar() as progress:
        found = point_at_words(read_labels(labels), told, names, progress=progress, **options)
    table = Table(
        [
            *keys("metric"),
            *numbers(".3f", "AUC", "95 %"),
            *numbers(".1f", "first %", "chance %", scale=100.0),
            *numbers(",d", "captions", "words", "wrong"),
        ],
        [
            [one.metric, one.auc, one.interval, one.first, one.chance, one.captions, one.words, one.wrong]
            for one in found
        ],
        title="Words that a metric penalises",
        note=(
            "AUC: how often a wrong word of a caption gets a larger penalty than a correct one (0.5 is"
            " chance); first: how often the word with the largest penalty is wrong."
        ),
    )
    put(table, style, json=to_json({"schema": 1, "words": [asdict(one) for one in found]}))
