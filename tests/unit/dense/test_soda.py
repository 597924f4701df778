from __future__ import annotations

import math

import msgspec
import pytest

from storymeter import PairScorer, evaluate
from storymeter.captions import Caption, Corpus, Document
from storymeter.dense import ActivityNet, Soda
from storymeter.errors import DataError, UsageError
from storymeter.registry import metric

from .toys import SharedWords, corpus, score

MINE = corpus(v=[(0, 10, "a b"), (10, 20, "c d"), (12, 14, "x")])
FIRST = corpus("first", v=[(0, 10, "a b c d"), (10, 20, "c")])
SECOND = corpus("second", v=[(0, 20, "x y")])


def soda(
    variant: str,
    *references: Corpus,
    scorer: PairScorer | None = None,
    candidates: Corpus = MINE,
    **protocol: object,
) -> dict[str, float]:
    from storymeter.protocol import Protocol

    got = score(
        Soda(variant, scorer or SharedWords()),
        candidates,
        *references,
        protocol=Protocol().change(**protocol),
    )
    assert got.value == got.parts["f1"]
    return dict(got.parts)


def test_by_hand_one_annotator() -> None:
    # pairs over 0: (g1,p1) IoU 1 f .5; (g2,p2) IoU 1 f 1; (g2,p3) IoU .2 f 0
    assert soda("b", FIRST) == pytest.approx({"precision": 1.5 / 3, "recall": 1.5 / 2, "f1": 0.6})
    assert soda("c", FIRST) == pytest.approx({"precision": 1.5 / 3, "recall": 1.5 / 2, "f1": 0.6})
    assert soda("d", FIRST) == pytest.approx({"precision": 2 / 3, "recall": 1.0, "f1": 0.8})
    assert soda("a", FIRST) == pytest.approx({"precision": 1.5 / 3, "recall": 1.5 / 2, "f1": 0.6})


def test_several_annotators() -> None:
    # against the second: p1 and p2 IoU .5 f 0, p3 IoU .1 f .5
    assert soda("c", SECOND) == pytest.approx(
        {"precision": 0.05 / 3, "recall": 0.05, "f1": 2 * 0.05 * 0.05 / 3 / (0.05 + 0.05 / 3)}
    )
    best = soda("c", FIRST, SECOND)
    assert best == pytest.approx(soda("c", FIRST))
    mean = soda("c", FIRST, SECOND, refs="mean")
    assert mean == pytest.approx({k: (soda("c", FIRST)[k] + soda("c", SECOND)[k]) / 2 for k in mean})
    # merged: g (0,10), (0,20), (10,20) by start; p1-g1, p2-g3 remain the best
    assert soda("c", FIRST, SECOND, refs="merge") == pytest.approx(
        {"precision": 0.5, "recall": 0.5, "f1": 0.5}
    )
    with pytest.raises(UsageError, match="exactly one reference"):
        soda("c", FIRST, SECOND, refs="single")
    assert soda("c", FIRST, refs="single") == soda("c", FIRST)


def test_why_the_default_does_not_merge_annotators() -> None:
    """A story told as one annotator told it has F1 1 by default and 2/3 against a merged track, where saying
    everything twice is not punished (docs/papers/soda.md has the numbers of ActivityNet)."""
    other = corpus("other", v=[(1, 10, "a b c d"), (11, 20, "c")])
    both = (FIRST, other)
    twice = corpus(v=[(c.start, c.end, c.text) for c in FIRST.documents[0].captions for _ in (0, 1)])

    def value(said: Corpus, protocol: str) -> float:
        return score(Soda("c", SharedWords()), said, *both, protocol=protocol).value

    assert value(FIRST, "paper") == pytest.approx(1) and value(twice, "paper") == pytest.approx(2 / 3)
    assert value(FIRST, "eccv2020") == pytest.approx(2 / 3) and value(twice, "eccv2020") > 0.9
    assert value(twice, "eccv2020") == soda("c", *both, candidates=twice, refs="merge")["f1"]


def test_orientation_swaps_the_roles_of_the_scorer() -> None:
    scorer = SharedWords()
    # now f = shared / words of the caption: (g1,p1) 1, (g2,p2) .5
    assert soda("c", FIRST, scorer=scorer, orientation="reference")["precision"] == pytest.approx(1.5 / 3)
    assert ("a b c d", "a b") in scorer.asked


def test_thresholds_of_a() -> None:
    candidates, references = corpus(v=[(0, 6, "a")]), corpus("r", v=[(0, 10, "a")])
    assert soda("a", references, candidates=candidates)["f1"] == pytest.approx(
        2 / 4
    )  # IoU .6 reaches .3 and .5
    assert soda("a", references, candidates=candidates, tious=(0.6,))["f1"] == 1.0
    assert soda("b", references, candidates=candidates)["f1"] == 1.0


def test_a_lone_pair_without_overlap_earns_nothing() -> None:
    for variant in "abcd":
        assert soda(variant, corpus("r", v=[(5, 9, "a")]), candidates=corpus(v=[(0, 5, "a")]))["f1"] == 0.0


def test_only_pairs_that_matter_are_scored_and_each_once() -> None:
    scorer = SharedWords()
    references = corpus("r", v=[(0, 10, "a"), (20, 30, "b")], w=[(0, 10, "a")])
    candidates = corpus(v=[(0, 10, "a"), (20, 30, "b")], w=[(0, 5, "a"), (2, 7, "a")])
    evaluate(
        candidates=[candidates, msgspec.structs.replace(candidates, name="again")],
        references=references,
        tokenizer="whitespace",
        resamples=0,
        metrics=[Soda("c", scorer), Soda("a", scorer), Soda("b", scorer), ActivityNet(scorer)],
    )
    assert sorted(pair for pair in scorer.asked if pair[1] in "ab") == [("a", "a"), ("b", "b")]
    assert len(scorer.asked) == len(set(scorer.asked))


def test_missing_empty_and_skipped_videos() -> None:
    references = corpus("r", u=[(0, 1, "a")], v=[(0, 1, "a")], w=[])
    candidates = corpus(v=[(0, 1, "a")], w=[(0, 1, "a")])
    got = evaluate(
        candidates=candidates,
        references=references,
        metrics=[Soda("c", SharedWords())],
        tokenizer="whitespace",
        resamples=0,
    ).systems[0]
    assert got.scores[0].value == pytest.approx(1 / 3)
    assert got.coverage.missing == ("u",)
    assert got.coverage.empty == ("w",)
    assert soda("c", references, candidates=candidates, average="submitted-videos")["f1"] == pytest.approx(
        1 / 2
    )
    assert soda("c", references, candidates=candidates, missing="skip")["f1"] == pytest.approx(1 / 2)


def test_pdvc_skips_missing_videos_in_soda_but_not_in_the_activitynet_score() -> None:
    references = corpus("r", u=[(0, 1, "a")], v=[(0, 1, "a")])
    candidates = corpus(v=[(0, 1, "a")])
    assert score(Soda("c", SharedWords()), candidates, references, protocol="pdvc").value == pytest.approx(
        1 / (1 + 1e-8)
    )
    assert score(ActivityNet(SharedWords()), candidates, references, protocol="pdvc").value == pytest.approx(
        1 / 2
    )


def test_an_annotator_who_said_nothing_is_no_reference() -> None:
    silent = corpus("silent", v=[])
    for refs in ("best", "mean", "merge"):
        assert soda("c", FIRST, silent, refs=refs) == pytest.approx(soda("c", FIRST, refs=refs))


@pytest.mark.parametrize("bad", [math.nan, math.inf, None])
def test_times_that_are_none(bad: float | None) -> None:
    broken = Corpus((Document("v", (Caption("a", 0.0, bad), Caption("b", 0.0, 1.0))),), "broken")
    for name in (Soda("c", SharedWords()), ActivityNet(SharedWords()), "localisation"):
        with pytest.raises(
            DataError, match=r"1 of 2 captions of 'broken' have no usable times.*in 1 video: v"
        ):
            score(name, broken, FIRST)
    with pytest.raises(DataError, match="of the references"):
        score(Soda("d"), FIRST, broken)


def test_references_that_share_no_id() -> None:
    with pytest.raises(DataError, match="No reference matched"):
        score(Soda("d"), MINE, corpus("r", other=[(0, 1, "a")]))


def test_submission_and_references_swapped() -> None:
    from storymeter.captions import Origin

    submission = Corpus(MINE.documents, "sub.json", Origin("sub.json", "activitynet"))
    written = Corpus(FIRST.documents, "val.json", Origin("val.json", "activitynet-reference"))
    assert score("soda_d", submission, written).value > 0
    assert score("soda_d", written, written).value == 1.0, "one annotator against another is no mistake"
    with pytest.raises(
        UsageError, match=r"swapped: 'val.json' is a file of references .* 'sub.json' a submission"
    ):
        score("soda_d", written, submission)


def test_fifty_thousand_captions_in_one_video() -> None:
    many = corpus(v=[(k * 0.01, k * 0.01 + 5, f"a {k % 7}") for k in range(50_000)])
    got = soda("b", FIRST, candidates=many, max_proposals=10**6)
    assert 0 < got["precision"] < got["recall"] <= 1
    first = soda("b", FIRST, candidates=many)
    assert first["precision"] == pytest.approx(first["recall"] * 2 / 1000), (
        "the protocol counts the first thousand of the file"
    )


def test_names_print_and_parse() -> None:
    for text in ("soda_a", "soda_b(refs=merge)", "soda_d", "anet", "localisation", "start_distance"):
        assert metric(text).name == text
    with pytest.raises(UsageError, match="refs cannot be"):
        metric("soda_c(refs=all)")
    with pytest.raises(UsageError, match="no option"):
        metric("soda_c(variant=a)")


def test_links_are_the_pairs_that_the_score_sums() -> None:
    from storymeter.dense import caption_pairs
    from storymeter.engine import Run

    unsorted = corpus(v=[(10, 20, "c d"), (12, 14, "x"), (0, 10, "a b")])

    def links(metric: Soda) -> caption_pairs.VideoLinks:
        results = Run([SECOND, FIRST], tokenizer="whitespace").score(unsorted, metric, resamples=0)
        score, task = results.systems[0].scores[0], results.task(unsorted.name)
        return caption_pairs.video_links(score, task.candidates[0], task.references[0])

    video = links(Soda("c", SharedWords()))
    assert video.annotator == 1, "the annotator with the best F1 is shown"
    assert [(link.reference, link.candidate, link.iou, link.f) for link in video.links] == [
        (0, 2, 1.0, 0.5),
        (1, 0, 1.0, 1.0),
    ]
    assert {"precision": video.precision, "recall": video.recall, "f1": video.f1} == soda("c", FIRST, SECOND)
    assert sum(link.product for link in video.links) / len(video.candidates) == pytest.approx(video.precision)
    merged = links(Soda("c", SharedWords(), "merge"))
    assert merged.annotator is None
    assert [merged.references[link.reference].text for link in merged.links] == ["a b c d", "c"]
    with pytest.raises(UsageError, match="no matching"):
        links(Soda("a", SharedWords()))


def test_ten_thousand_captions_against_ten_thousand_references() -> None:
    long = corpus(v=[(float(k), k + 1.5, f"word {k % 50}") for k in range(10_000)])
    assert soda("d", long, candidates=long, max_proposals=10_000) == {
        "precision": 1.0,
        "recall": 1.0,
        "f1": 1.0,
    }
    assert soda("c", long, candidates=long, max_proposals=10_000)["f1"] == 1.0
