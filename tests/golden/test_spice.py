"""spice(engine=rules) against people. The rules were tuned while looking at Flickr8k-Expert; TRECVID was not
looked at.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from part_kit import Later

from storymeter.meta import BENCHMARKS
from storymeter.pairs import Spice

stats = Later("scipy.stats")

pytest.importorskip("HanTa", reason="needs the optional part 'neural'")
pytest.importorskip("pycocoevalcap")


def scored(benchmark: Any) -> tuple[list[float], list[float]]:
    """Value and judgement, one point per judgement."""
    task = benchmark.task
    values = Spice().pairs(
        candidates=[document.captions[0].text for document in task.candidates],
        references=[[document.captions[0].text for document in group] for group in task.references],
    )
    of = dict(zip(task.ids, values.tolist(), strict=True))
    return [of[f"{judgement.system}\t{judgement.item}"] for judgement in benchmark.judgements], [
        judgement.value for judgement in benchmark.judgements
    ]


@pytest.mark.slow
def test_agrees_with_experts_on_flickr8k(data: Path) -> None:
    values, people = scored(BENCHMARKS["flickr8k-expert"](data))
    assert len(values) == 3 * 5664
    assert stats.kendalltau(values, people, variant="c").statistic >= 0.46


@pytest.mark.slow
def test_agrees_with_people_on_captions_it_was_not_tuned_on(data: Path) -> None:
    values, people = scored(BENCHMARKS["trecvid-2017-multiple"](data))
    assert np.corrcoef(values, people)[0, 1] >= 0.35
