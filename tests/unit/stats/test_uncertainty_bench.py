"""bench/uncertainty.py runs: every kind of claim is measured in two studies of generated rows."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

BENCH = Path(__file__).resolve().parents[3] / "bench"


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[ModuleType]:
    if not BENCH.is_dir():
        pytest.skip("bench/ is not there")
    monkeypatch.syspath_prepend(str(BENCH))
    monkeypatch.setenv("STORYMETER_DATA", str(tmp_path))
    yield importlib.import_module("uncertainty")
    for name in [name for name in sys.modules if name.split("_")[0] == "uncertainty"]:
        del sys.modules[name]


def test_one_claim_of_each_kind(bench: ModuleType) -> None:
    kinds = {}
    for claim in bench.CLAIMS:
        measure = getattr(claim.measure, "func", claim.measure)  # of a partial
        kinds.setdefault(measure.__code__, claim)
    assert len(kinds) > 20
    for claim in kinds.values():
        hits, trials = claim.measure(np.random.default_rng(0), 2)
        assert 0 <= hits <= trials and trials > 0, claim.name


def test_the_document_has_every_claim_and_no_other(bench: ModuleType) -> None:
    page = (BENCH.parent / "docs" / "uncertainty.md").read_text(encoding="utf-8")
    table = page[page.index("| claim | nominal") :].splitlines()[2:]
    assert [row.split(" | ")[0].removeprefix("| ") for row in table] == [c.name for c in bench.CLAIMS]
    assert f"({len(bench.CLAIMS)} claims," in page


def test_claims_have_their_own_names_and_a_bar_can_be_missed(
    bench: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert len({claim.name for claim in bench.CLAIMS}) == len(bench.CLAIMS)
    monkeypatch.setattr(
        sys, "argv", ["uncertainty.py", "--only", "gate's false alarms, a few", "--studies", "0.005"]
    )
    assert bench.main() == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 13 and all(line.endswith("stated") for line in lines[1:])
    kit = sys.modules["uncertainty_kit"]
    claim = kit.Claim("always wrong", 0.05, 0.035, 0.065, 100, lambda random, studies: (studies, studies))
    assert kit.measured(claim, 0, 1.0).verdict == "MISSED"
    assert kit.measured(claim, 0, 1.0).share == 1.0
