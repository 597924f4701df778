"""The sub-verbs of `storymeter meta`, and the modules that declare them."""

VERBS = {
    "agree": "agree",
    "benchmark": "benchmarks",
    "report_card": "benchmarks",
    "self": "captions",
    "similarity": "captions",
    "words": "captions",
}
