"""The kernels as type checkers see them: one block per kernel, arrays as numpy sees them."""

from typing import Any

def __getattr__(name: str) -> Any: ...
