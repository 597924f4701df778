"""Consent and instructions are files, versioned with each answer; answers can be changed within a minute."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import human_kit
import msgspec
import pytest
import sqlalchemy as sa
from human_kit import Folder, Platform, correction, create_app, setting
from page_kit import LocalClient

from storymeter.errors import DataError
from storymeter.human import analyse, backup, restore
from storymeter.human.campaign import texts
from storymeter.human.server.context import Clock
from storymeter.human.server.words import FOLDER, languages


def post(client: LocalClient, link: str, item: dict[str, Any], value: int, to: str = "answer") -> Any:
    mark = {"id": item["id"], "at": item["at"], "events": ["play", "ended"]}
    return client.post(f"{link}/{to}", json={**mark, "answer": {"value": value}})


def begin(client: LocalClient, link: str) -> Any:
    client.post(link + "/begin")
    return client.get(link + "/item").json()["next"]


def test_the_files_say_what_an_ethics_board_asks(tmp_path: Path, clips: Path) -> None:
    folder = human_kit.small_campaign(
        tmp_path / "study",
        clips,
        task="spans",
        platform=Platform("mturk"),
        price=2.0,
        contact="organiser@example.org",
    )
    assert set(texts.names()) == {
        f"{kind}.{language}.md" for kind in ("consent", "instructions") for language in languages()
    }
    asked = {
        "en": ("organiser@example.org", "2.00 USD", "minutes", "decline", "voluntary", "erase", "Risks"),
        "de": ("organiser@example.org", "2.00 USD", "Minuten", "ablehnen", "freiwillig", "gelöscht"),
        "ja": ("organiser@example.org", "2.00 USD", "分", "断る", "任意", "消去"),
    }
    for language, found in asked.items():
        consent = (folder.path / f"consent.{language}.md").read_text(encoding="utf-8")
        assert all(word in consent for word in found), language
        instructions = (folder.path / f"instructions.{language}.md").read_text(encoding="utf-8")
        assert instructions.count("- **") == 9, "minor, major and seven kinds are explained"
    raw = msgspec.json.decode((folder.path / "campaign.json").read_bytes())
    assert (raw["consent"], raw["instructions"]) == ("consent.en.md", "instructions.en.md")


def test_each_answer_names_the_wording_that_was_agreed_to(study: Folder, tmp_path: Path) -> None:
    links = study.links()
    with LocalClient(create_app(study), follow_redirects=False) as client:
        page = client.get(links[0]).text
        assert "<strong>Free choice.</strong>" in page
        post(client, links[0], begin(client, links[0]), 10)
    path = study.path / "consent.en.md"
    path.write_text("We ask **you**. <script>alert(1)</script>\n", encoding="utf-8")
    with LocalClient(create_app(Folder(study.path)), follow_redirects=False) as client:
        page = client.get(links[1]).text
        assert "We ask <strong>you</strong>." in page and "<script>alert" not in page
        post(client, links[1], begin(client, links[1]), 20)
        assert "Use the slider" in client.get(links[1] + "/task").text, "instructions stay a click away"
    first, second = (one.meta["wording"] for one in human_kit.answers(study))
    assert first != second
    kept = dict(human_kit.rows(study.database, sa.select(setting.c.name, setting.c.value)))
    assert "voluntary" in msgspec.json.decode(kept[f"wording {first}"])["consent"]
    assert "We ask **you**" in msgspec.json.decode(kept[f"wording {second}"])["consent"]
    backup(study.path, tmp_path / "safe")
    restore(tmp_path / "safe", tmp_path / "again")
    assert (tmp_path / "again" / "consent.en.md").read_bytes() == path.read_bytes()


def test_own_words_in_campaign_json_and_missing_files(study: Folder) -> None:
    given = msgspec.structs.replace(study.campaign, consent="Only this.", instructions="")
    study.write_campaign(given)
    shown = texts.shown(Folder(study.path))
    assert shown["consent"] == "Only this." and "Use the slider" in shown["instructions"]
    study.write_campaign(msgspec.structs.replace(given, consent="mine.md"))
    with pytest.raises(DataError, match=re.escape("mine.md is missing")):
        texts.shown(Folder(study.path))
    for name in texts.names():  # a campaign from before these files
        (study.path / name).unlink()
    study.write_campaign(msgspec.structs.replace(given, consent=""))
    assert "voluntary" in texts.shown(Folder(study.path))["consent"]


def test_the_last_answer_can_be_changed_within_a_minute(
    study: Folder, client: LocalClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    link, start = study.links()[0], Clock().now()
    now = [start]
    monkeypatch.setattr(Clock, "now", lambda self: now[0])
    first = begin(client, link)
    assert client.get(link + "/last").status_code == 409, "nothing was answered yet"
    saved = post(client, link, first, 30).json()
    assert saved["back"] == 60
    now[0] += 20
    last = client.get(link + "/last").json()["next"]
    assert (last["id"], last["answer"]) == (first["id"], {"value": 30})
    assert client.get(link + "/item").json()["back"] == 40
    assert post(client, link, last, 101, "correct").status_code == 422
    assert post(client, link, last, 70, "correct").json()["next"]["at"] == 1
    assert post(client, link, last, 70, "correct").json()["status"] == "saved", "sent twice, changed once"
    [one] = human_kit.answers(study)
    assert (one.value, one.meta["corrections"]) == (70, 1)
    logged = human_kit.rows(study.database, sa.select(correction.c.position, correction.c.answer))
    assert logged == [(0, '{"value":30}')]
    second = client.get(link + "/item").json()["next"]
    post(client, link, second, 40)
    reply = post(client, link, last, 10, "correct")
    assert reply.status_code == 409 and reply.json()["next"]["at"] == 2, "the one before the last stays"
    now[0] += 61
    assert client.get(link + "/last").status_code == 409
    assert client.get(link + "/item").json()["back"] == 0
    now[0] += 100
    late = post(client, link, second, 90, "correct")
    assert late.status_code == 409 and "one minute" in late.json()["message"]
    assert [one.value for one in human_kit.answers(study)] == [70, 40]
    other = study.links()[1]
    begin(client, other)
    assert post(client, other, second, 5, "correct").status_code == 409, "nobody changes what another said"


def test_corrections_are_erased_with_their_rater(study: Folder, client: LocalClient) -> None:
    from storymeter.human import erase

    link = study.links()[0]
    first = begin(client, link)
    post(client, link, first, 30)
    assert post(client, link, first, 31, "correct").status_code == 200
    erase(study.path, "r001")
    assert human_kit.rows(study.database, sa.select(correction.c.id)) == []
    with pytest.raises(DataError, match="no answer"):
        analyse(study.path)


def test_a_survey_has_the_definitions_and_examples_of_rovist() -> None:
    """Figure 7 of the paper."""
    found = {
        path.stem: json.loads(path.read_text("utf-8"))["instructions"]["survey"]
        for path in FOLDER.glob("*.json")
    }
    english = " ".join(found["en"])
    for phrase in (
        "closely reflects the entities in the photos and tends not to be vague",
        "We went to the park. They had a great playground. We also got to eat ice-cream.",
        "We went to the park. I grew up in Sydney. This is my dog.",
        "I like cats. The food was delicious. Then, we went to the beach.",
        "does not contain repeating plots across sentences and within sentences",
        "The food was delicious. The salad was delicious.",
        "The streets were filled with people. There were a lot of people there.",
    ):
        assert phrase in english
    assert {sum(text.count("\n") for text in texts) for texts in found.values()} == {5}  # one line an example
