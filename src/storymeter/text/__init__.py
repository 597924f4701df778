"""Strings to tokens and sentences.

>>> from storymeter.text import ptb_tokenize, split_sentences, tokenize
>>> ptb_tokenize("He can't say hello (twice).")
['he', 'ca', "n't", 'say', 'hello', '-lrb-', 'twice', '-rrb-']
>>> ptb_tokenize(["A dog.", "Two cats!"], punctuation=True)
[['a', 'dog', '.'], ['two', 'cats', '!']]
>>> tokenize(["It costs $3."], "13a")
['It costs $ 3 .']
>>> split_sentences("A dog runs. It barks at Mr. Smith.")
['A dog runs.', 'It barks at Mr. Smith.']

`TOKENIZERS` lists the tokenisers that `tokenize` and `--tokenizer` know; the command is
`storymeter tokenize`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._lazy import late

if TYPE_CHECKING:
    from .ptb import ptb_tokenize as ptb_tokenize
    from .script import script_of as script_of
    from .sentences import split_sentences as split_sentences
    from .tokenizers import TOKENIZERS as TOKENIZERS, tokenize as tokenize
    from .words import treebank as treebank

_LATE = {
    "TOKENIZERS": "tokenizers",
    "script_of": "script",
    "ptb_tokenize": "ptb",
    "split_sentences": "sentences",
    "tokenize": "tokenizers",
    "treebank": "words",
}

__all__ = [*_LATE]
__getattr__, __dir__ = late(__name__, _LATE, renamed={"foreign_script": "script_of"})
