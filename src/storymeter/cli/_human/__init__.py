"""The sub-verbs of `storymeter human`, and the modules that declare them."""

VERBS = {
    "analyse": "after",
    "backup": "during",
    "close": "during",
    "demo": "demo",
    "deploy": "during",
    "export": "after",
    "new": "before",
    "plan": "before",
    "rank": "after",
    "restore": "during",
    "serve": "during",
    "simulate": "simulate",
    "status": "during",
    "verify": "after",
}
