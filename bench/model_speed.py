"""How fast a model works on this machine, and how much memory it takes: each in a process of its own, so that
the memory is the model's alone.

    python bench/model_speed.py [NAME…]      # default: every installed model
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from itertools import pairwise
from typing import Any, NamedTuple

from storymeter.errors import StorymeterError
from storymeter.models import PACKAGES
from storymeter.models.packages import installed

#: sentences of 12 words; pairs of such sentences; pictures
SENTENCES, PAIRS, PICTURES = 500, 32, 10


class Speed(NamedTuple):
    """What a second of one thread's work does, and the largest memory of the process (None: not known)."""

    rate: float
    unit: str
    megabytes: float | None

    @property
    def said(self) -> str:
        return f"{self.rate:,.3g} {self.unit}/s"


def speed(name: str) -> Speed | None:
    """None where the model cannot run here: a package that it needs is missing."""
    command = [sys.executable, __file__, "--one", name]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    return Speed(*json.loads(run.stdout)) if run.returncode == 0 else None


def _sentences(count: int) -> list[str]:
    return [f"a person number {k} walks along the street and waves to them" for k in range(count)]


def _encoder(name: str) -> tuple[Callable[[], Any], int, str]:
    from storymeter.models import load_encoder

    encoder, sentences = load_encoder(name), _sentences(SENTENCES)
    encoder.embed(sentences[:50])
    return lambda: encoder.embed(sentences), SENTENCES, "sentences"


def _language_model(name: str) -> tuple[Callable[[], Any], int, str]:
    from storymeter.story.pretrained import language_model

    model, sentences = language_model(name, "cpu"), _sentences(PAIRS + 1)
    model.probabilities([(sentences[0], sentences[1])])
    return lambda: model.probabilities(list(pairwise(sentences))), PAIRS, "pairs"


def _detector(_: str) -> tuple[Callable[[], Any], int, str]:
    from PIL import Image

    from storymeter.story.regions import CocoDetector

    detector, picture = CocoDetector(), Image.effect_noise((640, 480), 60)
    detector.boxes("noise", picture, picture.size)
    return (
        lambda: [detector.boxes("noise", picture, picture.size) for _ in range(PICTURES)],
        PICTURES,
        "pictures",
    )


def _peak() -> float | None:
    try:
        import resource
    except ImportError:  # Windows
        return None
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return used / (1 << 20 if sys.platform == "darwin" else 1 << 10)


def _measured(name: str) -> Speed:
    """By processor time, so that other work on the machine does not count."""
    work, count, unit = {"lm": _language_model, "detector": _detector}.get(name, _encoder)(name)
    begin = time.process_time()
    work()
    return Speed(count / (time.process_time() - begin), unit, _peak())


def main(names: list[str]) -> None:
    if names[:1] == ["--one"]:
        try:
            print(json.dumps(_measured(names[1])))
        except (StorymeterError, ImportError) as error:
            sys.exit(str(error))
        return
    for name in names or ["minilm", *(name for name in PACKAGES if installed(name))]:
        found = speed(name)
        memory = f", {found.megabytes:,.0f} MB" if found and found.megabytes else ""
        print(f"{name:10} {found.said + memory if found else 'cannot run here'}")


if __name__ == "__main__":
    main(sys.argv[1:])
