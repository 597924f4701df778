"""A campaign is a folder, and the files in it are kept apart by who may know them:

campaign.json   what is asked, how and of whom; the organiser may edit the texts
key.jsonl       the private key: what stands at each place of each HIT, and the seed that it was drawn from
                (mode 0600; the rater pages never read it)
secrets.json    admin token, signing key, database address (mode 0600; made by the machine, never by hand)
links.csv       a personal link per rater (local campaigns; mode 0600)
platform-keys.json   the public keys with which Prolific signs whom it sends, where the organiser gave them
campaign.db     answers (unless the database is elsewhere)
"""

import base64
import contextlib
import csv
import functools
import hashlib
import hmac
import os
import secrets
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

import msgspec

from ...errors import DataError, StorymeterError, UsageError, many
from ..study import KEY_LINES, Study, named
from .money import HOURLY, Pay
from .request import Layout, Practice, RaterTerms, Selection, drawn, rehearsed

#: a line of the private key; each kind of study has its own
KeyLine = Any
PLATFORM_KEYS = "platform-keys.json"
T = TypeVar("T")


class Withdrawn(msgspec.Struct, frozen=True, omit_defaults=True):
    """A clip whose answers are left out of every analysis; with `system`, one caption of it."""

    item: str
    system: str = ""
    reason: str = ""
    at: str = ""

    def holds(self, line: KeyLine) -> bool:
        """Whether it concerns this place."""
        return line.item == self.item and (not self.system or self.system in line.systems)


class Extension(msgspec.Struct, frozen=True, omit_defaults=True):
    """What was added to a campaign after its start, and when."""

    at: str
    hits: int = 0
    raters: int = 0
    raters_per_hit: int = 0
    systems: tuple[str, ...] = ()


class Campaign(RaterTerms, frozen=True):
    """campaign.json."""

    id: str
    task: str
    title: str
    systems: tuple[str, ...]
    clips: str
    hits: int
    hit_size: int
    created: str
    human: str = ""
    price: float = 0.99
    fee: float = 0.20
    #: pay per hour below which there is a warning, and the seconds that a HIT was expected to take
    hourly: float = HOURLY
    seconds_per_hit: float = 0.0
    schema: int = 1
    layout: Layout | None = None
    #: items of a HIT that are shown a second time at its end, where it has no blocks
    repeat_per_hit: int = 0
    #: own words instead of the catalogue's
    instructions: str = ""
    consent: str = ""
    statement: str = ""
    practice: tuple[Practice, ...] = ()
    #: how its videos were chosen; None: all of the files
    selection: Selection | None = None
    #: clips and captions that no longer count, and what was added after the start
    withdrawn: tuple[Withdrawn, ...] = ()
    extensions: tuple[Extension, ...] = ()
    #: by system, the clips (sequences) that it has no caption of; None: not known
    lacking: dict[str, tuple[str, ...]] | None = None
    #: a copy to look at (`human preview`): every item can be left without an answer
    preview: bool = False

    def pay(self, hits: int | None = None, seconds: float = 0.0) -> Pay:
        """What so many HITs cost (default: all of them), by the time measured or else by that expected."""
        wanted = self.hits * self.raters_per_hit if hits is None else hits
        return Pay(wanted, self.price, self.fee, self.currency, seconds or self.seconds_per_hit)


class Facts(msgspec.Struct, frozen=True, omit_defaults=True):
    """What an analysis has to know of a campaign beside the answers; an export holds it in `meta.study` of
    its first line."""

    campaign: str
    pay: Pay
    #: raters who asked to be erased
    erased: int = 0
    #: what was left out
    withdrawn: tuple[Withdrawn, ...] = ()
    #: all items, and by system those that it has no caption of; None: not known
    items: tuple[str, ...] = ()
    lacking: dict[str, tuple[str, ...]] | None = None

    def sentences(self) -> list[str]:
        """What is to be said of answers that are not there."""
        said = [f"{many(self.erased, 'rater')} of this campaign asked to be erased."] if self.erased else []
        for one in self.withdrawn:
            named = f"The caption of {one.item} by {one.system}" if one.system else f"The clip {one.item}"
            why = f" ({one.reason})" if one.reason else ""
            said.append(f"{named} was withdrawn{why}: its answers are left out.")
        return said


class Secrets(msgspec.Struct, frozen=True):
    """secrets.json."""

    admin_token: str
    signing_key: str
    database: str
    #: what each rater's order of items is drawn from; made from the private seed, and no way back to it
    order_key: str = ""

    def __repr__(self) -> str:  # never into a log
        return "Secrets(…)"

    def sign(self, *parts: str) -> bytes:
        """A keyed hash of these parts: ids that can be made again but not guessed."""
        return hmac.digest(bytes.fromhex(self.signing_key), "\x1f".join(parts).encode(), "sha256")

    def token(self, *parts: str, length: int = 24) -> str:
        return base64.urlsafe_b64encode(self.sign(*parts)[:length]).decode().rstrip("=")


def new_secrets(database: str, seed: str) -> Secrets:
    order_key = f"{drawn('order', seed).getrandbits(128):032x}"
    return Secrets(secrets.token_urlsafe(24), secrets.token_hex(32), database, order_key)


def fingerprint(token: str) -> str:
    """What the database keeps of a token: enough to find it, not enough to use it."""
    return hashlib.sha256(token.encode()).hexdigest()


class Folder:
    """The files of one campaign."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)

    @functools.cached_property
    def campaign(self) -> Campaign:
        return _load(self.path / "campaign.json", Campaign)

    def read_again(self) -> None:
        """Take over what was added while this folder was in use; a watching time that was set otherwise
        stays. Other threads see the old campaign or the new one.
        """
        if "campaign" in vars(self):
            found = _load(self.path / "campaign.json", Campaign)
            self.campaign = msgspec.structs.replace(found, watch=self.campaign.watch)
        with contextlib.suppress(AttributeError):
            del self.key  # read when it is asked for next

    @functools.cached_property
    def study(self) -> Study:
        return named(self.campaign.task)

    @functools.cached_property
    def secrets(self) -> Secrets:
        return _load(self.path / "secrets.json", Secrets)

    @functools.cached_property
    def key(self) -> dict[tuple[str, int], KeyLine]:
        """The private key by (HIT, position); the pages that raters see have no use for it."""
        path, hint = self.path / "key.jsonl", "Restore the file that `storymeter human new` wrote."
        missing = DataError(
            f"{path} is missing: without the private key the answers cannot be read.", hint=hint
        )
        lines = _read(path, _key_lines, missing, "is damaged", hint)
        return {(line.hit, line.position): line for line in lines}

    @property
    def rehearsal(self) -> bool:
        """Whether the private key was drawn from a seed that somebody chose, so that others may rebuild
        it.
        """
        return any(rehearsed(line.seed) for line in self.key.values() if line.seed)

    def exposed(self) -> list[str]:
        """The private files that other users of this machine may read."""
        private = (self.path / name for name in ("key.jsonl", "secrets.json", "links.csv", "campaign.db"))
        return [path.name for path in private if path.exists() and path.stat().st_mode & 0o077]

    @property
    def clips(self) -> Path:
        return (self.path / self.campaign.clips).resolve()

    @property
    def database(self) -> str:
        """The database's address; a relative SQLite path counts from the campaign's folder."""
        url = self.secrets.database
        prefix = "sqlite:///"
        if url.startswith(prefix) and not Path(url[len(prefix) :]).is_absolute():
            return prefix + str((self.path / url[len(prefix) :]).resolve())
        return url

    def make(self, advice: str = "Choose another folder") -> None:
        """Make the folder; it must not hold a campaign yet."""
        if (self.path / "campaign.json").exists():
            raise UsageError(
                f"{self.path} already holds a campaign.", hint=f"{advice}; answers are never overwritten."
            )
        self.path.mkdir(parents=True, exist_ok=True)

    def create(self, key: Iterable[KeyLine]) -> None:
        """Write a new campaign's files; its secrets and links stand there already."""
        private(self.path / "key.jsonl", msgspec.json.Encoder().encode_lines(key))
        self.write_campaign(self.campaign)

    def write_links(self, labels: Sequence[str]) -> None:
        """A personal link per rater: whole addresses where the server's public address is known."""
        host = self.campaign.public_url.rstrip("/")
        rows = [f"{label},{host}/r/{self.secrets.token('local', label, '')}\n" for label in labels]
        private(self.path / "links.csv", ("rater,link\n" + "".join(rows)).encode())

    def link_names(self) -> list[str]:
        """The names of the raters with personal links."""
        return [row["rater"] for row in self._link_rows()]

    def add_links(self, labels: Sequence[str]) -> None:
        """Write more raters into links.csv."""
        self.write_links([*self.link_names(), *labels])

    def drop_link(self, label: str) -> None:
        """Take a rater's link out of links.csv."""
        names = self.link_names()
        if label in names:
            self.write_links([name for name in names if name != label])

    def publish(self, address: str) -> None:
        """Note the server's public address, and write it into the links."""
        self.campaign = msgspec.structs.replace(self.campaign, public_url=address.rstrip("/"))
        self.write_campaign(self.campaign)
        if names := self.link_names():
            self.write_links(names)

    def write_campaign(self, campaign: Campaign) -> None:
        private(self.path / "campaign.json", readable(campaign), mode=0o644)

    def token_file(self) -> Path:
        """A file with the admin token alone, for its owner alone."""
        path, content = self.path / "admin-token.txt", f"{self.secrets.admin_token}\n".encode()
        if not path.exists() or path.read_bytes() != content:
            private(path, content)
        else:
            path.chmod(0o600)
        return path

    def links(self) -> list[str]:
        """The paths of the personal links, in the order of links.csv."""
        return [urlsplit(row["link"]).path for row in self._link_rows()]

    def _link_rows(self) -> list[dict[str, str]]:
        path = self.path / "links.csv"
        if not path.exists():
            return []
        with path.open(newline="") as file:
            return list(csv.DictReader(file))


def readable(value: msgspec.Struct) -> bytes:
    """JSON as the files of a campaign hold it."""
    return msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n"


def private(path: Path, content: bytes, mode: int = 0o600) -> None:
    """Write a file that appears whole or not at all, with these rights from its first byte on."""
    temporary = path.with_name(path.name + ".tmp")
    try:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
        os.fchmod(descriptor, mode)  # a leftover of an earlier attempt may have had others
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise DataError(
            f"{path} cannot be written: {error.strerror}.",
            hint="Make room on the disk, or choose another place for the campaign.",
        ) from None


def _key_lines(raw: bytes) -> list[KeyLine]:
    decoder = msgspec.json.Decoder(KEY_LINES)
    return [decoder.decode(line) for line in raw.splitlines() if line]


def _load(path: Path, kind: type[T]) -> T:
    missing = UsageError(
        f"{path.parent} is not a campaign: {path.name} is missing.",
        hint="Make one with: storymeter human new DIR …",
    )
    hint = "Correct the file (it is UTF-8), or restore the one that `storymeter human new` wrote."
    return _read(path, msgspec.json.Decoder(kind).decode, missing, "cannot be read", hint)


def _read(path: Path, decode: Callable[[bytes], T], missing: StorymeterError, trouble: str, hint: str) -> T:
    try:
        return decode(path.read_bytes())
    except FileNotFoundError:
        raise missing from None
    except (msgspec.DecodeError, UnicodeDecodeError, OSError) as error:
        said = getattr(error, "strerror", None) or error
        raise DataError(f"{path} {trouble}: {said}", hint=hint) from None
