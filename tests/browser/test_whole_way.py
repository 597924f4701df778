"""The whole way of a study, for every kind: a pilot in Chromium that outlives the server's restart, an
extension by a system and raters, a withdrawn clip, an erased rater, a second campaign, export, analysis,
metrics. Nothing is lost, and both campaigns together say what one campaign of the same answers says."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import human_kit
import msgspec
import pytest
from click.testing import CliRunner
from human_kit import HERE, Bot, Folder, Truth, start
from page_kit import SHORT, begun, by_keyboard

from storymeter.captions import Corpus, Rating
from storymeter.cli import cli
from storymeter.human import analyse, erase, export, extend, new, pilot
from storymeter.human.rating_files import records
from storymeter.human.rehearsal import rehearse

LATE = "zyxlate"
SIZES: dict[str, dict[str, Any]] = {
    "da": {"counts": {"system": 1}, "blocks": 2, "hits": 2, "practice": 0},
    "spans": {"counts": {"system": 1, "repeat": 1}, "blocks": 2, "hits": 2, "practice": 0},
    "preference": {"per_hit": 3, "hits": 2},
    "survey": {"per_hit": 3, "hits": 2},
}


def told(task: str, clips: Path) -> tuple[list[Corpus], Corpus, Path]:
    """Three systems, what people wrote, and the folder of clips or pictures."""
    if task == "survey":
        ids, media = [f"story-0{k}" for k in range(1, 5)], HERE / "pictures"
    else:
        ids, media = sorted(path.stem for path in clips.glob("*.webm"))[:12], clips
    systems, people = human_kit.corpora(ids, sentences=3 if task == "survey" else 1)
    return [*systems[:2], Corpus(systems[2].documents, LATE)], people, media


def saved(corpus: Corpus, folder: Path) -> Path:
    path = folder / f"{corpus.name}.jsonl"
    lines = [{"id": one.id, "sentences": [c.text for c in one.captions]} for one in corpus]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def answered(folder: Folder, url: str, links: Sequence[str]) -> None:
    """Honest raters at work, in a thread of their own: the browser's driver keeps a loop in this one."""
    bots = [Bot("honest", Truth(folder.campaign, folder.key), f"{folder.campaign.id} {k}") for k in links]
    with ThreadPoolExecutor() as pool:
        tallies = pool.submit(lambda: asyncio.run(rehearse(url, links, bots))).result()
    assert {tally.ended for tally in tallies} == {"done"}


def numbers(found: Any) -> Any:
    """What an analysis says of systems, without its notes."""
    found = getattr(found, "analysis", found)
    if isinstance(found, list):
        return [(one.a, one.b, one.items, one.means, one.mean, one.mean_interval) for one in found]
    if hasattr(found, "ranking"):
        return [(one.name, one.raw, one.z, one.n, one.interval) for one in found.ranking.systems]
    marks = [(one.system, one.criterion, one.mean, one.n, one.interval) for one in found.means]
    return [*marks, found.votes]


def rounded(value: Any) -> Any:
    """Sums of the same numbers in another order."""
    if isinstance(value, float):
        return round(value, 9)
    if isinstance(value, dict):
        return {name: rounded(one) for name, one in value.items()}
    return [rounded(one) for one in value] if isinstance(value, list | tuple) else value


@pytest.mark.parametrize("task", SIZES)
def test_the_whole_way(
    task: str,
    tmp_path: Path,
    clips: Path,
    open_page: Callable[..., Any],
    violations: Callable[[Any], list[str]],
) -> None:
    systems, people, media = told(task, clips)
    scored = task in ("da", "spans")
    shared: dict[str, Any] = {
        **SIZES[task],
        **({"human": people} if scored else {}),
        "task": task,
        "clips": media,
        "watch": 0.0,
        "raters": 2,
    }
    home = new(tmp_path / "first", systems[:2], seed=1, **shared).home
    assert home is not None
    assert not scored or (home.campaign.layout or SHORT).size == SHORT.size

    # a pilot of one rater, by keyboard in Chromium; the server is stopped and started in between
    pilot(home.path, 1)
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    process, url = start(home.path, port=port)
    try:
        page = begun(open_page, url + home.links()[0], viewport={"width": 1280, "height": 720})
        size = home.campaign.hit_size
        for n in range(1, size + 1):
            page.wait_for_function(f"() => document.getElementById('count')?.textContent === '{n} of {size}'")
            if n == 2:
                process.terminate()
                process.wait(timeout=20)
                process, url = start(home.path, port=port)
            by_keyboard(page, str(3 + n % 6))
        page.wait_for_selector("#code")
        assert violations(page) == []
        begun(open_page, url + home.links()[1]).get_by_text("The study is paused").wait_for()
        tried = pilot(home.path)
        assert (tried.done, tried.places) == (1, 1) and tried.minutes_per_hit and tried.pay_per_hour
        by_hand = [one for one in human_kit.answers(home) if one.rater == "r001"]
        assert {one.position for one in by_hand} == set(range(size))
        pilot(home.path, go=True)

        # another system, more raters, and a clip that goes
        extend(home.path, [systems[2]], hits=2, raters=3, seed=2)
        gone = sorted({line.item for line in home.key.values()})[0]
        extend(home.path, withdraw=[gone], reason="wrong clip")
        grown = Folder(home.path)
        assert grown.campaign.systems[-1] == LATE and len(grown.links()) == 5
        answered(grown, url, grown.links()[1:4])
    finally:
        process.terminate()
        process.wait(timeout=20)

    before = human_kit.answers(grown)
    assert [one for one in before if one.rater == "r001"] == [one for one in by_hand if one.item != gone]
    assert not any(one.item == gone for one in before)
    assert LATE in {name for one in before for name in (one.system, one.meta.get("against"))}
    assert erase(grown.path, "r002") > 0
    after = human_kit.answers(grown)
    assert after == [one for one in before if one.rater != "r002"], "the others' answers are what they were"

    # a second campaign, and both together
    second = new(tmp_path / "second", systems, seed=3, **{**shared, "hits": 3, "raters": 3}).home
    assert second is not None
    process, url = start(second.path)
    try:
        answered(second, url, second.links())
    finally:
        process.terminate()
        process.wait(timeout=20)
    files = [tmp_path / f"{one.path.name}.jsonl" for one in (grown, second)]
    for one, file in zip((grown, second), files, strict=True):
        file.write_text(export(one.path, "jsonl"))
    given = {"splits": 0, "accept": "all"} if scored else {"faithful": 0.0}
    said: list[str] = []
    pooled = analyse([grown.path, second.path], note=said.append, **given)["all"]
    assert any("asked to be erased" in line for line in said) and any("wrong clip" in line for line in said)
    one_campaign: list[Rating] = [
        msgspec.structs.replace(one, campaign="one", rater=f"{k} {one.rater}", hit=f"{k} {one.hit}")
        for k, file in enumerate(files)
        for one in records(file.read_bytes(), file.name)
    ]
    assert len(one_campaign) == len(after) + len(human_kit.answers(second))
    expected = rounded(numbers(analyse(one_campaign, **given)["all"]))
    assert rounded(numbers(pooled)) == expected and expected
    assert rounded(numbers(analyse(files, **given)["all"])) == expected, "exports say the same"

    # metrics against these people
    captions = [str(saved(corpus, tmp_path)) for corpus in systems]
    beside = ["-r", str(saved(people, tmp_path)), "--human", str(second.path), "--accept", "all"]
    words = ["meta", *captions, *beside, "-m", "bleu_1", "--resamples", "0", "--permutations", "50"]
    ran = CliRunner().invoke(cli, [*words, "--format", "json"])
    assert ran.exit_code == 0 and "bleu_1" in ran.stdout, (ran.output, ran.exception)
