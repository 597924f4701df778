"""The networks that are trained, in torch; imported only when a model is built: `OrderNet` of coherence
(`order_net`) and `PairedNet` of grounding (RoViST, algorithm 1; `spaces`)."""

from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional


class Batch(NamedTuple):
    """Token ids (or cached hidden vectors), token types and the mask of real tokens, each (sequences, tokens,
    …).
    """

    inputs: Tensor
    types: Tensor
    mask: Tensor


class OrderNet(nn.Module):
    """`forward(batch)` gives one logit per sequence; `config` is an `order_net.OrderConfig`."""

    def __init__(self, config: Any, encoder: Any) -> None:
        super().__init__()
        self.pooling, self.frozen = config.pooling, config.frozen
        shape = encoder.config
        width = int(shape.hidden_size)
        if config.frozen:
            layer = nn.TransformerEncoderLayer(
                width,
                shape.num_attention_heads,
                shape.intermediate_size,
                0.1,
                "gelu",
                layer_norm_eps=1e-12,
                batch_first=True,
            )
            self.tail = nn.TransformerEncoder(
                layer, shape.num_hidden_layers - config.frozen, enable_nested_tensor=False
            )
        else:
            self.encoder = encoder
        self.dropout = nn.Dropout(config.dropout)
        self.head = nn.Linear(width * (3 if config.pooling == "cls+a+b" else 1), 1)

    def forward(self, batch: Batch) -> Tensor:
        pooled = None
        if self.frozen:
            hidden = self.tail(
                batch.inputs, src_key_padding_mask=None if bool(batch.mask.all()) else ~batch.mask
            )
        else:
            types = (
                {"token_type_ids": batch.types}
                if getattr(self.encoder.config, "type_vocab_size", 0) > 1
                else {}
            )
            output = self.encoder(input_ids=batch.inputs, attention_mask=batch.mask.long(), **types)
            hidden, pooled = output.last_hidden_state, getattr(output, "pooler_output", None)
        return self.judge(hidden, batch, pooled)

    def judge(self, hidden: Tensor, batch: Batch, pooled: Tensor | None = None) -> Tensor:
        """The logits from what the last layer says of a batch."""
        vector = hidden[:, 0] if pooled is None or self.pooling != "cls" else pooled
        if self.pooling == "cls+a+b":
            first, second = (
                (batch.mask & (batch.types == kind)).unsqueeze(-1).to(hidden.dtype) for kind in (0, 1)
            )
            first[:, 0] = 0  # [CLS] has its own place
            means = [(hidden * part).sum(1) / part.sum(1).clamp(min=1) for part in (first, second)]
            vector = torch.cat([vector, *means], dim=1)
        logits: Tensor = self.head(self.dropout(vector)).squeeze(-1)
        return logits


def copy_layer(source: Any, target: Any) -> None:
    """One layer of a Hugging Face BERT into torch's own layer of the same shape."""
    inside = source.attention.self
    target.self_attn.in_proj_weight.copy_(
        torch.cat([inside.query.weight, inside.key.weight, inside.value.weight])
    )
    target.self_attn.in_proj_bias.copy_(torch.cat([inside.query.bias, inside.key.bias, inside.value.bias]))
    pairs = (
        (source.attention.output.dense, target.self_attn.out_proj),
        (source.attention.output.LayerNorm, target.norm1),
        (source.intermediate.dense, target.linear1),
        (source.output.dense, target.linear2),
        (source.output.LayerNorm, target.norm2),
    )
    for ours, theirs in pairs:
        theirs.weight.copy_(ours.weight)
        theirs.bias.copy_(ours.bias)


class PairedNet(nn.Module):
    """The paper's grounding network, both sides of `width` dimensions (1,024 in the paper).

    I = tanh(W_i · ViT(region) + b_i)      T = tanh(W_t · GloVe(phrase) + b_t)
    """

    def __init__(self, vision: Any, text_width: int, width: int) -> None:
        super().__init__()
        self.vision = vision
        self.image_head = nn.Linear(int(vision.config.hidden_size), width)
        self.text_head = nn.Linear(text_width, width)

    def images(self, pixels: Tensor) -> Tensor:
        output = self.vision(pixel_values=pixels)
        pooled = getattr(output, "pooler_output", None)
        if pooled is None:
            pooled = output.last_hidden_state[:, 0]
        return torch.tanh(self.image_head(pooled.flatten(1)))

    def texts(self, vectors: Tensor) -> Tensor:
        return torch.tanh(self.text_head(vectors))


def symmetric_loss(images: Tensor, texts: Tensor) -> Tensor:
    """Algorithm 1, lines 4-10.

        logits = T · Iᵀ        labels = softmax((I · Iᵀ + T · Tᵀ) / 2)
        loss   = (CE(labels, logits) + CE(labels, logitsᵀ)) / 2

    The labels are made of a symmetric matrix, so one softmax over its rows serves both directions.
    """
    logits = texts @ images.T
    labels = ((images @ images.T + texts @ texts.T) / 2).softmax(-1).detach()
    return (functional.cross_entropy(logits, labels) + functional.cross_entropy(logits.T, labels)) / 2
