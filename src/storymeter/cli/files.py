"""Commands about files: `validate` (every problem with its place), `convert`, `tokenize`."""

from __future__ import annotations

import json
import os
import re
import shlex
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import click
import msgspec

from ..captions import Corpus, Origin
from ..errors import DataError, MissingPartError, StorymeterError, UsageError, many, some
from ..formats import Reading, examine, read, registry, write
from ..formats.aliases import Role
from ..formats.checks import Check
from ..formats.ids import bare_ids
from ..formats.problems import Problem, Severity, group
from ..formats.source import Source
from ..join import REFERENCE_FORMATS, join
from ..report.fitting import escape_controls
from ..text.tokenizers import TOKENIZERS, cut
from ._files import layout_of, reading_options, reference_reading_options
from ._options import busy, coloured, format_option, option, output, references_option, say, tokenizer_option


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
    kind, layout = None, layout_of(reading)
    readings = []
    for number, path in enumerate((*files, *references), 1):
        role: Role = "candidates" if number <= len(files) else "references"
        options = layout.options(role) | ({} if references else {"role": None})
        with busy(f"checking {path} ({number} of {len(files) + len(references)})"):
            readings.append(_examined(path, kind=kind, **options))
        corpus = readings[-1].corpus
        if corpus.meta.get("kind") == "story" and corpus.captions > len(corpus):
            kind = "story"
    given, against = readings[: len(files)], readings[len(files) :]
    for each in given:
        _repeated(each, candidates=bool(references))
    fits = [_fit(each, against) for each in given] if references else []
    told = _advice(given, against, fits, reading) if references else ""
    output(
        json.dumps(_json(given, against, fits, told), indent=2)
        if style == "json"
        else "\n".join(
            [*map(_page, readings), *([*(line for f in fits for line in f.lines), told] if told else [])]
        )
    )
    if any(reading.errors for reading in readings) or any(f.error for f in fits):
        raise SystemExit(1)


#: formats in which several documents of one id are the rule
_ALTERNATIVES = REFERENCE_FORMATS | {"vitt", "plain", "jsonl"}


def _repeated(reading: Reading, *, candidates: bool) -> None:
    """Ids that occur more than once: references may have them, a system may not."""
    corpus = reading.corpus
    twice = [id for id, documents in corpus.by_id().items() if len(documents) > 1]
    if twice and (candidates or corpus.origin.format not in _ALTERNATIVES):
        message = (
            "several documents have this id: `score` refuses them in a file of candidates; sentences of one"
            " story are read with --lists story"
            if candidates
            else "several documents have this id: `score` takes them as references (-r), not as candidates;"
            " sentences of one story are read with --lists story"
        )
        severity: Severity = "error" if candidates else "warning"
        reading.problems.extend(
            Problem(severity, "repeated-id", repr(id), message, file=reading.path, id=id) for id in twice
        )


@dataclass(frozen=True)
class _Fit:
    """How a file of candidates and the references go together."""

    path: str
    lines: list[str]
    error: str = ""
    matched: int = 0
    missing: int = 0
    extra: int = 0


def _fit(reading: Reading, against: list[Reading]) -> _Fit:
    """What `score` would find of the ids; the first complaint it would have."""
    corpus = reading.corpus
    name = escape_controls(reading.path)
    if not corpus.documents or not any(each.corpus.documents for each in against):
        return _Fit(reading.path, [f"{name}: nothing to compare"], "nothing to compare")
    firsts = {documents[0].id: documents[0] for documents in corpus.by_id().values()}
    once = msgspec.structs.replace(corpus, documents=tuple(firsts.values()))
    (once,), others = bare_ids([once], [each.corpus for each in against])
    try:
        coverage = join(candidates=once, references=others).coverage
    except StorymeterError as error:
        return _Fit(reading.path, [f"{name}: {escape_controls(str(error))}"], str(error))
    missing, extra, _ = coverage.sizes
    line = f"{name}: {many(coverage.matched, 'document')} of {coverage.matched + missing:,} references found"
    if missing:
        line += f", {missing:,} missing ({escape_controls(some(coverage.missing, limit=3))})"
    if extra:
        line += f", {extra:,} without a reference ({escape_controls(some(coverage.extra, limit=3))})"
    kinds = {once.kind} | {each.kind for each in others}
    mixed = "" if "dense" not in kinds or len(kinds) == 1 else "; one side has times and the other has none"
    return _Fit(reading.path, [line + mixed], "", coverage.matched, missing, extra)


def _advice(
    given: list[Reading], against: list[Reading], fits: list[_Fit], reading: Mapping[str, Any]
) -> str:
    """The command to run, or what to mend first."""
    options = [shlex.quote(each.path) for each in given]
    for each in against:
        options += ["-r", shlex.quote(each.path)]
    for key, name in (("format", "--from"), ("lists", "--lists")):
        options += [name, str(reading[key])] if reading.get(key) else []
    for key in ("id_map", "reference_id_map"):
        for value in reading.get(key) or ():
            options += [f"--{key.replace('_', '-')}", shlex.quote(value)]
    for key in ("columns", "reference_columns"):
        if pairs := reading.get(key):
            named = ",".join(f"{ours}={theirs}" for ours, theirs in pairs.items())
            options += [f"--{key.replace('_', '-')}", shlex.quote(named)]
    errors = [problem for each in (*given, *against) for problem in each.errors]
    swapped = bool(errors) and all(problem.code == "reversed" for problem in errors)
    options += ["--repair"] if reading.get("repair") or swapped else []
    blocked = (errors and not swapped) or any(f.error for f in fits)
    head = "Mend the errors above, then run:" if blocked else "Run:"
    return f"{head} storymeter score {' '.join(options)}"


def _json(given: list[Reading], against: list[Reading], fits: list[_Fit], told: str) -> dict[str, Any]:
    result: dict[str, Any] = {"schema": 1, "files": [_record(r) for r in (*given, *against)]}
    if against:
        result["fits"] = [
            {
                "path": f.path,
                "matched": f.matched,
                "missing": f.missing,
                "extra": f.extra,
                "complaint": f.error or None,
            }
            for f in fits
        ]
        result["command"] = told.partition("run: ")[2] or told.partition("Run: ")[2]
    return result


def _examined(path: str, **options: Any) -> Reading:
    """A file that cannot be opened is a problem like any other: it does not hide those of the files after
    it.
    """
    try:
        return examine(path, **options)
    except (DataError, MissingPartError) as error:
        problem = Problem("error", "unreadable", os.fspath(path), str(error).replace("\n", " "), file=path)
        return Reading(path, Corpus((), origin=Origin(path=path)), [problem])


def _record(reading: Reading) -> dict[str, Any]:
    corpus = reading.corpus
    return {
        "path": reading.path,
        "format": corpus.origin.format or None,
        "documents": len(corpus.by_id()),
        "captions": corpus.captions,
        **({"read_as": corpus.meta["read_as"]} if "read_as" in corpus.meta else {}),
        "problems": [
            {"severity": p.severity, "code": p.code, "where": p.where, "message": p.text, "count": p.count}
            for p in group(reading.problems)
        ],
    }


def _page(reading: Reading) -> str:
    corpus = reading.corpus
    lines = [
        _styled(reading.path, bold=True)
        + f": {corpus.origin.format or 'unknown format'}, {many(len(corpus.by_id()), 'document')},"
        f" {many(corpus.captions, 'caption')}"
    ]
    if assumed := corpus.meta.get("read_as"):
        lines.append(f"  read as: {escape_controls(str(assumed))}")
    for problem in group(reading.problems):
        colour = "red" if problem.severity == "error" else "yellow"
        times = f", {problem.count:,} times" if problem.count > 1 else ""
        lines += [
            f"  {_styled(problem.severity, fg=colour)} [{problem.code}{times}]"
            f" {escape_controls(problem.text)}",
            f"    at {escape_controls(problem.where)}",
        ]
    errors = len(reading.errors)
    lines.append(
        f"  {many(errors, 'error')}, {many(len(reading.problems) - errors, 'warning')}"
        if reading.problems
        else _styled("  fine", fg="green")
    )
    if any(problem.code == "reversed" for problem in reading.errors):
        lines.append("  Reversed segments can be swapped with --repair.")
    return "\n".join(lines)


def _styled(text: str, **style: Any) -> str:
    return click.style(escape_controls(text), **style) if coloured() else escape_controls(text)


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
        say(line)
    if lost:
        say(f"note: left out, because the format cannot carry it: {', '.join(lost)}")
    done = ", ".join(f"{number:,} {what}" for what, number in corpus.meta.get("repairs", {}).items())
    if done:
        say(f"note: repaired: {done}")
    warnings = len(reading.problems)
    if warnings:
        say(f"note: {many(warnings, 'warning')}; see them with: storymeter validate {source}")


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
def tokenize_command(file: str, tokenizer: str, punctuation: bool, format: str | None, style: str) -> None:
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
