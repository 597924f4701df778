"""A judge in this process: the expected mark is what the model's own probabilities say."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest
from part_kit import need

from storymeter.errors import DataError
from storymeter.judge import prompt
from storymeter.models import checkpoints
from storymeter.registry import scorer

torch = need("torch", reason="pip install 'storymeter[neural]' runs models here")
transformers = need("transformers")

#: one token each; whatever else is said is unknown to this model
WORDS = ["<unk>", "<end>", *map(str, range(11)), "dog", "cat", "runs", "sleeps", "a"]
TEMPLATE = "{% for m in messages %}{{ m['content'] }} {% endfor %}"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A chat model of a few thousand weights that can only say numbers."""
    from tokenizers import Tokenizer, models, pre_tokenizers

    place = tmp_path_factory.mktemp("model") / "tiny-judge"
    inner = Tokenizer(models.WordLevel({word: k for k, word in enumerate(WORDS)}, unk_token="<unk>"))
    inner.pre_tokenizer = pre_tokenizers.Split(" ", "removed")
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=inner, unk_token="<unk>", eos_token="<end>"
    )
    tokenizer.chat_template = TEMPLATE
    tokenizer.save_pretrained(place)
    torch.manual_seed(3)
    layer = {"hidden_size": 32, "intermediate_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2}
    ends = {"bos_token_id": None, "eos_token_id": 1}
    config = transformers.LlamaConfig(
        vocab_size=len(WORDS), max_position_embeddings=4096, initializer_range=0.5, **layer, **ends
    )
    network = transformers.LlamaForCausalLM(config)
    with torch.no_grad():
        network.lm_head.weight[:2] = 0
        network.lm_head.weight[13:] = 0
    network.save_pretrained(place)
    return place


def test_the_mark_is_the_models_own_expectation(folder: Path) -> None:
    name = f"judge(model={folder},engine=local,tokens=1)"
    (value,) = scorer(name).pairs(candidates=["a dog runs"], references=[["a cat sleeps"]])
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    network = transformers.AutoModelForCausalLM.from_pretrained(folder).eval()
    scale, adequacy = prompt.SCALES["0-10"], prompt.named("adequacy")
    text = adequacy.question("a dog runs", ["a cat sleeps"], scale)
    turns = [*adequacy.opening(scale), {"role": "user", "content": text}]
    said = tokenizer.apply_chat_template(turns, return_tensors="pt", return_dict=True)
    with torch.no_grad():
        chances = network(**said).logits[0, -1].softmax(-1)[2:13]
    expected = float((chances * torch.arange(11)).sum() / chances.sum())
    assert value == pytest.approx(expected / 10, abs=1e-5)
    assert 0 < value < 1


def test_a_pickle_beside_other_safetensors_is_not_read(folder: Path, tmp_path: Path) -> None:
    import shutil

    copy = tmp_path / "decoy"
    shutil.copytree(folder, copy)
    (copy / "model.safetensors").rename(copy / "other.safetensors")
    torch.save(
        transformers.AutoModelForCausalLM.from_pretrained(folder).state_dict(), copy / "pytorch_model.bin"
    )
    with pytest.raises(DataError):
        scorer(f"judge(model={copy},engine=local,tokens=1)").pairs(
            candidates=["a dog runs"], references=[["a cat sleeps"]]
        )


def test_answers_are_known_by_the_weights_not_by_the_place(folder: Path, tmp_path: Path) -> None:
    import shutil

    judge = scorer(f"judge(model={folder},engine=local,tokens=1)").open()
    first = judge.pairs(candidates=["a dog"], references=[["a cat"]])
    fields = judge.depends_on()
    assert str(fields["judge"]).startswith("tiny-judge-")
    assert (fields["engine"], fields["marks"]) == ("local", "expected")
    shutil.copytree(folder, tmp_path / "tiny-judge")
    moved = scorer(f"judge(model={tmp_path / 'tiny-judge'},engine=local,tokens=1)").open()
    assert moved.pairs(candidates=["a dog"], references=[["a cat"]]) == first
    assert moved.depends_on() == fields


def test_samples_of_a_model_here_can_be_repeated(folder: Path) -> None:
    name = f"judge(model={folder},engine=local,tokens=1,logprobs=false,n=4,temperature=2"
    values = [
        scorer(f"{name},trial={trial})").pairs(candidates=["a dog"], references=[["a cat"]])[0]
        for trial in (0, 0, 1)
    ]
    assert values[0] == values[1]
    assert 0 <= values[2] <= 1


def test_what_is_no_model_is_refused(folder: Path, tmp_path: Path) -> None:
    def fails(model: Path | str) -> str:
        with pytest.raises(DataError) as caught:
            scorer(f"judge(model={model},engine=local)").pairs(candidates=["a"], references=[["a"]])
        assert caught.value.hint
        return caught.value.message

    assert "There is no folder" in fails("no-such-model")
    assert "There is no file" in fails("none.gguf")
    (tmp_path / "broken.gguf").write_bytes(b"GGUF" + b"\0" * 50)
    if all(importlib.util.find_spec(package) for package in checkpoints.GGUF):
        assert "cannot be read" in fails(tmp_path / "broken.gguf")
    import shutil

    mute = tmp_path / "mute"
    shutil.copytree(folder, mute)
    (mute / "chat_template.jinja").unlink(missing_ok=True)
    settings = json.loads((mute / "tokenizer_config.json").read_text())
    settings.pop("chat_template", None)
    (mute / "tokenizer_config.json").write_text(json.dumps(settings))
    assert "has no chat template" in fails(mute)
    (mute / "model.safetensors").rename(mute / "pytorch_model.bin")
    assert "as a pickle" in fails(mute)
