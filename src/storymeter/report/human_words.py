"""What the numbers on the page of a human study mean."""

from __future__ import annotations

SYSTEM_WORDS = {
    "cluster": (
        "neighbouring systems that cannot all be told apart; every system significantly beats every system of"
        " the clusters below"
    ),
    "rank": (
        "the best and worst place that is compatible with the significant differences: 1-2 means first or"
        " second"
    ),
    "raw": "the mean score on the slider from 0 to 100, after averaging the ratings of each caption",
    "z": (
        "the same after each rater's scores were put on one scale, so that strict and mild raters count"
        " alike; 0 is a rater's own average and 1 is one standard deviation above it; this column decides the"
        " order"
    ),
    "95 %": "the range in which the system's z would lie in 95 of 100 studies of the same size",
    "captions": "how many different captions of the system were rated",
    "ratings": "how many ratings they got, exact repeats included",
}
WORKER_WORDS = {
    "passed": "whether the rater's answers are believed (–: nothing to judge by), and in the next column why",
    "ratings": "how many ratings the rater gave",
    "s/rating": "seconds per rating, on average (–: the file holds no times)",
    "flags": "advice; no flag rejects anybody by itself",
}
EVIDENCE_WORDS = {
    "pairs": (
        "how many control pairs (a caption and the same caption damaged on purpose) the rater rated"
        " completely"
    ),
    "undamaged": "the rater's mean score for the undamaged members of these pairs",
    "damaged": "the rater's mean score for the damaged ones, which should be lower",
    "p": (
        "how likely such a difference would be if the rater could not tell the two apart; below the threshold"
        " the rater passes"
    ),
    "r others": (
        "how well the rater's scores follow what the believed others gave the same captions: 1 is perfectly,"
        " 0 not at all; about half of what is usual, or less, is too little"
    ),
    "repeats": "how many captions the rater saw twice",
    "change": "by how much the two scores of such a caption differ on average",
    "p drift": (
        "how likely so large a change in one direction is for a consistent rater; a small number means the"
        " rater drifted"
    ),
    "p alike": (
        "how likely scores of repeats so close to each other are for somebody who answers without looking;"
        " below .1 the rater is consistent"
    ),
    "–": (
        "there is nothing to compute the number from: no complete control pair, no caption that a believed"
        " other rated, no repeated caption (fewer than five for p alike), or scores that are all equal"
    ),
}
SECOND_GATE = {
    "": "",
    "repeats": (
        " Other captions came twice. Whose two scores of one caption are no closer than those of unrelated"
        " captions is not believed either."
    ),
    "peers": (
        " Who looks at some captions only passes that test all the same, but agrees little with what the"
        " others said of the same captions: whose agreement is not clearly more than half of what is usual is"
        " not believed either."
    ),
}
PAIR_WORDS = {
    "p": (
        "how likely so clear a lead would be if the two systems were equally good (rank-sum test, one-sided)"
    ),
    "p Holm": (
        "the same, corrected so that the chance of even one false claim in the whole table stays below the"
        " threshold"
    ),
    "p BH": (
        "the same, corrected so that the expected share of false claims among the claims made stays below the"
        " threshold"
    ),
}
