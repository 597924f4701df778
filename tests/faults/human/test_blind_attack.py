"""Two attackers who never watch a clip: one scores fluency and length, the other also lowers the less fluent
of two twins. bench/human_blind.py counts them over hundreds of campaigns; here are a few, at 40 % bots."""

from __future__ import annotations

from collections import Counter

import pytest
from rating_kit import analyse
from rehearsal_kit import crowd, world

from storymeter.errors import DataError
from storymeter.human.analysis.quality import assess
from storymeter.human.campaign import design

RATERS = ("honest", "fluent", "honest", "twins", "honest") * 5
SEEDS = range(7001, 7007)


def test_blind_raters_are_not_believed_and_honest_ones_are() -> None:
    total: Counter[str] = Counter()
    accepted: Counter[str] = Counter()
    for seed in SEEDS:
        workers = assess(crowd(world(100, 5, seed), RATERS, raters_per_hit=1, seed=seed)).workers
        total.update(RATERS)
        accepted.update(who for who, worker in zip(RATERS, workers, strict=True) if worker.accepted)
    assert accepted["fluent"] + accepted["twins"] < 0.05 * (total["fluent"] + total["twins"])
    assert accepted["honest"] >= 0.98 * total["honest"]


def test_captions_are_shown_three_times_by_default_in_different_company() -> None:
    there = world(100, 5, 1)
    dealt = design.build(there.systems, there.human, seed=1)
    assert len(dealt.hits) == -(-500 * 3 // 70)
    shown = Counter(
        (slot.item, slot.systems) for hit in dealt.hits for slot in hit.slots if slot.kind == "system"
    )
    assert len(shown) == 500 and min(shown.values()) >= 2
    hits = [{(slot.item, slot.systems) for slot in hit.slots if slot.kind == "system"} for hit in dealt.hits]
    company = [sum(1 for other in hits if other is not one and one & other) for one in hits]
    assert min(company) >= 10, "each rater shares captions with many others"


def test_without_overlap_it_is_said_loudly() -> None:
    there = world(100, 5, 3)
    ratings = crowd(there, ("honest", "twins", "honest", "fluent"), raters_per_hit=1, seed=3)
    assert any(n.startswith("WARNING: agreement") and "human new" in n for n in assess(ratings).notes)
    with pytest.raises(DataError, match=r"No ranking is given: agreement .* could not be computed"):
        analyse(ratings, splits=0)
    assert analyse(ratings, splits=0, gates="control").ranking.systems


@pytest.mark.parametrize("seed", range(2))
def test_words_of_a_twin_are_in_no_other_caption_of_the_hit(seed: int) -> None:
    """Else who remembers texts would know which of two twins was damaged."""
    there = world(200, 5, seed)
    for hit in design.build(there.systems, there.human, hits=3, seed=seed).hits:
        clips = {slot.item for slot in hit.slots}
        assert all(slot.degraded.donor not in clips for slot in hit.slots if slot.degraded)
