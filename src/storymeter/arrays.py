"""The kinds of arrays that pass between rooms."""

import math
from typing import Any

import numpy as np

# what numpy.typing.NDArray[...] stands for, without the import of that module
FloatArray = np.ndarray[tuple[Any, ...], np.dtype[np.float64]]
IntArray = np.ndarray[tuple[Any, ...], np.dtype[np.int64]]
KeyArray = np.ndarray[tuple[Any, ...], np.dtype[np.uint64]]
Float32 = np.ndarray[tuple[Any, ...], np.dtype[np.float32]]
AnyArray = np.ndarray[tuple[Any, ...], np.dtype[Any]]
#: a score beyond this is no measurement, and its powers would not fit into a number
LARGEST = 1e50


def beyond(values: FloatArray, low: float, high: float) -> IntArray:
    """The places of values outside of a range by more than rounding; a bound may be infinite."""
    slack = 1e-9 * max([1.0, *(abs(bound) for bound in (low, high) if math.isfinite(bound))])
    return np.flatnonzero((values < low - slack) | (values > high + slack))
