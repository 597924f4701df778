"""Pictures that are huge, broken or turned, and folders of them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from storymeter.captions import Document
from storymeter.errors import DataError, UsageError
from storymeter.models import media, open_picture

Image = pytest.importorskip("PIL.Image")


def test_unsafe_pictures_are_refused_by_name(tmp_path: Path) -> None:
    huge = tmp_path / "huge.png"
    Image.new("1", (12_000, 9_000)).save(huge)
    with pytest.raises(DataError, match=r"huge\.png has 108 megapixels"):
        open_picture(huge)
    small = tmp_path / "small.png"
    Image.effect_noise((64, 64), 50).save(small)
    (tmp_path / "cut.png").write_bytes(small.read_bytes()[:200])
    with pytest.raises(DataError, match=r"cut\.png is not a readable image"):
        open_picture(tmp_path / "cut.png")
    (tmp_path / "text.jpg").write_text("not a picture")
    with pytest.raises(DataError, match=r"text\.jpg is not a readable image"):
        open_picture(tmp_path / "text.jpg")
    os.mkfifo(tmp_path / "pipe.png")
    with pytest.raises(DataError, match=r"pipe\.png is not a file"):  # and nobody waits for it
        open_picture(tmp_path / "pipe.png")
    assert media.Pictures(tmp_path).find("../../etc/passwd") is None
    with pytest.raises(UsageError, match="no folder"):
        media.Pictures(tmp_path / "nowhere")


def test_exif_rotation_is_honoured(tmp_path: Path) -> None:
    image = Image.new("RGB", (40, 20), (255, 0, 0))
    exif = image.getexif()
    exif[0x0112] = 6
    image.save(tmp_path / "turned.jpg", exif=exif)
    assert open_picture(tmp_path / "turned.jpg").size == (20, 40)


def test_subfolders_by_story(tmp_path: Path) -> None:
    (tmp_path / "story1").mkdir()
    (tmp_path / "story1" / "1.png").write_text("coffee")
    pictures = media.Pictures(tmp_path)
    assert pictures.of(Document("story1")) == ["story1/1.png"] and pictures.find("story1/1.png") is not None
