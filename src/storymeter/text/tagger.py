"""Parts of speech: HanTa's English tagger, loaded once per process and shared by all who ask.

Its model is a pickle inside HanTa's own wheel, to be trusted as the code beside it. But HanTa looks for a
file of that name in the working directory first, where anybody may have put one; so the model is named by its
full path."""

from __future__ import annotations

import functools
import inspect
from pathlib import Path
from typing import Any

from ..errors import MissingPartError

MODEL = "morphmodel_en.pgz"


def tagger(what: str) -> Any:
    """The tagger; `what` needs it, for the message where HanTa is not installed."""
    try:
        return _load()
    except ImportError:
        raise MissingPartError.extra(what, "neural") from None


@functools.cache
def _load() -> Any:
    from HanTa.HanoverTagger import HanoverTagger

    return HanoverTagger(str(Path(inspect.getfile(HanoverTagger)).with_name(MODEL)))
