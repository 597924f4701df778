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

from ..errors import UsageError
from .campaign import Campaign, Folder
from .study import ControlResult

if TYPE_CHECKING:
    from .store import Store

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
    return (
        PROLIFIC + quote(campaign.platform.completion_code, safe="")
        if campaign.platform.completion_code
        else ""
    )


def rehearsal_links(folder: Folder, raters: int, seed: int) -> list[str]:
    """Links for bots: the first personal links, or visits as the platform would send them."""
    name = folder.campaign.platform.name
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


def review(folder: Folder, store: Store, style: str) -> str:
    """Whom to accept and whom to reject, in the form that the platform's upload takes.

    The verdict is that of the study's controls over all finished work of a rater; unfinished work, and raters
    of whom nothing can be said, are listed without a verdict."""
    from .export import ratings, table

    finished = {
        row.assignment: (row.external, row.session, row.state, row.code or "") for row in store.answers()
    }
    done = [r for r in ratings(folder, store, real_names=True) if r.meta["state"] == "done"]
    verdicts, nothing = folder.study.verdicts(done), ControlResult()
    rows: list[tuple[str, ...]] = []
    for worker, session, state, code in finished.values():
        said = verdicts.get(worker, nothing) if state == "done" else nothing
        if style == "prolific":
            action = {True: "APPROVE", False: "REJECT", None: ""}[said.accepted]
            rows.append((session, worker, code, state, action, said.reason))
        elif said.accepted is not None:
            rows.append((session, worker, "x", "") if said.accepted else (session, worker, "", said.reason))
    if style == "prolific":
        return table(("SESSION_ID", "PROLIFIC_PID", "code", "state", "action", "reason"), rows)
    # columns of the batch page's upload: an x approves, a text rejects
    return table(("AssignmentId", "WorkerId", "Approve", "Reject"), rows)
