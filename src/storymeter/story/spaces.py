"""Pictures and words in one space: the embedded model of grounding, and one that is trained.

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
import os
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from ..arrays import Float32
from ..errors import DataError, StorymeterWarning, first_few, many
from ..models.checkpoints import (
    SAFELY,
    checkpoint_folder,
    need_torch,
    opening,
    read_safetensors,
    read_settings,
    torch_device,
    trained_config,
    weights_hash,
)
from ..models.vectors import Embeddings, unit
from ..models.word_vectors import VectorFile
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


CONFIG, WEIGHTS, ENCODER = "grounding.json", "grounding.safetensors", "encoder"


class PairedConfig(msgspec.Struct, frozen=True, kw_only=True):
    format: str = "storymeter-grounding-1"
    name: str = "grounding"
    width: int = 1024
    text_width: int = 300
    side: int = 224
    mean: tuple[float, ...] = (0.5, 0.5, 0.5)
    deviation: tuple[float, ...] = (0.5, 0.5, 0.5)
    glove: str = ""
    trained: dict[str, Any] = {}


class PairedSpace(JointSpace):
    """A model that `storymeter train grounding` wrote: a ViT and GloVe phrases (RoViST, algorithm 1).

    Its folder holds `grounding.json`, `grounding.safetensors` (everything that was trained) and `encoder/`
    (the shape of the vision model). GloVe itself is not copied: its path is in the JSON, and
    `STORYMETER_GLOVE` may name another place of the same file."""

    def __init__(self, config: PairedConfig, net: Any, glove: VectorFile, device: str, digest: str) -> None:
        self.config, self.net, self.glove = config, net, glove
        self.device = torch_device(device)
        self.net.to(self.device).eval()
        self.width = config.width
        self.label = f"{config.name}#{digest[:8]}"

    def regions(self, crops: Sequence[Any], boxes: Sequence[Box]) -> Float32:
        torch = need_torch("Grounding (rovist_vg, tiger)")
        out = np.empty((len(crops), self.width), np.float32)
        with torch.inference_mode():
            for begin in range(0, len(crops), 32):
                pixels = to_pixels(crops[begin : begin + 32], self.config)
                vectors = self.net.images(torch.from_numpy(pixels).to(self.device))
                out[begin : begin + len(vectors)] = (
                    (vectors / vectors.norm(dim=1, keepdim=True).clamp(min=1e-12)).cpu().numpy()
                )
        return out

    def phrases(self, texts: Sequence[str]) -> Float32:
        """A phrase without a known word is like no region: its vector is zero."""
        torch = need_torch("Grounding (rovist_vg, tiger)")
        words = self.glove.phrases(texts)
        known = np.asarray(words.any(axis=1))
        with torch.inference_mode():
            vectors = self.net.texts(torch.from_numpy(words).to(self.device))
        found = np.asarray((vectors / vectors.norm(dim=1, keepdim=True).clamp(min=1e-12)).cpu().numpy())
        found[~known] = 0
        return found

    def nouns(self, texts: Sequence[str]) -> Float32:
        """A warning counts and names those that are not known."""
        known = np.count_nonzero(self.glove.phrases(texts), axis=1)
        unknown = [text for text, count in zip(texts, known, strict=True) if not count]
        if unknown:
            warnings.warn(
                f"{self.glove.path.name} has no vector for {len(unknown):,} of {many(len(texts), 'noun')},"
                f" which are like no region: {first_few(unknown)}.",
                StorymeterWarning,
                stacklevel=2,
            )
        return super().nouns(texts)


def to_pixels(crops: Sequence[Any], config: PairedConfig) -> Float32:
    """(crops, 3, side, side): squeezed to a square, as the paper's crops are, and normalised."""
    squares = (
        np.stack([np.asarray(crop.resize((config.side, config.side)), np.float32) for crop in crops]) / 255
    )
    scaled = (squares - np.array(config.mean, np.float32)) / np.array(config.deviation, np.float32)
    return np.ascontiguousarray(scaled.transpose(0, 3, 1, 2), np.float32)


def load_vision(folder: Path, *, weights: bool) -> tuple[Any, dict[str, Any]]:
    """(vision model, its preprocessing) from a local folder; with `weights=False` only the shape is built."""
    with opening(
        folder, "Grounding (rovist_vg, tiger)", hint="Give a ViT-like checkpoint saved as safetensors."
    ) as transformers:
        if weights:
            model = transformers.AutoModel.from_pretrained(
                str(checkpoint_folder(folder)), use_safetensors=True, **SAFELY
            )
        else:
            model = transformers.AutoModel.from_config(
                transformers.AutoConfig.from_pretrained(str(folder), **SAFELY)
            )
        if not hasattr(model.config, "hidden_size"):
            raise ValueError("it has no hidden_size, so it is not ViT-like")
    settings = folder / "preprocessor_config.json"
    return model, read_settings(settings) if settings.is_file() else {}


def load_paired_space(folder: Path, device: str = "cpu") -> PairedSpace:
    config = trained_config(folder, "grounding", PairedConfig)
    need_torch("Grounding (rovist_vg, tiger)")
    from .layers import PairedNet
    from .train.loop import load_weights

    vision, _ = load_vision(folder / ENCODER, weights=False)
    net = PairedNet(vision, config.text_width, config.width)
    load_weights(net, read_safetensors(folder / WEIGHTS), folder / WEIGHTS)
    glove = VectorFile(os.environ.get("STORYMETER_GLOVE") or config.glove)
    if glove.width != config.text_width:
        raise DataError(
            f"{glove.path} has {glove.width} numbers a word, and the model was trained with"
            f" {config.text_width}.",
            hint="Set STORYMETER_GLOVE to the right file.",
        )
    # all that the numbers follow from: STORYMETER_GLOVE may name another file of word vectors
    digest = weights_hash(folder / WEIGHTS, folder / CONFIG, *glove.files)
    return PairedSpace(config, net, glove, device, digest)


@functools.lru_cache(maxsize=2)
def load_space(path: str = "", device: str = "cpu") -> JointSpace:
    """The embedded space, one that `storymeter train grounding` wrote, or a Hugging Face model such as CLIP;
    loaded once per process.
    """
    need_torch("Grounding (rovist_vg, tiger)")
    if not path:
        return LabelSpace(device)
    from .pretrained import HuggingFaceSpace, is_huggingface

    folder = Path(path).expanduser()
    return (
        HuggingFaceSpace(folder, device)
        if is_huggingface(folder, CONFIG)
        else load_paired_space(folder, device)
    )
