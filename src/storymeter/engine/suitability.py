"""Which metrics suit which captions: the metrics that are computed when none are named, and warnings, given
once before scoring, about captions and metrics that do not fit each other.

Language: a metric that is made for English alone meets captions in another language.

Paragraphs: timed captions under metrics of whole documents. METEOR of all captions of a video joined to one
text is not the METEOR that papers on dense captioning report. The signature states it, too.

Stories: METEOR as captioning papers report it, which is not what storytelling papers print.

Rarity: CIDEr of one document is 0.

Words: captions of which no word is left after stripping and tokenising match nothing, and are counted.

Values: captions that end far behind the references (milliseconds or frames read as seconds), and captions
that are words for a missing value (`NaN`)."""

import importlib.util
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from ..captions import Corpus, Kind
from ..errors import StorymeterWarning, first_few
from ..formats.checks import stands_for_nothing
from ..measure import trait
from ..metrics import Metric
from ..options import Tokenizer
from ..pairs import Cider, Meteor, PairScorer, TextMetric
from ..pairs.model import own_tokenizer as tokenizer_option, tokenized_by
from ..protocol import Protocol
from ..registry import room_of
from ..text.script import SUITED, advice, script_of
from ..text.sentences import split_sentences
from ..text.tokenizers import ascii_only, has_words, tokenize

_DENSE = [
    "soda_c",
    "soda_a",
    "soda_b",
    "anet(scorer=meteor)",
    "anet(scorer=cider)",
    "anet(scorer=bleu_4)",
    "localisation",
]
_COUNTS = ["captions", "words", "coverage", "overlap"]
_CAPTION = ["meteor", "cider", "bleu_4", "rouge_l"]
_STORY = ["rovist_nr", "self_bleu"]
#: documents whose sentences are counted to tell stories from captions
LOOKED_AT = 1000


def neural() -> bool:
    """Whether the optional part `neural` is installed; nothing is imported to find out."""
    return all(importlib.util.find_spec(name) is not None for name in ("torch", "transformers"))


def kind_of(corpus: Corpus) -> Kind:
    """What a corpus holds, for the choice of metrics. Texts by id are stories where most of them have several
    sentences, and single captions otherwise.

    >>> from storymeter.captions import Caption, Document
    >>> kind_of(Corpus((Document("a", (Caption("A dog runs."),)),), meta={"kind": "story"}))
    'caption'
    """
    kind = corpus.kind
    if kind != "story" or any(len(d.captions) > 1 or "photo_sequence" in d.meta for d in corpus):
        return kind
    texts = [document.text for document in corpus.documents[:LOOKED_AT] if document.captions]
    several = sum(len(split_sentences(text)) > 1 for text in texts)
    return "story" if 2 * several > len(texts) else "caption"


def choose_metrics(corpus: Corpus, *, references: bool, images: bool = False) -> list[str]:
    """The default metrics for a system."""
    return default_metrics(kind_of(corpus), references=references, images=images)


def tells_stories(metrics: Iterable[Metric]) -> bool:
    """Whether one of the metrics measures stories."""
    return any(room_of(metric) == "story" for metric in metrics)


def default_metrics(kind: Kind, *, references: bool, images: bool = False) -> list[str]:
    if kind == "dense":
        return [*_DENSE, *(["soda_c(scorer=sts)"] if neural() else [])] if references else _COUNTS
    if kind == "story":
        models = ["rovist_c", *(["rovist_vg"] if images else [])] if neural() else []
        return [*_STORY, *models, *(_CAPTION if references else [])]
    return [*_CAPTION, *(["sts"] if neural() else [])] if references else ["words"]


def left_out(kind: Kind) -> str:
    """What the defaults lack where the part `neural` is not installed, as one line; '' where nothing is
    lacking.
    """
    if neural():
        return ""
    names = {"dense": "soda_c(scorer=sts)", "story": "rovist_c", "caption": "sts"}[kind]
    return f"{names} is left out: it needs the part `neural` (pip install 'storymeter[neural]')."


def warn(sentences: Iterable[str]) -> None:
    """A StorymeterWarning of each sentence, for who called the caller; '' is none."""
    for sentence in filter(None, sentences):
        warnings.warn(sentence, StorymeterWarning, stacklevel=3)


def cautions(
    systems: Sequence[Corpus],
    references: Sequence[Corpus],
    metrics: Mapping[str, Metric],
    *,
    tokenizer: Tokenizer,
    language: str | None,
    preview: bool = False,
) -> Iterator[str]:
    """What to say of captions and metrics that do not fit each other, '' among it; `preview`: the corpora
    hold only the first captions of each.
    """
    corpora = [*systems, *references]
    yield in_another_language(corpora, metrics, tokenizer=tokenizer, language=language)
    if not preview:
        yield of_paragraphs(corpora, metrics)
        yield story_meteor(systems, metrics)
        yield of_one_document(references, metrics)
    which = "the first " if preview else ""
    yield from (far_ends(system, references, which) for system in systems)
    yield from (missing_values(corpus, which) for corpus in corpora)


#: a letter that every tokenizer and every protocol keeps
_LETTER = re.compile("[A-Za-z]")


def captions_without_words(
    systems: Sequence[Corpus],
    references: Sequence[Corpus],
    metrics: Mapping[str, Metric],
    *,
    protocol: Protocol,
    tokenizer: Tokenizer,
    preview: bool = False,
) -> Iterator[str]:
    """Counts the captions without words, where a metric compares texts; `preview`: the corpora hold only the
    first captions of each."""
    letters = [m for m in metrics.values() if _joins_letters(m, protocol)]
    others = [scorer for m in metrics.values() if m not in letters and (scorer := _compares(m)) is not None]
    which = "the first " if preview else ""
    if letters:
        why = (
            f"paragraphs of the protocol {protocol} consist of the letters a to z, and there is none in them"
        )
        yield _counted(systems, references, _without_letters, why, which)
    if not others:
        return
    if all(tokenizer_option(scorer) != "run" for scorer in others):
        tokenizer = "none"
    strip = protocol.ascii == "strip"
    why = f"the protocol {protocol} replaces characters above U+007F by spaces, and " if strip else ""
    how = "only punctuation" if tokenizer == "none" else f"no words under the tokenizer {tokenizer}"

    def without_words(texts: Sequence[str]) -> list[bool]:
        texts = [ascii_only(text) if strip else text for text in texts]
        if tokenizer == "none":
            return [not has_words(text) for text in texts]
        return [not tokens.strip() for tokens in tokenize(texts, tokenizer)]

    yield _counted(systems, references, without_words, f"{why}there is {how} in them", which)


def _counted(
    systems: Sequence[Corpus],
    references: Sequence[Corpus],
    bare: Callable[[Sequence[str]], list[bool]],
    why: str,
    which: str,
) -> str:
    said = []
    for kind, corpora in (("captions", systems), ("reference captions", references)):
        for corpus in corpora:
            total, found = _wordless(corpus, bare)
            if found:
                name = f" of {corpus.name!r}" if corpus.name else ""
                count = sum(found.values())
                said.append(f"{count:,} of {which}{total:,} {kind}{name} ({first_few(list(found))})")
    return f"Captions without words match nothing: {', '.join(said)}; {why}." if said else ""


def own_tokenizer(metric: Metric) -> Tokenizer:
    """That of a metric's scorer; `none` where it has no tokenizer of its own."""
    scorer = _compares(metric)
    return "none" if scorer is None else tokenized_by(scorer, "none")


def _joins_letters(metric: Metric, protocol: Protocol) -> bool:
    """Whether it compares paragraphs of letters alone."""
    return protocol.paragraph == "letters" and metric.needs_references and hasattr(metric, "inner")


def _without_letters(texts: Sequence[str]) -> list[bool]:
    return [not _LETTER.search(text) for text in texts]


def _compares(metric: Metric) -> PairScorer | None:
    """The scorer of sentences that a metric uses, or None where texts do not matter to it."""
    if getattr(metric, "variant", "") == "d":
        return None
    inner = getattr(getattr(metric, "metric", metric), "scorer", None)
    return inner if isinstance(inner, PairScorer) and inner.traits.needs_references else None


def _wordless(corpus: Corpus, bare: Callable[[Sequence[str]], list[bool]]) -> tuple[int, dict[str, int]]:
    """How many captions there are, and how many without words, by document."""
    suspects: list[tuple[str, str]] = []
    total = 0
    for document in corpus:
        total += len(document.captions)
        suspects += [(document.id, c.text) for c in document.captions if not _LETTER.search(c.text)]
    found: dict[str, int] = {}
    if suspects:
        for (id, _), wordless in zip(suspects, bare([text for _, text in suspects]), strict=True):
            if wordless:
                found[id] = found.get(id, 0) + 1
    return total, found


def joins_captions(metric: Metric, corpora: Sequence[Corpus]) -> bool:
    """Whether the metric compares whole documents that hold several timed captions."""
    return isinstance(metric, TextMetric) and any(
        len(document.captions) > 1 and any(caption.timed for caption in document.captions)
        for corpus in corpora
        for document in corpus
    )


def of_paragraphs(corpora: Sequence[Corpus], metrics: Mapping[str, Metric]) -> str:
    """A sentence where scorers of sentences are asked of timed captions, else ''."""
    found = [label for label, metric in metrics.items() if joins_captions(metric, corpora)]
    if not found:
        return ""
    one = len(found) == 1
    return (
        f"{', '.join(found)} compare{'s' * one} whole paragraphs: the captions of a video are joined to one"
        " text, and their times do not count. The score of dense captions that papers report is"
        f" anet(scorer={found[0]}); soda_c also counts their order."
    )


def in_another_language(
    corpora: Sequence[Corpus], metrics: Mapping[str, Metric], *, tokenizer: str, language: str | None
) -> str:
    """A sentence where captions that are not in English meet METEOR, SPICE or the tokenizer ptb, else ''.

    `language` is an ISO 639-1 code; without it the script of the captions decides."""
    compared = {label: getattr(metric, "scorer", metric) for label, metric in metrics.items()}
    english = [label for label, each in compared.items() if trait(each, "english", False)]
    spaced = [label for label, each in compared.items() if trait(each, "needs_spaces", False)]
    scorers = [each for each in compared.values() if isinstance(each, PairScorer)]
    counted = any(tokenizer_option(scorer) == "run" for scorer in scorers)
    if not english and not spaced and not (counted and tokenizer == "ptb"):
        return ""
    if language is None:
        language = script_of(c.text for corpus in corpora for document in corpus for c in document.captions)
    elif language.lower().startswith("en"):
        language = ""
    if language in SUITED:  # written without spaces between words
        english += spaced
    return advice(language, english=english, tokenizer=tokenizer if counted else "")


def story_meteor(corpora: Sequence[Corpus], metrics: Mapping[str, Metric]) -> str:
    """A sentence where METEOR of captioning is asked of stories, else ''."""
    found = [label for label, metric in metrics.items() if metric == TextMetric(Meteor())]
    if not found or not any(kind_of(corpus) == "story" for corpus in corpora):
        return ""
    return (
        f"{found[0]} is that of captioning papers (task rank, normalised); papers on visual storytelling"
        " print task hter without normalisation, of whitespace tokens, which gives higher values (34.88"
        " instead of 12.73 for AREL's stories): --protocol vist."
    )


def of_one_document(references: Sequence[Corpus], metrics: Mapping[str, Metric]) -> str:
    """A sentence where CIDEr of one document is asked for, else '': each of its n-grams is in all documents,
    so that its idf is 0.
    """
    found = [
        label
        for label, metric in metrics.items()
        if getattr(metric, "inner", "") == "cider"
        or (isinstance(metric, TextMetric) and isinstance(metric.scorer, Cider))
    ]
    if not found or len({document.id for corpus in references for document in corpus}) != 1:
        return ""
    return (
        f"{found[0]} of one document is 0 whatever its captions are: the weights of its n-grams (idf) count"
        " in how many documents they stand. Score more documents together, or take meteor or rouge_l."
    )


#: a caption that ends later than this many times the video is no slip; frames are at least 24 times seconds
FAR = 5


def far_ends(system: Corpus, references: Sequence[Corpus], which: str = "") -> str:
    """What to say of a system most of whose captions end far behind the references, which happens where
    milliseconds or frames are read as seconds; '' where they do not.

    >>> from storymeter import Caption, Document
    >>> reference = Corpus((Document("a", (Caption("A dog runs.", 0.0, 9.0),)),))
    >>> far_ends(Corpus((Document("a", (Caption("A dog.", 0.0, 9000.0),)),), "mine"), [reference])[:42]
    "1 of 1 captions of 'mine' end more than 5 "
    """
    lasts: dict[str, float] = {}
    for corpus in references:
        for document in corpus:
            ends = [caption.end for caption in document.captions if caption.end is not None]
            last = max([*ends, document.duration or 0.0], default=0.0)
            lasts[document.id] = max(last, lasts.get(document.id, 0.0))
    timed = [
        (caption.end, lasts[document.id])
        for document in system
        if lasts.get(document.id)
        for caption in document.captions
        if caption.end is not None
    ]
    far = sum(end > FAR * last for end, last in timed)
    if 2 * far <= len(timed):
        return ""
    return (
        f"{far:,} of {which}{len(timed):,} captions of {system.name!r} end more than {FAR} times as late as"
        " the references of their video, or the video. Times are read as seconds: are these milliseconds or"
        " frames? Fields of records are read so where their names in the file say so: start_ms and end_ms,"
        " or start_frame and end_frame with a field fps."
    )


def missing_values(corpus: Corpus, which: str = "") -> str:
    """What to say of a corpus with captions such as `NaN`; '' where it has none."""
    texts = [caption.text for document in corpus for caption in document.captions]
    if not (found := [text for text in texts if stands_for_nothing(text)]):
        return ""
    return (
        f"{len(found):,} of {which}{len(texts):,} captions of {corpus.name!r} are words that stand for a"
        f" missing value ({first_few(list(dict.fromkeys(found)))}); they are scored as these words. Leave"
        " such rows out, or their captions empty."
    )
