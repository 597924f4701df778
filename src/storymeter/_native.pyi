"""The kernels as type checkers see them: one block per kernel, arrays as numpy sees them."""

from typing import Any

def __getattr__(name: str) -> Any: ...

# json: facts about a JSON text that a decoder does not tell
def json_facts(data: bytes) -> tuple[int, bool]: ...
