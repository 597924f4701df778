"""`storymeter human …`: studies with people. `storymeter.cli._human` lists the sub-verbs."""

from __future__ import annotations

import click

from . import _human
from ._verbs import Verbs


@click.command("human", cls=Verbs, package=_human)
def command() -> None:
    """Build, serve and analyse human studies.

    \b
    storymeter human demo                                    a small example study
    storymeter human new study --systems a.json b.json --clips clips/
    storymeter human serve study
    storymeter human analyse study
    """
