from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import human_kit
import pytest
from starlette.testclient import TestClient

from storymeter.human.campaign import Folder
from storymeter.human.serve.app import create_app


@pytest.fixture(scope="session")
def clips(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return human_kit.tiny_clips(tmp_path_factory.mktemp("clips"), [f"qclip{k:02d}" for k in range(50)])


@pytest.fixture
def study(tmp_path: Path, clips: Path) -> Folder:
    """A small Direct Assessment campaign: HITs of 20, two raters, the clock of watching switched off."""
    return human_kit.small_campaign(tmp_path / "study", clips, hits=2, watch=0.0)


@pytest.fixture
def client(study: Folder) -> Iterator[TestClient]:
    with TestClient(create_app(study), follow_redirects=False) as client:
        yield client


@pytest.fixture
def links(study: Folder) -> list[str]:
    return study.links()
