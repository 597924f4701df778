"""Which properties does the stress audit grant to metrics that know nothing? `python bench/audit_of_noise.py`

200 metrics without knowledge (random numbers by text, by word, by document; lengths in words, letters and
captions, and their inverses; constants) are audited on the example videos and on captions of the examples.
None should get a "yes": the share of false ones, over all metrics, is printed for each property. With
`--data DIR` videos of ActivityNet (BMT) are audited too.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np

import storymeter
from storymeter.captions import Corpus
from storymeter.engine.run import Run
from storymeter.join import Task
from storymeter.stress.auditing import audit
from storymeter.stress.changes import fewer_documents

METRICS = 200


def number(*parts: object) -> float:
    """Between 0 and 1, from a hash."""
    return int.from_bytes(hashlib.sha256(repr(parts).encode()).digest()[:8], "big") / 2**64


def caption_texts(task: Task) -> list[str]:
    return [" ".join(caption.text for caption in document.captions) for document in task.candidates]


def by_text(seed: int, task: Task) -> list[float]:
    return [number(seed, text) for text in caption_texts(task)]


def by_word(seed: int, task: Task) -> list[float]:
    return [float(np.mean([number(seed, w) for w in text.split()] or [0])) for text in caption_texts(task)]


def by_document(seed: int, task: Task) -> list[float]:
    """Most of it follows from the document's id, a little from the text."""
    return [
        number(seed, id) + 0.1 * number(seed, text)
        for id, text in zip(task.ids, caption_texts(task), strict=True)
    ]


def skewed(seed: int, task: Task) -> list[float]:
    return [-(float(np.log(number(seed, text))) ** 3) for text in caption_texts(task)]


def with_references(seed: int, task: Task) -> list[float]:
    """Of the text beside its references: what is random may depend on both."""
    return [
        number(seed, text, [c.text for each in references for c in each.captions])
        for text, references in zip(caption_texts(task), task.references, strict=True)
    ]


def words(seed: int, task: Task) -> list[float]:
    return [float(len(text.split())) for text in caption_texts(task)]


def brief(seed: int, task: Task) -> list[float]:
    return [1 / (1 + len(text.split())) for text in caption_texts(task)]


def letters(seed: int, task: Task) -> list[float]:
    return [float(len(text)) for text in caption_texts(task)]


def captions(seed: int, task: Task) -> list[float]:
    return [float(len(document.captions)) for document in task.candidates]


def fewer(seed: int, task: Task) -> list[float]:
    return [-float(len(document.captions)) for document in task.candidates]


def constant(seed: int, task: Task) -> list[float]:
    return [0.5] * len(task)


RANDOM = (by_text, by_word, by_document, skewed, with_references)
FIXED = (words, brief, letters, captions, fewer, constant)


class Noise(storymeter.MeanMetric):
    percent = False

    def __init__(self, make: Callable[[int, Task], list[float]], seed: int) -> None:
        self.make, self.seed = make, seed

    @property
    def name(self) -> str:
        return f"{self.make.__name__}_{self.seed}"

    def document_values(self, task: Task, context: object) -> np.ndarray:
        return np.array(self.make(self.seed, task))


def metrics(count: int = METRICS) -> list[Noise]:
    drawn = [Noise(RANDOM[k % len(RANDOM)], k) for k in range(count - len(FIXED))]
    return [*drawn, *(Noise(make, 0) for make in FIXED)]


def examples(root: Path) -> dict[str, tuple[Corpus, list[Corpus]]]:
    videos, formats = root / "examples/videos", root / "examples/formats"
    return {
        "12 videos of the examples": (
            storymeter.read(videos / "good.json"),
            [storymeter.read(videos / f"reference_{k}.json") for k in (1, 2)],
        ),
        "12 captions of the examples": (
            storymeter.read(formats / "coco_results.json"),
            [storymeter.read(formats / "coco_annotations.json")],
        ),
    }


def activitynet(data: Path, count: int) -> tuple[Corpus, list[Corpus]]:
    (corpus,), references = fewer_documents(
        [storymeter.read(data / "anet/bmt_val_1.json")], [storymeter.read(data / "anet/val_1.json")], count, 0
    )
    return corpus, references


def answers(corpus: Corpus, references: list[Corpus], tested: list[Noise]) -> dict[str, Counter[str]]:
    found: dict[str, Counter[str]] = {}
    for verdict in audit(corpus, Run(references=references), metrics=tested, repeats=1).verdicts:
        found.setdefault(verdict.property, Counter())[verdict.answer] += 1
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--metrics", type=int, default=METRICS)
    given = parser.parse_args()
    sets = examples(Path(__file__).parent.parent)
    if given.data:
        sets["40 videos of ActivityNet (BMT)"] = activitynet(given.data, 40)
    print("| documents | property | yes | no | undecided | n/a |\n|:--|:--|--:|--:|--:|--:|")
    worst = 0.0
    for name, (corpus, references) in sets.items():
        for what, count in answers(corpus, references, metrics(given.metrics)).items():
            cells = (count[each] for each in ("yes", "no", "undecided", "not applicable"))
            print(f"| {name} | {what} | " + " | ".join(map(str, cells)) + " |")
            worst = max(worst, count["yes"] / sum(count.values()))
    print(f"\nFalse yes: at most {100 * worst:.1f} % of the metrics for any property.", file=sys.stderr)


if __name__ == "__main__":
    main()
