"""Human scores and metric scores from files.

`--human`: a table with a system, an item and a score per line (CSV, tab- or blank-separated; `SYS SID
RAW.SCR Z.SCR N` of TRECVID and WMT is understood), a table without items (system level), or ratings (a
campaign, our export, WMT, MTurk, Appraise, any table that names raters), from which caption scores are made
as `storymeter human analyse` makes them. Preferences and story surveys are known by what they hold. Raters
who failed the controls of their study are left out. `--scores`: one column per metric beside system and
item, or lines of metric, system, item, score. Or one table with both: `read_one_table`.

>>> pairs = [(v, s, h) for v in range(8) for s, h in (("a", v), ("b", 9 - v))]
>>> rows = [{"video": v, "system": s, "human": h, "mine": h + v % 3} for v, s, h in pairs]
>>> found = read_one_table(rows)
>>> [name for name in found.human], {name: len(values) for name, values in found.metrics.items()}
(['human'], {'mine': 16})
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from ..errors import DataError, first_few, many
from ..files import content
from ..human.analysis.assessment import Analysis, analyse
from ..human.analysis.left_out import records_without
from ..human.analysis.preference import Preference, analyse_preferences
from ..human.analysis.spans import analyse_spans
from ..human.analysis.story_raters import Gates, believed
from ..human.analysis.survey import story_means
from ..human.imports import CAPTION_SCORES, is_known, words_of
from ..human.sources import OpenedRatings, open_ratings
from ..human.tables import names_raters
from ..human.tables.roles import NOT_SCORES, by_name, given_columns, number, numeric, plain
from ..human.tables.sheets import Sheet, from_object, read_sheet, sheet_of, unpacked
from .scores import Judgement, Key, Scores, tabulate

SYSTEM, ITEM = ("system", "sys", "model"), ("item", "sid", "id", "document", "segment", "video", "image")
SCORE = {
    "z": ("z", "z.scr", "z_score", "score", "value", "human", "rating"),
    "raw": ("raw", "raw.scr", "raw_score", "score", "value", "human", "rating"),
}


Accept = Literal["passed", "all"]


def open_human(path: Path, columns: dict[str, str] | None = None) -> OpenedRatings | None:
    """The ratings of a campaign or file; None where the file is a table of scores."""
    if path.is_dir():
        return open_ratings(path)
    raw = unpacked(content(path, "Give a table of scores."), path.name)
    head = raw.partition(b"\n")[0].decode("utf-8-sig", "replace")
    if words_of(head) >= CAPTION_SCORES:
        return None  # published means of captions: no ratings by raters
    return open_ratings(path, columns=columns) if is_known(raw) or names_raters(path, columns) else None


def read_human(
    path: Path,
    *,
    which: Literal["z", "raw"] = "z",
    accept: Accept = "passed",
    opened: OpenedRatings | None = None,
) -> Scores:
    """The human score of every caption. `opened` saves the reading of ratings that were opened already."""
    opened = opened or open_human(path)
    if opened is not None:
        return _from_ratings(opened, which, accept)
    raw = content(path, "Give a table of scores.")
    rows = _table(raw, path.name)
    system, item = _column(rows[0], SYSTEM), _column(rows[0], ITEM)
    value = _column(rows[0], SCORE[which])
    if system is None or value is None:
        raise DataError(
            f"{path.name} has the columns {first_few(rows[0])}; a system and a score are needed.",
            hint="Name them system, item and score (or SYS, SID, Z.SCR).",
        )
    judgements, problems, zero = [], [], 0
    for line, row in enumerate(rows, 2):
        if item and item.lower() == "sid" and row[item].strip() == "0":
            zero += 1
            continue
        try:
            judgements.append(Judgement(row[system], row[item] if item else "", float(row[value])))
        except ValueError:
            problems.append(f"line {line}: {row[value]!r}")
    if problems:
        raise DataError(
            f"{path.name}: {len(problems):,} scores are not numbers: {first_few(problems, limit=3)}",
            hint="Correct these lines, or remove them.",
        )
    scale = which if value.lower() in ("z", "z.scr", "z_score", "raw", "raw.scr", "raw_score") else ""
    # TRECVID's SID counts from 1: what stands under 0 belongs to no caption
    notes = [f"{zero:,} rows with SID 0 are dropped (SID counts from 1)."] if zero else []
    return tabulate(judgements, scale=scale, notes=notes)


def read_preferences(
    path: Path, *, accept: Accept = "passed", opened: OpenedRatings | None = None
) -> tuple[list[Preference], list[str]] | None:
    """What people prefer, by pair of systems, and what is to be said of it; None where the file is something
    else. Raters who failed the test questions are left out, unless `accept` is `all`."""
    opened = opened or open_human(path)
    if opened is None or opened.kind.name != "preference":
        return None
    share = 0.0 if accept == "all" else None  # everyone gets at least none of the questions right
    gates: Gates = "control" if accept == "all" else "auto"
    preferences = analyse_preferences(opened.records, faithful=share, gates=gates)
    kept, *_ = believed(opened.records, share, gates=gates)
    used, raters = (len({record.rater for record in some_of}) for some_of in (kept, opened.records))
    items = len({item for preference in preferences for item in preference.items})
    said = f"Preferences on {many(items, 'item')} by {used:,} of {many(raters, 'rater')}."
    return preferences, list(
        dict.fromkeys([*opened.notes, said, *(note for p in preferences for note in p.notes)])
    )


def read_survey(
    path: Path, *, accept: Accept = "passed", opened: OpenedRatings | None = None
) -> dict[str, Scores] | None:
    """Mean marks of a survey by criterion (and `overall`, their sum), or None where the file is something
    else. Raters who failed the control stories are left out, unless `accept` is `all`."""
    opened = opened or open_human(path)
    if opened is None or opened.kind.name != "survey":
        return None
    records, notes = (
        believed(opened.records)[:2] if accept == "passed" else records_without(opened.records, "leave-out")
    )
    if not records:
        raise DataError(
            "No rater passed the control stories.", hint="Use --accept all to count the marks of every rater."
        )
    raters, used = (
        len({record.rater for record in some_records}) for some_records in (opened.records, records)
    )
    return {
        criterion: tabulate(
            [Judgement(system, item, value) for (system, item), value in stories.items()],
            notes=[
                *opened.notes,
                f"Mean marks of {len(stories):,} stories for each criterion, by {used:,} of {raters:,}"
                " raters.",
                *notes,
            ],
        )
        for criterion, stories in story_means(records).items()
        if stories
    }


def read_scores(path: Path) -> dict[str, dict[Key, float]]:
    rows = _table(content(path, "Give a table of scores."), path.name)
    system, item, metric = _column(rows[0], SYSTEM), _column(rows[0], ITEM), _column(rows[0], ("metric",))
    if system is None:
        raise DataError(
            f"{path.name} has the columns {first_few(rows[0])}; a system is needed.",
            hint="Name them system, item, and one column per metric.",
        )
    value = _column(rows[0], ("score", "value")) if metric else None
    names = [key for key in rows[0] if key not in (system, item)] if metric is None else []
    found: dict[str, dict[Key, float]] = {}
    for row in rows:
        key = (row[system], row[item] if item else "")
        cells = [(row[metric], row[value])] if metric and value else [(name, row[name]) for name in names]
        for name, cell in cells:
            if cell in ("", "NA", "nan", "NaN", "null", "None"):
                continue  # missing stays missing
            try:
                found.setdefault(name, {})[key] = float(cell)
            except ValueError:
                if metric:
                    raise DataError(
                        f"{path.name}: {cell!r} is not a score of {name}.",
                        hint="Scores are numbers; leave the cell empty where there is none.",
                    ) from None
                found.setdefault(name, {})
    found = {
        name: values for name, values in found.items() if values
    }  # columns of words (notes, languages) are no metrics
    if not found:
        raise DataError(f"{path.name} holds no scores.", hint="Give one column of numbers per metric.")
    return found


def _from_ratings(opened: OpenedRatings, which: Literal["z", "raw"], accept: Accept) -> Scores:
    notes: Sequence[str] = ()
    if opened.table is not None:
        analysis: Analysis = analyse(opened.table, accept=accept, splits=0, need_ranking=False)
    elif opened.kind.scored:
        marked = analyse_spans(opened.records, accept=accept, splits=0, need_ranking=False)
        analysis, notes = marked.analysis, (*opened.notes, *marked.notes)
    else:
        raise DataError(
            f"The answers of a {opened.kind.name} study are no scores of captions.",
            hint="Use storymeter human analyse, or storymeter meta with metrics to compare.",
        )
    captions, names = analysis.captions, analysis.used
    values = captions.z if which == "z" else captions.raw
    judgements = [
        Judgement(names.systems[s], names.item.names[i], float(v))
        for s, i, v in zip(captions.system, captions.item, values, strict=True)
    ]
    raters = len({record.rater for record in opened.records}) or len(analysis.kept)
    failed = [w.id for w, used in zip(analysis.quality.workers, analysis.kept, strict=True) if not used]
    left_out = f"{many(len(failed), 'rater')} failed the controls and were left out: {first_few(failed)}."
    return tabulate(
        judgements,
        scale=which,
        notes=[
            (
                f"Caption scores ({which}) from {len(analysis.used):,} ratings of"
                f" {int(analysis.kept.sum()):,} of {raters:,} raters."
            ),
            *([left_out.replace("were", "was") if len(failed) == 1 else left_out] if failed else []),
            *notes,
            *analysis.ratings.notes,
            *([f"WARNING: {analysis.quality.unranked}."] if analysis.quality.unranked else []),
        ],
    )


def _table(raw: bytes, name: str) -> list[dict[str, str]]:
    """Rows by column name, whatever container they are in and whatever separates them."""
    raw = unpacked(raw, name)
    first = raw.lstrip().split(b"\n", 1)[0]
    if first[:1] in b"[{" or first[:4] in (b"PAR1", b"PK\x03\x04") or any(mark in first for mark in b"\t,;|"):
        sheet = sheet_of(raw, name)
        rows = [{head: row.get(head) for head in sheet.heads} for row in sheet.rows]
        return [{head: "" if cell is None else str(cell) for head, cell in row.items()} for row in rows]
    try:
        lines = [line.split() for line in raw.decode().splitlines() if line.strip()]
    except UnicodeDecodeError as error:
        raise DataError(
            f"{name} is not UTF-8 (byte {error.start:,}).", hint="Convert it: iconv -f latin1 -t utf-8 FILE"
        ) from None
    wrong = [str(number) for number, row in enumerate(lines[1:], 2) if len(row) != len(lines[0])]
    if wrong:
        raise DataError(
            f"{name}: {len(wrong):,} lines do not have the {len(lines[0])} columns of the header: lines"
            f" {first_few(wrong)}.",
            hint="Check the separators.",
        )
    if len(lines) < 2:
        raise DataError(f"{name} has a header but no rows.", hint="Give a table of scores.")
    return [dict(zip(lines[0], row, strict=True)) for row in lines[1:]]


def _column(row: dict[str, str], names: Sequence[str]) -> str | None:
    lowered = {key.lower(): key for key in row}
    return next((lowered[name] for name in names if name in lowered), None)


#: names of a column of human scores, where none says that it is about people
_SCORES = ("score", "rating", "mos", "da", "judgement", "judgment", "gold", "zscr", "zscore", "mark", "grade")


#: roles that may be named for such a table, beside `human`
_ROLES = ("system", "item", "rater")


@dataclass(frozen=True, slots=True)
class OneTable:
    """Human scores by the name of their column, and metric scores by (system, item)."""

    human: dict[str, Scores]
    metrics: dict[str, dict[Key, float]]


def read_one_table(source: Any, columns: Mapping[str, str] | None = None) -> OneTable:
    """Reads a path, records or a data frame. `columns` names what is not found by its name: human, system,
    item."""
    sheet = read_sheet(Path(source)) if isinstance(source, str | Path) else from_object(source)
    given = given_columns({role: head for role, head in (columns or {}).items() if role in _ROLES}, sheet)
    roles: dict[str, str] = {}
    for role in ("rater", "system", "item", "time"):
        head = by_name(role, sheet, tuple(roles.values()), given)
        if head is not None:
            roles[role] = head
    free = [
        head
        for head in sheet.heads
        if head not in roles.values() and plain(head) not in NOT_SCORES and numeric(sheet.column(head))
    ]
    people = _people(sheet, free, (columns or {}).get("human"))
    metrics = [head for head in free if head not in people]
    if not metrics:
        raise DataError(
            f"{sheet.name} has no column of a metric beside {first_few(people)}.",
            hint="Give one column of numbers per metric, or metric scores of their own: --scores FILE",
        )
    keys, said = _keys(sheet, roles)
    assumed = ", ".join(f"{role} = {head}" for role, head in roles.items() if role != "time")
    note = (
        f"read {sheet.name}: human = {first_few(people)}, metrics = {first_few(metrics, limit=20)}"
        + (f", {assumed}" if assumed else "")
        + f" ({many(len(sheet.rows), 'row')})"
    )
    scores = {}
    for head in people:
        pairs = zip(keys, sheet.column(head), strict=True)
        given_scores = [(key, value) for key, cell in pairs if (value := number(cell)) is not None]
        scores[head] = tabulate([Judgement(*key, value) for key, value in given_scores], notes=[note, *said])
    return OneTable(scores, {head: _values(sheet, head, keys) for head in metrics})


def _people(sheet: Sheet, free: Sequence[str], named: str | None) -> list[str]:
    """The columns of human scores."""
    if named is not None:
        wanted = named.split("+")
        unknown = [head for head in wanted if head not in free]
        if unknown:
            raise DataError(
                f"{sheet.name} has no column of numbers called {unknown[0]!r}.",
                hint=f"Columns of numbers: {first_few(free, limit=20)}.",
            )
        return wanted
    people = [head for head in free if plain(head).startswith("human") or plain(head).endswith("human")]
    people = people or [head for head in free if plain(head).replace(".", "") in _SCORES]
    if len(people) == 1 or (all(plain(head).startswith("human") for head in people) and people):
        return people
    fits = people or free
    if not fits:
        raise DataError(
            f"{sheet.name} has no columns of numbers; its columns are {first_few(sheet.heads, limit=12)}.",
            hint="Give system, item, the human score and one column per metric.",
        )
    commands = [f"storymeter meta {sheet.path or sheet.name} --columns human={head}" for head in fits[:4]]
    raise DataError(
        f"{sheet.name}: which column holds the human scores? {first_few(fits)} may.",
        hint="Say which is meant:\n" + "\n".join(commands),
    )


def _keys(sheet: Sheet, roles: Mapping[str, str]) -> tuple[list[Key], list[str]]:
    """System and item of every row, and what was assumed of them."""
    stem, said = sheet.name.split(".")[0], []
    systems = (
        [str(name) for name in sheet.column(roles["system"])]
        if "system" in roles
        else [stem] * len(sheet.rows)
    )
    if "system" not in roles:
        said.append(f"{sheet.name} names no systems: all rows count as those of {stem!r}.")
    if "item" in roles:
        items = [str(name) for name in sheet.column(roles["item"])]
    elif len(set(systems)) == len(systems):
        items = [""] * len(systems)
    else:
        items = [f"row {row}" for row in range(2, len(systems) + 2)]
        said.append(f"{sheet.name} names no items: every row counts as one.")
    return list(zip(systems, items, strict=True)), said


def _values(sheet: Sheet, head: str, keys: Sequence[Key]) -> dict[Key, float]:
    found: dict[Key, float] = {}
    for row, (key, cell) in enumerate(zip(keys, sheet.column(head), strict=True), 2):
        value = number(cell)
        if value is None:
            continue
        if found.setdefault(key, value) != value:
            raise DataError(
                f"{sheet.name}, row {row}: {head} is {value:g} for {' '.join(key).strip()}, and"
                f" {found[key]:g} in an earlier row.",
                hint="A caption has one score of a metric: check that system and item name it.",
            )
    return found


def read_people(
    path: Path,
    which: Literal["z", "raw"],
    accept: Literal["passed", "all"],
    opened: OpenedRatings | None = None,
) -> dict[str, Scores]:
    """The human scores of a file or campaign, by criterion where there are several."""
    opened = opened or open_human(path)
    surveyed = read_survey(path, accept=accept, opened=opened) if opened is not None else None
    if surveyed:
        return {f"{path.stem}, {criterion}": one for criterion, one in surveyed.items()}
    return {path.stem: read_human(path, which=which, accept=accept, opened=opened)}
