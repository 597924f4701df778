"""The rater's way through the real application: resume, double submits, stale tabs, leases, states, Range
requests.
"""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Any

import human_kit
import msgspec
import pytest
import sqlalchemy as sa
from human_kit import Folder, Platform, Store, assignment, create_app, rating, start
from page_kit import LocalClient

from storymeter.errors import StorymeterError
from storymeter.human.server.context import Context
from storymeter.human.server.run import in_background, where_token


def begin(client: LocalClient, link: str) -> dict[str, Any]:
    assert client.get(link).status_code == 200
    assert client.post(link + "/begin").headers["location"] == link + "/task"
    return client.get(link + "/item").json()["next"]


def answer(client: LocalClient, link: str, item: dict[str, Any], value: int = 50, **more: Any) -> Any:
    return client.post(
        link + "/answer",
        json={
            "id": item["id"],
            "at": item["at"],
            "answer": {"value": value},
            "events": ["play", "ended"],
            **more,
        },
    )


def test_a_whole_hit(client: LocalClient, links: list[str], study: Folder) -> None:
    item = begin(client, links[0])
    seen = []
    while "go" not in item:
        seen.append(item["n"])
        assert client.get(item["media"][0]).headers["content-type"] == "video/webm"
        item = answer(client, links[0], item).json()["next"]
    assert seen == list(range(1, 21))
    page = client.get(links[0])
    assert page.status_code == 200 and 'id="code"' in page.text
    assert client.get(links[0] + "/task").headers["location"] == links[0], "back button after the end"
    assert client.get(links[0] + "/item").status_code == 410


def test_a_repeated_request_gets_the_stored_answer_and_another_value_does_not_overwrite(
    client: LocalClient, links: list[str], study: Folder
) -> None:
    first = begin(client, links[0])
    saved = answer(client, links[0], first, 30).json()
    assert answer(client, links[0], first, 30).json() == saved
    stale = answer(client, links[0], first, 90)
    assert (
        stale.status_code == 409
        and stale.json()["status"] == "stale"
        and stale.json()["next"] == saved["next"]
    )
    assert human_kit.rows(study.database, sa.select(rating.c.answer)) == [('{"value":30}',)]


def test_resume_on_another_device(client: LocalClient, links: list[str], study: Folder) -> None:
    item = begin(client, links[0])
    following = answer(client, links[0], item).json()["next"]
    with LocalClient(create_app(study), follow_redirects=False) as other:
        assert other.get(links[0]).headers["location"] == links[0] + "/task"
        assert other.get(links[0] + "/item").json()["next"] == following


def test_the_clip_must_be_watched_by_the_servers_clock(tmp_path: Path, clips: Path) -> None:
    study = human_kit.small_campaign(tmp_path / "watched", clips, watch=1.0)
    link = study.links()[0]
    with LocalClient(create_app(study), follow_redirects=False) as client:
        item = begin(client, link)
        mark = {"id": item["id"], "at": item["at"]}
        refused = client.post(link + "/answer", json={**mark, "answer": {"value": 1}})
        assert (
            refused.status_code == 409
            and refused.json()["status"] == "unwatched"
            and refused.json()["missing"] == pytest.approx(0.2, abs=0.06)
        )
        assert answer(client, link, item).json()["status"] == "unwatched", (
            "events that come with the answer prove no time"
        )
        assert client.post(link + "/event", json={**mark, "event": "play"}).status_code == 200
        assert answer(client, link, item).json()["status"] == "unwatched"
        assert client.post(link + "/event", json={**mark, "event": "ended"}).status_code == 200
        time.sleep(1.3)  # longer than the clip: up to fourteen words are to be read, too
        assert (
            client.post(link + "/answer", json={**mark, "answer": {"value": 1}}).json()["status"] == "saved"
        )


@pytest.mark.parametrize(
    "bad",
    [
        {"value": 101},
        {"value": -1},
        {"value": 5.5},
        {"value": "5"},
        {"value": None},
        {},
        {"value": 5, "more": 1},
        {"value": True},
    ],
)
def test_answers_that_do_not_fit(client: LocalClient, links: list[str], bad: dict[str, Any]) -> None:
    item = begin(client, links[0])
    response = client.post(
        links[0] + "/answer",
        json={"id": item["id"], "at": item["at"], "answer": bad, "events": ["play", "ended"]},
    )
    assert response.status_code == 422
    assert client.get(links[0] + "/item").json()["next"] == item


def test_raters_who_answer_never_share_a_seat_and_the_third_is_told(tmp_path: Path, clips: Path) -> None:
    study = human_kit.small_campaign(tmp_path / "seats", clips, hits=2, watch=0.0, raters=3)
    links = study.links()
    with LocalClient(create_app(study), follow_redirects=False) as client:
        first, second = begin(client, links[0]), begin(client, links[1])
        assert first["id"] != second["id"]
        for link, item in zip(links, (first, second), strict=False):
            assert answer(client, link, item).json()["status"] == "saved"
        assert client.post(links[2] + "/begin").headers["location"] == links[2] + "/wait"
        page = client.get(links[2] + "/wait")
        assert "All places are taken right now" in page.text and page.headers["refresh"] == "20"


def test_an_expired_lease_returns_the_seat_and_keeps_the_work(tmp_path: Path, clips: Path) -> None:
    study = human_kit.small_campaign(tmp_path / "lease", clips, hits=1, watch=0.0, raters=2, lease_minutes=60)
    links = study.links()
    store = Store(study.database)
    with LocalClient(create_app(study, store=store), follow_redirects=False) as client:
        item = answer(client, links[0], begin(client, links[0])).json()["next"]
        assert client.post(links[1] + "/begin").headers["location"].endswith("/wait")
        store.expire(time.time() + 3601).result()
        assert answer(client, links[0], item).status_code == 410
        assert "Welcome back" in client.get(links[0]).text
        assert client.post(links[0] + "/begin").status_code == 303, "still free: the same seat again"
        assert client.get(links[0] + "/item").json()["next"] == item
        store.expire(time.time() + 7205).result()
        other = begin(client, links[1])
        assert other["n"] == 1 and answer(client, links[1], other).json()["status"] == "saved"
        assert client.post(links[0] + "/begin").headers["location"].endswith("/wait")
        states = human_kit.rows(study.database, sa.select(assignment.c.state).order_by(assignment.c.id))
        assert states == [("expired",), ("active",)]
        assert store.counts()["ratings"] == 2, "partial work is kept"


def test_who_waits_gets_the_place_that_becomes_free(tmp_path: Path, clips: Path) -> None:
    """By the page's own looking again; not who has consented to nothing yet."""
    study = human_kit.small_campaign(tmp_path / "wait", clips, hits=1, watch=0.0, raters=3, lease_minutes=60)
    links = study.links()
    store = Store(study.database)
    with LocalClient(create_app(study, store=store), follow_redirects=False) as client:
        item = answer(client, links[0], begin(client, links[0])).json()["next"]
        assert client.post(links[1] + "/begin").headers["location"].endswith("/wait")
        assert client.get(links[1] + "/wait").status_code == 200, "nothing is free yet"
        store.expire(time.time() + 3601).result()
        newcomer = client.get(links[2] + "/wait").headers["location"]
        assert client.get(newcomer).headers["location"] == links[2], "to the page that asks for consent"
        assert client.get(links[1] + "/wait").headers["location"] == links[1] + "/task"
        assert client.get(links[1] + "/item").json()["next"]["n"] == 1
        for _ in range(20):
            item = client.get(links[1] + "/item").json()["next"]
            assert answer(client, links[1], item).json()["status"] == "saved"
        assert client.post(links[0] + "/begin").status_code == 200, "all is done"
        page = client.get(links[0] + "/wait")
        assert page.status_code == 200 and "refresh" not in page.headers


def test_workers_who_never_watch_keep_nobody_out(tmp_path: Path, clips: Path) -> None:
    """Forty invented workers begin one HIT; who is first to answer five items has the seat, and keeps it."""
    study = human_kit.small_campaign(
        tmp_path / "invented",
        clips,
        hits=1,
        raters_per_hit=1,
        platform=Platform("prolific", "C0DE"),
        watch=0.0,
    )
    with LocalClient(create_app(study), follow_redirects=False) as client:

        def come(number: int) -> str:
            visit = f"/prolific?PROLIFIC_PID={number:024x}&STUDY_ID={'5' * 24}&SESSION_ID={number:024x}"
            link: str = client.get(visit).headers["location"]
            return link

        def began(link: str) -> str:
            to: str = client.post(link + "/begin").headers["location"]
            return to.rpartition("/")[2]

        early = [come(k) for k in range(20)]
        assert {began(link) for link in early} == {"task"}
        honest = come(100)
        item = begin(client, honest)
        late = [come(k) for k in range(20, 40)]
        assert {began(link) for link in late} == {"task"}
        store = Store(study.database)
        assert store.counts()["active"] == 0, "nobody has answered"
        rivals = {link: client.get(link + "/item").json()["next"] for link in (early[0], late[-1])}
        for _ in range(5):
            item = answer(client, honest, item).json()["next"]
        for link, there in rivals.items():
            lost = answer(client, link, there)
            assert lost.status_code == 410 and "somebody else answered first" in client.get(link).text
            assert began(link) == "wait"
        assert began(come(200)) == "wait", "the seat has its rater"
        assert answer(client, honest, item).json()["status"] == "saved"
        assert store.counts()["active"] == 1
        store.close()


def test_pause_and_close(client: LocalClient, links: list[str], study: Folder) -> None:
    item = begin(client, links[0])
    store = Store(study.database)
    store.set_state("paused").result()
    assert "paused" in client.get(links[1]).text
    item = answer(client, links[0], item).json()["next"]
    assert item["n"] == 2, "work under way goes on"
    store.set_state("closed").result()
    assert answer(client, links[0], item).status_code == 410
    assert "The study is over" in client.get(links[0]).text
    store.set_state("open").result()
    assert client.get(links[0] + "/item").json()["next"] == item
    store.close()


def test_range_requests(client: LocalClient, links: list[str]) -> None:
    url = begin(client, links[0])["media"][0]
    whole = client.get(url)
    part = client.get(url, headers={"range": "bytes=10-19"})
    assert (
        part.status_code == 206
        and part.content == whole.content[10:20]
        and part.headers["content-range"].startswith("bytes 10-19/")
    )
    assert client.get(url, headers={"range": "bytes=999999999-"}).status_code == 416
    assert client.get(url.rpartition("/")[0] + "/../../secrets.json").status_code == 404
    assert client.get(url.rpartition("/")[0] + "/..%2F..%2Fsecrets.json").status_code == 404


def test_practice_comes_first_with_feedback_and_does_not_count(tmp_path: Path, clips: Path) -> None:
    from human_kit import ratings

    study = human_kit.small_campaign(tmp_path / "practice", clips, watch=0.0, practice=2)
    link = study.links()[0]
    store = Store(study.database)
    with LocalClient(create_app(study, store=store), follow_redirects=False) as client:
        item = begin(client, link)
        assert item["practice"] and (item["n"], item["of"]) == (1, 2)
        assert client.get(item["media"][0]).status_code == 200
        good = answer(client, link, item, 90).json()
        assert good["feedback"]["good"] is True
        bad = answer(client, link, good["next"], 90).json()
        assert bad["feedback"]["good"] is False and bad["next"]["practice"] is False and bad["next"]["n"] == 1
        assert ratings(study, store) == []


def test_languages_have_the_same_keys() -> None:
    from storymeter.human.server.words import FOLDER, languages

    english = msgspec.json.decode((FOLDER / "en.json").read_bytes())
    for language in languages():
        other = msgspec.json.decode((FOLDER / f"{language}.json").read_bytes())
        assert other.keys() == english.keys()
        for key, value in english.items():
            assert type(other[key]) is type(value)
            if isinstance(value, list | dict):
                assert len(value) == len(other[key])
                assert isinstance(value, list) or value.keys() == other[key].keys()
            else:
                assert set(re.findall(r"\{\w+\}", value)) == set(re.findall(r"\{\w+\}", other[key])), key


def test_mturk(tmp_path: Path, clips: Path) -> None:
    study = human_kit.small_campaign(tmp_path / "mturk", clips, watch=0.0, platform=Platform("mturk"))
    one, other, worker = "3ABCDEFGHIJKLMNOPQRSTUVWXYZ012", "3" + "Z" * 29, "A1B2C3D4E5F6G7"
    with LocalClient(create_app(study), follow_redirects=False) as client:
        preview = client.get("/mturk?assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE&hitId=H1")
        assert preview.status_code == 200 and "Preview" in preview.text and "<form" not in preview.text
        assert (
            "frame-ancestors https://www.mturk.com" in preview.headers["content-security-policy"]
            and "x-frame-options" not in preview.headers
        )
        assert (
            client.get(
                f"/mturk?assignmentId={one}&workerId={worker}&turkSubmitTo=https%3A%2F%2Fevil.example"
            ).status_code
            == 400
        )
        assert (
            client.get(
                f"/mturk?assignmentId={one}&workerId={worker}"
                "&turkSubmitTo=https%3A%2F%2Fwww.mturk.com%40evil.example"
            ).status_code
            == 400
        )
        submit = "turkSubmitTo=https%3A%2F%2Fworkersandbox.mturk.com"
        address = f"/mturk?assignmentId={one}&workerId={worker}&hitId={other}&{submit}"
        link = client.get(address).headers["location"]
        assert client.get(address).headers["location"] == link, "the same visit, the same door"
        assert client.get(address.replace(one, other)).headers["location"] != link
        item = begin(client, link)
        while "go" not in item:
            item = answer(client, link, item).json()["next"]
        page = client.get(link)
        assert (
            'action="https://workersandbox.mturk.com/mturk/externalSubmit"' in page.text
            and f'name="assignmentId" value="{one}"' in page.text
        )
        assert (
            "form-action 'self' https://www.mturk.com https://workersandbox.mturk.com"
            in page.headers["content-security-policy"]
        )
        for path in ("/admin/login", "/admin/nowhere"):
            assert "frame-ancestors 'none'" in client.get(path).headers["content-security-policy"], (
                "the dashboard is never framed"
            )
        assert client.get("/prolific?PROLIFIC_PID=a&STUDY_ID=b&SESSION_ID=c").status_code == 404


def test_prolific(tmp_path: Path, clips: Path) -> None:
    study = human_kit.small_campaign(
        tmp_path / "prolific", clips, watch=0.0, platform=Platform("prolific", "C0DE")
    )
    edited = msgspec.structs.replace(study.campaign, platform=Platform("prolific", "C0DE&x"))  # by hand
    study.write_campaign(edited)
    study = Folder(study.path)
    with LocalClient(create_app(study), follow_redirects=False) as client:
        person, session = "5f1a2b3c4d5e6f7a8b9c0d1e", "60a1b2c3d4e5f60718293a4b"
        assert client.get(f"/prolific?PROLIFIC_PID={person}").status_code == 400
        made_up = f"/prolific?PROLIFIC_PID=worker-1&STUDY_ID={person}&SESSION_ID={session}"
        assert client.get(made_up).status_code == 400
        link = client.get(f"/prolific?PROLIFIC_PID={person}&STUDY_ID={person}&SESSION_ID={session}").headers[
            "location"
        ]
        item = begin(client, link)
        while "go" not in item:
            item = answer(client, link, item).json()["next"]
        assert "https://app.prolific.com/submissions/complete?cc=C0DE%26x" in client.get(link).text


def test_ctrl_c_is_how_a_server_is_stopped(
    study: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = tmp_path / "said"
    monkeypatch.setattr(tempfile, "TemporaryFile", lambda: said.open("w+b"))
    process, _ = start(study.path)
    process.send_signal(signal.SIGINT)
    assert (process.wait(timeout=30), said.read_bytes()) == (0, b"")


#: in place of the server: writes more than a pipe holds, then answers
TALKER = """
import http.server, sys
sys.stderr.write("a warning\\n" * 30_000)
if sys.argv[-1] == "ends":
    sys.exit("no room")
port = int(sys.argv[sys.argv.index("--port") + 1])
class Empty(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(204)
        self.end_headers()
http.server.HTTPServer(("127.0.0.1", port), Empty).serve_forever()
"""


@pytest.fixture
def talker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[subprocess.Popen[bytes]]:
    """The processes that `start` starts, which run `TALKER`."""
    started: list[subprocess.Popen[bytes]] = []

    def popen(command: list[str], **more: Any) -> subprocess.Popen[bytes]:
        started.append(real([sys.executable, "-c", TALKER, *command[3:]], **more))
        return started[-1]

    real = subprocess.Popen
    monkeypatch.setattr(subprocess, "Popen", popen)
    return started


def test_a_server_that_says_much_is_not_blocked(
    talker: list[subprocess.Popen[bytes]], tmp_path: Path
) -> None:
    with in_background(tmp_path) as url, urllib.request.urlopen(url, timeout=30) as reply:
        assert reply.status == 204
    assert talker[0].returncode is not None
    with pytest.raises(StorymeterError, match="did not start") as found:
        start(tmp_path, more=["ends"])
    assert found.value.hint is not None and found.value.hint.endswith("no room")


def test_ctrl_c_while_a_server_starts_leaves_none_behind(
    talker: list[subprocess.Popen[bytes]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(urllib.request, "urlopen", interrupt)
    with pytest.raises(KeyboardInterrupt):
        start(tmp_path)
    assert talker[0].returncode is not None


def test_the_admin_token_is_not_printed_into_logs(study: Folder) -> None:
    command = [sys.executable, "-m", "storymeter", "human", "serve", str(study.path), "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        printed = ""
        assert process.stdout is not None
        while "its token" not in printed:
            line = process.stdout.readline()
            assert line, printed
            printed += line
    finally:
        process.terminate()
        rest = process.communicate(timeout=60)[0]
    file = study.path / "admin-token.txt"
    assert study.secrets.admin_token not in printed + rest and str(file) in printed
    assert file.read_text().strip() == study.secrets.admin_token and file.stat().st_mode & 0o777 == 0o600


def test_the_admin_token_is_printed_at_a_terminal(study: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("stdout", "stderr"):
        assert study.secrets.admin_token not in where_token(study)
        monkeypatch.setattr(f"sys.{name}.isatty", lambda: True, raising=False)
    assert where_token(study) == study.secrets.admin_token


def test_errors_of_a_route_have_its_form(client: LocalClient) -> None:
    """The route decides between JSON and a page, not the last word of the address."""
    for path in ("/r/nobody/item", "/r/nobody/last"):
        assert client.get(path).headers["content-type"] == "application/json"
    for path in ("/r/nobody", "/r/nobody/task", "/nowhere/item"):
        assert client.get(path).headers["content-type"].startswith("text/html")


def test_the_server_follows_the_file_of_the_campaign(study: Folder) -> None:
    store = Store(study.database)
    context = Context(study, store)
    store.close()
    study.write_campaign(msgspec.structs.replace(study.campaign, title="Another", watch=0.9))
    watch = study.campaign.watch
    study.read_again()
    assert context.campaign is study.campaign
    assert (context.campaign.title, context.campaign.watch) == ("Another", watch)
    (study.path / "campaign.json").write_text("{")
    with pytest.raises(StorymeterError):
        study.read_again()
    assert context.campaign.title == "Another", "what was read stays"
