"""COCO's caption evaluation: all measures over the images of a COCO file, and each image's values."""

from collections.abc import Iterable, Sequence
from typing import Any

from .bleu.bleu import Bleu as Bleu
from .cider.cider import Cider as Cider
from .meteor.meteor import Meteor as Meteor
from .rouge.rouge import Rouge as Rouge
from .spice.spice import Spice as Spice
from .tokenizer.ptbtokenizer import PTBTokenizer as PTBTokenizer


class COCOEvalCap:
    """`coco` and `cocoRes` are `pycocotools.coco.COCO` objects, or anything with `getImgIds` and `imgToAnns`.

    `evaluate` fills `eval` (measure to value), `imgToEval` (image to its values) and `evalImgs` (a list of
    them). `params["image_id"]` says which images; set it before `evaluate` to score some of them only."""

    def __init__(self, coco: Any, cocoRes: Any) -> None:  # noqa: N803  (a name of the original)
        self.evalImgs: list[dict[str, Any]] = []
        self.eval: dict[str, float] = {}
        self.imgToEval: dict[Any, dict[str, Any]] = {}
        self.coco = coco
        self.cocoRes = cocoRes
        self.params: dict[str, Any] = {"image_id": coco.getImgIds()}

    def evaluate(self) -> None:
        ids = self.params["image_id"]
        print("tokenization...")
        tokenizer = PTBTokenizer()
        gts = tokenizer.tokenize({i: self.coco.imgToAnns[i] for i in ids})
        res = tokenizer.tokenize({i: self.cocoRes.imgToAnns[i] for i in ids})
        print("setting up scorers...")
        scorers: list[tuple[Any, str | list[str]]] = [
            (Bleu(4), ["Bleu_1", "Bleu_2", "Bleu_3", "Bleu_4"]),
            (Meteor(), "METEOR"),
            (Rouge(), "ROUGE_L"),
            (Cider(), "CIDEr"),
            (Spice(), "SPICE"),
        ]
        for scorer, method in scorers:
            print(f"computing {scorer.method()} score...")
            score, scores = scorer.compute_score(gts, res)
            named = (
                [(score, scores, method)]
                if isinstance(method, str)
                else zip(score, scores, method, strict=True)
            )
            for value, values, name in named:
                self.setEval(value, name)
                self.setImgToEvalImgs(values, gts.keys(), name)
                print(f"{name}: {value:0.3f}")
        self.setEvalImgs()

    def setEval(self, score: float, method: str) -> None:  # noqa: N802
        self.eval[method] = score

    def setImgToEvalImgs(  # noqa: N802
        self,
        scores: Sequence[Any],
        imgIds: Iterable[Any],  # noqa: N803
        method: str,
    ) -> None:
        for i, score in zip(imgIds, scores, strict=False):
            self.imgToEval.setdefault(i, {"image_id": i})[method] = score

    def setEvalImgs(self) -> None:  # noqa: N802
        self.evalImgs = list(self.imgToEval.values())
