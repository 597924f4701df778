"""BERT without padding: the tokens of many sentences lie one after another in one matrix.

The linear layers of a transformer look at each token alone; only attention has to know where a sentence
begins and ends. So the linear layers see all tokens of a batch as one matrix, attention sees the sentences of
one length at a time, and no time goes into padding or masks. The numbers are those of `BertModel` in
transformers, to the last bits of fp32. Imported only when a model is built: it needs torch.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import Any, NamedTuple, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

#: tokens that go through the layers together: enough for a matrix product, and what they fill stays in the
#: processor's cache. A graphics card wants more
TOKENS, TOKENS_ELSEWHERE = 512, 16384
Weights = tuple[Tensor, Tensor]
Part = TypeVar("Part")
Result = TypeVar("Result")


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


#: rows of a batch of `equal_batches`, on a processor and elsewhere
EQUAL, EQUAL_ELSEWHERE = 4, 128


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
        parts = (inside.query, inside.key, inside.value)
        merged = (
            torch.cat([part.weight for part in parts]).detach(),
            torch.cat([part.bias for part in parts]).detach(),
        )
        return cls(
            merged,
            *(
                (part.weight, part.bias)
                for part in (
                    output.dense,
                    output.LayerNorm,
                    layer.intermediate.dense,
                    layer.output.dense,
                    layer.output.LayerNorm,
                )
            ),
        )

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
        return cls(
            (inside.in_proj_weight, inside.in_proj_bias),
            *(
                (part.weight, part.bias)
                for part in (inside.out_proj, layer.norm1, layer.linear1, layer.linear2, layer.norm2)
            ),
        )


class Packed(NamedTuple):
    """A batch: all its tokens' vectors as one matrix, and (sentences, tokens) of each group of sentences of
    one length.
    """

    hidden: Tensor
    shapes: list[tuple[int, int]]

    def groups(self) -> list[Tensor]:
        """(sentences, tokens, width) each."""
        parts: tuple[Tensor, ...] = torch.split(
            self.hidden, [sentences * tokens for sentences, tokens in self.shapes]
        )
        return [part.view(*shape, -1) for part, shape in zip(parts, self.shapes, strict=True)]

    def through(self, layers: Sequence[Layer], heads: int, eps: float) -> Packed:
        hidden, width = self.hidden, (self.hidden.shape[1],)
        for layer in layers:
            projected = _linear(hidden, layer.attention).to(hidden.dtype)
            seen = _attention(self._replace(hidden=projected), heads)
            hidden = functional.layer_norm(
                hidden + _linear(seen, layer.joined), width, *layer.first_norm, eps
            )
            wide = functional.gelu(_linear(hidden, layer.wide))
            hidden = functional.layer_norm(
                hidden + _linear(wide, layer.narrow), width, *layer.second_norm, eps
            )
        return self._replace(hidden=hidden)


def _linear(vectors: Tensor, weights: Weights) -> Tensor:
    """In the precision of the weights."""
    return functional.linear(vectors.to(weights[0].dtype), *weights)


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
    """A `BertModel`, or the weights of one (`minilm`), for reading; `depth` is how many of its layers are
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
        packed = Packed(
            functional.layer_norm(
                hidden, (hidden.shape[1],), parts.LayerNorm.weight, parts.LayerNorm.bias, self.eps
            ),
            shapes,
        )
        return packed.through(self.layers[:depth], self.heads, self.eps)
