"""The sentences, dense files, stories and ratings on which the figures were made: all written or drawn for
this purpose, so that they may lie in any clone.

Captions, lines and stories are text files under `written/`. Dense files and ratings are drawn from them
with a fixed seed and stored under `drawn/`, so that the tests read files as a user has them:

    candidate.json      a submission: overlaps, equal starts, a caption of no length, captions past the end
    of the
                        others, one video with 14 captions, two videos missing, one that no annotator has
    annotator_1.json    references of 30 videos
    annotator_2.json    references of 27 of them, other segments and other words
    stories.jsonl       the stories, and damaged copies of them: repeated, reversed, cut, one sentence
    ratings.csv         a table of Direct Assessment ratings as WMT writes them: good, poor and constant
    raters
"""

from __future__ import annotations

import json
import random
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

FOLDER = Path(__file__).parent
WRITTEN, DRAWN, FIGURES = FOLDER / "written", FOLDER / "drawn", FOLDER / "figures"
SEED = 20
VIDEOS = 30
SYSTEMS = {"alder": 72.0, "birch": 70.0, "cedar": 58.0, "dogwood": 57.0, "elm": 35.0}
RATERS = {"steady": 6, "noisy": 3, "random": 2, "constant": 1}
Segment = list[float]


class Group(NamedTuple):
    candidate: str
    references: list[str]


def groups() -> list[Group]:
    """The caption groups of written/captions.txt."""
    found: list[Group] = []
    for line in (WRITTEN / "captions.txt").read_text(encoding="utf-8").split("\n"):
        if line.startswith(">"):
            found.append(Group(line[1:].strip(), []))
        elif line and not line.startswith("#"):
            found[-1].references.append(line)
    return found


def lines() -> list[str]:
    """The lines of written/lines.txt, which are hard to tokenise, and every caption."""
    hard = (WRITTEN / "lines.txt").read_text(encoding="utf-8").removesuffix("\n").split("\n")
    return [*hard, *(text for group in groups() for text in (group.candidate, *group.references) if text)]


def stories() -> dict[str, list[str]]:
    """The stories of written/stories.txt, and damaged copies."""
    text = (WRITTEN / "stories.txt").read_text(encoding="utf-8")
    blocks = [[line for line in block.split("\n") if line] for block in text.split("\n\n")[1:]]
    told = {f"story-{k:02}": block for k, block in enumerate(blocks)}
    for name, block in list(told.items()):
        if len(block) > 1:
            told[f"{name}-repeated"] = [*block[:2], block[1], *block[2:]]
            told[f"{name}-reversed"] = block[::-1]
            told[f"{name}-cut"] = [" ".join(line.split()[:5]) for line in block[:2]]
    return told


def _segments(draw: random.Random, count: int, duration: float) -> list[Segment]:
    edges = sorted(round(draw.uniform(0, duration), 2) for _ in range(count + 1))
    return [
        [max(0.0, round(a - draw.uniform(0, 6), 2)), min(duration, round(b + draw.uniform(0, 6), 2))]
        for a, b in pairwise(edges)
    ]


def _near(draw: random.Random, segment: Segment, duration: float) -> Segment:
    start, end = (min(duration, max(0.0, round(t + draw.gauss(0, 3), 2))) for t in segment)
    return [min(start, end), max(start, end)]


def dense() -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """The submission and two annotators. Every text is ASCII or not as it was written: what the scripts
    strip is there."""
    draw = random.Random(SEED)
    pool = [group for group in groups() if group.candidate]
    mine: dict[str, Any] = {}
    first: dict[str, Any] = {}
    second: dict[str, Any] = {}
    for k in range(VIDEOS):
        video, duration = f"v_{k:02}", round(draw.uniform(20, 180), 2)
        count = 14 if k == 7 else 1 if k == 9 else draw.randint(2, 7)
        about = draw.sample(pool, count)
        truth = _segments(draw, count, duration)
        first[video] = {
            "duration": duration,
            "timestamps": truth,
            "sentences": [draw.choice(group.references) for group in about],
        }
        if k % 10 != 3:
            kept = [
                (near, about[j])
                for j, segment in enumerate(truth)
                if (near := _near(draw, segment, duration))
            ]
            draw.shuffle(kept)  # the order of the file is not that of time
            second[video] = {
                "duration": duration,
                "timestamps": [segment for segment, _ in kept],
                "sentences": [draw.choice(group.references) for _, group in kept],
            }
        if k in (4, 21):
            continue  # the submission lacks two videos
        told = [
            {"sentence": group.candidate, "timestamp": _near(draw, segment, duration)}
            for segment, group in zip(truth, about, strict=True)
            if draw.random() < 0.85
        ]
        told += [
            {"sentence": draw.choice(pool).candidate, "timestamp": _near(draw, draw.choice(truth), duration)}
            for _ in range(draw.randint(0, 3))
        ]
        told = told or [{"sentence": about[0].candidate, "timestamp": truth[0]}]
        if k % 5 == 0:
            told[-1]["timestamp"][0] = told[0]["timestamp"][0]  # equal starts
            told[-1]["timestamp"][1] = round(max(told[-1]["timestamp"]) + 0.37, 2)
        if k % 6 == 1:
            told.append({"sentence": "A blank frame.", "timestamp": [duration / 2, duration / 2]})
        draw.shuffle(told)
        mine[video] = told
    mine["v_extra"] = [{"sentence": "Nobody described this video.", "timestamp": [0.0, 9.0]}]
    return {"version": "VERSION 1.0", "results": mine}, first, second


class Row(NamedTuple):
    """One rating of a WMT table."""

    hit: int
    worker: str
    system: str
    kind: str
    item: str
    score: float


def ratings() -> list[Row]:
    """Four HITs of 60 captions and three of each kind of control per system; each rater does two HITs."""
    draw = random.Random(SEED + 1)
    quality = {
        (system, f"c{k:03}"): min(100.0, max(0.0, draw.gauss(mean, 16)))
        for system, mean in SYSTEMS.items()
        for k in range(48)
    }
    names = [f"{kind}-{k}" for kind, count in RATERS.items() for k in range(count)]
    rows: list[Row] = []
    for number, name in enumerate(names):
        kind = name.split("-")[0]
        shift, spread = draw.gauss(0, 12), draw.uniform(0.6, 1.3)
        for hit in (number % 4, (number + 1) % 4):
            items = [(s, f"c{k:03}") for k in range(hit * 12, hit * 12 + 12) for s in SYSTEMS]
            for system, item in items:
                controls = [k for k in ("REPEAT", "REF", "BAD_REF") if draw.random() < 0.2]
                for what in ["SYSTEM", *controls]:
                    seen = {"REF": 92.0, "BAD_REF": quality[system, item] * 0.35}.get(
                        what, quality[system, item]
                    )
                    noise = {"steady": 6.0, "noisy": 25.0}.get(kind, 0.0)
                    value = 50 + spread * (seen - 50) + shift + draw.gauss(0, 1) * noise
                    if kind == "random":
                        value = draw.uniform(0, 100)
                    if kind == "constant":
                        value = 61.0
                    rows.append(Row(hit, name, system, what, item, float(round(min(100.0, max(0.0, value))))))
    return rows


def write_drawn() -> None:
    DRAWN.mkdir(exist_ok=True)
    for name, content in zip(("candidate", "annotator_1", "annotator_2"), dense(), strict=True):
        text = json.dumps(content, ensure_ascii=False, indent=1) + "\n"
        (DRAWN / f"{name}.json").write_text(text, encoding="utf-8")
    with (DRAWN / "stories.jsonl").open("w", encoding="utf-8", newline="\n") as file:
        for name, sentences in stories().items():
            for sentence in sentences:
                file.write(json.dumps({"doc": name, "text": sentence}, ensure_ascii=False) + "\n")
    with (DRAWN / "ratings.csv").open("w", encoding="utf-8", newline="\n") as file:
        file.write("HITId WorkerId src trg item hit sys_id rid type sid score time\n")
        for k, row in enumerate(ratings()):
            cells = [
                f"H{row.hit}",
                row.worker,
                "en",
                "en",
                "ad",
                row.hit,
                row.system,
                k,
                row.kind,
                row.item,
            ]
            file.write("\t".join(str(cell) for cell in [*cells, row.score, 900]) + "\n")
