"""Builds a campaign from caption files and a folder of clips: design, check, price, and only then write.

`prepare` collects every problem and writes nothing (that is the dry run); `write` makes the folder and the
database."""

from __future__ import annotations

import contextlib
import datetime
import functools
import re
import secrets
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from ...errors import DataError, StorymeterError, UsageError, first_few, many
from ...files import content
from ...progress import Progress, silent
from ..server.words import words
from ..study import Study, named
from ..study.base import USUAL, reading_seconds
from . import texts
from .clips import Clip
from .money import FEES, fair_price, least_hourly
from .record import (
    PLATFORM_KEYS,
    Campaign,
    Folder,
    KeyLine,
    Secrets,
    fingerprint,
    new_secrets,
    private,
    readable,
)
from .request import (
    CampaignRequest,
    Practice,
    RaterTerms,
    Selection,
    caption_problems,
    lacking,
    new_seed,
    select,
)

if TYPE_CHECKING:
    from ..store import Visitor

#: fewer raters for a caption, on average, and agreement says little
ENOUGH = 1.9
#: seconds of a clip after which a rater's attention is in doubt
LONG = 180


class Prepared(msgspec.Struct):
    campaign: Campaign
    key: list[KeyLine]
    media: list[Clip]
    slots: list[dict[str, Any]]
    problems: list[str]
    warnings: list[str]
    #: consent and instructions, and the platform's keys, by file
    texts: dict[str, str] = {}


def prepare(options: CampaignRequest, *, progress: Progress = silent) -> Prepared:
    """Lay out the campaign and look at every clip; problems are listed, not thrown, as long as there is
    something to lay out.
    """
    if not options.clips.is_dir():
        raise UsageError(
            f"{options.clips} is not a folder.", hint="Give --clips the folder that holds the clips."
        )
    study = named(options.task)
    if options.platform.name == "prolific":
        code = options.platform.completion_code.strip()
        if not code:
            raise UsageError(
                "A Prolific study needs its completion code: without it raters end on a page that has no way"
                " back, and cannot be paid.",
                hint="Copy it from the study's page on Prolific: --completion-code CODE (or @FILE)",
            )
        if not re.fullmatch(r"[A-Za-z0-9_-]+", code):
            raise UsageError(
                f"{code!r} is no completion code of Prolific, which consists of letters and digits: raters"
                " would end on a page that does not know it, and could not be paid.",
                hint="Copy the code, or the address that ends in cc=CODE, from the study's page on Prolific.",
            )
    keys, unbound = _platform_keys(options)
    if keys:
        platform = msgspec.structs.replace(options.platform, keys=PLATFORM_KEYS)
        options = msgspec.structs.replace(options, platform=platform)
    hourly = least_hourly(options.hourly, options.currency, options.price)
    seed = new_seed() if options.seed is None else str(options.seed)
    selection = None
    if options.selection is not None:
        options, selection = select(options, seed)
    problems, warnings = caption_problems(options)
    if options.seed is not None:
        warnings.append(
            f"--seed {seed} is for rehearsals: anyone who guesses it can reconstruct the private key from"
            " the captions. Leave it out for raters who are paid."
        )
    design = study.design(options, seed, progress)
    key = [msgspec.structs.replace(design.key[0], seed=seed), *design.key[1:]]
    sizes = Counter(line.hit for line in key)
    if len(set(sizes.values())) > 1:
        raise DataError("The HITs are not all of one size.", hint="Use other sizes (--per-hit, --blocks).")
    terms = {name: getattr(options, name) for name in RaterTerms.__struct_fields__}
    media, slots = slots_of(study, key, design.practice, options, design.files)
    size = len(key) // len(sizes)
    seconds = round(_seconds(media, slots, study, size), 1)
    campaign = Campaign(
        id=secrets.token_hex(4),
        task=options.task,
        title=options.title or words(options.language)["titles"][options.task],
        systems=tuple(corpus.name for corpus in options.systems),
        human=options.human.name if options.human else "",
        clips=str(options.clips.resolve()),
        hits=len(sizes),
        hit_size=size,
        created=datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        layout=design.layout,
        repeat_per_hit=study.repeats([line for line in key if line.hit == key[0].hit]),
        practice=design.practice,
        selection=selection,
        price=fair_price(seconds, hourly) if options.price is None else options.price,
        fee=FEES[options.platform.name] if options.fee is None else options.fee,
        hourly=hourly,
        seconds_per_hit=seconds,
        consent=f"consent.{options.language}.md",
        instructions=f"instructions.{options.language}.md",
        lacking=lacking(options.systems, design.files if study.plays else {line.item for line in key}),
        **terms | {"public_url": options.public_url.rstrip("/")},
    )
    long = [clip.path for clip in media if study.plays and clip.seconds > LONG]
    if long:
        warnings.append(
            f"{many(len(long), 'clip')} longer than {LONG // 60} minutes, which raters have to watch to the"
            f" end: {first_few(long)}. Cut them, or use fewer items in a HIT."
        )
    if options.platform.name != "local" and not options.contact:
        warnings.append(
            "no --contact: raters of the platform, and the ethics board, read nowhere whom to write to."
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
        media,
        slots,
        problems + design.problems,
        [
            said
            for said in (
                *warnings,
                *unbound,
                *design.warnings,
                study.missing_controls(key),
                campaign.pay().warning(campaign.hourly),
                few_ratings_warning(study, key, options),
            )
            if said
        ],
        {
            **texts.drafts(campaign, study.meanings(options), priced=options.price is not None),
            **({PLATFORM_KEYS: keys} if keys else {}),
        },
    )


def write(
    prepared: Prepared, folder: Path, *, database: str | None = None, raters: int | None = None
) -> Folder:
    """Make the campaign's folder and fill its database. Local campaigns get `raters` personal links (default:
    one per seat).
    """
    from ..store import Media, Store

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
    with contextlib.closing(store):
        store.fill(
            campaign.id,
            [Media(c.path, c.mime, c.seconds, c.bytes) for c in prepared.media],
            prepared.slots,
            sorted({line.hit for line in prepared.key}),
            campaign.raters_per_hit,
            personal(keys, labels),
            datetime.datetime.now(datetime.timezone.utc).timestamp(),
        )
    for name, text in prepared.texts.items():
        private(folder / name, text.encode(), mode=0o644)
    if labels:
        home.write_links(labels)
    home.create(prepared.key)  # last: a folder with campaign.json is whole
    return home


def _platform_keys(options: CampaignRequest) -> tuple[str, list[str]]:
    """Prolific's public keys that were given, and what is to be said of them."""
    platform = options.platform
    if options.platform_key is None:
        if platform.study and not platform.keys:
            raise UsageError(
                "--study-id means nothing without signatures.",
                hint="Give Prolific's keys: --platform-key FILE",
            )
        return "", []
    if platform.name != "prolific":
        raise UsageError(
            f"--platform-key is for Prolific; {platform.name} raters come without signatures.",
            hint="Leave it out.",
        )
    from ..server.signatures import read_keys

    raw = content(Path(options.platform_key), "Name the file of Prolific's public keys.")
    read_keys(raw, str(options.platform_key))
    said = ["Set the study's address on Prolific to be secure: visits without its signature are refused."]
    if not platform.study:
        said.append("Without --study-id, visits of any study on Prolific that names this server are taken.")
    return raw.decode(), said


def _labels(campaign: Campaign, raters: int | None) -> list[str]:
    """The names of the raters who get personal links."""
    if campaign.platform.name != "local":
        return []
    seats = campaign.hits * campaign.raters_per_hit
    count = raters if raters is not None else -(-seats // campaign.hits_per_rater)
    return [f"r{number:0{max(3, len(str(count)))}d}" for number in range(1, count + 1)]


def personal(keys: Secrets, labels: Sequence[str]) -> list[Visitor]:
    """The visits of raters with personal links."""
    from ..store import Visitor

    return [
        Visitor("local", label, "", fingerprint(keys.token("local", label, "")), label) for label in labels
    ]


def pseudonym(folder: Folder, platform: str, external: str) -> str:
    """A name for a platform's worker that says nothing, and stays the same over a campaign."""
    return "w" + folder.secrets.sign("pseudonym", platform, external).hex()[:12]


def slots_of(
    study: Study,
    key: list[KeyLine],
    practice: Sequence[Practice],
    options: CampaignRequest,
    files: dict[str, Clip],
    known: Mapping[str, int] | None = None,
) -> tuple[list[Clip], list[dict[str, Any]]]:
    """What the server may know: for each place its media and what the page shows, nothing of what stands
    behind it. `known`: the numbers of the clips that the campaign has, by path; new ones are numbered on.
    """
    there = known or {}
    numbers: dict[str, int] = {name: there[one.path] for name, one in files.items() if one.path in there}
    used: list[Clip] = []

    @functools.cache
    def media(names: tuple[str, ...]) -> str:
        for name in names:
            if name not in numbers:
                used.append(files[name])
                numbers[name] = len(there) + len(used)
        return _json([numbers[name] for name in names])

    def row(hit: str, position: int, names: tuple[str, ...], shown: dict[str, Any]) -> dict[str, Any]:
        return {"hit": hit, "position": position, "media": media(names), "payload": _json(shown)}

    rows = [
        row("", number - len(practice), (item.item,), study.practice_page(item, options))
        for number, item in enumerate(practice)
    ]
    rows += [row(line.hit, line.position, study.media(line), study.page_data(line)) for line in key]
    return used, rows


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()


def plan(prepared: Prepared) -> list[tuple[str, str]]:
    """What the campaign will be and cost, for a dry run."""
    campaign, study = prepared.campaign, named(prepared.campaign.task)
    seats = campaign.hits * campaign.raters_per_hit
    pay = campaign.pay()
    mean, least = _overlap(prepared.key, campaign.raters_per_hit)
    return [
        ("task", campaign.task),
        ("systems", ", ".join(campaign.systems)),
        (study.media_word, f"{len(prepared.media):,}"),
        *([("selection", _selected(campaign.selection))] if campaign.selection else []),
        (
            "HITs",
            (
                f"{campaign.hits:,} of {campaign.hit_size}, {many(campaign.raters_per_hit, 'rater')} each:"
                f" {seats:,} assignments"
            ),
        ),
        ("overlap", f"{mean:.1f} raters for each caption on average, {least} at least, in different HITs"),
        *study.described(prepared.key, campaign.layout, campaign.systems, campaign.raters_per_hit),
        (
            "time per HIT",
            f"{pay.duration} (clip length, four words a second, and {study.answering:.0f} seconds for each"
            " answer)",
        ),
        ("pay", pay.rate),
        ("cost", pay.bill),
    ]


def _selected(selection: Selection) -> str:
    number = f"{selection.videos:,} drawn from " if selection.videos else ""
    limits = f" ({selection})" if str(selection) else ""
    return f"{number}{selection.suitable:,}{limits} of {selection.captioned:,} with captions of everybody"


def _overlap(key: Sequence[KeyLine], raters_per_hit: int) -> tuple[float, int]:
    """How many raters each caption (comparison, sequence) gets: on average, and at least."""
    in_order = functools.cache(lambda systems: tuple(sorted(systems)))
    places = {(line.hit, line.item, in_order(line.systems)) for line in key}
    captions = Counter((item, systems) for _, item, systems in places)
    counts = [count * raters_per_hit for count in captions.values()]
    return sum(counts) / len(counts), min(counts)


def _seconds(media: Sequence[Clip], slots: Sequence[dict[str, Any]], study: Study, size: int) -> float:
    """The time that a HIT should take."""
    watching = sum(clip.seconds for clip in media) / max(1, len(media))
    read = [
        reading_seconds(study.texts(msgspec.json.decode(slot["payload"])), USUAL) for slot in slots[:1000]
    ]
    return size * (watching + sum(read) / max(1, len(read)) + study.answering)


def few_ratings_warning(study: Study, key: Sequence[KeyLine], options: CampaignRequest) -> str:
    """What the analysis will say of the number of ratings or raters; nothing where there are enough."""
    if not study.scored:
        from ..analysis.rater_effects import FEW_RATERS

        seats = len({line.hit for line in key}) * options.raters_per_hit
        if seats >= FEW_RATERS:
            return ""
        return (
            f"{many(seats, 'assignment')}; results from fewer than {FEW_RATERS} raters do not generalise to"
            " other raters, and the analysis will say so (--hits, --raters-per-hit)."
        )
    from ..analysis.assessment import SYSTEM_MINIMUM

    per = Counter(name for line in key if line.kind in ("system", "repeat") for name in line.systems)
    least = min(per.values(), default=0) * options.raters_per_hit
    if least >= SYSTEM_MINIMUM or not least:
        return ""
    times = -(-SYSTEM_MINIMUM // least)
    return (
        f"{least:,} ratings per system; the method's authors recommend {SYSTEM_MINIMUM} (for example"
        f" --raters-per-hit {times * options.raters_per_hit}), and the analysis will say so."
    )


def too_few_links(campaign: Campaign, raters: int | None) -> str:
    """What to say where the personal links cannot fill every seat; else nothing."""
    seats = campaign.hits * campaign.raters_per_hit
    room = seats if raters is None or campaign.platform.name != "local" else raters * campaign.hits_per_rater
    if room >= seats:
        return ""
    enough = -(-seats // campaign.hits_per_rater)
    return (
        f"WARNING: {many(raters or 0, 'link')} for {seats:,} assignments: {seats - room:,} can never be done."
        f" Use --raters {enough}, or let a rater do more (--hits-per-rater)."
    )
