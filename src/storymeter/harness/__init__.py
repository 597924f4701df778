"""Ready tasks for evaluation harnesses: the harness runs the model, Storymeter reads and scores the answers.

>>> from storymeter.harness import TASKS
>>> TASKS["activitynet"].metrics["tiou_f1"]
'localisation'

`write_lmms_eval(folder, references)` writes tasks for `lmms-eval --include_path` (the command
`storymeter harness lmms-eval`); docs/harnesses.md shows them at work.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._lazy import late

if TYPE_CHECKING:
    from .folder import TASKS as TASKS, HarnessTask as HarnessTask, write_lmms_eval as write_lmms_eval

_LATE = dict.fromkeys(("HarnessTask", "TASKS", "write_lmms_eval"), "folder")

__all__ = [*_LATE]
__getattr__, __dir__ = late(__name__, _LATE)
