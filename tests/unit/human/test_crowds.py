"""Raters who work together, raters with a favourite, and rankings that few can move."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from rating_kit import DEGRADED, Ratings, analyse, assess, from_columns
from rehearsal_kit import crowd, world

from storymeter.errors import DataError
from storymeter.human.analysis.attention import cells, partisans
from storymeter.human.analysis.influence import robust_ranking, trimmed

RATERS = 24


@pytest.fixture(scope="module")
def fair() -> Ratings:
    return crowd(world(100, 5, 61), ["honest"] * RATERS, raters_per_hit=1, seed=61)


def ringed(ratings: Ratings, members: int) -> Ratings:
    """The first members know which captions are damaged, and share a list of scores for the rest."""
    caption = np.zeros(len(ratings), dtype=np.int64)
    caption[ratings.credit_row] = ratings.credit.codes
    caption = caption * len(ratings.item) + ratings.item.codes
    rng = np.random.default_rng(5)
    shared = rng.uniform(40, 100, int(caption.max()) + 1)[caption] + rng.normal(0, 3, len(caption))
    shared[ratings.kind == DEGRADED] = 10.0
    value = np.where(ratings.rater.codes < members, np.clip(np.round(shared), 0, 100), ratings.value)
    return replace(ratings, value=value)


def test_honest_raters_are_no_ring(fair: Ratings) -> None:
    found = assess(fair)
    assert found.rings == () and found.unranked == "" and found.accepted.sum() >= RATERS - 1


@pytest.mark.parametrize("members", [8, 9])
def test_a_ring_is_found_with_its_evidence(fair: Ratings, members: int) -> None:
    ratings = ringed(fair, members)
    assert assess(ratings, gates="control").accepted.all(), "the controls alone believe it"
    found = assess(ratings)
    (ring,) = found.rings
    assert ring.raters == tuple(f"w{k:03d}" for k in range(members))
    assert ring.within > 0.8 and ring.explained < 0.3 and ring.equal[0] > ring.equal[1]
    assert not found.accepted[:members].any() and found.accepted[members:].sum() >= RATERS - members - 1
    assert "member of a ring" in found.workers[0].reason
    assert any(note.startswith(f"Ring: {members} raters") for note in analyse(ratings, splits=0).notes)


def test_time_is_evidence_of_a_ring_and_makes_none(fair: Ratings) -> None:
    quick = fair.rater.codes < 8
    timed = replace(fair, seconds=np.where(quick, 4.0, 12.0))
    assert assess(timed).rings == ()
    (ring,) = assess(ringed(timed, 8)).rings
    assert ring.seconds == (4.0, 12.0) and "4.0 s per rating (others 12.0 s)" in ring.evidence


def test_a_small_ring_agrees_with_nobody_else(fair: Ratings) -> None:
    found = assess(ringed(fair, 5))
    assert not found.accepted[:5].any() and found.accepted[5:].sum() >= RATERS - 6


def test_where_half_are_a_ring_nothing_is_ranked(fair: Ratings) -> None:
    ratings = ringed(fair, RATERS // 2)
    with pytest.raises(DataError, match="work together"):
        analyse(ratings, splits=0)
    assert analyse(ratings, splits=0, gates="control").ranking.systems


def test_equal_answers_in_equal_places_are_a_ring(fair: Ratings) -> None:
    values = dict(zip(fair.position[fair.rater.codes == 0], range(100), strict=True))
    copied = np.array([values[p] for p in fair.position.tolist()])
    ratings = replace(fair, value=np.where(fair.rater.codes < 2, copied, fair.value))
    assert any(ring.places and ring.raters == ("w000", "w001") for ring in assess(ratings).rings)


def test_who_favours_a_system_is_left_out(fair: Ratings) -> None:
    own = np.zeros(len(fair), dtype=bool)
    own[fair.credit_row] = fair.credit.codes == fair.systems.index("system3")
    more = np.where(own & (fair.rater.codes < 6), np.minimum(fair.value + 45, 100), fair.value)
    found = assess(replace(fair, value=more))
    assert set(found.partisans) == {f"w{k:03d}" for k in range(6)}
    assert "favours system3" in found.workers[0].reason and found.accepted[6:].all()


def test_few_raters_do_not_move_trimmed_means(fair: Ratings) -> None:
    before = robust_ranking(fair)
    assert [one.name for one in before.systems] == [s.name for s in analyse(fair, splits=0).ranking.systems]
    assert all(gap.trimmed >= gap.mean for gap in before.breakdown if gap.mean < 0.2)
    first = before.breakdown[0]
    gaps = np.linspace(0.5, 1.5, 10)
    assert trimmed(np.array([*gaps, -100.0, -100.0])) > 0 > np.mean([*gaps, -100.0, -100.0])
    assert 0 < first.mean <= 0.5 and first.raters <= RATERS


def test_noisy_raters_are_not_partial(fair: Ratings) -> None:
    """A third of the raters answer with much more noise than the others: 20 crowds of 24."""
    rng, left_out = np.random.default_rng(0), 0
    spread = np.where(np.arange(RATERS) % 3 == 0, 20.0, 3.0)[fair.rater.codes]
    for _ in range(20):
        value = np.clip(np.round(fair.value + rng.normal(0, spread)), 0, 100)
        left_out += len(assess(replace(fair, value=value)).partisans)
    assert left_out <= 0.02 * 20 * RATERS


def test_several_who_nearly_reach_the_limit_are_believed_together() -> None:
    """Two of eight who favour a system are beyond the limit, and others come near: seven are found."""
    rng = np.random.default_rng(29)
    shape = 24, 5, 30
    rater, system, item = np.indices(shape).reshape(3, -1)[:, rng.random(np.prod(shape)) < 0.7]
    quality, taste = rng.normal(60, 15, shape[1:]), rng.normal(0, 1, shape[:2])
    taste[:8, 0] += 12
    value = quality[system, item] + taste[rater, system] + rng.normal(0, 16, len(rater))
    names = {"rater": rater + 10, "system": system, "item": item}
    columns = {role: [str(code) for code in codes.tolist()] for role, codes in names.items()}
    ratings = from_columns({**columns, "value": np.clip(np.rint(value), 0, 100)})
    found = partisans(ratings, cells(ratings), np.ones(24, dtype=bool))
    assert {one.system for one in found} == {"0"} and all(one.bias > 0 for one in found)
    assert len(found) >= 6 and max(one.rater for one in found) < 8


def test_sixteen_raters_show_who_favours_a_system() -> None:
    small = crowd(world(74, 5, 61), ["honest"] * 16, raters_per_hit=1, seed=61)
    own = np.zeros(len(small), dtype=bool)
    own[small.credit_row] = small.credit.codes == small.systems.index("system3")
    more = np.where(own & (small.rater.codes < 4), np.minimum(small.value + 45, 100), small.value)
    found = assess(replace(small, value=more))
    assert {f"w{k:03d}" for k in range(4)} <= set(found.partisans) and len(found.partisans) <= 5
