"""Commands about the installation: `info`, `models list|add|remove`, `check-metric`."""

import importlib.metadata
import importlib.util
import os
import platform
import re
import shutil
import sys
from pathlib import Path
from typing import Any

import click

from .. import __version__, engine, report
from ..cache import cache_folder
from ..errors import StorymeterError, UsageError
from ..formats.registry import rows as format_rows
from ..models.packages import PACKAGES, add, installed, known, remove
from ..progress import silent
from ..protocol import PRESETS
from ._options import (
    FOLDER,
    format_option,
    option,
    print_note,
    print_result,
    print_tables,
    progress_bar,
)
from ._scoring import budget, judging_options
from ._verbs import Verbs

#: extras that are no part of the product, and the sum of the others
LEFT_OUT = ("all", "test", "docs")


def _parts() -> dict[str, list[str]]:
    """Optional part -> what it needs here, by the metadata of the package; the core is ''."""
    found: dict[str, list[str]] = {"": []}
    for line in importlib.metadata.requires("storymeter") or []:
        requirement, _, marker = line.partition(";")
        name = re.split(r"[^\w.-]", requirement.strip(), maxsplit=1)[0]
        extra = re.search(r"extra == [\"']([\w-]+)", marker)
        part = extra[1] if extra else ""
        elsewhere = "platform" in marker and _version(name) is None  # not needed on every platform
        if part not in LEFT_OUT and not elsewhere:
            found.setdefault(part, []).append(name)
    return found


def _version(distribution: str) -> str | None:
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return None


def _facts() -> list[tuple[str, str]]:
    facts = [
        ("storymeter", __version__),
        ("python", sys.version.split()[0]),
        ("platform", platform.platform()),
        ("cores", str(os.cpu_count())),
        (
            "native module",
            "there" if importlib.util.find_spec("storymeter._native") else "missing: reinstall storymeter",
        ),
        ("cache folder", cache_folder()),
        ("java (only for cross-checks)", shutil.which("java") or "not installed; not needed"),
    ]
    parts = _parts()
    facts += [(name, _version(name) or f"missing: pip install {name}") for name in parts.pop("")]
    lacking = {part: [name for name in names if _version(name) is None] for part, names in parts.items()}
    return facts + [
        (
            f"part '{part}'",
            "there" if not names else f"missing {', '.join(names)}: pip install 'storymeter[{part}]'",
        )
        for part, names in lacking.items()
    ]


def _tables(protocols: str | None, metrics: str | None, formats: bool, prompts: str | None) -> list[Any]:
    from ..registry import MEASURES, declared, names_of
    from ..report.inspection import metric_table, prompt_table, protocol_table

    tables = []
    if protocols:
        tables.append(protocol_table(protocols))
    elif protocols is not None:
        rows: list[list[Any]] = [[name, preset.sentence, preset.citation] for name, preset in PRESETS.items()]
        tables.append(
            report.Table(
                ["protocol", "what it is", "where it comes from"],
                rows,
                title="Protocols",
                note="Change a field like this: --protocol paper+refs=mean+missing=skip",
            )
        )
    if metrics:
        tables.append(metric_table(metrics))
    elif metrics is not None:
        rows = [[name, declared(name)[1].sentence] for name in MEASURES]
        rows += [[name, "from a plug-in"] for name in names_of() if name not in MEASURES]
        note = "Options, papers and what a value means: storymeter info --metrics NAME"
        tables.append(report.Table(["metric", "what it measures"], rows, title="Metrics", note=note))
    if formats:
        tables.append(
            report.Table(
                ["format", "what it is", "what it looks like", "what it carries"],
                format_rows(),
                title="Formats",
                note="All are read and written.",
            )
        )
    if prompts is not None:
        tables.append(prompt_table(prompts))
    return tables or [report.Table(["what", "value"], _facts())]


@click.command("info")
@option(
    "--protocols", "Every protocol, or all fields of one.", is_flag=False, flag_value="", metavar="[NAME]"
)
@option("--metrics", "Every metric, or all options of one.", is_flag=False, flag_value="", metavar="[NAME]")
@option("--formats", "List every file format.", bool)
@option(
    "--prompts",
    "Every prompt of a judge, or the card and text of one.",
    is_flag=False,
    flag_value="",
    metavar="[NAME]",
)
@format_option()
def info_command(
    protocols: str | None, metrics: str | None, formats: bool, prompts: str | None, style: str
) -> None:
    """List metrics, protocols, formats and installed parts.

    Versions, optional parts, caches, and how to install what is missing; or the list asked for.
    """
    tables = _tables(protocols, metrics, formats, prompts)
    if style == "json" and len(tables) > 1:  # one JSON document, however many tables
        raise UsageError(
            "--format json prints one list at a time.",
            hint="Ask for --protocols, --metrics, --formats and --prompts one by one.",
        )
    for table in tables:
        print_tables(table, style, "Storymeter")


@click.command("models", cls=Verbs)
def models_command() -> None:
    """Add encoders, a detector and a language model.

    \b
    storymeter models list                 available and installed models
    storymeter models add mpnet            download (404 MB), check, install it
    storymeter score mine.json -r references.json -m "sts(model=minilm+mpnet)"
    """


@models_command.command("list")
@format_option()
def list_models(style: str) -> None:
    """List the models that are installed and those that can be added."""
    from ..models.encoder import DEFAULT_NAME, default_folder
    from ..report.table import to_json

    try:
        here = default_folder().is_dir()
    except StorymeterError:
        here = False
    default = f"{DEFAULT_NAME}: 6 layers, 384 dimensions; the default, comes with the part 'neural'"
    rows: list[list[object]] = [["minilm", default, 84, "Apache-2.0", here]]
    rows += [
        [m.name, m.what, m.megabytes, m.licence, installed(m.name) is not None] for m in PACKAGES.values()
    ]
    columns: list[report.Column | str] = ["model", "what", report.Column("MB", ",d"), "licence", "here"]
    table = report.Table(columns, rows)
    names = [head.name for head in table.heads]
    models = [dict(zip(names, row, strict=True)) for row in rows]
    print_tables(table, style, "Models", json=to_json({"schema": 1, "models": models}))


@models_command.command("add")
@click.argument("name", metavar="NAME")
@option("--wheels", "Take the wheels from this folder instead of downloading them.", FOLDER, metavar="DIR")
def add_model(name: str, wheels: Path | None) -> None:
    """Download a model, check its hash, and install it as model=NAME."""
    if (found := installed(name)) is not None:
        print_note(f"{name} is already installed: {found}")
        return
    with progress_bar() as progress:
        folder = add(name, wheels=wheels, progress=progress)
    print_note(f"{name} is in {folder}; use it as {known(name).use.format(name)}")


@models_command.command("remove")
@click.argument("name", metavar="NAME")
def remove_model(name: str) -> None:
    """Delete a model that was added."""
    print_note(f"{name} was removed." if remove(name) else f"{name} was not installed.")


@click.command("check-metric")
@click.argument("name")
@format_option("table", "json")
@judging_options
def check_metric_command(name: str, style: str) -> None:
    """Check a metric or scorer of a plug-in.

    It scores a few small documents: shapes, finite numbers, the declared range, a vectorised combine,
    symmetry, order, threads, shards, pickling and texts without words. Exit code 1 if a check fails.

    \b
    storymeter check-metric mymetric
    storymeter check-metric "soda_c(scorer=mymetric)"
    """
    found = engine.check_metric(name, budget=budget(silent))
    print_result(report.present(found, metric=name), style)
    if not all(one.holds for one in found):
        sys.exit(1)
