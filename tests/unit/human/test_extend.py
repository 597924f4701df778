"""A campaign grows, and loses a clip, while raters are at work: nothing answered is lost."""

from __future__ import annotations

import contextlib
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import human_kit
import msgspec
import pytest
import sqlalchemy as sa
from click.testing import CliRunner
from human_kit import (
    HERE,
    Bot,
    CampaignRequest,
    Folder,
    Platform,
    Store,
    Truth,
    clip,
    create_app,
    prepare,
    seat,
    write,
)
from page_kit import LocalClient

from storymeter.captions import Caption, Corpus, Document
from storymeter.cli import cli
from storymeter.errors import DataError, UsageError
from storymeter.human import extend

NEW = "zyxnew"


def late(folder: Folder, name: str = NEW) -> Corpus:
    """A further system: of every clip (sequence) of the campaign, as many sentences as the others have."""
    lines = {line.item: line for line in folder.key.values()}
    first = next(iter(lines.values()))
    count = len(first.texts[0]) if hasattr(first, "texts") else 1
    told = {
        item: tuple(Caption(f"{name} calls {item} a thing of {k} parts") for k in range(count))
        for item in lines
    }
    return Corpus(tuple(Document(item, captions) for item, captions in told.items()), name)


def made(task: str, folder: Path, clips: Path) -> Folder:
    if task == "survey":
        ids = ["story-01", "story-02", "story-03"]
        request = CampaignRequest(
            task="survey", systems=human_kit.stories(ids), clips=HERE / "pictures", per_hit=3, watch=0.0
        )
        return write(prepare(request), folder)
    if task == "preference":
        return human_kit.campaign(folder, clips, items=12, task=task, per_hit=5, sentences=2, watch=0.0)
    return human_kit.small_campaign(folder, clips, task=task, hits=2, watch=0.0)


def begin(client: LocalClient, link: str) -> Any:
    client.post(link + "/begin")
    return client.get(link + "/item").json().get("next")


def send(client: LocalClient, link: str, folder: Folder, item: Any, to: str = "/answer", **more: Any) -> Any:
    answer = {**Bot("honest", Truth(folder.campaign, folder.key), "1").answer(item), **more}
    mark = {"id": item["id"], "at": item["at"], "events": ["play", "ended"]}
    return client.post(link + to, json={**mark, "answer": answer}).json()


def work(client: LocalClient, link: str, folder: Folder, most: int = 99) -> Any:
    """Answers up to `most` items; gives what is next."""
    item = begin(client, link)
    while item is not None and "go" not in item and most:
        item, most = send(client, link, folder, item)["next"], most - 1
    return item


def until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + 60  # for a hang: the server looks every second
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.05)


@pytest.mark.parametrize("task", ["da", "spans", "preference", "survey"])
def test_another_system_while_raters_work(task: str, tmp_path: Path, clips: Path) -> None:
    folder = made(task, tmp_path / "study", clips)
    old_key, old_links = dict(folder.key), folder.links()
    with LocalClient(create_app(Folder(folder.path)), follow_redirects=False) as client:
        half = work(client, old_links[0], folder, 2)
        before = human_kit.answers(folder)
        # in so small a campaign some captions of the first systems are in no HIT yet: they are in the files
        first = human_kit.corpora(sorted(path.stem for path in clips.iterdir())[:20])[0]
        more = [*first, late(folder)] if task in ("da", "spans") else [late(folder)]
        done = extend(folder.path, more, overlap=1, seed=13)
        assert not done.problems
        after = Folder(folder.path)
        assert human_kit.answers(after) == before, "what was answered stays as it was"
        assert {place: after.key[place] for place in old_key} == old_key
        assert after.campaign.systems == (*human_kit.SYSTEMS, NEW)
        fresh = [line for place, line in after.key.items() if place not in old_key]
        assert {line.hit for line in fresh}.isdisjoint(line.hit for line in old_key.values())
        assert after.campaign.hits == len({line.hit for line in after.key.values()})
        # the overlap that pooling needs: who sees the new system sees the old ones, too
        seen = Counter((line.hit, name) for line in fresh for name in line.systems)
        for hit in {line.hit for line in fresh}:
            assert {name for where, name in seen if where == hit} >= {NEW, human_kit.SYSTEMS[0]}
        shown = {line.item for line in fresh if NEW in line.systems}
        assert len(shown) >= 0.9 * len({line.item for line in old_key.values()})
        if task in ("da", "spans"):
            per = Counter(name for line in fresh if line.kind == "system" for name in line.systems)
            assert max(per.values()) - min(per.values()) <= 3, "all systems are shown equally often"
        # the server goes on: the rater at work, and one with a new link
        assert send(client, old_links[0], folder, half)["status"] == "saved"
        assert after.links()[: len(old_links)] == old_links
        for link in after.links()[1:]:
            work(client, link, after)
        work(client, old_links[0], after)
    answered = {place for place in after.key if place[0] in {one.hit for one in human_kit.answers(after)}}
    assert answered == set(after.key), "every HIT, old and new, is done"
    assert [one.systems for one in after.campaign.extensions] == [(NEW,)]


def test_the_running_server_and_its_dashboard_know_new_hits(study: Folder, client: LocalClient) -> None:
    study.write_campaign(msgspec.structs.replace(study.campaign, price=120_000.0, currency="JPY"))
    assert extend(study.path, hits=1, raters=1, seed=4).plan
    after = Folder(study.path)
    assert after.campaign.hits == 3 and len(after.links()) == 3
    for link in after.links():
        assert "go" in work(client, link, after)
    assert len({one.hit for one in human_kit.answers(after)}) == 3
    token = client.post("/admin/login", data={"token": study.secrets.admin_token})
    assert token.status_code == 303
    until(lambda: "<span> / 60</span>" in client.get("/admin").text)
    assert ">60<span>" in client.get("/admin").text, "answers in new HITs are counted, too"
    until(lambda: "of 360,000.00 with the fee" in client.get("/admin").text)


def test_a_withdrawn_clip(study: Folder, client: LocalClient) -> None:
    links = study.links()
    first = begin(client, links[0])
    assert send(client, links[0], study, first)["status"] == "saved"
    [one] = human_kit.answers(study)
    gone = one.item
    second = client.get(links[0] + "/item").json()["next"]
    said: list[str] = []
    extend(study.path, withdraw=[gone], reason="wrong video", note=said.append)
    assert any("1 answer to them" in line and "left out" in line for line in said), said
    work(client, links[0], study)
    work(client, links[1], study)
    kept = human_kit.answers(Folder(study.path))
    assert gone not in {rating.item for rating in kept}
    places = sum(line.item != gone for line in study.key.values())
    assert len(kept) == places, "both raters finished, and nothing else is lost"
    assert second["at"] == 1
    run = CliRunner().invoke(cli, ["human", "export", str(study.path), "--withdrawn"])
    everything = [msgspec.json.decode(line) for line in run.stdout.splitlines()]
    assert len(everything) > len(kept)
    assert {row["meta"].get("withdrawn") for row in everything if row["item"] == gone} == {"wrong video"}
    looked = CliRunner().invoke(cli, ["human", "analyse", str(study.path), "--accept", "all"])
    assert f"The clip {gone} was withdrawn (wrong video): its answers are left out." in looked.stderr


def test_an_item_that_is_withdrawn_while_it_is_shown(study: Folder, client: LocalClient) -> None:
    link = study.links()[0]
    item = begin(client, link)
    line = next(line for line in study.key.values() if line.text == item["caption"])
    extend(study.path, withdraw_captions=[(line.systems[0], line.item)])

    def refused() -> bool:
        reply = client.get(link + "/item").json()["next"]
        return bool(reply["at"] > item["at"] or reply["caption"] != item["caption"])

    until(refused)
    reply = send(client, link, study, item)
    assert reply["status"] == "stale" and reply["next"]["at"] > item["at"]
    assert human_kit.answers(study) == []
    others = [one for one in study.key.values() if one.item == line.item and one.systems != line.systems]
    assert all(line.systems[0] not in one.systems for one in others)


def test_more_raters_for_each_hit(study: Folder) -> None:
    said: list[str] = []
    extend(study.path, raters_per_hit=3, note=said.append)
    seats = human_kit.rows(study.database, sa.select(seat.c.hit).order_by(seat.c.id))
    assert Counter(hit for (hit,) in seats) == {"h00001": 3, "h00002": 3}
    assert [hit for (hit,) in seats[:4]] == ["h00001", "h00002", "h00001", "h00002"]
    assert len(Folder(study.path).links()) == 6
    with pytest.raises(UsageError, match="lose some"):
        extend(study.path, raters_per_hit=1)


def test_what_cannot_be_extended_is_said_and_changes_nothing(
    study: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = {p.name: p.read_bytes() for p in study.path.iterdir() if p.suffix in (".json", ".jsonl", ".csv")}
    changed = Corpus(
        tuple(Document(line.item, (Caption("something else"),)) for line in study.key.values()),
        human_kit.SYSTEMS[0],
    )
    for error, match, wish in (
        (UsageError, "Nothing is to be added", {}),
        (UsageError, "is in no HIT", {"withdraw": ["nowhere"]}),
        (DataError, "differ from those that raters have had", {"systems": [changed]}),
        (UsageError, "names are those", {"hit": 3}),
    ):
        with pytest.raises(error, match=match):
            extend(study.path, **wish)  # type: ignore[arg-type]
    assert extend(study.path, [late(study)], dry_run=True).plan

    def breaks(*_: object) -> None:
        raise RuntimeError("the database is away")

    monkeypatch.setattr(Store, "extend", breaks)
    with pytest.raises(RuntimeError):
        extend(study.path, [late(study)])
    assert before == {name: (study.path / name).read_bytes() for name in before}


def test_a_dry_run_with_problems_fails(study: Folder, tmp_path: Path) -> None:
    """As that of `new`: unless they are to be left out."""
    path = tmp_path / "late.jsonl"
    told = [f'{{"id": "{one.id}", "caption": "{one.text}"}}' for one in late(study)]
    path.write_text("\n".join([*told, '{"id": "nowhere", "caption": "of a clip that is not there"}']))
    words = ["human", "extend", str(study.path), "--systems", str(path), "--dry-run"]
    failed = CliRunner().invoke(cli, words)
    assert failed.exit_code == 1 and "problem: nowhere" in failed.stderr, failed.output
    assert CliRunner().invoke(cli, [*words, "--skip-bad"]).exit_code == 0


def test_an_erased_rater_does_not_come_back_with_a_new_link(study: Folder) -> None:
    last = study.links()[-1]
    with contextlib.closing(Store(study.database)) as store:
        store.erase("r002", "erased-1", 1.0).result()
    study.drop_link("r002")
    extend(study.path, raters=1)
    assert last not in Folder(study.path).links()


def test_clips_keep_their_numbers_and_platforms_need_no_links(tmp_path: Path, clips: Path) -> None:
    folder = human_kit.small_campaign(
        tmp_path / "study", clips, watch=0.0, platform=Platform("prolific", "CODE1234")
    )
    more = late(folder)
    extra = Document("qclip40", (Caption("one more clip that nobody has described before"),))
    extend(folder.path, [Corpus((*more.documents, extra), NEW)], overlap=1)
    numbered = human_kit.rows(folder.database, sa.select(clip.c.id, clip.c.path).order_by(clip.c.id))
    assert [number for number, _ in numbered] == list(range(1, len(numbered) + 1))
    items = {line.item for line in Folder(folder.path).key.values()}
    assert "qclip40" in items and {path for _, path in numbered} == {f"{item}.webm" for item in items}
    assert not (folder.path / "links.csv").exists()
    with contextlib.closing(Store(folder.database)) as store:
        for hit in {line.hit for line in Folder(folder.path).key.values()}:
            lines = [line for place, line in sorted(Folder(folder.path).key.items()) if place[0] == hit]
            for place, line in zip(store.places(hit), lines, strict=True):
                assert place.media[0].path == f"{line.item}.webm", "each place plays its own clip"
    with pytest.raises(UsageError, match="without personal links"):
        extend(folder.path, raters=3)
