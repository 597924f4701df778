"""What an organiser does beside the work of the raters: check files, look at the pages, verify codes, erase a
rater, add to a running campaign or withdraw a clip, close the campaign.

>>> from storymeter.human import check, close, erase, extend, verify
"""

import contextlib
import secrets
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

import msgspec

from ..captions import Corpus
from ..errors import UsageError
from ..progress import Note, Progress, silent, unsaid
from .campaign import extend as growth
from .campaign.export import rehearsal_links
from .campaign.record import Folder
from .server.run import in_background
from .steps import NewCampaign, Place, new, opened, read_captions

State: TypeAlias = Literal["open", "paused", "closed"]


def check(systems: Sequence[Place | Corpus], **request: Any) -> NewCampaign:
    """Everything that `new` would say of these files, with the plan and its cost; nothing is written.

    systems: captions by systems, files or corpora.
    request: what `new` takes beside them: clips, human, task, hits, price …
    """
    return new(Path(), systems, **{**request, "dry_run": True})


def erase(folder: Place, rater: str, *, note: Note = unsaid) -> int:
    """Deletes the answers of a rater, the times of the work and everything that names the rater; gives the
    number of answers. The HITs can be done by others. Backups and exports made before still hold the answers.

    folder: the campaign; its server may run.
    rater: the pseudonym of the exports and the dashboard, or the id on the platform.
    note: called with each sentence that a person should read.
    """
    with opened(folder, note) as (home, store):
        count = store.erase(rater, f"erased-{secrets.token_hex(6)}", time.time()).result()
        if count < 0:
            raise UsageError(
                f"There is no rater {rater!r} in {folder}.",
                hint=f"storymeter human status {folder} lists them.",
            )
        home.drop_link(rater)
    note("Backups and exports made before still hold the answers: make new ones, and delete the old.")
    return count


def close(folder: Place, state: State = "closed", *, note: Note = unsaid) -> None:
    """No more answers are accepted, also by a running server.

    folder: the campaign.
    state: `closed`; `paused`: no new HITs, those under way can be finished; `open`: answers are accepted.
    note: called with each sentence that a person should read.
    """
    with opened(folder, note) as (_, store):
        store.set_state(state).result()


@dataclass(frozen=True, slots=True)
class CodeCheck:
    """A completion code: `good`, `used before` or `unknown`; who got it for which HIT, and when."""

    code: str
    verdict: str
    rater: str | None = None
    #: the id on the platform
    external: str | None = None
    hit: int | None = None
    #: seconds since 1970
    finished: float | None = None
    first_verified: float | None = None


def verify(folder: Place, codes: Sequence[str], *, note: Note = unsaid) -> list[CodeCheck]:
    """Whether completion codes are of this campaign; a code is good once, as it is noted as used.

    folder: the campaign; its server may run.
    codes: as raters give them.
    note: called with each sentence that a person should read.
    """
    checked = []
    with opened(folder, note) as (_, store):
        for code in codes:
            found = store.use_code(code.strip().upper(), time.time()).result()
            if found is None:
                checked.append(CodeCheck(code, "unknown"))
                continue
            used = found["code_used_at"]
            about = found["pseudonym"], found["external"], found["hit"], found["finished_at"], used
            checked.append(CodeCheck(code, "good" if used is None else "used before", *about))
    return checked


def extend(
    folder: Place,
    systems: Sequence[Place | Corpus] = (),
    *,
    dry_run: bool = False,
    skip_bad: bool = False,
    progress: Progress = silent,
    note: Note = unsaid,
    **request: Any,
) -> growth.Extended:
    """Adds to a campaign while raters are at work, or withdraws clips and captions; nothing answered is lost.

    folder: the campaign; its server goes on running and takes the change over within a moment.
    systems: captions by further systems, files or corpora.
    dry_run: changes nothing.
    skip_bad: leaves captions with problems out, which are an error otherwise.
    note: called with each warning and problem.
    request: hits, overlap, raters (new links), raters_per_hit, hits_per_rater, withdraw (ids of clips),
        withdraw_captions (pairs of system and id), reason, seed.
    progress: called with what is being done, how much is done, and of how much.
    """
    home = Folder(Path(folder))
    corpora = [read_captions(system, home.campaign.task) for system in systems]
    try:
        wanted = growth.ExtensionRequest(systems=corpora, **request)
    except TypeError as error:
        raise UsageError(f"{error}.", hint="The names are those of `storymeter human extend`.") from None
    done = growth.extend(home, wanted, dry_run=dry_run, skip_bad=skip_bad, progress=progress)
    for kind, lines in (("note", done.warnings), ("problem", done.problems)):
        for line in lines:
            note(f"{kind}: {line}")
    return done


@contextlib.contextmanager
def preview(folder: Place, *, port: int = 0) -> Iterator[str]:
    """The address of a rater's page in a copy of the campaign, which is served by another process and deleted
    afterwards: every page as raters see it, with a button that leaves an item without watching and answering
    it; nothing is stored.

    folder: the campaign.
    port: where to listen; 0 is any free one.
    """
    from .campaign.backup import backup, restore
    from .store import Store

    home = Folder(Path(folder))
    with tempfile.TemporaryDirectory(prefix="storymeter-preview-") as place:
        copied, served = Path(place) / "copy", Path(place) / "campaign"
        backup(home, copied)
        restore(copied, served, clips=str(home.clips))
        again = Folder(served)
        platform = msgspec.structs.replace(again.campaign.platform, keys="")
        again.campaign = msgspec.structs.replace(again.campaign, preview=True, platform=platform)
        again.write_campaign(again.campaign)
        with contextlib.closing(Store(again.database)) as store:
            store.reset().result()
        with in_background(served, port=port, watch=0.0) as address:
            yield address + rehearsal_links(again, 1, 0)[0]
