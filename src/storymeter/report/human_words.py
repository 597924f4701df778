"""What the numbers on the page of a human study mean."""

from __future__ import annotations

SYSTEM_WORDS = {
    "cluster": (
        "neighbouring systems without significant differences between all of them; every system"
        " significantly beats every system of the clusters below"
    ),
    "rank": (
        "the best and worst place that is compatible with the significant differences: 1-2 means first or"
        " second"
    ),
    "raw": "the mean score, on the slider (0 to 100) or the scale of the file, after averaging the ratings of"
    " each caption",
    "z": (
        "the same mean after standardising the scores of each rater (z-scores), so that strict and generous"
        " raters have the same influence; 0 is the average of a rater, 1 is one standard deviation above it;"
        " the ranking uses this column"
    ),
    "95 %": (
        "95 % interval of z: with raters as random, where other raters and captions of the same kind would"
        " put the system; with rank-sum clusters, other captions by the same raters"
    ),
    "captions": "how many different captions of the system were rated",
    "ratings": "how many ratings they got, exact repeats included",
    "cluster (rank-sum)": (
        "the clusters of the papers: a test over captions that takes all ratings as independent, so that it"
        " separates equal systems more often than it says if raters differ in what they like"
    ),
    "cluster (over raters)": ("clusters with raters as random: they hold for other raters of the same kind"),
}
WORKER_WORDS = {
    "passed": "whether the rater passed quality control (–: no control items); the reason is in the next"
    " column",
    "ratings": "how many ratings the rater gave",
    "s/rating": "seconds per rating, on average (–: the file holds no times)",
    "flags": "unusual patterns; a flag alone rejects nobody",
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
        "correlation with the accepted other raters' scores of the same captions: 1 is perfect,"
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
        "there is nothing to compute the number from: no complete control pair, no caption that another"
        " accepted rater rated, no repeated caption (fewer than five for p alike), or all scores equal"
    ),
}
SECOND_GATE = {
    "": "",
    "repeats": (
        " Other captions were shown twice. A rater whose two scores of one caption are no closer than those"
        " of unrelated captions does not pass either."
    ),
    "peers": (
        " A rater who looks at some captions only can pass that test, but agrees little with the other"
        " raters of the same captions: a rater whose agreement is not clearly above half of the usual one"
        " does not pass either."
    ),
}
PAIR_WORDS = {
    "p": (
        "how likely so large a difference would be if the two systems were equally good; the line above the"
        " table names the test"
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
