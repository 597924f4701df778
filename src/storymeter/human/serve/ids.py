"""What a browser may know of a place: a random-looking id, made from the signing key. No system, no kind, no
pair, no file name; the two showings of one clip have different addresses."""

from __future__ import annotations

import base64
import hashlib
import hmac

from ..campaign import Secrets


class Ids:
    """Public ids of places and media: they can be checked, but neither guessed nor linked.

    72 bits of BLAKE2b with a key of their own: several are made for every answer, and OpenSSL's HMAC takes
    ten times as long."""

    def __init__(self, secrets: Secrets) -> None:
        self._key = secrets.sign("ids")

    def slot(self, assignment: int, position: int) -> str:
        return self._id(f"slot {assignment} {position}")

    def media(self, assignment: int, position: int, number: int) -> str:
        return self._id(f"media {assignment} {position} {number}")

    def is_slot(self, text: str, assignment: int, position: int) -> bool:
        return hmac.compare_digest(text.encode(), self.slot(assignment, position).encode())

    def _id(self, what: str) -> str:
        mark = hashlib.blake2b(what.encode(), key=self._key, digest_size=9).digest()
        return base64.urlsafe_b64encode(mark).decode()
