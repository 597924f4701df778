"""`storymeter stress …`: damage captions and measure how each metric responds. `storymeter.cli._stress` lists
the sub-verbs."""

from __future__ import annotations

import click

from . import _stress
from ._verbs import Verbs


@click.command("stress", cls=Verbs, package=_stress)
def command() -> None:
    """Stress tests: damage captions and score them again.

    Captions are sampled, padded, reordered or misspelt; the tables show how each metric responds.

    \b
    storymeter stress audit mine.json -r references.json -m soda_c,meteor
    """
