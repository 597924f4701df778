"""Clips that have gone, and parts that are not installed: said before a rater meets them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import human_kit
import msgspec
import pytest
from click.testing import CliRunner
from human_kit import Folder, Store, create_app, overview
from page_kit import LocalClient

from storymeter.cli import cli
from storymeter.errors import DataError
from storymeter.human import check


@pytest.fixture
def moved(study: Folder, tmp_path: Path) -> Folder:
    """The campaign, after somebody moved its clips away."""
    study.write_campaign(msgspec.structs.replace(study.campaign, clips=str(tmp_path / "nowhere")))
    return Folder(study.path)


def test_serve_looks_at_the_clips_first(moved: Folder) -> None:
    done = CliRunner().invoke(cli, ["human", "serve", str(moved.path)])
    assert isinstance(done.exception, DataError)
    assert "cannot be shown" in done.exception.message and "--skip-bad" in done.exception.hint
    assert "/r/" not in done.output, "no link is printed for a study that cannot be served"


def test_the_dashboard_counts_broken_clips_and_raters_may_skip_them_all(moved: Folder) -> None:
    store = Store(moved.database)
    try:
        clips = {clip.path for clip in store.clips()}
        assert clips and set(overview(moved, store)["health"]["broken"]) == clips
    finally:
        store.close()
    link = moved.links()[0]
    with LocalClient(create_app(moved), follow_redirects=False) as client:
        client.post(f"{link}/begin")
        item = client.get(f"{link}/item").json()["next"]
        for _ in range(moved.campaign.hit_size):
            reply = client.post(f"{link}/skip", json={"id": item["id"], "at": item["at"]})
            assert reply.status_code == 200
            item = reply.json()["next"]
        assert "go" in item


def test_serve_says_what_is_missing_before_it_prints_links(study: Folder) -> None:
    code = (
        "import sys\nsys.modules['uvicorn'] = None\nfrom storymeter.cli import main\n"
        f"main(['human', 'serve', {str(study.path)!r}])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 1 and "storymeter[human]" in done.stderr, done.stderr
    assert "/r/" not in done.stdout + done.stderr


def test_long_clips_are_named_before_a_rater_has_to_watch_them(tmp_path: Path) -> None:
    """Of four minutes, at one picture in 20 seconds; raters watch every clip to its end."""
    human_kit.tiny_clips(tmp_path / "clips", [f"v{k:02d}" for k in range(20)])
    long = human_kit.tiny_clips(tmp_path / "long", ["v03"], seconds=240, rate=1) / "v03.webm"
    long.replace(tmp_path / "clips" / "v03.webm")
    systems, human = human_kit.corpora([f"v{k:02d}" for k in range(20)])
    request = {"human": human, "clips": tmp_path / "clips", "blocks": 2, "hits": 6}  # every caption
    said = " ".join(check(systems, **request).warnings)
    assert "1 clip longer than 3 minutes" in said and "v03.webm" in said
    (tmp_path / "clips" / "v03.webm").unlink()
    human_kit.tiny_clips(tmp_path / "clips", ["v03"])
    assert "longer than" not in " ".join(check(systems, **request).warnings)
