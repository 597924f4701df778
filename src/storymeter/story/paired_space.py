"""A grounding model that `storymeter train grounding` wrote: a ViT and GloVe phrases in one space (RoViST,
algorithm 1).

The folder holds `grounding.json`, `grounding.safetensors` (everything that was trained) and `encoder/` (the
shape of the vision model). GloVe itself is not copied: its path is in the JSON, and `STORYMETER_GLOVE` may
name another place of the same file."""

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
from ..models.word_vectors import VectorFile
from .regions import Box, JointSpace

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
    from .paired_layers import PairedNet
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
