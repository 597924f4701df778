"""Visual stories: grounding in the pictures, coherence, non-redundancy (RoViST), and CLIP metrics.

>>> from storymeter.story import Redundancy
>>> Redundancy().name
'rovist_nr'

`explain_story` gives the parts of a score; `train_coherence` and `train_grounding` make models of one's own
from what `read_stories`, `read_captions` and `read_mentions` read, as `Recipe` and `TrainingOptions` say.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._lazy import late

if TYPE_CHECKING:
    from .clipscore import ClipScore as ClipScore, RefClipScore as RefClipScore
    from .coherence import Coherence as Coherence
    from .emscore import EmScore as EmScore
    from .grounding import Grounding as Grounding
    from .redundancy import Redundancy as Redundancy
    from .rovist import Rovist as Rovist, explain_story as explain_story
    from .tiger import Tiger as Tiger
    from .train.coherence import Recipe as Recipe, train_coherence as train_coherence
    from .train.data import read_stories as read_stories
    from .train.grounding import train_grounding as train_grounding
    from .train.loop import TrainingOptions as TrainingOptions
    from .train.mentions import read_captions as read_captions, read_mentions as read_mentions

_LATE = {
    "ClipScore": "clipscore",
    "Coherence": "coherence",
    "EmScore": "emscore",
    "Grounding": "grounding",
    "Recipe": "train.coherence",
    "Redundancy": "redundancy",
    "RefClipScore": "clipscore",
    "Rovist": "rovist",
    "Tiger": "tiger",
    "TrainingOptions": "train.loop",
    "explain_story": "rovist",
    "read_captions": "train.mentions",
    "read_mentions": "train.mentions",
    "read_stories": "train.data",
    "train_coherence": "train.coherence",
    "train_grounding": "train.grounding",
}

__all__ = [*_LATE]
__getattr__, __dir__ = late(
    __name__, _LATE, renamed={"NonRedundancy": "Redundancy", "VisualGrounding": "Grounding"}
)
