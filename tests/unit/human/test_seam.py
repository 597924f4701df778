"""Kinds of studies: told by the answers, analysed and ranked by their own module, named nowhere else."""

from __future__ import annotations

import asyncio
import random
import re
import threading
from concurrent.futures import Future
from pathlib import Path

from human_kit import STUDIES, named
from rating_kit import analyse, from_records, run, write

from storymeter.captions import Rating
from storymeter.human.server.context import Completions
from storymeter.human.study import of_records

SOURCE = Path(__file__).resolve().parents[3] / "src" / "storymeter"


def test_the_answers_tell_the_kind_of_study() -> None:
    assert of_records([]).name == of_records([Rating("v", "a", "r", 50.0)]).name == "da"
    assert of_records([Rating("v", "a", "r", 50.0, criterion="spans")]).name == "spans"
    test = Rating("v", "", "r", 1.0, "test", criterion="test")
    assert of_records([test]).name == "preference"
    # a survey whose first story is the one that must lose begins with a test
    assert of_records([test, Rating("v", "a", "r", 4.0, criterion="grounded")]).name == "survey"


def test_no_kind_is_named_outside_its_module() -> None:
    names = "|".join(STUDIES)
    compared = rf"(?<!criterion )(?:==|!=|\bin\b)\s*\(?[\"'](?:{names})[\"']"
    branch = re.compile(compared + r"|isinstance\([^)]*Study\b")
    for room in ("human", "cli/_human", "report"):
        for path in sorted((SOURCE / room).rglob("*.py")):
            if path.parent.name != "study":
                assert not branch.search(path.read_text(encoding="utf-8")), path


def test_an_analysis_as_a_fragment_is_tables_alone(tmp_path: Path) -> None:
    rows = [
        Rating(f"v{k}", "a", f"r{n}", float(n % 3 - 1), criterion="preference", meta={"against": "b"})
        for k in range(4)
        for n in range(3)
    ]
    path = write(tmp_path / "preferences.jsonl", rows)
    whole = run(path, "--format", "html").stdout
    alone = run(path, "--format", "html", "--fragment").stdout
    assert "<html" in whole and alone.startswith("<table>") and "<html" not in alone
    alone = run("examples/ratings.csv", "--format", "html", "--fragment", "--splits", "0").stdout
    assert alone.startswith("<table>") and "<html" not in alone


#: name, system and lowest score of raters who share their captions
GROUPS = (("strict", "a", 10), ("lavish", "b", 60))


def test_the_ranking_so_far_is_that_of_the_analysis() -> None:
    """`a` was rated by strict raters, `b` by lavish ones: raw means would turn the order round."""
    rng = random.Random(1)
    records = []
    raters = [(f"{name}{k}", own, floor) for name, own, floor in GROUPS for k in range(3)]
    for rater, own, floor in raters:
        for k in range(10):
            for kind, more in (("system", 25), ("degraded", 0)):
                value = float(floor + more + rng.randrange(4))
                records.append(Rating(f"{own}{k}", "c", rater, value, kind, pair=f"{own}{k}"))
            value = float(floor + (29 if own == "a" else 20) + rng.randrange(3))
            records.append(Rating(f"w{k}", own, rater, value))
    ranked = named("da").standings(records)
    expected = analyse(from_records(records), splits=0).ranking.systems
    assert [(row.system, row.value) for row in ranked] == [(one.name, one.z) for one in expected]
    place = {row.system: k for k, row in enumerate(ranked)}
    assert place["a"] < place["b"]


def test_results_of_a_group_arrive_in_their_own_requests() -> None:
    async def work() -> list[object]:
        completions, futures = Completions(), [Future[int]() for _ in range(300)]
        waiting = [completions.of(future) for future in futures]

        def serve() -> None:
            for number, future in enumerate(futures):
                if number % 7 == 3:
                    future.set_exception(ValueError(str(number)))
                else:
                    future.set_result(number)

        waiting[5].cancel()
        thread = threading.Thread(target=serve)
        thread.start()
        found = await asyncio.wait_for(asyncio.gather(*waiting, return_exceptions=True), 60)
        thread.join()
        return list(found)

    for number, one in enumerate(asyncio.run(work())):
        if number == 5:
            assert isinstance(one, asyncio.CancelledError)
        elif number % 7 == 3:
            assert isinstance(one, ValueError) and str(one) == str(number)
        else:
            assert one == number
