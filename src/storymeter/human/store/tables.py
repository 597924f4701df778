"""Tables of the database. They hold only what raters may see, and what they answered. What stands behind a
place (system, kind, pair) is in the private key, which never enters the database.

Times are seconds since 1970 by the server's clock.
"""

from sqlalchemy import (
    BigInteger,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    text,
)

#: what stands for an answer where the clip did not play, and where it was withdrawn before its turn came
SKIPPED, WITHDRAWN = '{"skipped":"clip"}', '{"skipped":"withdrawn"}'
#: what a place shows once its clip or a caption of it is withdrawn
NOTHING = '{"withdrawn":true}'

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(column_0_label)s",
        "uq": "uq_%(table_name)s_%(column_0_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)

#: few values by name: `campaign` (id), `state` (open, paused, closed), `revision` (how often the campaign was
#: extended), `pilot` (raters who may work until the organiser decides), `wording …` (the texts that raters
#: agreed to, by version)
setting = Table(
    "setting", metadata, Column("name", String(40), primary_key=True), Column("value", Text, nullable=False)
)

clip = Table(
    "clip",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("path", Text, nullable=False),
    Column("mime", String(60), nullable=False),
    Column("seconds", Double, nullable=False),
    Column("bytes", BigInteger, nullable=False),
)

#: one place of a HIT; `media` is a JSON list of clip ids, `payload` the JSON that the page shows.
#: Practice items stand in HIT "" at positions -n … -1.
slot = Table(
    "slot",
    metadata,
    Column("hit", String(20), primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("media", Text, nullable=False),
    Column("payload", Text, nullable=False),
)

#: one rater's work on one HIT is wanted per seat; `assignment` is whoever sits there now
seat = Table(
    "seat",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("hit", String(20), nullable=False),
    Column("assignment", Integer, nullable=True, unique=True),
)
Index(
    "ix_seat_free",
    seat.c.id,
    sqlite_where=text("assignment IS NULL"),
    postgresql_where=text("assignment IS NULL"),
)

rater = Table(
    "rater",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("platform", String(20), nullable=False),
    Column("external", String(200), nullable=False),
    Column("pseudonym", String(40), nullable=False, unique=True),
    Column("created_at", Double, nullable=False),
    #: an organiser holds this rater's work, and why; nothing is deleted
    Column("held_at", Double, nullable=True),
    Column("held_reason", Text, nullable=True),
    UniqueConstraint("platform", "external"),
)

#: a personal link, or one visit from a platform; a platform's session id serves one rater
ticket = Table(
    "ticket",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("fingerprint", String(64), nullable=False, unique=True),
    Column("rater", Integer, ForeignKey("rater.id"), nullable=False),
    Column("session", String(200), nullable=False),
    Column("submit_to", String(200), nullable=False),
    Column("consented_at", Double, nullable=True),
)
_SESSION = text("session <> ''")
Index("uq_ticket_session", ticket.c.session, unique=True, sqlite_where=_SESSION, postgresql_where=_SESSION)

assignment = Table(
    "assignment",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("ticket", Integer, ForeignKey("ticket.id"), nullable=False, index=True),
    Column("rater", Integer, ForeignKey("rater.id"), nullable=False),
    Column("hit", String(20), nullable=False),
    Column("seat", Integer, ForeignKey("seat.id"), nullable=False),
    #: active, done, expired (partial work is kept; the seat went back), held (by the organiser)
    Column("state", String(10), nullable=False),
    #: the first position: below 0 where practice items come first
    Column("first", Integer, nullable=False),
    Column("size", Integer, nullable=False),
    Column("started_at", Double, nullable=False),
    Column("leased_until", Double, nullable=False, index=True),
    Column("finished_at", Double, nullable=True),
    Column("code", String(20), nullable=True, unique=True),
    Column("code_used_at", Double, nullable=True),
    #: which of the HITs that one rater may do, from 1; none while the seat is not the rater's
    Column("turn", Integer, nullable=True),
    #: JSON: the place of the HIT that is shown at each position; none: in the order of the HIT
    Column("places", Text, nullable=True),
    #: the version of consent and instructions that the rater agreed to
    Column("wording", String(20), nullable=True),
    UniqueConstraint("rater", "hit"),
)
# however many servers deal seats at once: so many HITs per rater, and one at a time per link
Index("uq_assignment_turn", assignment.c.rater, assignment.c.turn, unique=True)
_ACTIVE = text("state = 'active'")
Index(
    "uq_assignment_active", assignment.c.ticket, unique=True, sqlite_where=_ACTIVE, postgresql_where=_ACTIVE
)

#: the evidence that a place was shown, and its clip played to the end, before it was answered
viewing = Table(
    "viewing",
    metadata,
    Column("assignment", Integer, ForeignKey("assignment.id"), primary_key=True),
    Column("position", Integer, primary_key=True),
    *(Column(name, Double, nullable=True) for name in ("shown_at", "play_at", "ended_at")),
)

#: one answer per (assignment, position): the primary key says so
rating = Table(
    "rating",
    metadata,
    Column("assignment", Integer, ForeignKey("assignment.id"), primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("answer", Text, nullable=False),
    Column("shown_at", Double, nullable=False),
    Column("play_at", Double, nullable=True),
    Column("ended_at", Double, nullable=True),
    Column("received_at", Double, nullable=False),
)

#: what an answer was before its rater went back and changed it
correction = Table(
    "correction",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("assignment", Integer, ForeignKey("assignment.id"), nullable=False, index=True),
    Column("position", Integer, nullable=False),
    Column("answer", Text, nullable=False),
    Column("corrected_at", Double, nullable=False),
)

#: assignments with who did their work, wherever that is asked
work = assignment.join(rater, assignment.c.rater == rater.c.id).join(
    ticket, assignment.c.ticket == ticket.c.id
)
worked_by = (rater.c.pseudonym, rater.c.platform, rater.c.external, ticket.c.session)
