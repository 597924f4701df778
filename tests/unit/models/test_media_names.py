"""Which file of a folder a story means by the name of a picture."""

from __future__ import annotations

from pathlib import Path

import pytest

from storymeter.captions import Caption, Document
from storymeter.errors import DataError
from storymeter.models import media


@pytest.fixture
def pictures(tmp_path: Path) -> media.Pictures:
    """Albums that number their pictures, one in a folder of its own, and one that lies beside them."""
    for name in ("A/1.png", "A/2.png", "B/1.png", "B/7.png", "train/C/9.jpg", "x.png", "D/x.png"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    for name in ("E/copy.png", "F/copy.png"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text("the same")
    return media.Pictures(tmp_path)


@pytest.mark.parametrize(
    "name, file",
    [
        ("A/1.png", "A/1.png"),
        ("A/1", "A/1.png"),
        ("B/1", "B/1.png"),
        ("images/B/7.png", "B/7.png"),
        ("C/9", "train/C/9.jpg"),
        ("/somewhere/train/C/9.jpg", "train/C/9.jpg"),
        ("9", "train/C/9.jpg"),
        ("x", "x.png"),
        ("elsewhere/x.png", "x.png"),
        ("D/x", "D/x.png"),
        ("copy", "E/copy.png"),
        ("A/7.png", None),  # it is in B
        ("Z/7.png", None),
        ("Z/1.png", None),
        ("C/10", None),
    ],
)
def test_a_path_names_no_picture_of_another_album(
    name: str, file: str | None, pictures: media.Pictures
) -> None:
    found = pictures.find(name)
    assert (found and found.relative_to(pictures.folder).as_posix()) == file


def test_one_name_of_several_pictures_is_an_error(pictures: media.Pictures) -> None:
    with pytest.raises(DataError, match=r"1 names several images: .*A.1\.png, .*B.1\.png"):
        pictures.find("1")


def test_numbers_are_those_of_the_storys_own_subfolder(pictures: media.Pictures) -> None:
    def files(id: str, *names: str) -> list[str | None]:
        story = Document(id, tuple(Caption("we went .", image=name) for name in names))
        found = [pictures.find(name) for name in pictures.of(story)]
        return [path and path.relative_to(pictures.folder).as_posix() for path in found]

    assert files("A", "1", "2.png") == ["A/1.png", "A/2.png"]
    assert files("B", "1", "7") == ["B/1.png", "B/7.png"]
    assert files("A", "7", "x") == [None, "x.png"]  # no picture 7 in A


def test_names_without_numbered_albums_are_found_wherever_they_lie(tmp_path: Path) -> None:
    for name in ("train/101.jpg", "val/102.jpg"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(name)
    pictures = media.Pictures(tmp_path)
    for name in ("101", "images_of_train/101.jpg", "train/101"):
        assert pictures.find(name) == tmp_path / "train/101.jpg"
