"""Are the captions in English? What is made for English alone is said once, before it scores."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence

from ..captions import Corpus
from ..errors import StorymeterWarning
from ..metric import Metric
from ..text.script import advice, foreign_script


def warn_of_language(
    corpora: Sequence[Corpus], metrics: Mapping[str, Metric], *, tokenizer: str, language: str | None
) -> None:
    """A StorymeterWarning where captions that are not in English meet METEOR, SPICE or the tokenizer ptb.

    `language` is an ISO 639-1 code; without it the script of the captions speaks."""
    compared = {label: getattr(metric, "scorer", metric) for label, metric in metrics.items()}
    english = [label for label, scorer in compared.items() if getattr(scorer, "english", False)]
    counted = any(getattr(scorer, "raw_text", True) is False for scorer in compared.values())
    if not english and not (counted and tokenizer == "ptb"):
        return
    if language is None:
        language = foreign_script(
            c.text for corpus in corpora for document in corpus for c in document.captions
        )
    elif language.lower().startswith("en"):
        language = ""
    if told := advice(language, english=english, tokenizer=tokenizer if counted else ""):
        warnings.warn(told, StorymeterWarning, stacklevel=3)
