"""A language model as one more scorer: prompts, marks, answers on the disk, an endpoint or a local
checkpoint.

`scorer.py` is the measure; `prompt.py` what is asked; `scales.py` how a reply becomes a mark; `asking.py`
who is asked what, and what is asked again; `endpoint.py` and `local.py` who answers; `answers.py` what was
answered."""

from .._lazy import late

__all__ = ["Budget", "Judge"]

__getattr__, __dir__ = late(__name__, {"Judge": "scorer", "Budget": ".context"})
