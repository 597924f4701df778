"""HIT design over two thousand seeds: counts, distances, order, damage; the same seed gives the same
bytes.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict

import msgspec
import pytest
from hypothesis import given, settings, strategies as st

from storymeter.captions import Caption, Corpus, Document
from storymeter.errors import DataError, UsageError
from storymeter.human.campaign.degrade import fitting, replaced
from storymeter.human.campaign.design import HitDesign, Layout, build, degrade

WORDS = (
    "a the man woman dog red blue car runs jumps over under fast slowly near street park while rain"
    " falls child ball kicks house tree"
)
TABLE_2 = {
    1: 1,
    **dict.fromkeys(range(2, 6), 2),
    **dict.fromkeys(range(6, 9), 3),
    **dict.fromkeys(range(9, 16), 4),
    **dict.fromkeys(range(16, 21), 5),
    **{n: n // 4 for n in range(21, 61)},
}


def corpus(name: str, count: int, seed: int, low: int = 1, high: int = 24) -> Corpus:
    rng, words = random.Random(f"{name} {seed}"), WORDS.split()
    return Corpus(
        tuple(
            Document(f"v{k}", (Caption(" ".join(rng.choice(words) for _ in range(rng.randint(low, high)))),))
            for k in range(count)
        ),
        name,
    )


def check(design: HitDesign, human: Corpus | None) -> None:
    layout = design.layout
    people = {d.id: d.text for d in human or ()}
    for hit in design.hits:
        assert [slot.position for slot in hit.slots] == list(range(layout.size))
        for block in range(layout.blocks):
            kinds = Counter(
                slot.kind for slot in hit.slots[block * layout.block : (block + 1) * layout.block]
            )
            assert kinds == Counter(
                {
                    k: n
                    for k, n in {
                        "system": layout.system,
                        "degraded": layout.degraded,
                        "repeat": layout.repeat,
                        "human": layout.human,
                    }.items()
                    if n
                }
            )
        pairs = defaultdict(list)
        for slot in hit.slots:
            if slot.pair:
                pairs[slot.pair].append(slot)
        assert len(pairs) == layout.blocks * (layout.degraded + layout.repeat)
        low, high = layout.distance
        for first, second in pairs.values():
            assert low <= second.position - first.position <= high
            assert first.item == second.item and first.systems == second.systems
            kinds = {first.kind, second.kind}
            control, original = (first, second) if first.kind in ("degraded", "repeat") else (second, first)
            if control.kind == "repeat":
                assert kinds == {"repeat", "system"} and control.text == original.text
            else:
                assert kinds == {"degraded", layout.control_base}
                what = control.degraded
                assert what is not None and what.text == control.text != original.text
                assert what.donor != control.item, "never words of the same video"
                before, after = original.text.split(), control.text.split()
                assert what.length == fitting(len(before)) and len(before) == len(after)
                assert (
                    before[: what.start] == after[: what.start]
                    and before[what.start + what.length :] == after[what.start + what.length :]
                )
                if len(before) >= 3:
                    assert what.start >= 1 and what.start + what.length <= len(before) - 1
                if people:
                    run = after[what.start : what.start + what.length]
                    given = [people[donor].split() for donor in (what.donor, *what.joined)]
                    assert all(any(word in words for words in given) for word in run)
                    assert what.joined or " ".join(run) in " ".join(given[0])
        shown = Counter((slot.item, slot.systems, slot.kind in ("degraded", "repeat")) for slot in hit.slots)
        assert max(shown.values()) == 1, "a caption is shown once, its repeat apart"


@pytest.mark.parametrize("first", range(0, 2000, 500))
def test_two_thousand_seeds(first: int) -> None:
    human = corpus("human", 60, first, low=1)
    systems = [corpus(f"s{k}", 60, first) for k in range(3)]
    low_first = total = 0
    for seed in range(first, first + 500):
        # a first HIT, dealt from a full pack; now and then others, dealt from what was shown least
        design = build(systems, human, hits=1 if seed % 10 else 3, seed=seed)
        check(design, human)
        for hit in design.hits:
            slots = {slot.pair: slot for slot in hit.slots if slot.kind == "degraded"}
            originals = {slot.pair: slot for slot in hit.slots if slot.kind == "human"}
            low_first += sum(slots[p].position < originals[p].position for p in slots)
            total += len(slots)
            # every clip comes exactly twice, so that a second showing gives nothing away
            assert set(Counter(slot.item for slot in hit.slots).values()) == {2}
    assert total == 6000
    assert 0.4 < low_first / total < 0.6


@settings(max_examples=100, deadline=None)
@given(
    st.integers(0, 10**9),
    st.sampled_from([2, 4, 6, 10]),
    st.integers(2, 6),
    st.integers(0, 2),
    st.integers(0, 2),
    st.integers(0, 2),
    st.sampled_from(["human", "system"]),
    st.integers(1, 4),
    st.booleans(),
)
def test_any_layout(
    seed: int,
    blocks: int,
    system: int,
    degraded: int,
    repeat: int,
    human: int,
    base: str,
    systems: int,
    merge: bool,
) -> None:
    layout = Layout(blocks, system, degraded, repeat, human, base)
    people = corpus("human", 90, seed)
    files = [corpus(f"s{k}", 90, seed) for k in range(systems)]
    try:
        design = build(files, people, layout=layout, hits=2, seed=seed, merge_identical=merge)
    except (DataError, UsageError) as error:
        assert error.hint
        return
    check(design, people)


def test_same_seed_same_bytes() -> None:
    human, systems = corpus("human", 100, 0), [corpus(f"s{k}", 100, 0) for k in range(4)]
    first, again, other = (msgspec.json.encode(build(systems, human, seed=seed).hits) for seed in (5, 5, 6))
    assert first == again != other


def test_captions_are_shown_equally_often() -> None:
    human, systems = corpus("human", 300, 1), [corpus(f"s{k}", 300, 1) for k in range(5)]
    design = build(systems, human, hits=100, seed=1)
    shown = Counter(
        (slot.item, slot.systems) for hit in design.hits for slot in hit.slots if slot.kind == "system"
    )
    assert len(shown) == 1500 and max(shown.values()) - min(shown.values()) <= 3
    per_system = Counter(slot.systems for hit in design.hits for slot in hit.slots if slot.kind == "system")
    assert max(per_system.values()) / min(per_system.values()) < 1.03


@pytest.mark.parametrize("length", range(1, 61))
def test_table_2(length: int) -> None:
    rng = random.Random(length)
    donors = {f"d{k}": " ".join(f"x{rng.randrange(1000)}" for _ in range(40)) for k in range(20)}
    words = [f"w{k}" for k in range(length)]
    starts = set()
    for seed in range(20):
        damaged = degrade(" ".join(words), donors, seed)
        out = damaged.text.split()
        expected = min(TABLE_2[length], length - 2) if length >= 3 else length
        changed = [k for k in range(length) if out[k] != words[k]]
        assert len(out) == length and damaged.length == expected
        assert changed == list(range(damaged.start, damaged.start + expected)), (
            "one contiguous run, exactly as long as the table says"
        )
        assert damaged.donor in donors and " ".join(out[k] for k in changed) in donors[damaged.donor]
        assert damaged.short == (length <= 3)
        if length >= 3:
            assert 0 not in changed and length - 1 not in changed
        starts.add(damaged.start)
        assert damaged == degrade(" ".join(words), donors, seed)
    assert replaced(length) == TABLE_2[length]
    assert len(starts) == 1 if length <= 4 else len(starts) > 1


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.sampled_from(["a", "A", "b", "c"]), min_size=1, max_size=30),
    st.lists(
        st.lists(st.sampled_from(["a", "b", "B", "c"]), min_size=1, max_size=20), min_size=1, max_size=5
    ),
    st.integers(),
)
def test_never_a_no_op(words: list[str], donors: list[list[str]], seed: int) -> None:
    texts = [" ".join(donor) for donor in donors]
    try:
        damaged = degrade(" ".join(words), texts, seed)
    except DataError as error:
        assert "degrade" in error.message
        return
    assert damaged.text.casefold() != " ".join(words).casefold() and damaged.donor in texts


def test_a_hit_that_cannot_be_filled_is_an_error() -> None:
    with pytest.raises(DataError, match="cannot be filled"):
        build([corpus("s", 20, 0)], corpus("human", 20, 0))
    with pytest.raises(UsageError, match="no file"):
        build([corpus("s", 200, 0)], None)
    with pytest.raises(DataError, match="share a name"):
        build([corpus("s", 200, 0), corpus("s", 200, 1)], corpus("human", 200, 0))


def test_identical_captions_are_rated_once_and_credited_to_all() -> None:
    same = corpus("a", 200, 0)
    twin = Corpus(same.documents, "b")
    design = build([same, twin, corpus("c", 200, 3)], corpus("human", 200, 0), hits=3, merge_identical=True)
    credits = Counter(slot.systems for hit in design.hits for slot in hit.slots if slot.kind == "system")
    assert set(credits) == {("a", "b"), ("c",)}


def test_one_system_is_laid_out_with_a_note() -> None:
    design = build([corpus("s", 300, 0)], corpus("human", 300, 0))
    check(design, corpus("human", 300, 0))
    assert any("shown once" in note for note in design.notes)
