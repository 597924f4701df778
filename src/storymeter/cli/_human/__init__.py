"""`storymeter human …`: studies with people. `VERBS` names the module of each sub-verb."""

import click

from .._verbs import Verbs

VERBS = {
    "analyse": "_human.after",
    "backup": "_human.keeping",
    "check": "_human.before",
    "close": "_human.keeping",
    "demo": "_human.during",
    "deploy": "_human.keeping",
    "erase": "_human.keeping",
    "export": "_human.after",
    "extend": "_human.during",
    "new": "_human.before",
    "pilot": "_human.during",
    "plan": "_human.before",
    "preview": "_human.keeping",
    "rank": "_human.after",
    "restore": "_human.keeping",
    "serve": "_human.during",
    "simulate": "_human.during",
    "status": "_human.during",
    "verify": "_human.keeping",
}


@click.command("human", cls=Verbs, modules=VERBS)
def human_command() -> None:
    """Build, serve and analyse human studies.

    \b
    storymeter human demo                                    a small example study
    storymeter human new study --systems a.json b.json --clips clips/
    storymeter human serve study
    storymeter human analyse study
    """
