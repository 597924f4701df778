"""The paper's grounding network (RoViST, algorithm 1), in torch; imported only when a model is built.

    I = tanh(W_i · ViT(region) + b_i)      T = tanh(W_t · GloVe(phrase) + b_t)      both of 1,024 dimensions
    logits = T · Iᵀ        labels = softmax((I · Iᵀ + T · Tᵀ) / 2)
    loss   = (CE(labels, logits) + CE(labels, logitsᵀ)) / 2

The labels are made of a symmetric matrix, so one softmax over its rows serves both directions.
"""

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional


class PairedNet(nn.Module):
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
    """Algorithm 1, lines 4-10."""
    logits = texts @ images.T
    labels = ((images @ images.T + texts @ texts.T) / 2).softmax(-1).detach()
    return (functional.cross_entropy(logits, labels) + functional.cross_entropy(logits.T, labels)) / 2
