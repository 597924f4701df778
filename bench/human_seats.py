"""Who gets a place while workers are invented?   python bench/human_seats.py [--seeds 3] [--choose]

A campaign of 65 HITs of 40 items, one rater each, whose raters nobody signs; the store itself decides, at
simulated times, without a server. Honest raters answer every 15 to 45 seconds, look again every 20 seconds
where they are told to wait, and begin another HIT where their place became somebody else's. Invented workers
answer every 8 seconds and look again every 10, for five minutes:

    crowd      60 honest raters come at once, nobody else
    overfull   80 honest raters come within a minute
    flood n    65 invented workers answer n items and stop; 60 honest raters come in the ten minutes after
    stream n   a new invented worker every second for half an hour, each answers n items; 60 honest raters
               come in the second ten minutes

For each: how many honest raters had to wait, the longest wait, the answers of honest raters that count for
no HIT because the place was given away, and how many honest raters finished within three hours. `--choose`
prints this for other numbers of answers that prove a rater, and leases.
"""

from __future__ import annotations

import argparse
import heapq
import itertools
import random
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import sqlalchemy as sa

from storymeter.human.store import Answer, Terms, Visitor
from storymeter.human.store.answers import settle
from storymeter.human.store.contents import Content, enter, fill
from storymeter.human.store.engines import open_engine, upgrade
from storymeter.human.store.seats import claim

SEATS, ITEMS, HONEST = 65, 40, 60
#: until when honest raters must have finished
END = 3 * 3600.0
#: as it was: the first answer proves
BEFORE = Terms(size=ITEMS, lease=7200.0)


class Found(NamedTuple):
    waited: int
    longest: float
    lost: int
    finished: int
    of: int


class Crowd:
    def __init__(self, connection: sa.Connection, terms: Terms, lease: Callable[[Terms, int], float]) -> None:
        self.connection, self.terms, self.lease = connection, terms, lease
        self.events: list[tuple[float, int, Iterator[float]]] = []
        self.number = itertools.count()
        self.now = 0.0
        self.waits: list[float] = []
        self.lost = self.finished = 0

    def come(self, at: float, rater: Iterator[float]) -> None:
        heapq.heappush(self.events, (at, next(self.number), rater))

    def run(self) -> None:
        while self.events and self.events[0][0] < END:
            self.now, _, rater = heapq.heappop(self.events)
            pause = next(rater, None)
            if pause is not None:
                self.come(self.now + pause, rater)

    def ticket(self) -> int:
        name = f"w{next(self.number)}"
        return enter(self.connection, Visitor("prolific", name, name, name, name), self.now)

    def answer(self, ticket: int, assignment: int, position: int) -> str:
        given = Answer(assignment, ticket, position, "{}", self.now, None)
        given = given._replace(lease=self.lease(self.terms, position + 1), proof=self.terms.proof)
        return settle(self.connection, [given])[0].status

    def honest(self, rng: random.Random) -> Iterator[float]:
        ticket, wait = self.ticket(), 0.0
        place = len(self.waits)
        self.waits.append(0.0)
        while True:
            work = claim(self.connection, ticket, self.terms, self.now)
            if work is None or work.stage != "working":
                wait += 20
                self.waits[place] = wait
                yield 20
                continue
            yield rng.uniform(10, 40)  # the first clip, after the instructions
            for position in range(ITEMS):
                yield rng.uniform(15, 45)
                if self.answer(ticket, work.assignment, position) != "saved":
                    self.lost += position
                    break
            else:
                self.finished += 1
                return

    def invented(self, items: int) -> Iterator[float]:
        ticket = self.ticket()
        for _ in range(30):
            work = claim(self.connection, ticket, self.terms, self.now)
            if work is not None and work.stage == "working":
                break
            yield 10
        else:
            return
        for position in range(items):
            yield 8
            if self.answer(ticket, work.assignment, position) != "saved":
                return


def simulate(scenario: str, seed: int, terms: Terms, lease: Callable[[Terms, int], float]) -> Found:
    rng = random.Random(f"{scenario} {seed}")
    name, _, items = scenario.partition(" ")
    with tempfile.TemporaryDirectory() as home:
        url = f"sqlite:///{Path(home) / 'seats.db'}"
        upgrade(url)
        engine = open_engine(url, writer=True)
        with engine.begin() as connection:
            fill(connection, "seats", Content(hits=[f"h{k}" for k in range(SEATS)]), 0.0)
            crowd = Crowd(connection, terms, lease)
            count, begin, spread = {"crowd": (HONEST, 0, 5), "overfull": (80, 0, 60)}.get(
                name, (HONEST, 60, 600)
            )
            if name == "flood":
                for _ in range(SEATS):
                    crowd.come(rng.uniform(0, 5), crowd.invented(int(items)))
            if name == "stream":
                begin = 600
                for second in range(1800):
                    crowd.come(second, crowd.invented(int(items)))
            for _ in range(count):
                crowd.come(begin + rng.uniform(0, spread), crowd.honest(rng))
            crowd.run()
        engine.dispose()
    waits = crowd.waits
    return Found(sum(w > 0 for w in waits), max(waits), crowd.lost, crowd.finished, count)


SCENARIOS = ("crowd", "overfull", "flood 1", "flood 3", "flood 5", "flood 10", "stream 1", "stream 3")


def doubling(terms: Terms, answers: int) -> float:
    return min(terms.lease, terms.first_lease * 2.0**answers)


def table(name: str, terms: Terms, lease: Callable[[Terms, int], float], seeds: int) -> None:
    print(f"\n{name}")
    for scenario in SCENARIOS:
        found = [simulate(scenario, seed, terms, lease) for seed in range(seeds)]
        print(
            f"  {scenario:<10} waited {sum(f.waited for f in found) / seeds:5.1f} of {found[0].of}, longest"
            f" {max(f.longest for f in found) / 60:5.1f} min; answers lost"
            f" {sum(f.lost for f in found) / seeds:6.1f}; finished"
            f" {sum(f.finished for f in found) / seeds:5.1f}",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--choose", action="store_true")
    options = parser.parse_args()
    now = BEFORE.unsigned()
    table("before: the first answer holds the seat", BEFORE, doubling, options.seeds)
    table(f"now: {now.proof} answers prove a rater", now, Terms.lease_after, options.seeds)
    if options.choose:
        for proof, lease in itertools.product((1, 4, 5, 8), (doubling, Terms.lease_after)):
            table(f"{proof} answers, {lease.__name__}", BEFORE._replace(proof=proof), lease, options.seeds)


if __name__ == "__main__":
    main()
