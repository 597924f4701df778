"""Visual stories: grounding in the pictures, coherence, non-redundancy (RoViST), and CLIP metrics.

>>> from storymeter.story import Redundancy
>>> Redundancy().name
'rovist_nr'

`explain_story` gives the parts of a score; `train_coherence` and `train_grounding` make models of one's own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._lazy import late

if TYPE_CHECKING:
    from .clipscore import ClipScore as ClipScore, RefClipScore as RefClipScore
    from .coherence import Coherence as Coherence
    from .emscore import EmScore as EmScore
    from .explain import explain_story as explain_story
    from .grounding import Grounding as Grounding
    from .redundancy import Redundancy as Redundancy
    from .rovist import Rovist as Rovist
    from .tiger import Tiger as Tiger
    from .train.coherence import train_coherence as train_coherence
    from .train.grounding import train_grounding as train_grounding

_LATE = {
    "ClipScore": "clipscore",
    "Coherence": "coherence",
    "EmScore": "emscore",
    "Redundancy": "redundancy",
    "RefClipScore": "clipscore",
    "Rovist": "rovist",
    "Tiger": "tiger",
    "Grounding": "grounding",
    "explain_story": "explain",
    "train_coherence": "train.coherence",
    "train_grounding": "train.grounding",
}

__all__ = [*_LATE]
__getattr__, __dir__ = late(
    __name__, _LATE, renamed={"NonRedundancy": "Redundancy", "VisualGrounding": "Grounding"}
)
