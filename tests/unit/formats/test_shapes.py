"""A folder of files as researchers have them: the right corpus comes out, or an error that names the fix."""

from __future__ import annotations

from pathlib import Path

import fuzz_shapes
import pytest
from shape_files import Shape, shapes

from storymeter.formats import examine

SHAPES = shapes()


def outcome(path: Path, shape: Shape) -> tuple[list[tuple[str, list[tuple[object, ...]]]], str]:
    reading = examine(path, role=shape.role, kind=shape.kind)
    found = [(d.id, [(c.text, c.start, c.end) for c in d.captions]) for d in reading.corpus]
    return found, "; ".join(problem.text for problem in reading.errors)


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.name)
def test_shape(tmp_path: Path, shape: Shape) -> None:
    path = tmp_path / shape.name
    path.write_bytes(shape.data)
    found, errors = outcome(path, shape)
    if isinstance(shape.expected, str):
        assert shape.expected in errors
    else:
        assert not errors
        assert found == shape.expected


def test_there_are_enough() -> None:
    assert len(SHAPES) >= 80 and sum(shape.read for shape in SHAPES) >= 75
    assert len({shape.name for shape in SHAPES}) == len(SHAPES)
    assert 2 * sum(shape.documented for shape in SHAPES) >= 80


def test_mutations_lose_nothing_in_silence() -> None:
    """More of them: python tests/fuzz_shapes.py 100000"""
    assert fuzz_shapes.run(3000, seed=3) == []
