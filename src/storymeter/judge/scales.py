"""Marks: how a judge is asked for one, and how its reply is read.

A reply is read strictly: exactly one number of the scale, perhaps after a label (`Mark: 7`) or before its
denominator (`7/10`, `7 out of 10`). Two different numbers, a number outside the scale or none at all give no
mark: the verdict is then asked for again, and missing in the end, never 0.

Where the endpoint gives the probabilities of tokens, the mark is their expected value at the place of the
mark, over those tokens that are marks (Liu et al., G-Eval, EMNLP 2023):

    sum of p(token) * mark(token) / sum of p(token)

A tokenizer that has no token for 10 writes it as 1 and 0. The probability of `1` is then shared by what
follows it, where the judge wrote it; where it wrote another mark nothing is known of what would have followed
`1`, and that probability is left out.

>>> SCALES["0-10"].mark("Mark: 7/10"), SCALES["0-10"].mark("7 or 8"), SCALES["yes-no"].mark("Yes.")
(7.0, None, 1.0)
>>> SCALES["1-5"].unit(4.0)
0.75
"""

import math
import re
from collections.abc import Sequence
from typing import NamedTuple


class Token(NamedTuple):
    """A token that was written, and the likeliest at its place (itself among them) with log-probabilities."""

    text: str
    likeliest: Sequence[tuple[str, float]]


_THOUGHT = re.compile(r"\A.*</think>", re.DOTALL)
#: with what it is out of, which is no mark: 7/10
_NUMBER = re.compile(r"(?<![\w.\-−])(\d+(?:\.\d+)?)(?![\w%]|\.\d)(?:\s*(?:/|out of|von)\s*\d+(?:\.\d+)?)?")
_LABEL = re.compile(r"(?:mark|score|rating|verdict|answer)\W{0,6}(?:is\W{0,3})?(?=\d)", re.IGNORECASE)
_WORD = re.compile(r"\b(yes|no)\b", re.IGNORECASE)


class Scale(NamedTuple):
    """The marks from `low` to `high`; `sentence` asks for one of them."""

    low: int
    high: int
    sentence: str

    def unit(self, mark: float) -> float:
        """The mark on [0, 1]."""
        return (mark - self.low) / (self.high - self.low)

    def written(self, share: float) -> str:
        """The mark at this share of the scale, as a judge writes it."""
        return str(round(self.low + share * (self.high - self.low)))

    def mark(self, reply: str) -> float | None:
        found = self.find(reply)
        return None if found is None else found[0]

    def find(self, reply: str) -> tuple[float, int] | None:
        """The mark of a reply and where it stands; None where there is none, or more than one."""
        thought = _THOUGHT.match(reply)
        begin = thought.end() if thought else 0
        numbers = [(float(match[1]), match.start()) for match in _NUMBER.finditer(reply, begin)]
        labelled = [match.end() for match in _LABEL.finditer(reply, begin)]
        if labelled:
            numbers = [each for each in numbers if each[1] in labelled] or numbers
        if len({number for number, _ in numbers}) != 1 or not self.low <= numbers[0][0] <= self.high:
            return None
        return numbers[0]

    def expected(self, tokens: Sequence[Token]) -> float | None:
        """The expected mark by the tokens' probabilities; None where they say nothing of it."""
        found = self.find("".join(token.text for token in tokens))
        if found is None or not found[0].is_integer():
            return None
        place = _covering(tokens, found[1])
        weights: dict[int, float] = {}
        for text, weight in _probabilities(tokens[place]):
            mark = self._token_mark(text)
            if mark is not None:
                weights[mark] = weights.get(mark, 0.0) + weight
        if self.high == 10 and 1 in weights and 10 not in weights:
            self._share_ten(tokens, place, weights)
        total = sum(weights.values())
        return sum(mark * weight for mark, weight in weights.items()) / total if total > 0 else None

    def _token_mark(self, text: str) -> int | None:
        bare = text.strip()
        if not bare.isascii() or not bare.isdigit() or len(bare) > 2:
            return None
        return int(bare) if self.low <= int(bare) <= self.high else None

    def _share_ten(self, tokens: Sequence[Token], place: int, weights: dict[int, float]) -> None:
        """`1` may be the beginning of 10."""
        one = weights.pop(1)
        if tokens[place].text.strip() != "1":
            return
        weights[1] = one
        if place + 1 < len(tokens):  # otherwise it wrote 1 and ended there
            ten = sum(weight for text, weight in _probabilities(tokens[place + 1]) if text.startswith("0"))
            weights[1], weights[10] = one * (1 - min(ten, 1.0)), one * min(ten, 1.0)


class YesNo(Scale):
    """Two marks, said in words."""

    def written(self, share: float) -> str:
        return "yes" if share >= 0.5 else "no"

    def find(self, reply: str) -> tuple[float, int] | None:
        thought = _THOUGHT.match(reply)
        found = [
            (match[1].lower(), match.start())
            for match in _WORD.finditer(reply, thought.end() if thought else 0)
        ]
        if len({word for word, _ in found}) != 1:
            return None
        return float(found[0][0] == "yes"), found[0][1]

    def _token_mark(self, text: str) -> int | None:
        return {"yes": 1, "no": 0}.get(text.strip().lower())


def _covering(tokens: Sequence[Token], position: int) -> int:
    """Which token holds the character at `position` of the whole."""
    end = 0
    for k, token in enumerate(tokens):
        end += len(token.text)
        if position < end:
            return k
    return len(tokens) - 1


def _probabilities(token: Token) -> list[tuple[str, float]]:
    """Each text once: a server may list the token that was written twice."""
    return [(text, math.exp(min(logp, 0.0))) for text, logp in dict(token.likeliest).items()]


def _numbers(low: int, high: int) -> Scale:
    return Scale(
        low, high, f"Reply with one whole number from {low} (worst) to {high} (best), and with nothing else."
    )


SCALES: dict[str, Scale] = {
    "0-10": _numbers(0, 10),
    "1-5": _numbers(1, 5),
    "yes-no": YesNo(0, 1, "Reply with yes or no, and with nothing else."),
}
