"""Commands about files: `validate` (every problem with its place), `convert`, `tokenize`, `harness` (tasks of
evaluation harnesses).
"""

import json
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from .. import engine, harness, report
from ..captions import Corpus
from ..errors import UsageError, many
from ..formats import examine, read, registry, write
from ..formats.base import Source
from ..formats.checks import Check
from ..options import Tokenizer
from ..text import TOKENIZERS, tokenize
from ._files import forced, layout_of, reading_options, reference_reading_options
from ._options import (
    NEW_FOLDER,
    busy,
    format_option,
    option,
    output,
    print_note,
    print_result,
    progress_bar,
    references_option,
    tokenizer_option,
)
from ._verbs import Verbs


@click.command("validate")
@click.argument("files", nargs=-1, required=True, metavar="FILE…")
@references_option
@reading_options
@reference_reading_options
@format_option("table", "json")
def validate_command(files: tuple[str, ...], references: tuple[str, ...], style: str, **reading: Any) -> None:
    """Check files of captions and list every problem.

    Equal problems are grouped. `-` is stdin. With references: which documents fit together, what `score`
    would complain about, and the command to run.

    \b
    storymeter validate mine.json
    storymeter validate mine.json yours.csv -r references.json

    Exit 0 if there are none or only warnings, 1 if there are errors.
    """

    with progress_bar() as progress:
        found = engine.validate(files, references, layout=layout_of(reading), progress=progress)
    print_result(report.present(found), style)
    if not found.fine:
        raise SystemExit(1)


@click.command(
    "convert",
    epilog="\b\n" + textwrap.fill("Formats: " + ", ".join(registry.FORMATS), 78, break_on_hyphens=False),
)
@click.argument("source", metavar="IN")
@click.argument("target", metavar="OUT")
@reading_options
@option(
    "--to target_format",
    "The format of the output; otherwise by its suffix (.json: the format it came from).",
    metavar="FORMAT",
)
def convert_command(
    source: str,
    target: str,
    format: str | None,
    repair: bool,
    id_map: tuple[str, ...],
    columns: dict[str, str] | None,
    lists: str | None,
    target_format: str | None,
) -> None:
    """Convert a file of captions to another format.

    Reads IN, writes OUT; `-` is stdin or stdout.

    JSON Lines (.jsonl) keeps everything. What another format cannot carry is left out and named on stderr;
    where the meaning would be lost, nothing is written."""
    from ..engine.systems import read_line

    if target_format:
        registry.get(target_format)  # a wrong name is told before a big file is read
    with busy(f"converting {source}"):
        reading = examine(source, format=format, repair=repair, id_map=id_map, columns=columns, lists=lists)
        corpus: Corpus = reading.require()
        lost = write(corpus, target, format=target_format)
    if line := read_line(source, corpus):
        print_note(line)
    if lost:
        print_note(f"note: left out, because the format cannot carry it: {', '.join(lost)}")
    done = ", ".join(f"{number:,} {what}" for what, number in corpus.meta.get("repairs", {}).items())
    if done:
        print_note(f"note: repaired: {done}")
    warnings = len(reading.problems)
    if warnings:
        print_note(f"note: {many(warnings, 'warning')}; see them with: storymeter validate {source}")


@click.command(
    "tokenize",
    epilog="\b\n"
    + "\n".join(
        f"{textwrap.fill(kind.summary, 78, initial_indent=f'{name:<11} ', subsequent_indent=' ' * 12)}"
        for name, kind in TOKENIZERS.items()
    ),
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
def tokenize_command(
    file: str, tokenizer: Tokenizer, punctuation: bool, format: str | None, style: str
) -> None:
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
            found = tokenize(lines, tokenizer)
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


@click.command("harness", cls=Verbs)
def harness_command() -> None:
    """Write ready tasks for the evaluation harness that runs your model."""


def _pairs(option: str, values: tuple[str, ...]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for value in values:
        name, equals, path = value.partition("=")
        if not equals or not path:
            raise UsageError(
                f"{option} {value} names no task.", hint=f"Write it like {option} activitynet={value}"
            )
        found.setdefault(name, []).append(path)
    return found


@harness_command.command(name="lmms-eval")
@click.argument("out", metavar="DIR", type=NEW_FOLDER)
@option(
    "-r --references", "References of a task, from any file; repeat it.", multiple=True, metavar="TASK=FILE"
)
@option("--videos", "Folder of the videos of a task.", multiple=True, metavar="TASK=FOLDER")
@option("--protocol", "Evaluation protocol; see storymeter info --protocols.", default="paper")
def lmms_eval(out: Path, references: tuple[str, ...], videos: tuple[str, ...], protocol: str) -> None:
    """Write tasks into DIR for lmms-eval --include_path DIR.

    \b
    storymeter harness lmms-eval tasks -r activitynet=val_1.json \\
        -r activitynet=val_2.json --videos activitynet=/data/anet
    python -m lmms_eval --include_path tasks --tasks storymeter_activitynet \\
        --model llava_onevision --log_samples --output_path out

    Tasks: activitynet, youcook2 (whole videos), vitt, chapters; msrvtt, vatex, vatex_zh (single captions).
    A task without references uses the data set of the hub that lmms-eval itself uses, if there is one."""

    folders = {name: paths[-1] for name, paths in _pairs("--videos", videos).items()}
    done = harness.write_lmms_eval(
        out, dict(_pairs("-r", references)), videos=folders, protocol=protocol, force=forced()
    )
    for where, data in (("local", "your references"), ("hub", "the data set of the hub")):
        for name in done[where]:
            click.echo(f"{harness.TASKS[name].harness_name}: {harness.TASKS[name].title}, {data}")
    left = [name for name in harness.TASKS if not (out / f"{harness.TASKS[name].harness_name}.yaml").exists()]
    if left:
        print_note(
            f"note: not written, because no data set of the hub is known: {', '.join(left)}. Give references:"
            f" -r {left[0]}=FILE"
        )
