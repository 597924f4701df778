"""A folder that `storymeter train KIND` wrote: KIND.json says what was trained, KIND.safetensors holds it."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

import msgspec

from ..errors import DataError

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
