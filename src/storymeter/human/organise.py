"""From caption files and a folder of clips to a campaign: design, check, price, and only then write.

`prepare` collects every problem and writes nothing (that is the dry run); `write` makes the folder and the
database."""

from __future__ import annotations

import datetime
import itertools
import secrets
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from ..captions import Corpus
from ..errors import DataError, StorymeterError, UsageError, some
from ..metric import Progress, silent
from . import clips as media
from . import design, studies
from .campaign import (
    Campaign,
    Folder,
    KeyLine,
    Platform,
    Practice,
    Task,
    fingerprint,
    new_secrets,
    private,
)
from .design import Layout, Slot
from .lots import drawn, new_seed
from .studies import Duel, Panel, Question


class Wishes(msgspec.Struct, frozen=True, kw_only=True):
    """What the organiser asks for."""

    task: Task = "da"
    systems: Sequence[Corpus] = ()
    human: Corpus | None = None
    clips: Path
    hits: int | None = None
    layout: Layout = Layout()
    per_hit: int | None = None
    #: for rehearsals: a chosen seed can be guessed, and with it the private key
    seed: int | None = None
    merge_identical: bool = False
    questions: Sequence[Question] = ()
    practice: int = 0
    title: str = ""
    raters_per_hit: int = 1
    hits_per_rater: int = 1
    watch: float = 0.9
    lease_minutes: float = 120.0
    platform: Platform = Platform()
    price: float = 0.99
    fee: float = 0.20
    currency: str = "USD"
    contact: str = ""
    language: str = "en"


class Prepared(msgspec.Struct):
    campaign: Campaign
    key: list[KeyLine]
    media: list[media.Clip]
    slots: list[dict[str, Any]]
    problems: list[str]
    warnings: list[str]


def prepare(wishes: Wishes, *, progress: Progress = silent) -> Prepared:
    """Lay out the campaign and look at every clip; problems are listed, not thrown, as long as there is
    something to lay out.
    """
    if not wishes.clips.is_dir():
        raise UsageError(
            f"{wishes.clips} is not a folder.", hint="Give --clips the folder that holds the clips."
        )
    problems, warnings = _texts(wishes)
    seed = new_seed() if wishes.seed is None else str(wishes.seed)
    if wishes.seed is not None:
        warnings.append(
            f"--seed {seed} is for rehearsals: whoever guesses it can rebuild the private key from the captions."
            " Leave it out for raters who are paid."
        )
    if wishes.task == "survey":
        key, files, problems_ = _survey(wishes, seed)
    else:
        ids = sorted(
            {document.id for corpus in wishes.systems for document in corpus}
            | {d.id for d in wishes.human or ()}
        )
        checked = media.check(wishes.clips, ids, progress=progress)
        problems_, files = checked.problems, checked.clips
        warnings += checked.warnings
        if not files:
            raise DataError(
                f"No caption has a clip in {wishes.clips} that can be shown: {some(problems_, limit=3)}.",
                hint="Clips are found by name: the file of video `v1` is v1.mp4 or v1.webm.",
            )
        key = (
            _preference(wishes, seed, files)
            if wishes.task == "preference"
            else _direct(wishes, seed, files, warnings)
        )
    problems += problems_
    key[0] = msgspec.structs.replace(key[0], seed=seed)
    hits = {line.hit for line in key}
    size = len(key) // len(hits)
    practice = _practice(wishes, seed, files) if wishes.task == "da" else ()
    campaign = Campaign(
        id=secrets.token_hex(4),
        task=wishes.task,
        title=wishes.title
        or {
            "da": "How well does the text describe the clip?",
            "preference": "Which description is better?",
            "survey": "Which story is best?",
        }[wishes.task],
        systems=tuple(corpus.name for corpus in wishes.systems),
        human=wishes.human.name if wishes.human else "",
        clips=str(wishes.clips.resolve()),
        hits=len(hits),
        hit_size=size,
        created=datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        layout=wishes.layout if wishes.task == "da" else None,
        language=wishes.language,
        raters_per_hit=wishes.raters_per_hit,
        hits_per_rater=wishes.hits_per_rater,
        watch=wishes.watch,
        lease_minutes=wishes.lease_minutes,
        platform=wishes.platform,
        price=wishes.price,
        fee=wishes.fee,
        currency=wishes.currency,
        contact=wishes.contact,
        practice=practice,
    )
    shown, slots = _slots(key, practice, files)
    return Prepared(campaign, key, shown, slots, problems, warnings)


def write(
    prepared: Prepared, folder: Path, *, database: str | None = None, raters: int | None = None
) -> Folder:
    """Make the campaign's folder and fill its database. Local campaigns get `raters` personal links (default:
    one per seat).
    """
    from .store import Media, Store, seats

    home = Folder(folder)
    if (folder / "campaign.json").exists():
        raise UsageError(
            f"{folder} already holds a campaign.",
            hint="Choose another folder; answers are never overwritten.",
        )
    folder.mkdir(parents=True, exist_ok=True)
    keys = new_secrets(database or "sqlite:///campaign.db")
    campaign = prepared.campaign
    private(folder / "secrets.json", msgspec.json.encode(keys))
    if database is None:
        private(folder / "campaign.db", b"")  # with its rights before its content
    try:
        store = Store(home.database)
    except StorymeterError:
        (folder / "secrets.json").unlink()
        raise
    try:
        hits = sorted({line.hit for line in prepared.key})
        store.fill(
            campaign.id,
            [Media(c.path, c.mime, c.seconds) for c in prepared.media],
            [c.bytes for c in prepared.media],
            prepared.slots,
            hits,
            campaign.raters_per_hit,
        )
        if campaign.platform.name == "local":
            count = (
                raters
                if raters is not None
                else -(-campaign.hits * campaign.raters_per_hit // campaign.hits_per_rater)
            )
            labels = [f"r{number:0{max(3, len(str(count)))}d}" for number in range(1, count + 1)]
            doors = [(label, keys.token("local", label, "")) for label in labels]
            created = datetime.datetime.now(datetime.timezone.utc).timestamp()

            def enrol(connection: Any) -> None:
                for label, token in doors:
                    seats.enter(
                        connection,
                        platform="local",
                        external=label,
                        session="",
                        mark=fingerprint(token),
                        pseudonym=label,
                        submit_to="",
                        now=created,
                    )

            store.write(enrol).result()
            private(
                folder / "links.csv",
                b"rater,link\n" + b"".join(f"{label},/r/{token}\n".encode() for label, token in doors),
            )
    finally:
        store.close()
    home.create(campaign, prepared.key, keys)  # last: a folder with campaign.json is whole
    return home


def pseudonym(folder: Folder, platform: str, external: str) -> str:
    """A name for a platform's worker that says nothing, and stays the same over a campaign."""
    return "w" + folder.secrets.sign("pseudonym", platform, external).hex()[:12]


def _texts(wishes: Wishes) -> tuple[list[str], list[str]]:
    problems, warnings = [], []
    for corpus in [*wishes.systems, *([wishes.human] if wishes.human else [])]:
        empty = [d.id for d in corpus if not d.text.strip()]
        if empty:
            problems.append(f"{corpus.name}: {len(empty):,} empty captions: {some(empty)}")
        several = [item for item, documents in corpus.by_id().items() if len(documents) > 1]
        if several:
            warnings.append(
                f"{corpus.name}: {len(several):,} videos have several captions; the first of each is shown:"
                f" {some(several)}"
            )
    everyone = {corpus.name: {d.id for d in corpus} for corpus in wishes.systems}
    union = set().union(*everyone.values()) if everyone else set()
    for name, ids in everyone.items():
        if union - ids:
            warnings.append(
                f"{name}: no caption for {len(union - ids):,} of {len(union):,} videos:"
                f" {some(sorted(union - ids))}"
            )
    return problems, warnings


def _direct(wishes: Wishes, seed: str, files: dict[str, media.Clip], warnings: list[str]) -> list[KeyLine]:
    laid = design.build(
        wishes.systems,
        wishes.human,
        layout=wishes.layout,
        hits=wishes.hits,
        seed=seed,
        merge_identical=wishes.merge_identical,
        items=files,
    )
    warnings += laid.notes
    short = sum(bool(slot.degraded and slot.degraded.short) for hit in laid.hits for slot in hit.slots)
    if short:
        warnings.append(
            f"{short:,} degraded captions are too short for table 2 (three words or fewer): what fits was"
            " replaced"
        )
    return [slot for hit in laid.hits for slot in hit.slots]


def _preference(wishes: Wishes, seed: str, files: dict[str, media.Clip]) -> list[KeyLine]:
    dealt = studies.preference(
        wishes.systems,
        per_hit=wishes.per_hit or 10,
        hits=wishes.hits,
        seed=seed,
        items=files,
        questions=wishes.questions,
    )
    return [duel for hand in dealt for duel in hand]


def _survey(wishes: Wishes, seed: str) -> tuple[list[KeyLine], dict[str, media.Clip], list[str]]:
    ids = sorted({document.id for corpus in wishes.systems for document in corpus})
    named = media.sequences(wishes.clips, studies.pictures(wishes.systems), ids)
    checked = media.check(
        wishes.clips, sorted({image for images in named.values() for image in images}), media.IMAGE
    )
    whole = {
        item: images
        for item, images in named.items()
        if images and all(image in checked.clips for image in images)
    }
    problems = checked.problems + [f"{item}: no pictures" for item in ids if not named.get(item)]
    dealt = studies.survey(
        wishes.systems, whole, per_hit=wishes.per_hit or 5, hits=wishes.hits, seed=seed, items=whole
    )
    return [panel for hand in dealt for panel in hand], checked.clips, problems


def _practice(wishes: Wishes, seed: str, files: dict[str, media.Clip]) -> tuple[Practice, ...]:
    """Warming up: right and wrong captions in turn (a human caption of this clip, one of another)."""
    people = (
        {item: text for item, text in design.texts(wishes.human).items() if item in files and text}
        if wishes.human
        else {}
    )
    if not wishes.practice or len(people) < 2:
        return ()
    rng = drawn("practice", seed)
    items = rng.sample(sorted(people), min(wishes.practice, len(people) - 1) + 1)
    return tuple(
        (
            Practice(item, people[item], 60, 100, "")
            if number % 2 == 0
            else Practice(item, people[other], 0, 40, "")
        )
        for number, (item, other) in enumerate(itertools.pairwise(items))
    )


def _slots(
    key: list[KeyLine], practice: Sequence[Practice], files: dict[str, media.Clip]
) -> tuple[list[media.Clip], list[dict[str, Any]]]:
    """What the server may know: for each place its media and what the page shows, nothing of what stands
    behind it.
    """
    numbers: dict[str, int] = {}
    used: list[media.Clip] = []

    def refer(names: Sequence[str]) -> str:
        for name in names:
            if name not in numbers:
                used.append(files[name])
                numbers[name] = len(used)
        return msgspec.json.encode([numbers[name] for name in names]).decode()

    rows = [
        {
            "hit": "",
            "position": number - len(practice),
            "media": refer([item.item]),
            "payload": _json({"caption": item.caption}),
        }
        for number, item in enumerate(practice)
    ]
    for line in key:
        names = line.images if isinstance(line, Panel) else (line.item,)
        rows.append(
            {
                "hit": line.hit,
                "position": line.position,
                "media": refer(names),
                "payload": _json(_shown(line)),
            }
        )
    return used, rows


def _shown(line: KeyLine) -> dict[str, Any]:
    if isinstance(line, Slot):
        return {"caption": line.text}
    if isinstance(line, Duel):
        question = (
            {"text": line.question.question, "options": line.question.options} if line.question else None
        )
        return {"left": line.texts[0], "right": line.texts[1], "question": question}
    return {"stories": line.texts}


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()


def plan(prepared: Prepared) -> list[tuple[str, str]]:
    """What the campaign will be and cost, for a dry run."""
    campaign = prepared.campaign
    seats = campaign.hits * campaign.raters_per_hit
    rows = [
        ("task", campaign.task),
        ("systems", ", ".join(campaign.systems)),
        ("clips", f"{len(prepared.media):,}"),
        (
            "HITs",
            (
                f"{campaign.hits:,} of {campaign.hit_size}, {campaign.raters_per_hit} rater(s) each:"
                f" {seats:,} assignments"
            ),
        ),
    ]
    if campaign.layout:
        counts = Counter(line.kind for line in prepared.key if isinstance(line, Slot))
        low, high = campaign.layout.distance
        rows.append(
            (
                "places",
                ", ".join(f"{count:,} {kind}" for kind, count in sorted(counts.items()))
                + f"; pairs {low}-{high} apart",
            )
        )
        per = Counter(
            name
            for line in prepared.key
            if isinstance(line, Slot) and line.kind in ("system", "repeat")
            for name in line.systems
        )
        rows.append(
            (
                "ratings per system",
                ", ".join(f"{name} {per[name] * campaign.raters_per_hit:,}" for name in campaign.systems),
            )
        )
    watching = {item.path: item.seconds for item in prepared.media}
    minutes = campaign.hit_size * ((sum(watching.values()) / max(1, len(watching))) + 6) / 60
    rows.append(
        ("time per HIT", f"about {minutes:.0f} minutes (clip length and six seconds for each answer)")
    )
    rows.append(
        (
            "cost",
            (
                f"{seats:,} x {campaign.price:.2f} {campaign.currency} + {campaign.fee:.0%} fee ="
                f" {campaign.cost:,.2f} {campaign.currency}"
            ),
        )
    )
    return rows
