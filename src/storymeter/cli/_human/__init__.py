"""`storymeter human …`: studies with people. `storymeter.cli._human` lists the sub-verbs."""

from __future__ import annotations

import sys

import click

from .._verbs import Verbs

VERBS = {
    "analyse": "after",
    "backup": "during",
    "check": "before",
    "close": "after",
    "demo": "during",
    "deploy": "before",
    "erase": "during",
    "export": "after",
    "extend": "during",
    "new": "before",
    "pilot": "during",
    "plan": "before",
    "preview": "before",
    "rank": "after",
    "restore": "during",
    "serve": "during",
    "simulate": "during",
    "status": "during",
    "verify": "after",
}


@click.command("human", cls=Verbs, package=sys.modules[__name__])
def human_command() -> None:
    """Build, serve and analyse human studies.

    \b
    storymeter human demo                                    a small example study
    storymeter human new study --systems a.json b.json --clips clips/
    storymeter human serve study
    storymeter human analyse study
    """
