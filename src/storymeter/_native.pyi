"""The kernels as type checkers see them: one block per kernel, arrays as numpy sees them."""

from typing import Any

def __getattr__(name: str) -> Any: ...

# json: facts about a JSON text that a decoder does not tell
def json_facts(data: bytes) -> tuple[int, bool]: ...

# story: redundancy of stories; fills out (stories, 2) with the means over sentences and over n-grams
def story_redundancy(words: Any, sentences: Any, stories: Any, n: int, pairs: bool, threads: int, out: Any) -> None: ...
