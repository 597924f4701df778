"""Answers joined with the private key, as `Rating` records and in the files other tools read.

One line per judgement; raters are pseudonyms unless `real_names` asks for the platform's ids. What a
judgement is, each kind of study says for itself:

    da           item, system, value 0-100, kind (system, repeat, degraded, human), pair; where several
                 systems wrote the same words, `system` is their names joined by + and `meta.systems` lists
                 them: all get the credit
    spans        as da, with criterion "spans" and the marked words in `meta`
                 (`storymeter.human.analysis.spans`)
    preference   criterion "preference": value -2 (`system` is better) … 2 (`meta.against` is better), sides
                 put back; criterion "test", kind "test": 1 where a test question or control was answered
                 rightly, else 0
    survey       criterion "grounded", "coherent", "no_repetition" (1-5) and "vote" (1 for the best story,
                 else 0); criterion "test" as above, for stories that must lose

`position` counts the items as this rater saw them, `meta.place` is their place in the private key.
`meta.state` is "done", "active", "held" or "expired": partial work is exported too, and flagged so;
`meta.held` is why the organiser holds a rater's work. `meta.wording` is the version of consent and
instructions that the rater agreed to, `meta.corrections` how often the answer was changed within a minute.
`meta.study` of the first line of JSON Lines and CSV is what the analysis has to know of the campaign."""

from __future__ import annotations

import csv
import datetime
import io
import itertools
import re
import statistics
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote, urlsplit

import msgspec

from ...captions import Rating
from ...errors import UsageError
from ...files import guarded
from ..rating_files import META_COLUMNS
from ..study import ControlResult
from .money import measured_seconds
from .record import Campaign, Facts, Folder

if TYPE_CHECKING:
    from ..store import Store

FORMATS = ("jsonl", "csv", "wmt", "appraise", "mturk", "prolific")
WMT_TYPES = {"system": "SYSTEM", "repeat": "REPEAT", "degraded": "BAD_REF", "human": "REF"}
APPRAISE_TYPES = {"system": "TGT", "repeat": "CHK", "degraded": "BAD", "human": "REF"}


def ratings(
    folder: Folder, store: Store, *, real_names: bool = False, withdrawn: bool = False
) -> list[Rating]:
    """Every answer of the campaign that counts, by assignment and position; with `withdrawn` those about
    withdrawn clips and captions, too, with `meta.withdrawn`.
    """
    key, study, gone = folder.key, folder.study, folder.campaign.withdrawn
    orders: dict[int, list[int]] = {}
    found: list[Rating] = []
    for row in store.answers():
        if row.assignment not in orders:
            orders[row.assignment] = msgspec.json.decode(row.places) if row.places else []
        order = orders[row.assignment]
        line = key.get((row.hit, order[row.position] if order else row.position))
        answer = msgspec.json.decode(row.answer)
        why = None if line is None else next((one for one in gone if one.holds(line)), None)
        if line is not None and "skipped" not in answer and (why is None or withdrawn):
            remark = answer.pop("comment", "")
            common = {**_common(line, row, real_names), "campaign": folder.campaign.id}
            if remark:
                common["meta"]["comment"] = remark
            if why is not None:
                common["meta"]["withdrawn"] = why.reason or "withdrawn"
            found.extend(study.judgements(line, answer, common))
    return found


def _common(line: Any, row: Any, real_names: bool) -> dict[str, Any]:
    """What all judgements of one answer share."""
    received = datetime.datetime.fromtimestamp(row.received_at, datetime.timezone.utc)
    held = {"held": row.held_reason} if row.held_reason is not None else {}
    more: dict[str, Any] = {"wording": row.wording} if row.wording else {}
    if row.corrections:
        more["corrections"] = row.corrections
    return {
        "item": line.item,
        "rater": row.external if real_names else row.pseudonym,
        "hit": line.hit,
        "position": row.position,
        "seconds": round(max(0.0, row.received_at - row.shown_at), 3),
        "time": received.isoformat(timespec="milliseconds"),
        "meta": {"assignment": row.assignment, "place": line.position, "state": row.state, **held, **more},
    }


def styles(folder: Folder) -> list[str]:
    """The formats in which this campaign can be exported."""
    campaign, study = folder.campaign, folder.study
    fitting = {"jsonl", "csv", *study.formats, campaign.platform.name}
    return [style for style in FORMATS if style in fitting]


def render(
    folder: Folder,
    store: Store,
    style: str,
    *,
    real_names: bool = False,
    reject: bool = False,
    controls_only: bool = False,
    withdrawn: bool = False,
) -> str:
    if style not in styles(folder):
        raise UsageError(
            f"This {folder.campaign.task} campaign ({folder.campaign.platform.name} raters) has no {style}"
            " export.",
            hint=f"There are: {', '.join(styles(folder))}.",
        )
    if style in ("mturk", "prolific"):
        return review(folder, store, style, reject=reject, controls_only=controls_only)
    found = ratings(folder, store, real_names=real_names, withdrawn=withdrawn)
    if style == "appraise":
        return to_appraise(found, folder.campaign.language)
    if style in ("jsonl", "csv") and found:
        about = msgspec.to_builtins(facts(folder, store, found, withdrawn=withdrawn))
        found[0] = msgspec.structs.replace(found[0], meta={**found[0].meta, "study": about})
    return {"jsonl": to_jsonl, "csv": to_csv, "wmt": to_wmt}[style](found)


def facts(folder: Folder, store: Store, found: Sequence[Rating], *, withdrawn: bool = False) -> Facts:
    """What an analysis of these answers has to know beside them; `withdrawn`: they are among them."""
    campaign, counts, known = folder.campaign, store.counts(), folder.campaign.lacking
    left_out = () if withdrawn else campaign.withdrawn
    gone = {one.item for one in campaign.withdrawn if not one.system}
    lacking = {name: tuple(x for x in items if x not in gone) for name, items in (known or {}).items()}
    shown = {line.item for line in folder.key.values()} - gone
    return Facts(
        campaign.id,
        campaign.pay(counts["paid"], measured_seconds(found)),
        counts["erased"],
        left_out,
        () if known is None else tuple(sorted(shown.union(*lacking.values()))),
        None if known is None else lacking,
    )


def to_jsonl(found: Iterable[Rating]) -> str:
    return "".join(msgspec.json.encode(rating).decode() + "\n" for rating in found)


def to_csv(found: Iterable[Rating]) -> str:
    columns = tuple(name for name in Rating.__struct_fields__ if name != "meta")
    found = list(found)
    marked = META_COLUMNS if any("spans" in rating.meta for rating in found) else ()
    more = ("state", "against", "held", "comment", "corrections", "wording", "withdrawn", *marked, "study")
    rows = (
        [getattr(rating, column) for column in columns] + [_cell(rating.meta.get(key, "")) for key in more]
        for rating in found
    )
    return table((*columns, *more), rows)


def _cell(value: object) -> object:
    """A list or an object as JSON."""
    return msgspec.json.encode(value).decode() if isinstance(value, list | dict) else value


def to_wmt(found: Sequence[Rating]) -> str:
    """WMT's ratings table: header separated by blanks, rows by tabs, ids without either; `time` is that of
    the whole HIT.
    """
    lines = ["HITId WorkerId src trg item hit sys_id rid type sid score time"]
    total: dict[int, float] = defaultdict(float)
    for rating in found:
        total[rating.meta["assignment"]] += rating.seconds or 0
    for rating in found:
        number = rating.meta["assignment"]
        row = [
            f"{rating.hit}.{number}",
            rating.rater,
            "video",
            "en",
            "ad",
            rating.hit,
            rating.system,
            str(rating.position),
            WMT_TYPES[rating.kind],
            rating.item,
            _number(rating.value),
            f"{total[number]:.1f}",
        ]
        lines.append("\t".join("_".join(cell.split()) for cell in row))
    return "\n".join(lines) + "\n"


def to_appraise(found: Sequence[Rating], language: str) -> str:
    """Appraise's result rows, which have no header: user, system, segment, type, source, target, score,
    start, end.
    """

    def row(rating: Rating) -> Sequence[str]:
        what = (rating.rater, rating.system, rating.item, APPRAISE_TYPES[rating.kind], "video", language)
        end = datetime.datetime.fromisoformat(rating.time).timestamp()
        return *what, _number(rating.value), f"{end - (rating.seconds or 0):.3f}", f"{end:.3f}"

    return _csv(map(row, found))


def table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    return _csv(itertools.chain([columns], rows))


def _csv(rows: Iterable[Sequence[object]]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([safe(value) for value in row] for row in rows)
    return out.getvalue()


def safe(value: object) -> object:
    """A cell that no spreadsheet runs as a formula: text beginning = + - @ tab CR gets a quote in front."""
    return guarded(value) if isinstance(value, str) else value


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(value)


# Prolific and MTurk: entry links, completion codes, payment files.
#
# **local**: a personal link per rater. **MTurk** (ExternalQuestion): the page is framed; `assignmentId`
# says ASSIGNMENT_ID_NOT_AVAILABLE in the preview; the work is handed in by a form post of `assignmentId`
# and the completion code to `turkSubmitTo`/mturk/externalSubmit, and only Amazon's two hosts are ever
# posted to. **Prolific**: the rater returns to the completion address with the study's code, after the last
# answer is on the disk; work is reconciled by session id, since everybody has the same code.


PREVIEW = "ASSIGNMENT_ID_NOT_AVAILABLE"
MTURK_HOSTS = ("www.mturk.com", "workersandbox.mturk.com")
MTURK_FRAMES = "https://www.mturk.com https://workersandbox.mturk.com https://worker.mturk.com"
PROLIFIC = "https://app.prolific.com/submissions/complete?cc="
#: the forms of the platforms' ids; what looks otherwise was made up
_MTURK_WORKER = re.compile(r"A[A-Z0-9]{9,24}\Z")
_MTURK_ID = re.compile(r"[A-Z0-9]{20,40}\Z")
_PROLIFIC_ID = re.compile(r"[0-9a-f]{24}\Z")


class Visit(NamedTuple):
    """Somebody sent by a platform."""

    external: str
    session: str
    submit_to: str = ""
    preview: bool = False


def mturk_visit(query: Mapping[str, str]) -> Visit | None:
    """The visitor of an ExternalQuestion, or None where the address does not come from there."""
    assignment, worker = query.get("assignmentId", ""), query.get("workerId", "")
    if assignment == PREVIEW:
        return Visit("", "", preview=True)
    submit_to = mturk_submit(query.get("turkSubmitTo", ""))
    if not (_MTURK_ID.match(assignment) and _MTURK_WORKER.match(worker) and submit_to):
        return None
    return Visit(worker, assignment, submit_to)


def mturk_submit(address: str) -> str:
    """Where to post the result; empty unless it is one of Amazon's two hosts."""
    try:
        parts = urlsplit(address)
        host = parts.hostname or ""
        port = parts.port
    except ValueError:
        return ""
    if (
        host not in MTURK_HOSTS
        or parts.scheme not in ("http", "https")
        or port not in (None, 443, 80)
        or "@" in parts.netloc
    ):
        return ""
    return f"https://{host}/mturk/externalSubmit"


def prolific_visit(query: Mapping[str, str]) -> Visit | None:
    person, study, session = (query.get(name, "") for name in ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID"))
    if not all(map(_PROLIFIC_ID.match, (person, study, session))):
        return None
    return Visit(person, session)


def prolific_return(campaign: Campaign) -> str:
    code = campaign.platform.completion_code
    return PROLIFIC + quote(code, safe="") if code else ""


def rehearsal_links(folder: Folder, raters: int, seed: int) -> list[str]:
    """Links for bots: the first personal links, or visits as the platform would send them."""
    name = folder.campaign.platform.name
    if folder.campaign.platform.keys:
        raise UsageError(
            "Nobody but Prolific can sign visits of this campaign: simulated raters would be refused.",
            hint="Make a campaign without --platform-key to rehearse with.",
        )
    if name == "mturk":
        query = (
            "/mturk?assignmentId=3REHEARSAL{0:06X}A{1:013X}&hitId=3REHEARSAL00000000000000000000"
            "&workerId=AREHEARSAL{0:X}W{1:X}&turkSubmitTo=https%3A%2F%2Fworkersandbox.mturk.com"
        )
    elif name == "prolific":
        query = "/prolific?PROLIFIC_PID=a{0:08x}{1:015x}&STUDY_ID=b{0:023x}&SESSION_ID=c{0:08x}{1:015x}"
    else:
        links = folder.links()
        if raters > len(links):
            raise UsageError(
                f"The campaign has {len(links)} personal links, not {raters}.",
                hint=f"Make it with --raters {raters}, or simulate fewer.",
            )
        return links[:raters]
    return [query.format(seed % 16**6, number) for number in range(1, raters + 1)]


def review(
    folder: Folder, store: Store, style: str, *, reject: bool = False, controls_only: bool = False
) -> str:
    """Whom to pay, in the form that the platform's upload takes: APPROVE, or REVIEW with the reason to look.

    Over all finished work of a rater, the study's controls come first, then what the analysis asks beside
    them (agreement, rings, bias for a system), then time; `controls_only` is the rule of the papers. All of
    these err (an honest rater fails now and then), and platforms restrict rejections: REJECT stands only
    where `reject` asks for it, and for failed controls alone. Unfinished work is listed without an action."""

    finished = {row.assignment: row for row in store.answers()}
    done = [r for r in ratings(folder, store, real_names=True) if r.meta["state"] == "done"]
    verdicts, nothing = folder.study.verdicts(done), ControlResult()
    doubts = {} if controls_only else _doubts(folder, done)
    rows: list[tuple[str, ...]] = []
    for row in finished.values():
        if row.state != "done":
            action, reason = "", ""
        else:
            said, doubt = verdicts.get(row.external, nothing), doubts.get(row.external, "")
            action, reason = _action(said, row.held_reason, doubt, reject)
        if style == "prolific":
            rows.append((row.session, row.external, row.code or "", row.state, action, reason))
        elif action:
            given = {"APPROVE": ("x", "", ""), "REVIEW": ("", "", reason), "REJECT": ("", reason, "")}
            rows.append((row.session, row.external, *given[action]))
    if style == "prolific":
        return table(("SESSION_ID", "PROLIFIC_PID", "code", "state", "action", "reason"), rows)
    # columns of the batch page's upload: an x approves, a text rejects, with neither nothing happens
    return table(("AssignmentId", "WorkerId", "Approve", "Reject", "Review"), rows)


#: seconds per rating below which a rater is looked at who needs less than this share of the usual time
_HASTY, _SHARE = 3.0, 0.25


def _doubts(folder: Folder, done: Sequence[Rating]) -> dict[str, str]:
    """Why to look at raters whom controls may believe: what the analysis says of them, and their time."""
    found = {
        rater: said.reason for rater, said in folder.study.included(done).items() if said.accepted is False
    }
    times: dict[str, list[float]] = defaultdict(list)
    for one in done:
        if one.seconds is not None:
            times[one.rater].append(one.seconds)
    medians = {rater: statistics.median(seconds) for rater, seconds in times.items()}
    usual = statistics.median(medians.values()) if medians else 0.0
    for rater, mine in medians.items():
        if mine < min(_HASTY, _SHARE * usual):
            found.setdefault(rater, f"{mine:.1f} s for a rating (the median rater took {usual:.1f} s)")
    return found


def _action(said: ControlResult, held: str | None, doubt: str, reject: bool) -> tuple[str, str]:
    """What to do about one finished assignment, and why."""
    if held is not None:
        return "REVIEW", f"on hold: {held}"
    if said.accepted is None:
        return "REVIEW", said.reason or "no control item was answered, so that nothing can be said"
    if said.accepted:
        return ("REVIEW", doubt) if doubt else ("APPROVE", said.reason)
    return "REJECT" if reject else "REVIEW", said.reason
