"""The kinds of arrays that pass between rooms."""

from __future__ import annotations

from typing import Any

import numpy as np

# what numpy.typing.NDArray[...] stands for, without the import of that module
FloatArray = np.ndarray[tuple[Any, ...], np.dtype[np.float64]]
IntArray = np.ndarray[tuple[Any, ...], np.dtype[np.int64]]
KeyArray = np.ndarray[tuple[Any, ...], np.dtype[np.uint64]]
Float32 = np.ndarray[tuple[Any, ...], np.dtype[np.float32]]
#: a score beyond this is no measurement, and its powers would not fit into a number
LARGEST = 1e50
