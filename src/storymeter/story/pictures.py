"""A story's pictures: found by name in one folder, and decoded safely.

A picture is measured before it is decoded; a huge, broken or unreadable one is an error that names the file.
EXIF rotation is honoured, and large pictures are scaled down at once, so that memory stays flat."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

from ..captions import Document
from ..errors import DataError, MissingPartError, some
from .media import MediaFolder
from .told import images_of

MAX_PIXELS = 80_000_000
LONGEST_SIDE = 1024


class Pictures(MediaFolder):
    """A folder of images: `name.jpg` or `name`, at any depth; or a subfolder per story, or an image, named by
    its id.
    """

    kind: ClassVar[str] = "images"
    endings: ClassVar[tuple[str, ...]] = (".jpg", ".jpeg", ".png", ".webp", ".gif", ".bmp", ".tif", ".tiff")

    def __init__(self, folder: str | Path) -> None:
        self._by_folder: dict[str, list[str]] = {}
        super().__init__(folder)

    def _add(self, path: Path, relative: Path) -> None:
        super()._add(path, relative)
        if relative.parent != Path():
            self._by_folder.setdefault(relative.parent.as_posix(), []).append(relative.as_posix())

    def of(self, document: Document) -> list[str]:
        """The names of a story's pictures; where the file names none, those in the subfolder of its id, or
        the one that is called so.
        """
        return (
            images_of(document)
            or self._by_folder.get(document.id)
            or ([document.id] if document.id in self._by_name else [])
        )

    def shown(self, item: Sequence[Document]) -> Document:
        """The first document of an item that says which pictures it is about; otherwise its first one."""
        return next(filter(self.of, item), item[0])

    def present(self, document: Document) -> list[str]:
        """Those of a story's pictures that are in the folder."""
        return [name for name in self.of(document) if self.find(name) is not None]

    def find(self, name: str) -> Path | None:
        return self._by_name.get(name) or self._by_name.get(Path(name).name)

    def check(self, documents: Sequence[Document], metric: str = "rovist_vg") -> None:
        """An error that counts and names what is missing; `metric` is who wants them."""
        lacking = list(
            dict.fromkeys(
                name for document in documents for name in self.of(document) if self.find(name) is None
            )
        )
        named = {name for document in documents for name in self.of(document)}
        blind = [document.id for document in documents if document.captions and not self.of(document)]
        if lacking:
            raise DataError(
                f"{len(lacking):,} of {len(named):,} images are not in {self.folder}: {some(lacking)}",
                hint=(
                    f"Add them, or score the stories by the pictures that are there: {metric}(missing=skip)."
                ),
            )
        if blind:
            raise DataError(
                f"{len(blind):,} of {len(documents):,} stories name no image: {some(blind)}",
                hint=(
                    "Give captions with images, a photo_sequence, or an image or subfolder of images named"
                    f" by the id; or use {metric}(missing=skip)."
                ),
            )


def open_picture(path: Path, *, whole: bool = False) -> Any:
    """The picture in RGB, upright, its longest side at most 1024, or in its own size."""
    try:
        from PIL import Image, ImageOps
    except ImportError:
        raise MissingPartError.extra("Reading images", "neural") from None
    if not path.is_file():  # a pipe would be waited for, a link may lead nowhere
        raise DataError(f"{path} is not a file.", hint="Put the picture itself there.")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Pillow's own warning about large files; ours is an error
            image = Image.open(path)
            if image.width * image.height > MAX_PIXELS:
                raise DataError(
                    f"{path} has {image.width * image.height / 1e6:,.0f} megapixels, which is more than the"
                    f" {MAX_PIXELS // 1_000_000} that are decoded.",
                    hint="Scale it down; regions are scaled to 224 x 224 pixels anyway.",
                )
            if not whole:
                image.draft("RGB", (LONGEST_SIDE, LONGEST_SIDE))
            image.load()
            rgb = (ImageOps.exif_transpose(image) or image).convert("RGB")
    except DataError:
        raise
    except Image.DecompressionBombError:
        raise DataError(
            f"{path} claims more pixels than are decoded ({MAX_PIXELS // 1_000_000} million).",
            hint="Scale it down.",
        ) from None
    except Exception as error:  # decoders raise whatever they like on broken files
        raise DataError(
            f"{path} is not a readable image: {str(error) or type(error).__name__}",
            hint="It may be truncated: copy it again.",
        ) from None
    if not whole:
        rgb.thumbnail((LONGEST_SIDE, LONGEST_SIDE))
    return rgb
