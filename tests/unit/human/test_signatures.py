"""Visits that Prolific signed: whose they are, and what is refused where a campaign has Prolific's keys."""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import human_kit
import msgspec
import pytest
import sqlalchemy as sa
from click.testing import CliRunner
from human_kit import HERE, Folder, Platform, Store, assignment, create_app
from page_kit import LocalClient

from storymeter.cli import cli
from storymeter.errors import DataError, UsageError
from storymeter.human import keeping
from storymeter.human.campaign.backup import backup, restore
from storymeter.human.campaign.export import rehearsal_links

jwt = pytest.importorskip("jwt")
rsa = pytest.importorskip("cryptography.hazmat.primitives.asymmetric.rsa")

KEY, OTHER = (rsa.generate_private_key(public_exponent=65537, key_size=2048) for _ in range(2))
STUDY = f"{5:024x}"
SERVER = "https://study.example.org"


def jwks(**keys: Any) -> bytes:
    from jwt.algorithms import RSAAlgorithm

    made = [
        {**RSAAlgorithm.to_jwk(key.public_key(), as_dict=True), "kid": name, "alg": "RS256", "use": "sig"}
        for name, key in keys.items()
    ]
    return json.dumps({"keys": made}).encode()


def token(person: int, session: int | None = None, *, key: Any = KEY, kid: str = "one", **claims: Any) -> str:
    """As Prolific makes them."""
    ids = {
        "PROLIFIC_PID": f"{person:024x}",
        "STUDY_ID": claims.pop("study", STUDY),
        "SESSION_ID": f"{person if session is None else session:024x}",
        "workspace_id": "w",
    }
    whole = {
        "iss": "https://www.prolific.com",
        "aud": f"{SERVER}/prolific",
        "exp": time.time() + 300,
        "sub": ids["SESSION_ID"],
        "prolific": ids,
        **claims,
    }
    return str(jwt.encode(whole, key, "RS256", headers={"kid": kid}))


def address(signed: str, person: int, session: int | None = None) -> str:
    ids = (("PROLIFIC_PID", person), ("SESSION_ID", person if session is None else session))
    said = "".join(f"&{name}={number:024x}" for name, number in ids)
    return f"/prolific?STUDY_ID={STUDY}{said}&prolific_token={signed}"


def begin(page: LocalClient, link: str) -> str:
    return str(page.post(link + "/begin").headers["location"]).rpartition("/")[2]


def answer(page: LocalClient, link: str) -> str:
    item = page.get(link + "/item").json()["next"]
    body = {"id": item["id"], "at": item["at"], "answer": {"value": 5}, "events": ["play", "ended"]}
    return str(page.post(link + "/answer", json=body).json()["status"])


@pytest.fixture
def signed(tmp_path: Path, clips: Path) -> Folder:
    (tmp_path / "keys.json").write_bytes(jwks(one=KEY))
    return human_kit.small_campaign(
        tmp_path / "signed",
        clips,
        hits=2,
        watch=0.0,
        platform=Platform("prolific", "C0DE", study=STUDY),
        platform_key=tmp_path / "keys.json",
        public_url=SERVER,
    )


@pytest.fixture
def page(signed: Folder) -> Iterator[LocalClient]:
    with LocalClient(create_app(signed), follow_redirects=False) as client:
        yield client


def test_a_signed_visit_is_that_raters_again_and_again(page: LocalClient, signed: Folder) -> None:
    links = [page.get(address(token(1), 1)).headers["location"] for _ in range(2)]
    links.append(page.get(f"/prolific?prolific_token={token(1)}").headers["location"])
    assert len(set(links)) == 1
    for person in (1, 2):
        link = page.get(address(token(person), person)).headers["location"]
        assert (begin(page, link), answer(page, link)) == ("task", "saved")
    third = page.get(address(token(3), 3)).headers["location"]
    assert begin(page, third) == "wait", "one answer holds a seat"
    until = human_kit.rows(signed.database, sa.select(assignment.c.leased_until))
    assert min(row.leased_until for row in until) - time.time() > 7000, "for as long as by a personal link"


def test_who_comes_back_late_is_the_same_rater(page: LocalClient) -> None:
    old = token(1, exp=time.time() - 3600)
    assert page.get(address(old, 1)).status_code == 403, "an old address of somebody unknown"
    link = page.get(address(token(1), 1)).headers["location"]
    assert page.get(address(old, 1)).headers["location"] == link


def test_signed_raters_of_one_address_need_not_wait(signed: Folder) -> None:
    """As many as come, and whoever tries to forge visits beside them."""
    with LocalClient(create_app(signed), follow_redirects=False, client=("192.0.2.1", 50_000)) as client:
        forged = [client.get(address(token(k, key=OTHER), k)).status_code for k in range(40)]
        assert forged[0] == 403 and forged[-1] == 429
        assert {client.get(address(token(k), k)).status_code for k in range(40)} == {303}


def without(claim: str) -> str:
    claims = {"aud": SERVER, "exp": 4e9, "prolific": {}}
    del claims[claim]
    return str(jwt.encode(claims, KEY, "RS256", headers={"kid": "one"}))


@pytest.mark.parametrize(
    "visit",
    [
        address("", 1),
        f"/prolific?PROLIFIC_PID={1:024x}&STUDY_ID={STUDY}&SESSION_ID={1:024x}",
        address("a.b.c", 1),
        address("x" * 5000, 1),
        address(token(1, key=OTHER), 1),
        address(token(1, kid="two"), 1),
        address(token(1)[:-8] + "AAAAAAAA", 1),
        address(token(1, aud="https://elsewhere.example.org/prolific"), 1),
        address(token(1, aud="https://elsewhere.example.org/study.example.org"), 1),
        address(token(1, aud=[7, {}]), 1),
        address(token(1, aud="http://["), 1),
        address(token(1, exp=1), 1),
        address(token(1, study=f"{6:024x}"), 1),
        address(token(1, prolific="me"), 1),
        address(token(1, prolific={"PROLIFIC_PID": 1}), 1),
        address(token(1), 2),
        address(token(1), 1, 2),
        *(address(without(claim), 1) for claim in ("aud", "exp", "prolific")),
        address(jwt.encode({"aud": SERVER, "exp": 4e9}, None, "none", headers={"kid": "one"}), 1),
        address(jwt.encode({"aud": SERVER, "exp": 4e9}, "k" * 32, "HS256", headers={"kid": "one"}), 1),
    ],
)
def test_anything_else_is_refused(page: LocalClient, signed: Folder, visit: str) -> None:
    reply = page.get(visit)
    assert reply.status_code == 403 and "This visit is not signed" in reply.text
    with contextlib.closing(Store(signed.database)) as store:
        assert store.people() == 0


@pytest.mark.parametrize("aud", [SERVER, "study.example.org", [SERVER + "/", "x"], f"{SERVER}/prolific?a=b"])
def test_how_a_token_names_its_server(page: LocalClient, aud: Any) -> None:
    assert page.get(address(token(1, aud=aud), 1)).status_code == 303


def test_new_keys_are_taken_while_the_server_runs(page: LocalClient, signed: Folder) -> None:
    visit = address(token(1, key=OTHER, kid="two"), 1)
    assert page.get(visit).status_code == 403
    file = signed.path / "platform-keys.json"
    file.write_bytes(b"{")
    assert page.get(visit).status_code == 403 and page.get(address(token(2), 2)).status_code == 303
    file.write_bytes(jwks(one=KEY, two=OTHER))
    os.utime(file, ns=(1, 1))
    assert page.get(visit).status_code == 303 and page.get(address(token(3), 3)).status_code == 303
    file.write_bytes(b"[" * 100_000)
    os.utime(file, ns=(2, 2))
    assert page.get(visit).status_code == 303, "no keys: those before stay"


def test_keys_that_are_gone_sign_no_more(page: LocalClient, signed: Folder) -> None:
    file = signed.path / "platform-keys.json"
    for number, keys in enumerate((jwks(two=OTHER), jwks(one=OTHER)), 1):
        file.write_bytes(keys)
        os.utime(file, ns=(number, number))
        assert page.get(address(token(number), number)).status_code == 403
    assert page.get(address(token(3, key=OTHER), 3)).status_code == 303, "another key by the same name"


def test_keys_belong_to_the_campaign(signed: Folder, tmp_path: Path) -> None:
    backup(signed, tmp_path / "backup")
    restore(tmp_path / "backup", tmp_path / "again")
    with LocalClient(create_app(Folder(tmp_path / "again")), follow_redirects=False) as client:
        assert client.get(address(token(1), 1)).status_code == 303
    with pytest.raises(UsageError, match="Nobody but Prolific can sign"):
        rehearsal_links(signed, 1, 0)
    with keeping.preview(signed.path) as shown:
        assert "/prolific?" in shown


def test_a_campaign_of_signed_raters_by_command(tmp_path: Path, clips: Path) -> None:
    (tmp_path / "keys.json").write_bytes(jwks(one=KEY))
    words = ["human", "new", tmp_path / "made", "--systems", HERE / "careful.json", HERE / "vague.json"]
    words += ["--task", "preference", "--clips", HERE / "clips", "--hits", 1, "--per-hit", 4]
    words += ["--platform", "prolific", "--completion-code", "C0DE", "--platform-key", tmp_path / "keys.json"]
    found = CliRunner().invoke(cli, [str(word) for word in words])
    assert found.exit_code == 0, found.output
    assert "any study on Prolific" in " ".join(found.output.split())
    assert Folder(tmp_path / "made").campaign.platform == Platform("prolific", "C0DE", "platform-keys.json")


def test_what_does_not_fit_is_said(signed: Folder, tmp_path: Path, clips: Path) -> None:
    hidden = msgspec.structs.replace(signed.campaign, public_url="")
    signed.write_campaign(hidden)
    with pytest.raises(UsageError, match="public address"):
        create_app(Folder(signed.path))
    signed.write_campaign(msgspec.structs.replace(hidden, public_url=SERVER))
    (signed.path / "platform-keys.json").unlink()
    with pytest.raises(DataError, match="cannot be read"):
        create_app(Folder(signed.path))
    keys = tmp_path / "keys.json"
    for name in ("mturk", "local"):
        with pytest.raises(UsageError, match="is for Prolific"):
            human_kit.small_campaign(tmp_path / "no", clips, platform=Platform(name), platform_key=keys)
    with pytest.raises(UsageError, match="without signatures"):
        human_kit.small_campaign(tmp_path / "no", clips, platform=Platform("prolific", "C", study=STUDY))
    for broken in (
        b"{}",
        b'{"keys": []}',
        b'{"keys": [{"kty": "oct", "k": "YQ", "kid": "a"}]}',
        b"\xff",
        b"[" * 100_000,
    ):
        keys.write_bytes(broken)
        with pytest.raises(DataError, match="no file of public keys"):
            human_kit.small_campaign(
                tmp_path / "no", clips, platform=Platform("prolific", "C"), platform_key=keys
            )
