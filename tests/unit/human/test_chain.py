"""From a new campaign to the correlation of metrics, for every kind of study: simulated raters answer through
the real server, two of the six answer at random, and nobody counts who failed the tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import human_kit
import msgspec
import pytest
from click.testing import CliRunner
from human_kit import named

from storymeter.captions import Corpus, Rating
from storymeter.cli import cli
from storymeter.human.campaign.clips import sequences
from storymeter.human.rating_files import records

pytest.importorskip("starlette")
IDS = [f"v{k:02d}" for k in range(12)]
BLOCK = {"system": 5, "degraded": 2, "repeat": 1, "human": 2}
SIZES = [part for name, count in BLOCK.items() for part in (f"--{name}-per-block", count)]
PAIRS = ["--hits", 1, "--raters-per-hit", 6, "--blocks", 2, *SIZES]
KINDS = {"da": PAIRS, "spans": PAIRS, "preference": ["--hits", 6, "--per-hit", 20], "survey": ["--hits", 6]}
LIARS = {"r005", "r006"}


def done(*arguments: object) -> Any:
    found = CliRunner().invoke(cli, list(map(str, arguments)))
    assert found.exit_code == 0, (arguments, found.output, found.exception)
    return found


def written(corpora: list[Corpus], folder: Path) -> list[Path]:
    folder.mkdir()
    for corpus in corpora:
        lines = [
            {"id": d.id, "caption" if len(d.captions) == 1 else "sentences": [c.text for c in d.captions]}
            for d in corpus
        ]
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (folder / f"{corpus.name}.jsonl").write_text(text.replace('"caption": [', '"captions": ['))
    return [folder / f"{corpus.name}.jsonl" for corpus in corpora]


@pytest.fixture(scope="module")
def media(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from PIL import Image

    folder = tmp_path_factory.mktemp("media")
    human_kit.tiny_clips(folder / "clips", IDS)
    for number, item in enumerate(IDS):
        (folder / "pictures" / item).mkdir(parents=True)
        Image.new("RGB", (8, 8), (9 * number, 80, 40)).save(folder / "pictures" / item / "1.png")
    return folder


def systems_of(path: Path, *more: str) -> Any:
    """What `human analyse` says of the systems, without its notes."""

    def plain(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: plain(one) for key, one in value.items() if key not in ("notes", "pay", "quality")}
        return [plain(one) for one in value] if isinstance(value, list) else value

    found = json.loads(done("human", "analyse", path, "--format", "json", *more).stdout)
    return plain(found["systems"] if "workers" in found else found)


@pytest.mark.parametrize("kind", KINDS)
def test_raters_who_failed_count_nowhere(kind: str, media: Path, tmp_path: Path) -> None:
    systems, people = human_kit.corpora(IDS, sentences=4 if kind == "survey" else 1)
    files = written(systems, tmp_path / "systems")
    (reference,) = written([people], tmp_path / "people")
    given = [part for file in files for part in ("--systems", file)]
    shown = ["--clips", media / ("pictures" if kind == "survey" else "clips")]
    beside = ["--human", reference] if kind in ("da", "spans") else []
    study = tmp_path / "study"
    design = [*KINDS[kind], "--task", kind, "--seed", 1, "--raters", 6]
    done("human", "new", study, *design, *given, *shown, *beside)
    done("human", "simulate", study, "--raters", 6, "--mix", "honest=4,random=2", "--seed", 1)

    exported = {}
    for style in ("jsonl", "csv"):
        exported[style] = tmp_path / f"study.{style}"
        done("human", "export", study, "--format", style, "--out", exported[style])
    one = exported["jsonl"]
    verdicts = named(kind).verdicts(records(one.read_bytes(), one.name))
    failed = {rater for rater, verdict in verdicts.items() if verdict.accepted is False}
    assert failed >= LIARS and len(verdicts) == 6
    honest = tmp_path / "honest.jsonl"
    lines = one.read_text().splitlines(keepends=True)
    honest.write_text("".join(line for line in lines if json.loads(line)["rater"] not in failed))

    # the answers of a campaign, of its exports, and of the honest raters alone
    few = ("--gates", "control") if kind in ("da", "spans") else ()  # four raters agree by chance
    first, *others = (systems_of(path, *few) for path in (study, exported["csv"], one, honest))
    assert all(other == first for other in others)

    def meta(human: Path, *more: str) -> tuple[list[dict[str, Any]], str]:
        quick = ["--resamples", 0, "--permutations", 50, "--format", "json"]
        ran = done("meta", *files, "-r", reference, "--human", human, "-m", "bleu_1,rouge_l", *quick, *more)
        found = json.loads(ran.stdout)
        metrics = [one for level in found.get("levels", [found]) for one in level["metrics"]]
        return metrics, ran.stderr

    passed, said = meta(one)
    assert passed == meta(honest)[0] == meta(exported["csv"])[0] == meta(study)[0]
    assert passed != meta(one, "--accept", "all")[0]
    assert f"{6 - len(failed)} of 6 raters" in said and all(rater in said for rater in failed)
    assert "6 of 6 raters" in meta(one, "--accept", "all")[1]


def test_csv_keeps_the_marked_words(tmp_path: Path) -> None:
    """What an error span study says of words stands in its CSV, too, and comes back as it was."""
    from human_kit import to_csv

    mark = {"start": 2, "end": 5, "severity": "major", "kind": "object"}
    meta = {"state": "done", "text": "=a dog, runs", "spans": [mark], "missing": "the cat"}
    first = Rating("v", "a", "r", 40.0, criterion="spans", meta={**meta, "planted": {"start": 2, "end": 5}})
    found = records(to_csv([first]).encode(), "x.csv")
    assert found == [msgspec.structs.replace(first, meta={**first.meta})]


def test_a_survey_reads_photo_sequences(media: Path, tmp_path: Path) -> None:
    """VIST names the pictures of a story by their ids, without a suffix, in one folder for all stories."""
    photos = {f"a{k}": [f"10{k}", f"20{k}"] for k in range(4)}
    (tmp_path / "photos").mkdir()
    picture = (media / "pictures" / IDS[0] / "1.png").read_bytes()
    for name in (name for names in photos.values() for name in names):
        (tmp_path / "photos" / f"{name}.png").write_bytes(picture)
    files = []
    for system in ("arel", "bart"):
        told = [
            {
                "album_id": album,
                "photo_sequence": names,
                "story_text_normalized": f"{system} went to {album} . all was fun .",
            }
            for album, names in photos.items()
        ]
        files.append(tmp_path / f"{system}.json")
        files[-1].write_text(json.dumps({"output_stories": told}))
    given = [part for file in files for part in ("--systems", file)]
    done("human", "new", tmp_path / "study", "--task", "survey", *given, "--clips", tmp_path / "photos")
    lines = (tmp_path / "study/key.jsonl").read_text().splitlines()
    panels = [panel for panel in map(json.loads, lines) if "images" in panel]
    assert panels and all(panel["images"] == photos[panel["item"]] for panel in panels)


def test_albums_that_number_their_pictures_show_their_own(media: Path, tmp_path: Path) -> None:
    """`1` of an album is not the picture 1 of another one, and what an album lacks is said."""
    picture = (media / "pictures" / IDS[0] / "1.png").read_bytes()
    for name in (f"{id}/{k}.png" for id in IDS for k in (1, 2)):
        (tmp_path / "albums" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "albums" / name).write_bytes(picture)
    files = []
    for system in ("arel", "bart"):
        told = [f"{system} was here .", "it was fun ."]
        stories = [{"id": id, "sentences": told, "image_ids": ["1", "2"]} for id in IDS]
        files.append(tmp_path / f"{system}.jsonl")
        files[-1].write_text("".join(json.dumps(story) + "\n" for story in stories))
    given = [part for file in files for part in ("--systems", file)]
    done("human", "new", tmp_path / "s", "--task", "survey", *given, "--clips", tmp_path / "albums")
    panels = [json.loads(line) for line in (tmp_path / "s/key.jsonl").read_text().splitlines()]
    shown = {(panel["item"], *panel["images"]) for panel in panels if "images" in panel}
    assert shown == {(id, f"{id}/1", f"{id}/2") for id in IDS}
    (tmp_path / "albums" / IDS[0] / "2.png").unlink()
    found = sequences(tmp_path / "albums", dict.fromkeys(IDS, ("1", "2.png")), IDS[:1])
    assert found == {IDS[0]: (f"{IDS[0]}/1", f"{IDS[0]}/2.png")}
