"""docs/formats.md says what the registry says, and names every problem that the readers can report."""

from __future__ import annotations

import re
from pathlib import Path

from storymeter.formats import registry

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")


def test_every_format_is_listed_as_the_registry_has_it() -> None:
    rows = [
        f"| `{name}` | {title} | `{shape}` | {carries} |" for name, title, shape, carries in registry.rows()
    ]
    shown = [line for line in PAGE.splitlines() if line.startswith("| `")]
    assert shown[: len(rows)] == rows
    assert f"reads and writes {len(rows)} formats" in PAGE


def test_every_code_is_explained() -> None:
    sources = [*(ROOT / "src/storymeter/formats").glob("*.py"), ROOT / "src/storymeter/cli/files.py"]
    codes = {
        code
        for path in sources
        for code in re.findall(
            r'(?:error|warn|_stop|_note)\((?:\s*[\w.]+,)*\s*"([a-z0-9-]+)",', path.read_text(encoding="utf-8")
        )
    }
    assert len(codes) > 30
    assert {code for code in codes if f"`{code}`" not in PAGE} == set()
