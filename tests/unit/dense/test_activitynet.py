from __future__ import annotations

import numpy as np
import pytest

from storymeter import evaluate
from storymeter.dense import ActivityNet, activitynet, caption_pairs
from storymeter.protocol import PRESETS, Protocol

from .toys import SharedWords, corpus, score

MINE = corpus(v=[(0, 10, "a b"), (0, 4, "a"), (50, 60, "z")])
FIRST = corpus("first", v=[(0, 10, "a b c d")])
SECOND = corpus("second", v=[(0, 8, "a x")])


def anet(*references: object, **protocol: object) -> dict[str, float]:
    return dict(
        score(ActivityNet(SharedWords()), MINE, *references, protocol=Protocol().change(**protocol)).parts
    )


def test_by_hand() -> None:
    # p1: IoU 1 with g1 (f .5) and .8 with g2 (f .5); p2: .4 with g1 (f .25), .5 with g2 (f .5); p3: nobody
    assert anet(FIRST, SECOND) == pytest.approx(
        {
            "at_0.3": (0.5 + 0.5 + 0.25 + 0.5 + 0) / 5,
            "at_0.5": (0.5 + 0.5 + 0.5 + 0) / 4,
            "at_0.7": (0.5 + 0.5 + 0 + 0) / 4,
            "at_0.9": 0.5 / 3,
        }
    )


def test_without_the_garbage_penalty() -> None:
    """Paper 001, eqs. 3-4: only captions with a partner count."""
    assert anet(FIRST, SECOND, unmatched="ignore") == pytest.approx(
        {"at_0.3": 1.75 / 4, "at_0.5": 0.5, "at_0.7": 0.5, "at_0.9": 0.5}
    )


def test_random_garbage_is_seeded() -> None:
    scorer = SharedWords()
    for seed in (0, 0, 1):
        evaluate(
            candidates=MINE,
            references=FIRST,
            metrics=[ActivityNet(scorer)],
            tokenizer="whitespace",
            resamples=0,
            protocol=Protocol().change(unmatched="garbage-random", garbage_seed=seed),
        )
    against = [reference for _, reference in scorer.asked if reference not in ("a b c d", "a x")]
    third = len(against) // 3
    assert against[:third] == against[third : 2 * third] != against[2 * third :]
    assert all(10 <= len(word) <= 20 and word.isalpha() and word.islower() for word in against)


def test_fixed_garbage_is_what_the_script_wrote() -> None:
    scorer = SharedWords()
    score(ActivityNet(scorer), MINE, FIRST)
    assert ("z", activitynet.GARBAGE) in scorer.asked


def test_equation_3_is_the_mean_of_f() -> None:
    """One caption as the reference says it, two without a partner: a third. The scripts sum METEOR's counts
    instead, which gives another number."""
    same = "a man runs across a field"
    mine = corpus(v=[(0, 10, same), (20, 30, "a dog sleeps on a sofa"), (40, 50, "a boy eats an apple")])
    reference = corpus("r", v=[(0, 10, same)])
    found = {p: score("anet", mine, reference, protocol=p) for p in ("paper", "nlp2020-ja", "anet-2018")}
    assert found["paper"].value == pytest.approx(1 / 3)
    assert found["nlp2020-ja"].value == pytest.approx(1)
    assert found["anet-2018"].value != pytest.approx(1 / 3, abs=0.01)
    pooled = score("anet", mine, reference, protocol="paper+anet_pairs=pooled")
    assert pooled.value == found["anet-2018"].value
    together = score("anet", mine, reference, protocol="paper+corpus_scorers=corpus")
    assert together.value == pytest.approx(1 / 3)
    assert "pairs:mean" in str(found["paper"].signature)
    assert "pairs" not in str(found["anet-2018"].signature)


def test_figure_3_of_soda() -> None:
    """Section 4.1: three captions of the same words and IoU .9, .4, .6, f = .6: at .9 the average is .2, and
    0 without the first. Below: three captions of one segment with f = 0, .3, .6: .3 together, 0 alone."""
    reference = corpus("r", v=[(0, 10, "a b c d e f g h i j")])
    words = "a b c d e f"
    top = corpus(v=[(0, 9, words), (0, 4, words), (0, 6, words)])
    only = corpus(v=[(0, 4, words)])
    at_most = "paper+tious=0.9"
    assert score(ActivityNet(SharedWords()), top, reference, protocol=at_most).value == pytest.approx(0.2)
    assert score(ActivityNet(SharedWords()), only, reference, protocol=at_most).value == 0.0
    bottom = corpus(v=[(0, 10, "x y"), (0, 10, "a b c"), (0, 10, words)])
    assert score(ActivityNet(SharedWords()), bottom, reference).value == pytest.approx(0.3)
    assert score(ActivityNet(SharedWords()), corpus(v=[(0, 10, "x y")]), reference).value == 0.0


def test_figure_2_of_soda() -> None:
    """Seven pairs at a small threshold, in an order of captions that is no story; the best order is p2, p1,
    p3."""
    references = [(0, 3), (3, 6), (6, 9), (9, 12)]
    p1, p2, p3 = (1, 8), (0, 4), (8, 12)

    def iou(a: tuple[int, int], b: tuple[int, int]) -> float:
        return max(0, min(a[1], b[1]) - max(a[0], b[0])) / (max(a[1], b[1]) - min(a[0], b[0]))

    drawn = [[iou(g, p) for p in (p1, p2, p3)] for g in references]
    loose = sorted(caption_pairs.over_threshold(drawn, 1e-9))
    assert loose == [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 2), (3, 2)]
    in_time = [p2, p1, p3]
    _, pairs = caption_pairs.match([[iou(g, p) for p in in_time] for g in references])
    assert [in_time[p] for _, p in pairs] == [p2, p1, p3]


def test_only_the_papers_presets_take_the_mean() -> None:
    mean = {name for name, preset in PRESETS.items() if preset.protocol.anet_pairs == "mean"}
    assert mean == {"paper", "eccv2020", "nlp2020-ja", "vist"}


def test_pairs_of_all_videos_together() -> None:
    mine = corpus(v=[(0, 1, "a")], w=[(0, 1, "a"), (0, 1, "b"), (0, 1, "c")])
    references = corpus("r", v=[(0, 1, "a")], w=[(0, 1, "a")])
    per_video = score(ActivityNet(SharedWords()), mine, references)
    together = score(ActivityNet(SharedWords()), mine, references, protocol="paper+corpus_scorers=corpus")
    assert per_video.value == pytest.approx((1 + 1 / 3) / 2)
    assert together.value == pytest.approx(2 / 4)
    assert together.rows is not None
    assert together.rows.shape == (2, len(together.columns))


@pytest.mark.parametrize("scorer", ["bleu_4", "cider", "rouge_l"])
def test_corpus_scorers_differ_from_per_video_means(scorer: str) -> None:
    mine = corpus(v=[(0, 1, "a dog runs far"), (0, 1, "x")], w=[(0, 1, "a cat runs far away")])
    references = corpus("r", v=[(0, 1, "a dog runs far"), (0, 1, "a dog")], w=[(0, 1, "a cat runs far off")])
    values = [
        score(f"anet(scorer={scorer})", mine, references, protocol=f"paper+corpus_scorers={way}").value
        for way in ("per-video", "corpus")
    ]
    assert all(np.isfinite(values))
    assert values[0] != pytest.approx(values[1])


def test_thresholds_of_the_protocol() -> None:
    got = score(ActivityNet(SharedWords()), MINE, FIRST, SECOND, protocol="paper+tious=0.5/0.8")
    assert list(got.parts) == ["at_0.5", "at_0.8"]
    assert got.value == pytest.approx(np.mean(list(got.parts.values())))
    assert score("localisation", MINE, FIRST, protocol="paper+tious=0.5").parts["recall_at_0.5"] == 1.0


def test_a_threshold_is_reached_in_text_and_exceeded_in_detection() -> None:
    mine, references = corpus(v=[(0, 5, "a")]), corpus("r", v=[(0, 10, "a")])
    assert score(ActivityNet(SharedWords()), mine, references).parts["at_0.5"] == 1.0
    assert (
        score(ActivityNet(SharedWords()), mine, references, protocol="paper+text_tiou=>").parts["at_0.5"]
        == 0.0
    )
    assert score("localisation", mine, references).parts["precision_at_0.5"] == 0.0
    assert (
        score("localisation", mine, references, protocol="paper+detection_tiou=>=").parts["precision_at_0.5"]
        == 1.0
    )


def test_localisation_takes_the_best_annotator_for_each_rate() -> None:
    mine = corpus(v=[(0, 10, "a"), (20, 30, "b")])
    one, two = (
        corpus("one", v=[(0, 10, "a")]),
        corpus("two", v=[(0, 10, "a"), (20, 30, "b"), (40, 50, "c"), (60, 70, "d")]),
    )
    got = score("localisation", mine, one, two).parts
    assert got["recall_at_0.5"] == 1.0, "the first annotator's only event was found"
    assert got["precision_at_0.5"] == 1.0, "both captions were confirmed by the second"


def test_start_distance() -> None:
    mine, references = (
        corpus(v=[(0, 1, "a"), (12, 13, "b")]),
        corpus("r", v=[(2, 9, "a"), (10, 11, "b"), (100, 101, "c")]),
    )
    got = score("start_distance", mine, references).parts
    assert [got[f"precision_at_{s}"] for s in (1, 3, 5, 10, 30, 60)] == [0, 1, 1, 1, 1, 1]
    assert [got[f"recall_at_{s}"] for s in (1, 3, 60)] == pytest.approx([0, 2 / 3, 2 / 3])


def test_cider_of_one_video_has_its_own_idf() -> None:
    from storymeter.pairs import Cider

    mine = corpus(
        v=[(0, 1, "a dog runs"), (5, 6, "the cat sat")], w=[(0, 1, "a dog sat down"), (5, 6, "a cat ran")]
    )
    references = corpus(
        "r", v=[(0, 1, "a dog ran"), (5, 6, "the cat sat")], w=[(0, 1, "a dog sat"), (5, 6, "a bird ran")]
    )
    got = score("anet(scorer=cider)", mine, references)
    by_hand = [
        Cider(idf="video")
        .pairs(candidates=[c.text for c in m.captions], references=[[c.text] for c in r.captions])
        .mean()
        for m, r in zip(mine, references, strict=True)
    ]
    assert got.value == pytest.approx(np.mean(by_hand))
    old = score("soda_b(scorer=cider(idf=video))", mine, references)
    assert old.value == pytest.approx(np.mean(by_hand)), "one caption per event: the same pairs, the same idf"
    assert old.value != pytest.approx(score("soda_b(scorer=cider)", mine, references).value)
