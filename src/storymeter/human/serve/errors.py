"""What a handler may raise instead of an answer."""

from __future__ import annotations


class PageError(Exception):
    """An answer that is an error page: `name` picks its words from the catalogue."""

    def __init__(self, status: int, name: str) -> None:
        super().__init__(name)
        self.status, self.name = status, name


class RefusedError(Exception):
    """A request that no page of ours sends."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status, self.message = status, message


class CutOffError(Exception):
    """The other side hung up in the middle of its request: there is nobody to answer."""
