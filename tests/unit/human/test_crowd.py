"""Raters who do not look, raters who come twice, and clocks that jump: what each of them once got away
with.
"""

from __future__ import annotations

import math
import random
import shutil
import time
from pathlib import Path
from typing import Any

import human_kit
import pytest
from human_kit import (
    HERE,
    STUDIES,
    Answer,
    CampaignRequest,
    Folder,
    Layout,
    Media,
    Store,
    Terms,
    Visitor,
    create_app,
    named,
    overview,
    prepare,
    ratings,
    write,
)
from page_kit import LocalClient

from storymeter.captions import Caption, Corpus, Document, Rating
from storymeter.human.campaign.organise import plan
from storymeter.human.server.requests import AdminGate
from storymeter.human.study.base import by_tests
from storymeter.human.study.survey import Panel


@pytest.fixture
def store(tmp_path: Path) -> Store:
    store = Store(f"sqlite:///{tmp_path / 'test.db'}")
    slots = [
        {"hit": hit, "position": k, "media": "[1]", "payload": '{"caption":"x"}'}
        for hit in ("h1", "h2", "h3")
        for k in range(2)
    ]
    store.fill("camp", [Media("a.webm", "video/webm", 2.0, 10)], slots, ["h1", "h2", "h3"], 1)
    return store


def test_a_lapsed_lease_is_no_second_hit(store: Store) -> None:
    """One worker with two assignments of the platform, and a limit of one HIT."""
    terms = Terms(size=2, lease=60)
    first, second = (
        store.enter(Visitor("mturk", "worker", f"s{k}", f"m{k}", "p"), 1.0).result() for k in (1, 2)
    )
    one = store.claim(first, terms, 1000.0).result()
    assert one is not None and one.stage == "working"
    assert store.expire(2000.0).result() == 1
    two = store.claim(second, terms, 2000.0).result()
    assert two is not None and two.stage == "working"
    again = store.claim(first, terms, 2001.0).result()
    assert again is not None and again.stage == "none_left", "the lapsed one does not come back beside it"
    assert store.answer(Answer(one.assignment, first, 0, "{}", 2002.0, None)).result().status == "gone"


def test_a_clock_that_was_set_back_leaves_the_item_answerable(store: Store) -> None:
    ticket = store.enter(Visitor("local", "r", "", "m", "r"), 1.0).result()
    work = store.claim(ticket, Terms(size=2), 10_000.0).result()
    assert work is not None
    store.show(work.assignment, 0, 10_000.0).result()
    for event in ("play", "ended"):
        store.played(work.assignment, 0, event, 10_001.0).result()
    now = 6_400.0  # an hour earlier
    asked = Answer(work.assignment, ticket, 0, "{}", now, 2.0, least=2.0)
    refused = store.answer(asked).result()
    assert refused.status == "unwatched" and refused.missing == 2.0, "not an hour"
    store.played(work.assignment, 0, "play", now).result()
    store.played(work.assignment, 0, "ended", now + 2).result()
    assert store.answer(asked._replace(now=now + 3)).result().status == "saved"


def test_a_held_rater_gets_nothing_and_loses_nothing(
    client: LocalClient, study: Folder, links: list[str]
) -> None:
    store = Store(study.database)
    client.post(links[0] + "/begin")
    item = client.get(links[0] + "/item").json()["next"]
    body = {"id": item["id"], "at": item["at"], "answer": {"value": 3}, "events": ["play", "ended"]}
    following = client.post(links[0] + "/answer", json=body).json()["next"]
    assert store.hold("r001", "clicks", time.time()).result() and not store.hold("x", "", 1.0).result()
    later = {**body, "id": following["id"], "at": following["at"]}
    assert client.post(links[0] + "/answer", json=later).status_code == 410
    assert "being reviewed" in client.get(links[0]).text
    assert [one.meta["held"] for one in ratings(study, store)] == ["clicks"]
    assert store.release("r001", time.time() + 60).result()
    assert client.get(links[0] + "/item").json()["next"] == following
    store.close()


def survey(folder: Path, **more: Any) -> Folder:
    ids = ["story-01", "story-02", "story-03"]
    options = CampaignRequest(
        task="survey", systems=human_kit.stories(ids), clips=HERE / "pictures", per_hit=3, **more
    )
    return write(prepare(options), folder)


def test_no_completion_code_in_no_time(tmp_path: Path) -> None:
    study = survey(tmp_path / "study")
    link = study.links()[0]
    with LocalClient(create_app(study), follow_redirects=False) as client:
        client.post(link + "/begin")
        item = client.get(link + "/item").json()["next"]
        marks = {"marks": [[5, 5, 5]] * len(item["stories"]), "vote": 0}
        reply = client.post(link + "/answer", json={"id": item["id"], "at": item["at"], "answer": marks})
        assert reply.status_code == 409 and reply.json()["status"] == "early"
        words = sum(len(sentence.split()) for story in item["stories"] for sentence in story)
        assert reply.json()["missing"] == pytest.approx(0.9 * (words / 12 + 0.5 * 3), abs=0.7)


def test_surveys_have_stories_that_must_lose(tmp_path: Path) -> None:
    study = survey(tmp_path / "study")
    panels = list(study.key.values())
    foils = [panel for panel in panels if panel.foil >= 0]
    assert len(foils) == len(panels) and all(panel.donor != panel.item for panel in foils)
    judge = STUDIES["survey"]
    common = {"item": "i", "rater": "r", "meta": {}}
    panel, *_ = foils
    good = {"marks": [[1 if k == panel.foil else 4] * 3 for k in range(4)], "vote": (panel.foil + 1) % 4}
    blind = {"marks": [[4] * 3] * 4, "vote": 0}
    tests = [
        [r.value for r in judge.judgements(panel, answer, common) if r.criterion == "test"]
        for answer in (good, blind)
    ]
    assert tests == [[1.0], [0.0]]
    assert all(r.system for r in judge.judgements(panel, good, common) if r.criterion != "test")
    assert not judge.missing_controls(panels)


def test_the_story_that_must_lose_is_not_the_odd_one_out(tmp_path: Path) -> None:
    """Who only compares texts looks for the story with the least in common with the others."""
    rng = random.Random(7)
    themes = [[f"t{theme}w{k}" for k in range(8)] for theme in range(8)]
    words = [f"w{k}" for k in range(60)]

    def told(theme: list[str]) -> tuple[Caption, ...]:
        return tuple(
            Caption(" ".join(rng.sample(words, 6) + rng.sample(theme, rng.randint(0, 2)))) for _ in range(5)
        )

    ids = [f"s{k:02d}" for k in range(40)]
    of = {i: rng.choice(themes) for i in ids}
    systems = [Corpus(tuple(Document(i, told(of[i])) for i in ids), name) for name in human_kit.SYSTEMS]
    for i in ids:
        shutil.copytree(HERE / "pictures" / "story-01", tmp_path / "pictures" / i)
    options = CampaignRequest(task="survey", systems=systems, clips=tmp_path / "pictures", hits=60, seed=1)
    panels = [panel for panel in prepare(options).key if STUDIES["survey"].is_control(panel)]
    found = 0
    for panel in panels:
        bags = [set(" ".join(story).split()) for story in panel.texts]
        common = [sum(len(one & other) for other in bags if other is not one) for one in bags]
        found += common.index(min(common)) == panel.foil
    assert len(panels) == 480 and found / len(panels) < 0.45, "a guess finds a quarter"


def test_preference_without_questions_has_controls(tmp_path: Path, clips: Path) -> None:
    ids = sorted(p.stem for p in clips.glob("*.webm"))[:30]
    prepared = prepare(CampaignRequest(task="preference", systems=human_kit.stories(ids)[:2], clips=clips))
    controls = [duel for duel in prepared.key if duel.foil >= 0]
    assert prepared.campaign.hit_size == 20 and len(controls) == 9 * prepared.campaign.hits
    for hit in {duel.hit for duel in controls}:
        shown = [duel.item for duel in prepared.key if duel.hit == hit and duel.kind != "repeat"]
        assert len(set(shown)) == len(shown), "no clip comes twice, which would give the control away"
    judge, common = STUDIES["preference"], {"item": "i", "rater": "r", "meta": {}}
    for duel in controls:
        right = 2 if duel.foil == 0 else -2
        values = [[r.value for r in judge.judgements(duel, {"value": v}, common)] for v in (right, -right, 0)]
        assert values == [[1.0], [0.0], [0.0]]
    alike = prepare(
        CampaignRequest(task="preference", systems=human_kit.stories(ids, same=True)[:2], clips=clips)
    )
    assert any("cannot be checked" in warning for warning in alike.warnings)


def test_every_rater_has_an_own_order_and_pairs_stay_apart() -> None:
    layout = Layout()
    orders = [STUDIES["da"].order(100, layout, random.Random(k)) for k in range(20)]
    assert len({tuple(order or ()) for order in orders}) == 20
    low, high = layout.distance
    for order in orders:
        assert order is not None and sorted(order) == list(range(100))
        where = {place: n for n, place in enumerate(order)}
        for place in range(50):  # twins stand in blocks i and i + 5
            assert all(
                low <= abs(where[place] - where[other]) <= high
                for other in range(50 + place // 10 * 10, 60 + place // 10 * 10)
            )


def test_clips_may_be_skipped_but_not_all(client: LocalClient, study: Folder, links: list[str]) -> None:
    client.post(links[0] + "/begin")
    item = client.get(links[0] + "/item").json()["next"]
    for _ in range(2):
        reply = client.post(links[0] + "/skip", json={"id": item["id"], "at": item["at"]}).json()
        assert reply["status"] == "saved"
        item = reply["next"]
    refused = client.post(links[0] + "/skip", json={"id": item["id"], "at": item["at"]})
    assert refused.status_code == 409 and "the largest allowed number of clips" in refused.json()["message"]
    store = Store(study.database)
    seen = overview(study, store)
    assert sum(seen["health"]["reported"].values()) == 2 and seen["ratings"] == 2
    assert ratings(study, store) == [] and seen["raters"][0]["accepted"] is None, "no pair, no verdict"
    store.close()


def test_the_dashboard_is_not_behind_a_proxy(study: Folder) -> None:
    with LocalClient(create_app(study), follow_redirects=False) as client:
        assert client.get("/admin/login").status_code == 200
        assert client.get("/admin/login", headers={"via": "1.1 proxy"}).status_code == 404
    with LocalClient(create_app(study, admin_port=9), follow_redirects=False) as client:
        assert client.get("/admin/login").status_code == 404, "another port"

    class Old:  # what nginx sends by default
        scope = {"http_version": "1.0", "server": ("127.0.0.1", 80)}  # noqa: RUF012
        headers = {"host": "127.0.0.1:8000"}  # noqa: RUF012
        client = type("Client", (), {"host": "127.0.0.1"})

    assert not AdminGate(study.secrets).near(Old())


def test_plans_and_links_say_what_is(tmp_path: Path, clips: Path) -> None:
    ids = ["story-01", "story-02", "story-03"]
    options = CampaignRequest(
        task="survey", systems=human_kit.stories(ids), clips=HERE / "pictures", per_hit=3
    )
    rows = dict(plan(prepare(options)))
    assert "pictures" in rows and "clips" not in rows and "about 0" not in rows["time per HIT"]
    study = human_kit.small_campaign(tmp_path / "s", clips, public_url="https://study.example.org/")
    assert (
        (study.path / "links.csv").read_text().splitlines()[1].startswith("r001,https://study.example.org/r/")
    )
    assert study.links()[0].startswith("/r/")
    study.publish("https://other.example.org")
    assert "https://other.example.org/r/" in (study.path / "links.csv").read_text()


def test_a_control_story_must_be_the_worst_without_ties() -> None:
    """One story high and all others low passed half of the controls."""
    panel = Panel("h1", 0, "i", ("a", "", "b", "c"), (("x",),) * 4, (), foil=1, donor="j")
    common: dict[str, Any] = {"item": "i", "rater": "r", "hit": "h1", "meta": {}}

    def right(grounded: list[int], vote: int) -> float:
        answer = {"marks": [[mark, 3, 3] for mark in grounded], "vote": vote}
        found = [one.value for one in named("survey").judgements(panel, answer, common) if one.kind == "test"]
        return found[0]

    assert right([2, 1, 2, 5], 3) == 1
    assert right([5, 1, 1, 1], 0) == 0, "a tie"
    assert right([3, 2, 1, 5], 3) == 0, "below the mean of the others, but not the worst"
    assert right([2, 1, 2, 2], 1) == 0, "the vote"


def test_who_guesses_is_rarely_accepted_and_a_slip_in_eight_is() -> None:
    def verdict(right: int, tests: int) -> bool | None:
        rows = [
            Rating(item=f"i{k}", system="", rater="r", value=float(k < right), kind="test", criterion="test")
            for k in range(tests)
        ]
        return by_tests(rows)["r"].accepted

    for tests in range(5, 30):
        chance = sum(math.comb(tests, k) for k in range(tests + 1) if verdict(k, tests)) / 2**tests
        assert 0 < chance <= 0.05, tests
    assert verdict(7, 8) and not verdict(6, 8) and not verdict(4, 5)
    assert not verdict(11, 15), "less than four in five"
