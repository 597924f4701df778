"""The score of every caption, in the columns of the segment files that WMT and TRECVID publish."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping

from ..human.analysis import Analysis
from ..human.export import safe
from .table import to_json

HEAD = ("SYS", "SID", "RAW.SCR", "Z.SCR", "N")


def caption_rows(analysis: Analysis) -> Iterator[tuple[str, str, float | None, float, int]]:
    """System, item, raw mean (None where the file holds z only), z mean, ratings; by system and item."""
    captions, ratings = analysis.captions, analysis.used
    raw = captions.raw.tolist() if analysis.scale == "raw" else [None] * len(captions.z)
    rows = zip(
        (ratings.systems[k] for k in captions.system.tolist()),
        (ratings.item.names[k] for k in captions.item.tolist()),
        raw,
        captions.z.tolist(),
        captions.n.tolist(),
        strict=True,
    )
    return iter(sorted(rows, key=lambda row: (row[0], len(row[1]), row[1])))


def caption_csv(analyses: Mapping[str, Analysis]) -> str:
    """The captions of each stratum below each other; where there are several, the first column names them."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    several = len(analyses) > 1
    writer.writerow(("stratum", *HEAD) if several else HEAD)
    for name, analysis in analyses.items():
        for system, item, raw, z, n in caption_rows(analysis):
            row = [safe(system), safe(item), "" if raw is None else raw, z, n]
            writer.writerow([safe(name), *row] if several else row)
    return out.getvalue()


def caption_json(analysis: Analysis) -> str:
    rows = [dict(zip(HEAD, row, strict=True)) for row in caption_rows(analysis)]
    return to_json({"schema": 1, "captions": rows})
