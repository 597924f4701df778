"""A campaign in a safe place, taken while raters are at work, and back.

A backup is a folder that stands for itself:

    manifest.json    what is in it: SHA-256 of every file and every clip, rows per table, when it was taken
    answers.db       the whole database as of one moment, as SQLite, wherever the answers live
    campaign.json, key.jsonl, secrets.json, links.csv, consent.*.md, instructions.*.md    as in the campaign

Copying `campaign.db` by hand is no backup: what SQLite has not yet moved out of its log (`campaign.db-wal`)
is not in it. `backup` reads the database in one transaction, so every answer that was acknowledged before it
began is there; it then opens the copy and counts. Clips are not copied: `restore` compares them with the
hashes."""

import contextlib
import datetime
import hashlib
from pathlib import Path

import msgspec

from ...errors import DataError, UsageError, first_few
from ..store import Store
from ..store.engines import copy, look, one_file
from . import texts
from .record import PLATFORM_KEYS, Folder, private, readable

FILES = ("campaign.json", "key.jsonl", "secrets.json", "links.csv", PLATFORM_KEYS, *texts.names())
ANSWERS = "answers.db"


class Manifest(msgspec.Struct, omit_defaults=True):
    campaign: str
    taken: str
    #: rows by table
    rows: dict[str, int]
    #: SHA-256 by file of the backup, and by clip
    files: dict[str, str]
    clips: dict[str, str]
    schema: int = 1


def backup(folder: Folder, out: Path) -> Manifest:
    """Write a backup into a new folder, and check it."""
    if out.exists() and any(out.iterdir()):
        raise UsageError(f"{out} is not empty.", hint="Give the backup a new folder; none is overwritten.")
    taken = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
    out.mkdir(parents=True, exist_ok=True)
    out.chmod(0o700)
    private(out / ANSWERS, b"")  # with its rights before its content
    rows = copy(folder.database, f"sqlite:///{out.resolve() / ANSWERS}")
    one_file(out / ANSWERS)
    for name in FILES:
        if (folder.path / name).exists():
            private(out / name, (folder.path / name).read_bytes())
    with contextlib.closing(Store(folder.database)) as store:
        store.check(folder.campaign.id)
        clips = {clip.path: digest(folder.clips / clip.path) for clip in store.clips()}
    manifest = Manifest(
        folder.campaign.id,
        taken,
        rows,
        {name: digest(out / name) for name in (*FILES, ANSWERS) if (out / name).exists()},
        {name: mark for name, mark in clips.items() if mark},
    )
    private(out / "manifest.json", readable(manifest))
    check(out)
    return manifest


def check(out: Path) -> Manifest:
    """Whether a backup is whole: every file as it was written, the database sound, every row there."""
    try:
        manifest = msgspec.json.decode((out / "manifest.json").read_bytes(), type=Manifest)
    except (OSError, msgspec.DecodeError):
        raise UsageError(
            f"{out} is not a backup: its manifest.json is missing or damaged.",
            hint="Make one with: storymeter human backup DIR OUT",
        ) from None
    wrong = [name for name, mark in manifest.files.items() if digest(out / name) != mark]
    if not wrong and look(out / ANSWERS) != manifest.rows:
        wrong = [ANSWERS]
    if wrong:
        raise DataError(
            f"The backup in {out} is damaged: {first_few(wrong)}.",
            hint="Use another one; this one was changed.",
        )
    return manifest


def restore(
    out: Path, folder: Path, *, database: str | None = None, clips: str | None = None
) -> tuple[Manifest, list[str]]:
    """Bring a campaign back into a new folder, its answers into SQLite there or into `database`; gives what
    is not as it was: clips that have changed or are missing. `clips` is their folder, if it is another now.
    """
    manifest = check(out)
    home, again = Folder(out), Folder(folder)
    again.make("Restore into a new folder")
    keys = msgspec.structs.replace(home.secrets, database=database or "sqlite:///campaign.db")
    answers = folder / "campaign.db"
    private(answers, (out / ANSWERS).read_bytes())
    if database is not None:
        rows = copy(f"sqlite:///{answers.resolve()}", database)
        for name in ("campaign.db", "campaign.db-wal", "campaign.db-shm"):
            (folder / name).unlink(missing_ok=True)
        if rows != manifest.rows:
            raise DataError("Not every row was restored.", hint="Give the campaign an empty database.")
    for name in FILES:
        if (out / name).exists() and name not in ("secrets.json", "campaign.json"):
            private(folder / name, (out / name).read_bytes())
    private(folder / "secrets.json", readable(keys))
    campaign = home.campaign if clips is None else msgspec.structs.replace(home.campaign, clips=clips)
    again.write_campaign(campaign)  # last: a folder with campaign.json is whole
    return manifest, [
        f"{name} {'has changed' if (again.clips / name).is_file() else 'is missing'}"
        for name, mark in manifest.clips.items()
        if digest(again.clips / name) != mark
    ]


def digest(path: Path) -> str:
    """SHA-256 of a file; empty where there is none."""
    if not path.is_file():
        return ""
    found = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(1 << 20):
            found.update(piece)
    return found.hexdigest()
