"""What caption tasks of harnesses print, beside the corpus scores that papers report, on the same captions.

    python bench/harness_numbers.py [--data ../shared/data/anet] [--videos 457]

Needs lmms-eval 0.7.3 and Java (make harnesses). The captions are those of BMT for the segments of ActivityNet
Captions, one reference each, grouped by video as those of YouCook2 are. `lmms-eval` is what the functions of
its tasks give; `raw text` are the scorers of pycocoevalcap on text that is not tokenised, as VLMEvalKit's
COCO_VAL calls them. The Chinese captions are random characters, the rdcap answers three sentences."""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace

os.environ.setdefault("HF_HOME", str(Path(tempfile.gettempdir()) / "hf"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

import numpy as np
from harness_kit import sentence
from lmms_eval.tasks.plm_videobench import eval_utils as plm
from lmms_eval.tasks.vatex import utils as vatex
from lmms_eval.tasks.youcook2 import utils as youcook2
from pycocoevalcap.eval import Bleu, Cider

import storymeter

ROOT = Path(__file__).resolve().parents[1]


def segments(data: Path, videos: int) -> list[tuple[str, str, str]]:
    """Video, reference and candidate of every segment that has both."""
    people = json.loads((data / "val_1.json").read_text())
    said = json.loads((data / "bmt_val_1.json").read_text())["results"]
    found = []
    for video in [video for video in people if video in said][:videos]:
        for (start, end), text in zip(people[video]["timestamps"], people[video]["sentences"], strict=True):
            away, near = min(
                (abs(start - each["timestamp"][0]) + abs(end - each["timestamp"][1]), each["sentence"])
                for each in said[video]
            )
            if away < 1:  # its times are rounded
                found.append((video, text, near))
    return found


def line(name: str, theirs: float, true: float) -> None:
    print(f"{name:34} {theirs:8.2f} {true:8.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data" / "anet")
    parser.add_argument("--videos", type=int, default=457)  # as many as YouCook2's validation set has
    given = parser.parse_args()
    items = segments(given.data, given.videos)
    people, said = [[text] for _, text, _ in items], [text for *_, text in items]
    ours = storymeter.evaluate(said, people, ["bleu_1", "bleu_4", "cider"], resamples=0)
    true = {name: ours[name].percent for name in ("bleu_1", "bleu_4", "cider")}

    docs = [{"sentence": ref, "youtube_id": id, "segment": [0, 1]} for id, ref, _ in items]
    theirs = [youcook2.youcook2_process_results(d, [c])["CIDEr"] for d, c in zip(docs, said, strict=True)]
    print(f"{len(items):,} captions of {given.videos} videos          harness   corpus")
    line("lmms-eval youcook2 Bleu_1", youcook2.youcook2_bleu1(theirs), true["bleu_1"])
    line("lmms-eval youcook2 Bleu_4", youcook2.youcook2_bleu4(theirs), true["bleu_4"])
    line("lmms-eval youcook2 CIDEr", youcook2.youcook2_cider(theirs), true["cider"])

    gts, res = dict(enumerate(people)), {k: [text] for k, text in enumerate(said)}
    bleu = Bleu(4).compute_score(gts, res, verbose=0)[0]
    line("VLMEvalKit COCO_VAL, raw text Bleu_1", 100 * bleu[0], true["bleu_1"])
    line("VLMEvalKit COCO_VAL, raw text Bleu_4", 100 * bleu[3], true["bleu_4"])
    line("VLMEvalKit COCO_VAL, raw text CIDEr", 100 * Cider().compute_score(gts, res)[0], true["cider"])

    draw = random.Random(1)
    chinese = [[sentence(draw, "vatex_zh") for _ in range(5)] for _ in range(200)]
    shown = [each[0][:-3] + each[1][-3:] for each in chinese]
    rows = [
        {"answer": r, "pred": c, "video_id": k} for k, (r, c) in enumerate(zip(chinese, shown, strict=True))
    ]
    ours = storymeter.evaluate(shown, chinese, ["bleu_4", "cider"], tokenizer="zh", resamples=0)
    with tempfile.TemporaryDirectory() as folder:
        where = SimpleNamespace(output_path=folder)
        line("lmms-eval vatex_zh Bleu_4", 100 * vatex.vatex_bleu4(rows, where), ours["bleu_4"].percent)
        line("lmms-eval vatex_zh CIDEr", 100 * vatex.vatex_cider(rows, where), ours["cider"].percent)

    spans = [(0, 4), (5, 9), (10, 14)]
    texts = ["a man runs", "a dog jumps", "a cat sleeps"]
    truth = [{"start": s, "end": e, "caption": t} for (s, e), t in zip(spans, texts, strict=True)]
    for name, order in (("in order", [0, 1, 2]), ("reversed", [2, 1, 0])):
        answer = "\n".join(f"[{spans[k][0]}, {spans[k][1]}]: {texts[k]}" for k in order)
        line(
            f"lmms-eval plm rdcap, perfect, {name}",
            100 * rdcap(answer, spans, texts),
            100 * soda(answer, truth),
        )
    answer = "\n".join(f"[{s:.1f}, {e:.1f}]: {t}" for (s, e), t in zip(spans, texts, strict=True))
    line("lmms-eval plm rdcap, times as 0.0", 100 * rdcap(answer, spans, texts), 100 * soda(answer, truth))


def rdcap(answer: str, spans: list[tuple[int, int]], texts: list[str]) -> float:
    """The value of the task with a judge that gives 1 to the same text and 0 to another."""
    found, said = plm.extract_delta_segments(answer)
    if len(found) == 0:
        return 0.0
    judged = np.array([[float(a == b) for b in said] for a in texts])
    overlaps = plm.evaluate_detections(found, np.array(spans))[2]
    return float(plm.sodac_llm_score(overlaps, judged, said, texts))


def soda(answer: str, truth: list[dict[str, object]]) -> float:
    from storymeter.rewards import SodaReward

    return float(SodaReward()([answer], references=[truth])[0])


if __name__ == "__main__":
    main()
