"""A language model as one more scorer: prompts, marks, answers on the disk, an endpoint or a local
checkpoint.

>>> from storymeter.judge import Judge, Prompt
>>> judge = Judge(model="qwen2.5-vl", endpoint="http://127.0.0.1:8000/v1")
>>> judge.n, judge.engine
(1, 'endpoint')

`Judge` is the scorer, also by name: `judge(model=NAME,endpoint=URL)`. `Prompt` is the question that it asks,
one of the package or a file of one's own; `Budget` limits what its answers may cost.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._lazy import late

if TYPE_CHECKING:
    from ..context import Budget as Budget
    from .prompt import Prompt as Prompt
    from .scorer import Judge as Judge

_LATE = {"Budget": ".context", "Judge": "scorer", "Prompt": "prompt"}

__all__ = [*_LATE]
__getattr__, __dir__ = late(__name__, _LATE)
