"""Simulated campaigns through the real server: who is accepted, who is rejected, and is the order of the
systems recovered?

    python bench/human_campaign.py [SEEDS]        20 seeds, or so many, or from-to

Every seed builds the example campaign, lets 30 raters (20 honest, 10 bots of five kinds) answer it over HTTP,
and analyses the export."""

from __future__ import annotations

import contextlib
import io
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Literal

from storymeter.cli import cli
from storymeter.human.analysis.assessment import analyse
from storymeter.human.analysis.quality import TESTS
from storymeter.human.sources import read

MIX = "honest=20,lazy=2,random=2,constant=2,rushing=2,extremes=2"
GATES: tuple[Literal["control", "repeats", "attention"], ...] = ("control", "repeats", "attention")
ORDER = ["careful", "vague", "confused"]


def call(*arguments: str) -> None:
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        cli.main(args=["human", *arguments], standalone_mode=False)


def characters(folder: Path) -> dict[str, str]:
    """The truth: links are handed out in order, and so are the characters of the mix."""
    from storymeter.human.rehearsal import mix

    names = [line.partition(",")[0] for line in (folder / "links.csv").read_text().splitlines()[1:]]
    return dict(zip(names, mix(MIX, 30), strict=False))


def main() -> None:
    first, _, last = (sys.argv[1] if len(sys.argv) > 1 else "20").rpartition("-")
    seeds = range(int(first or 1), int(last) + 1)
    ways = [(test, gates) for test in TESTS for gates in GATES]
    verdicts: dict[tuple[str, str], Counter[tuple[str, bool]]] = {way: Counter() for way in ways}
    recovered = dict.fromkeys(ways, 0)
    for seed in seeds:
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place) / "campaign"
            call("demo", "--dir", str(folder), "--no-open", "--seed", str(seed))
            call("simulate", str(folder), "--raters", "30", "--mix", MIX, "--seed", str(seed))
            call(
                "export",
                str(folder),
                "--format",
                "jsonl",
                "--real-ids",
                "--out",
                str(Path(place) / "ratings.jsonl"),
            )
            ratings, truth = read(Path(place) / "ratings.jsonl"), characters(folder)
        for way in ways:
            analysis = analyse(ratings, test=way[0], gates=way[1], splits=0)
            for worker in analysis.quality.workers:
                verdicts[way][truth[worker.id], worker.accepted] += 1
            machines = [s.name for s in analysis.ranking.systems if s.name in ORDER]
            recovered[way] += machines == ORDER and analysis.ranking.systems[0].name not in ORDER
        passed = {
            " ".join(way): sum(n for (_, accepted), n in verdicts[way].items() if accepted) for way in ways
        }
        print(f"seed {seed}: {len(ratings):,} ratings; accepted so far {passed}", file=sys.stderr, flush=True)
    print(
        "| test | character | raters | accepted by control pairs alone | and by repeats | and by attention"
        " (the default) |\n|:--|:--|--:|--:|--:|--:|"
    )
    for test in TESTS:
        for character in dict.fromkeys(name.partition("=")[0] for name in MIX.split(",")):
            print(
                f"| {test} | {character} |"
                f" {sum(n for (c, _), n in verdicts[test, 'control'].items() if c == character)} | "
                + " | ".join(str(verdicts[test, gates][character, True]) for gates in GATES)
                + " |"
            )
    print(
        "\n"
        + "; ".join(
            f"{test}, {gates}: order of the systems recovered in {recovered[test, gates]} of {len(seeds)}"
            " campaigns"
            for test, gates in ways
        )
    )


if __name__ == "__main__":
    main()
