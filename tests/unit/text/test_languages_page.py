"""docs/languages.md lists the tokenizers as the registry has them."""

from __future__ import annotations

from pathlib import Path

from storymeter.text import TOKENIZERS

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "languages.md").read_text(encoding="utf-8")


def test_every_tokenizer_is_listed() -> None:
    rows = [f"| `{name}` | {kind.summary} | {kind.languages} |" for name, kind in TOKENIZERS.items()]
    assert [line for line in PAGE.splitlines() if line.startswith("| `")][: len(rows)] == rows
