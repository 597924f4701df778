"""Answers, many at a time: one question to the database, one insert, whatever the number of raters who wait.

An answer counts once its place is the next one of an active assignment, its clip has been watched and its
text can have been read, by the server's clock. Anything else gets a reason, and what is stored already stays
as it is."""

import secrets
from collections import Counter
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import sqlalchemy as sa

from .seats import LEASE, insert_for, keep
from .tables import SKIPPED, WITHDRAWN, assignment, correction, rating, seat, setting, viewing

Status = Literal["saved", "stored", "stale", "unwatched", "early", "gone", "closed", "too_many_skips", "late"]
_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"


class Answer(NamedTuple):
    assignment: int
    ticket: int
    position: int
    #: JSON
    answer: str
    now: float
    #: seconds that must lie between the start of the clip and now; None where there is nothing to watch
    watch: float | None
    #: what the page did not get through before ("play", "ended")
    events: tuple[str, ...] = ()
    lease: float = LEASE
    #: seconds that must lie between the showing of the place and now
    least: float = 0.0
    #: how many answers prove a rater
    proof: int = 1


class Outcome(NamedTuple):
    status: Status
    #: the next place to be answered
    position: int
    #: how many seconds of watching or reading are missing
    missing: float = 0.0


def new_code() -> str:
    """A completion code: 50 random bits, without letters that look like digits."""
    letters = "".join(secrets.choice(_LETTERS) for _ in range(10))
    return f"{letters[:5]}-{letters[5:]}"


#: the position of an assignment's last answer
_LAST = (
    sa.select(sa.func.max(rating.c.position))
    .where(rating.c.assignment == assignment.c.id)
    .correlate(assignment)
    .scalar_subquery()
)
#: the assignments at hand, each with its last answer, what was seen of the place after it, and whether the
#: campaign is open. All of it comes by keys, so that neither a long HIT nor a full campaign makes an answer
#: dearer
_STANDING = (
    sa.select(
        assignment.c.id,
        assignment.c.ticket,
        assignment.c.state,
        assignment.c.first,
        assignment.c.size,
        assignment.c.started_at,
        assignment.c.leased_until,
        assignment.c.seat,
        seat.c.assignment.label("holder"),
        rating.c.position,
        rating.c.received_at,
        viewing.c.shown_at,
        viewing.c.play_at,
        viewing.c.ended_at,
        sa.select(setting.c.value).where(setting.c.name == "state").scalar_subquery().label("campaign"),
    )
    .select_from(
        assignment.join(seat, seat.c.id == assignment.c.seat)
        .outerjoin(rating, sa.and_(rating.c.assignment == assignment.c.id, rating.c.position == _LAST))
        .outerjoin(
            viewing,
            sa.and_(
                viewing.c.assignment == assignment.c.id,
                viewing.c.position == sa.func.coalesce(rating.c.position + 1, assignment.c.first),
            ),
        ),
    )
    .where(assignment.c.id.in_(sa.bindparam("ids", expanding=True)))
    .order_by(assignment.c.id)
    # PostgreSQL: no other server takes the seat away, or answers the same place, before this is decided
    .with_for_update(of=assignment)
)
_INSERT = sa.insert(rating)
#: one statement for all: when a lecture hall begins, everybody's first answer lengthens a lease
_LEASE = (
    sa.update(assignment)
    .where(assignment.c.id.in_(sa.bindparam("keys", expanding=True)))
    .values(leased_until=sa.bindparam("until"))
)
_DONE = (
    sa.update(assignment)
    .where(assignment.c.id == sa.bindparam("key"))
    .values(
        state="done",
        finished_at=sa.bindparam("at"),
        leased_until=sa.bindparam("at"),
        code=sa.bindparam("new_code"),
    )
)


def settle(connection: sa.Connection, requests: Sequence[Answer]) -> list[Outcome]:
    """Decide and store a group of answers inside the caller's transaction."""
    rows = {
        row.id: row
        for row in connection.execute(
            _STANDING, {"ids": sorted({request.assignment for request in requests})}
        )
    }
    #: what this very group has answered: (last place, when)
    last: dict[int, tuple[int, float]] = {}
    inserts: list[dict[str, Any]] = []
    #: assignments whose time is extended, by how long they are kept
    leases: dict[float, set[int]] = {}
    finished: list[dict[str, Any]] = []
    #: seats that changed hands within this group, or may have
    moved: set[int] = set()
    #: how many answers (no skips) of each assignment this group has
    given: Counter[int] = Counter()
    outcomes: list[Outcome] = []
    for request in requests:
        row = rows.get(request.assignment)
        if row is None or row.ticket != request.ticket:
            outcomes.append(Outcome("gone", 0))
            continue
        before, since = last.get(row.id) or (
            (row.position, row.received_at) if row.position is not None else (row.first - 1, row.started_at)
        )
        due, closed = before + 1, row.campaign == "closed"
        if request.position != due or row.state != "active" or closed:
            outcomes.append(Outcome(_refusal(connection, request, row, due, inserts, closed), due))
            continue
        shown, play, ended = (
            (row.shown_at, row.play_at, row.ended_at) if row.id not in last else (None, None, None)
        )
        shown = since if shown is None else shown
        if shown > request.now:  # a clock was set back since: nothing is known, and nobody is to suffer
            shown = request.now - request.least
        play = request.now if _absent(play, request) and "play" in request.events else play
        ended = request.now if _absent(ended, request) and "ended" in request.events else ended
        if request.watch is not None:
            seen = 0.0 if play is None or play > request.now else request.now - play
            missing = request.watch - seen
            if _absent(play, request) or ended is None or missing > 0:
                outcomes.append(Outcome("unwatched", due, max(missing, 0.0)))
                continue
        if request.now - shown < request.least:
            outcomes.append(Outcome("early", due, request.least - (request.now - shown)))
            continue
        counts, done = request.answer not in (SKIPPED, WITHDRAWN), due == row.size - 1
        given[row.id] += counts
        if (row.holder != row.id or row.seat in moved) and (counts or done):
            if not keep(connection, row, min(request.proof, row.size - row.first), given, done):
                outcomes.append(Outcome("gone", due))
                continue
            moved.add(row.seat)
        inserts.append(
            {
                "assignment": row.id,
                "position": due,
                "answer": request.answer,
                "shown_at": shown,
                "play_at": play,
                "ended_at": ended,
                "received_at": request.now,
            }
        )
        last[row.id] = (due, request.now)
        if done:
            finished.append({"key": row.id, "at": request.now, "new_code": new_code()})
        elif row.leased_until - request.now < request.lease * 0.75:
            leases.setdefault(request.lease, set()).add(row.id)
        outcomes.append(Outcome("saved", due + 1))
    if inserts:
        connection.execute(_INSERT, inserts)
    for lease, kept in leases.items():
        until = max(request.now for request in requests) + lease
        connection.execute(_LEASE, {"keys": sorted(kept), "until": until})
    if finished:
        connection.execute(_DONE, finished)
    return outcomes


def skip(connection: sa.Connection, request: Answer, most: int) -> Outcome:
    """Store that the clip of a place did not play, up to `most` times per assignment."""
    query = sa.select(sa.func.count()).where(
        rating.c.assignment == request.assignment, rating.c.answer == SKIPPED
    )
    if connection.execute(query).scalar_one() >= most:
        return Outcome("too_many_skips", request.position)
    return settle(connection, [request._replace(answer=SKIPPED, watch=None, least=0.0)])[0]


def pass_over(connection: sa.Connection, request: Answer) -> Outcome:
    """Store that the item of this place was withdrawn before its turn came."""
    return settle(connection, [request._replace(answer=WITHDRAWN, watch=None, least=0.0)])[0]


def see(
    connection: sa.Connection,
    assignment_id: int,
    position: int,
    what: Literal["shown", "play", "ended"],
    now: float,
) -> None:
    """What happened at a place. Of showings the last one counts; of starts and ends of its clip the first,
    unless it lies in the future: then a clock was set back.
    """
    column = f"{what}_at"
    insert = insert_for(connection, viewing)
    statement = insert.values(assignment=assignment_id, position=position, **{column: now})
    old, new = viewing.c[column], statement.excluded[column]
    value = new if what == "shown" else sa.case((old <= new, old), else_=new)
    connection.execute(
        statement.on_conflict_do_update(
            index_elements=[viewing.c.assignment, viewing.c.position], set_={column: value}
        )
    )


class LastAnswer(NamedTuple):
    position: int
    answer: str
    received_at: float


def last_answer(connection: sa.Connection, assignment_id: int) -> LastAnswer | None:
    """The latest answer of an assignment that counts; None where the latest is of practice, or no answer."""
    query = sa.select(rating.c.position, rating.c.answer, rating.c.received_at)
    latest = query.where(rating.c.assignment == assignment_id).order_by(rating.c.position.desc()).limit(1)
    row = connection.execute(latest).one_or_none()
    if row is None or row.position < 0 or row.answer in (SKIPPED, WITHDRAWN):
        return None
    return LastAnswer(*row)


def correct(connection: sa.Connection, request: Answer, window: float) -> Outcome:
    """Put another answer in the place of the latest one, which is kept beside it; `window`: seconds after
    which it stays as it is."""
    query = sa.select(
        assignment.c.ticket,
        assignment.c.state,
        sa.select(setting.c.value).where(setting.c.name == "state").scalar_subquery().label("campaign"),
    ).where(assignment.c.id == request.assignment)
    row = connection.execute(query.with_for_update(of=assignment)).one_or_none()
    if row is None or row.ticket != request.ticket or row.state != "active":
        return Outcome("gone", 0)
    if row.campaign == "closed":
        return Outcome("closed", 0)
    last = last_answer(connection, request.assignment)
    if last is None or last.position != request.position:
        return Outcome("stale", 0)
    if not 0 <= request.now - last.received_at <= window:
        return Outcome("late", last.position + 1)
    if last.answer != request.answer:
        here = {"assignment": request.assignment, "position": request.position}
        connection.execute(sa.insert(correction).values(**here, answer=last.answer, corrected_at=request.now))
        place = (rating.c.assignment == request.assignment, rating.c.position == request.position)
        connection.execute(sa.update(rating).where(*place).values(answer=request.answer))
    return Outcome("saved", last.position + 1)


def _absent(at: float | None, request: Answer) -> bool:
    return at is None or at > request.now


def _refusal(
    connection: sa.Connection,
    request: Answer,
    row: Any,
    due: int,
    inserts: list[dict[str, Any]],
    closed: bool,
) -> Status:
    """Why an answer is not taken. A repeat of a stored answer is no error: it gets the same reply as the
    first time.
    """
    if row.first <= request.position < due:
        waiting = [
            i["answer"] for i in inserts if i["assignment"] == row.id and i["position"] == request.position
        ]
        stored = (
            waiting[0]
            if waiting
            else connection.execute(
                sa.select(rating.c.answer).where(
                    rating.c.assignment == row.id, rating.c.position == request.position
                )
            ).scalar()
        )
        return "stored" if stored == request.answer else "stale"
    if closed:
        return "closed"
    return "stale" if row.state == "active" else "gone"
