"""Pages of the documentation site that are generated from the code, so that they cannot go out of date: the
command line, metrics, protocols, the Python interface, and files of the repository's root. MkDocs calls
`on_files`."""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[1]
#: package or module -> what the reference says it is for
MODULES = {
    "engine": "runs, results, comparisons, saved runs",
    "metrics": "base classes of metrics",
    "registry": "metrics and scorers by name",
    "scores": "scores and their signatures",
    "captions": "captions, documents, corpora, ratings",
    "formats": "files of captions",
    "pairs": "scorers of sentence pairs",
    "dense": "metrics of timed captions",
    "story": "metrics of visual stories",
    "text": "words and sentences",
    "stats": "intervals and tests",
    "human": "human studies and their analysis",
    "meta": "agreement of metrics with human scores",
    "stress": "stress tests",
    "protocol": "protocols",
    "errors": "errors",
    "rewards": "rewards for training",
    "compat": "drop-in replacements for the usual scripts",
}


def _printed(*arguments: str) -> str:
    """What a command prints."""
    from storymeter.cli import cli

    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        cli.main(args=list(arguments), prog_name="storymeter", standalone_mode=False)
    return out.getvalue()


def _commands(name: str, command: Any, parent: Any = None, depth: int = 2) -> str:
    """The help of a command and of those below it, as the terminal prints it."""
    import click

    from storymeter.cli._verbs import full_help

    context = click.Context(command, info_name=name, parent=parent, terminal_width=80, max_content_width=80)
    shown = command.get_help(context) if isinstance(command, click.Group) else full_help(context)
    text = f"{'#' * depth} {context.command_path}\n\n```text\n{shown}\n```\n"
    if isinstance(command, click.Group):
        for below in command.list_commands(context):
            found = command.get_command(context, below)
            text += "\n" + _commands(below, found, context, min(depth + 1, 4))
    return text


def _python() -> dict[str, str]:
    """One page per package, with every public module of it; and a page that lists them after the names that
    `import storymeter` gives."""
    import storymeter

    pages = {}
    contents = [
        "# Python interface\n",
        "Generated from the code; a module's docstring is its specification.\n",
        "## Names of the package\n",
    ]
    for name in storymeter.__all__:
        module = importlib.import_module(f"storymeter.{storymeter._LATE[name]}")
        found = getattr(module, name)
        first = (found.__doc__ or "").partition("\n\n")[0].replace("\n", " ")
        contents.append(f"- [`storymeter.{name}`][{found.__module__}.{name}]: {first}")
    contents.append("\n## Modules\n")
    for name, purpose in MODULES.items():
        path = ROOT / "src" / "storymeter" / name
        modules = [f"storymeter.{name}"]
        if path.is_dir():
            inside = sorted(m.stem for m in path.glob("*.py") if not m.stem.startswith("_"))
            modules += [f"storymeter.{name}.{module}" for module in inside]
        elif not path.with_suffix(".py").exists():
            continue
        body = "\n".join(f"::: {module}\n    options:\n      heading_level: 2\n" for module in modules)
        pages[f"reference/python/{name}.md"] = f"# storymeter.{name}: {purpose}\n\n{body}"
        contents.append(f"- [storymeter.{name}](python/{name}.md): {purpose}")
    return {"reference/python.md": "\n".join(contents) + "\n", **pages}


def _output(output: dict[str, Any]) -> str:
    """What a cell of a notebook printed: its table, or its text."""
    data = output.get("data", {})
    if "text/html" in data:
        return "".join(data["text/html"])
    return "```text\n" + "".join(output.get("text") or data["text/plain"]).rstrip("\n") + "\n```"


def _notebook() -> str:
    """The notebook as a page: its text, its code, and what the code printed."""
    cells = json.loads((ROOT / "docs" / "tutorials" / "notebook.ipynb").read_text(encoding="utf-8"))["cells"]
    parts = [
        "".join(cell["source"])
        if cell["cell_type"] == "markdown"
        else "\n\n".join([f"```py\n{''.join(cell['source'])}\n```", *map(_output, cell["outputs"])])
        for cell in cells
    ]
    return "\n\n".join([parts[0], "[Download the notebook](notebook.ipynb)", *parts[1:]]) + "\n"


def _root_page(name: str) -> str:
    """A page of the repository's root; links to files that the site has not are turned into plain text."""
    text = (ROOT / name).read_text(encoding="utf-8")
    text = re.sub(r"\]\(docs/", "](../", text)
    return re.sub(r"\[([^\]]+)\]\((?!https?:|\.\./|#)[^)]+\)", r"\1", text)


def on_page_markdown(markdown: str, *, page: Any = None, **_: Any) -> str:
    """Marks that our tests read behind a fence's language are no options of the highlighter. The wide tables
    of the report card have the whole width of the window."""
    if page is not None and page.file.src_uri == "report-card.md":
        page.meta["hide"] = ["navigation", "toc"]
    return re.sub(r"^```(console|python|sh|text) .*$", r"```\1", markdown, flags=re.MULTILINE)


def on_files(files: Files, *, config: Any, **_: Any) -> Files:
    from storymeter.cli import cli

    pages = {
        "reference/commands.md": "# Command line\n\n" + _commands("storymeter", cli),
        "reference/metrics.md": "# Metrics\n\n" + _printed("info", "--metrics", "--format", "markdown"),
        "reference/protocols.md": "# Protocols\n\n" + _printed("info", "--protocols", "--format", "markdown"),
        **_python(),
        "tutorials/notebook.md": _notebook(),
        "project/changelog.md": _root_page("CHANGELOG.md"),
        "project/third-party.md": _root_page("THIRD_PARTY.md"),
        "project/security.md": _root_page("SECURITY.md"),
    }
    for name, content in pages.items():
        files.append(File.generated(config, name, content=content))
    return files
