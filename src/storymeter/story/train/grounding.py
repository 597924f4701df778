"""`storymeter train grounding`: phrases and regions into one space (RoViST, algorithm 1 and appendix).

Image regions of Flickr30K Entities are cut out of their pictures, squeezed to the size the vision model
wants, and paired with the mean GloVe vector of their phrase. Images are split, not pairs, so that no picture
is on both sides."""

import functools
import hashlib
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from ...arrays import IntArray
from ...errors import DataError, UsageError, first_few
from ...models.checkpoints import checkpoint_folder, need_torch, torch_device, weight_files, weights_hash
from ...models.media import Pictures, open_picture
from ...models.word_vectors import VectorFile
from ...progress import Progress, silent
from ...text.words import words
from ..spaces import CONFIG, ENCODER, WEIGHTS, PairedConfig, PairedSpace, load_vision, to_pixels
from .data import fraction
from .loop import TrainingOptions, fit, write_bytes, write_safetensors
from .mentions import Mention

PAPER = TrainingOptions(
    lr=5e-5, lr_decay=0.95, schedule="epoch", weight_decay=1e-5, batch_size=64, epochs=30, patience=3
)


class PairedObjective:
    """Mentions as (pixels, GloVe vector); a phrase without a known word has been left out before."""

    def __init__(
        self,
        net: Any,
        config: PairedConfig,
        pictures: Pictures,
        train: Sequence[Mention],
        dev: Sequence[Mention],
        glove: VectorFile,
        options: TrainingOptions,
        device: str,
    ) -> None:
        self.net, self.config, self.pictures, self.options = net, config, pictures, options
        self.train, self.dev = list(train), list(dev)
        self.device = torch_device(device)
        self.train_vectors, self.dev_vectors = (
            glove.phrases([mention.phrase for mention in part]) for part in (self.train, self.dev)
        )
        self._open = functools.lru_cache(maxsize=256)(self._picture)

    def _picture(self, name: str) -> tuple[Any, float]:
        """The picture and by how much it was scaled down when it was opened."""
        from PIL import Image

        path = self.pictures.find(name)
        if path is None:
            raise DataError(
                f"The image {name} is not in {self.pictures.folder}.",
                hint="Add it, or remove its annotation.",
            )
        with Image.open(path) as raw:
            longest = max(raw.size)
        image = open_picture(path)
        return image, max(image.size) / longest

    def batches(self, epoch: int) -> list[IntArray]:
        order = np.random.default_rng([self.options.seed, epoch]).permutation(len(self.train))
        size = self.options.batch_size
        return [order[begin : begin + size] for begin in range(0, len(order), size) if len(order) - begin > 1]

    def vectors(self, mentions: Sequence[Mention], texts: NDArray[np.float32]) -> tuple[Any, Any]:
        torch = need_torch("Training")
        crops = []
        for mention in mentions:
            image, scale = self._open(mention.image)
            if mention.box is None:
                crops.append(image)
                continue
            left, top, right, bottom = (round(edge * scale) for edge in mention.box)
            left, top = min(left, image.width - 1), min(top, image.height - 1)
            crops.append(image.crop((left, top, max(right, left + 1), max(bottom, top + 1))))
        pixels = torch.from_numpy(to_pixels(crops, self.config)).to(self.device)
        return self.net.images(pixels), self.net.texts(torch.from_numpy(texts).to(self.device))

    def loss(self, batch: IntArray) -> Any:
        from ..layers import symmetric_loss

        return symmetric_loss(*self.vectors([self.train[k] for k in batch], self.train_vectors[batch]))

    def evaluate(self) -> Mapping[str, float]:
        """The loss, and how often the right region is the nearest to a phrase among those of a batch (other
        phrases only).
        """
        torch = need_torch("Training")
        from ..layers import symmetric_loss

        losses, right, asked = [], 0, 0
        order = np.random.default_rng(0).permutation(len(self.dev))
        with torch.inference_mode():
            for begin in range(0, len(order), self.options.batch_size):
                chosen = order[begin : begin + self.options.batch_size]
                images, texts = self.vectors([self.dev[k] for k in chosen], self.dev_vectors[chosen])
                losses.append(float(symmetric_loss(images, texts)) * len(chosen))
                alike = (texts / texts.norm(dim=1, keepdim=True)) @ (
                    images / images.norm(dim=1, keepdim=True)
                ).T
                nearest = alike.argmax(1).cpu().numpy()
                right += sum(
                    self.dev[chosen[k]].phrase == self.dev[chosen[nearest[k]]].phrase
                    for k in range(len(chosen))
                )
                asked += len(chosen)
        return {"loss": sum(losses) / asked, "right region": right / asked}


def split_mentions(
    mentions: Sequence[Mention], *, dev_share: float, seed: int
) -> tuple[list[Mention], list[Mention]]:
    """By image, chosen by its name and the seed."""
    train: list[Mention] = []
    dev: list[Mention] = []
    for mention in mentions:
        (dev if fraction(f"{seed}:{mention.image}") < dev_share else train).append(mention)
    return train, dev


def train_grounding(
    mentions: Sequence[Mention],
    images: str | Path,
    vision: str | Path,
    glove_file: str | Path,
    out: Path,
    *,
    options: TrainingOptions = PAPER,
    width: int = 1024,
    dev_share: float = 0.15,
    name: str = "grounding",
    device: str = "cpu",
    progress: Progress = silent,
    say: Callable[[str], None] | None = None,
) -> PairedSpace:
    """Train and write `out/grounding.json`, `out/grounding.safetensors` and `out/encoder/`.

    mentions: phrases of captions and their regions.
    images: the folder of the images.
    vision: the checkpoint folder of the image encoder.
    glove_file: word vectors as text.
    out: the folder of the model.
    options: rates, batches and epochs.
    width: the dimensions of the shared space.
    dev_share: the share of images that is held out.
    name: the name of the model in signatures.
    device: where the model is trained: cpu, cuda …
    progress: called with what is being done, how much is done, and of how much.
    say: called with lines about the training; None: nothing is said.
    """
    torch = need_torch("Training")
    from ..layers import PairedNet

    glove = VectorFile(glove_file)
    known = np.abs(glove.phrases([mention.phrase for mention in mentions])).sum(axis=1) > 0
    kept = [mention for mention, there in zip(mentions, known, strict=True) if there]
    pictures = Pictures(images)
    lacking = sorted({mention.image for mention in kept if pictures.find(mention.image) is None})
    if lacking:
        raise DataError(
            f"{len(lacking):,} images are not in {images}: {first_few(lacking)}",
            hint="Give the folder that holds them, such as flickr30k-images.",
        )
    train, dev = split_mentions(kept, dev_share=dev_share, seed=options.seed)
    if len(train) < 2 or not dev:
        raise UsageError(
            f"{len(train):,} pairs for training and {len(dev):,} for early stopping are too few.",
            hint="Give more images, or another --dev-share.",
        )
    folder = checkpoint_folder(vision)
    torch.manual_seed(options.seed)
    model, settings = load_vision(folder, weights=True)
    config = PairedConfig(
        name=name,
        width=width,
        text_width=glove.width,
        side=int(getattr(model.config, "image_size", 224)),
        glove=str(Path(glove_file).expanduser().resolve()),
        mean=tuple(settings.get("image_mean", (0.5, 0.5, 0.5))),
        deviation=tuple(settings.get("image_std", (0.5, 0.5, 0.5))),
    )
    net = PairedNet(model, glove.width, width).to(torch_device(device))
    if say is not None:
        say(
            f"{len(train):,} pairs to train on, {len(dev):,} kept back; {len(mentions) - len(kept):,} phrases"
            " without a word vector left out"
        )
        unknown = glove.unknown([mention.phrase for mention in mentions])
        if unknown:
            distinct = len({word for mention in mentions for word in words(mention.phrase)})
            common = ", ".join(f"{word} ({count:,})" for word, count in unknown.most_common(5))
            say(f"{len(unknown):,} of {distinct:,} words have no vector in {glove.path.name}: {common}")
    objective = PairedObjective(net, config, pictures, train, dev, glove, options, device)
    digest = hashlib.sha256(msgspec.json.encode([train, dev])).hexdigest()
    history = fit(
        objective,
        options,
        out,
        key=f"{digest} {weights_hash(*weight_files(folder))} {glove.key} {width}",
        progress=progress,
        say=say,
    )
    best = min(history, key=lambda epoch: epoch.dev["loss"])
    config = msgspec.structs.replace(
        config,
        trained={
            "pairs": len(train),
            "dev_pairs": len(dev),
            "epochs": len(history),
            "data_sha256": digest,
            "options": msgspec.to_builtins(options),
            "dev": best.dev,
            "vision": folder.name,
        },
    )
    write_safetensors(out / WEIGHTS, dict(net.named_parameters()))
    (out / ENCODER).mkdir(exist_ok=True)
    for file in ("config.json", "preprocessor_config.json"):
        if (folder / file).is_file():
            shutil.copyfile(folder / file, out / ENCODER / file)
    write_bytes(out / CONFIG, msgspec.json.format(msgspec.json.encode(config), indent=2) + b"\n")
    return PairedSpace(config, net, glove, device, weights_hash(out / WEIGHTS))
