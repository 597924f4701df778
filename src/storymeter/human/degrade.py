"""Captions damaged on purpose (Direct Assessment, PLoS ONE 2018, table 2): attentive raters must notice.

    caption length N     1   2-5   6-8   9-15   16-20   > 20
    words replaced       1    2     3     4      5      floor(N / 4)

A contiguous run of words, neither the first nor the last, gives way to an equally long run out of the human
caption of another video, so that the damage reads fluently and only somebody who read the whole caption sees
it. Where no inner run of that length exists (N <= 3) what fits is replaced: the one inner word of three, or
the whole of a caption of one or two words; `short` says so. The result always differs from the original.

>>> damaged = degrade("two white males dancing in a stadium", {"v2": "a monkey wearing a red hat eats"}, seed=4)
>>> damaged.length, damaged.donor, len(damaged.text.split())
(3, 'v2', 7)
>>> damaged.text.split()[0], damaged.text.split()[-1]
('two', 'stadium')
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from ..errors import DataError


class Degraded(msgspec.Struct, frozen=True):
    """A damaged caption and what was done to it: `length` words from word `start` on came out of `donor`."""

    text: str
    start: int
    length: int
    donor: str
    #: the caption had no inner run as long as table 2 asks
    short: bool = False


def replaced(words: int) -> int:
    """How many words table 2 replaces in a caption of so many words.

    >>> [replaced(n) for n in (1, 2, 5, 6, 8, 9, 15, 16, 20, 21, 60)]
    [1, 2, 2, 3, 3, 4, 4, 5, 5, 5, 15]
    """
    for most, count in ((1, 1), (5, 2), (8, 3), (15, 4), (20, 5)):
        if words <= most:
            return count
    return words // 4


def fitting(words: int) -> int:
    """Table 2, cut to what leaves the first and the last word alone where there are three or more."""
    return min(replaced(words), words - 2) if words >= 3 else words


def degrade(caption: str, donors: Mapping[str, str] | Sequence[str], seed: int | str) -> Degraded:
    """Damage one caption with words of `donors`: human captions of other videos, by id or as a plain list.

    The donor is named by its id, or by its text where the donors are a list.
    """
    named = dict(donors) if isinstance(donors, Mapping) else {text: text for text in donors}
    return damage(caption, named, list(named), random.Random(f"degrade:{seed}"))


def damage(
    caption: str,
    donors: Mapping[str, str],
    names: Sequence[str],
    rng: random.Random,
    *,
    exclude: str | None = None,
) -> Degraded:
    """`degrade` with the generator of a whole design, and one donor (the caption's own video) to stay away
    from.
    """
    words = caption.split()
    if not words:
        raise DataError(
            "An empty caption cannot be degraded.",
            hint="Take it out of the file, or give the video a caption.",
        )
    length = fitting(len(words))
    starts = rng.sample(range(1, len(words) - length), len(words) - length - 1) if len(words) >= 3 else [0]
    for start in starts:  # the first one serves, unless every donor happens to say the same words there
        out = words[start : start + length]
        for name in _draw(names, rng):
            run = _run(donors[name].split(), out, rng) if name != exclude else None
            if run:
                text = " ".join([*words[:start], *run, *words[start + length :]])
                return Degraded(
                    text, start, length, name, short=length < replaced(len(words)) or len(words) < 3
                )
    raise DataError(
        f"No other video's human caption has {length} words in a row to degrade the caption {caption[:60]!r}"
        " with.",
        hint=(
            f"{len(names)} donors were tried. Add videos with longer human captions, or leave this video out"
            " of the controls."
        ),
    )


def _draw(names: Sequence[str], rng: random.Random) -> Iterator[str]:
    """A few blind draws, which find a donor almost always, then every name once, for small or stubborn
    sets.
    """
    for _ in range(8 if names else 0):
        yield names[rng.randrange(len(names))]
    yield from rng.sample(names, len(names))


def _run(donor: list[str], out: list[str], rng: random.Random) -> list[str] | None:
    """A random run of the donor's that changes the words `out`, whatever their case."""
    old = [word.casefold() for word in out]
    starts = [
        s for s in range(len(donor) - len(out) + 1) if [w.casefold() for w in donor[s : s + len(out)]] != old
    ]
    if not starts:
        return None
    start = starts[rng.randrange(len(starts))]
    return donor[start : start + len(out)]
