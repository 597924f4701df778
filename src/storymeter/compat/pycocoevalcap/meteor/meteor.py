"""METEOR 1.5 of captions by id, without a Java process."""

import threading
from collections.abc import Mapping, Sequence
from typing import Any

from ....pairs.meteor import Meteor as _Meteor
from .. import items, texts

METEOR_JAR = "meteor-1.5.jar"


class NoProcess:
    """Stands where the original keeps its Java process: it has ended, and ending it again changes nothing."""

    pid, returncode = None, 0
    stdin = stdout = stderr = None

    def poll(self) -> int:
        return 0

    def wait(self, timeout: float | None = None) -> int:
        return 0

    def kill(self) -> None:
        """Nothing runs."""

    terminate = kill


class Meteor:
    """`compute_score` gives (corpus score, list of one value per item). The corpus score is made from summed
    statistics; it is not the mean."""

    def __init__(self, *arguments: object, **options: object) -> None:
        self.lock = threading.Lock()
        self.meteor_cmd: list[str] = []
        self.meteor_p = NoProcess()
        self._scorer: Any = _Meteor(tokenizer="none").open()

    def compute_score(
        self, gts: Mapping[Any, Sequence[str]], res: Mapping[Any, Sequence[str]]
    ) -> tuple[float, list[float]]:
        found = items(gts, res, lists=False)
        if not found.ids:
            return 0.0, []
        rows = self._scorer.segment_statistics(
            candidates=found.candidates, references=found.references, jobs=found.jobs
        )
        return self._scorer.aggregate_of_statistics(rows), self._scorer.score_of_statistics(rows).tolist()

    def method(self) -> str:
        return "METEOR"

    def _stat(self, hypothesis_str: str, reference_list: Sequence[str]) -> str:
        """The 23 statistics of one candidate, as the program prints them."""
        rows = self._scorer.segment_statistics(
            candidates=texts([hypothesis_str], "hypothesis"), references=[texts(reference_list, "references")]
        )
        return " ".join(f"{number:.1f}" for number in rows[0].tolist())

    def _score(self, hypothesis_str: str, reference_list: Sequence[str]) -> float:
        return self.compute_score({0: reference_list}, {0: [hypothesis_str]})[1][0]

    def close(self) -> None:
        """Nothing runs."""
