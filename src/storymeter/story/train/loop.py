"""A training loop that can be killed at any moment and goes on as if nothing had happened.

Everything random is a function of the seed and the step (the order of the batches of the seed and the epoch;
dropout of the seed and the step), so there is no generator whose state could be lost. The whole state
(weights, optimiser, counters, history) is one safetensors file, written beside the old one and then put in
its place, so that a kill leaves either the old state or the new one. The best weights so far lie in a file of
their own."""

import math
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import msgspec

from ...arrays import IntArray
from ...errors import DataError, UsageError
from ...files import atomic
from ...models.checkpoints import need_torch, read_safetensors
from ...progress import Progress, silent

STATE, BEST, CURVE, HISTORY = "state.safetensors", "best.safetensors", "learning_curve.png", "history.json"
#: seconds from one drawing of the learning curve to the next: it takes longer than a short epoch
REDRAW = 10


class TrainingOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Adam's settings and when to stop. `schedule`: `epoch` multiplies the rate by `lr_decay` after each
    epoch (the paper); `tail` lets it rise over `warmup` steps, keeps it, and lets it fall to zero over the
    last fifth of all steps. `steps` ends the run after so many steps, in the middle of an epoch if need be
    (0: never)."""

    lr: float = 1e-5
    lr_decay: float = 0.95
    schedule: str = "epoch"
    weight_decay: float = 1e-5
    batch_size: int = 32
    epochs: int = 30
    steps: int = 0
    warmup: int = 0
    patience: int = 5
    clip: float = 0.0
    interval: int = 200
    seed: int = 0


class Objective(Protocol):
    """What is trained: a module, its batches, its loss, and how well it does on the part that was kept
    back.
    """

    net: Any

    def batches(self, epoch: int) -> Sequence[IntArray]:
        """The batches of an epoch, the same whenever asked."""

    def loss(self, batch: IntArray) -> Any:
        """A scalar tensor with a gradient."""

    def evaluate(self) -> Mapping[str, float]:
        """`loss` (lower is better) and whatever else belongs into the learning curve."""


class Epoch(msgspec.Struct, frozen=True):
    epoch: int
    train_loss: float
    dev: dict[str, float]
    lr: float


class Counters(msgspec.Struct):
    """Where the run stands; `key` names the objective and options it belongs to."""

    key: str
    epoch: int = 0
    batch: int = 0
    step: int = 0
    running: float = 0.0
    best: float | None = None
    best_epoch: int = -1
    history: list[Epoch] = []
    finished: bool = False


def fit(
    objective: Objective,
    options: TrainingOptions,
    folder: Path,
    *,
    key: str = "",
    progress: Progress = silent,
    say: Callable[[str], None] | None = None,
) -> list[Epoch]:
    """Train until `epochs` or until `patience` epochs brought no lower dev loss; the net ends with the best
    weights.

    A folder that holds the state of the same run (`key` and options) is gone on with; that of another is
    refused."""
    torch = need_torch("Training")
    folder.mkdir(parents=True, exist_ok=True)
    key = f"{key} {msgspec.json.encode(options).decode()}"
    trained = {name: p for name, p in objective.net.named_parameters() if p.requires_grad}
    optimiser = torch.optim.Adam(trained.values(), lr=options.lr, weight_decay=options.weight_decay)
    counters = _resume(folder / STATE, key, objective.net, trained, optimiser, torch)
    per_epoch = len(objective.batches(0))
    if per_epoch == 0:
        raise DataError(
            "There is nothing to train on: no batch could be made.",
            hint="Give more data, or a smaller --batch-size.",
        )
    total = min(per_epoch * options.epochs, options.steps or per_epoch * options.epochs)
    drawn = time.monotonic()
    while not counters.finished:
        batches = objective.batches(counters.epoch)
        while counters.batch < len(batches) and counters.step < total:
            rate = _rate(options, counters.epoch, counters.step, total)
            for group in optimiser.param_groups:
                group["lr"] = rate
            torch.manual_seed((options.seed * 1_000_003 + counters.step) % (1 << 62))
            objective.net.train()
            optimiser.zero_grad(set_to_none=True)
            loss = objective.loss(batches[counters.batch])
            loss.backward()
            if options.clip:
                torch.nn.utils.clip_grad_norm_(list(trained.values()), options.clip)
            optimiser.step()
            counters.running += float(loss.detach())
            counters.batch += 1
            counters.step += 1
            if not math.isfinite(counters.running):
                raise UsageError(
                    f"The loss became NaN or infinite after {counters.step:,} steps.",
                    hint="Try a smaller --lr.",
                )
            progress(f"training\tepoch {counters.epoch + 1}", counters.step, total)
            if counters.step % options.interval == 0 and counters.batch < len(batches):
                _save(folder / STATE, counters, objective.net, trained, optimiser)
        _end_epoch(objective, options, folder, counters, total, trained, say)
        if counters.finished or time.monotonic() - drawn > REDRAW:
            draw_curve(counters.history, folder / CURVE)
            drawn = time.monotonic()
        _save(folder / STATE, counters, objective.net, trained, optimiser)
    load_weights(objective.net, read_safetensors(folder / BEST), folder / BEST)
    objective.net.eval()
    return counters.history


def _rate(options: TrainingOptions, epoch: int, step: int, total: int) -> float:
    if options.schedule == "epoch":
        return options.lr * options.lr_decay**epoch
    warm = min(1.0, (step + 1) / max(1, options.warmup))
    return options.lr * warm * min(1.0, max(0.0, (total - step) / max(1, total / 5)))


def _end_epoch(
    objective: Objective,
    options: TrainingOptions,
    folder: Path,
    counters: Counters,
    total: int,
    trained: Mapping[str, Any],
    say: Callable[[str], None] | None,
) -> None:
    objective.net.eval()
    dev = {name: float(value) for name, value in objective.evaluate().items()}
    mean = counters.running / max(counters.batch, 1)
    counters.history.append(
        Epoch(counters.epoch, mean, dev, _rate(options, counters.epoch, counters.step - 1, total))
    )
    if counters.best is None or dev["loss"] < counters.best:
        counters.best, counters.best_epoch = dev["loss"], counters.epoch
        write_safetensors(
            folder / BEST, {name: p.detach() for name, p in trained.items()} | _buffers(objective.net)
        )
    if say is not None:
        say(
            f"epoch {counters.epoch + 1}: train loss {mean:.4f}, "
            + ", ".join(f"dev {k} {v:.4f}" for k, v in dev.items())
        )
    counters.epoch, counters.batch, counters.running = counters.epoch + 1, 0, 0.0
    counters.finished = (
        counters.epoch >= options.epochs
        or counters.step >= total
        or counters.epoch - 1 - counters.best_epoch >= options.patience
    )
    write_bytes(folder / HISTORY, msgspec.json.format(msgspec.json.encode(counters.history)))


def _buffers(net: Any) -> dict[str, Any]:
    """What is learnt without a gradient (running means of batch normalisation)."""
    return {
        f"buffer:{name}": buffer
        for name, buffer in net.named_buffers()
        if buffer.is_floating_point() and "running_" in name
    }


def _save(path: Path, counters: Counters, net: Any, trained: Mapping[str, Any], optimiser: Any) -> None:
    tensors = {f"net:{name}": p.detach() for name, p in trained.items()} | {
        f"net:{k}": v for k, v in _buffers(net).items()
    }
    for name, p in trained.items():
        for part, value in optimiser.state.get(p, {}).items():
            tensors[f"adam:{part}:{name}"] = value
    write_safetensors(path, tensors, {"counters": msgspec.json.encode(counters).decode()})


def _resume(
    path: Path, key: str, net: Any, trained: Mapping[str, Any], optimiser: Any, torch: Any
) -> Counters:
    if not path.exists():
        return Counters(key)
    tensors = read_safetensors(path)
    from safetensors import safe_open

    with safe_open(path, "pt") as file:
        counters = msgspec.json.decode((file.metadata() or {}).get("counters", "{}"), type=Counters)
    if counters.key != key:
        raise UsageError(
            f"{path.parent} holds a run with other data or settings.",
            hint="Give another --out folder, the same settings, or remove the folder.",
        )
    load_weights(net, {k.removeprefix("net:"): v for k, v in tensors.items() if k.startswith("net:")}, path)
    for name, p in trained.items():
        state = {
            k.split(":")[1]: v
            for k, v in tensors.items()
            if k.startswith("adam:") and k.split(":", 2)[2] == name
        }
        if state:
            optimiser.state[p] = {
                part: value.to("cpu" if part == "step" else p.device, torch.float32)
                for part, value in state.items()
            }
    return counters


def load_weights(net: Any, tensors: Mapping[str, Any], path: Path) -> None:
    """Copy tensors into the net's parameters and buffers of the same names; another shape is an error that
    names it.
    """
    torch = need_torch("Training")
    places = {**dict(net.named_parameters()), **{f"buffer:{n}": b for n, b in net.named_buffers()}}
    wrong = [
        name for name, value in tensors.items() if name not in places or places[name].shape != value.shape
    ]
    if wrong:
        raise DataError(
            f"{path} does not fit the model: {', '.join(wrong[:3])}.",
            hint="It was trained with a different encoder or different settings.",
        )
    with torch.no_grad():
        for name, value in tensors.items():
            places[name].copy_(value.to(places[name].dtype))


def write_safetensors(path: Path, tensors: Mapping[str, Any], metadata: dict[str, str] | None = None) -> None:
    """All or nothing: a kill while writing leaves the old file."""
    from safetensors.torch import save

    write_bytes(
        path,
        save({name: value.detach().cpu().contiguous() for name, value in tensors.items()}, metadata or {}),
    )


def write_bytes(path: Path, content: bytes) -> None:
    with atomic(path) as file:
        file.write(content)


def draw_curve(history: Sequence[Epoch], path: Path) -> None:
    """The learning curve: losses on the left, the other dev figures on the right."""
    import io

    from matplotlib.figure import Figure

    epochs = [e.epoch + 1 for e in history]
    others = [name for name in history[0].dev if name != "loss"]
    figure = Figure(figsize=(9 if others else 5, 3.4), layout="constrained")
    axes = figure.subplots(1, 2 if others else 1, squeeze=False)[0]
    axes[0].plot(epochs, [e.train_loss for e in history], marker="o", label="training")
    axes[0].plot(epochs, [e.dev["loss"] for e in history], marker="s", label="held out")
    axes[0].set(xlabel="epoch", ylabel="loss")
    axes[0].legend(frameon=False)
    for name in others:
        axes[1].plot(epochs, [e.dev[name] for e in history], marker="s", label=name)
    if others:
        axes[1].set(xlabel="epoch", ylabel="held out")
        axes[1].legend(frameon=False)
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=110, metadata={"Software": ""})
    write_bytes(path, buffer.getvalue())
