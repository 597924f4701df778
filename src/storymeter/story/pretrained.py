"""Models of others behind the two interfaces: local checkpoints that do the work already.

- coherence: a classifier of sentence pairs (`…ForSequenceClassification`, `…ForNextSentencePrediction`,
  ALBERT's own pre-training head, which is sentence order). p is the chance of the class that means *B follows
  A*: the first of a pre-training head; of a classifier the class with such a name (`next`, `follows`,
  `coherent`, …), else its last one. Or a causal language model (`ContextGain`).
- grounding: a model of pictures and texts in one space (CLIP, SigLIP, …: `models.clip`). A noun is asked for
  as *a photo of a …*.

A bare encoder does neither; it is what `storymeter train` starts from. Safetensors only, offline, no code
from the checkpoint."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError
from ..models.checkpoints import (
    SAFELY,
    checkpoint_folder,
    most_tokens,
    need_gguf,
    need_torch,
    opening,
    read_settings,
    torch_device,
    weight_files,
    weights_hash,
)
from ..models.clip import load_clip
from ..models.packages import placed
from ..progress import Progress, silent
from ..text.sentences import fill
from .order_net import AS_TRAINED, Reading, zero_repeats
from .regions import Box, JointSpace

_HEADS = re.compile(r"\w+For(SequenceClassification|NextSentencePrediction)|AlbertForPreTraining")
_FOLLOWS = re.compile(r"is_?next|next|follow|coherent|in_?order|ordered|entail", re.IGNORECASE)
_AGAINST = re.compile(r"not|in_?coherent|un_?ordered|random", re.IGNORECASE)


def is_huggingface(folder: Path, own: str) -> bool:
    """A checkpoint of Hugging Face, and none that our training wrote (which has the file `own`)."""
    return not (folder / own).is_file() and (folder / "config.json").is_file()


class HuggingFacePairs:
    """A `PairClassifier`."""

    def __init__(self, folder: Path, device: str = "cpu") -> None:
        folder = checkpoint_folder(folder)
        head = str(next(iter(read_settings(folder / "config.json").get("architectures") or []), ""))
        if not _HEADS.fullmatch(head):
            raise DataError(
                f"{folder} holds {head or 'an encoder'}, which does not judge pairs of sentences.",
                hint=f"Train it to: storymeter train coherence --encoder {folder} --data … --out runs/c",
            )
        self.device = torch_device(device)
        with opening(folder, "This model") as transformers:
            self.model = getattr(transformers, head).from_pretrained(
                str(folder), use_safetensors=True, **SAFELY
            )
            self.tokenizer = transformers.AutoTokenizer.from_pretrained(str(folder), **SAFELY)
        self.model.to(self.device).eval()
        self.most = most_tokens(self.tokenizer, self.model)
        self.label = f"{folder.name}#{weights_hash(*weight_files(folder))[:8]}"
        names = {int(place): str(name) for place, name in (self.model.config.id2label or {}).items()}
        named = [
            place for place, name in names.items() if _FOLLOWS.search(name) and not _AGAINST.search(name)
        ]
        last = max(names, default=0)
        self.follows = next(iter(named), last) if head.endswith("SequenceClassification") else 0

    def probabilities(
        self,
        pairs: Sequence[tuple[str, str]],
        *,
        reading: Reading = AS_TRAINED,
        progress: Progress = silent,
    ) -> NDArray[np.float64]:
        """Final marks are kept, and there is no temperature, whatever `reading` says."""
        torch = need_torch("This model")
        read = [(" ".join(fill(a).split()), " ".join(fill(b).split())) for a, b in pairs]
        order = sorted(dict.fromkeys(read), key=lambda pair: len(pair[0]) + len(pair[1]))
        found: dict[tuple[str, str], float] = {}
        most = 1 if self.device.type == "cpu" else 64  # in a batch, last bits depend on the other pairs
        for begin in range(0, len(order), most):
            part = order[begin : begin + most]
            batch = self.tokenizer(
                [a for a, _ in part],
                [b for _, b in part],
                truncation=True,
                max_length=self.most,
                padding=True,
                return_tensors="pt",
            ).to(self.device)
            with torch.inference_mode():
                output = self.model(**batch)
            logits = output.sop_logits if hasattr(output, "sop_logits") else output.logits
            chance = logits.sigmoid()[:, 0] if logits.shape[1] == 1 else logits.softmax(-1)[:, self.follows]
            found.update(zip(part, chance.double().cpu().tolist(), strict=True))
            progress("judging neighbouring sentences", begin + len(part), len(order))
        return zero_repeats(np.array([found[pair] for pair in read], dtype=np.float64), pairs, reading)


class HuggingFaceSpace(JointSpace):
    def __init__(self, folder: Path, device: str = "cpu") -> None:
        self.clip = load_clip(str(folder), device)
        self.label, self.width = self.clip.label, self.clip.width

    def regions(self, crops: Sequence[Any], boxes: Sequence[Box]) -> NDArray[np.float32]:
        return self.clip.pictures(crops)

    def phrases(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self.clip.texts([f"a photo of a {text}" for text in texts])


#: the causal language model: its name for `storymeter models add`, and its file
NAME, FILE = "lm", "model.gguf"
#: tokens of a sentence that are read, and sentences at once
LONGEST, BATCH = 128, 16
#: stands before every text, so that a sentence without context is no surprise by being the first
OPENING = "Here is a short story."


class ContextGain:
    """`rovist_c(model=lm)`: how much does a sentence tell a causal language model about the next one?

        p(A, B)    = max(0, 1 - ppl(B | A) / ppl(B))
        ppl(B | A) = exp(- mean over the tokens b of B of log p(b | A, what stands before b))

    the share of the perplexity of B that reading A takes away; 0 where A does not help, and 0 where B repeats
    A, as in the paper. No training: the model is SmolLM2-135M-Instruct (Apache-2.0), fetched once by
    `storymeter models add lm`, or any `.gguf` file of a causal language model (`rovist_c(model=FILE.gguf)`).

    It measures topics and phrases that go together, not time: A and B the other way round help nearly as
    much."""

    def __init__(self, path: Path, device: str = "cpu") -> None:
        what = "rovist_c(model=lm)"
        need_gguf(what)
        if not path.is_file():
            raise DataError(
                f"There is no language model in {path}.", hint="Fetch it once: storymeter models add lm"
            )
        with opening(path, what) as library:
            extra: dict[str, Any] = {"gguf_file": path.name, **SAFELY}
            self._tokenizer = library.AutoTokenizer.from_pretrained(path.parent, **extra)
            network = library.AutoModelForCausalLM.from_pretrained(path.parent, **extra)
        self._device = torch_device(device, what)
        self._network = network.to(self._device).eval()
        self.label = f"context-gain:{path.parent.name}#{weights_hash(path)[:8]}"

    def probabilities(
        self,
        pairs: Sequence[tuple[str, str]],
        *,
        reading: Reading = AS_TRAINED,
        progress: Progress = silent,
    ) -> NDArray[np.float64]:
        """Final marks are kept, and there is no temperature, whatever `reading` says."""
        clean = [(a.strip(), b.strip()) for a, b in pairs]
        asked = dict.fromkeys(pair for pair in (*clean, *(("", b) for _, b in clean)) if pair[1])
        known: dict[tuple[str, str], float] = {}
        order = sorted(asked, key=lambda pair: len(pair[0]) + len(pair[1]))
        most = 1 if self._device.type == "cpu" else BATCH  # in a batch, last bits depend on the other pairs
        for begin in range(0, len(order), most):
            progress("reading pairs of sentences", begin, len(order))
            block = order[begin : begin + most]
            known |= dict(zip(block, self._surprise(block), strict=True))
        zero = reading.repeats_zero
        gains = [
            0.0 if (zero and a == b) or not b else 1 - np.exp(known[a, b] - known["", b]) for a, b in clean
        ]
        return np.asarray(np.clip(np.array(gains, dtype=float), 0.0, 1.0))

    def _surprise(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """Minus the mean log-probability of the tokens of B after A, per pair."""
        import torch

        first, last = self._tokenizer.bos_token_id, self._tokenizer.eos_token_id
        begin = last if first is None else first
        heads = [[begin, *self._tokens(f"{OPENING} {a}".strip())] for a, _ in pairs]
        tails = [self._tokens(f" {b}") for _, b in pairs]
        longest = max(len(head) + len(tail) for head, tail in zip(heads, tails, strict=True))
        ids = torch.full((len(pairs), longest), begin)
        mask = torch.zeros_like(ids)
        for row, (head, tail) in enumerate(zip(heads, tails, strict=True)):
            ids[row, : len(head) + len(tail)] = torch.tensor([*head, *tail])
            mask[row, : len(head) + len(tail)] = 1
        with torch.inference_mode():
            logits = self._network(
                input_ids=ids.to(self._device), attention_mask=mask.to(self._device)
            ).logits
        out = []
        for row, (head, tail) in enumerate(zip(heads, tails, strict=True)):
            places = slice(len(head) - 1, len(head) + len(tail) - 1)
            chance = logits[row, places].float().log_softmax(-1).cpu()
            picked = chance.gather(1, torch.tensor(tail)[:, None])
            out.append(float(-picked.mean()) if tail else 0.0)
        return out

    def _tokens(self, text: str) -> list[int]:
        found: list[int] = self._tokenizer(text, add_special_tokens=False)["input_ids"]
        return found[:LONGEST]


def language_model(path: str, device: str) -> ContextGain:
    """`lm`, or a file of the user's own."""
    return ContextGain(placed(NAME) / FILE if path == NAME else Path(path).expanduser(), device)
