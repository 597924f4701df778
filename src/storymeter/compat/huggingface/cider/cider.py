"""CIDEr-D with the idf of the references at hand, as captioning reports it. For `evaluate.load`: see
`storymeter.compat.huggingface`.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from storymeter.compat._texts import prepared
from storymeter.compat.huggingface import base
from storymeter.pairs import Cider as Scorer


class Cider(base.CaptionModule):
    description: ClassVar[str] = "CIDEr-D with the idf of the references at hand, as captioning reports it."
    paper: ClassVar[str] = "Vedantam et al., CIDEr, CVPR 2015"

    def _compute(
        self,
        predictions: list[str],
        references: list[Any],
        tokenizer: Literal["ptb", "whitespace", "none"] = "ptb",
    ) -> dict[str, Any]:
        candidates, groups = prepared(predictions, references, tokenizer)
        values = Scorer().pairs(candidates=candidates, references=groups)
        return {"cider": float(values.mean()), "scores": values.tolist()}
