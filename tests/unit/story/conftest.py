"""Torch on one thread (tests of tiny models only lose time to more); photographs that other packages
carry.
"""

from __future__ import annotations

import importlib.util
import runpy
from pathlib import Path

import pytest


@pytest.fixture(autouse=True, scope="session")
def one_thread() -> None:
    if importlib.util.find_spec("torch") is not None:
        import torch

        torch.set_num_threads(1)


@pytest.fixture(scope="session")
def photos(tmp_path_factory: pytest.TempPathFactory) -> Path:
    for name in ("torch", "transformers", "HanTa", "PIL", "matplotlib", "skimage", "sklearn"):
        pytest.importorskip(name)
    bench = runpy.run_path(str(Path(__file__).resolve().parents[3] / "bench" / "grounding.py"))
    folder: Path = bench["photographs"](tmp_path_factory.mktemp("photos"))
    assert len(list(folder.iterdir())) >= 8
    return folder
