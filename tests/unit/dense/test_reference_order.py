"""What must not change a number: how alternatives lie in files, the order of annotators, what a system left
out of a corpus whose rarity is counted; and edges of thresholds and of tokens read in one go."""

from __future__ import annotations

import random
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest

from storymeter.captions import Caption, Corpus, Document
from storymeter.context import Context
from storymeter.dense import caption_pairs, tracks
from storymeter.engine import Run
from storymeter.metrics import Metric
from storymeter.pairs import Cider, sentences as read
from storymeter.registry import metric
from storymeter.scores import Score, diff
from storymeter.text import ptb

WORDS = "a the man woman dog cat runs cooks cuts jumps on over road rice onion then and with knife"


def corpus(name: str, seed: int, ids: str) -> Corpus:
    draw = random.Random(seed)

    def caption() -> Caption:
        begin = float(draw.randint(0, 12))
        text = " ".join(draw.choices(WORDS.split(), k=draw.randint(3, 8)))
        return Caption(text, begin, begin + draw.randint(1, 8))

    return Corpus(tuple(Document(i, tuple(caption() for _ in range(draw.randint(1, 4)))) for i in ids), name)


def values(references: list[Corpus], candidates: Corpus, names: list[str], protocol: str) -> list[float]:
    scores = Run(references, protocol=protocol, jobs=1).score(candidates, names, 0).systems[0].scores
    return [score.value for score in scores]


REFS = [f"soda_{variant}(refs=corpus-mean)" for variant in "abcd"]


@pytest.mark.parametrize("protocol", ["paper", "pdvc", "vidchapters"])
def test_alternatives_in_one_file_are_annotators(protocol: str) -> None:
    first, second, mine = corpus("first", 1, "abcd"), corpus("second", 2, "bcd"), corpus("mine", 3, "abc")
    together = Corpus((*first.documents, *second.documents), "both")
    assert values([together], mine, REFS, protocol) == values([first, second], mine, REFS, protocol)


@pytest.mark.parametrize("protocol", ["paper", "pdvc"])
def test_the_order_of_annotators_does_not_matter(protocol: str) -> None:
    """Also where nobody said anything of a video, or only one annotator lists it."""
    files = [
        Corpus((*corpus("first", 1, "abcd"), Document("e"), Document("f")), "first"),
        Corpus((*corpus("second", 2, "bcd"), Document("e")), "second"),
        Corpus(corpus("third", 4, "abcx").documents, "third"),
    ]
    mine = corpus("mine", 3, "abcdef")
    found = [values([*order], mine, REFS, protocol) for order in permutations(files)]
    for other in found[1:]:
        assert other == pytest.approx(found[0], rel=1e-14)
    silent = values([Corpus((Document("a"),), "x"), corpus("y", 1, "bc")], mine, REFS, protocol)
    swapped = values([corpus("y", 1, "bc"), Corpus((Document("a"),), "x")], mine, REFS, protocol)
    assert silent == pytest.approx(swapped, rel=1e-14)


#: nothing in common
OTHER = {"mine": "zebra", "a": "water", "b": "water flows down the big river"}


def test_an_order_that_matters_is_signed(tmp_path: Path) -> None:
    """METEOR takes the first of references with equal scores, and merged captions that start together keep
    the order of their files, as in the originals: other numbers, other signatures. The hash depends on no
    name, no order of documents and no division into shards."""

    def made(name: str, *captions: Caption) -> Corpus:
        return Corpus((Document("v", captions), Document("w", (Caption(OTHER[name], 0.0, 5.0),))), name)

    mine = made("mine", Caption("a dog runs", 0.0, 5.0), Caption("a red ball", 4.0, 9.0))
    files = [made("a", Caption("a red ball", 0.0, 9.0)), made("b", Caption("a dog runs", 0.0, 9.0))]
    names = ["meteor", "paragraph_meteor", "soda_c(refs=merge)", "soda_c", "rouge_l"]

    def scores(*references: Corpus) -> tuple[Score, ...]:
        return Run(references, jobs=1).score(mine, names, 0).systems[0].scores

    one, other = scores(*files), scores(*files[::-1])
    for a, b in zip(one[:3], other[:3], strict=True):
        assert a.value != b.value
        assert {*diff(a.signature, b.signature)} == {"order"}
    for a, b in zip(one[3:], other[3:], strict=True):
        assert (a.value, str(a.signature)) == (b.value, str(b.signature))
        assert not a.signature.get("order")
    alike = [Corpus(each.documents[::-1], f"{each.name}_2") for each in files]
    together = Corpus(tuple(document for each in files for document in each), "all")
    for again in (scores(*alike), scores(together)):
        assert [s.value for s in again] == [s.value for s in one]
        assert [s.signature.get("order") for s in again] == [s.signature.get("order") for s in one]
    assert not scores(files[0])[0].signature.get("order")

    pytest.importorskip("ray", reason="the part 'ray' is not installed")
    pytest.importorskip("pyarrow", reason="the part 'parquet' is not installed")
    import shard_kit

    folders = [shard_kit.write_folder(tmp_path / each.name, each) for each in (mine, *files)]
    for shards in (1, 2):
        found = shard_kit.score_in_shards(
            folders[:1], folders[1:], names, tmp_path / f"run{shards}", shards=shards
        )
        assert [str(s.signature) for s in found.systems[0].scores] == [str(s.signature) for s in one]


def test_of_annotators_with_one_f1_the_order_decides_nothing() -> None:
    """Half of the captions and all references, or the other way round: P and R swap, F1 is the same."""

    def track(name: str, *begins: float) -> Corpus:
        return Corpus((Document("v", tuple(Caption("a", b, b + 1) for b in begins)),), name)

    mine = track("mine", 0, 2, 4, 6)
    files = [track("few", 0, 2), track("many", 0, 2, 4, 6, 10, 12, 14, 16)]
    one, other = (
        Run(order, jobs=1).score(mine, "soda_d", 0).systems[0].scores[0] for order in (files, files[::-1])
    )
    assert dict(one.parts) == dict(other.parts)


def test_the_annotator_shown_is_the_one_that_counts() -> None:
    """The first annotator lacks the video: the second one is the first of those who have it."""
    run = Run([corpus("first", 1, "a"), corpus("second", 2, "b")], jobs=1)
    mine = corpus("mine", 3, "ab")
    task, score = run.task(mine), run.score(mine, "soda_c", 0).systems[0].scores[0]
    shown = caption_pairs.video_links(score, task.candidates[1], task.references[1])
    assert shown.references == task.references[1][0].captions


@pytest.mark.parametrize(
    "name", ["cider", "paragraph_cider", "soda_c(scorer=cider)", "cider(tokenizer=whitespace)"]
)
def test_rarity_is_counted_in_all_references_whatever_a_system_left_out(name: str) -> None:
    """Under `missing=skip` the value of a document is the same whether others were submitted or not."""
    references = [corpus("first", 1, "abcdefgh"), corpus("second", 2, "abcdefgh")]
    whole, few = corpus("mine", 3, "abcdefgh"), corpus("mine", 3, "abc")
    run = Run(references, protocol="paper+missing=skip", jobs=1)
    ours, theirs = (run.score(each, name, 0).by_document("mine", name) for each in (whole, few))
    assert [*theirs] == ["a", "b", "c"]
    assert {i: ours[i] for i in theirs} == theirs


def test_the_same_documents_as_fitted_by_hand() -> None:
    references, few = [corpus("first", 1, "abcdefgh")], corpus("mine", 3, "abc")
    fitted = Cider(tokenizer="whitespace").fit([[document.text] for document in references[0]])
    by_hand = fitted.pairs(
        candidates=[d.text for d in few], references=[[d.text] for d in references[0].documents[:3]]
    )
    run = Run(references, protocol="paper+missing=skip", tokenizer="whitespace", jobs=1)
    assert list(run.score(few, "cider", 0).by_document("mine", "cider").values()) == by_hand.tolist()


def test_a_threshold_of_zero_gives_nothing_to_a_video_without_captions() -> None:
    references = corpus("first", 1, "abc")
    mine = Corpus((*corpus("mine", 3, "ab"), Document("c")), "mine")
    empty = Corpus((*references.documents[:2], Document("c")), "empty")
    for candidates, against in ((mine, references), (corpus("mine", 3, "abc"), empty)):
        run = Run(against, protocol="paper+detection_tiou=>=+tious=0/.5", jobs=1)
        score = run.score(candidates, "localisation", 0).systems[0].scores[0]
        assert score.parts["precision_at_0"] == pytest.approx(2 / 3)
        assert score.parts["recall_at_0"] == pytest.approx(2 / 3)


LINES = [
    "This is plan T.",
    "Mr.",
    "He says no.",
    "5 dogs run",
    "The",
    "the end.",
    "a dog runs",
    " ",
    "I am B.",
]


def test_tokens_read_in_one_go_are_those_of_the_whole_document() -> None:
    """Every caption whose tokens depend on the next line, also before the last one, which has no line end."""
    draw = random.Random(5)
    for _ in range(300):
        lines = draw.choices(LINES, k=draw.randint(2, 5))
        whole = ptb.tokenize_batch(lines, punctuation=False)
        sentences = read.Sentences(Context(), "ptb")
        for k in sentences.run_on(lines):
            if k + 1 < len(lines):
                assert sentences.texts[sentences.number_before(lines[k], lines[k + 1 :])] == whole[k], lines


def test_soda_reads_a_document_in_one_go() -> None:
    """`T.` keeps its dot or loses it by what follows, here a last line of one word."""
    lines = ["This is plan T.", "Mr."]
    document = Document("v", tuple(Caption(text, float(k), k + 2.0) for k, text in enumerate(lines)))
    run = Run(Corpus((document,), "r"), protocol="soda-v1", jobs=1)
    side = tracks.tracks_of(run.context, run.task(Corpus((document,), "c"))).candidates
    sentences = read.sentences_of(run.context)
    numbers = side.numbers(sentences, batch=True)
    assert sentences.texts[numbers[0]] == ptb.tokenize_batch(lines, punctuation=False)[0]


@pytest.mark.parametrize(
    "name", ["anet(scorer=cider)", "anet(scorer=cider(idf=video))", "soda_c(scorer=cider)"]
)
def test_last_bits_do_not_depend_on_what_was_read_before(name: str) -> None:
    """The numbers of n-grams follow from the order in which sentences are met."""
    references = [corpus("first", 1, "abcdefgh"), corpus("second", 2, "abcdefgh")]
    mine, other = corpus("mine", 3, "abcdefgh"), corpus("other", 9, "hgfedcba")
    asked: Metric = metric(name)
    rows = []
    for before in (None, other):
        run = Run(references, jobs=1)
        bench: Context = run.context
        if before is not None:
            read.sentences_of(bench).numbers([c.text for d in before for c in d.captions][::-1])
        rows.append(run.score(mine, [asked], 0).systems[0].scores[0].rows)
    assert np.array_equal(*rows)
