"""What a judge that sees is shown: the images of a document, or frames of its video at even distances.

Pictures are scaled down to at most `SIDE` pixels a side and sent as JPEG inside the request (`data:`
addresses), so that no server has to fetch anything."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from .prompt import IMAGES

SIDE = 512


@dataclass(frozen=True)
class Picture:
    """JPEG bytes."""

    data: bytes

    @cached_property
    def digest(self) -> bytes:
        return hashlib.sha256(self.data).digest()

    def part(self) -> dict[str, Any]:
        url = f"data:image/jpeg;base64,{base64.b64encode(self.data).decode()}"
        return {"type": "image_url", "image_url": {"url": url}}


def message(text: str, pictures: Sequence[Picture] = ()) -> dict[str, Any]:
    """A user's message; pictures come where the prompt has `{images}`."""
    if not pictures:
        return {"role": "user", "content": text}
    before, _, after = text.partition(IMAGES)
    parts = [{"type": "text", "text": before}, *(p.part() for p in pictures), {"type": "text", "text": after}]
    return {"role": "user", "content": parts}
