"""`storymeter train coherence`: sentence-order prediction on human stories (RoViST, section 3.2 and
appendix).

Positives are neighbouring sentences, negatives the same pairs swapped; both orders stand in the same batch,
and a batch holds sequences of equal length. Where the lowest layers are frozen, their output is worked out
once and kept on disk (half precision, memory-mapped), so that an epoch only runs the layers that learn."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from ...arrays import IntArray
from ...errors import UsageError
from ...models.checkpoints import checkpoint_folder, need_torch
from ...models.encoder import DEFAULT_NAME, default_folder
from ...progress import Progress, silent
from ..order_net import CONFIG, ENCODER, WEIGHTS, OrderConfig, OrderModel
from .data import Pair, Split, Story, split_pairs
from .heldout import calibration_error
from .loop import TrainingOptions, fit, write_bytes, write_safetensors


class Recipe(msgspec.Struct, frozen=True, kw_only=True):
    """What is trained and how. The defaults are the paper's; `EMBEDDED` is what the packaged model was made
    with.
    """

    freeze: int = 0
    pooling: str = "cls"
    dropout: float = 0.4
    max_tokens: int = 128
    dev_share: float = 0.15
    reach: int = 1
    options: TrainingOptions = TrainingOptions()


PAPER = Recipe()
EMBEDDED = Recipe(
    freeze=3,
    pooling="cls+a+b",
    dropout=0.2,
    dev_share=0.08,
    reach=2,
    options=TrainingOptions(
        lr=2e-4, schedule="tail", weight_decay=1e-5, epochs=1, warmup=100, patience=5, clip=1.0, interval=200
    ),
)


class OrderObjective:
    """Pairs in both orders, grouped by length. Sequence 2k is pair k as told, 2k + 1 the same swapped."""

    def __init__(
        self,
        model: OrderModel,
        train: Sequence[Pair],
        dev: Sequence[Pair],
        recipe: Recipe,
        cache: Path,
        progress: Progress,
    ) -> None:
        self.model, self.net, self.recipe = model, model.net, recipe
        both = [(p.first, p.second) for p in train] + [(p.first, p.second) for p in dev]
        swapped = [direction for a, b in both for direction in ((a, b), (b, a))]
        self.encoded: list[tuple[list[int], int]] = []
        for begin in range(0, len(swapped), 4096):
            progress("finding tokens", begin, len(swapped))
            self.encoded += model.encode(swapped[begin : begin + 4096])
        progress("finding tokens", len(swapped), len(swapped))
        self.lengths = np.array([len(ids) for ids, _ in self.encoded], dtype=np.int64)
        self.train, self.dev, self.progress = len(train), len(dev), progress
        self.features = (
            Features(model, self.encoded, self.lengths, self._rows(), cache, progress)
            if model.bottom is not None
            else None
        )

    def _rows(self) -> IntArray:
        """The sequences that a run of so many steps looks at: those of its batches, and those kept back."""
        kept_back = np.arange(2 * self.train, 2 * (self.train + self.dev))
        steps, size = self.recipe.options.steps, self.recipe.options.batch_size
        if not steps or steps * size >= self.train:
            return np.arange(len(self.encoded))
        pairs = np.unique(np.concatenate(self.batches(0)[:steps]))
        return np.concatenate([2 * pairs, 2 * pairs + 1, kept_back])

    def batches(self, epoch: int) -> list[IntArray]:
        """Pairs of one epoch, shuffled, gathered by length, and the batches shuffled again."""
        random = np.random.default_rng([self.recipe.options.seed, epoch])
        order = random.permutation(self.train)
        order = order[np.argsort(self.lengths[2 * order], kind="stable")]
        size = self.recipe.options.batch_size
        batches = [order[begin : begin + size] for begin in range(0, len(order), size)]
        return [batches[k] for k in random.permutation(len(batches))]

    def gather(self, pairs: IntArray) -> Any:
        """Both orders of these pairs: first all as told, then all swapped."""
        rows = np.concatenate([2 * pairs, 2 * pairs + 1])
        batch = self.model.batch([self.encoded[row] for row in rows])
        return (
            batch
            if self.features is None
            else batch._replace(inputs=self.features.gather(rows, self.model.device))
        )

    def loss(self, batch: IntArray) -> Any:
        torch = need_torch("Training")
        logits = self.net(self.gather(batch))
        wanted = torch.zeros_like(logits)
        wanted[: len(batch)] = 1
        return torch.nn.functional.binary_cross_entropy_with_logits(logits, wanted)

    def dev_logits(self) -> NDArray[np.float64]:
        """(pairs, 2): the logit of each dev pair as told and swapped."""
        torch = need_torch("Training")
        order = np.argsort(self.lengths[2 * self.train :: 2], kind="stable")
        out = np.empty((self.dev, 2))
        with torch.inference_mode():
            for begin in range(0, self.dev, 64):
                chosen = order[begin : begin + 64]
                out[chosen] = (
                    self.net(self.gather(self.train + chosen)).double().cpu().numpy().reshape(2, -1).T
                )
                self.progress("judging pairs kept back", begin + len(chosen), self.dev)
        return out

    def evaluate(self) -> Mapping[str, float]:
        z = self.dev_logits()
        return {"loss": nll(z, 1.0), "forced choice": float(np.mean(z[:, 0] > z[:, 1]))}


class Features:
    """What the frozen layers say of every sequence, once: a half-precision file, filled block by block. A
    killed run goes on after the last finished block."""

    def __init__(
        self,
        model: OrderModel,
        encoded: Sequence[tuple[list[int], int]],
        lengths: IntArray,
        rows: IntArray,
        path: Path,
        progress: Progress,
    ) -> None:
        torch = need_torch("Training")
        # sorted by length, so that blocks hold no padding to speak of
        order = rows[np.argsort(lengths[rows], kind="stable")]
        self.starts = np.full(len(lengths), -1, np.int64)
        self.starts[order] = np.cumsum(lengths[order]) - lengths[order]
        self.lengths = lengths
        shape = (int(lengths[rows].sum()), model.width)
        ids = [encoded[row][0] for row in rows]
        key = hashlib.sha256(
            f"{model.config.encoder_hash} {model.config.frozen} {shape} {ids}".encode()
        ).hexdigest()
        done_file = path.with_suffix(".done")
        done = (
            int(done_file.read_text(encoding="utf-8").split()[1])
            if path.exists() and done_file.exists() and done_file.read_text(encoding="utf-8").startswith(key)
            else 0
        )
        self.values = np.memmap(path, np.float16, "r+" if done else "w+", shape=shape)
        progress("running the frozen layers", done, len(order))
        for begin in range(done, len(order), 1024):
            block = order[begin : begin + 1024]
            with torch.inference_mode():
                for part in range(0, len(block), 64):
                    some = block[part : part + 64]
                    hidden = (
                        model.lower(model.batch([encoded[row] for row in some])).inputs.half().cpu().numpy()
                    )
                    for row, vectors in zip(some, hidden, strict=True):
                        self.values[self.starts[row] : self.starts[row] + lengths[row]] = vectors[
                            : lengths[row]
                        ]
                    progress("running the frozen layers", begin + part + len(some), len(order))
            self.values.flush()
            write_bytes(done_file, f"{key} {begin + len(block)}".encode())

    def gather(self, rows: IntArray, device: Any) -> Any:
        torch = need_torch("Training")
        longest = int(self.lengths[rows].max())
        out = np.zeros((len(rows), longest, self.values.shape[1]), np.float32)
        for place, row in enumerate(rows):
            out[place, : self.lengths[row]] = self.values[
                self.starts[row] : self.starts[row] + self.lengths[row]
            ]
        return torch.from_numpy(out).to(device)


def nll(logits: NDArray[np.float64], temperature: float) -> float:
    """Mean binary cross-entropy of (pairs, 2) logits: the first column should be large, the second small."""
    signed = np.column_stack([logits[:, 0], -logits[:, 1]]) / temperature
    return float(np.logaddexp(0.0, -signed).mean())


def fit_temperature(logits: NDArray[np.float64]) -> float:
    """The temperature with the least cross-entropy (Guo et al., 2017)."""
    from scipy.optimize import minimize_scalar

    return float(
        np.exp(
            minimize_scalar(
                lambda log_t: nll(logits, float(np.exp(log_t))), bounds=(-0.7, 2.5), method="bounded"
            ).x
        )
    )


def chosen_temperature(logits: NDArray[np.float64]) -> float:
    """The fitted temperature if it helps where it was not fitted, else 1. Blocks of the pairs take turns:
    fitted on one half, cross-entropy and calibration error must both fall on the other half, taken together
    over both halves."""
    side = np.arange(len(logits)) // 50 % 2 == 0
    plain, fitted = np.zeros(2), np.zeros(2)
    for fit_on, look_at in ((logits[side], logits[~side]), (logits[~side], logits[side])):
        if not len(fit_on) or not len(look_at):
            return 1.0
        temperature = fit_temperature(fit_on)
        plain += nll(look_at, 1.0), calibration_error(look_at, 1.0)
        fitted += nll(look_at, temperature), calibration_error(look_at, temperature)
    return round(fit_temperature(logits), 4) if (fitted < plain).all() else 1.0


def train_coherence(
    stories: Sequence[Story],
    held_out: Sequence[Story],
    out: Path,
    *,
    encoder: str = "",
    recipe: Recipe | None = None,
    name: str = "",
    device: str = "cpu",
    progress: Progress = silent,
    say: Callable[[str], None] | None = None,
) -> OrderModel:
    """Train, calibrate and write `out/coherence.json` and `out/coherence.safetensors` (and the encoder, where
    it was trained).

    stories: the stories to train on.
    held_out: those that are evaluated and calibrated on.
    out: the folder of the model.
    encoder: a checkpoint folder; default: the packaged encoder.
    recipe: rates, batches, epochs and frozen layers.
    name: the name of the model in signatures.
    device: where the model is trained: cpu, cuda …
    progress: called with what is being done, how much is done, and of how much.
    say: called with lines about the training; None: nothing is said.
    """
    recipe = recipe or (PAPER if encoder else EMBEDDED)
    progress("loading the model", 0, 1)
    folder = checkpoint_folder(encoder) if encoder else default_folder()
    parts: Split = split_pairs(
        stories, held_out, dev_share=recipe.dev_share, seed=recipe.options.seed, reach=recipe.reach
    )
    if not parts.train or not parts.dev:
        raise UsageError(
            f"{len(parts.train):,} pairs for training and {len(parts.dev):,} for early stopping are too few.",
            hint="Give more stories, or another --dev-share.",
        )
    inside = bool(encoder) or not recipe.freeze
    config = OrderConfig(
        name=name or ("coherence" if encoder else "coherence-minilm"),
        encoder="inside" if inside else DEFAULT_NAME,
        frozen=recipe.freeze,
        pooling=recipe.pooling,  # type: ignore[arg-type]
        dropout=recipe.dropout,
        max_tokens=recipe.max_tokens,
    )
    kept_back = _for_trial(parts.dev, recipe.options)
    if say is not None:
        judged = f" ({len(kept_back):,} of them judged, as --steps is given)" * (kept_back is not parts.dev)
        say(
            f"{len(parts.train):,} pairs to train on, {len(parts.dev):,} kept back{judged};"
            f" {parts.dropped:,} stories dropped, because they begin like a held-out one"
        )
    out.mkdir(parents=True, exist_ok=True)
    need_torch("Training").manual_seed(recipe.options.seed)
    model = OrderModel(config, folder, device=device)
    progress("loading the model", 1, 1)
    objective = OrderObjective(model, parts.train, kept_back, recipe, out / "features.f16", progress)
    digest = parts.sha256()
    history = fit(
        objective,
        recipe.options,
        out,
        key=f"{digest} {model.config.encoder_hash} {msgspec.json.encode(recipe).decode()}",
        progress=progress,
        say=say,
    )
    dev = objective.dev_logits()
    trained = {
        "pairs": len(parts.train),
        "dev_pairs": len(kept_back),
        "dropped_stories": parts.dropped,
        "sources": sorted({s.source for s in stories}),
        "recipe": msgspec.to_builtins(recipe),
        "epochs": len(history),
        "data_sha256": digest,
        "dev": history[min(range(len(history)), key=lambda k: history[k].dev["loss"])].dev,
    }
    model.config = msgspec.structs.replace(model.config, temperature=chosen_temperature(dev), trained=trained)
    write_model(model, folder, out)
    return model


def _for_trial(kept_back: Sequence[Pair], options: TrainingOptions) -> Sequence[Pair]:
    """A trial of few steps judges about as many pairs as it trains on, at least 200, evenly spread: the rest
    would take most of its time.
    """
    most = max(200, options.steps * options.batch_size) if options.steps else len(kept_back)
    return kept_back if len(kept_back) <= most else kept_back[:: -(-len(kept_back) // most)]


def write_model(model: OrderModel, encoder: Path, out: Path) -> None:
    """Half precision, as the package ships it. The encoder's configuration and tokeniser go along where it is
    needed.
    """
    torch = need_torch("Training")
    config = model.config
    write_safetensors(
        out / WEIGHTS, {name: p.detach().to(torch.float16) for name, p in model.net.named_parameters()}
    )
    if config.encoder == "inside":
        import shutil

        (out / ENCODER).mkdir(exist_ok=True)
        for file in encoder.iterdir():
            if (
                file.is_file()
                and file.suffix in (".json", ".txt", ".model", ".safetensors")
                and file.parent != out / ENCODER
            ):
                shutil.copyfile(file, out / ENCODER / file.name)
    write_bytes(out / CONFIG, msgspec.json.format(msgspec.json.encode(config), indent=2) + b"\n")
