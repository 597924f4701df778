"""A judge in this process: a chat model from a folder (safetensors), or from a `.gguf` file where the
packages `gguf` and `accelerate` are installed. Nothing is downloaded, and no code of a checkpoint is run."""

from __future__ import annotations

import contextlib
import functools
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..context import Budget
from ..errors import DataError, UsageError
from ..models.checkpoints import (
    SAFELY,
    checkpoint_folder,
    need_gguf,
    opening,
    reading_files,
    torch_device,
    weight_files,
    weights_hash,
)
from .endpoint import Reply
from .prompt import Token


def label_of(model: str) -> str:
    """The name of the file or folder, and the first digits of the hash of what is in it."""
    path = Path(model).expanduser()
    if path.suffix == ".gguf":
        if not path.is_file():
            raise DataError(
                f"There is no file {model!r}.", hint="Give a .gguf file, or a checkpoint's folder."
            )
        return f"{path.stem}-{weights_hash(path)}"
    folder = checkpoint_folder(path)
    return f"{folder.name}-{weights_hash(*weight_files(folder), *reading_files(folder))}"


@functools.lru_cache(maxsize=1)
def _loaded(model: str, device: str) -> tuple[Any, Any]:
    """Tokenizer and model, once in a process."""
    what = "A judge in this process"
    path = Path(model).expanduser()
    folder, extra = (path.parent, {"gguf_file": path.name}) if path.suffix == ".gguf" else (path, {})
    if extra:
        need_gguf(f"{what} from a .gguf file")
    # a bar of the reader of .gguf files that nothing else turns off
    with contextlib.redirect_stderr(io.StringIO()), opening(path, what) as library:
        tokenizer = library.AutoTokenizer.from_pretrained(folder, **extra, **SAFELY)
        weights: dict[str, Any] = {**extra} or {"use_safetensors": True}
        network = library.AutoModelForCausalLM.from_pretrained(folder, **weights, **SAFELY)
    if not getattr(tokenizer, "chat_template", None):
        raise DataError(f"The model in {path} has no chat template.", hint="Give an instruction-tuned model.")
    return tokenizer, network.to(torch_device(device, what)).eval()


class Local:
    """One request after the other."""

    parallel = 1

    def __init__(self, model: str, label: str, device: str, budget: Budget) -> None:
        self.model, self.label, self.device, self.budget = model, label, device, budget
        self.ending = False

    async def __aenter__(self) -> Local:
        self.tokenizer, self.network = _loaded(self.model, self.device)
        return self

    async def __aexit__(self, *error: Any) -> None:
        pass

    async def ask(self, messages: Sequence[dict[str, Any]], parameters: dict[str, Any]) -> Reply:
        if any(not isinstance(turn["content"], str) for turn in messages):
            raise UsageError(
                "engine=local does not support images.", hint="Use an endpoint for a judge that reads images."
            )
        self.budget.spend()
        import torch

        inputs = self.tokenizer.apply_chat_template(
            list(messages), add_generation_prompt=True, return_tensors="pt", return_dict=True
        ).to(self.network.device)
        sampling: dict[str, Any] = {"do_sample": False, "temperature": None, "top_p": None, "top_k": None}
        if parameters["temperature"] > 0:
            torch.manual_seed(parameters["seed"])
            sampling = {"do_sample": True, "temperature": parameters["temperature"], "top_k": 0}
        with torch.inference_mode():
            out = self.network.generate(
                **inputs,
                **sampling,
                max_new_tokens=parameters["max_tokens"],
                pad_token_id=self.tokenizer.eos_token_id,
                output_logits=True,
                return_dict_in_generate=True,
            )
        written = out.sequences[0, inputs["input_ids"].shape[1] :]
        tokens: tuple[Token, ...] = ()
        if top := parameters.get("top_logprobs"):
            tokens = tuple(
                self._token(int(token), logits[0], top)
                for token, logits in zip(written, out.logits, strict=True)
                if int(token) not in self.tokenizer.all_special_ids
            )
        text = self.tokenizer.decode(written, skip_special_tokens=True)
        return Reply(text, tokens, self.label, inputs["input_ids"].shape[1], len(written))

    def _token(self, token: int, logits: Any, top: int) -> Token:
        logp, places = logits.float().log_softmax(-1).topk(min(top, len(logits)))
        likeliest = [
            (self.tokenizer.decode([place]), value)
            for place, value in zip(places.tolist(), logp.tolist(), strict=True)
        ]
        return Token(self.tokenizer.decode([token]), likeliest)
