"""The steps of a study as functions: build, serve, rehearse, watch, export and keep a campaign.

made = new("study", ["a.json", "b.json"], clips="clips")
serve("study")
text = export("study", "csv")"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from ..captions import Corpus
from ..errors import DataError, UsageError, first_few
from ..files import content
from ..formats import read
from ..progress import Note, Progress, silent, unsaid
from .campaign.export import facts, rehearsal_links, render
from .campaign.organise import plan as plan_of, prepare, too_few_links, write
from .campaign.record import Folder
from .campaign.request import CampaignRequest, Layout, Platform, Question, Selection, seconds
from .server import run
from .server.words import languages
from .sources import campaign_notes
from .study import named

if TYPE_CHECKING:
    from .campaign.backup import Manifest
    from .rehearsal import Tally
    from .store import Store

Place: TypeAlias = str | PathLike[str]
#: parts of a HIT whose number may be chosen
PARTS = ("system", "degraded", "repeat", "human")


@contextlib.contextmanager
def opened(folder: Place, note: Note = unsaid) -> Iterator[tuple[Folder, Store]]:
    """A campaign's files and its database, closed again at the end."""
    from .store import Store

    home = Folder(Path(folder))
    number = home.campaign.id
    for line in campaign_notes(home):
        note(line)
    with contextlib.closing(Store(home.database)) as store:
        store.check(number)
        yield home, store


@dataclass(frozen=True, slots=True)
class NewCampaign:
    """What `new` made, or would make: the plan by its headings, and what is wrong with the files."""

    plan: Sequence[tuple[str, str]]
    problems: Sequence[str]
    warnings: Sequence[str]
    #: the campaign's folder; None after a dry run
    home: Folder | None


def new(
    folder: Place,
    systems: Sequence[Place | Corpus],
    *,
    clips: Place,
    human: Place | Corpus | None = None,
    tests: Place | None = None,
    kinds: str | None = None,
    counts: Mapping[str, int | None] | None = None,
    blocks: int | None = None,
    control_base: str | None = None,
    platform: str = "local",
    completion_code: str = "",
    study_id: str = "",
    videos: int | None = None,
    duration: str | tuple[float, float] | None = None,
    max_captions: int | None = None,
    database: str | None = None,
    raters: int | None = None,
    dry_run: bool = False,
    skip_bad: bool = False,
    progress: Progress = silent,
    note: Note = unsaid,
    **request: Any,
) -> NewCampaign:
    """Builds a campaign: lays out the HITs, checks every clip, writes the private key and the raters' links.

    folder: a new folder.
    systems: captions by systems, files or corpora.
    clips: the folder of the clips.
    human: captions by people, shown among those of the systems.
    tests: a file of test questions.
    kinds: kinds of errors of an error span study, comma-separated.
    counts: captions in a block by part (`PARTS`); default: those of the kind of study.
    blocks, control_base: blocks in a HIT; what degraded captions are made of.
    platform, completion_code: where raters come from (local, mturk or prolific), and Prolific's code or
        `@file`.
    study_id: the study on Prolific that signed visits must be of.
    videos, duration, max_captions: so many videos, drawn at random, of this length in seconds (`90-180`),
        with at most so many captions; default: all.
    database: an empty database; default: SQLite in the folder.
    raters: personal links of a local campaign; default: one per seat.
    dry_run: writes nothing.
    skip_bad: leaves captions with problems out, which are an error otherwise.
    note: called with each warning and problem.
    request: as in `storymeter human new`: task, hits, title, language, seed, price …
    progress: called with what is being done, how much is done, and of how much.
    """
    language = request.get("language", "en")
    if language not in (known := languages()):
        raise UsageError(
            f"There are no pages in the language {language!r}; there are {', '.join(known)}.",
            hint="Choose one with --language.",
        )
    sizes = {**(counts or {}), "blocks": blocks, "control_base": control_base}
    if kinds is not None:
        request["kinds"] = tuple(kind.strip() for kind in kinds.split(","))
    limits = None if duration is None else seconds(duration)
    selection = Selection(videos=videos, duration=limits, max_captions=max_captions)
    options = CampaignRequest(
        clips=Path(clips),
        selection=None if selection == Selection() else selection,
        layout=_layout(request.get("task", "da"), sizes, human is not None, note),
        systems=[read_captions(system, request.get("task", "da")) for system in systems],
        human=None if human is None else read_captions(human),
        questions=_questions(tests),
        platform=Platform(platform, _code(completion_code), study=study_id),  # type: ignore[arg-type]
        **request,
    )
    prepared = prepare(options, progress=progress)
    links = too_few_links(prepared.campaign, raters)
    said = [*prepared.warnings, *([links] if links else [])]
    for kind, lines in (("note", said), ("problem", prepared.problems)):
        for line in lines:
            note(f"{kind}: {line}")
    planned = plan_of(prepared)
    if dry_run:
        return NewCampaign(planned, prepared.problems, said, None)
    if prepared.problems and not skip_bad:
        raise DataError(
            f"{len(prepared.problems):,} problems, listed above; nothing was written.",
            hint="Correct them, or leave those captions out with --skip-bad.",
        )
    home = write(prepared, Path(folder), database=database, raters=raters)
    return NewCampaign(planned, prepared.problems, said, home)


def _code(given: str) -> str:
    """A completion code, also as Prolific's address (…?cc=CODE), or what stands in the file after the @."""
    if given.startswith("@"):
        given = content(Path(given[1:]), "Name a file that holds the study's completion code.").decode()
    return given.strip().rpartition("cc=")[2]


def read_captions(given: Place | Corpus, task: str = "da") -> Corpus:
    """A file or a corpus; where stories are compared, a list of sentences is a story."""
    lists = "story" if named(task).stories else None
    return read(given, lists=lists) if isinstance(given, str | PathLike) else given


def _questions(path: Place | None) -> list[Any]:
    if path is None:
        return []
    try:
        return msgspec.json.decode(Path(path).read_bytes(), type=list[Question])
    except msgspec.DecodeError as error:
        raise DataError(
            f"{path} is not a list of test questions: {error}",
            hint='Write [{"item": "v1", "question": "…", "options": ["…", "…"], "answer": 0}].',
        ) from None


def _layout(task: str, sizes: Mapping[str, Any], human: bool, note: Note) -> Layout | None:
    """The study's layout with what the organiser wants otherwise."""
    base = named(task).layout
    if base is None:
        return None
    layout = msgspec.structs.replace(
        base, **{name: value for name, value in sizes.items() if value is not None}
    )
    if not human and layout.control_base == "system" and layout.human:
        layout = msgspec.structs.replace(layout, system=layout.system + layout.human, human=0)
        note("No --human file was given; system captions are used instead of human captions in the HITs.")
    return layout


def serve(
    folder: Place,
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    admin_anywhere: bool = False,
    public_url: str | None = None,
    proxies: Sequence[str] = (),
    admin_port: int | None = None,
    watch: float | None = None,
    skip_bad: bool = False,
    ready: Callable[[str], None] = unsaid,
    note: Note = unsaid,
) -> None:
    """Serves a campaign until it is stopped (Ctrl-C).

    folder: the campaign.
    host, port: where to listen; port 0 is any free one.
    admin_anywhere: access to the dashboard from other machines, too.
    public_url: the address under which raters reach the server.
    proxies: reverse proxies whose forwarding headers are trusted.
    admin_port: a separate port for the dashboard, for this machine alone.
    watch: minimum time before an answer, as a share of the length of clip and text.
    skip_bad: serves although clips are missing.
    ready: called with the server's address, once it listens.
    note: called with the addresses, once the server listens.
    """
    run.need_server()
    home = Folder(Path(folder))
    campaign = home.campaign
    for line in campaign_notes(home):
        note(line)
    _look_at_clips(home, skip_bad, note)
    sock = run.listen(host, port)
    shown = f"[{host}]" if ":" in host else host
    url = f"http://{shown}:{sock.getsockname()[1]}"
    if public_url is not None and public_url.rstrip("/") != campaign.public_url:
        home.publish(public_url)
    public = home.campaign.public_url or url
    proxied = bool(proxies or home.campaign.public_url) and not admin_anywhere
    admin = run.listen("127.0.0.1", admin_port or 0) if proxied or admin_port is not None else None
    dashboard = url if admin is None else f"http://127.0.0.1:{admin.getsockname()[1]}"
    note(f"{campaign.title}\n")
    if campaign.platform.name == "local":
        links = home.links()
        behind = "" if home.campaign.public_url else f"  (put {url} in front)"
        note(f"  a rater's link   {public}{links[0] if links else ''}")
        note(f"  all links        {Path(folder) / 'links.csv'}{behind}")
    else:
        note(f"  for {campaign.platform.name:9}    {public}/{campaign.platform.name}")
    note(
        f"  dashboard        {dashboard}/admin\n  its token        {run.where_token(home)}\n\nCtrl-C"
        " stops the server."
    )
    ready(url)
    run.serve(home, sock, admin_anywhere=admin_anywhere, admin=admin, proxies=tuple(proxies), watch=watch)
    note("Stopped. Every rating that was acknowledged is in the store.")


def _look_at_clips(home: Folder, skip_bad: bool, note: Note) -> None:
    """Clips that have gone since the campaign was made are said now, not discovered by raters."""
    from .campaign.overview import health
    from .store import Store

    with contextlib.closing(Store(home.database)) as store:
        found = health(home, store)
    if not found.broken:
        return
    listed = first_few([f"{name} {what}" for name, what in found.broken.items()], limit=3)
    if not skip_bad:
        raise DataError(
            f"{len(found.broken):,} of {found.clips:,} files in {home.clips} cannot be shown: {listed}.",
            hint=(
                "Restore them, write their new folder into campaign.json (clips), or serve with --skip-bad."
            ),
        )
    note(f"note: {len(found.broken):,} of {found.clips:,} files cannot be shown: {listed}")


def simulate(
    folder: Place,
    raters: int = 10,
    *,
    mix: str = "honest=.7,lazy=.1,random=.1,constant=.05,rushing=.05",
    url: str | None = None,
    real_time: bool = False,
    think: tuple[float, float] = (0.0, 0.0),
    trouble: float = 0.0,
    seed: int = 0,
    progress: Progress = silent,
) -> list[Tally]:
    """Runs a campaign with simulated raters, through the real server; their answers are stored like real
    ones.

    folder: the campaign, or a copy of it.
    raters: their number.
    mix: shares of their characters.
    url: a running server; default: one is started that does not enforce the watching time.
    real_time: they watch each clip for its full duration.
    think: seconds between answers, least and most.
    trouble: share of requests with double clicks, stale tabs and dropped connections.
    seed: what characters and answers are drawn by.
    progress: called with what is being done, how much is done, and of how much.
    """
    from .rehearsal import Bot, Truth, mix as characters_of, rehearse

    home = Folder(Path(folder))
    characters = characters_of(mix, raters)
    links = rehearsal_links(home, raters, seed)
    truth = Truth(home.campaign, home.key)
    bots = [Bot(character, truth, f"{seed} {number}") for number, character in enumerate(characters)]
    with contextlib.ExitStack() as stack:
        watched = None if real_time else 0.0
        address = url or stack.enter_context(run.in_background(Path(folder), watch=watched))
        return asyncio.run(
            rehearse(
                address.rstrip("/"),
                links,
                bots,
                report=lambda done, total: progress("raters", done, total),
                watch=real_time,
                think=think,
                trouble=trouble,
            )
        )


def status(folder: Place, *, note: Note = unsaid) -> dict[str, Any]:
    """The progress of a campaign: assignments and raters, with the control statistics so far.

    folder: the campaign.
    note: called with each sentence that a person should read.
    """
    from .campaign.overview import overview

    with opened(folder, note) as (home, store):
        return overview(home, store)


def export(
    folder: Place,
    style: str = "jsonl",
    *,
    real_ids: bool = False,
    reject: bool = False,
    controls_only: bool = False,
    withdrawn: bool = False,
    note: Note = unsaid,
) -> str:
    """The answers of a campaign, joined with its private key.

    style: jsonl, csv, wmt or appraise; mturk or prolific: lists of workers to accept and to review.
    real_ids: the platform's worker ids instead of pseudonyms.
    reject: REJECT instead of REVIEW for raters who fail the controls.
    controls_only: approve all who pass the controls, as in the papers.
    withdrawn: also the answers about withdrawn clips and captions, with `meta.withdrawn`.
    folder: the campaign.
    note: called with each sentence that a person should read.
    """
    with opened(folder, note) as (home, store):
        for line in facts(home, store, (), withdrawn=withdrawn).sentences():
            note(line)
        more = {"real_names": real_ids, "reject": reject, "controls_only": controls_only}
        return render(home, store, style, withdrawn=withdrawn, **more)


def backup(folder: Place, out: Place) -> Manifest:
    """Copies a campaign, while raters may be at work, into a new folder; the copy is checked.

    folder: the campaign.
    out: the new folder of the copy.
    """
    from .campaign.backup import backup as copy

    return copy(Folder(Path(folder)), Path(out))


def restore(
    out: Place, folder: Place, *, database: str | None = None, clips: str | None = None
) -> tuple[Manifest, list[str]]:
    """Makes a campaign of its backup; which clips have changed is the second part of the result.

    database: an empty PostgreSQL database for the answers; default: SQLite in the folder.
    clips: the folder of the clips; default: where they were.
    out: the folder of the backup.
    folder: the new folder of the campaign.
    """
    from .campaign.backup import restore as rebuild

    return rebuild(Path(out), Path(folder), database=database, clips=clips)
