"""All that the numbers of a run in shards depend on, as it is sent to every worker."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Any

import msgspec

from ... import __version__
from ...metric import Metric
from ..results import Conditions
from .folder import Folder
from .inputs import Slice, Source

#: of the files in `work`: what another one wrote is not continued
FORMAT = 3
#: where a run keeps what it needs until it is complete, and the result
WORK, RESULT = "work", "run.smr"


@dataclass(frozen=True)
class Job:
    folder: Folder
    systems: tuple[Source, ...]
    references: tuple[Source, ...]
    slices: tuple[Slice, ...]
    #: by the name that each was asked by
    metrics: dict[str, Metric]
    conditions: Conditions
    shards: int
    #: the share of documents that is kept, by a hash of their ids
    sample: float = 1.0
    #: of a Context, beside what `conditions` says
    settings: dict[str, Any] = field(default_factory=dict)
    #: repair; columns and id_map of the systems, reference_columns and reference_id_map
    reading: dict[str, Any] = field(default_factory=dict)

    @property
    def sources(self) -> tuple[Source, ...]:
        return (*self.systems, *self.references)

    def reading_of(self, source: int, option: str) -> Any:
        """`columns` or `id_map` of a source; those of references are apart."""
        return self.reading.get(option if source < len(self.systems) else f"reference_{option}")

    @property
    def ranges(self) -> int:
        """In how many parts the counts of the whole corpus are kept."""
        return min(max(self.shards, 16), 256)

    def columns(self) -> list[tuple[str, ...]]:
        """Those of each metric: what every shard must give."""
        return [tuple(metric.columns) for metric in self.metrics.values()]

    def counted(self) -> list[str]:
        """The metrics that must know counts of the whole corpus: those of its references, the same for all
        systems.
        """
        return [name for name, metric in self.metrics.items() if metric.needs_corpus_counts]

    def fingerprint(self) -> str:
        """Two jobs with the same one write the same files."""
        conditions = self.conditions
        content = (
            __version__,
            FORMAT,
            self.systems,
            self.references,
            self.slices,
            [(label, metric.name, metric.columns) for label, metric in self.metrics.items()],
            [str(conditions.protocol), conditions.tokenizer, conditions.seed, conditions.resamples],
            [self.shards, self.sample, self.settings.get("images"), self.settings.get("videos")],
            sorted((key, str(value)) for key, value in self.reading.items()),
        )
        return hashlib.sha256(msgspec.json.encode(content, order="deterministic")).hexdigest()
