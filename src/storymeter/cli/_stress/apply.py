"""`storymeter stress apply`: damaged captions in a file."""

from __future__ import annotations

from typing import Any

import click

from ...errors import many
from ...options import parse
from ...progress import silent
from .._options import busy, jobs_option, protocol_option, references_option, say, seed_option
from .._reading import reading_options, reference_reading_options
from .._scoring import make_run, read_both


@click.command("apply")
@click.argument("transformation")
@click.argument("candidates")
@click.argument("target")
@references_option
@protocol_option
@jobs_option
@seed_option
@reading_options
@reference_reading_options
def command(
    transformation: str,
    candidates: str,
    target: str,
    references: tuple[str, ...],
    protocol: str,
    jobs: int,
    seed: int,
    **reading: Any,
) -> None:
    """Write the damaged captions to a file.

    \b
    storymeter stress apply 'pad(n=200)' mine.json padded.json -r references.json
    """
    from ...errors import UsageError
    from ...formats import write
    from ...stress.changes import Scene
    from ...stress.experiment import apply as transform
    from ...stress.transforms import transformation as get

    made = get(transformation)
    asked = parse(transformation)
    if not references and (asked.word == "oracle" or "m" in asked.options):
        raise UsageError(
            f"{made.name} is measured by the references.", hint="Give them with --references FILE."
        )
    with busy("damaging the captions"):
        (corpus,), against = read_both([candidates], references, reading)
        scene = Scene.of(make_run(against, silent, {"protocol": protocol, "jobs": jobs, "seed": seed}))
        changed = transform([made], corpus, scene, seed=seed)
        write(changed, target)
    say(
        f"{many(len(changed), 'document')}, {many(changed.captions, 'caption')}"
        f" (before: {corpus.captions:,}): {target}"
    )
