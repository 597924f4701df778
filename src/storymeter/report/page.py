"""A self-contained HTML page: our own small style, no script, no outside request; every text is escaped."""

from __future__ import annotations

import base64
import html
from collections.abc import Iterable, Mapping

STYLE = """
:root { --ink: #1d2330; --soft: #5c6575; --line: #d9dee7; --paper: #fff; --tint: #f4f6fa; --mark: #1b66c9; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ef; --soft: #a0a9b8; --line: #363d4a; --paper: #14181f; --tint: #1d232d; --mark: #7db2ff; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 70rem; padding: 2rem 1.25rem 4rem; background: var(--paper); color: var(--ink);
       font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
h1 { font-size: 1.6rem; line-height: 1.2; margin: 0 0 .25rem; } h2 { font-size: 1.2rem; margin: 2.5rem 0 .5rem; }
p.note, .soft { color: var(--soft); font-size: .9rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; margin: .75rem 0; font-variant-numeric: tabular-nums; }
caption { text-align: left; font-weight: 600; padding-bottom: .35rem; }
th, td { padding: .3rem .8rem .3rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
th { border-bottom: 2px solid var(--line); font-weight: 600; } .number { text-align: right; }
img, svg { max-width: 100%; height: auto; } code { background: var(--tint); padding: .1em .3em; border-radius: .2em; }
dl.words { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1rem; font-size: .9rem; color: var(--soft); } dl.words dt { font-weight: 600; } dl.words dd { margin: 0; }
"""


def page(title: str, parts: Iterable[str], *, style: str = "", language: str = "en") -> str:
    """`parts` are pieces of HTML that are safe already; `title` is text."""
    body = "\n".join(parts)
    return (
        f'<!doctype html>\n<html lang="{html.escape(language)}">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{html.escape(title)}</title>\n<style>{STYLE}{style}</style>\n</head>\n<body>\n"
        f"<main>\n<h1>{html.escape(title)}</h1>\n{body}\n</main>\n</body>\n</html>\n"
    )


def heading(text: str) -> str:
    return f"<h2>{html.escape(text)}</h2>"


def paragraph(text: str, *, note: bool = False) -> str:
    return f"<p{' class=note' if note else ''}>{html.escape(text)}</p>"


def words(meaning: Mapping[str, str]) -> str:
    """What each number means, under the table that shows it."""
    return (
        "<dl class=words>"
        + "".join(
            f"<dt>{html.escape(name)}</dt><dd>{html.escape(text)}.</dd>" for name, text in meaning.items()
        )
        + "</dl>"
    )


def picture(data: bytes, alternative: str, *, kind: str = "image/png") -> str:
    """An image inside the page itself; `alternative` says in words what it shows."""
    return (
        f'<img alt="{html.escape(alternative, quote=True)}"'
        f' src="data:{kind};base64,{base64.b64encode(data).decode()}">'
    )
