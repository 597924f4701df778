"""What is opened for an analysis: campaigns, several files as one, and what counts once."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import human_kit
import msgspec
import pytest
from human_kit import Folder
from rating_kit import campaign, preferences, run, survey, write

import storymeter.human
from storymeter.captions import Rating
from storymeter.errors import DataError
from storymeter.human.sources import open_ratings


def renamed(records: list[Rating], **fields: dict[str, str]) -> list[Rating]:
    """With other names: `system={"best": "new"}`."""
    out = []
    for one in records:
        more = {key: names.get(getattr(one, key), getattr(one, key)) for key, names in fields.items()}
        out.append(msgspec.structs.replace(one, **more))
    return out


def ranking(*paths: Path) -> Any:
    return storymeter.human.analyse(list(paths), splits=0)["all"].ranking


def test_two_campaigns_pool_without_loss(tmp_path: Path) -> None:
    first = campaign(seed=1)
    second = renamed(campaign(seed=2), system={"best": "new"})  # same raters, HITs and places
    paths = write(tmp_path / "r.jsonl", first), write(tmp_path / "part2.jsonl", second)
    pooled = ranking(*paths)
    apart = renamed(second, hit={f"h{k}": f"more {k}" for k in range(6)})
    whole = ranking(write(tmp_path / "whole.jsonl", [*first, *apart]))
    assert {system.name for system in pooled.systems} == {"best", "middle", "worst", "new", "Human-b"}
    assert pooled.systems == whole.systems and (pooled.p == whole.p)[pooled.p == pooled.p].all()
    said = run(*paths, "--splits", 0)
    assert said.exit_code == 0 and "earlier row is used" not in said.stderr


def test_a_campaign_is_part_of_the_key_within_one_file_too(tmp_path: Path) -> None:
    both = [
        *renamed(campaign(seed=1), campaign={"": "one"}),
        *renamed(campaign(seed=2), campaign={"": "two"}),
    ]
    opened = open_ratings(write(tmp_path / "r.jsonl", both))
    assert opened.table is not None and len(opened.table) == len(both) and not opened.table.notes


@pytest.mark.parametrize("made", [campaign, preferences, survey])
def test_real_doubles_are_named_with_their_files(tmp_path: Path, made: Any) -> None:
    records = made()
    paths = write(tmp_path / "a.jsonl", records), write(tmp_path / "again.jsonl", records)
    opened = open_ratings(paths)
    notes = opened.notes if opened.table is None else opened.table.notes
    assert len(opened) == len(records)
    assert any(
        f"{len(records):,} " in note and "both in a.jsonl and in again.jsonl" in note for note in notes
    )


def test_sources_of_different_kinds_are_refused(tmp_path: Path) -> None:
    paths = [write(tmp_path / "a.jsonl", campaign(2)), write(tmp_path / "b.jsonl", survey())]
    with pytest.raises(DataError, match=r"a.jsonl \(da\), b.jsonl \(survey\)"):
        open_ratings(paths)


def test_tests_before_everything_else_do_not_change_the_kind(tmp_path: Path) -> None:
    tests = [Rating(f"s{k}", "", "r1", 1.0, "test", criterion="test") for k in range(60)]
    assert open_ratings(write(tmp_path / "s.jsonl", [*tests, *survey()])).kind.name == "survey"
    assert open_ratings(write(tmp_path / "p.jsonl", [*tests, *preferences()])).kind.name == "preference"


def test_a_campaign_states_its_kind_and_is_read_once(study: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def ratings(*_: Any, **__: Any) -> list[Rating]:
        calls.append(1)
        return campaign()

    monkeypatch.setattr("storymeter.human.campaign.export.ratings", ratings)
    monkeypatch.setattr(Folder, "rehearsal", True)
    done = run(study.path, "--splits", 0)
    assert done.exit_code == 0 and len(calls) == 1
    assert done.stderr.count("drawn from a chosen --seed") == 1
    assert storymeter.human.analyse(study.path, splits=0)["all"].ranking.systems[0].name == "Human-b"


def test_a_campaign_without_answers_says_so(study: Folder) -> None:
    path = study.path / "campaign.json"
    path.write_text(path.read_text().replace('"task": "da"', '"task": "preference"'))
    done = run(study.path)
    assert done.exit_code == 1 and "The preference campaign" in done.exception.message
    assert "no answer yet" in done.exception.message and "human serve" in done.exception.hint


def test_a_stratum_may_be_called_anything(tmp_path: Path) -> None:
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(("item", "system", "rater", "value", "kind", "hit", "pair", "position", "stratum"))
    for name in ("en, US", 'de "AT"'):
        for one in campaign(4, 6):
            fields = (one.item, one.system, one.rater, one.value, one.kind, one.hit, one.pair, one.position)
            writer.writerow((*fields, name))
    path = tmp_path / "r.csv"
    path.write_text(out.getvalue())
    table = list(
        csv.reader(io.StringIO(run(path, "--format", "csv", "--splits", 0, "--gates", "control").stdout))
    )
    assert len({len(row) for row in table if row}) == 1
    assert table[0][0] == "stratum" and {row[0] for row in table[1:] if row} == {"en, US", 'de "AT"'}
    captions = list(
        csv.reader(io.StringIO(run(path, "--captions", "-", "--splits", 0, "--gates", "control").stdout))
    )
    assert captions[0][:2] == ["stratum", "SYS"] and {len(row) for row in captions} == {6}
    assert set(storymeter.human.analyse(path, splits=0, gates="control")) == {"en, US", 'de "AT"'}


def test_python_and_the_command_agree(tmp_path: Path) -> None:
    path = write(tmp_path / "r.jsonl", campaign(bots=2))
    shown = msgspec.json.decode(run(path, "--format", "json", "--splits", 0).stdout)
    found = storymeter.human.analyse(path, splits=0)["all"]
    assert [(s["name"], s["z"]) for s in shown["systems"]] == [(s.name, s.z) for s in found.ranking.systems]
    assert shown["tested"] and found.tested and int(found.kept.sum()) == 4


@pytest.mark.parametrize("made", [campaign, preferences, survey])
def test_links_of_two_campaigns_are_different_people(tmp_path: Path, made: Any) -> None:
    """Every campaign numbers its links from r001: that of one is not that of the other."""
    first = made()
    names = {name: f"r{k:03}" for k, name in enumerate(sorted({one.rater for one in first}), 1)}
    first = renamed(first, rater=names, campaign={"": "one"})
    items = {one.item: f"more {one.item}" for one in first}
    second = renamed(first, campaign={"one": "two"}, item=items)
    paths = write(tmp_path / "a.jsonl", first), write(tmp_path / "b.jsonl", second)
    for opened in (open_ratings(paths), open_ratings(write(tmp_path / "both.jsonl", [*first, *second]))):
        raters = opened.table.rater.names if opened.table else {one.rater for one in opened.records}
        assert len(raters) == 2 * len(names) and "r001 (one)" in raters
        notes = opened.table.notes if opened.table else opened.notes
        assert any("counted as another person" in note for note in notes)


def test_a_worker_of_a_platform_is_one_person_in_all_campaigns(tmp_path: Path) -> None:
    first = renamed(campaign(), campaign={"": "one"}, rater={f"r{k}": f"A2XYZ{k}" for k in range(6)})
    second = renamed(first, campaign={"one": "two"})
    opened = open_ratings((write(tmp_path / "a.jsonl", first), write(tmp_path / "b.jsonl", second)))
    assert opened.table is not None and len(opened.table.rater) == 6


@pytest.mark.parametrize("task", ["da", "preference"])
def test_an_export_says_of_its_campaign_what_the_folder_says(task: str, tmp_path: Path, clips: Path) -> None:
    """What it paid, who was erased, what was withdrawn and which captions there are: an analysis of exports
    is that of the campaigns, also of several, and of two exports in one file."""
    given = ("--splits", 0, "--accept", "all") if task == "da" else ("--faithful", 0.0)
    folders, files = [], []
    for k in range(2):
        if task == "da":
            home = human_kit.small_campaign(tmp_path / f"c{k}", clips, watch=0.0, hits=3, seed=k, raters=3)
        else:
            home = human_kit.campaign(
                tmp_path / f"c{k}", clips, items=12, task=task, per_hit=4, watch=0.0, seed=k, hits=4
            )
        storymeter.human.simulate(home.path, 3, mix="honest=1", seed=k)
        folders.append(home.path)
    storymeter.human.erase(folders[0], "r002")
    gone = sorted({line.item for line in Folder(folders[0]).key.values()})[0]
    storymeter.human.extend(folders[0], withdraw=[gone], reason="wrong clip")
    said: list[str] = []
    for folder in folders:
        for style in ("jsonl", "csv"):
            files.append(tmp_path / f"{folder.name}.{style}")
            files[-1].write_text(storymeter.human.export(folder, style, note=said.append))
    assert sum("asked to be erased" in line for line in said) == 2, "an export says it, too"
    assert sum(f"{gone} was withdrawn (wrong clip)" in line for line in said) == 2

    def looked(*sources: Path) -> Any:
        opened = open_ratings(list(sources))
        done = run(*sources, *given, "--format", "json")
        assert done.exit_code == 0, done.output
        here = "links", "chosen --seed"  # names of raters, and what folders say of themselves
        about, notes = (
            [line for line in said if not any(word in line for word in here)]
            for said in (opened.about, done.stderr.splitlines())
        )
        return opened.pay, opened.lacking, about, notes, done.stdout

    both = tmp_path / "both.jsonl"
    both.write_bytes(files[0].read_bytes() + files[2].read_bytes())
    for sources in ([files[0], files[2]], [files[1], files[3]], [both]):
        found, wanted = looked(*sources), looked(*folders)
        assert found == wanted and len(wanted[2]) == 2 and wanted[1] is not None
        assert wanted[0].hits == 6, "the erased rater was paid"
    pay = open_ratings([folders[0], files[0]]).pay
    assert pay is not None and pay.hits == 3, "one campaign is paid once"
    without = tmp_path / "without.jsonl"
    without.write_bytes(b"".join(files[0].read_bytes().splitlines(keepends=True)[1:]))
    assert open_ratings(without).pay is None, "the first line says it"
