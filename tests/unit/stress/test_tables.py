from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

import storymeter
from storymeter.captions import Caption, Corpus, Document
from storymeter.engine import Run
from storymeter.errors import UsageError
from storymeter.pairs import Meteor
from storymeter.pairs.sentences import PairTable, pair_table
from storymeter.stress import Scene, audit, experiment, transformation

Verb = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="module")
def videos(examples: Path) -> tuple[Corpus, list[Corpus]]:
    folder = examples / "videos"
    return storymeter.read(folder / "good.json"), [
        storymeter.read(folder / "reference_1.json"),
        storymeter.read(folder / "reference_2.json"),
    ]


def padded(videos: tuple[Corpus, list[Corpus]]) -> Corpus:
    return transformation("pad(n=60)")(videos[0], Scene.of(Run(videos[1])), seed=1)


def test_precision_falls_and_recall_rises_with_m(videos: tuple[Corpus, list[Corpus]]) -> None:
    result = experiment.count(padded(videos), Run(videos[1]), m=["0.5", "2", "10", "all"], repeats=3)
    for metric in ("soda_a", "soda_b", "soda_c"):
        recall = [cell.mean for cell in result.row(metric, "recall").cells]
        precision = [cell.mean for cell in result.row(metric, "precision").cells]
        assert recall == sorted(recall)
        assert precision[0] > precision[-1]
    assert result.row("soda_c").cells[0].sd > 0
    assert len(result.row("soda_c").cells[-1].values) == 1  # "all" is not random


def test_pairs_are_scored_once_for_all_repeats(
    videos: tuple[Corpus, list[Corpus]], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []
    chunk = PairTable._chunk

    def counted(table: PairTable, keys: Any, jobs: int) -> Any:
        asked.extend(keys.tolist())
        return chunk(table, keys, jobs)

    monkeypatch.setattr(PairTable, "_chunk", counted)
    run = Run(videos[1])
    experiment.count(padded(videos), run, m=["1", "2", "all"], repeats=5)
    assert len(asked) > 100
    assert len(asked) == len(set(asked)) == len(pair_table(run.context, Meteor()))


def test_wrong_order_costs_more_when_all_is_shuffled(videos: tuple[Corpus, list[Corpus]]) -> None:
    row = experiment.order(videos[0], Run(videos[1][:1]), repeats=5).row("soda_c")
    correct, swap, shuffle = (cell.mean for cell in row.cells)
    assert correct > swap > shuffle


def test_oracle_of_the_references_is_perfect(videos: tuple[Corpus, list[Corpus]]) -> None:
    found = experiment.oracle(videos[1][0], Run(videos[1][:1]))
    assert found.meteor == pytest.approx(1.0)
    assert experiment.oracle(videos[0], Run(videos[1][:1])).meteor < 0.6


def test_audit_tells_soda_from_the_current_score(videos: tuple[Corpus, list[Corpus]]) -> None:
    found = audit(videos[0], Run(videos[1]), metrics=["soda_c", "anet(scorer=meteor)"], repeats=2)
    verdicts = {(v.metric, v.property): v.holds for v in found.verdicts}
    assert (
        verdicts["soda_c", "peaks at the right number"]
        and verdicts["soda_c", "does not reward padding"]
        and verdicts["soda_c", "notices order"]
    )
    assert not verdicts["anet(scorer=meteor)", "peaks at the right number"]


def test_stories_can_be_stressed(examples: Path) -> None:
    stories = storymeter.read(examples / "stories" / "good.json")
    found = audit(stories, Run(), metrics=["rovist_nr"], repeats=1)
    row = found.result.row("rovist_nr")
    cells = dict(zip(found.result.labels, row.cells, strict=True))
    assert cells["repeat"].mean < cells["original"].mean
    # it does not know whose story it reads, so that there is no distance to measure with
    assert {v.answer for v in found.verdicts} == {"not applicable"}


@pytest.mark.parametrize(
    "name",
    [
        "sample(m=-1)",
        "sample(m=0)",
        "sample(k=0)",
        "sample",
        "sample(m=1,k=1)",
        "pad(n=0)",
        "pad(kind=odd)",
        "swap(bound=2)",
        "drop(share=-1)",
        "typo(rate=7)",
        "explode",
        "swap(colour=red)",
    ],
)
def test_nonsense_is_refused(name: str) -> None:
    with pytest.raises(UsageError):
        transformation(name)


def test_one_caption_cannot_be_swapped_and_stays() -> None:
    one = Corpus((Document("v", (Caption("a dog", 0.0, 1.0),)),), "s")
    assert transformation("swap(bound=1)")(one, Scene.of(Run(one))).documents == one.documents


def test_verbs(run: Verb, examples: Path, tmp_path: Path) -> None:
    good, ref = str(examples / "videos/good.json"), str(examples / "videos/reference_1.json")
    out = str(tmp_path / "out")
    code, text, _ = run(
        "stress", "count", good, "-r", ref, "--m", "0.5,1,all", "--repeats", "2", "-m", "soda_d", "--out", out
    )
    assert code == 0 and "m=0.5" in text
    assert {p.suffix for p in (tmp_path / "out").iterdir()} == {
        ".csv",
        ".tex",
        ".json",
        ".html",
        ".png",
        ".svg",
    }
    first = {p.name: p.read_bytes() for p in (tmp_path / "out").iterdir()}
    run(
        "stress", "count", good, "-r", ref, "--m", "0.5,1,all", "--repeats", "2", "-m", "soda_d", "--out", out
    )
    assert {p.name: p.read_bytes() for p in (tmp_path / "out").iterdir()} == first
    _, text, _ = run("stress", "order", good, "-r", ref, "--repeats", "2", "--format", "json")
    assert json.loads(text)["columns"] == ["Correct", "Swap", "Shuffle"]
    assert "foreign 9" in run("stress", "pad", good, "-r", ref, "--n", "9", "--repeats", "1")[1]
    assert "Self-BLEU" in run("stress", "oracle", good, "-r", ref)[1]
    assert run("stress", "apply", "pad(n=9)", good, str(tmp_path / "padded.json"), "-r", ref)[0] == 0
    assert storymeter.read(tmp_path / "padded.json").captions == 108
    assert run("stress", "count", good, "-r", ref, "--m", "-1")[0] == 2
    assert run("stress", "count", good)[0] == 2
    assert run("stress", "count", good, "-r", ref, "--m", "1", "--k", "1")[0] == 2


def test_a_sample_of_files_that_do_not_meet_says_so(run: Verb, examples: Path, tmp_path: Path) -> None:
    (tmp_path / "other.json").write_text('{"elsewhere": [{"sentence": "a dog", "timestamp": [0, 1]}]}')
    code, _, err = run(
        "stress",
        "count",
        str(examples / "videos" / "good.json"),
        "-r",
        str(tmp_path / "other.json"),
        "--documents",
        "3",
        "-m",
        "soda_d",
    )
    assert code == 1 and "No reference matched" in err


MERGED = "paper+refs=merge"


def test_oracle_captions_of_merged_annotators(videos: tuple[Corpus, list[Corpus]]) -> None:
    corpus, references = videos
    both = experiment.oracle(corpus, Run(references, protocol=MERGED))
    alone = [experiment.oracle(corpus, Run([one])) for one in references]
    assert both.captions == sum(one.captions for one in alone)
    expected = sum(one.meteor * one.captions for one in alone) / both.captions
    assert both.meteor == pytest.approx(expected)
    # in one track, sorted by start unless the protocol takes references as they are written
    scene = Scene.of(Run(references, protocol=MERGED))
    starts = [c.start for c in scene.track(corpus.documents[0])]
    assert starts == sorted(starts)
    written = Scene.of(Run(references, protocol=f"{MERGED}+reference_order=file"))
    name = corpus.documents[0].id
    assert [c for r in references for d in r if d.id == name for c in d.captions] == [
        *written.track(corpus.documents[0])
    ]


def test_rounding_of_m(videos: tuple[Corpus, list[Corpus]]) -> None:
    _, references = videos
    many = padded(videos)
    scene = Scene.of(Run(references, protocol=MERGED))
    for rounding, size in (
        ("least-one", lambda n: max(1, int(0.5 * n))),
        ("int", lambda n: int(0.5 * n)),
        ("up", lambda n: -(-n // 2)),
    ):
        kept = transformation(f"sample(m=0.5,rounding={rounding})")(many, scene, seed=1)
        sizes = {d.id: sum(len(r.captions) for r in scene.references[d.id]) for d in kept}
        assert [len(d.captions) for d in kept] == [size(sizes[d.id]) for d in kept]
    empty = transformation("sample(m=0.01,rounding=int)")(many, scene, seed=1)
    assert empty.captions == 0
    tenth = transformation("sample(m=0.1,rounding=up)")(many, scene, seed=1)
    assert {len(d.captions) for d in tenth} == {1}  # never two for ten references: 0.1 is no binary number


def test_times_exchanged_cost_the_order_that_the_file_has(videos: tuple[Corpus, list[Corpus]]) -> None:
    """Captions that keep their place while their segments are exchanged can be matched only where they still
    rise in time; the current score, which has no order, falls as it does when texts are exchanged."""
    unsorted = f"{MERGED}+order=file+reference_order=file"
    falls = {}
    for move, protocol in (("texts", MERGED), ("times", unsorted)):
        result = experiment.order(videos[0], Run(videos[1], protocol=protocol), move=move)  # type: ignore[arg-type]
        for metric in ("anet(scorer=meteor)", "soda_c"):
            correct, _, shuffle = (cell.mean for cell in result.row(metric).cells)
            falls[move, metric] = 1 - shuffle / correct
    assert falls["times", "soda_c"] > falls["texts", "soda_c"] + 0.05
    current = [falls[move, "anet(scorer=meteor)"] for move in ("texts", "times")]
    assert current[0] == pytest.approx(current[1], abs=0.06)


def test_self_bleu_of_oracles_is_within_a_document() -> None:
    """Captions that repeat each other inside of a video are not varied, however other videos differ."""
    words = ["a man runs across a field today", "two dogs play with one red ball", "she cooks rice in a pot"]

    def corpus(name: str, pairs: list[tuple[str, str]]) -> Corpus:
        told = [(Caption(a, 0.0, 10.0), Caption(b, 10.0, 20.0)) for a, b in pairs]
        return Corpus(tuple(Document(f"v{k}", captions) for k, captions in enumerate(told)), name)

    varied = corpus("varied", list(zip(words, words[1:] + words[:1], strict=True)))
    alike = corpus("alike", list(zip(words, words, strict=True)))
    first, second = experiment.oracles([alike, varied], Run([varied]))
    assert first.self_bleu == pytest.approx(1) and second.self_bleu < 0.1
    _, test = second.against_first
    assert test.difference == pytest.approx(first.self_bleu - second.self_bleu)


def test_oracles_of_two_systems_are_tested(
    videos: tuple[Corpus, list[Corpus]], run: Verb, examples: Path
) -> None:
    good, people = (experiment.oracle(c, Run(videos[1][:1])) for c in (videos[0], videos[1][0]))
    meteor, varied = experiment.oracle_test(good, people)
    assert meteor.p < 0.05
    assert [test.p for test in experiment.oracle_test(good, good)] == [1, 1]
    assert meteor.difference == pytest.approx(good.meteor - people.meteor)
    assert varied.difference == pytest.approx(good.self_bleu - people.self_bleu)
    folder = examples / "videos"
    files = [str(folder / f"{name}.json") for name in ("good", "padded")]
    code, out, _ = run("stress", "oracle", *files, "-r", str(folder / "reference_1.json"), "--refs", "merge")
    assert code == 0
    assert "p Holm" in out and "p Self-BLEU" in out


@pytest.mark.parametrize("protocol", ["paper", "vid2seq", "paper+corpus_scorers=corpus"])
def test_one_document_has_a_table(
    videos: tuple[Corpus, list[Corpus]], run: Verb, tmp_path: Path, protocol: str
) -> None:
    """Nothing can be said of other documents, but the experiments run and print their scores."""
    for name, corpus in (("a", videos[0]), ("b", videos[1][1]), ("r", videos[1][0])):
        first = msgspec.structs.replace(corpus, documents=corpus.documents[:1])
        storymeter.write(first, tmp_path / f"{name}.json")
    files = [str(tmp_path / "a.json"), "-r", str(tmp_path / "r.json")]
    for verb in ("count", "order", "pad"):
        code, out, err = run("stress", verb, *files, "--protocol", protocol, "--repeats", "1")
        assert code == 0 and "soda_c" in out, err
    code, out, err = run("stress", "oracle", str(tmp_path / "b.json"), *files)
    assert code == 0 and "not tested" in out, err


def test_oracle_captions_are_scored_by_the_metrics_of_their_table(run: Verb, examples: Path) -> None:
    """-m was taken and did nothing."""
    files = [str(examples / "videos/good.json"), "-r", str(examples / "videos/reference_1.json")]
    code, out, err = run("stress", "oracle", *files, "-m", "soda_c")
    assert (code, out) == (2, "") and "No such option" in err
