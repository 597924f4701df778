"""Documents of one source are resampled and swapped together."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
import numpy as np
import pytest

import storymeter
from storymeter import Corpus, Document, Run
from storymeter.arrays import FloatArray
from storymeter.captions import Caption
from storymeter.engine.units import found_unit, groups, summed, unit_labels
from storymeter.errors import DataError
from storymeter.metrics import MeanMetric
from storymeter.report import write_report


class Number(MeanMetric):
    """The number that a caption consists of."""

    name = "number"
    needs_references = False

    def document_values(self, task: object, bench: object) -> FloatArray:
        return np.array([float(document.text) for document in task.candidates])  # type: ignore[attr-defined]


def clips(name: str, values: FloatArray, per: int = 5, field: str = "") -> Corpus:
    documents = [
        Document(
            f"film{k // per:02}#clip{k % per}",
            (Caption(repr(float(v))),),
            meta={field: k // per} if field else {},
        )
        for k, v in enumerate(values)
    ]
    return Corpus(tuple(documents), name)


def clustered(draw: np.random.Generator, sources: int, per: int = 5, share: float = 0.3) -> FloatArray:
    """Values whose intraclass correlation is `share`."""
    common = np.repeat(draw.normal(0, np.sqrt(share), sources), per)
    return common + draw.normal(0, np.sqrt(1 - share), sources * per)


def test_rows_of_a_unit_add_up() -> None:
    unit = groups(["b", "a", "b"])
    assert unit.tolist() == [0, 1, 0]
    assert summed(np.array([[1.0], [2], [4]]), unit).tolist() == [[5.0], [2.0]]


def test_units_by_id_and_by_field_are_the_same() -> None:
    values = clustered(np.random.default_rng(0), 20)
    by_id = Run().score(clips("a", values), [Number()], unit="id:#")["a", "number"]
    by_field = Run().score(clips("a", values, field="film"), [Number()], unit="film")["a", "number"]
    found = Run().score(clips("a", values, field="source"), [Number()])["a", "number"]
    alone = Run().score(clips("a", values), [Number()])["a", "number"]
    assert by_id.interval == by_field.interval == found.interval != alone.interval
    assert by_id.value == alone.value and by_id.n == 100


def test_what_names_no_unit_is_refused() -> None:
    one = clips("a", np.arange(10.0))
    with pytest.raises(DataError, match="have no field 'film'"):
        Run().score(one, [Number()], unit="film")
    with pytest.raises(DataError, match="No id contains"):
        Run().score(one, [Number()], unit="id:/")
    with pytest.raises(DataError, match="one unit"):
        Run().score(one, [Number()], unit="id:i")
    doubled = [clips("a", np.arange(5.0), field="film"), clips("b", np.arange(5.0), per=1, field="film")]
    doubled[1] = Corpus(
        tuple(msgspec.structs.replace(d, id=f"film00#clip{k}") for k, d in enumerate(doubled[1]))
    )
    with pytest.raises(DataError, match="two values"):
        unit_labels("film", ["film00#clip1"], [], doubled)


def test_few_sources_are_not_taken_without_being_asked_for() -> None:
    assert found_unit([], [clips("a", np.arange(10.0), field="source")]) == ""
    assert found_unit([], [clips("a", np.arange(30.0), field="source")]) == "source"
    assert found_unit([], [clips("a", np.arange(30.0), per=1, field="source")]) == ""


def test_tests_of_clips_hold_by_unit_and_not_by_document() -> None:
    """Five clips of one source, intraclass correlation .3: by document .18 to .20 of equal systems differ."""
    draw = np.random.default_rng(5)
    by_unit = by_document = covered = 0
    for seed in range(60):
        values = [clustered(draw, 20), clustered(draw, 20)]
        systems = [clips("a", values[0]), clips("b", values[1])]
        grouped = Run(seed=seed).score(systems, [Number()], 400, unit="id:#")
        single = Run(seed=seed).score(systems, [Number()], 400)
        by_unit += grouped.compare(resamples=400)[0].p_permutation < 0.05
        by_document += single.compare(resamples=400)[0].p_permutation < 0.05
        low, high = grouped["a", "number"].interval or (0.0, 0.0)
        covered += low <= 0 <= high
    assert by_unit <= 7 < by_document
    assert covered >= 52


def test_a_saved_run_keeps_its_unit(tmp_path: Path, run: Callable[..., tuple[int, str, str]]) -> None:
    draw = np.random.default_rng(1)
    results = Run().score(
        [clips("a", clustered(draw, 8)), clips("b", clustered(draw, 8))], [Number()], unit="id:#"
    )
    results.save(tmp_path / "run.smr")
    again = storymeter.load(tmp_path / "run.smr", metrics=[Number()])
    assert again.conditions.unit == "id:#" and again.compare() == results.compare()
    assert results.compare()[0].units == 8 and results.compare()[0].n == 40
    write_report(results, tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert page.count("over 8 units (id:#)") == 4 and "over documents" not in page
    assert "fewer than 30 documents are rough" in page  # there are 8 units
    code, out, _ = run("compare", str(tmp_path / "run.smr"))
    assert code == 0 and "by units: 8" in " ".join(out.split())
