"""Deny by default: headers, framing, guessing, the admin's door, foreign posts, hostile captions, API
fuzzing.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from urllib.parse import quote

import human_kit
import pytest
from human_kit import CampaignRequest, Folder, create_app, prepare, to_csv, write
from page_kit import LocalClient
from starlette.requests import Request

from storymeter.captions import Caption, Corpus, Document
from storymeter.human.campaign.export import safe
from storymeter.human.server.requests import address


def log_in(client: LocalClient, study: Folder) -> None:
    assert client.post("/admin/login", data={"token": study.secrets.admin_token}).status_code == 303


def test_every_answer_carries_the_headers(client: LocalClient, links: list[str]) -> None:
    for path in (
        "/",
        links[0],
        "/static/task.js",
        "/nowhere",
        links[0] + "/item",
        "/admin/login",
        "/admin/openapi.json",
    ):
        headers = client.get(path).headers
        assert headers["x-content-type-options"] == "nosniff" and headers["referrer-policy"] == "same-origin"
        policy = headers["content-security-policy"]
        assert (
            "default-src 'none'" in policy and "frame-ancestors 'none'" in policy and "unsafe" not in policy
        )
        assert "server" not in headers


def test_no_inline_script_or_style_anywhere(client: LocalClient, links: list[str], study: Folder) -> None:
    log_in(client, study)
    client.post(links[0] + "/begin")
    for path in ("/", links[0] + "/task", links[1], "/admin", "/admin/login", "/nowhere"):
        text = client.get(path).text
        assert (
            not re.search(r"<script(?![^>]*\bsrc=)", text)
            and "style=" not in text
            and not re.search(r"\son\w+=", text)
        ), path
        assert not re.search(r"(src|href)=\"(https?:)?//", text), "nothing from elsewhere"


def test_guessing_links_is_slowed_down(client: LocalClient) -> None:
    codes = [client.get(f"/r/{'A' * 31}{k % 10}{k}").status_code for k in range(40)]
    assert codes[:30] == [404] * 30 and codes[-1] == 429


def test_a_known_link_still_works_while_others_guess(client: LocalClient, links: list[str]) -> None:
    assert client.get(links[0]).status_code == 200
    for k in range(40):
        client.get(f"/r/guess{k}")
    assert client.get(links[0]).status_code == 200


def test_admin_is_closed_by_default(client: LocalClient, study: Folder) -> None:
    assert client.get("/admin").headers["location"] == "/admin/login"
    assert client.get("/admin/export/jsonl").status_code == 303
    assert client.post("/admin/state", data={"state": "closed"}).status_code == 403
    assert client.post("/admin/login", data={"token": "wrong"}).status_code == 401
    client.cookies.set("storymeter_admin", "9999999999.forged")
    assert client.get("/admin").status_code == 303


def test_admin_only_from_this_machine_unless_told_otherwise(study: Folder) -> None:
    with LocalClient(create_app(study), follow_redirects=False, client=("203.0.113.9", 1)) as far:
        assert far.get("/admin").status_code == 404 and far.get("/admin/login").status_code == 404
        assert far.post("/admin/login", data={"token": study.secrets.admin_token}).status_code == 404
    with LocalClient(create_app(study), follow_redirects=False) as near:
        assert near.get("/admin/login", headers={"x-forwarded-for": "203.0.113.9"}).status_code == 404, (
            "behind a proxy"
        )
        assert near.get("/admin/login", headers={"host": "study.example.org"}).status_code == 404, (
            "under another name"
        )
        assert near.get("/admin/login", headers={"host": "testserver"}).status_code == 404
    with LocalClient(
        create_app(study, admin_anywhere=True), follow_redirects=False, client=("203.0.113.9", 1)
    ) as far:
        assert far.get("/admin/login").status_code == 200


def test_admin_session_and_form_protection(client: LocalClient, study: Folder) -> None:
    response = client.post("/admin/login", data={"token": study.secrets.admin_token})
    cookie = response.headers["set-cookie"]
    assert "HttpOnly" in cookie and "SameSite=strict" in cookie and "Path=/admin" in cookie
    page = client.get("/admin")
    assert page.status_code == 200
    token = re.search(r'name="form_token" value="([^"]+)"', page.text)
    assert token is not None
    assert client.post("/admin/state", data={"state": "paused"}).status_code == 403, (
        "without the form's token"
    )
    form = {"state": "paused", "form_token": token[1]}
    for headers in ({"origin": "https://evil.example"}, {"sec-fetch-site": "cross-site"}):
        assert client.post("/admin/state", data=form, headers=headers).status_code == 403, headers
    assert client.post("/admin/state", data=form).status_code == 303
    assert ">paused<" in client.get("/admin").text
    assert client.get("/admin/export/csv").headers["content-disposition"].startswith("attachment")
    assert (
        client.get("/admin/export/../secrets.json").status_code == 404
        and client.get("/admin/export/pickle").status_code == 404
    )


def test_guessing_the_admin_token_is_slowed_down(client: LocalClient) -> None:
    codes = {client.post("/admin/login", data={"token": str(k)}).status_code for k in range(40)}
    assert codes == {401, 429}


def test_who_guesses_the_admin_token_locks_nobody_out(client: LocalClient, study: Folder) -> None:
    for k in range(40):
        client.post("/admin/login", data={"token": str(k)})
    log_in(client, study)


def test_the_description_of_the_routes_is_for_the_organiser(client: LocalClient, study: Folder) -> None:
    for path in ("/openapi.json", "/admin/openapi.json"):
        reply = client.get(path)
        assert reply.status_code == 404 and "admin" not in reply.text, path
    log_in(client, study)
    assert "/admin/export/{style}" in client.get("/admin/openapi.json").json()["paths"]


def test_posts_from_other_sites_are_refused(client: LocalClient, links: list[str]) -> None:
    assert client.post(links[0] + "/begin", headers={"sec-fetch-site": "cross-site"}).status_code == 403
    assert client.post(links[0] + "/begin", headers={"origin": "https://evil.example"}).status_code == 403
    client.post(links[0] + "/begin")
    item = client.get(links[0] + "/item").json()["next"]
    body = {"id": item["id"], "at": item["at"], "answer": {"value": 3}, "events": ["play", "ended"]}
    assert (
        client.post(links[0] + "/answer", json=body, headers={"sec-fetch-site": "same-site"}).status_code
        == 403
    )
    assert client.post(links[0] + "/answer", content=b"x" * 100_000).status_code == 413


def test_a_form_that_is_too_large_gets_a_page(client: LocalClient, study: Folder, links: list[str]) -> None:
    reply = client.post("/admin/login", data={"token": "x" * 100_000})
    assert reply.status_code == 413 and reply.headers["content-type"].startswith("text/html")
    assert "This was too long" in reply.text and "shorten what you entered" in reply.text
    chunks = client.post("/admin/login", content=(b"token=" + b"x" * 9_000 for _ in range(3)))
    assert chunks.status_code == 413 and "This was too long" in chunks.text
    script = client.post(links[0] + "/answer", content=b"x" * 100_000)
    assert script.status_code == 413 and "shorten" in script.json()["message"]


def test_captions_with_markup_stay_text(tmp_path: Path, clips: Path) -> None:
    ids = sorted(p.stem for p in clips.glob("*.webm"))[:20]
    evil = "<script>alert(1)</script> \"quoted\" 'single' </title> {{ 7*7 }} =cmd() & more words here"
    systems = [
        Corpus(tuple(Document(i, (Caption(f"{evil} {name}"),)) for i in ids), f"=cmd|'{name}'")
        for name in ("a", "b", "c")
    ]
    human = Corpus(tuple(Document(i, (Caption(f"{evil} {i} one two three"),)) for i in ids), "human")
    study = write(
        prepare(
            CampaignRequest(
                systems=systems,
                human=human,
                clips=clips,
                layout=human_kit.SMALL,
                hits=1,
                watch=0.0,
                title=evil,
                contact=evil,
            )
        ),
        tmp_path / "evil",
    )
    link = study.links()[0]
    with LocalClient(create_app(study), follow_redirects=False) as client:
        client.post(link + "/begin")
        for path in (link + "/task", "/", "/r/unknown"):
            text = client.get(path).text
            assert "<script>alert" not in text and "49" not in re.sub(
                r"\d{3,}", "", text.replace("{{ 7*7 }}", "")
            )
        item = client.get(link + "/item")
        assert item.headers["content-type"] == "application/json" and item.json()["next"][
            "caption"
        ].startswith("<script>")
        body = {"id": item.json()["next"]["id"], "at": 0, "answer": {"value": 3}, "events": ["play", "ended"]}
        client.post(link + "/answer", json=body)
        log_in(client, study)
        exported = client.get("/admin/export/csv").text
        assert "'=cmd|" in exported or "human" in exported


@pytest.mark.parametrize("cell", ["=1+1", "+1", "-1", "@x", "\tx", "\rx"])
def test_formulas_are_neutralised(cell: str) -> None:
    from storymeter.captions import Rating

    assert safe(cell) == "'" + cell and safe(-1.5) == -1.5
    assert f"'{cell.strip()}" in to_csv(
        [Rating(item=cell, system="s", rater="r", value=-3.0)]
    ) or f"'{cell}" in to_csv([Rating(item=cell, system="s", rater="r", value=-3.0)])


def test_secrets_are_private_and_new_each_time(tmp_path: Path, clips: Path, study: Folder) -> None:
    other = human_kit.small_campaign(tmp_path / "other", clips, hits=2)
    assert (
        other.secrets.admin_token != study.secrets.admin_token
        and other.secrets.signing_key != study.secrets.signing_key
    )
    assert (other.path / "key.jsonl").read_bytes() == (study.path / "key.jsonl").read_bytes(), (
        "same seed, same bytes"
    )
    for name in ("secrets.json", "key.jsonl", "links.csv", "campaign.db"):
        assert (study.path / name).stat().st_mode & 0o077 == 0, name
    assert study.secrets.admin_token not in repr(study.secrets)


def test_the_api_never_fails_with_5xx(client: LocalClient, links: list[str], study: Folder) -> None:
    """Schemathesis on the OpenAPI description: as a stranger, as a rater at work, and as the organiser."""
    schemathesis = pytest.importorskip("schemathesis")
    from hypothesis import HealthCheck, Phase, given, settings, strategies as st

    token = links[0].rpartition("/")[2]
    client.post(links[0] + "/begin")
    item = client.get(links[0] + "/item").json()["next"]
    log_in(client, study)
    schema = schemathesis.openapi.from_dict(client.get("/admin/openapi.json").json())
    asked = 0

    def ask(operation: Any, case: Any, known: bool) -> None:
        nonlocal asked
        parameters = dict(case.path_parameters or {})
        if known and "token" in parameters:
            parameters["token"] = token
        path = operation.path
        for name, value in parameters.items():
            path = path.replace("{" + name + "}", quote(str(value), safe=""))
        body = case.body
        if known and isinstance(body, dict) and "id" in body:
            body = {**body, "id": item["id"], "at": item["at"]}
        plain = isinstance(body, dict | list | str | int | float | bool | None)
        arguments = (
            {"json": body}
            if case.media_type == "application/json" and plain
            else {"data": body}
            if isinstance(body, dict)
            else {}
        )
        response = client.request(operation.method.upper(), path, params=case.query or None, **arguments)
        asked += 1
        assert response.status_code < 500, (operation.method, path, response.text[:200])

    for result in schema.get_all_operations():
        operation = result.ok()

        @settings(
            max_examples=25,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            phases=[Phase.generate],
            database=None,
        )
        @given(operation=st.just(operation), case=operation.as_strategy())
        def probe(operation: Any, case: Any) -> None:
            ask(operation, case, False)
            ask(operation, case, True)

        probe()
    assert asked > 300


@pytest.mark.parametrize(
    ("host", "who"),
    [
        ("203.0.113.9", "203.0.113.9"),
        ("2001:db8:1:2::1", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:ffff:1:2:3", "2001:db8:1:2::/64"),
        ("::ffff:203.0.113.9", "203.0.113.9"),
        ("fe80::1%eth0", "fe80::/64"),
        ("127.0.0.1", ""),
    ],
)
def test_limits_count_the_networks_of_ipv6(host: str, who: str) -> None:
    """Whoever has one IPv6 address has 2^64 of them: limits per address would stop nobody."""
    scope = {"type": "http", "method": "GET", "path": "/", "headers": [], "client": (host, 5)}
    assert address(Request(scope)) == who
