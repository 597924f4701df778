"""More captions than there is to tell, and the captions that a system could at best have told."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Literal

import msgspec
import numpy as np

from ..captions import Caption, Corpus, Document
from ..errors import UsageError
from ..pairs.sentences import sentences_for
from ..pairs.table import pair_table
from ..registry import scorer as get_scorer
from .changes import Change, Dice, Scene, Whole

KINDS = ("same", "other", "foreign")


def pad(n: int = 200, kind: Literal["mixed", "same", "other", "foreign"] = "mixed") -> Whole:
    if not 1 <= n <= 100_000:
        raise UsageError(
            f"pad cannot make {n} captions.",
            hint="n is the number of captions a video has afterwards, from 1.",
        )

    def choose(corpus: Corpus, scene: Scene, dice: Dice) -> Change:
        pool = [
            (document.id, caption.text)
            for document in sorted(corpus, key=lambda d: d.id)
            for caption in document.captions
        ]

        def change(document: Document, scene: Scene, dice: Dice) -> Sequence[Caption]:
            captions = list(document.captions)
            if not captions:
                return captions
            own, random_ = list(captions), dice(f"pad {kind}")
            duration = scene.duration(document)
            for number in range(len(captions), n):
                abuse = KINDS[number % 3] if kind == "mixed" else kind
                captions.append(_redundant(abuse, own, pool, document.id, duration, random_))
            return captions

        return change

    return choose


def _redundant(
    abuse: str,
    own: Sequence[Caption],
    pool: Sequence[tuple[str, str]],
    video: str,
    duration: float,
    dice: random.Random,
) -> Caption:
    model = dice.choice(own)
    if abuse == "other":  # another sentence of this video, or of another where it has only one
        texts = [c.text for c in own if c.text != model.text]
        return msgspec.structs.replace(
            model, text=dice.choice(texts) if texts else _foreign(pool, video, dice), meta={}
        )
    start, end = _segment(duration, dice) if model.timed else (None, None)
    text = model.text if abuse == "same" else _foreign(pool, video, dice)
    return msgspec.structs.replace(model, text=text, start=start, end=end, meta={})


def _foreign(pool: Sequence[tuple[str, str]], video: str, dice: random.Random) -> str:
    """A sentence of another video; a corpus of one video has none, and then one of its own."""
    for _ in range(50):
        owner, text = dice.choice(pool)
        if owner != video:
            break
    return text


def _segment(duration: float, dice: random.Random) -> tuple[float, float]:
    """Anywhere in the video, 5 to 100 % of it long."""
    length = dice.uniform(0.05, 1.0) * duration
    start = dice.uniform(0.0, duration - length)
    return start, start + length


def oracle(scorer: str = "meteor") -> Whole:
    def choose(corpus: Corpus, scene: Scene, dice: Dice) -> Change:
        best = _best(corpus, scene, scorer)

        def change(document: Document, scene: Scene, dice: Dice) -> Sequence[Caption]:
            references = track(document, scene)
            return [
                Caption(document.captions[k].text, r.start, r.end, r.image)
                for r, k in zip(references, best[document.id], strict=True)
            ]

        return change

    return choose


def track(document: Document, scene: Scene) -> tuple[Caption, ...]:
    """The captions that oracle captions are chosen for; none where the system has no caption."""
    return scene.track(document) if document.captions else ()


def _best(corpus: Corpus, scene: Scene, scorer: str) -> dict[str, list[int]]:
    """For each reference caption the number of the generated one that is most like it; ties go to the
    earlier.
    """
    context, compared = scene.run.context, get_scorer(scorer)
    sentences, table = sentences_for(context, compared), pair_table(context, compared)
    found: dict[str, list[int]] = {}
    blocks: list[tuple[str, int, int]] = []
    candidates, references = [], []
    for document in corpus:
        generated = sentences.numbers([c.text for c in document.captions])
        wanted = sentences.numbers([c.text for c in track(document, scene)])
        blocks.append((document.id, len(wanted), len(generated)))
        candidates.append(np.tile(generated, len(wanted)))
        references.append(np.repeat(wanted, len(generated)))
    values = (
        table.values(
            np.concatenate(candidates),
            np.concatenate(references),
            jobs=context.jobs,
            progress=context.progress,
        )
        if blocks
        else np.empty(0)
    )
    begin = 0
    for name, rows, columns in blocks:
        block = values[begin : begin + rows * columns].reshape(rows, columns)
        begin += rows * columns
        found[name] = block.argmax(axis=1).tolist() if columns else []
    return found
