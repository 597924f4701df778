"""Which metric deserves trust: agreement of metrics with people.

>>> from storymeter.meta import agree
>>> table = [{"video": n, "system": "a", "human": n, "mine": n * n} for n in range(10)]
>>> round(agree(table, resamples=0)["human"].results[0].values["pearson"], 3)
0.963

`benchmark` runs metrics on one of the `BENCHMARKS`, `report_card` on all of a folder (a `Card` for each);
`self_agreement` measures whether a metric repeats itself, `similarity` how alike the captions of sources are,
`point_at_words` whether a metric notices the words that people call wrong.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._lazy import late

if TYPE_CHECKING:
    from .agreeing import Agreement as Agreement, self_agreement as self_agreement
    from .agreeing_files import agree as agree
    from .benchmarks import (
        BENCHMARKS as BENCHMARKS,
        Benchmarked as Benchmarked,
        Card as Card,
        benchmark as benchmark,
        report_card as report_card,
    )
    from .similarities import similarity as similarity
    from .words import point_at_words as point_at_words

_LATE = {
    "Agreement": "agreeing",
    "BENCHMARKS": "benchmarks",
    "Benchmarked": "benchmarks",
    "Card": "benchmarks",
    "agree": "agreeing_files",
    "benchmark": "benchmarks",
    "point_at_words": "words",
    "report_card": "benchmarks",
    "self_agreement": "agreeing",
    "similarity": "similarities",
}
__all__ = [*_LATE]
__getattr__, __dir__ = late(__name__, _LATE)
