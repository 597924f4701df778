"""A real GRPOTrainer of TRL takes a step with a tiny model and our rewards, which were pickled before."""

from __future__ import annotations

import importlib.util
import pickle
from pathlib import Path

import pytest

if importlib.util.find_spec("trl") is None:
    pytest.skip("TRL is not installed: make harnesses", allow_module_level=True)

import torch
from datasets import Dataset
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast
from trl import GRPOConfig, GRPOTrainer

from storymeter.rewards import CiderDReward, SodaReward

#: the model's vocabulary is whole lines, so that a random model gives answers that can be read
LINES = [
    "0:00 - 0:05: a dog runs in the park\n",
    "0:05 - 0:09: it jumps over a fence\n",
    "0:02 - 0:08: a man sits\n",
    "I hope this helps!\n",
    "<pad>",
    "<eos>",
    "Describe",
]
TRUTH = [
    {"start": 0, "end": 5, "caption": "a dog runs in the park"},
    {"start": 5, "end": 9, "caption": "it jumps over a fence"},
]


@pytest.mark.parametrize("chat", [False, True])
def test_a_step(chat: bool, tmp_path: Path) -> None:
    words = Tokenizer(models.WordLevel({w: i for i, w in enumerate(LINES)}, unk_token="Describe"))
    words.pre_tokenizer = pre_tokenizers.Split("\n", behavior="merged_with_previous")
    words.decoder = decoders.Fuse()
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=words, pad_token="<pad>", eos_token="<eos>")
    if chat:
        tokenizer.chat_template = "{% for m in messages %}{{ m['content'] }}{% endfor %}"
    torch.manual_seed(1)
    size = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2}
    config = LlamaConfig(vocab_size=len(LINES), **size, pad_token_id=4, eos_token_id=5, bos_token_id=6)
    model = LlamaForCausalLM(config)
    prompt = [{"role": "user", "content": "Describe"}] if chat else "Describe"
    rows = {"prompt": [prompt] * 8, "references": [TRUTH] * 8, "video_id": ["v_1", "v_2"] * 4}
    training = {"v_1": ["a dog runs in the park", "it jumps over a fence"], "v_2": ["a man sits"]}
    rewards = pickle.loads(pickle.dumps([SodaReward(unreadable=-0.25), CiderDReward(training)]))
    options = GRPOConfig(
        output_dir=str(tmp_path),
        per_device_train_batch_size=4,
        num_generations=4,
        max_completion_length=4,
        max_steps=2,
        use_cpu=True,
        bf16=False,
        report_to=[],
        logging_steps=1,
        save_strategy="no",
    )
    trainer = GRPOTrainer(
        model=model,
        reward_funcs=rewards,
        args=options,
        train_dataset=Dataset.from_dict(rows),
        processing_class=tokenizer,
    )
    before = {name: value.detach().clone() for name, value in model.named_parameters()}
    trainer.train()
    assert any(not torch.equal(value, before[name]) for name, value in model.named_parameters())
    logged = [entry for entry in trainer.state.log_history if "rewards/SodaReward/mean" in entry]
    assert len(logged) == 2 and any(entry["rewards/SodaReward/mean"] > 0 for entry in logged)
    assert any(entry["rewards/CiderDReward/mean"] > 0 for entry in logged)
    assert any(0 < entry["unreadable/SodaReward"] < 1 for entry in logged)
