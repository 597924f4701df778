"""Does every interval, mark and p-value do what it says? Simulated studies in which the truth is known.

    python bench/uncertainty.py [--only TEXT] [--studies 1.0] [--seed 0] [--markdown]

Prints claim, nominal, measured, Monte Carlo error and whether the bar holds; exits 1 if one is missed by more
than two Monte Carlo errors. `--markdown` prints the table of docs/uncertainty.md. Rows come from the captions
of ActivityNet in STORYMETER_DATA/anet (default ../shared/data) where they are, else from a heavy-tailed
generator of the same shape.
"""

from __future__ import annotations

import argparse
import sys
import time

import uncertainty_designs  # noqa: F401  these modules add their claims to CLAIMS
import uncertainty_people  # noqa: F401
import uncertainty_systems  # noqa: F401
from uncertainty_kit import CLAIMS, measured


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", default="", help="claims whose name contains this")
    parser.add_argument("--studies", type=float, default=1.0, help="factor on the number of studies")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--markdown", action="store_true")
    given = parser.parse_args()
    line = "| {} | {} | {} | {} | {} |" if given.markdown else "{:<74} {:>8} {:>9} {:>7}  {}"
    print(line.format("claim", "nominal", "measured", "error", "bar"))
    if given.markdown:
        print("|:--|--:|--:|--:|:--|")
    missed, chosen = 0, [one for one in CLAIMS if given.only in one.name]
    for one in chosen:
        found = measured(one, given.seed, given.studies)
        missed += found.verdict == "MISSED"
        bar = found.verdict
        if one.low is not None or one.high is not None:
            bar += f" ({_number(one.low)} to {_number(one.high)})" if one.low is not None else ""
            bar += f" (at most {_number(one.high)})" if one.low is None else ""
        print(
            line.format(one.name, _number(one.nominal), _number(found.share), _number(found.error), bar),
            flush=True,
        )
    print(f"{len(chosen)} claims, {time.process_time() / 60:.1f} minutes of processor time.", file=sys.stderr)
    return 1 if missed else 0


def _number(value: float | None) -> str:
    return "1" if value is None else f"{value:.3f}".replace("0.", ".", 1)


if __name__ == "__main__":
    sys.exit(main())
