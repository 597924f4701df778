"""Equal signatures, equal numbers: of the same captions, whatever else a run may have."""

from __future__ import annotations

import random
import tempfile
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given, settings, strategies as st

from storymeter.captions import Caption, Corpus, Document
from storymeter.engine import Results, Run
from storymeter.errors import UsageError
from storymeter.protocol import PRESETS, get
from storymeter.registry import metric

WORDS = [
    "A",
    "the",
    "man",
    "dog",
    "dogs",
    "runs",
    "jumps",
    "isn't",
    "it's",
    "T.",
    "road",
    "(red)",
    "rice,",
    "no.",
]
PLAIN = ["captions", "words", "coverage", "overlap", "distinct_1", "repetition_4", "paragraph_distinct_2"]
SCORERS = ["bleu_4", "bleu_2(smoothing=floor)", "rouge_l", "meteor", "cider", "cider(idf=video)"]
OWN = ["", "tokenizer=ptb", "tokenizer=whitespace"]
#: what may be changed in a protocol, one at a time
CHANGES = [
    {},
    {"refs": "mean"},
    {"refs": "corpus-mean"},
    {"missing": "skip"},
    {"tious": (0.1, 0.5)},
    {"corpus_scorers": "corpus"},
    {"anet_pairs": "pooled"},
    {"detection_tiou": ">=", "tious": (0.0, 0.5)},
    {"detection_f1": "mean-of-videos"},
]


def with_option(scorer: str, option: str) -> str:
    if not option:
        return scorer
    return f"{scorer[:-1]},{option})" if scorer.endswith(")") else f"{scorer}({option})"


@st.composite
def metrics(draw: st.DrawFn) -> str:
    kind = draw(st.sampled_from(["plain", "scorer", "dense", "detection", "paragraph"]))
    scorer = with_option(draw(st.sampled_from(SCORERS)), draw(st.sampled_from(OWN)))
    if kind == "plain":
        return draw(st.sampled_from(PLAIN))
    if kind == "scorer":
        return scorer.replace("(idf=video)", "").replace("idf=video,", "")
    if kind == "detection":
        return draw(st.sampled_from(["localisation", "start_distance", "soda_d"]))
    if kind == "paragraph":
        return draw(st.sampled_from(["paragraph_bleu_4", "paragraph_meteor", "paragraph_cider"]))
    return f"{draw(st.sampled_from(['soda_a', 'soda_b', 'soda_c', 'anet']))}(scorer={scorer})"


class Data(NamedTuple):
    systems: list[Corpus]
    references: list[Corpus]


def data(seed: int) -> Data:
    draw = random.Random(seed)

    def corpus(name: str, ids: list[str], stated: bool) -> Corpus:
        documents = []
        for i in ids:
            captions = []
            for _ in range(draw.randint(0, 5)):
                begin = float(draw.randint(0, 9))
                text = " ".join(draw.choices(WORDS, k=draw.randint(1, 7)))
                captions.append(Caption(text, begin, begin + draw.randint(0, 6)))
            documents.append(Document(i, tuple(captions), 12.0 if stated and draw.random() < 0.5 else None))
        return Corpus(tuple(documents), name)

    ids = [f"v{k}" for k in range(6)]
    systems = [corpus("mine", draw.sample([*ids, "x"], 5), False), corpus("yours", ids, False)]
    return Data(systems, [corpus("first", ids, True), corpus("second", draw.sample(ids, 4), True)])


def shuffled(corpus: Corpus, draw: random.Random) -> Corpus:
    return Corpus(tuple(draw.sample(corpus.documents, len(corpus.documents))), corpus.name)


class Found:
    """Signature and system -> the numbers, and the run that gave them."""

    def __init__(self) -> None:
        self.known: dict[tuple[str, str], tuple[dict[str, float], str]] = {}

    def add(self, results: Results, how: str, *, exact: bool = True) -> None:
        for system in results.systems:
            for score in system.scores:
                numbers = {"value": score.value, **score.parts}
                key = (system.name, str(score.signature))
                before, other = self.known.setdefault(key, (numbers, how))
                same = before if exact else pytest.approx(before, rel=1e-11, abs=1e-14, nan_ok=True)
                assert numbers == same, f"{score.metric}: {how} is not {other}, both {score.signature}"


@settings(max_examples=40, derandomize=True)
@given(
    st.integers(0, 10_000),
    st.lists(metrics(), min_size=2, max_size=4, unique=True),
    st.sampled_from([*PRESETS]),
    st.sampled_from(CHANGES),
    st.sampled_from(["ptb", "whitespace"]),
)
def test_equal_signatures_have_equal_numbers(
    seed: int, names: list[str], preset: str, changes: dict[str, object], tokenizer: str
) -> None:
    systems, references = data(seed)
    draw, found = random.Random(seed), Found()
    changed = get(preset).change(**changes)
    for protocol in {str(get(preset)): get(preset), str(changed): changed}.values():
        setting = {"protocol": protocol, "tokenizer": tokenizer}
        free = [name for name in names if not metric(name).needs_references]
        found.add(Run(references, jobs=1, **setting).score(systems, names, 0), "one process")
        order = [shuffled(corpus, draw) for corpus in references]
        again = [shuffled(corpus, draw) for corpus in systems[::-1]]
        found.add(Run(order, jobs=3, **setting).score(again, names[::-1], 0), "shuffled, three threads")
        swapped = references[::-1]
        # sums over annotators may differ in the last bits
        found.add(Run(swapped, jobs=1, **setting).score(systems, names, 0), "files swapped", exact=False)
        for name in names:
            found.add(Run(references, jobs=2, **setting).score(systems[1], name, 0), f"{name} alone")
        found.add(Run(references[:1], jobs=1, **setting).score(systems, names, 0), "one annotator")
        if free:
            found.add(Run(jobs=1, **setting).score(systems, free, 0), "no references")


@settings(max_examples=10, derandomize=True)
@given(
    st.integers(0, 10_000),
    st.lists(metrics(), min_size=2, max_size=4, unique=True),
    st.sampled_from([*PRESETS]),
    st.sampled_from(CHANGES),
)
def test_shards_have_the_signatures_and_numbers_of_one_process(
    seed: int, names: list[str], preset: str, changes: dict[str, object]
) -> None:
    pytest.importorskip("ray", reason="the part 'ray' is not installed")
    import shard_kit

    systems, references = data(seed)
    protocol, found = get(preset).change(**changes), Found()
    names = [name for name in names if not metric(name).under(protocol).unshardable_reason()]
    if not names:
        return
    found.add(Run(references, protocol=protocol, jobs=1).score(systems, names, 0), "one process")
    with tempfile.TemporaryDirectory() as folder:
        where = Path(folder)
        paths = {
            each.name: shard_kit.write_folder(where / each.name, each) for each in (*systems, *references)
        }
        given = ([paths[s.name] for s in systems], [paths[r.name] for r in references])
        for shards in (1, 3):
            try:
                results = shard_kit.score_in_shards(
                    *given, names, where / f"run{shards}", shards=shards, protocol=protocol
                )
            except UsageError as error:  # refused in one sentence, never computed otherwise
                assert "shards" in str(error)
                return
            found.add(results, f"{shards} shards", exact=False)
