"""BLEU of one list of candidates, gathered with `scorer += (candidate, references)`.

    p_n = (matches + 1e-15) / (n-grams + 1e-9), and the length ratio likewise; brevity exp(1 - 1/ratio) below
    1

The reference length of an item: the one `closest` to the candidate's (the shorter of two), the `shortest`,
or their `average`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from ....arrays import FloatArray
from ....pairs.bleu import ORDERS, Bleu, bleu, of_order
from .. import Gathered, texts

Option = Literal["closest", "shortest", "average"]
Counts = dict[tuple[str, ...], int]


def precook(s: str, n: int = 4, out: bool = False) -> tuple[int, Counts]:
    """How many words, and how often each n-gram of 1 to n words."""
    words = s.split()
    counts: Counts = defaultdict(int)
    for k in range(1, n + 1):
        for i in range(len(words) - k + 1):
            counts[tuple(words[i : i + k])] += 1
    return len(words), counts


def cook_refs(refs: Sequence[str], eff: str | None = None, n: int = 4) -> tuple[Any, Counts]:
    """Reference lengths (one, where `eff` says which), and the most that any reference has of an n-gram."""
    most: Counts = {}
    lengths = []
    for length, counts in (precook(reference, n) for reference in refs):
        lengths.append(length)
        for gram, count in counts.items():
            most[gram] = max(most.get(gram, 0), count)
    if eff == "shortest":
        return min(lengths), most
    return (sum(lengths) / len(lengths) if eff == "average" else lengths), most


def cook_test(test: str, refs: tuple[Any, Counts], eff: str | None = None, n: int = 4) -> dict[str, Any]:
    """What one candidate adds: lengths, n-grams of each order, and how many of them match."""
    lengths, most = refs
    length, counts = precook(test, n)
    if eff == "closest":
        lengths = _reference_length(lengths, eff, length)
    correct = [0] * n
    for gram, count in counts.items():
        correct[len(gram) - 1] += min(most.get(gram, 0), count)
    guess = [max(0, length - k) for k in range(n)]
    return {"reflen": lengths, "testlen": length, "guess": guess, "correct": correct}


def _reference_length(lengths: Sequence[int], option: str | None, length: int) -> float:
    if option == "shortest":
        return min(lengths)
    if option == "average":
        return sum(lengths) / len(lengths)
    if option == "closest":
        return min((abs(reference - length), reference) for reference in lengths)[1]
    raise AssertionError(f"unsupported reflen option {option}")


class BleuScorer(Gathered):
    """See the module. `compute_score` gives ([corpus BLEU-1 … n], [BLEU-1 of each item, …])."""

    def __init__(
        self,
        test: str | None = None,
        refs: Sequence[str] | None = None,
        n: int = 4,
        special_reflen: float | None = None,
    ) -> None:
        self.n, self.special_reflen = n, special_reflen
        super().__init__(test, refs)

    def _forget(self) -> None:
        self._rows: FloatArray | None = None

    def __iadd__(self, other: Any) -> BleuScorer:
        if not isinstance(other, tuple) and not self.compatible(other):
            raise AssertionError("incompatible BLEUs.")
        return super().__iadd__(other)

    def compatible(self, other: Any) -> bool:
        return isinstance(other, BleuScorer) and self.n == other.n

    @property
    def crefs(self) -> list[tuple[Any, Counts]]:
        return [cook_refs(references) for references in self._references]

    @property
    def ctest(self) -> list[dict[str, Any]]:
        return [cook_test(test, refs) for test, refs in zip(self._tests, self.crefs, strict=True)]

    def retest(self, new_test: str | Sequence[str]) -> BleuScorer:
        """The same references, other candidates."""
        tests = [new_test] if isinstance(new_test, str) else texts(new_test, "candidates")
        if len(tests) != len(self._tests):
            raise AssertionError(f"{len(tests)} candidates for {len(self._tests)} lists of references.")
        self._tests = tests
        self._forget()
        return self

    def rescore(self, new_test: str | Sequence[str]) -> tuple[list[float], list[list[float]]]:
        return self.retest(new_test).compute_score()

    def statistics(self, option: str | None = None) -> FloatArray:
        """(items, 10): matches and n-grams of the four orders, words, reference words under `option`."""
        if self._rows is None:
            self._rows = (
                Bleu(ORDERS, tokenizer="none")
                .open()
                .statistics(candidates=self._tests, references=self._references)
            )
        rows = self._rows
        if self.special_reflen is not None:
            rows = rows.copy()
            rows[:, -1] = self.special_reflen
        elif option not in (None, "closest"):
            rows = rows.copy()
            rows[:, -1] = [
                _reference_length([len(reference.split()) for reference in group], option, 0)
                for group in self._references
            ]
        return rows

    def compute_score(
        self, option: str | None = None, verbose: int = 0
    ) -> tuple[list[float], list[list[float]]]:
        if self.n > ORDERS:
            raise IndexError(
                f"BLEU supports n-grams of up to {ORDERS} words, as in pycocoevalcap; n={self.n} is not"
                " supported."
            )
        rows = self.statistics(option)
        total = self._total(rows)
        orders = range(1, self.n + 1)
        if verbose:
            _print(total, self.n)
        corpus = [float(bleu(of_order(total, k), k, "coco")) for k in orders]
        return corpus, [bleu(of_order(rows, k), k, "coco").tolist() for k in orders]

    def recompute_score(
        self, option: str | None = None, verbose: int = 0
    ) -> tuple[list[float], list[list[float]]]:
        return self.compute_score(option, verbose)

    def _total(self, rows: FloatArray) -> FloatArray:
        total = np.asarray(rows.sum(axis=0))
        if self.special_reflen is not None:
            total[-1] = self.special_reflen
        return total

    def testlen(self, option: str | None = None) -> int:
        return int(self.statistics(option)[:, -2].sum())

    def reflen(self, option: str | None = None) -> float:
        return _plain(self._total(self.statistics(option))[-1])

    def single_reflen(self, option: str = "average") -> float:
        lengths = [len(reference.split()) for reference in self._references[0]]
        return _reference_length(lengths, option, len(self._tests[0].split()))

    def ratio(self, option: str | None = None) -> float:
        return self.testlen(option) / max(self.reflen(option), 1)

    def score_ratio(self, option: str | None = None) -> tuple[list[float], float]:
        return self.compute_score(option)[0], self.ratio(option)

    def score_ratio_str(self, option: str | None = None) -> str:
        scores, ratio = self.score_ratio(option)
        return f"{scores[-1]:.4f} ({ratio:.2f})"


def _plain(number: float) -> float:
    return int(number) if float(number).is_integer() else float(number)


def _print(total: FloatArray, n: int) -> None:
    """The lines that the original prints, for scripts whose output is read by others."""
    facts = {
        "testlen": int(total[-2]),
        "reflen": _plain(total[-1]),
        "guess": [int(count) for count in total[ORDERS : ORDERS + n]],
        "correct": [int(count) for count in total[:n]],
    }
    print(facts)
    print("ratio:", float((total[-2] + 1e-15) / (total[-1] + 1e-9)))
