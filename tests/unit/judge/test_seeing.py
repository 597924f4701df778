"""Judges that see: images of a story and frames of a video as parts of the request, without references."""

from __future__ import annotations

import base64
import io
from pathlib import Path
from typing import Any

import judge_kit
import numpy as np
import pytest
from aiohttp import web

from storymeter import Caption, Corpus, Document, Run
from storymeter.errors import DataError, UsageError
from storymeter.registry import scorer

Image = pytest.importorskip("PIL.Image")


def pictures(body: dict[str, Any]) -> list[Any]:
    """The pictures that were sent, decoded."""
    parts = body["messages"][-1]["content"]
    assert parts[0]["type"] == parts[-1]["type"] == "text"
    urls = [part["image_url"]["url"] for part in parts if part["type"] == "image_url"]
    return [Image.open(io.BytesIO(base64.b64decode(url.partition("base64,")[2]))) for url in urls]


async def looks(request: web.Request, body: dict[str, Any], number: int) -> web.StreamResponse:
    """Tenths of redness of the first picture: a judge that can be worked out by hand."""
    red = np.asarray(pictures(body)[0].convert("RGB"))[..., 0].mean() / 255
    return web.json_response(judge_kit.completion(str(round(10 * red))))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A red and a black picture, one of them large; a film that turns from black to red."""
    av = pytest.importorskip("av", reason="pip install 'storymeter[neural]' reads videos")
    Image.new("RGB", (2000, 1000), (255, 0, 0)).save(tmp_path / "red.png")
    Image.new("RGB", (60, 40), (0, 0, 0)).save(tmp_path / "black.jpg")
    with av.open(str(tmp_path / "film.mp4"), "w") as container:
        stream = container.add_stream("mpeg4", rate=5)
        stream.width, stream.height, stream.pix_fmt = 640, 480, "yuv420p"
        for k in range(40):
            frame = np.zeros((480, 640, 3), np.uint8)
            frame[..., 0] = 6 * k
            container.mux(stream.encode(av.VideoFrame.from_ndarray(frame, format="rgb24")))
        container.mux(stream.encode())
    return tmp_path


def one(id: str) -> Corpus:
    return Corpus((Document(id, (Caption("something red"),)),), "mine")


def test_pictures_are_sent_small_and_need_no_references(folder: Path) -> None:
    both = Corpus((*one("red").documents, *one("black").documents), "mine")
    with judge_kit.serving(looks) as server:
        name = server.judge(prompt="seen", parallel=1)
        score = Run(images=str(folder)).score(both, name, resamples=0).systems[0].scores[0]
        assert score.value == 0.5
        assert sorted(picture.size for body in server.bodies for picture in pictures(body)) == [
            (60, 40),
            (512, 256),
        ]
        (folder / "red.png").rename(folder / "scarlet.png")
        Run(images=str(folder)).score(one("scarlet"), name, resamples=0)
        assert len(server.bodies) == 2, "the same picture under another name was answered before"


def test_frames_stand_at_even_distances(folder: Path) -> None:
    with judge_kit.serving(looks) as server:
        Run(videos=str(folder)).score(one("film"), server.judge(prompt="seen", frames=4), resamples=0)
        red = [np.asarray(picture)[..., 0].mean() for picture in pictures(server.bodies[0])]
    # eight seconds: the frames on show at 1, 3, 5 and 7 s are 5, 15, 25 and 35
    assert red == pytest.approx([30, 90, 150, 210], abs=15)
    assert pictures(server.bodies[0])[0].size == (512, 384)


def test_what_cannot_be_seen_is_said(folder: Path) -> None:
    with judge_kit.serving(looks) as server:
        name = server.judge(prompt="seen")
        with pytest.raises(UsageError, match="needs images or videos"):
            Run().score(one("red"), name)
        with pytest.raises(DataError, match="1 of 1 documents have no image or video"):
            Run(images=str(folder)).score(one("green"), name)
        with pytest.raises(UsageError, match="judges whole documents, not pairs"):
            scorer(name).pairs(candidates=["a"], references=[["a"]])
        (folder / "film.mp4").write_bytes(b"no film")
        with pytest.raises(DataError, match="not a readable video"):
            Run(videos=str(folder)).score(one("film"), name)
        assert not server.bodies


def test_an_endpoint_that_is_blind(folder: Path) -> None:
    async def blind(request: web.Request, body: dict[str, Any], number: int) -> web.StreamResponse:
        return web.json_response({"error": {"message": "image input is not supported"}}, status=400)

    with judge_kit.serving(blind) as server, pytest.raises(DataError) as caught:
        Run(images=str(folder)).score(one("red"), server.judge(prompt="seen"))
    assert "The judge refuses every request: 400: image input is not supported." in caught.value.message
