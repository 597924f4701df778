"""Consent and instructions: Markdown files in the campaign's folder, in every language of the pages.

    consent.en.md, consent.de.md, …             what an ethics board asks: who, what for, how long, pay, free
                                                choice, controls, risks, data, withdrawal
    instructions.en.md, instructions.de.md, …   the steps of the task, and what its words mean

Raters read the files in the language of the campaign. The organiser may edit them; the server reads them when
it starts. What raters agree to has a version, the first digits of a hash of both texts: it stands with each
assignment, and so in each exported answer (`meta.wording`), and the texts of every version are kept in the
database."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from ...errors import DataError
from ..server.words import FOLDER, languages, words
from .money import Pay

if TYPE_CHECKING:
    from ..store import Store
    from .record import Campaign, Folder

#: what there is a file of, for each language
KINDS = ("consent", "instructions")
#: how the versions are called in the database
WORDING = "wording "


def names() -> list[str]:
    """The files of a campaign."""
    return [f"{kind}.{language}.md" for kind in KINDS for language in languages()]


def drafts(campaign: Campaign, kinds: tuple[str, ...] = (), *, priced: bool = False) -> dict[str, str]:
    """The files of a new campaign; `kinds`: what its errors may be about, in a study of error spans;
    `priced`: the organiser chose the pay, which raters of a platform are told in any case."""
    found = {}
    for language in languages():
        said = words(language)
        found[f"consent.{language}.md"] = _consent(campaign, language, said, priced)
        steps = [
            f"{n}. {step}".replace("\n", "\n   ")
            for n, step in enumerate(said["instructions"][campaign.task], 1)
        ]
        meanings = _meanings(said, kinds) if kinds else []
        found[f"instructions.{language}.md"] = "\n".join([*steps, *meanings]) + "\n"
    return found


def _consent(campaign: Campaign, language: str, said: Mapping[str, Any], priced: bool) -> str:
    pay: Pay = campaign.pay()
    note = said["pay_note"].format(price=f"{pay.price:.2f}", currency=pay.currency)
    template = (FOLDER / f"consent.{language}.md").read_text(encoding="utf-8")
    return template.format(
        contact=campaign.contact or said["no_contact"],
        count=campaign.hit_size,
        minutes=max(1, round(campaign.seconds_per_hit / 60)),
        pay=note if pay.price and (priced or campaign.platform.name != "local") else said["pay_agreed"],
    )


def _meanings(said: Mapping[str, Any], kinds: tuple[str, ...]) -> list[str]:
    """What minor, major and the kinds of errors mean, with examples."""
    told = said["meanings"]
    severities = [f"- **{said['severities'][name]}**: {told[name]}" for name in ("minor", "major")]
    known = [f"- **{said['kinds'][kind]}**: {told[kind]}" for kind in kinds if kind in told]
    about = [f"\n{said['span_kind']}\n", *known] if known else []
    return [f"\n{said['span_severity']}\n", *severities, *about]


def shown(folder: Folder) -> dict[str, str]:
    """Consent and instructions as raters read them, as Markdown. An own text in campaign.json goes before the
    file that it would name; a campaign without files has the words of the catalogue."""
    campaign = folder.campaign
    drafted: dict[str, str] = {}
    found = {}
    for kind in KINDS:
        given: str = getattr(campaign, kind)
        name = given if given.endswith(".md") else f"{kind}.{campaign.language}.md"
        path = folder.path / Path(name).name
        if given and not given.endswith(".md"):
            found[kind] = given
        elif path.exists():
            try:
                found[kind] = path.read_text(encoding="utf-8")
            except (OSError, UnicodeDecodeError) as error:
                raise DataError(
                    f"{path} cannot be read: {error}", hint="Save it as a text file in UTF-8."
                ) from None
        elif given:
            raise DataError(
                f"{path} is missing; campaign.json names it ({kind}).",
                hint="Restore the file, or write another name or a text into campaign.json.",
            )
        else:
            drafted = drafted or drafts(campaign)
            found[kind] = drafted[f"{kind}.{campaign.language}.md"]
    return found


def version(texts: Mapping[str, str]) -> str:
    """The first digits of a hash of both texts.

    >>> version({"consent": "Yes?", "instructions": "Look."})
    '468b92fb6157'
    """
    return hashlib.sha256("\x1f".join(texts[kind] for kind in KINDS).encode()).hexdigest()[:12]


def keep(store: Store, texts: Mapping[str, str], language: str) -> str:
    """Store the texts under their version, where they are not yet; gives the version."""
    mark = version(texts)
    if store.get(WORDING + mark) is None:
        store.set(WORDING + mark, msgspec.json.encode({"language": language, **texts}).decode())
    return mark


def as_html(text: str) -> str:
    """Markdown as HTML; HTML in it is shown as text."""
    from markdown_it import MarkdownIt

    return str(MarkdownIt("commonmark", {"html": False, "breaks": True}).render(text))
