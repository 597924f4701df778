"""The standard files in a data folder, which of them are learnt from and which stay unseen, and the held-out
table.

Never learnt from: VIST test, Story Cloze test, and whatever opens like one of their stories or like a rated
story of UNION."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from ...errors import DataError
from ...progress import Progress, silent
from ..coherence import EMBEDDED
from ..order_net import OrderConfig, OrderModel, load_order_model
from .heldout import Choice, Human, bag_of_words, forced_choice, human_agreement, read_rated
from .order_data import split_pairs
from .stories import Story, read_stories

LEARNT = ("vist/val_reference.json", "stories/union_roc_reference.txt", "stories/storycloze_val_2016.tsv")
UNSEEN = ("vist/test_reference.json", "stories/storycloze_test_2016.tsv", "stories/union_roc_rated.txt")


def expand(paths: Sequence[Path]) -> tuple[list[Path], list[Path]]:
    """(files to learn from, files that stay unseen): a folder stands for the standard files in it."""
    learnt: list[Path] = []
    unseen: list[Path] = []
    for path in paths:
        if path.is_dir():
            found = [path / name for name in LEARNT if (path / name).is_file()]
            if not found:
                raise DataError(
                    f"{path} holds none of {', '.join(LEARNT)}.",
                    hint="Name the files themselves: --data FILE --data FILE",
                )
            learnt += found
            unseen += [path / name for name in UNSEEN if (path / name).is_file()]
        else:
            learnt.append(path)
    return learnt, unseen


def read_all(paths: Sequence[Path]) -> list[Story]:
    return [story for path in paths for story in read_stories(path)]


class HeldOut(NamedTuple):
    model: str
    choices: tuple[Choice, ...]
    human: Human | None


def evaluate(
    folder: Path, model: str = "", *, device: str = "cpu", seed: int = 0, progress: Progress = silent
) -> HeldOut:
    """A model (default: the embedded one) on the unseen files of a data folder, beside a bag of words that
    learnt from the same pairs, and beside the same net with an untrained head."""
    learnt, unseen = expand([folder])
    scored = load_order_model(Path(model).expanduser() if model else EMBEDDED, device)
    recipe = scored.config.trained.get("recipe", {})
    pairs = split_pairs(
        read_all(learnt),
        read_all(unseen),
        dev_share=float(recipe.get("dev_share", 0.15)),
        seed=int(recipe.get("options", {}).get("seed", 0)),
        reach=int(recipe.get("reach", 1)),
    )
    baseline = bag_of_words(pairs.train, pairs.dev)
    choices = [
        forced_choice(name, read_stories(folder / file), scored, baseline, seed=seed, progress=progress)
        for name, file in (("VIST test", UNSEEN[0]), ("Story Cloze test", UNSEEN[1]))
        if (folder / file).is_file()
    ]
    human = None
    if (folder / UNSEEN[2]).is_file():
        fresh = OrderModel(
            OrderConfig(name="untrained", frozen=scored.config.frozen, pooling=scored.config.pooling),
            scored.folder,
            device=device,
        )
        human = human_agreement(read_rated(folder / UNSEEN[2]), scored, fresh, seed=seed)
    return HeldOut(scored.label, tuple(choices), human)
