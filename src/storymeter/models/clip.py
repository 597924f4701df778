"""A model of pictures and texts in one space, from a local folder: CLIP, SigLIP and others in the layout
of Hugging Face.

Safetensors only, offline, no code from the checkpoint (`models.checkpoints`). All vectors have length one, so
that a cosine is a dot product. Texts longer than the model's places are cut, and how many were is warned
of."""

import functools
import warnings
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays import Float32
from ..errors import DataError, StorymeterWarning
from ..text.script import well_formed
from .checkpoints import (
    SAFELY,
    checkpoint_folder,
    need_torch,
    opening,
    reading_files,
    torch_device,
    weight_files,
    weights_hash,
)

PICTURES, TEXTS = 32, 64


class Words(NamedTuple):
    """The tokens of one text without those that mark its ends, and their vectors."""

    ids: NDArray[np.int64]
    vectors: Float32


class Clip:
    """A checkpoint of pictures and texts in one space; every vector has length one."""

    def __init__(self, folder: Path, device: str = "cpu") -> None:
        self.folder = folder = checkpoint_folder(folder)
        with opening(folder, "This model") as transformers:
            self.model = transformers.AutoModel.from_pretrained(str(folder), use_safetensors=True, **SAFELY)
            if not hasattr(self.model, "get_image_features") or not hasattr(self.model, "get_text_features"):
                raise DataError(
                    f"{folder} holds no model of pictures and texts in one space.",
                    hint="Give the folder of a CLIP; or train one on it: storymeter train grounding --vision"
                    f" {folder} …",
                )
            self.tokenizer = transformers.AutoTokenizer.from_pretrained(str(folder), **SAFELY)
            self.processor = transformers.AutoImageProcessor.from_pretrained(str(folder), **SAFELY)
        self.device = torch_device(device)
        self.model.to(self.device).eval()
        digest = weights_hash(*weight_files(folder))
        self.label = f"{folder.name}#{digest[:8]}"
        #: names all that a vector depends on
        self.identity = f"{digest}-{weights_hash(*reading_files(folder))}"
        places = int(self.model.config.get_text_config().max_position_embeddings)
        self.longest = int(min(self.tokenizer.model_max_length, places))
        # SigLIP reads a text off its last place and was trained with full ones: without padding up to there,
        # a text's vector would depend on its neighbours
        self._padding = "max_length" if "siglip" in self.model.config.model_type else True
        self.width = int(self.texts(["thing"]).shape[1])

    def pictures(self, pictures: Iterable[Any]) -> Float32:
        """(pictures, width); each is brought to the model's size before the next one is taken."""
        torch, found = need_torch("This model"), []
        seen = (self.processor(images=[picture], return_tensors="pt") for picture in pictures)
        while part := list(islice(seen, PICTURES)):
            batch = {key: torch.cat([each[key] for each in part]).to(self.device) for key in part[0]}
            found.append(self._unit(self._pooled("get_image_features", batch)))
        return self._stacked(found)

    def texts(self, texts: Sequence[str]) -> Float32:
        """(texts, width)"""
        return self._stacked(
            self._unit(self._pooled("get_text_features", self._tokens(part).to(self.device)))
            for part in _parts(list(texts), TEXTS)
        )

    def words(self, texts: Sequence[str]) -> list[Words]:
        """The last layer's vector of every token, projected as the model projects a whole text."""
        if not hasattr(self.model, "text_projection") or not hasattr(self.model, "text_model"):
            raise DataError(
                f"{self.folder} contains a {self.model.config.model_type} model, which has no vectors of"
                " single words in its image space.",
                hint="emscore needs a CLIP model.",
            )
        torch = need_torch("This model")
        found = []
        for part in _parts(list(texts), TEXTS):
            batch = self._tokens(part).to(self.device)
            with torch.inference_mode():
                layer = self.model.text_model(**batch).last_hidden_state
                units = self._unit(self.model.text_projection(layer))
            ids, kept = self._kept(batch)
            found += [Words(ids[row][own], units[row][own]) for row, own in enumerate(kept)]
        return found

    def word_ids(self, texts: Sequence[str]) -> list[NDArray[np.int64]]:
        """The tokens alone."""
        batches = (self._kept(self._tokens(part)) for part in _parts(list(texts), TEXTS))
        return [row[own] for ids, kept in batches for row, own in zip(ids, kept, strict=True)]

    def _kept(self, batch: Any) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """The ids of a batch, and which of them are words of the text."""
        tokenizer = self.tokenizer
        ends = set(tokenizer.all_special_ids)
        if tokenizer.unk_token_id not in (tokenizer.bos_token_id, tokenizer.eos_token_id):
            ends.discard(tokenizer.unk_token_id)  # a word all the same; CLIP's own calls its end so, too
        ids: NDArray[np.int64] = batch["input_ids"].cpu().numpy()
        mask = batch["attention_mask"].cpu().numpy() if "attention_mask" in batch else np.ones_like(ids)
        return ids, (mask > 0) & ~np.isin(ids, list(ends))

    def warn_of_cut(self, texts: Sequence[str]) -> None:
        """Says how many texts are longer than the model reads."""
        whole = self.tokenizer(well_formed(list(texts)), verbose=False)["input_ids"] if texts else []
        cut = [text for text, ids in zip(texts, whole, strict=True) if len(ids) > self.longest]
        if cut:
            warnings.warn(
                f"{len(cut):,} of {len(texts):,} captions are longer than the {self.longest} tokens that"
                f" {self.label} reads, such as {cut[0][:60]!r}: the rest of each is ignored.",
                StorymeterWarning,
                stacklevel=2,
            )

    def _tokens(self, texts: Sequence[str]) -> Any:
        return self.tokenizer(
            well_formed(list(texts)),
            truncation=True,
            max_length=self.longest,
            padding=self._padding,
            return_tensors="pt",
        )

    def _pooled(self, how: str, batch: Any) -> Any:
        torch = need_torch("This model")
        with torch.inference_mode():
            output = getattr(self.model, how)(**batch)
        return getattr(output, "pooler_output", output)  # a plain tensor before transformers 5

    def _unit(self, vectors: Any) -> Float32:
        plain = vectors.float()
        return np.asarray((plain / plain.norm(dim=-1, keepdim=True).clamp(min=1e-12)).cpu().numpy())

    def _stacked(self, parts: Any) -> Float32:
        listed = list(parts)
        return np.concatenate(listed) if listed else np.empty((0, self.width), np.float32)


def _parts(listed: list[Any], size: int) -> list[list[Any]]:
    return [listed[begin : begin + size] for begin in range(0, len(listed), size)]


@functools.lru_cache(maxsize=2)
def load_clip(path: str, device: str = "cpu") -> Clip:
    """Loaded once per process."""
    return Clip(Path(path).expanduser(), device)
