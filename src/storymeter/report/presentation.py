"""Results as presentations, and presentations in the style asked for: the last two steps of every command.

    shown = present(results.compare())      # tables, JSON, notes; figures and a page where there are such
    print(render(shown, "markdown"))

Results are plain data; `present` finds the presenter by their type. A presenter stands in the module of its
kind of result, which is imported when the first such result is presented.

Pages are made by Jinja2: everything is escaped, nothing undefined is printed, and a page carries its own
style and script with a Content-Security-Policy that allows these and nothing else."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, singledispatch
from importlib import import_module
from importlib.resources import files
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from .. import __version__
from .figures.marks import mark, svg
from .fitting import escape_controls
from .table import Table

#: name of a type -> the module beside this one that presents it
_MODULES = {
    "Agreement": "agreement_page",
    "Analysis": "assessment_page",
    "Audit": "stress",
    "Benchmarked": "agreement_page",
    "Card": "report_card",
    "Comparison": "comparison",
    "Details": "stress",
    "GateResult": "comparison",
    "GraphComparison": "one_document",
    "MetricCheck": "inspection",
    "OracleScore": "stress",
    "PairwiseRanking": "pairwise",
    "Persuasion": "stress",
    "Pilot": "planning",
    "Plan": "planning",
    "Pointing": "agreement_page",
    "Preference": "pairwise",
    "PreferenceAccuracy": "agreement_page",
    "Result": "stress",
    "Results": "scores",
    "Score": "scores",
    "SelfAgreement": "report_card",
    "Similarity": "similarity",
    "SpanStudy": "assessment_page",
    "Support": "one_document",
    "StoryExplanation": "one_document",
    "Survey": "studies",
    "TestRates": "planning",
    "Timeline": "one_document",
    "Validation": "inspection",
}


@dataclass(frozen=True, slots=True)
class Presentation:
    """A result, ready to be rendered; whatever costs time is made when it is needed."""

    title: str
    #: (style, width of the terminal) -> the tables of this style
    tables: Callable[[str, int | None], Sequence[Table]]
    #: the text of the JSON style; None: the tables as JSON
    json: Callable[[], str] | None = None
    #: what a person should know beside the numbers, whatever the style; `render` does not write them
    notes: Sequence[str] = ()
    #: in place of the notes where the result is shown as tables
    summary: Sequence[str] = ()
    #: a whole page of HTML; None: the tables on a page
    page: Callable[[], str] | None = None
    #: figures by name, as SVG; `png` and `svg_file` of `report.figures.files` make files of them
    figures: Callable[[], Mapping[str, Markup]] | None = None
    #: what a terminal shows in place of tables, for its width, with or without colours
    text: Callable[[int, bool], str] | None = None
    #: results that are shown one after the other, each under its name, where they share no table
    parts: Mapping[str, Presentation] | None = None
    #: a whole document in Markdown; None: the tables
    markdown: Callable[[], str] | None = None

    def notes_for(self, style: str) -> Sequence[str]:
        """The notes beside the numbers in this style."""
        return self.summary if self.summary and style not in ("json", "html") else self.notes


@singledispatch
def present(result: Any, **options: Any) -> Presentation:
    """The presentation of a result: tables, JSON, notes, figures and a page.

    result: what a function of the package returned: `Results`, comparisons, the result of a study, an
        agreement with people, a stress test …; a list or dict of such results is presented as a whole.
    options: what else the presenter shows, such as `comparisons` beside `Results`.
    """
    return _presenter(present, type(result))(result, **options)


@singledispatch
def present_all(first: Any, results: Any, **options: Any) -> Presentation:
    """The presentation of a list or dict, by the type of its first value."""
    return _presenter(present_all, type(first))(first, results, **options)


def _presenter(dispatcher: Any, kind: type) -> Callable[..., Presentation]:
    """The presenter of this type, whose module is imported now."""
    module = _MODULES.get(kind.__name__)
    if module is not None:
        import_module(f".{module}", __package__)
    found: Callable[..., Presentation] = dispatcher.dispatch(kind)
    if found is dispatcher.dispatch(object):
        raise TypeError(f"There is no presentation of {kind.__name__}.")
    return found


@present.register(list)
@present.register(tuple)
def _(results: Sequence[Any], **options: Any) -> Presentation:
    if type(results).__name__ in _MODULES:  # a named tuple whose presenter is not imported yet
        return _presenter(present, type(results))(results, **options)
    if not results:
        return plain("Nothing", [])
    return present_all(results[0], results, **options)


@present.register(dict)
def _(results: Mapping[str, Any], **options: Any) -> Presentation:
    if not results:
        return plain("Nothing", [])
    if len(results) == 1:
        return present(*results.values(), **options)
    return present_all(next(iter(results.values())), results, **options)


def plain(title: str, tables: Sequence[Table], **more: Any) -> Presentation:
    """A presentation whose tables are the same in every style."""
    return Presentation(title, lambda style, width: tables, **more)


def render(
    presentation: Presentation,
    style: str = "table",
    *,
    width: int | None = None,
    colour: bool = False,
    fragment: bool = False,
) -> str:
    """The text of a presentation, with exactly one line break at its end. The notes are not in it, unless
    the page or the JSON of this kind of result holds them: `presentation.notes_for(style)` gives them.

    style: table (for a terminal), json, csv, latex, markdown or html.
    width: columns of the terminal; None: a file, in which nothing is cut.
    colour: bold and dim text for a terminal.
    fragment: HTML as tables alone, to embed in another page.
    presentation: what `present` returned.
    """
    text = _text(presentation, style, width, colour, fragment)
    return text if text.endswith("\n") else text + "\n"


def _text(shown: Presentation, style: str, width: int | None, colour: bool, fragment: bool) -> str:
    if style == "json" and shown.json is not None:
        return shown.json()
    if style == "markdown" and shown.markdown is not None and not fragment:
        return shown.markdown()
    if style == "table" and shown.text is not None:
        return shown.text(width or 120, colour)
    if shown.parts is not None and style != "csv":
        texts = {name: _text(part, style, width, colour, fragment) for name, part in shown.parts.items()}
        return "\n".join(f"{name}\n{text}" for name, text in texts.items())
    whole = style == "html" and not fragment
    if whole and shown.page is not None:
        return shown.page()
    tables = shown.tables(style, width)
    if whole:
        return table_page(shown.title, tables)
    return "\n".join(table.render(style, width=width, colour=colour) for table in tables)


# Whole pages, from the templates beside this module.


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


def html_page(template: str, *, title: str, script: str = "", **values: Any) -> str:
    """A whole page. `script` is the name of a file in `static`, or empty."""
    style = static("figures.css") + static("style.css")
    code = static(script) if script else ""
    return (
        environment()
        .get_template(template)
        .render(
            title=title,
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
    return html_page(
        "tables.html", title=title, intro=intro, figure=figure, tables=[shown(table) for table in tables]
    )
