"""Inputs of the scripts that are replaced, as records of the package, and the scores that they report."""

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from ..captions import Caption, Corpus, Document
from ..engine.run import Run
from ..errors import DataError
from ..metrics import Metric
from ..options import Tokenizer
from ..protocol import Protocol
from ..scores import Score
from ..text.tokenizers import tokenize


def prepared(
    predictions: Sequence[str], references: Sequence[str | Sequence[str]], tokenizer: Tokenizer
) -> tuple[list[str], list[list[str]]]:
    """Tokens of predictions and of each one's references."""
    groups = [[group] if isinstance(group, str) else list(group) for group in references]
    tokens = iter(tokenize([*predictions, *chain.from_iterable(groups)], tokenizer))
    return [next(tokens) for _ in predictions], [[next(tokens) for _ in group] for group in groups]


#: a file, or what it holds
Source = str | os.PathLike[str] | Mapping[str, Any]


def loaded(source: Source) -> tuple[Mapping[str, Any], str]:
    """The content of a JSON file (or of a dictionary), and its name for messages."""
    if isinstance(source, Mapping):
        return source, "the dictionary"
    try:
        content = json.loads(Path(source).read_text(encoding="utf-8"))
    except OSError as error:
        raise DataError(f"{os.fspath(source)} cannot be read: {error.strerror}.") from None
    except ValueError as error:
        raise DataError(f"{os.fspath(source)} is not JSON: {error}.") from None
    if not isinstance(content, dict):
        raise DataError(f"{os.fspath(source)} holds a {type(content).__name__}, not videos by id.")
    return content, os.fspath(source)


def submission(source: Source) -> Corpus:
    """`{"results": {video: [{"sentence", "timestamp"}]}}`, or the inner dictionary."""
    content, name = loaded(source)
    videos = content.get("results", content)
    return Corpus(tuple(Document(str(i), _events(v, i, name)) for i, v in videos.items()), name)


def references(source: Source) -> Corpus:
    """`{video: {"timestamps": [[s, e]], "sentences": [text], "duration"}}`, or lists of events as above."""
    content, name = loaded(source)
    documents = []
    for i, video in content.items():
        if isinstance(video, Mapping):
            try:
                times, texts = video["timestamps"], video["sentences"]
            except KeyError as error:
                raise DataError(f"Video {i} of {name} has no {error}.") from None
            if len(times) != len(texts):
                raise DataError(f"Video {i} of {name} has {len(times)} times for {len(texts)} sentences.")
            captions = tuple(_caption(t, s, i, name) for s, t in zip(times, texts, strict=True))
        else:
            captions = _events(video, i, name)
        documents.append(Document(str(i), captions))
    return Corpus(tuple(documents), name)


def paragraphs(source: Source) -> dict[str, str]:
    """`{video: text}`; captions of a reference file are joined by a blank."""
    content, _ = loaded(source)
    return {
        str(i): value
        if isinstance(value, str)
        else " ".join(text.strip() for text in (value["sentences"] if isinstance(value, Mapping) else value))
        for i, value in content.items()
    }


def _events(events: Any, video: str, name: str) -> tuple[Caption, ...]:
    if not isinstance(events, Sequence) or isinstance(events, str):
        raise DataError(f"Video {video} of {name} is a {type(events).__name__}, not a list of captions.")
    found = []
    for event in events:
        text = event.get("sentence", event.get("caption")) if isinstance(event, Mapping) else None
        if text is None or "timestamp" not in event:
            raise DataError(
                f"A caption of video {video} in {name} has no sentence or no timestamp.",
                hint='Write {"sentence": "…", "timestamp": [start, end]}.',
            )
        found.append(_caption(text, event["timestamp"], video, name))
    return tuple(found)


def _caption(text: Any, time: Any, video: str, name: str) -> Caption:
    try:
        start, end = (float(second) for second in time)
    except (TypeError, ValueError):
        raise DataError(f"Video {video} of {name} has the times {time!r}, not [start, end].") from None
    return Caption(str(text), start, end)


def as_list(sources: Source | Iterable[Source]) -> list[Source]:
    """One file, or several."""
    return [sources] if isinstance(sources, str | os.PathLike | Mapping) else list(sources)


def scores(
    metrics: Sequence[str | Metric], candidates: Corpus, against: Sequence[Corpus], protocol: Protocol
) -> dict[str, Score]:
    """The scores of these metrics by their names; sentences and pairs are shared between them."""
    run = Run(against, protocol=protocol)
    names = [metric if isinstance(metric, str) else metric.name for metric in metrics]
    return dict(zip(names, run.score_task(run.task(candidates), list(metrics)), strict=True))
