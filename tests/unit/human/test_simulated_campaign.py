"""A campaign of 30 raters, a third of them bots of five kinds, through the real server, analysed;
`bench/human_campaign.py` does 20 seeds.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from storymeter.cli import cli

pytest.importorskip("starlette")
MIX = "honest=20,lazy=2,random=2,constant=2,rushing=2,extremes=2"


def human(*arguments: str) -> str:
    result = CliRunner().invoke(cli, ["human", *arguments])
    assert result.exit_code == 0, (result.output, result.exception)
    return result.stdout


@pytest.mark.slow
def test_bots_are_rejected_and_the_order_of_systems_recovered(tmp_path: Path) -> None:
    folder, ratings, page = tmp_path / "campaign", tmp_path / "ratings.jsonl", tmp_path / "page.html"
    human("demo", "--dir", str(folder), "--no-open", "--seed", "3")
    human("simulate", str(folder), "--raters", "30", "--mix", MIX, "--seed", "3")
    human("export", str(folder), "--format", "jsonl", "--real-ids", "--out", str(ratings))
    from storymeter.human.rehearsal import mix

    names = [line.partition(",")[0] for line in (folder / "links.csv").read_text().splitlines()[1:]]
    truth = dict(zip(names, mix(MIX, 30), strict=False))
    answer = msgspec.json.decode(human("analyse", str(ratings), "--format", "json"))
    verdicts = Counter((truth[worker["id"]] == "honest", worker["accepted"]) for worker in answer["workers"])
    assert verdicts[True, True] == 20 and verdicts[False, False] == 10
    assert all(worker["reason"] for worker in answer["workers"])
    assert len(answer["workers"]) == 30
    order = [system["name"] for system in answer["systems"]]
    assert [name for name in order if name in ("careful", "vague", "confused")] == [
        "careful",
        "vague",
        "confused",
    ]
    assert order[0] not in ("careful", "vague", "confused")
    again = msgspec.json.decode(
        human("analyse", str(folder), "--format", "json", "--html", str(page))
    )  # the campaign itself, without an export
    assert [(s["name"], s["z"]) for s in again["systems"]] == [(s["name"], s["z"]) for s in answer["systems"]]
    assert page.exists()
    for style in (
        "csv",
        "wmt",
        "appraise",
        # the other exports say the same; for files of other tools the control pairs decide alone unless told
        # otherwise
    ):
        human("export", str(folder), "--format", style, "--out", str(tmp_path / style))
        other = msgspec.json.decode(
            human(
                "analyse", str(tmp_path / style), "--gates", "attention", "--splits", "0", "--format", "json"
            )
        )
        assert sum(worker["accepted"] for worker in other["workers"]) == sum(
            worker["accepted"] for worker in answer["workers"]
        )
        plain = human("analyse", str(tmp_path / style), "--splits", "0", "--format", "json")
        assert msgspec.json.decode(plain)["gates"] == ("attention" if style == "csv" else "control")
        assert [s["name"] for s in other["systems"]] == order
