"""The library against a second implementation in plain Python, on random odd data (`tests/second_kit.py`).

`bench/second_implementation.py` does the same for 20,000 values, in shards and by the command line too."""

from __future__ import annotations

import importlib.util
import random
import warnings
from pathlib import Path
from types import ModuleType

import pytest
import second_kit

from storymeter.protocol import PRESETS, get

BENCH = Path(__file__).parents[2] / "bench" / "second_implementation.py"


def _script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("second_implementation", BENCH)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


SCRIPT = _script()


@pytest.fixture(autouse=True)
def _quiet() -> None:
    warnings.simplefilter("ignore")


def compare(protocol: str, way: str, seed: str, folder: Path, cases: int) -> int:
    rng = random.Random(seed)
    compared = 0
    for k in range(cases):
        case, names = SCRIPT.drawn(rng, way, protocol)
        (folder / str(k)).mkdir()
        found = SCRIPT.SCORED[way](case, names, folder / str(k))
        number, _, wrong = second_kit.differences(case, found)
        assert not wrong
        compared += number
    return compared


@pytest.mark.parametrize("protocol", [*PRESETS, *SCRIPT.DEVIATIONS])
def test_python(protocol: str, tmp_path: Path) -> None:
    assert compare(protocol, "python", f"{protocol} 1", tmp_path, 2) > 8


@pytest.mark.parametrize("protocol", ["pdvc", "vid2seq", "timechat"])
@pytest.mark.parametrize("way", ["saved", "shards", "command"])
def test_other_ways(protocol: str, way: str, tmp_path: Path) -> None:
    if way == "shards":
        pytest.importorskip("ray", reason="the part 'ray' is not installed")
        pytest.importorskip("pyarrow", reason="the part 'parquet' is not installed")
    assert compare(protocol, way, f"{protocol} {way}", tmp_path, 1) > 4


def test_a_difference_is_found() -> None:
    """Values of one protocol are not those of another: the comparison can fail."""
    rng = random.Random(5)
    wrong = 0
    for _ in range(5):
        case = second_kit.draw(rng, get("soda-v1"))
        found = SCRIPT.by_python(case, ["soda_c(scorer=meteor)", "soda_d"], Path())
        other = second_kit.Case(case.candidates, case.annotators, get("paper"))
        wrong += len(second_kit.differences(other, found)[2])
    assert wrong
