"""Word Mover's Distance against POT and against small sums done by hand."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from odd_texts import ODD_TEXTS

from storymeter import registry
from storymeter.context import Settings
from storymeter.errors import DataError, MissingPartError, UsageError
from storymeter.pairs import Wmd, wmd

# looked for, not imported: every process of the tests reads this module, one runs it
pytestmark = pytest.mark.skipif(
    any(find_spec(package) is None for package in ("ot", "torch", "transformers")),
    reason="needs the optional part 'neural'",
)

TEXTS = [
    "two brown dogs run on the grass",
    "a puppy plays in a park",
    "a man rides a horse along the beach",
    "the woman cooks pasta in a small kitchen",
    "a dog runs over grass",
    "people watch a football match",
    "a child eats an apple",
    "dog dog cat",
]


@pytest.fixture
def vectors(tmp_path: Path) -> str:
    """Four words in the plane: east, north, west, and east again under another name."""
    path = tmp_path / "vectors.txt"
    path.write_text("4 2\neast 2 0\nnorth 0 1\nwest -3 0\neastern 1 0\n", encoding="utf-8")
    return str(path)


def distance(scorer: Wmd, one: str, other: str) -> float:
    return float(
        scorer.open().distances(
            candidates=[one], references=[other], candidate_index=np.array([0]), reference_index=np.array([0])
        )[0]
    )


def test_by_hand(vectors: str) -> None:
    scorer = Wmd(vectors)
    assert distance(scorer, "East", "the eastern") == 0.0
    assert distance(scorer, "east", "west") == pytest.approx(2.0)
    assert distance(scorer, "east north", "east") == pytest.approx(np.sqrt(2) / 2)
    assert distance(scorer, "east east north", "east north north") == pytest.approx(np.sqrt(2) / 3)
    assert distance(scorer, "east unknownword", "east") == 0.0
    assert distance(scorer, "unknownword", "east") == np.inf
    assert scorer.pairs(candidates=["east"], references=[["west", "unknownword"]])[0] == pytest.approx(1 / 3)


def test_equals_pot_on_every_pair() -> None:
    import ot

    scorer = Wmd()
    c, r = (index.ravel().astype(np.int64) for index in np.indices((len(TEXTS), len(TEXTS))))
    ours = scorer.open().distances(candidates=TEXTS, references=TEXTS, candidate_index=c, reference_index=r)
    bags = scorer._alone._bags_of(TEXTS)
    theirs = [
        ot.emd2(bags[i].shares, bags[j].shares, ot.dist(bags[i].vectors, bags[j].vectors, metric="euclidean"))
        for i, j in zip(c, r, strict=True)
    ]
    # POT's own distances lose half the digits near 0 (|x|^2 + |y|^2 - 2xy)
    assert np.allclose(ours, theirs, atol=1e-6)
    table = ours.reshape(len(TEXTS), -1)
    assert np.allclose(table, table.T, atol=1e-12)
    assert np.allclose(np.diag(table), 0.0, atol=1e-12)
    assert np.all(table[~np.eye(len(TEXTS), dtype=bool)] > 0.1)


def test_skipping_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    scorer, solved, exact = Wmd(), [], wmd.WmdModel._exact

    def counted(self: wmd.WmdModel, *transport: Any) -> float:
        solved.append(transport)
        return exact(self, *transport)

    groups = [[other for other in TEXTS if other != text] for text in TEXTS]
    with monkeypatch.context() as patch:
        patch.setattr(wmd.WmdModel, "_exact", counted)
        quick = scorer.pairs(candidates=TEXTS, references=groups)
    assert len(solved) < sum(map(len, groups))
    table = scorer.matrix(candidates=TEXTS, references=TEXTS)
    np.fill_diagonal(table, -1.0)
    assert np.array_equal(quick, table.max(axis=1))


def test_progress_is_told() -> None:
    told: list[tuple[str, int, int]] = []
    scorer = Wmd()
    scorer = scorer.open(Settings(progress=lambda *what: told.append(what)))
    scorer.pairs(candidates=TEXTS, references=[[text] for text in TEXTS])
    scorer.matrix(candidates=TEXTS, references=TEXTS)
    assert ("moving words", 0, len(TEXTS)) in told and ("moving words", 0, len(TEXTS) ** 2) in told


def test_the_bound_is_below_the_distance() -> None:
    scorer = Wmd()
    bags = scorer._alone._bags_of(TEXTS)
    for a in bags:
        for b in bags:
            costs = wmd._costs(a, b)
            assert wmd.lower_bound(a, b, costs) <= scorer._alone._exact(a, b, costs) + 1e-12


@pytest.mark.parametrize("text", [*ODD_TEXTS, "the of"])
def test_hostile_text_has_a_value(text: str) -> None:
    values = Wmd().pairs(candidates=[text, "a dog", text], references=[["a dog"], [text], []])
    assert np.all((values >= 0.0) & (values <= 1.0))
    assert values[2] == 0.0


def test_wrong_files(tmp_path: Path) -> None:
    (tmp_path / "empty.txt").write_bytes(b"")
    (tmp_path / "words.txt").write_bytes(b"only\nwords\n")
    (tmp_path / "torn.txt").write_bytes(b"dog 1 2 3\ncat 1 2\nbird 1 x 3\n")
    (tmp_path / "bytes.txt").write_bytes(bytes(range(256)) * 20)
    for name in ("empty.txt", "words.txt", "missing.txt", "bytes.txt"):
        with pytest.raises(DataError):
            Wmd(str(tmp_path / name)).pairs(candidates=["dog"], references=[["dog"]])
    for word in ("cat", "bird"):
        with pytest.raises(DataError, match="3 numbers"):
            Wmd(str(tmp_path / "torn.txt")).pairs(candidates=[word], references=[["dog"]])
    with pytest.raises(UsageError, match="1 candidate, but 2 lists of"):
        Wmd().pairs(candidates=["a"], references=[[], []])


def test_names_and_metric(vectors: str) -> None:
    scorer = registry.scorer("wmd")
    assert registry.scorer(scorer.name).name == "wmd"
    assert registry.metric("wmd").name == "wmd"
    assert Wmd(vectors).open().depends_on()["vectors"].startswith("vectors.txt#")


def test_without_pot(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "ot", None)
    with pytest.raises(MissingPartError, match="neural"):
        Wmd().pairs(candidates=["a dog"], references=[["a cat"]])
