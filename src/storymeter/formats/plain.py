"""Plain texts by id: stories, or paragraphs that describe a video. A list of texts means several
alternatives.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..captions import Corpus, Document
from .base import JsonFormat, carrying, some_of
from .checks import INDEX, Check


class Plain(JsonFormat):
    name = "plain"
    title = "Plain stories or paragraphs by id"
    shape = '{"<id>": "a story"} or {"<id>": ["a story", "another"]}'
    carries = carrying("documents", "several", "alternatives", "untimed", "empty") - {"bounds"}
    story = True
    manner = True

    def looks(self, value: Any) -> bool:
        return (
            isinstance(value, dict)
            and bool(value)
            and any(_texts(v) for v in some_of(value))
            and not any(isinstance(v, dict) for v in some_of(value))
        )

    def documents(self, value: Any, check: Check) -> Iterator[Document]:
        listed = False
        for id, texts in check.mapping(value, (), "a file of stories").items():
            several = isinstance(texts, list)
            listed = listed or several
            for i, text in enumerate(texts if several else [texts]):
                name = check.open(id, (id,), text=(INDEX,) if several else ())
                yield check.close(name, [check.caption(i, text)])
            if several and not texts:
                yield check.close(check.open(id, (id,)), [])
        self.keep(check, {"lists": listed})

    def value(self, corpus: Corpus) -> Any:
        groups = corpus.by_id()
        listed = self.kept(corpus).get("lists", any(len(documents) > 1 for documents in groups.values()))
        texts = {id: [d.text for d in documents if d.captions] for id, documents in groups.items()}
        return texts if listed else {id: "".join(several) for id, several in texts.items()}


def _texts(value: Any) -> bool:
    return isinstance(value, str) or (
        isinstance(value, list) and bool(value) and all(isinstance(v, str) for v in value)
    )
