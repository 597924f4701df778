"""Damaged captions do not betray themselves: neither by capitals and full stops, nor by how they read."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from storymeter.human.campaign.degrade import Damage, degrade
from storymeter.human.campaign.fluency import Bigrams

WHO = ("A man", "Two women", "The small dog", "Anna", "An old lady", "Three children")
DOES = (
    "plays the piano",
    "cuts a red onion, slowly",
    "rides on a horse",
    "waves at the camera",
    "jumps rope",
)
WHERE = ("in the kitchen.", "near a lake.", "on a stage in Paris.", "behind the old house.", "at night.")


def cased(count: int, seed: int = 0) -> dict[str, str]:
    rng = random.Random(seed)
    return {
        f"v{k}": (
            f"{rng.choice(WHO)} {rng.choice(DOES)} {rng.choice(WHERE)}"
            + (" Then he leaves." if rng.random() < 0.1 else "")
        )
        for k in range(count)
    }


def marks(text: str) -> list[tuple[int, bool, str]]:
    """Where capitals and punctuation stand."""
    return [
        (k, word[0].isupper(), word.lstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"))
        for k, word in enumerate(text.split())
    ]


def test_capitals_and_punctuation_stay_where_they_were() -> None:
    captions = cased(200)
    damage, rng = Damage(captions), random.Random(1)
    for item, text in captions.items():
        assert marks(damage.of(text, rng, item=item).text) == marks(text)


def test_where_nothing_fits_the_words_are_made_to_fit() -> None:
    damaged = degrade("He said: stop, please, now!", ["One Two. Three Four. Five Six. Seven."], seed=1)
    assert marks(damaged.text) == marks("He said: stop, please, now!")


def test_words_of_the_same_hit_are_left_alone() -> None:
    captions = cased(60)
    damage, rng = Damage(captions), random.Random(2)
    near = [f"v{k}" for k in range(30)]
    for item in near:
        assert damage.of(captions[item], rng, item=item, near=near).donor not in near


def real(path: Path) -> list[str]:
    if path.suffix == ".json":
        return [v["sentences"][0].strip() for v in json.loads(path.read_text()).values()]
    return [line.strip() for line in path.read_text().splitlines() if line.strip()]


@pytest.mark.parametrize(
    "name", ["da/trecvid_vtt/single-annotator/2016/systems/trecvid16-vtt.en-en.HUMAN-b", "anet/val_1.json"]
)
def test_a_bigram_model_can_hardly_tell_the_twins_apart(data: Path, name: str) -> None:
    """An attacker's model that learnt from other captions of the same kind picks the less fluent of two
    twins; a coin finds half of the damaged ones, and blind replacements were found in seven cases of ten."""
    texts = real(data / name)
    random.Random(1).shuffle(texts)
    captions = {str(k): text for k, text in enumerate(texts[:400]) if len(text.split()) >= 3}
    attacker, damage, rng = Bigrams(texts[400:]), Damage(captions), random.Random(7)
    found = sum(
        attacker.fluency(damage.of(text, rng, item=item).text.split()) < attacker.fluency(text.split())
        for item, text in captions.items()
    )
    assert 0.38 < found / len(captions) < 0.62
