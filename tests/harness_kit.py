"""Data for the tasks: videos of random events, references by annotators, answers as models write them."""

from __future__ import annotations

import json
import random
from pathlib import Path

TIMED, SINGLE = ("activitynet", "youcook2", "vitt", "chapters"), ("msrvtt", "vatex", "vatex_zh")
WORDS = [
    "a",
    "the",
    "man",
    "woman",
    "dog",
    "child",
    "runs",
    "cuts",
    "opens",
    "throws",
    "ball",
    "onion",
    "slowly",
]
SIGNS = "一个男人女人狗孩子跑切开门扔球洋葱公园厨房红色慢慢地在里打"
VIDEOS = 200


def sentence(draw: random.Random, task: str) -> str:
    if task == "vatex_zh":
        return "".join(draw.choices(SIGNS, k=draw.randint(5, 12))) + "。"
    return " ".join(draw.choices(WORDS, k=draw.randint(4, 10))).capitalize() + "."


def events(draw: random.Random, task: str) -> list[tuple[float, float, str]]:
    cuts = sorted(draw.sample(range(1, 1000), 2 * draw.randint(2, 5)))
    return [(a / 10, b / 10, sentence(draw, task)) for a, b in zip(cuts[::2], cuts[1::2], strict=True)]


def answer(draw: random.Random, task: str, truth: object) -> str:
    """What a model says: mostly words of the reference, in several styles, sometimes nothing of use."""
    luck = draw.random()
    if luck < 0.05:
        return "" if task in SINGLE or luck < 0.02 else "I am sorry, but I cannot watch videos."
    if task in SINGLE:
        near = draw.choice(list(truth))  # type: ignore[call-overload]
        return (
            "".join(c for c in near if draw.random() < 0.9) if task == "vatex_zh" else near.rsplit(" ", 2)[0]
        )
    said = [(s + draw.random(), e + draw.random(), t.split(" ", 1)[1]) for s, e, t in truth]  # type: ignore[attr-defined]
    lines = [f"{s:.1f} - {e:.1f}: {t}" for s, e, t in said]
    if luck < 0.3:
        return "Sure! Here are the events:\n\n" + "\n\n".join(f"- {line}" for line in lines) + "\n\nBye!"
    if luck < 0.5:
        rows = [{"start": s, "end": e, "caption": t} for s, e, t in said]
        return f"```json\n{json.dumps(rows)}\n```"
    if luck < 0.55:
        lines[0] = f"{said[0][1]:.1f} - {said[0][0]:.1f}: reversed"
    return "\n".join(lines)


def make(folder: Path, seed: int = 1) -> tuple[dict[str, list[Path]], Path]:
    """References by task, and a file of answers to all of them by id."""
    folder.mkdir(parents=True, exist_ok=True)
    draw, answers, files = random.Random(1), {}, {}
    for task in TIMED:
        truth = {f"{task}_{k}": events(draw, task) for k in range(VIDEOS)}
        second = {id: events(draw, task) for id in list(truth)[::2]} if task == "activitynet" else {}
        files[task] = []
        for k, people in enumerate(filter(None, (truth, second))):
            path = folder / f"{task}_{k}.json"
            rows = {
                id: {
                    "duration": 100.0,
                    "timestamps": [[s, e] for s, e, _ in e3],
                    "sentences": [t for *_, t in e3],
                }
                for id, e3 in people.items()
            }
            path.write_text(json.dumps(rows))
            files[task].append(path)
        say = random.Random(seed)
        answers.update({id: answer(say, task, e3) for id, e3 in truth.items()})
    for task in SINGLE:
        captions = {f"{task}_{k}": [sentence(draw, task) for _ in range(5)] for k in range(VIDEOS)}
        path = folder / f"{task}.json"
        if task == "vatex_zh":
            rows = [{"videoID": id, "enCap": ["A dog."], "chCap": each} for id, each in captions.items()]
        else:
            rows = [{"video_id": id, "caption": text} for id, each in captions.items() for text in each]
        path.write_text(json.dumps(rows, ensure_ascii=False))
        files[task] = [path]
        say = random.Random(seed)
        answers.update({id: answer(say, task, each) for id, each in captions.items()})
    path = folder / f"answers_{seed}.json"
    path.write_text(json.dumps(answers, ensure_ascii=False))
    return files, path
