"""From caption files and a folder of clips to a campaign: design, check, price, and only then write.

`prepare` collects every problem and writes nothing (that is the dry run); `write` makes the folder and the
database."""

from __future__ import annotations

import datetime
import functools
import secrets
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from ...errors import DataError, StorymeterError, UsageError, some
from ...progress import Progress, silent
from ..server.words import words
from ..study import Study, named
from ..study.base import USUAL, reading_seconds
from .clips import Clip
from .record import Campaign, Folder, KeyLine, fingerprint, new_secrets, private, readable
from .request import CampaignRequest, Practice, RaterTerms
from .secret_random import new_seed

__all__ = ["CampaignRequest", "Prepared", "plan", "prepare", "pseudonym", "write"]


#: fewer raters for a caption, on average, and agreement says little
ENOUGH = 1.9


class Prepared(msgspec.Struct):
    campaign: Campaign
    key: list[KeyLine]
    media: list[Clip]
    slots: list[dict[str, Any]]
    problems: list[str]
    warnings: list[str]


def prepare(options: CampaignRequest, *, progress: Progress = silent) -> Prepared:
    """Lay out the campaign and look at every clip; problems are listed, not thrown, as long as there is
    something to lay out.
    """
    if not options.clips.is_dir():
        raise UsageError(
            f"{options.clips} is not a folder.", hint="Give --clips the folder that holds the clips."
        )
    study = named(options.task)
    problems, warnings = _texts(options)
    seed = new_seed() if options.seed is None else str(options.seed)
    if options.seed is not None:
        warnings.append(
            f"--seed {seed} is for rehearsals: anyone who guesses it can reconstruct the private key from"
            " the captions. Leave it out for raters who are paid."
        )
    dealt = study.deal(options, seed, progress)
    key = [msgspec.structs.replace(dealt.key[0], seed=seed), *dealt.key[1:]]
    sizes = Counter(line.hit for line in key)
    if len(set(sizes.values())) > 1:
        raise DataError("The HITs are not all of one size.", hint="Use other sizes (--per-hit, --blocks).")
    terms = {name: getattr(options, name) for name in RaterTerms.__struct_fields__}
    campaign = Campaign(
        id=secrets.token_hex(4),
        task=options.task,
        title=options.title or words(options.language)["titles"][options.task],
        systems=tuple(corpus.name for corpus in options.systems),
        human=options.human.name if options.human else "",
        clips=str(options.clips.resolve()),
        hits=len(sizes),
        hit_size=len(key) // len(sizes),
        created=datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        layout=dealt.layout,
        practice=dealt.practice,
        **terms | {"public_url": options.public_url.rstrip("/")},
    )
    mean, _ = _overlap(key, options.raters_per_hit)
    if mean < ENOUGH:
        warnings.append(
            f"WARNING: a caption gets {mean:.1f} raters on average, so that the agreement between raters can"
            " hardly be measured, and some raters who never watch a clip pass the other controls. Use more"
            " HITs (--hits, or leave it out), or --raters-per-hit 3."
        )
    return Prepared(
        campaign,
        key,
        *_slots(study, key, dealt.practice, options, dealt.files),
        problems + dealt.problems,
        [said for said in (*warnings, *dealt.warnings, study.unvouched(key)) if said],
    )


def write(
    prepared: Prepared, folder: Path, *, database: str | None = None, raters: int | None = None
) -> Folder:
    """Make the campaign's folder and fill its database. Local campaigns get `raters` personal links (default:
    one per seat).
    """
    from ..store import Media, Store, Visitor

    home, campaign = Folder(folder), prepared.campaign
    home.make()
    home.campaign = campaign
    home.secrets = keys = new_secrets(database or "sqlite:///campaign.db", prepared.key[0].seed)
    private(folder / "secrets.json", readable(keys))  # before a database elsewhere is filled: does it fit?
    if database is None:
        private(folder / "campaign.db", b"")  # with its rights before its content
    try:
        store = Store(home.database)
    except StorymeterError:
        (folder / "secrets.json").unlink()
        raise
    labels = _labels(campaign, raters)
    visitors = [
        Visitor("local", label, "", fingerprint(keys.token("local", label, "")), label) for label in labels
    ]
    try:
        store.fill(
            campaign.id,
            [Media(c.path, c.mime, c.seconds, c.bytes) for c in prepared.media],
            prepared.slots,
            sorted({line.hit for line in prepared.key}),
            campaign.raters_per_hit,
            visitors,
            datetime.datetime.now(datetime.timezone.utc).timestamp(),
        )
    finally:
        store.close()
    if labels:
        home.write_links(labels)
    home.create(prepared.key)  # last: a folder with campaign.json is whole
    return home


def _labels(campaign: Campaign, raters: int | None) -> list[str]:
    """The names of the raters who get personal links."""
    if campaign.platform.name != "local":
        return []
    seats = campaign.hits * campaign.raters_per_hit
    count = raters if raters is not None else -(-seats // campaign.hits_per_rater)
    return [f"r{number:0{max(3, len(str(count)))}d}" for number in range(1, count + 1)]


def pseudonym(folder: Folder, platform: str, external: str) -> str:
    """A name for a platform's worker that says nothing, and stays the same over a campaign."""
    return "w" + folder.secrets.sign("pseudonym", platform, external).hex()[:12]


def _texts(options: CampaignRequest) -> tuple[list[str], list[str]]:
    problems, warnings = [], []
    for corpus in [*options.systems, *([options.human] if options.human else [])]:
        empty = [d.id for d in corpus if not d.text.strip()]
        if empty:
            problems.append(f"{corpus.name}: {len(empty):,} empty captions: {some(empty)}")
        several = [item for item, documents in corpus.by_id().items() if len(documents) > 1]
        if several:
            warnings.append(
                f"{corpus.name}: {len(several):,} videos have several captions; the first of each is shown:"
                f" {some(several)}"
            )
    everyone = {corpus.name: {d.id for d in corpus} for corpus in options.systems}
    union = set().union(*everyone.values()) if everyone else set()
    for name, ids in everyone.items():
        if union - ids:
            warnings.append(
                f"{name}: no caption for {len(union - ids):,} of {len(union):,} videos:"
                f" {some(sorted(union - ids))}"
            )
    return problems, warnings


def _slots(
    study: Study,
    key: list[KeyLine],
    practice: Sequence[Practice],
    options: CampaignRequest,
    files: dict[str, Clip],
) -> tuple[list[Clip], list[dict[str, Any]]]:
    """What the server may know: for each place its media and what the page shows, nothing of what stands
    behind it.
    """
    numbers: dict[str, int] = {}
    used: list[Clip] = []

    @functools.cache
    def media(names: tuple[str, ...]) -> str:
        for name in names:
            if name not in numbers:
                used.append(files[name])
                numbers[name] = len(used)
        return _json([numbers[name] for name in names])

    def row(hit: str, position: int, names: tuple[str, ...], shown: dict[str, Any]) -> dict[str, Any]:
        return {"hit": hit, "position": position, "media": media(names), "payload": _json(shown)}

    rows = [
        row("", number - len(practice), (item.item,), study.practice_shown(item, options))
        for number, item in enumerate(practice)
    ]
    rows += [row(line.hit, line.position, study.media(line), study.shown(line)) for line in key]
    return used, rows


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()


def plan(prepared: Prepared) -> list[tuple[str, str]]:
    """What the campaign will be and cost, for a dry run."""
    campaign, study = prepared.campaign, named(prepared.campaign.task)
    seats = campaign.hits * campaign.raters_per_hit
    mean, least = _overlap(prepared.key, campaign.raters_per_hit)
    return [
        ("task", campaign.task),
        ("systems", ", ".join(campaign.systems)),
        (study.media_word, f"{len(prepared.media):,}"),
        (
            "HITs",
            (
                f"{campaign.hits:,} of {campaign.hit_size}, {campaign.raters_per_hit} rater(s) each:"
                f" {seats:,} assignments"
            ),
        ),
        ("overlap", f"{mean:.1f} raters for each caption on average, {least} at least, in different HITs"),
        *study.described(prepared.key, campaign.layout, campaign.systems, campaign.raters_per_hit),
        ("time per HIT", _time(prepared, study)),
        (
            "cost",
            (
                f"{seats:,} x {campaign.price:.2f} {campaign.currency} + {campaign.fee:.0%} fee ="
                f" {campaign.cost:,.2f} {campaign.currency}"
            ),
        ),
    ]


def _overlap(key: Sequence[KeyLine], raters_per_hit: int) -> tuple[float, int]:
    """How many raters each caption (comparison, sequence) gets: on average, and at least."""
    in_order = functools.cache(lambda systems: tuple(sorted(systems)))
    places = {(line.hit, line.item, in_order(line.systems)) for line in key}
    captions = Counter((item, systems) for _, item, systems in places)
    counts = [count * raters_per_hit for count in captions.values()]
    return sum(counts) / len(counts), min(counts)


def _time(prepared: Prepared, study: Study) -> str:
    watching = sum(clip.seconds for clip in prepared.media) / max(1, len(prepared.media))
    read = [
        reading_seconds(study.texts(msgspec.json.decode(slot["payload"])), USUAL)
        for slot in prepared.slots[:1000]
    ]
    item = watching + sum(read) / max(1, len(read)) + study.answering
    minutes = max(1, round(prepared.campaign.hit_size * item / 60))
    return (
        f"about {minutes} {'minute' if minutes == 1 else 'minutes'} (clip length, four words a second, and"
        f" {study.answering:.0f} seconds for each answer)"
    )
