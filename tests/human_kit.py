"""What tests of human studies share: tiny clips, small campaigns, a PostgreSQL of their own, and the parts of
a campaign (folder, store, server) behind the door of `storymeter.human`.
"""

from __future__ import annotations

import contextlib
import os
import pwd
import random
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sqlalchemy as sa

from storymeter.captions import Caption, Corpus, Document
from storymeter.human.campaign.export import ratings as ratings, to_csv as to_csv
from storymeter.human.campaign.organise import prepare, write
from storymeter.human.campaign.overview import overview as overview, ranking as ranking
from storymeter.human.campaign.record import Folder
from storymeter.human.campaign.request import CampaignRequest, Layout as Layout, Platform as Platform
from storymeter.human.example import HERE as HERE
from storymeter.human.rehearsal import Bot as Bot, Truth as Truth
from storymeter.human.server.app import create_app as create_app
from storymeter.human.server.run import start as start
from storymeter.human.store import (
    Answer as Answer,
    Media as Media,
    RaterProgress as RaterProgress,
    Store,
    Terms as Terms,
    Visitor as Visitor,
)
from storymeter.human.store.tables import (
    assignment as assignment,
    clip as clip,
    correction as correction,
    rating as rating,
    seat as seat,
    setting as setting,
)
from storymeter.human.study import STUDIES as STUDIES, named as named

WORDS = (
    "a man woman dog child runs jumps sings over under the red blue car tree river slowly twice near houses"
)
#: names that can be nowhere else by accident
SYSTEMS = ("zyxalpha", "zyxbeta", "zyxgamma")
HUMAN = "zyxpeople"
#: programs of the newest PostgreSQL of this machine
POSTGRES = max(
    Path("/usr/lib/postgresql").glob("*/bin"),
    key=lambda path: int(path.parent.name),
    default=Path("/usr/lib/postgresql"),
)


def tiny_clips(folder: Path, names: list[str], seconds: float = 0.2, rate: int = 20) -> Path:
    """Clips of a few hundred bytes: one colour each, getting brighter."""
    av = pytest.importorskip("av")
    folder.mkdir(parents=True, exist_ok=True)
    for number, name in enumerate(names):
        with av.open(str(folder / f"{name}.webm"), "w", format="webm") as container:
            stream = container.add_stream(
                "libvpx", rate=Fraction(rate), options={"deadline": "realtime", "cpu-used": "8"}
            )
            stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
            stream.thread_count = 1  # threads for so small a picture cost twenty times what they do
            count = max(2, round(seconds * rate))
            for k in range(count):
                picture = np.full(
                    (48, 64, 3), ((37 * number) % 200, (91 * number) % 200, 55 + 150 * k // count), np.uint8
                )
                container.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
            container.mux(stream.encode())
    return folder


def corpora(ids: list[str], seed: int = 0, sentences: int = 1) -> tuple[list[Corpus], Corpus]:
    rng, words = random.Random(seed), WORDS.split()

    def told() -> tuple[Caption, ...]:
        return tuple(
            Caption(" ".join(rng.choice(words) for _ in range(rng.randint(6, 14)))) for _ in range(sentences)
        )

    made = [Corpus(tuple(Document(item, told()) for item in ids), name) for name in (*SYSTEMS, HUMAN)]
    return made[:-1], made[-1]


def campaign(
    folder: Path,
    clips: Path,
    *,
    items: int = 50,
    database: str | None = None,
    raters: int | None = None,
    sentences: int = 1,
    **wish: Any,
) -> Folder:
    """A campaign of `items` clips; the layout is a whole HIT of 100 unless another is asked for."""
    ids = sorted(path.stem for path in clips.glob("*.webm"))[:items]
    systems, human = corpora(ids, sentences=sentences)
    options = CampaignRequest(
        **{"systems": systems, "human": human, "clips": clips, "hits": 1, "seed": 0, **wish}
    )
    prepared = prepare(options)
    assert not prepared.problems, prepared.problems
    return write(prepared, folder, database=database, raters=raters)


def rows(url: str, query: sa.Select[Any]) -> list[Any]:
    """What a database holds, asked beside the store."""
    engine = sa.create_engine(url.replace("postgresql://", "postgresql+psycopg://"))
    try:
        with engine.connect() as connection:
            return list(connection.execute(query).all())
    finally:
        engine.dispose()


SMALL = Layout(blocks=2, system=7, degraded=1, repeat=1, human=1)


def small_campaign(folder: Path, clips: Path, **wish: Any) -> Folder:
    """HITs of 20 places, of 20 clips."""
    return campaign(folder, clips, items=20, layout=SMALL, **wish)


def stories(ids: list[str], *, same: bool = False) -> list[Corpus]:
    """Three sentences of every system about every item; about `it`, where all items get the `same`."""
    return [
        Corpus(
            tuple(
                Document(i, tuple(Caption(f"{name} says {k} of {'it' if same else i}") for k in range(3)))
                for i in ids
            ),
            name,
        )
        for name in SYSTEMS
    ]


def rating_columns(n: int, per_rater: int = 200, systems: int = 50) -> dict[str, list[object]]:
    """So many ratings in HITs of 100 with their control pairs, of the systems and of people."""
    rng = np.random.default_rng(0)
    kinds = np.tile(np.array((["system"] * 7 + ["degraded", "repeat", "human"]) * 10, dtype=object), n // 100)
    item, system = rng.integers(0, 2000, n), rng.integers(0, systems, n)
    pair = np.full(n, "", dtype=object)
    place = np.arange(n).reshape(-1, 100)
    for block in range(10):
        for original, control, name in ((9, 7, "d"), (0, 8, "r")):
            a, b = place[:, block * 10 + original], place[:, (block + 5) % 10 * 10 + control]
            item[b], system[b] = item[a], system[a]
            pair[a] = pair[b] = f"{name}{block}"
    mean = 50 + system * 0.5 + np.where(kinds == "human", 20, 0) - np.where(kinds == "degraded", 30, 0)
    value = np.clip(np.rint(rng.normal(mean, 18)), 0, 100)
    return {
        "rater": [f"w{k}" for k in (np.arange(n) // per_rater).tolist()],
        "hit": [f"h{k}" for k in (np.arange(n) // 100).tolist()],
        "item": list(map(str, item.tolist())),
        "system": [f"s{k}" for k in np.where(kinds == "human", systems, system).tolist()],
        "value": value.tolist(),
        "kind": kinds.tolist(),
        "pair": pair.tolist(),
        "position": (np.arange(n) % 100).tolist(),
    }


@contextlib.contextmanager
def postgres(*, data: Path | None = None) -> Iterator[Callable[[str], str]]:
    """A PostgreSQL server for this test run: gives a function that makes a database and returns its
    address.
    """
    user = "nobody" if os.getuid() == 0 else pwd.getpwuid(os.getuid()).pw_name
    # not in pytest's own folder: that is closed to other users, and PostgreSQL does not run as root
    home = data or Path(tempfile.mkdtemp(prefix="storymeter-postgres-"))
    home.mkdir(parents=True, exist_ok=True)
    if os.getuid() == 0:
        owner = pwd.getpwnam(user)
        os.chown(home, owner.pw_uid, owner.pw_gid)

    def run(*words: str) -> list[str]:
        return ["runuser", "-u", user, "--", *words] if os.getuid() == 0 else list(words)

    subprocess.run(
        run(
            str(POSTGRES / "initdb"),
            "-D",
            str(home),
            "-U",
            "storymeter",
            "-A",
            "trust",
            "-E",
            "UTF8",
            "--no-sync",
        ),
        check=True,
        capture_output=True,
        cwd="/",
    )
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = subprocess.Popen(
        run(
            str(POSTGRES / "postgres"),
            "-D",
            str(home),
            "-p",
            str(port),
            "-c",
            "listen_addresses=127.0.0.1",
            "-c",
            "unix_socket_directories=",
            "-c",
            "max_connections=60",
        ),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd="/",
    )
    psycopg = pytest.importorskip("psycopg")
    address = f"postgresql://storymeter@127.0.0.1:{port}"
    try:
        for _ in range(200):
            with contextlib.suppress(psycopg.OperationalError):
                psycopg.connect(f"{address}/postgres").close()
                break
            time.sleep(0.1)

        def database(name: str) -> str:
            with psycopg.connect(f"{address}/postgres", autocommit=True) as connection:
                connection.execute(f'CREATE DATABASE "{name}"')
            return f"{address}/{name}"

        yield database
    finally:
        # the wrapper dies with its child; the child is asked by its own tool
        subprocess.run(
            run(str(POSTGRES / "pg_ctl"), "-D", str(home), "-m", "immediate", "stop"),
            capture_output=True,
            cwd="/",
            check=False,
        )
        server.wait(timeout=30)
        shutil.rmtree(home, ignore_errors=True)


def answers(folder: Folder) -> list[Any]:
    with contextlib.closing(Store(folder.database)) as store:
        return ratings(folder, store)
