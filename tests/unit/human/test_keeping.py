"""Beside the work of raters: check, preview, erase; practice that teaches no answer."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import httpx
import human_kit
import msgspec
import pytest
from click.testing import CliRunner, Result
from human_kit import HERE, CampaignRequest, Folder, Layout, Store, prepare

from storymeter.captions import Corpus
from storymeter.cli import cli
from storymeter.errors import UsageError
from storymeter.human import analyse, check, erase, preview

SYSTEMS = [HERE / f"{name}.json" for name in ("careful", "vague", "confused")]


def run(*words: object) -> Result:
    return CliRunner().invoke(cli, ["human", *map(str, words)])


@pytest.fixture
def answered(tmp_path: Path) -> Path:
    folder = tmp_path / "study"
    assert run("demo", "--dir", folder, "--no-open").exit_code == 0
    done = run("simulate", folder, "--raters", 4, "--mix", "honest=1", "--seed", 4)
    assert done.exit_code == 0, done.output
    return folder


def test_consent_on_a_platform_names_the_pay(tmp_path: Path) -> None:
    human = ("--human", HERE / "human.json", "--clips", HERE / "clips", "--system-per-block", 2)
    more = ("--platform", "mturk", "--price", 2, "--hits", 2)
    made = run("new", tmp_path / "study", "--systems", *SYSTEMS, *human, *more)
    assert made.exit_code == 0, made.output
    assert "no --contact" in made.stderr
    with preview(tmp_path / "study") as address:
        assert "You are paid 2.00 USD for it." in httpx.get(address, follow_redirects=True).text
    local = run("new", tmp_path / "lab", "--systems", *SYSTEMS, *human, "--hits", 2, "--price", 3)
    assert local.exit_code == 0 and "no --contact" not in local.stderr
    assert "You are paid 3.00 USD for it." in (tmp_path / "lab" / "consent.en.md").read_text()


def test_one_rater_is_erased(answered: Path) -> None:
    home = Folder(answered)
    before, links = human_kit.answers(home), home.links()
    with contextlib.closing(Store(home.database)) as store:
        free = store.counts()
    gone = sum(one.rater == "r002" for one in before)
    assert gone and erase(answered, "r002") >= gone
    after = human_kit.answers(home)
    assert after == [one for one in before if one.rater != "r002"], "nobody else loses anything"
    assert len(home.links()) == len(links) - 1
    traces = [path for path in answered.iterdir() if path.is_file() and b"r002" in path.read_bytes()]
    assert not traces, traces
    with contextlib.closing(Store(home.database)) as store:
        counts = store.counts()
        assert (counts["erased"], counts["paid"], counts["done"]) == (1, free["done"], free["done"] - 1)
        assert {row["id"] for row in store.raters()} == {"r001", "r003", "r004"}
    said: list[str] = []
    analyse(answered, note=said.append, splits=0)
    assert any("1 rater of this campaign asked to be erased" in line for line in said), said
    with pytest.raises(UsageError, match="no rater"):
        erase(answered, "r002")
    again = run("simulate", answered, "--raters", 5, "--seed", 5, "--mix", "honest=1", "--format", "json")
    assert again.exit_code == 0, again.output  # the seat is free: the fifth link fills it
    assert json.loads(run("status", answered, "--format", "json").stdout)["erased"] == 1


def test_a_preview_stores_nothing(answered: Path) -> None:
    before = {path.name: path.read_bytes() for path in answered.iterdir() if path.suffix != ".db-shm"}
    with preview(answered) as address:
        page = httpx.get(address, follow_redirects=True)
        assert page.status_code == 200 and "Before you begin" in page.text
        campaign = Folder(answered).campaign
        minutes = max(1, round(campaign.seconds_per_hit / 60))
        assert f"It takes about {minutes} minutes." in page.text, "consent says how long it takes"
        assert "You are paid" not in page.text, "the pay of personal links is the organiser's to promise"
        assert "decline" in page.text
        assert httpx.post(address + "/begin", headers={"origin": address.split("/r/")[0]}).status_code == 303
        assert httpx.get(address + "/item").json()["next"]["n"] == 1
    after = {path.name: path.read_bytes() for path in answered.iterdir() if path.suffix != ".db-shm"}
    assert {name: after[name] for name in before if ".db" not in name} == {
        name: before[name] for name in before if ".db" not in name
    }
    assert len(human_kit.answers(Folder(answered))) > 0


def test_a_preview_that_is_terminated_leaves_nothing(tmp_path: Path) -> None:
    assert run("demo", "--dir", tmp_path / "study", "--no-open").exit_code == 0
    (tmp_path / "copies").mkdir()
    command = [sys.executable, "-m", "storymeter", "human", "preview", str(tmp_path / "study"), "--no-open"]
    places = os.environ | {"TMPDIR": str(tmp_path / "copies")}
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=places) as process:
        assert process.stderr is not None
        address = process.stderr.readline().split()[-1]
        assert list((tmp_path / "copies").iterdir()) and httpx.get(address).status_code < 400
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=60) == 0
    assert not list((tmp_path / "copies").iterdir())
    with pytest.raises(httpx.ConnectError):
        httpx.get(address)


@pytest.mark.parametrize("task", ["da", "spans", "preference"])
def test_check_says_what_new_would(task: str, tmp_path: Path) -> None:
    more = {"blocks": 4} if task == "spans" else {"counts": {"system": 2}} if task == "da" else {"per_hit": 4}
    files = [path for path in SYSTEMS if task != "preference" or path.stem != "vague"]
    found = check(files, human=HERE / "human.json", clips=HERE / "clips", task=task, **more)
    assert found.home is None and dict(found.plan)["task"] == task and not found.problems
    assert not list(tmp_path.iterdir())


def test_check_on_the_command_line_and_bad_items_that_are_skipped(tmp_path: Path) -> None:
    clips = tmp_path / "clips"
    clips.mkdir()
    for path in (HERE / "clips").iterdir():
        if path.stem != "clip-03":
            (clips / path.name).symlink_to(path)
    words = ("check", "--systems", *SYSTEMS, "--human", HERE / "human.json", "--clips", clips)
    small = ("--system-per-block", 2, "--blocks", 6)
    bad = run(*words, *small)
    assert bad.exit_code == 1 and "clip-03: no clip" in bad.stderr and "cost" in bad.stdout
    new = ("new", tmp_path / "study", *words[1:], *small, "--skip-bad", "--dry-run")
    assert run(*new).exit_code == 0 and not (tmp_path / "study").exists()
    skipped = run(*words, *small, "--skip-bad")
    assert skipped.exit_code == 0 and "1 problem (what has them is left out)." in skipped.stderr


def test_practice_is_not_rated_later(clips: Path) -> None:
    systems, human = human_kit.corpora(sorted(path.stem for path in clips.glob("*.webm"))[:50])

    def made(people: Corpus, hits: int) -> tuple[set[str], set[str], list[str]]:
        options = CampaignRequest(
            systems=systems, human=people, clips=clips, hits=hits, seed=0, practice=2, layout=human_kit.SMALL
        )
        prepared = prepare(options)
        taught = {item.caption for item in prepared.campaign.practice}
        return taught, {line.text for line in prepared.key}, prepared.warnings

    for people, hits in ((human, 1), (human, 4), (Corpus(human.documents[:20], human.name), 1)):
        taught, rated, said = made(people, hits)
        assert len(taught) == 2 and not taught & rated and not any("--practice 0" in line for line in said)
    options = CampaignRequest(
        systems=systems, human=Corpus(human.documents[:5], human.name), clips=clips, practice=2, hits=1
    )
    layout = Layout(blocks=2, system=3, degraded=1, repeat=1, human=1)
    few = prepare(msgspec.structs.replace(options, layout=layout))
    assert any("--practice 0" in line for line in few.warnings)
