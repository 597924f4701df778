"""CIDEr-D with the idf of the given references, as captioning reports it. For `evaluate.load`: see
`storymeter.compat.huggingface`.
"""

from typing import ClassVar

from storymeter.compat.huggingface import base
from storymeter.pairs import Cider as Scorer


class Cider(base.CaptionModule):
    description: ClassVar[str] = "CIDEr-D with the idf of the given references, as captioning reports it."
    paper: ClassVar[str] = "Vedantam et al., CIDEr, CVPR 2015"
    scorer = Scorer
