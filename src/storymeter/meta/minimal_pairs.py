"""Minimal pairs: a true caption, and the same caption with one detail changed that the references tell.

A metric that reads should score the true one higher. Pairs are made by rules, one of each kind per caption at
most, and only where the detail can be checked: the word that is changed (or a form of it) stands in a
reference of the same document, and the word that replaces it does not, nor does a synonym of it.

    object      a noun becomes another noun of the same number, drawn from the nouns of all candidates
    action      a verb becomes another verb in the same form, drawn likewise
    colour      a colour becomes another colour
    number      a number word or numeral becomes another one between two and ten
    negation    `not` after the first form of be; where there is none, `does not` or `do not` before the first
                verb in the present
    exchange    the first noun before the first verb and the first noun after it change places

Candidates should be written by people who saw the same thing as the people who wrote the references (another
annotator); then the original is true, and the altered caption is wrong in one place. Random choices come from
the seed, the kind and the caption alone, so that the order of a file never matters. Fluency is not looked
after (`a umbrella`): what is asked is whether a metric notices the detail."""

import random
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Literal, NamedTuple, get_args

import msgspec

from ..captions import Caption, Document
from ..errors import DataError
from ..join import Coverage, Task
from ..pairs.lexicon import COLOURS, NUMBERS, Word, base_forms, meanings, tagged
from .records import Benchmark, Choice, decoded, lines_of

Kind = Literal["object", "action", "colour", "number", "negation", "exchange"]
KINDS: tuple[Kind, ...] = get_args(Kind)
_BE = frozenset(["is", "are", "was", "were"])
_NUMBERS = tuple(word for word, value in NUMBERS.items() if value.isdigit() and 2 <= int(value) <= 10)
_COLOURS = ("black", "blue", "brown", "green", "grey", "orange", "pink", "purple", "red", "white", "yellow")
#: candidates for a replacement that are drawn before a caption is given up
_TRIES = 20


class MinimalPair(NamedTuple):
    document: str
    kind: Kind
    original: str
    altered: str
    #: what was changed, and into what
    right: str
    wrong: str
    #: which caption of the document it is, from 0
    place: int


class _Said:
    """The words that the references of one document use, with their base forms and meanings."""

    def __init__(self, references: Sequence[Document]) -> None:
        words = {word.text.lower() for document in references for word in tagged(document.text)}
        self.forms = words | {base for word in words for base in base_forms(word)}
        self.meanings = {number for base in self.forms for number in meanings(base)}

    def has(self, word: str) -> bool:
        return not self.forms.isdisjoint((word, *base_forms(word)))

    def means(self, word: str) -> bool:
        """Whether a word or one of its synonyms is said."""
        return self.has(word) or any(
            number in self.meanings for base in base_forms(word) for number in meanings(base)
        )


def minimal_pairs(
    candidates: Sequence[Document],
    references: Mapping[str, Sequence[Document]],
    *,
    kinds: Sequence[Kind] = KINDS,
    seed: int = 0,
) -> list[MinimalPair]:
    """Pairs from every caption of every document that has a reference, in the order of the candidates."""
    vocabulary = _vocabulary(candidates)
    out = []
    for document in candidates:
        if not references.get(document.id):
            continue
        said = _Said(references[document.id])
        for place, caption in enumerate(document.captions):
            words = tagged(caption.text)
            for kind in kinds:
                dice = random.Random(f"{seed}|{kind}|{document.id}|{caption.text}")
                out += [
                    MinimalPair(document.id, kind, caption.text, *change, place)
                    for change in _RULES[kind](caption.text, words, said, vocabulary, dice)
                ]
    return out


def _vocabulary(candidates: Sequence[Document]) -> dict[str, list[str]]:
    """Tag to the words of the candidates that carry it, as often as they occur, in alphabetical order."""
    found: dict[str, list[str]] = {}
    for document in candidates:
        for caption in document.captions:
            for word in tagged(caption.text):
                if word.kind in ("thing", "place", "action") and word.text.isalpha():
                    found.setdefault(word.tag, []).append(word.text.lower())
    return {tag: sorted(words) for tag, words in found.items()}


Change = tuple[str, str, str]


#: which words can be replaced
_ABLE: dict[Kind, Callable[[Word], bool]] = {
    "object": lambda word: word.kind in ("thing", "place"),
    "action": lambda word: word.kind == "action",
    "colour": lambda word: word.text.lower() in COLOURS,
    "number": lambda word: (
        word.text.lower() in _NUMBERS or (word.text.isdigit() and 2 <= int(word.text) <= 10)
    ),
}
#: by what, where it is not the words of the same tag
_INSTEAD: dict[str, Sequence[str]] = {"colour": _COLOURS, "number": _NUMBERS}


def _replaced(
    kind: Kind,
    text: str,
    words: Sequence[Word],
    said: _Said,
    vocabulary: dict[str, list[str]],
    dice: random.Random,
) -> Iterator[Change]:
    """One of the words of this kind that a reference confirms, replaced by another that none does."""
    options = {word.tag: _INSTEAD.get(kind, vocabulary.get(word.tag, ())) for word in words}
    able = [word for word in words if _ABLE[kind](word) and said.has(word.text.lower()) and options[word.tag]]
    if not able:
        return
    word = dice.choice(able)
    for _ in range(_TRIES):
        other = dice.choice(options[word.tag])
        if not said.means(other) and other != word.text.lower():
            yield text[: word.start] + other + text[word.end :], word.text, other
            return


def _negation(
    text: str, words: Sequence[Word], said: _Said, vocabulary: dict[str, list[str]], dice: random.Random
) -> Iterator[Change]:
    if any(word.kind == "negation" for word in words):
        return
    for k, word in enumerate(words[:-1]):
        told = any(w.kind == "action" and said.has(w.text.lower()) for w in words[k:])
        if word.text.lower() in _BE and told:
            yield f"{text[: word.end]} not{text[word.end :]}", word.text, f"{word.text} not"
            return
        if word.tag in ("VVZ", "VVB") and k and said.has(word.text.lower()):
            helped = f"{'does' if word.tag == 'VVZ' else 'do'} not {word.lemma}"
            yield text[: word.start] + helped + text[word.end :], word.text, helped
            return


def _exchange(
    text: str, words: Sequence[Word], said: _Said, vocabulary: dict[str, list[str]], dice: random.Random
) -> Iterator[Change]:
    verb = next((k for k, word in enumerate(words) if word.kind == "action"), len(words))
    first, second = (
        next((w for w in side if w.kind in ("thing", "place")), None) for side in (words[:verb], words[verb:])
    )
    if first is None or second is None or first.lemma.lower() == second.lemma.lower():
        return
    if said.has(first.text.lower()) and said.has(second.text.lower()):
        between = text[first.end : second.start]
        altered = f"{text[: first.start]}{second.text}{between}{first.text}{text[second.end :]}"
        yield altered, f"{first.text} … {second.text}", f"{second.text} … {first.text}"


_RULES: dict[Kind, Callable[..., Iterator[Change]]] = {
    **{kind: partial(_replaced, kind) for kind in _ABLE},
    "negation": _negation,
    "exchange": _exchange,
}


# `wrong-detail`: minimal pairs from ActivityNet's two annotators, as a benchmark for every metric.
#
# Read are `anet/val_1.json` (true captions) and `anet/val_2.json` (references: the other annotator's
# paragraph of the same video). Left out are the videos from which the layer of `facts` learnt (ids with an
# odd CRC-32) and those of FactVC. At most 200 pairs of each kind (`minimal_pairs`) are drawn by seed 0. No
# person judged them: the rules make the second caption wrong.


NAME, FOLDER = "wrong-detail", "anet"
MOST, SEED = 200, 0
_RATED = "metaeval/factvc_activitynet/paragraphs.jsonl"


class _Video(msgspec.Struct):
    sentences: list[str]


class _Rated(msgspec.Struct):
    video: str


def wrong_detail(data: Path) -> Benchmark:
    known = _rated_videos(data / _RATED)
    one, two = (_held_out(data / FOLDER / f"val_{k}.json", known) for k in (1, 2))
    videos = sorted(one.keys() & two.keys())
    references = {video: [two[video]] for video in videos}
    pairs = drawn(minimal_pairs([one[video] for video in videos], references, seed=SEED), MOST, SEED)
    if not pairs:
        raise DataError(f"{data / FOLDER}: no video has captions in both files.", hint="Check the download.")
    task, choices = as_choices(pairs, one, references)
    notes = (
        f"{len(pairs):,} captions of one annotator with and without one changed detail, made by rules from"
        f" {len(videos):,} videos that `facts` did not learn from; a tie of the metric counts half.",
    )
    return Benchmark(
        NAME, "One wrong detail (ActivityNet)", task, (), "", ("pairs",), notes, "accuracy", choices=choices
    )


def _held_out(path: Path, known: set[str]) -> dict[str, Document]:
    return {
        video: Document(video, tuple(Caption(text.strip()) for text in entry.sentences if text.strip()))
        for video, entry in decoded(path, dict[str, _Video]).items()
        if video not in known and zlib.crc32(video.encode()) % 2 == 0
    }


def _rated_videos(path: Path) -> set[str]:
    """Those of FactVC; where its file is absent, none has to be left out."""
    if not path.is_file():
        return set()
    try:
        return {msgspec.json.decode(line, type=_Rated).video for line in lines_of(path) if line.strip()}
    except msgspec.MsgspecError as error:
        raise DataError(f"{path}: {error}.", hint="Check the download.") from None


def drawn(found: Sequence[MinimalPair], most: int, seed: int) -> list[MinimalPair]:
    """At most `most` pairs of each kind, drawn by the seed."""
    out = []
    for kind in KINDS:
        own = sorted(pair for pair in found if pair.kind == kind)
        out += own if len(own) <= most else sorted(random.Random(f"{seed}|{kind}").sample(own, most))
    return out


def as_choices(
    pairs: Sequence[MinimalPair],
    documents: Mapping[str, Document],
    references: Mapping[str, Sequence[Document]],
) -> tuple[Task, tuple[Choice, ...]]:
    """Two documents a pair, and which of them is the true one."""
    rows = []
    for number, pair in enumerate(pairs):
        for side, text in (("right", pair.original), ("wrong", pair.altered)):
            caption = msgspec.structs.replace(documents[pair.document].captions[pair.place], text=text)
            rows.append((f"{side}\t{number:06d}", caption, references[pair.document]))
    task = Task(
        "pairs",
        tuple(key for key, _, _ in rows),
        tuple(Document(key, (caption,)) for key, caption, _ in rows),
        tuple(tuple(msgspec.structs.replace(d, id=key) for d in group) for key, _, group in rows),
        Coverage(len(rows)),
    )
    choices = [
        Choice(f"right\t{number:06d}", f"wrong\t{number:06d}", pair.kind) for number, pair in enumerate(pairs)
    ]
    return task, tuple(choices)
