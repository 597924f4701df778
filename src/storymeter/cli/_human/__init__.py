"""`storymeter human …`: studies with people. `storymeter.cli._human` lists the sub-verbs."""

import sys

import click

from .._verbs import Verbs

VERBS = {
    "analyse": "after",
    "backup": "keeping",
    "check": "before",
    "close": "keeping",
    "demo": "during",
    "deploy": "keeping",
    "erase": "keeping",
    "export": "after",
    "extend": "during",
    "new": "before",
    "pilot": "during",
    "plan": "before",
    "preview": "keeping",
    "rank": "after",
    "restore": "keeping",
    "serve": "during",
    "simulate": "during",
    "status": "during",
    "verify": "keeping",
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
