from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import human_kit
import pytest


@pytest.fixture(scope="session")
def clips(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return human_kit.tiny_clips(tmp_path_factory.mktemp("clips"), [f"qclip{k:02d}" for k in range(20)])


@pytest.fixture(scope="session")
def new_postgres() -> Iterator[Callable[[str], str]]:
    with human_kit.postgres() as database:
        yield database


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.needs("postgresql"))])
def database(request: pytest.FixtureRequest) -> str | None:
    """The address of an empty database of each kind; None is SQLite in the campaign's folder."""
    if request.param == "sqlite":
        return None
    make: Callable[[str], str] = request.getfixturevalue("new_postgres")
    return make(f"db_{abs(hash(request.node.name)) % 10**9}")
