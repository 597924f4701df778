"""Pictures and words in one space: what grounding asks of a model, the embedded model, and how a trained one
is loaded.

**The embedded model is not the paper's.** It needs no paired training data (convex combination of label
embeddings, after Norouzi et al., 2014): EfficientNet-Lite0 says which of 1,000 ImageNet classes a region
shows, and

    vector(region) = Σ p_k · label_k   over its 20 likeliest classes, p softened by a temperature of 1.5,
                                       scaled to length one
    vector(noun)   = MiniLM(noun),  label_k = MiniLM(WordNet's words for class k)

ImageNet has no class for people. Faces are found by scikit-image's cascade (Viola-Jones with local binary
patterns, its data in the wheel): each gives one more region, head and shoulders, whose vector is that of
people words."""

import functools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..arrays import Float32
from ..models.checkpoints import need_torch, torch_device
from ..models.vectors import Embeddings, unit
from .regions import Box, JointSpace

CLASSES = Path(__file__).parent / "data" / "imagenet_classes.txt"
LIKELIEST, TEMPERATURE = 20, 1.5
PEOPLE = ("person", "people", "man", "woman", "face")
_FACE_SIDE = 512


class LabelSpace(JointSpace):
    """The embedded default: see the module."""

    def __init__(self, device: str = "cpu") -> None:
        need_torch("Grounding (rovist_vg, tiger)")
        from ..models import efficientnet

        self.device = torch_device(device)
        net, digest = efficientnet.load()
        self.net = net.to(self.device)
        self.words = Embeddings("", device, alone=True)
        self.width = self.words.vectors.dimension
        self.labels = self.phrases(
            [line.split("\t")[1] for line in CLASSES.read_text(encoding="utf-8").splitlines()]
        )
        self.person = unit(self.phrases(PEOPLE).mean(0))
        self.cascade = _face_cascade()
        faces = ",faces" if self.cascade is not None else ""
        self.label = f"labels(efficientnet-lite0#{digest[:8]},{self.words.label}{faces})"

    def more_boxes(self, image: Any) -> list[Box]:
        if self.cascade is None:
            return []
        small = image.copy()
        small.thumbnail((_FACE_SIDE, _FACE_SIDE))
        if min(small.size) < 48:
            return []
        found = self.cascade.detect_multi_scale(
            img=np.asarray(small), scale_factor=1.2, step_ratio=1, min_size=(48, 48), max_size=(400, 400)
        )
        boxes = []
        for face in found:
            side, left, top = face["width"], face["c"], face["r"]
            around = (
                left - 0.5 * side,
                top - 0.4 * side,
                left + 1.5 * side,
                top + 2.0 * side,
            )  # head and shoulders
            x0, y0, x1, y1 = (
                min(max(value / size, 0.0), 1.0)
                for value, size in zip(around, (small.width, small.height) * 2, strict=True)
            )
            boxes.append(Box(float(x0), float(y0), float(x1), float(y1), 1.0, "person"))
        return boxes

    def regions(self, crops: Sequence[Any], boxes: Sequence[Box]) -> Float32:
        import torch

        from ..models.efficientnet import BATCH, SIDE

        out = np.empty((len(crops), self.width), np.float32)
        for begin in range(0, len(crops), BATCH):
            pixels = np.stack(
                [np.asarray(crop.resize((SIDE, SIDE)), np.float32) for crop in crops[begin : begin + BATCH]]
            )
            with torch.inference_mode():
                logits = self.net((torch.from_numpy(pixels).permute(0, 3, 1, 2).to(self.device) - 127) / 128)
                chance, place = (logits / TEMPERATURE).softmax(-1).topk(LIKELIEST)
            mixed = (chance.float().cpu().numpy()[:, :, None] * self.labels[place.cpu().numpy()]).sum(1)
            out[begin : begin + len(mixed)] = unit(mixed)
        named = {box.label for box in boxes if box.named}
        names = dict(zip(named, self.phrases(list(named)), strict=True)) if named else {}
        for k, box in enumerate(boxes):
            if box.label == "person":
                out[k] = self.person
            elif box.named:
                out[k] = unit(box.named * names[box.label] + (1 - box.named) * out[k])
        return out

    def phrases(self, texts: Sequence[str]) -> Float32:
        return self.words.of(texts)

    def nouns(self, texts: Sequence[str]) -> Float32:
        return self.phrases(texts)


def _face_cascade() -> Any:
    """scikit-image's face finder, or None where it is not installed (the signature then lacks `faces`)."""
    try:
        import skimage.data
        from skimage.feature import Cascade

        data: Any = skimage.data
        return Cascade(data.lbp_frontal_face_cascade_filename())
    except Exception:  # absent, or without its data: people are then not seen, and the signature says so
        return None


@functools.lru_cache(maxsize=2)
def load_space(path: str = "", device: str = "cpu") -> JointSpace:
    """The embedded space, one that `storymeter train grounding` wrote, or a Hugging Face model such as CLIP;
    loaded once per process.
    """
    need_torch("Grounding (rovist_vg, tiger)")
    if not path:
        return LabelSpace(device)
    from .huggingface_spaces import HuggingFaceSpace, is_huggingface
    from .paired_space import CONFIG, load_paired_space

    folder = Path(path).expanduser()
    return (
        HuggingFaceSpace(folder, device)
        if is_huggingface(folder, CONFIG)
        else load_paired_space(folder, device)
    )
