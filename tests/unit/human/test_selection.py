"""Videos of a study chosen by length and number of captions, as in section 6.3 of the SODA paper."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import human_kit
import pytest
from click.testing import CliRunner, Result
from human_kit import CampaignRequest, Folder

from storymeter import read
from storymeter.captions import Caption, Corpus, Document
from storymeter.cli import cli
from storymeter.errors import StorymeterError
from storymeter.human import extend, new
from storymeter.human.campaign.request import Selection, select

#: video k lasts 60 + 3 k seconds and has 1 + k % 8 captions by people; one system has no caption of v49
IDS = [f"v{k:02d}" for k in range(50)]
SUITABLE = {f"v{k:02d}" for k in range(10, 41) if k % 8 < 5}


def captions(video: str, count: int, name: str) -> dict[str, Any]:
    step = 30 / count
    return {
        "duration": 60.0 + 3 * IDS.index(video),
        "timestamps": [[k * step, (k + 1) * step] for k in range(count)],
        "sentences": [f"{name} tells part {k} of {video}" for k in range(count)],
    }


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("selection")
    human_kit.tiny_clips(folder / "clips", IDS)
    several = {video: captions(video, 1 + k % 8, "people") for k, video in enumerate(IDS)}
    (folder / "people.json").write_text(json.dumps(several))
    for name, ids in (("a", IDS), ("b", IDS[:-1])):
        (folder / f"{name}.json").write_text(json.dumps({v: captions(v, 2, name) for v in ids}))
    return folder


def run(files: Path, study: Path, *more: object, human: bool = True) -> Result:
    words = ["new", study, "--task", "preference", "--systems", files / "a.json", files / "b.json"]
    words += ["--human", files / "people.json"] if human else []
    return CliRunner().invoke(cli, ["human", *map(str, [*words, "--clips", files / "clips", *more])])


def said_by(failed: Result) -> str:
    error = failed.exception
    assert failed.exit_code
    return " ".join((str(error) if isinstance(error, StorymeterError) else failed.stderr).split())


WISH = ("--videos", 10, "--duration", "90-180", "--max-captions", 5)


def shown(study: Path) -> set[str]:
    return {line.item for line in Folder(study).key.values()}


def test_videos_are_drawn_from_those_that_fit(files: Path, tmp_path: Path) -> None:
    done = run(files, tmp_path / "one", *WISH, "--seed", 1)
    assert done.exit_code == 0, done.output
    plan = " ".join(done.stdout.split())
    said = f"10 drawn from {len(SUITABLE)} (90 to 180 seconds, at most 5 captions) of 49 with captions of"
    assert said in plan, done.stdout
    assert len(shown(tmp_path / "one")) == 10 and shown(tmp_path / "one") <= SUITABLE
    kept = json.loads((tmp_path / "one" / "campaign.json").read_text())["selection"]
    assert kept == {
        "videos": 10,
        "duration": [90.0, 180.0],
        "max_captions": 5,
        "captioned": 49,
        "suitable": len(SUITABLE),
    }
    run(files, tmp_path / "again", *WISH, "--seed", 1)
    run(files, tmp_path / "other", *WISH, "--seed", 2)
    assert shown(tmp_path / "again") == shown(tmp_path / "one") != shown(tmp_path / "other")


def test_every_suitable_video_is_as_likely(files: Path) -> None:
    systems, people = [files / "a.json", files / "b.json"], files / "people.json"
    request = CampaignRequest(
        task="preference",
        systems=[read(path) for path in systems],
        human=read(people),
        clips=files / "clips",
        selection=Selection(videos=6, duration=(90.0, 180.0), max_captions=5),
    )
    counts = dict.fromkeys(SUITABLE, 0)
    for seed in range(400):
        chosen, _ = select(request, str(seed))
        for document in chosen.systems[0]:
            counts[document.id] += 1
    expected = 400 * 6 / len(SUITABLE)
    assert all(abs(count - expected) < 5 * expected**0.5 for count in counts.values()), counts


def test_without_people_the_systems_count(files: Path, tmp_path: Path) -> None:
    done = run(files, tmp_path / "s", "--max-captions", 2, "--duration", "90-180", human=False)
    assert done.exit_code == 0, done.output
    assert shown(tmp_path / "s") == {f"v{k:02d}" for k in range(10, 41)}
    assert "(at most 1 caption)" in said_by(run(files, tmp_path / "t", "--max-captions", 1, human=False))


@pytest.mark.parametrize(
    ("wish", "said"),
    [
        (
            ("--videos", 30, *WISH[2:]),
            f"Of 49 videos with captions of everybody, {len(SUITABLE)} fit (90 to 180 seconds, at most 5"
            f" captions); 30 are wanted. Use --videos {len(SUITABLE)} or wider limits (--duration or"
            " --max-captions).",
        ),
        (("--duration", "1-2"), "None of 49 videos with captions of everybody fits (1 to 2 seconds)."),
        (
            ("--duration", "soon"),
            "'soon' is no length of videos. Give seconds from … to …: --duration 90-180",
        ),
        (("--duration", "180-90"), "'180-90' is no length of videos."),
        (("--videos", 0), "0 is not in the range"),
    ],
)
def test_errors_name_the_way_out(files: Path, tmp_path: Path, wish: tuple[object, ...], said: str) -> None:
    done = run(files, tmp_path / "s", *wish)
    assert said in said_by(done)
    assert not (tmp_path / "s").exists()


def test_captions_without_durations(files: Path, tmp_path: Path) -> None:
    systems = [
        Corpus(tuple(Document(item, (Caption(f"{name} {item}"),)) for item in IDS), name) for name in "ab"
    ]
    with pytest.raises(StorymeterError, match="No file states how long the videos are"):
        new(tmp_path / "s", systems, clips=files / "clips", task="preference", duration=(90, 180))
    made = new(
        tmp_path / "s", systems, clips=files / "clips", task="preference", videos=12, max_captions=1, seed=3
    )
    assert made.home is not None and len(shown(tmp_path / "s")) == 12


def test_the_same_captions_on_both_sides_are_named(files: Path, tmp_path: Path) -> None:
    """Of two captions, exchanged neighbours and the reverse order are the same (footnote 11 of the paper)."""
    same = [
        Corpus(tuple(Document(v, (Caption(v if v < "v03" else f"{name} {v}"),)) for v in IDS), name)
        for name in "ab"
    ]
    made = new(tmp_path / "s", same, clips=files / "clips", task="preference", seed=1, dry_run=True)
    assert any("Both sides of 3 videos show the same captions" in line for line in made.warnings)
    assert any("v00, v01, v02" in line for line in made.warnings)


def test_a_later_system_is_rated_on_the_chosen_videos(files: Path, tmp_path: Path) -> None:
    assert run(files, tmp_path / "s", *WISH, "--seed", 1).exit_code == 0
    before = shown(tmp_path / "s")
    late = Corpus(tuple(Document(item, (Caption(f"late {item}"),)) for item in IDS), "late")
    extend(tmp_path / "s", systems=[late], seed=5)
    assert shown(tmp_path / "s") == before
