"""`storymeter tokenize`: the tokeniser alone."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterator

import click

from ..errors import UsageError
from ..formats import read
from ..formats.checks import Check
from ..formats.source import Source
from ..text.tokenizers import TOKENIZERS, cut
from ._declare import option
from ._options import busy, format_option, output, tokenizer_option


@click.command(
    epilog="\b\n"
    + "\n".join(
        f"{textwrap.fill(kind.summary, 78, initial_indent=f'{name:<11} ', subsequent_indent=' ' * 12)}"
        for name, kind in TOKENIZERS.items()
    )
)
@click.argument("file", metavar="FILE")
@tokenizer_option("Tokeniser.")
@option("--punctuation", "Keep the punctuation that ptb removes.", bool)
@option(
    "--from format",
    "Read FILE as captions of this format, one line for each; default: text files line by line, JSON as"
    " captions.",
    metavar="FORMAT",
)
@format_option("text", "json")
def command(file: str, tokenizer: str, punctuation: bool, format: str | None, style: str) -> None:
    """Tokenise each line of FILE.

    Prints one line of tokens per line, separated by spaces; `-` is stdin.

    \b
    storymeter tokenize captions.txt
    storymeter tokenize results.json --tokenizer 13a --format json
    """
    if punctuation and tokenizer != "ptb":
        raise UsageError(
            f"--punctuation is for ptb; {tokenizer} keeps all marks.", hint="Leave it out, or use ptb."
        )
    with busy(f"tokenising {file}"):
        lines = list(_lines(file, format))
        if punctuation:
            from ..text.ptb import tokenize_joined

            found = tokenize_joined(lines, punctuation=True)
        else:
            found = cut(lines, tokenizer)
    if style == "json":
        output(json.dumps([line.split() for line in found], ensure_ascii=False))
    elif found:
        output("\n".join(" ".join(line.split()) for line in found) + "\n")


def _lines(file: str, format: str | None) -> Iterator[str]:
    """Captions in their order where the file holds such, lines otherwise; a break inside is a blank."""
    source = Source.open(file, Check(file)) if format is None else None
    if source is None or (source.is_json and file != "-"):
        for document in read(file, format=format):
            yield from (re.sub(r"[\r\n]+", " ", caption.text) for caption in document.captions)
        return
    if source.foreign:
        raise UsageError(f"{file} is {source.foreign}.", hint="Give a text, or name the format with --from.")
    text = re.sub(r"\r\n|\r", "\n", source.text)
    yield from text.removesuffix("\n").split("\n") if text else ()
