"""A campaign grows, or loses a clip, while raters are at work.

**More** HITs, raters of each HIT, links, or another system: the captions that are there come from the private
key, new ones from the files of the new systems. In the new HITs of a Direct Assessment or error span study
all systems, old and new, have equally many places: a rater's mean and standard deviation are then of nearly
the same mixture as before, so that z-scores of old and new HITs can be pooled. Each comparison of a
preference study holds a new system; sequences of a survey show the stories of all.

**Less**: a clip, or one caption, is withdrawn. It is shown to nobody any more (HITs under way pass over it),
and what was answered about it stays in the database and is left out of export and analysis.

The private key is written before the database, and the database in one transaction: no answer can come to a
place without its line."""

import contextlib
import datetime
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec
from filelock import FileLock, Timeout

from ...captions import Corpus, Document
from ...errors import DataError, UsageError, first_few, many
from ...progress import Progress, silent
from ..study import Study
from .design import texts as first_texts
from .organise import personal, slots_of
from .record import Campaign, Extension, Folder, KeyLine, Withdrawn, private
from .request import CampaignRequest, RaterTerms, caption_problems, new_seed, of_videos


class ExtensionRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be added or taken away."""

    systems: Sequence[Corpus] = ()
    #: new HITs; None: with new systems, as many as show each of their captions `overlap` times
    hits: int | None = None
    overlap: int = 3
    #: new personal links; None: one for each new assignment
    raters: int | None = None
    raters_per_hit: int | None = None
    hits_per_rater: int | None = None
    #: ids of clips, and (system, id) of captions
    withdraw: Sequence[str] = ()
    withdraw_captions: Sequence[tuple[str, str]] = ()
    reason: str = ""
    seed: int | None = None


class Extended(msgspec.Struct):
    """What was or would be done: its plan by headings, and what is wrong with the files."""

    plan: list[tuple[str, str]]
    problems: list[str]
    warnings: list[str]


def extend(
    folder: Folder,
    request: ExtensionRequest,
    *,
    dry_run: bool = False,
    skip_bad: bool = False,
    progress: Progress = silent,
) -> Extended:
    """Add to the campaign in this folder, or withdraw from it."""
    try:
        with FileLock(folder.path / "extend.lock", timeout=0):
            return _extend(folder, request, dry_run=dry_run, skip_bad=skip_bad, progress=progress)
    except Timeout:
        raise UsageError(
            f"{folder.path} is being extended by another command.", hint="Wait until it has ended."
        ) from None


def _extend(
    folder: Folder, request: ExtensionRequest, *, dry_run: bool, skip_bad: bool, progress: Progress
) -> Extended:
    from ..store import Media, Store
    from ..store.contents import Content

    old, now = folder.campaign, datetime.datetime.now(datetime.timezone.utc)
    at = now.isoformat(timespec="seconds")
    with contextlib.closing(Store(folder.database)) as store:
        store.check(old.id)
        gone = _withdrawn(folder, request, at)
        campaign = msgspec.structs.replace(old, withdrawn=(*old.withdrawn, *gone))
        done = Extended([], [], [])
        key: list[KeyLine] = []
        clips: list[Any] = []
        slots: list[dict[str, Any]] = []
        if request.systems or request.hits:
            known = {clip.path: number for number, clip in enumerate(store.clips(), 1)}
            key, clips, slots = _more_hits(folder, campaign, request, known, done, progress)
        campaign = _grown(campaign, request, key, at, _lacking(folder, request, key))
        if campaign == old and request.raters is None:
            raise UsageError(
                "Nothing is to be added or withdrawn.",
                hint="Give --systems, --hits, --raters, --raters-per-hit, --hits-per-rater or --withdraw.",
            )
        labels = _labels(folder, campaign, old, request, store.people())
        _described(done, folder, old, campaign, key, labels, store.answers() if gone else [])
        if store.state() == "closed":
            done.warnings.append("The campaign is closed; open it again with: human close DIR --reopen")
        if dry_run:
            return done
        if done.problems and not skip_bad:
            raise DataError(
                f"{len(done.problems):,} problems, listed above; nothing was changed.",
                hint="Correct them, or leave those captions out with --skip-bad.",
            )
        before = (folder.path / "key.jsonl").read_bytes()
        try:
            private(folder.path / "key.jsonl", before + msgspec.json.Encoder().encode_lines(key))
            folder.write_campaign(campaign)
            content = Content(
                [Media(one.path, one.mime, one.seconds, one.bytes) for one in clips],
                slots,
                sorted({line.hit for line in key}),
                campaign.raters_per_hit,
                personal(folder.secrets, labels),
            )
            store.extend(content, _places(folder, campaign, gone), now.timestamp())
        except BaseException:
            private(folder.path / "key.jsonl", before)
            folder.write_campaign(old)
            raise
        folder.read_again()
        if labels:
            folder.add_links(labels)
        return done


def authors(folder: Folder) -> dict[str, Corpus]:
    """The captions that the private key holds, by author, without those of withdrawn clips."""
    found: dict[str, dict[str, Document]] = {name: {} for name in folder.campaign.systems}
    for line in folder.key.values():
        if any(one.item == line.item and not one.system for one in folder.campaign.withdrawn):
            continue
        for name, document in folder.study.captions(line):
            if not any((one.item, one.system) == (line.item, name) for one in folder.campaign.withdrawn):
                found.setdefault(name, {}).setdefault(line.item, document)
    return {name: Corpus(tuple(by.values()), name) for name, by in found.items()}


def _together(known: Mapping[str, Corpus], more: Iterable[Corpus], gone: Iterable[str]) -> dict[str, Corpus]:
    """The captions of the key, with those of the files that are not in it."""
    found, barred = dict(known), set(gone)
    for corpus in more:
        have = found.get(corpus.name, Corpus((), corpus.name))
        old, new = first_texts(have), first_texts(corpus)
        other = [item for item in new if item in old and old[item] != new[item]]
        if other:
            raise DataError(
                f"{corpus.name}: {many(len(other), 'caption')} differ from those that raters have had:"
                f" {first_few(other)}.",
                hint="Give the new version of a system a name of its own (rename the file).",
            )
        fresh = tuple(one for one in corpus if one.id not in old and one.id not in barred)
        found[corpus.name] = Corpus((*have.documents, *fresh), corpus.name)
    return found


def _more_hits(
    folder: Folder,
    campaign: Campaign,
    request: ExtensionRequest,
    clips: Mapping[str, int],
    done: Extended,
    progress: Progress,
) -> tuple[list[KeyLine], list[Any], list[dict[str, Any]]]:
    study, lines = folder.study, list(folder.key.values())
    gone = [one.item for one in campaign.withdrawn if not one.system]
    folder.campaign = campaign  # `authors` leaves out what is withdrawn now, too
    more = request.systems
    if campaign.selection is not None:  # new systems are rated on the videos that were chosen
        shown = {line.item for line in lines}
        more = [of_videos(corpus, shown) for corpus in more]
    corpora = _together(authors(folder), more, gone)
    human = corpora.pop(campaign.human, None) if campaign.human else None
    first = [line for line in lines if line.hit == lines[0].hit]
    options = CampaignRequest(
        task=campaign.task,
        systems=list(corpora.values()),
        human=human,
        clips=folder.clips,
        hits=request.hits,
        overlap=request.overlap,
        layout=campaign.layout,
        per_hit=study.per_hit(first),
        repeat_per_hit=study.repeats(first),
        controls=sum(map(study.is_control, first)),
        merge_identical=any(len(line.systems) > 1 for line in lines) if study.layout else False,
        questions=study.questions(lines),
        kinds=study.kinds_of(lines),
        added=tuple(name for name in corpora if name not in campaign.systems),
        shown={} if request.systems else study.display_counts(lines),
        **{name: getattr(campaign, name) for name in RaterTerms.__struct_fields__},
    )
    problems, warnings = caption_problems(options)
    if warnings and any(name not in {one.name for one in request.systems} for name in campaign.systems):
        warnings.append(
            "The private key holds the captions that raters were given; give the files of the other systems,"
            " too, and those that were not dealt yet are added."
        )
    seed = new_seed() if request.seed is None else str(request.seed)
    design = study.design(options, seed, progress)
    last = max(int(line.hit[1:]) for line in lines)
    key = [_renamed(line, last) for line in design.key]
    key[0] = msgspec.structs.replace(key[0], seed=seed)
    sizes = set(Counter(line.hit for line in key).values())
    if sizes != {campaign.hit_size}:
        raise DataError(
            f"The new HITs would have"
            f" {first_few(sizes)} items; those of the campaign have {campaign.hit_size}.",
            hint="Add captions of more clips, so that they can be filled alike.",
        )
    done.problems += problems + design.problems
    done.warnings += [*warnings, *design.warnings]
    media, slots = slots_of(study, key, (), options, design.files, clips)
    return key, media, slots


def _renamed(line: KeyLine, last: int) -> KeyLine:
    """The line in a HIT that is numbered on from the last one there is."""
    hit = f"h{int(line.hit[1:]) + last:05d}"
    pair = getattr(line, "pair", "")
    changes = {"pair": hit + pair[len(line.hit) :]} if pair else {}
    return msgspec.structs.replace(line, hit=hit, **changes)


def _lacking(
    folder: Folder, request: ExtensionRequest, key: Sequence[KeyLine]
) -> dict[str, tuple[str, ...]] | None:
    """What systems have no caption of, after the extension."""
    old = folder.campaign
    if old.lacking is None:
        return None
    own = {one.name: set(first_texts(one)) for one in request.systems}
    shown = {line.item for line in (*folder.key.values(), *key)}
    found = {}
    for name in dict.fromkeys([*old.systems, *own]):
        before = set(old.lacking.get(name, ())) if name in old.systems else shown
        found[name] = tuple(sorted(before - own.get(name, set())))
    return {name: items for name, items in found.items() if items}


def _grown(
    campaign: Campaign,
    request: ExtensionRequest,
    key: Sequence[KeyLine],
    at: str,
    lacking: dict[str, tuple[str, ...]] | None,
) -> Campaign:
    per_hit = campaign.raters_per_hit if request.raters_per_hit is None else request.raters_per_hit
    if per_hit < campaign.raters_per_hit:
        raise UsageError(
            f"Each HIT has {campaign.raters_per_hit} raters; --raters-per-hit {per_hit} would lose some.",
            hint="Close the campaign when there are enough answers: storymeter human close DIR",
        )
    hits = len({line.hit for line in key})
    added = tuple(corpus.name for corpus in request.systems if corpus.name not in campaign.systems)
    what = Extension(at, hits, request.raters or 0, per_hit - campaign.raters_per_hit, added)
    same = not (hits or request.raters or what.raters_per_hit or added)
    return msgspec.structs.replace(
        campaign,
        hits=campaign.hits + hits,
        systems=(*campaign.systems, *added),
        raters_per_hit=per_hit,
        hits_per_rater=request.hits_per_rater or campaign.hits_per_rater,
        extensions=campaign.extensions if same else (*campaign.extensions, what),
        lacking=lacking,
    )


def _labels(
    folder: Folder, campaign: Campaign, old: Campaign, request: ExtensionRequest, people: int
) -> list[str]:
    """Names for new personal links; none that an erased rater had."""
    if campaign.platform.name != "local":
        if request.raters:
            raise UsageError(
                f"Raters of this campaign come from {campaign.platform.name}, without personal links.",
                hint="Leave out --raters, and add places on the platform.",
            )
        return []
    seats = campaign.hits * campaign.raters_per_hit - old.hits * old.raters_per_hit
    count = request.raters if request.raters is not None else -(-seats // campaign.hits_per_rater)
    numbers = [int(name[1:]) for name in folder.link_names() if name[1:].isdigit()]
    first = max([people, *numbers], default=0) + 1
    return [f"r{number:0{max(3, len(str(number)))}d}" for number in range(first, first + count)]


def _withdrawn(folder: Folder, request: ExtensionRequest, at: str) -> list[Withdrawn]:
    wanted = [("", item) for item in request.withdraw] + list(request.withdraw_captions)
    found = []
    for system, item in dict.fromkeys(wanted):
        one = Withdrawn(item, system, request.reason, at)
        if any((old.item, old.system) == (item, system) for old in folder.campaign.withdrawn):
            raise UsageError(f"{_named(one)} is withdrawn already.", hint="Leave it out.")
        if not any(one.holds(line) for line in folder.key.values()):
            raise UsageError(
                f"{_named(one)} is in no HIT.", hint="The ids and names are those of the caption files."
            )
        found.append(one)
    return found


def _named(one: Withdrawn) -> str:
    return f"{one.system}: {one.item}" if one.system else one.item


def _places(folder: Folder, campaign: Campaign, gone: Sequence[Withdrawn]) -> list[tuple[str, int]]:
    """Where the withdrawn stands; a practice item is one at a position below 0."""
    found = [place for place, line in folder.key.items() if any(one.holds(line) for one in gone)]
    clips = {one.item for one in gone if not one.system}
    count = len(campaign.practice)
    return found + [("", n - count) for n, item in enumerate(campaign.practice) if item.item in clips]


def _described(
    done: Extended,
    folder: Folder,
    old: Campaign,
    campaign: Campaign,
    key: Sequence[KeyLine],
    labels: Sequence[str],
    answers: Sequence[Any],
) -> None:
    """Say what is added and what it costs, and what a withdrawal does to the analysis."""
    study, plan = folder.study, done.plan
    plan += [("systems", ", ".join(campaign.systems))] if campaign.systems != old.systems else []
    seats, before = (one.hits * one.raters_per_hit for one in (campaign, old))
    plan.append(("HITs", f"{campaign.hits:,} of {campaign.hit_size} (were {old.hits:,})"))
    plan.append(("assignments", f"{seats:,} (were {before:,})"))
    if labels:
        plan.append(("links", f"{len(labels):,} new: {labels[0]} … {labels[-1]}"))
    if key:
        lines = study.described(key, campaign.layout, campaign.systems, campaign.raters_per_hit)
        plan += [(f"new HITs: {name}", said) for name, said in lines]
    plan.append(("cost of the addition", campaign.pay(seats - before).bill))
    plan.append(("cost in all", campaign.pay().bill))
    if warning := campaign.pay().warning(campaign.hourly):
        done.warnings.append(warning)
    for one in campaign.withdrawn[len(old.withdrawn) :]:
        done.warnings.append(_loss(study, folder.key, one, answers))


def _loss(
    study: Study, key: Mapping[tuple[str, int], KeyLine], one: Withdrawn, answers: Sequence[Any]
) -> str:
    """What the analysis loses by a withdrawal."""
    lines = {place: line for place, line in key.items() if one.holds(line)}
    given = 0
    for row in answers:
        order = msgspec.json.decode(row.places) if row.places else None
        given += (row.hit, order[row.position] if order else row.position) in lines
    hits = Counter(line.hit for line in lines.values())
    systems = Counter(name for line in lines.values() for name in set(line.systems) if name)
    controls = Counter(line.hit for line in lines.values() if study.is_control(line))
    left = Counter(line.hit for place, line in key.items() if study.is_control(line) and place not in lines)
    fewest = min((left[hit] for hit in controls), default=0)
    lost = f"; {many(controls.total(), 'control item')} go, and at least {fewest} stay in each HIT"
    per = ", ".join(f"{name} {count:,}" for name, count in sorted(systems.items()))
    return (
        f"{_named(one)} is withdrawn: {many(len(lines), 'item')} in {many(len(hits), 'HIT')} ({per}) are"
        f" passed over, and {many(given, 'answer')} to them are left out of export and analysis (they stay in"
        f" the database: human export --withdrawn){lost if controls else ''}."
    )
