"""Where raters come from, and how they go home.

**local**: a personal link per rater. **MTurk** (ExternalQuestion): the page is framed; `assignmentId` says
ASSIGNMENT_ID_NOT_AVAILABLE in the preview; the work is handed in by a form post of `assignmentId` and the
completion code to `turkSubmitTo`/mturk/externalSubmit, and only Amazon's two hosts are ever posted to.
**Prolific**: the rater returns to the completion address with the study's code, after the last answer is on
the disk; work is reconciled by session id, since everybody has the same code."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote, urlsplit

from ..captions import Rating
from ..errors import UsageError
from .campaign import Campaign, Folder

if TYPE_CHECKING:
    from .store import Store

PREVIEW = "ASSIGNMENT_ID_NOT_AVAILABLE"
MTURK_HOSTS = ("www.mturk.com", "workersandbox.mturk.com")
MTURK_FRAMES = "https://www.mturk.com https://workersandbox.mturk.com https://worker.mturk.com"
PROLIFIC = "https://app.prolific.com/submissions/complete?cc="
_ID = re.compile(r"[A-Za-z0-9_\-]{1,128}\Z")


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
    if not (_ID.match(assignment) and _ID.match(worker) and submit_to):
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
    if not (_ID.match(person) and _ID.match(study) and _ID.match(session)):
        return None
    return Visit(person, session)


def prolific_return(campaign: Campaign) -> str:
    return (
        PROLIFIC + quote(campaign.platform.completion_code, safe="")
        if campaign.platform.completion_code
        else ""
    )


def rehearsal_links(folder: Folder, raters: int, seed: int) -> list[str]:
    """Doors for bots: the first personal links, or visits as the platform would send them."""
    name = folder.campaign.platform.name
    if name == "mturk":
        query = "/mturk?assignmentId=REHEARSAL{0}A{1}&hitId=REHEARSAL&workerId=REHEARSAL{0}W{1}&turkSubmitTo=https%3A%2F%2Fworkersandbox.mturk.com"
    elif name == "prolific":
        query = "/prolific?PROLIFIC_PID=rehearsal{0}p{1}&STUDY_ID=rehearsal&SESSION_ID=rehearsal{0}s{1}"
    else:
        path = folder.path / "links.csv"
        links = (
            [line.partition(",")[2] for line in path.read_text().splitlines()[1:]] if path.exists() else []
        )
        if raters > len(links):
            raise UsageError(
                f"The campaign has {len(links)} personal links, not {raters}.",
                hint=f"Make it with --raters {raters}, or simulate fewer.",
            )
        return links[:raters]
    return [query.format(seed, number) for number in range(1, raters + 1)]


def review(folder: Folder, store: Store, style: str) -> str:
    """Whom to accept and whom to reject, in the form that the platform's upload takes.

    The verdict is that of the worker test (one-sided paired t, p < .05) over all finished work of a rater;
    unfinished work is listed without a verdict."""
    from .export import ratings, table

    if folder.campaign.task != "da":
        raise UsageError(
            "Accept and reject lists need the control pairs of Direct Assessment.",
            hint="Export jsonl and decide by the test questions.",
        )
    if folder.campaign.platform.name != style:
        raise UsageError(
            f"This campaign's raters come from {folder.campaign.platform.name}, not from {style}.",
            hint=f"Make it with --platform {style}.",
        )
    verdicts = judge([r for r in ratings(folder, store, real_names=True) if r.meta["state"] == "done"])
    finished: dict[int, tuple[str, str, str, str]] = {}
    for row in store.everything():
        finished[row.assignment] = (row.external, row.session, row.state, row.code or "")
    if style == "mturk":
        # columns of the batch page's upload: an x approves, a text rejects
        rows = [
            (
                session,
                worker,
                "x" if verdicts[worker].accepted else "",
                "" if verdicts[worker].accepted else verdicts[worker].reason,
            )
            for worker, session, state, _ in finished.values()
            if state == "done"
        ]
        return table(("AssignmentId", "WorkerId", "Approve", "Reject"), rows)
    rows_ = [
        (
            session,
            worker,
            code,
            state,
            ("APPROVE" if verdicts[worker].accepted else "REJECT") if state == "done" else "",
            verdicts[worker].reason if state == "done" else "",
        )
        for worker, session, state, code in finished.values()
    ]
    return table(("SESSION_ID", "PROLIFIC_PID", "code", "state", "action", "reason"), rows_)


class Verdict(NamedTuple):
    pairs: int
    high: float | None
    low: float | None
    p: float | None
    accepted: bool
    reason: str
    flags: tuple[str, ...] = ()


def judge(found: list[Rating]) -> dict[str, Verdict]:
    """The worker test and the flags of every rater, by `storymeter.human.quality`. Only the control pairs
    decide here: about whom to pay, and about work that is not finished, the gate of the repeats is too
    sharp."""
    from .quality import assess
    from .ratings import from_records

    if not found:
        return {}
    return {
        w.id: Verdict(w.pairs, w.mean_high, w.mean_low, w.p, w.accepted, w.reason, w.flags)
        for w in assess(from_records(found), gates="control").workers
    }
