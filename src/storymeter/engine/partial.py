"""A run that was killed goes on where it stopped: each finished score is kept until the run is complete.

The folder `run.smr.partial` beside the target holds one small saved run per system and metric, named by all
that the numbers depend on. What does not fit (other files, another version, a damaged file) is scored again.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import msgspec

from .. import __version__
from ..captions import Corpus
from ..errors import StorymeterError
from ..join import Coverage
from ..metrics import Metric
from ..scores import Score
from .results import REVISION, Conditions, Results, SystemResult
from .saved import load, write


class PartialRun:
    def __init__(
        self,
        target: str | Path,
        references: list[Corpus],
        conditions: Conditions,
        *seen: str | None,
    ) -> None:
        self.folder = Path(f"{target}.partial")
        self.conditions = conditions
        facts = (conditions.protocol, conditions.tokenizer, conditions.seed, conditions.resamples)
        self._known = [__version__, str(REVISION), digest(*references), *map(str, (*facts, *seen))]
        self._digests: dict[int, str] = {}
        #: how many scores came from the folder
        self.resumed = 0

    def get(self, candidates: Corpus, name: str, metric: Metric) -> Score | None:
        path = self._path(candidates, name, metric)
        if not path.is_file():
            return None
        try:
            score = load(path, metrics=[metric]).systems[0].scores[0]
        except StorymeterError:
            return None
        self.resumed += 1
        return score

    def put(self, candidates: Corpus, name: str, metric: Metric, score: Score) -> None:
        system = SystemResult(candidates.name, (score,), Coverage(0), Corpus(()))
        write(Results((system,), (metric,), (), self.conditions), self._path(candidates, name, metric))

    def remove(self) -> None:
        """The run is complete."""
        if self.folder.is_dir():
            for path in self.folder.glob("*.smr"):
                path.unlink(missing_ok=True)
            if not any(self.folder.iterdir()):
                self.folder.rmdir()

    def _path(self, candidates: Corpus, name: str, metric: Metric) -> Path:
        if id(candidates) not in self._digests:
            self._digests[id(candidates)] = digest(candidates)
        key = [*self._known, name, metric.name, self._digests[id(candidates)]]
        return self.folder / f"{hashlib.sha256(msgspec.json.encode(key)).hexdigest()[:32]}.smr"


def digest(*corpora: Corpus) -> str:
    """What the numbers depend on: names, captions and what is said of them, wherever the files lie."""
    content = [(corpus.name, corpus.documents, corpus.meta) for corpus in corpora]
    return hashlib.sha256(msgspec.json.encode(content, order="deterministic")).hexdigest()
