"""Texts for `facts`: cut into sentences and passages, read by the encoder, and moved into the space in which
words meet what supports them.

A token vector h of the packaged encoder's last layer, scaled to length one, becomes

    g = h + h D U,   scaled to length one         (D: 384 x 96, U: 96 x 384)

and weighs softplus(h · a + b). D, U, a and b were trained (docs/models/facts.md); they lie in
`data/facts.safetensors`."""

import functools
import itertools
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..arrays import Float32
from ..models.checkpoints import weights_hash
from ..models.encoder import load_encoder
from ..models.vectors import unit
from ..progress import Progress, silent
from ..text.script import well_formed
from ..text.sentences import split_sentences
from .lexicon import WORD

WEIGHTS = Path(__file__).with_name("data") / "facts.safetensors"
#: words of a sentence that are read at once, and of a passage of a reference; the encoder takes 256 tokens
LONGEST_SENTENCE, LONGEST_PASSAGE = 80, 150
#: what may be remembered of texts that were read, in bytes
KEPT = 256 << 20
_CHUNK = 1024


class Span(NamedTuple):
    """A word of a text that was read: as written, and its tokens from `first` to before `last`."""

    text: str
    first: int
    last: int


class Reading(NamedTuple):
    """A sentence or passage: its words, and per token the moved vector and the weight."""

    text: str
    words: tuple[Span, ...]
    vectors: Float32
    weights: Float32


class Layer(NamedTuple):
    """What was trained."""

    down: Float32
    up: Float32
    weight: Float32
    bias: Float32

    def move(self, vectors: Float32) -> Float32:
        return unit(vectors + np.asarray((vectors @ self.down) @ self.up))

    def weigh(self, vectors: Float32) -> Float32:
        return np.asarray(np.logaddexp(np.float32(0), vectors @ self.weight + self.bias))


@functools.cache
def layer() -> Layer:
    from safetensors.numpy import load_file

    found = load_file(WEIGHTS)
    return Layer(*(found[name].astype(np.float32) for name in Layer._fields))


def label() -> str:
    """For signatures: a digest of what was trained."""
    return f"facts#{weights_hash(WEIGHTS)[:8]}"


def sentences_of(text: str) -> list[str]:
    """Its sentences that hold a word, long ones in pieces.

    >>> sentences_of("A man runs. He falls. 🎈")
    ['A man runs.', 'He falls. 🎈']
    """
    return [piece for sentence in split_sentences(text) for piece in _pieces(sentence, LONGEST_SENTENCE)]


def passages_of(text: str) -> list[str]:
    """As few passages as possible, of whole sentences where they are short enough: the encoder reads a word
    in the light of what stands around it."""
    out: list[list[str]] = []
    room = 0
    for piece in (part for sentence in split_sentences(text) for part in _pieces(sentence, LONGEST_PASSAGE)):
        size = sum(1 for _ in WORD.finditer(piece))
        if size > room:
            out.append([])
            room = LONGEST_PASSAGE
        out[-1].append(piece)
        room -= size
    return [" ".join(pieces) for pieces in out]


def _pieces(sentence: str, most: int) -> list[str]:
    found = list(WORD.finditer(sentence))
    if len(found) <= most:
        return [sentence] if found else []
    starts = [0, *(found[k].start() for k in range(most, len(found), most)), len(sentence)]
    return [sentence[a:b].strip() for a, b in itertools.pairwise(starts)]


class Reader:
    """Reads each distinct text once, as long as what it remembers stays small."""

    def __init__(self, device: str = "cpu", progress: Progress = silent) -> None:
        self._device, self._progress = device, progress
        self._known: dict[str, Reading] = {}
        self._size = 0

    def read(self, texts: Sequence[str]) -> list[Reading]:
        if self._size > KEPT:
            self._known.clear()
            self._size = 0
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        for begin in range(0, len(new), _CHUNK):
            for reading in self._encode(new[begin : begin + _CHUNK]):
                self._known[reading.text] = reading
                self._size += reading.vectors.nbytes
            self._progress("reading sentences", min(begin + _CHUNK, len(new)), len(new))
        return [self._known[text] for text in texts]

    def _encode(self, texts: Sequence[str]) -> Iterator[Reading]:
        encoder = load_encoder("", self._device)
        clean = well_formed(texts)
        offsets = encoder.tokenizer(
            clean, truncation=True, max_length=encoder.max_tokens, return_offsets_mapping=True
        )["offset_mapping"]
        for row, found in encoder.token_vectors(clean):
            inside = slice(1, len(found.ids) - 1)  # without the special tokens at both ends
            vectors = unit(found.vectors[inside])
            words = _words(clean[row], offsets[row][inside])
            yield Reading(texts[row], words, layer().move(vectors), layer().weigh(vectors))


def _words(text: str, offsets: Sequence[Any]) -> tuple[Span, ...]:
    """The words of a text and their tokens; a word that was cut off has none."""
    out, token = [], 0
    for match in WORD.finditer(text):
        while token < len(offsets) and offsets[token][1] <= match.start():
            token += 1
        last = token
        while last < len(offsets) and offsets[last][0] < match.end():
            last += 1
        out.append(Span(match.group(), token, last))
        token = last
    return tuple(out)
