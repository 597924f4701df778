"""The sub-verbs of `storymeter stress`, and the module that declares them."""

VERBS = {
    "apply": "verbs",
    "attacks": "verbs",
    "audit": "verbs",
    "count": "verbs",
    "details": "verbs",
    "oracle": "verbs",
    "order": "verbs",
    "pad": "verbs",
}
