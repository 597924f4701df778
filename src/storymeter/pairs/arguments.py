"""What scorers are given: pairs of sentences by index, and sentences from Python, which are checked and split
into tokens as `storymeter score` does.
"""

import os
import warnings
from collections.abc import Sequence
from typing import TypedDict

from .. import _native
from ..arrays import IntArray
from ..errors import StorymeterWarning, UsageError, many
from ..options import ScorerTokenizer

#: the statistics of a pair whose value is simply averaged
PLAIN_COLUMNS = ("value", "pairs")


class IndexedPairs(TypedDict):
    """Pair k is `candidates[candidate_index[k]]` and `references[reference_index[k]]`."""

    candidates: Sequence[str]
    references: Sequence[str]
    candidate_index: IntArray
    reference_index: IntArray


class PairGroups(TypedDict):
    """Pairs of `sentences` in groups: group g owns the pairs pair_bounds[g]:pair_bounds[g+1] and learns from
    the references item_index[item_bounds[g]:item_bounds[g+1]]."""

    sentences: Sequence[str]
    candidate_index: IntArray
    reference_index: IntArray
    pair_bounds: IntArray
    item_index: IntArray
    item_bounds: IntArray


def read_sentences(
    sentences: Sequence[str], role: str, tokenizer: ScorerTokenizer, warn: str = ""
) -> list[str]:
    """A list of strings, tokenised; `run` is the tokenizer of a run without options. `warn` names the scorer
    in the warning that raw sentences are tokenised.
    """
    _check_listed(sentences, role)
    listed = list(sentences)
    if set(map(type, listed)) - {str}:
        wrong = next((k for k, each in enumerate(listed) if not isinstance(each, str)), None)
        if wrong is not None:
            raise UsageError(
                f"{role}[{wrong}] is a {type(listed[wrong]).__name__}, not a string.",
                hint="Sentences are strings.",
            )
    if tokenizer == "none":
        return listed
    if tokenizer == "run":
        tokens = _ptb(listed)
        if warn and tokens != listed:
            _warn_of_tokens(warn)
        return tokens
    from ..text.tokenizers import tokenize

    return tokenize(listed, tokenizer)


def check_groups(candidates: Sequence[str], references: Sequence[Sequence[str]]) -> None:
    """One list of references per candidate."""
    _check_listed(candidates, "candidates")
    if isinstance(references, str) or str in set(map(type, references)):
        where = next((k for k, group in enumerate(references) if isinstance(group, str)), 0)
        raise UsageError(
            f"The references of candidate {where} are a string, not a list of strings.",
            hint="Write references=[[first, second], …]: one list per candidate.",
        )
    if len(candidates) != len(references):
        raise UsageError(
            f"{many(len(candidates), 'candidate')}, but {many(len(references), 'list')} of references.",
            hint="Give one list of references per candidate.",
        )


def _check_listed(sentences: object, role: str) -> None:
    if isinstance(sentences, str):
        raise UsageError(f"{role} are one string, not a list of strings.", hint=f"Write {role}=[text, …].")


def check_jobs(jobs: int) -> int:
    if not isinstance(jobs, int) or jobs < 1:
        raise UsageError(f"jobs cannot be {jobs!r}.", hint="It is the number of threads, from 1.")
    return jobs


def _ptb(lines: list[str]) -> list[str]:
    """Tokens joined by blanks, as `text.tokenizers.tokenize` gives them, without loading the room of
    texts."""
    distinct = list(dict.fromkeys(lines))
    try:
        tokens = _native.ptb_tokenize(distinct, False, os.cpu_count() or 1, True) if distinct else []
    except (UnicodeEncodeError, RuntimeError):  # a lone surrogate
        from ..text.tokenizers import tokenize

        return tokenize(lines, "ptb")
    found = dict(zip(distinct, tokens, strict=True))
    return [found[line] for line in lines]


def _warn_of_tokens(name: str) -> None:
    """Once in a program: until version 0.1 these calls took sentences for tokens, and gave another number."""
    if not _WARNED:
        _WARNED.append(name)
        warnings.warn(
            f"{name}: sentences given to pairs(), matrix(), statistics(), aggregate() and fit() are tokenised"
            " now (ptb), as `storymeter score` does; earlier versions took them as they were, so that this"
            " number has changed. For text that is tokenised already write tokenizer='none'.",
            StorymeterWarning,
            stacklevel=7,
        )


#: the first scorer that tokenised raw sentences
_WARNED: list[str] = []
