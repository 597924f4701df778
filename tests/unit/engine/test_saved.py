"""A run in a file: what was saved comes back, what was altered is refused in one sentence."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import storymeter
from storymeter import Run
from storymeter.errors import DataError
from storymeter.report import present, render

Members = dict[str, bytes]


@pytest.fixture(scope="module")
def results(examples: Path) -> storymeter.Results:
    videos = examples / "videos"
    systems = [storymeter.read(videos / f"{name}.json") for name in ("good", "padded")]
    references = [storymeter.read(videos / f"reference_{k}.json") for k in (1, 2)]
    return Run(references, seed=5).score(systems, ["soda_c", "bleu_4", "words", "soda_b(refs=merge)"], 100)


@pytest.fixture
def saved(results: storymeter.Results, tmp_path: Path) -> Path:
    results.save(tmp_path / "run.smr")
    return tmp_path / "run.smr"


def test_everything_comes_back(results: storymeter.Results, saved: Path) -> None:
    loaded = storymeter.load(saved)
    assert render(present(loaded), "json") == render(present(results), "json")
    assert render(present(loaded.compare(resamples=99)), "json") == render(
        present(results.compare(resamples=99)), "json"
    )
    assert loaded.conditions == results.conditions
    assert loaded.metrics == results.metrics
    assert [c.documents for c in loaded.references] == [c.documents for c in results.references]
    for mine, theirs in zip(loaded.systems, results.systems, strict=True):
        assert mine.candidates == theirs.candidates
        assert mine.coverage == theirs.coverage
        for x, y in zip(mine.scores, theirs.scores, strict=True):
            assert x.rows.tobytes() == y.rows.tobytes()
            assert (x.alignment is None) == (y.alignment is None)
            if x.alignment is not None:
                assert {k: x.alignment[k] for k in x.ids} == {k: y.alignment[k] for k in y.ids}


def test_same_results_same_bytes(results: storymeter.Results, saved: Path, tmp_path: Path) -> None:
    results.save(tmp_path / "again.smr")
    assert (tmp_path / "again.smr").read_bytes() == saved.read_bytes()
    storymeter.load(saved).save(tmp_path / "third.smr")
    assert (tmp_path / "third.smr").read_bytes() == saved.read_bytes()


def test_others_can_read_it(saved: Path, results: storymeter.Results) -> None:
    """With a zip reader, a JSON reader and the documented array format alone."""
    with zipfile.ZipFile(saved) as file:
        run = json.loads(file.read("run.json"))
        rows = np.load(io.BytesIO(file.read("systems/1/0-rows.npy")))
    assert run["systems"][1]["scores"][0]["value"] == pytest.approx(rows[:, 2].sum() / rows[:, 3].sum())
    assert [metric["label"] for metric in run["metrics"]] == [
        "soda_c",
        "bleu_4",
        "words",
        "soda_b(refs=merge)",
    ]


def _members(path: Path) -> Members:
    with zipfile.ZipFile(path) as file:
        return {entry.filename: file.read(entry) for entry in file.infolist()}


def _write(path: Path, members: Members, *, sums: bool = True) -> Path:
    if sums:  # a forger who knows the format
        known = {k: hashlib.sha256(v).hexdigest() for k, v in members.items() if k != "checksums.json"}
        members = {**members, "checksums.json": json.dumps(known).encode()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in members.items():
            file.writestr(name, data)
    return path


def _npy(array: np.ndarray, **options: bool) -> bytes:
    out = io.BytesIO()
    np.save(out, array, **options)
    return out.getvalue()


def _run(members: Members, change: Callable[[dict], object]) -> Members:
    run = json.loads(members["run.json"])
    change(run)
    return {**members, "run.json": json.dumps(run).encode()}


HOSTILE: dict[str, Callable[[Members], Members]] = {
    "no run in it": lambda m: {"checksums.json": b"{}"},
    "newer": lambda m: _run(m, lambda r: r.update(schema=99, more=1)),
    "another zip": lambda m: {"word/document.xml": b"<w/>", **m},
    "path traversal": lambda m: {"../../evil.json": b"{}", **m},
    "absolute path": lambda m: {"/etc/passwd": b"x", **m},
    "zip bomb": lambda m: {**m, "systems/0/candidates.json": b" " * (64 << 20)},
    "wrong shape": lambda m: {**m, "systems/0/0-rows.npy": _npy(np.zeros((3, 4)))},
    "wrong type": lambda m: {**m, "systems/0/0-rows.npy": _npy(np.zeros((12, 4), dtype=np.float32))},
    "no numbers": lambda m: {**m, "systems/0/0-rows.npy": _npy(np.full((12, 4), np.nan))},
    "a pickle": lambda m: {
        **m,
        "systems/0/0-rows.npy": _npy(np.array([[print]], dtype=object), allow_pickle=True),
    },
    "not an array": lambda m: {**m, "systems/0/0-rows.npy": b"hello"},
    "a huge array announced": lambda m: {
        **m,
        "systems/0/0-rows.npy": _npy(np.zeros((12, 4))).replace(
            b"(12, 4), }        ", b"(999999999, 4), }", 1
        ),
    },
    "a header that is no Python": lambda m: {
        **m,
        "systems/0/0-rows.npy": _npy(np.zeros((12, 4))).replace(b"(12, 4)", b"(12, 4,", 1),
    },
    "offsets past the end": lambda m: {**m, "systems/0/0-alignment.npy": _npy(np.full((6, 20), 9.0))},
    "negative places": lambda m: {**m, "systems/0/0-alignment.npy": _npy(np.full((6, 20), -9.0))},
    "a score missing": lambda m: _run(m, lambda r: r["systems"][0]["scores"].pop()),
    "a system missing": lambda m: {k: v for k, v in m.items() if not k.startswith("systems/1")},
    "a protocol of nobody": lambda m: _run(m, lambda r: r.update(protocol="mine")),
    "a field too many": lambda m: _run(m, lambda r: r.update(surprise=1)),
    "wrong kinds": lambda m: _run(m, lambda r: r.update(systems="many")),
    "no JSON": lambda m: {**m, "run.json": b"\xff\xfe{"},
    "deep JSON": lambda m: {**m, "references/0.json": b"[" * 100_000},
}


@pytest.mark.parametrize("what", HOSTILE)
def test_hostile_files_get_one_sentence(what: str, saved: Path, tmp_path: Path) -> None:
    from storymeter.errors import StorymeterError

    forged = _write(tmp_path / "forged.smr", HOSTILE[what](_members(saved)))
    with pytest.raises(StorymeterError) as caught:
        storymeter.load(forged)
    assert "\n" not in caught.value.message
    assert caught.value.hint


def test_truncated_and_altered(saved: Path, tmp_path: Path) -> None:
    whole = saved.read_bytes()
    for size in (0, 10, len(whole) // 2, len(whole) - 1):
        (tmp_path / "cut.smr").write_bytes(whole[:size])
        with pytest.raises(DataError, match="saved run"):
            storymeter.load(tmp_path / "cut.smr")
    for place in range(40, len(whole), len(whole) // 37):
        changed = bytearray(whole)
        changed[place] ^= 0xFF
        (tmp_path / "altered.smr").write_bytes(changed)
        try:
            loaded = storymeter.load(tmp_path / "altered.smr")
        except DataError:
            continue
        assert render(present(loaded), "json") == render(present(storymeter.load(saved)), "json"), (
            "a bit that means nothing (a date)"
        )
    members = _members(saved)
    altered = {**members, "systems/0/0-rows.npy": _npy(np.ones((12, 4)))}
    with pytest.raises(DataError, match="was altered"):
        storymeter.load(_write(tmp_path / "forged.smr", altered, sums=False))
    with pytest.raises(DataError, match="cannot be read"):
        storymeter.load(tmp_path / "nowhere.smr")


def test_half_a_file_is_never_there(
    results: storymeter.Results, saved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = saved.read_bytes()

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(zipfile.ZipFile, "writestr", full)
    with pytest.raises(DataError, match="cannot be written"):
        results.save(saved)
    assert saved.read_bytes() == before
    assert [path.name for path in saved.parent.iterdir()] == ["run.smr"]


@pytest.mark.parametrize(
    ("field", "value"), [("seed", -1), ("resamples", -5), ("resamples", 10**15), ("seed", 1.5)]
)
def test_conditions_that_no_run_has_are_refused(saved: Path, field: str, value: float) -> None:
    with zipfile.ZipFile(saved) as file:
        members = {name: file.read(name) for name in file.namelist()}
    members["run.json"] = json.dumps({**json.loads(members["run.json"]), field: value}).encode()
    sums = {name: hashlib.sha256(data).hexdigest() for name, data in members.items()}
    members["checksums.json"] = json.dumps(sums).encode()
    with zipfile.ZipFile(saved, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in members.items():
            file.writestr(name, data)
    with pytest.raises(DataError, match=rf"is damaged: its part run.json cannot be read .*{field}"):
        storymeter.load(saved)


def test_more_resamples_than_a_saved_run_may_have_are_refused(results: storymeter.Results) -> None:
    candidates = [system.candidates for system in results.systems]
    with pytest.raises(storymeter.errors.UsageError, match="resamples cannot be"):
        Run(list(results.references)).score(candidates, ["words"], 1_000_001)
