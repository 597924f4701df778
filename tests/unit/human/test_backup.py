"""Backups that hold what was acknowledged, and can be brought back."""

from __future__ import annotations

import shutil
from pathlib import Path

import human_kit
import pytest
from click.testing import CliRunner
from human_kit import Folder, Store, create_app, ratings
from page_kit import LocalClient

from storymeter.cli import cli
from storymeter.errors import DataError, UsageError
from storymeter.human import backup, restore
from storymeter.human.campaign.backup import check


def work(client: LocalClient, link: str, count: int) -> None:
    client.post(link + "/begin")
    item = client.get(link + "/item").json()["next"]
    for _ in range(count):
        body = {"id": item["id"], "at": item["at"], "answer": {"value": 40}, "events": ["play", "ended"]}
        item = client.post(link + "/answer", json=body).json()["next"]


def test_a_backup_under_way_holds_every_answer_and_the_work_goes_on(
    tmp_path: Path, study: Folder, client: LocalClient, links: list[str]
) -> None:
    work(client, links[0], 7)
    # copying the file by hand, as was once advised, loses what is in the log
    shutil.copy(study.path / "campaign.db", tmp_path / "by-hand.db")
    manifest = backup(study.path, tmp_path / "safe")
    assert manifest.rows["rating"] == 7 and len(manifest.clips) > 0
    work(client, links[1], 2)
    for name in ("answers.db", "key.jsonl", "secrets.json", "links.csv", "manifest.json"):
        assert (tmp_path / "safe" / name).stat().st_mode & 0o077 == 0, name
    assert not list((tmp_path / "safe").glob("*-wal")), "one file, nothing beside it"
    _, changed = restore(tmp_path / "safe", tmp_path / "again")
    assert changed == []
    again = Folder(tmp_path / "again")
    store = Store(again.database)
    assert len(ratings(again, store)) == 7
    with LocalClient(create_app(again, store=store), follow_redirects=False) as other:
        assert other.get(links[0] + "/item").json()["next"]["n"] == 8, "the same link goes on where it was"


def test_a_damaged_backup_is_refused_and_nothing_is_overwritten(tmp_path: Path, study: Folder) -> None:
    safe = tmp_path / "safe"
    backup(study.path, safe)
    with pytest.raises(UsageError, match="not empty"):
        backup(study.path, safe)
    with pytest.raises(UsageError, match="already holds"):
        restore(safe, study.path)
    with (safe / "key.jsonl").open("a") as file:
        file.write("x")
    with pytest.raises(DataError, match=r"damaged: key\.jsonl"):
        check(safe)
    (safe / "manifest.json").unlink()
    with pytest.raises(UsageError, match="not a backup"):
        restore(safe, tmp_path / "again")
    assert not (tmp_path / "again").exists()


def test_moved_clips_are_said(tmp_path: Path, clips: Path) -> None:
    own = tmp_path / "clips"
    shutil.copytree(clips, own)
    study = human_kit.small_campaign(tmp_path / "study", own)
    manifest = backup(study.path, tmp_path / "safe")
    (own / next(iter(manifest.clips))).write_bytes(b"other")
    done = CliRunner().invoke(cli, ["human", "restore", str(tmp_path / "safe"), str(tmp_path / "again")])
    assert done.exit_code == 0 and "1 clips have changed or are missing" in done.output, done.output
    served = CliRunner().invoke(cli, ["human", "serve", str(tmp_path / "again"), "--port", "0"])
    assert "cannot be shown" in str(served.exception), "said before a rater finds out"
