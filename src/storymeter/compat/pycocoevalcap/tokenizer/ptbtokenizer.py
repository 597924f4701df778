"""Penn Treebank tokens of captions by id, punctuation dropped."""

from collections.abc import Hashable, Mapping, Sequence
from itertools import chain
from typing import Any

from ....text.ptb import tokenize_batch
from .. import text

#: names that the original's module has; nothing here reads them
STANFORD_CORENLP_3_4_1_JAR = "stanford-corenlp-3.4.1.jar"
#: the tokens that are dropped; brackets never are, since the tokens are lower-cased and these are not
PUNCTUATIONS = [
    *("''", "'", "``", "`", "-LRB-", "-RRB-", "-LCB-", "-RCB-"),
    *(".", "?", "!", ",", ":", "-", "--", "...", ";"),
]


class PTBTokenizer:
    """Captions to tokens. `verbose` and any other argument of the copies in use change nothing here.

    >>> PTBTokenizer().tokenize({7: [{"caption": "A man, walking."}]})
    {7: ['a man walking']}
    """

    def __init__(self, *arguments: object, **options: object) -> None:
        self.verbose = bool(options.get("verbose", False))

    def tokenize(
        self, captions_for_image: Mapping[Any, Sequence[Mapping[str, Any]]]
    ) -> dict[Hashable, list[str]]:
        """`{id: [{"caption": …}, …]}` to `{id: [tokens joined by blanks, …]}`; an id without captions is left
        out. All captions are read as one text, as the original does (see `tokenize_batch`)."""
        groups = {
            i: [text(caption["caption"], f"the caption {k} of {i!r}") for k, caption in enumerate(captions)]
            for i, captions in captions_for_image.items()
        }
        tokens = iter(tokenize_batch(list(chain.from_iterable(groups.values())), punctuation=False))
        return {i: [next(tokens) for _ in group] for i, group in groups.items() if group}

    def setup_tokenizer(self) -> None:
        """Nothing is set up: there is no process."""
