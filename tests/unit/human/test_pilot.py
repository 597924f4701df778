"""A pilot: a few raters work first, the others wait, and the findings say whether to go on."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import human_kit
import msgspec
import pytest
from click.testing import CliRunner
from human_kit import HERE, CampaignRequest, Folder, Layout, create_app, prepare, write
from page_kit import LocalClient

from storymeter.cli import cli
from storymeter.errors import UsageError
from storymeter.human import pilot
from storymeter.human.rehearsal import Bot, Character, Truth

#: eight control pairs: enough for an honest rater to pass
PAIRS = Layout(blocks=8, system=1, degraded=1, repeat=0, human=1)


def small(folder: Path, clips: Path, **wish: Any) -> Folder:
    return human_kit.campaign(folder, clips, items=30, layout=PAIRS, watch=0.0, **wish)


def work(folder: Folder, links: Sequence[str], character: Character = "honest", bot_of: Any = None) -> int:
    """How many of these raters got work; each does all of it."""
    seated = 0
    with LocalClient(create_app(Folder(folder.path)), follow_redirects=False) as client:
        for number, link in enumerate(links):
            # links are random, and raters of a test are not
            bot = (bot_of or Bot)(character, Truth(folder.campaign, folder.key), f"{number}")
            seated += client.post(link + "/begin").status_code == 303
            reply = client.get(link + "/item").json()
            while "go" not in reply and "go" not in (item := reply["next"]):
                mark = {"id": item["id"], "at": item["at"], "events": ["play", "ended"]}
                reply = client.post(link + "/answer", json={**mark, "answer": bot.answer(item)}).json()
    return seated


def made(task: str, folder: Path, clips: Path) -> Folder:
    if task == "survey":
        ids = ["story-01", "story-02", "story-03", "story-04"]
        request = CampaignRequest(
            task="survey",
            systems=human_kit.stories(ids),
            clips=HERE / "pictures",
            per_hit=4,
            hits=6,
            watch=0.0,
            seed=1,
        )
        return write(prepare(request), folder)
    more: dict[str, Any] = {"per_hit": 6, "sentences": 2} if task == "preference" else {}
    return small(folder, clips, task=task, hits=6, **more)


@pytest.mark.parametrize("task", ["da", "spans", "preference", "survey"])
def test_as_many_raters_as_the_pilot_has_places(task: str, tmp_path: Path, clips: Path) -> None:
    folder = made(task, tmp_path / "study", clips)
    waiting = pilot(folder.path, 3)
    assert (waiting.places, waiting.done, waiting.go) == (3, 0, None)
    assert work(folder, folder.links()[:5]) == 3
    found = pilot(folder.path)
    assert (found.places, found.done, found.begun) == (3, 3, 3)
    assert found.tested == 3 and found.minutes_per_hit is not None
    assert found.smallest_difference is not None and found.smallest_difference > 0
    assert found.cost == round(folder.campaign.pay().total, 2)
    assert pilot(folder.path, difference=found.smallest_difference / 2).go is False
    after = pilot(folder.path, go=True)
    assert after.places is None
    assert work(folder, folder.links()[3:]) == 3, "everybody gets work, and what the pilot answered stays"
    assert len({one.rater for one in human_kit.answers(folder)}) == 6


def test_who_passes_is_whom_the_analysis_uses(tmp_path: Path, clips: Path) -> None:
    """Somebody who sees the damage and turns the other scores upside down passes the controls, and the
    analysis leaves the answers out: the pilot counts as the analysis does."""
    wide = msgspec.structs.replace(PAIRS, system=4)  # enough captions to tell by who agrees with the others
    folder = human_kit.campaign(
        tmp_path / "study", clips, layout=wide, watch=0.0, hits=1, raters=6, raters_per_hit=6
    )
    damaged = {line.text for line in folder.key.values() if line.kind == "degraded"}

    class Contrary(Bot):
        def answer(self, item: Any) -> Any:
            if item["caption"] in damaged:
                return {"value": 2}
            return {"value": min(100, max(25, 110 - super().answer(item)["value"]))}

    pilot(folder.path, 6)
    work(folder, folder.links()[:5])
    work(folder, folder.links()[5:], bot_of=Contrary)
    records = human_kit.answers(folder)
    assert folder.study.verdicts(records)["r006"].accepted
    used = {name for name, said in folder.study.included(records).items() if said.accepted}
    found = pilot(folder.path)
    assert "r006" not in used and (found.passed, found.tested) == (len(used), 6)


def test_others_read_that_the_study_is_paused(tmp_path: Path, clips: Path) -> None:
    folder = small(tmp_path / "study", clips, hits=3)
    pilot(folder.path, 1)
    with LocalClient(create_app(folder), follow_redirects=False) as client:
        first, second, _ = folder.links()
        assert client.post(first + "/begin").status_code == 303
        assert "paused" in client.post(second + "/begin").text
        client.post("/admin/login", data={"token": folder.secrets.admin_token})
        assert "Pilot: 1 rater gets work" in client.get("/admin").text
        pilot(folder.path, go=True)  # while the server runs
        assert client.post(second + "/begin").status_code == 303
        assert "Pilot:" not in client.get("/admin").text


def test_who_leaves_makes_room(tmp_path: Path, clips: Path) -> None:
    folder = small(tmp_path / "study", clips, hits=3)
    pilot(folder.path, 1)
    with LocalClient(create_app(folder), follow_redirects=False) as client:
        first, second, _ = folder.links()
        client.post(first + "/begin")
        assert "paused" in client.post(second + "/begin").text
        changed(folder, "UPDATE assignment SET leased_until = 1")  # long ago
        assert client.post(second + "/begin").status_code == 303


def changed(folder: Folder, statement: str) -> None:
    """The database, changed beside the store."""
    with sqlite3.connect(folder.path / "campaign.db") as connection:
        connection.execute(statement)
    connection.close()


def test_bad_news_is_no_go_with_what_to_do(tmp_path: Path, clips: Path) -> None:
    folder = small(tmp_path / "study", clips, hits=4, price=0.01)
    pilot(folder.path, 4)
    work(folder, folder.links(), "constant")
    found = pilot(folder.path)
    assert found.go is False and (found.passed, found.tested) == (0, 4)
    [passing] = [one for one in found.findings if one.what == "raters who pass"]
    assert passing.good is False and passing.found == "0 of 4: 0% (95 % interval 0% to 60%)"
    few = {one.what: one for one in pilot(folder.path, difference=5).findings}["smallest difference"]
    assert (few.found, few.good) == ("none with so few raters", False), "nobody passes"
    assert few.expected.startswith("5 ") and "extend" in few.advice
    changed(folder, "UPDATE rating SET received_at = received_at + 200 * position")  # an hour each
    slow = {one.what: one for one in pilot(folder.path).findings}
    assert slow["pay per hour"].good is False and "Pay" in slow["time per HIT"].advice


def test_the_command(tmp_path: Path, clips: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = small(tmp_path / "study", clips, hits=3)
    monkeypatch.chdir(tmp_path)
    words = ["human", "pilot", str(folder.path)]
    begun = CliRunner().invoke(cli, [*words, "--raters", "2"])
    assert begun.exit_code == 0 and "NOT YET" in begun.stdout
    work(folder, folder.links()[:2])
    done = CliRunner().invoke(cli, [*words, "--html"])
    assert done.exit_code == 0 and ": GO" in done.stdout, done.output
    page = (tmp_path / "pilot.html").read_text(encoding="utf-8")
    assert "raters who pass" in page and "https://" not in page
    data = json.loads(CliRunner().invoke(cli, [*words, "--format", "json"]).stdout)
    assert data["go"] is True and data["passed"] == data["tested"] == 2
    assert CliRunner().invoke(cli, ["human", "status", str(folder.path)]).stderr.count("Pilot: 2 raters") == 1
    over = CliRunner().invoke(cli, [*words, "--go"])
    assert over.exit_code == 0 and "everybody gets work" in " ".join(over.stdout.split())
    with pytest.raises(UsageError, match="begin and end"):
        pilot(folder.path, 3, go=True)
    assert msgspec.to_builtins(pilot(folder.path))["places"] is None
