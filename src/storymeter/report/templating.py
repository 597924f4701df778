"""Jinja2 for all pages: everything is escaped, nothing undefined is printed, and a page carries its own style
and script with a Content-Security-Policy that allows these and nothing else.
"""

import base64
import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from .. import __version__
from .figures.marks import mark, svg
from .fitting import escape_controls
from .table import Table

_HERE = files(__package__)


@cache
def environment() -> Environment:
    made = Environment(
        loader=FileSystemLoader(str(_HERE / "templates")),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_shown,
    )
    made.globals.update(version=__version__, legend_mark=legend_mark)
    made.filters["breakable"] = breakable
    return made


def _shown(value: Any) -> Any:
    """What a template prints: text that turns the direction of writing or is no character is written out."""
    return escape_controls(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def breakable(name: str) -> Markup:
    """A metric's name that may go on in the next line after a bracket, a comma or an equals sign.

    >>> breakable("anet(scorer=meteor)")
    Markup('anet(<wbr>scorer=<wbr>meteor)')
    """
    return Markup(re.sub(r"([(,=_])", r"\1<wbr>", str(escape(escape_controls(name)))))  # noqa: S704 - escaped


def legend_mark(number: int) -> Markup:
    """The mark of a system beside its name; the name says it in words."""
    drawn = svg(16, 16, "", mark(number, 8, 8, 5.5), klass="figure legend")
    hidden = str(drawn).replace('role="img"', 'aria-hidden="true"').replace("<title></title>", "")
    return Markup(hidden)  # noqa: S704


@cache
def static(name: str) -> str:
    return (_HERE / "static" / name).read_text(encoding="utf-8")


def render(template: str, *, title: str, script: str = "", language: str = "en", **values: Any) -> str:
    """A whole page. `script` is the name of a file in `static`, or empty."""
    style = static("figures.css") + static("style.css")
    code = static(script) if script else ""
    return (
        environment()
        .get_template(template)
        .render(
            title=title,
            language=language,
            style=Markup(style),  # noqa: S704 - our own files
            script=Markup(code),  # noqa: S704
            policy=Markup(policy(style, code)),  # noqa: S704
            **values,
        )
    )


def policy(style: str, script: str) -> str:
    """Nothing is loaded from anywhere but what lies beside the page: its pictures and its videos."""
    run = f"'sha256-{_hash(script)}'" if script else "'none'"
    return (
        f"default-src 'none'; style-src 'sha256-{_hash(style)}'; script-src {run};"
        " img-src 'self' data: file:; media-src 'self' file:; base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


@dataclass(frozen=True, slots=True)
class Shown:
    """A table of ours for a template."""

    title: str
    html: Markup
    words: Mapping[str, str] = field(default_factory=dict)


def shown(table: Table, words: Mapping[str, str] | None = None) -> Shown:
    """`words` say what its numbers mean; they stand below it."""
    html = Markup(replace(table, title="").render("html"))  # noqa: S704 - the table escapes its cells
    return Shown(table.title, html, words or {})


def table_page(title: str, tables: Sequence[Table], *, intro: str = "", figure: Markup | None = None) -> str:
    """Tables as a page of their own; above them an introduction and a figure, where there are such."""
    return render(
        "tables.html", title=title, intro=intro, figure=figure, tables=[shown(table) for table in tables]
    )
