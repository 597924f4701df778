"""The sub-verbs of `storymeter human`, and the modules that declare them."""

VERBS = {
    "analyse": "after",
    "backup": "during",
    "check": "before",
    "close": "during",
    "demo": "demo",
    "deploy": "during",
    "erase": "during",
    "export": "after",
    "new": "before",
    "plan": "before",
    "preview": "during",
    "rank": "after",
    "restore": "during",
    "serve": "during",
    "simulate": "simulate",
    "status": "during",
    "verify": "after",
}
