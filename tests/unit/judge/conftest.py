from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import judge_kit
import pytest


@pytest.fixture(autouse=True)
def own_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test finds the answers of another, or a key of whoever runs it."""
    monkeypatch.setenv("STORYMETER_CACHE", str(tmp_path / "cache"))
    for name in ("STORYMETER_JUDGE_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def server() -> Iterator[judge_kit.Server]:
    with judge_kit.serving(judge_kit.by_overlap) as running:
        yield running
