from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import human_kit
import pytest
from human_kit import Folder, create_app
from page_kit import LocalClient


@pytest.fixture(scope="session")
def clips(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return human_kit.tiny_clips(tmp_path_factory.mktemp("clips"), [f"qclip{k:02d}" for k in range(50)])


@pytest.fixture(scope="session")
def untouched(tmp_path_factory: pytest.TempPathFactory, clips: Path) -> Path:
    """What `study` is a copy of: to make it takes twenty times as long."""
    return human_kit.small_campaign(
        tmp_path_factory.mktemp("untouched") / "study", clips, hits=2, watch=0.0
    ).path


@pytest.fixture
def study(tmp_path: Path, untouched: Path) -> Folder:
    """A small Direct Assessment campaign: HITs of 20, two raters, the clock of watching switched off."""
    return Folder(shutil.copytree(untouched, tmp_path / "study"))


@pytest.fixture
def client(study: Folder) -> Iterator[LocalClient]:
    with LocalClient(create_app(study), follow_redirects=False) as client:
        yield client


@pytest.fixture
def links(study: Folder) -> list[str]:
    return study.links()
