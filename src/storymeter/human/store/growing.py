"""The contents of a campaign: put in when it is new, more of it later, while raters are at work, and raters
put on hold or erased."""

import operator
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa

from ...errors import DataError
from .raters import Visitor, enter
from .seats import get_setting
from .tables import NOTHING, assignment, clip, correction, rating, seat, setting, slot, viewing


class Content(NamedTuple):
    """Clips (any with path, mime, seconds and bytes), places, HITs and the raters that each HIT gets, and who
    has a personal link.
    """

    clips: Sequence[Any] = ()
    slots: Sequence[dict[str, Any]] = ()
    hits: Sequence[str] = ()
    raters_per_hit: int = 1
    visitors: Sequence[Visitor] = ()


def fill(connection: sa.Connection, campaign_id: str, content: Content, now: float) -> None:
    """Put a new campaign into an empty database."""
    taken = get_setting(connection, "campaign")
    if taken is not None:
        raise DataError(
            f"The database already holds the campaign {taken}.",
            hint="Give each campaign a separate database (--db).",
        )
    connection.execute(
        sa.insert(setting),
        [{"name": "campaign", "value": campaign_id}, {"name": "state", "value": "open"}],
    )
    _put(connection, content, now)


def extend(
    connection: sa.Connection, more: Content, withdrawn: Sequence[tuple[str, int]], now: float
) -> None:
    """Put more into a campaign, and show nothing at the withdrawn places any more. Clips are numbered on, as
    the media of the places are; HITs that are there get seats until each has `raters_per_hit`.
    """
    _put(connection, more, now)
    empty = sa.update(slot).where(slot.c.hit == sa.bindparam("in_hit"), slot.c.position == sa.bindparam("at"))
    if withdrawn:
        rows = [{"in_hit": hit, "at": at} for hit, at in withdrawn]
        connection.execute(empty.values(media="[]", payload=NOTHING), rows)
    note(connection, "revision", str(int(get_setting(connection, "revision") or 0) + 1))


def note(connection: sa.Connection, name: str, value: str | None) -> None:
    """Set a value, or take it away."""
    connection.execute(sa.delete(setting).where(setting.c.name == name))
    if value is not None:
        connection.execute(sa.insert(setting).values(name=name, value=value))


def _put(connection: sa.Connection, content: Content, now: float) -> None:
    if content.clips:
        first = (connection.execute(sa.select(sa.func.max(clip.c.id))).scalar() or 0) + 1
        rows = [{"id": n, **one._asdict()} for n, one in enumerate(content.clips, first)]
        connection.execute(sa.insert(clip), rows)
    if content.slots:
        _insert_all(connection, slot, list(content.slots))
    have = Counter(connection.execute(sa.select(seat.c.hit)).scalars())
    hits = sorted({*have, *content.hits})
    # every HIT gets its first rater before any gets its second
    wanted = [
        {"hit": hit} for turn in range(1, content.raters_per_hit + 1) for hit in hits if have[hit] < turn
    ]
    if wanted:
        connection.execute(sa.insert(seat), wanted)
    for who in content.visitors:
        enter(connection, who, now)


def _insert_all(connection: sa.Connection, table: sa.Table, rows: list[dict[str, Any]]) -> None:
    """Many plain rows, by the driver's own way: a fraction of the work where there are 100,000 of them."""
    names = list(rows[0])
    values = map(operator.itemgetter(*names), rows)
    columns = ", ".join(names)
    if connection.dialect.name == "postgresql":
        driver: Any = connection.connection
        with driver.cursor() as cursor, cursor.copy(f"COPY {table.name} ({columns}) FROM STDIN") as copy:
            for row in values:
                copy.write_row(row)
    else:
        marks = ", ".join("?" * len(names))
        statement = f"INSERT INTO {table.name} ({columns}) VALUES ({marks})"  # noqa: S608 (our own names)
        connection.exec_driver_sql(statement, list(values))


def reset(connection: sa.Connection) -> None:
    """No answers, no work, every seat free and the campaign open."""
    connection.execute(sa.update(seat).values(assignment=None))
    for table in (rating, viewing, correction, assignment):
        connection.execute(sa.delete(table))
    connection.execute(sa.update(setting).where(setting.c.name == "state").values(value="open"))
