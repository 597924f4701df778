"""What the measures of stories and pictures have in common."""

from __future__ import annotations

from typing import ClassVar

from ..metric import MeanMetric


class StoryMetric(MeanMetric):
    """A model reads every sentence or picture, no references are needed unless a subclass says so, and the
    value is on a scale of its own: tables print it as it is.
    """

    needs_references: ClassVar[bool] = False
    percent: ClassVar[bool] = False
    slow: ClassVar[bool] = True
