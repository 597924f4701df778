"""What a browser may know of a place: a random-looking id, made from the signing key. No system, no kind, no
pair, no file name; the two showings of one clip have different addresses."""

from __future__ import annotations

import hmac

from ..campaign import Secrets


class Ids:
    """Public ids of places and media: they can be checked, but neither guessed nor linked."""

    def __init__(self, secrets: Secrets) -> None:
        self._secrets = secrets

    def slot(self, assignment: int, position: int) -> str:
        return self._secrets.token("slot", str(assignment), str(position), length=12)

    def media(self, assignment: int, position: int, number: int) -> str:
        return self._secrets.token("media", str(assignment), str(position), str(number), length=12)

    def is_slot(self, text: str, assignment: int, position: int) -> bool:
        return hmac.compare_digest(text.encode(), self.slot(assignment, position).encode())
