"""Models of others behind the two interfaces: any local Hugging Face checkpoint that does the work already.

- coherence: a classifier of sentence pairs (`…ForSequenceClassification`, `…ForNextSentencePrediction`,
  ALBERT's own pre-training head,
  which is sentence order). p is the chance of the class that means *B follows A*: the first of a pre-training
  head; of a classifier the class with such a name (`next`, `follows`, `coherent`, …), else its last one.
- grounding: a model of pictures and texts in one space (CLIP, SigLIP, …: `models.clip`). A noun is asked for
  as *a photo of a …*.

A bare encoder does neither; it is what `storymeter train` starts from. Safetensors only, offline, no code
from the checkpoint."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError
from ..models.checkpoints import (
    SAFELY,
    checkpoint_folder,
    most_tokens,
    need_torch,
    opening,
    read_settings,
    torch_device,
    weight_files,
    weights_hash,
)
from ..models.clip import load_clip
from ..progress import Progress, silent
from ..text.placeholders import fill
from .order_net import AS_TRAINED, Reading, zero_repeats
from .regions import Box, JointSpace

_HEADS = re.compile(r"\w+For(SequenceClassification|NextSentencePrediction)|AlbertForPreTraining")
_FOLLOWS = re.compile(r"is_?next|next|follow|coherent|in_?order|ordered|entail", re.IGNORECASE)
_AGAINST = re.compile(r"not|in_?coherent|un_?ordered|random", re.IGNORECASE)


def is_huggingface(folder: Path, own: str) -> bool:
    """A checkpoint of Hugging Face, and none that our training wrote (which has the file `own`)."""
    return not (folder / own).is_file() and (folder / "config.json").is_file()


def _open(folder: Path, model: str, *others: str) -> list[Any]:
    """The model and what goes with it, by the names of their classes in transformers."""
    with opening(folder, "This model") as transformers:
        return [
            getattr(transformers, model).from_pretrained(str(folder), use_safetensors=True, **SAFELY),
            *(getattr(transformers, other).from_pretrained(str(folder), **SAFELY) for other in others),
        ]


class HuggingFacePairs:
    """A `PairClassifier`."""

    def __init__(self, folder: Path, device: str = "cpu") -> None:
        folder = checkpoint_folder(folder)
        head = str(next(iter(read_settings(folder / "config.json").get("architectures") or []), ""))
        if not _HEADS.fullmatch(head):
            raise DataError(
                f"{folder} holds {head or 'an encoder'}, which does not judge pairs of sentences.",
                hint=f"Train it to: storymeter train coherence --encoder {folder} --data … --out runs/c",
            )
        self.device = torch_device(device)
        self.model, self.tokenizer = _open(folder, head, "AutoTokenizer")
        self.model.to(self.device).eval()
        self.most = most_tokens(self.tokenizer, self.model)
        self.label = f"{folder.name}#{weights_hash(*weight_files(folder))[:8]}"
        self.pretrained = not head.endswith("SequenceClassification")
        names = {int(place): str(name) for place, name in (self.model.config.id2label or {}).items()}
        self.follows = (
            0
            if self.pretrained
            else next(
                (
                    place
                    for place, name in names.items()
                    if _FOLLOWS.search(name) and not _AGAINST.search(name)
                ),
                max(names, default=0),
            )
        )

    def probabilities(
        self,
        pairs: Sequence[tuple[str, str]],
        *,
        reading: Reading = AS_TRAINED,
        progress: Progress = silent,
    ) -> NDArray[np.float64]:
        """Final marks are kept, and there is no temperature, whatever `reading` says."""
        torch = need_torch("This model")
        read = [(" ".join(fill(a).split()), " ".join(fill(b).split())) for a, b in pairs]
        order = sorted(dict.fromkeys(read), key=lambda pair: len(pair[0]) + len(pair[1]))
        found: dict[tuple[str, str], float] = {}
        most = 1 if self.device.type == "cpu" else 64  # in a batch, last bits depend on the other pairs
        for begin in range(0, len(order), most):
            part = order[begin : begin + most]
            batch = self.tokenizer(
                [a for a, _ in part],
                [b for _, b in part],
                truncation=True,
                max_length=self.most,
                padding=True,
                return_tensors="pt",
            ).to(self.device)
            with torch.inference_mode():
                output = self.model(**batch)
            logits = output.sop_logits if hasattr(output, "sop_logits") else output.logits
            chance = logits.sigmoid()[:, 0] if logits.shape[1] == 1 else logits.softmax(-1)[:, self.follows]
            found.update(zip(part, chance.double().cpu().tolist(), strict=True))
            progress("judging neighbouring sentences", begin + len(part), len(order))
        return zero_repeats(np.array([found[pair] for pair in read], dtype=np.float64), pairs, reading)


class HuggingFaceSpace(JointSpace):
    def __init__(self, folder: Path, device: str = "cpu") -> None:
        self.clip = load_clip(str(folder), device)
        self.label, self.width = self.clip.label, self.clip.width

    def regions(self, crops: Sequence[Any], boxes: Sequence[Box]) -> NDArray[np.float32]:
        return self.clip.pictures(crops)

    def phrases(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self.clip.texts([f"a photo of a {text}" for text in texts])
