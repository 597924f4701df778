"""Damaged captions: how metrics respond to missing, padded, reordered or wrong captions.

>>> from storymeter.stress import transformation
>>> transformation("drop(share=0.3)").name
'drop(share=0.3)'

`apply` changes a corpus, `audit` tests the properties of a metric, `count`, `order`, `pad` and `oracle` give
the tables of the SODA papers, `details` replaces single words, `attacks` tries to persuade a judge. `Scene`
is what a transformation looks at beside the captions: the references and the run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._lazy import late

if TYPE_CHECKING:
    from .auditing import Audit as Audit, audit as audit
    from .changes import Scene as Scene
    from .experiment import apply as apply, count as count, oracle as oracle, order as order, pad as pad
    from .persuasion import attacks as attacks
    from .transforms import transformation as transformation
    from .wrong_details import details as details

_LATE = {
    "Audit": "auditing",
    "Scene": "changes",
    "apply": "experiment",
    "attacks": "persuasion",
    "audit": "auditing",
    "count": "experiment",
    "details": "wrong_details",
    "oracle": "experiment",
    "order": "experiment",
    "pad": "experiment",
    "transformation": "transforms",
}

__all__ = [*_LATE]
__getattr__, __dir__ = late(__name__, _LATE)
