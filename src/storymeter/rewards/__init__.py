"""Scores as rewards for training.

>>> from storymeter.rewards import MeteorReward
>>> reward = MeteorReward()
>>> reward(completions=["a dog runs"], references=[["a dog is running"]])[0].__class__.__name__
'float'

`SodaReward`, `AnetReward`, `MeteorReward`, `CiderDReward`, `BleuReward` and `FactsReward` can be given to
TRL, ms-swift, verl and EasyR1 as they are (`trainers`). `CiderD` and `Bleu` are fitted rewards for
self-critical training of tokenised captions, a few microseconds a caption (`fitted`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._lazy import late

if TYPE_CHECKING:
    from .fitted import Bleu as Bleu, CiderD as CiderD, Reward as Reward
    from .trainers import (
        AnetReward as AnetReward,
        BleuReward as BleuReward,
        CiderDReward as CiderDReward,
        FactsReward as FactsReward,
        MeteorReward as MeteorReward,
        SodaReward as SodaReward,
        TrainerReward as TrainerReward,
    )

_LATE = {
    "AnetReward": "trainers",
    "Bleu": "fitted",
    "BleuReward": "trainers",
    "CiderD": "fitted",
    "CiderDReward": "trainers",
    "FactsReward": "trainers",
    "MeteorReward": "trainers",
    "Reward": "fitted",
    "SodaReward": "trainers",
    "TrainerReward": "trainers",
}

__all__ = [*_LATE]
__getattr__, __dir__ = late(__name__, _LATE)
