"""Systems without a caption for some of the items are named, and can be counted as the worst."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import human_kit
import msgspec
import pytest
from human_kit import HERE, CampaignRequest, Folder, Layout, prepare, write

from storymeter.captions import Corpus, Rating
from storymeter.human import analyse, extend, simulate

SHORT = Layout(blocks=2, system=5, degraded=1, repeat=1, human=1)
BEST, SECOND, LAST = human_kit.SYSTEMS


def rows(best: int = 60) -> list[dict[str, Any]]:
    """Five raters; the better system describes the first so many of 60 clips, the other one all."""
    return [
        {"worker": f"w{w}", "video": f"v{v:02d}", "model": model, "rating": value + (7 * w + 3 * v) % 20}
        for w in range(5)
        for v in range(60)
        for model, value in (("new", 70), ("old", 40))
        if model == "old" or v < best
    ]


def test_a_system_with_25_of_60_captions_is_named() -> None:
    [found] = analyse(rows(25), splits=0).values()
    said = [note for note in found.notes if "25 of 60" in note]
    assert len(said) == 1 and said[0].startswith("new ") and "--missing worst" in said[0]
    assert not any("captions of" in note for note in analyse(rows(), splits=0)["all"].notes)


def test_what_is_missing_counts_as_the_worst() -> None:
    whole, worst = (analyse(rows(25), splits=0, missing=how)["all"] for how in ("leave-out", "worst"))
    assert [one.name for one in whole.ranking.systems] == ["new", "old"]
    assert [one.name for one in worst.ranking.systems] == ["old", "new"]
    new = {one.name: one for one in worst.ranking.systems}["new"]
    assert new.captions == 60
    old = [next(one.z for one in found.ranking.systems if one.name == "old") for found in (whole, worst)]
    assert old[0] == old[1] and new.z < old[1], "the scores of the others stay as they are"
    rated = [one["rating"] for one in rows(25) if one["model"] == "new"]
    assert new.raw == pytest.approx(sum(rated) / 5 / 60), "35 of 60 are scores of 0"
    assert any("25 of 60" in note and "count as the worst" in note for note in worst.notes)
    assert len(worst.captions.n) == len(whole.captions.n), "nobody scored what is not there"
    complete = [analyse(rows(), splits=0, missing=how)["all"].ranking for how in ("leave-out", "worst")]
    assert complete[0].systems == complete[1].systems


def test_stories(tmp_path: Path) -> None:
    """By hand: two raters, two sequences; b has no story of the second."""

    def said(rater: str, item: str, system: str, criterion: str, value: float) -> Rating:
        return Rating(item, system, rater, value, criterion=criterion)

    records = []
    for rater in ("r1", "r2"):
        for item, systems in (("s1", "ab"), ("s2", "a")):
            for system in systems:
                records += [said(rater, item, system, name, 4) for name in ("grounded", "coherent")]
                records.append(said(rater, item, system, "vote", float(system == systems[-1])))
    worst = analyse(records, missing="worst")["all"]
    means = {(one.system, one.criterion): one.mean for one in worst.means}
    assert means["b", "grounded"] == 2.5 and means["a", "grounded"] == 4
    assert worst.votes == {"a": 2, "b": 2}
    assert any("b has captions of 1 of 2 items" in note for note in worst.notes)
    assert {one.mean for one in analyse(records)["all"].means} == {4}


def test_comparisons() -> None:
    """c has no caption of the second video: every rater of it prefers each other system to c."""

    def said(item: str, a: str, b: str, value: float) -> Rating:
        return Rating(item, a, "r1", value, criterion="preference", meta={"against": b})

    records = [said("v1", a, b, 0.0) for a, b in ("ab", "ac", "bc")] + [said("v2", "a", "b", 0.0)]
    found = {(one.a, one.b): one.means for one in analyse(records, missing="worst")["all"]}
    assert found == {("a", "b"): (0, 0), ("a", "c"): (0, -2), ("b", "c"): (0, -2)}


@pytest.mark.parametrize("task", ["da", "survey"])
def test_a_campaign_knows_which_captions_there_are(task: str, tmp_path: Path, clips: Path) -> None:
    """Also where a caption that is there was rated by nobody."""
    total = 4 if task == "survey" else 20
    if task == "survey":
        systems = human_kit.stories(["story-01", "story-02", "story-03", "story-04"])
        more: dict[str, Any] = {"clips": HERE / "pictures", "per_hit": 3}
    else:
        ids = sorted(path.stem for path in clips.glob("*.webm"))[:20]
        systems, human = human_kit.corpora(ids)
        more = {"clips": clips, "human": human, "layout": SHORT}
    systems[0] = Corpus(systems[0].documents[:2], BEST)
    request = CampaignRequest(task=task, systems=systems, hits=4, seed=1, watch=0.0, **more)
    folder = write(prepare(request), tmp_path / "study")
    assert {name: len(items) for name, items in (folder.campaign.lacking or {}).items()} == {
        BEST: 2 if task == "survey" else 18
    }
    simulate(folder.path, 2, mix="honest=1")
    [found] = (
        analyse(folder.path, accept="all", splits=0).values()
        if task == "da"
        else analyse(folder.path).values()
    )
    said = [note for note in found.notes if "has captions of" in note]
    assert len(said) == 1 and said[0].startswith(f"{BEST} has captions of 2 of {total} items"), said


def test_an_extension_can_bring_what_was_missing(tmp_path: Path, clips: Path) -> None:
    ids = sorted(path.stem for path in clips.glob("*.webm"))[:20]
    systems, human = human_kit.corpora(ids)
    first = [Corpus(systems[0].documents[:10], BEST), *systems[1:]]
    request = CampaignRequest(systems=first, human=human, clips=clips, layout=SHORT, hits=2, seed=1)
    folder = write(prepare(request), tmp_path / "study")
    late = Corpus(systems[1].documents[:15], "late")
    extend(folder.path, [systems[0], late], seed=2)
    lacking = Folder(folder.path).campaign.lacking or {}
    assert set(lacking) == {"late"} and len(lacking["late"]) == 5
    old = msgspec.json.decode((folder.path / "campaign.json").read_bytes())
    del old["lacking"]
    (folder.path / "campaign.json").write_bytes(msgspec.json.encode(old))
    assert Folder(folder.path).campaign.lacking is None, "campaigns of earlier versions do not know"
