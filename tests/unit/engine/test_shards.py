"""A corpus in shards, and whole systems, on a real Ray: the numbers of one machine, the same bytes however
the corpus was cut. One file, so that one Ray is started; each run starts workers of its own, which takes
seconds, so there are few runs, of one worker at a time."""

from __future__ import annotations

import json
import random
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import judge_kit
import numpy as np
import pytest

import storymeter
from storymeter import StorymeterError, evaluate
from storymeter.captions import Caption, Corpus, Document, Origin
from storymeter.context import Budget, Context, Estimate
from storymeter.engine import Comparison, Results, Run, merged, score_shards
from storymeter.engine.sharded.inputs import find, is_sharded, slices
from storymeter.engine.sharded.scoring import tally
from storymeter.errors import DataError, UsageError
from storymeter.join import Task
from storymeter.metrics import FloatArray, MeanMetric
from storymeter.scores import Score, Signature

pytest.importorskip("ray", reason="the part 'ray' is not installed")
pyarrow = pytest.importorskip("pyarrow", reason="the part 'parquet' is not installed")
from pyarrow import parquet  # noqa: E402

METRICS = ["soda_c(scorer=rouge_l)", "anet(scorer=bleu_4)", "bleu_4", "cider", "paragraph_cider"]
WORDS = "a the man woman dog cat runs cooks cuts jumps on over road rice onion then and with knife"


def corpus(name: str, seed: int, documents: int = 40) -> Corpus:
    draw = random.Random(seed)
    made = []
    for k in range(documents):
        captions = []
        for _ in range(draw.randint(1, 4)):
            begin = draw.random() * 20
            text = " ".join(draw.choices(WORDS.split(), k=draw.randint(3, 9)))
            captions.append(Caption(text, begin, begin + 1 + draw.random() * 10))
        made.append(Document(f"v_{k}", tuple(captions), 40.0))
    return Corpus(tuple(made), name)


REFERENCES = corpus("people", 0)
#: the first lacks two documents and has one too many
MINE = Corpus((*corpus("mine", 1).documents[2:], Document("v_99", (Caption("a dog", 0.0, 1.0),))), "mine")
YOURS = corpus("yours", 2)


def rows(of: Corpus) -> list[dict[str, object]]:
    return [
        {"video": d.id, "start": c.start, "end": c.end, "text": c.text, "duration": d.duration}
        for d in of
        for c in d.captions
    ]


def write_parts(folder: Path, of: Corpus, parts: int) -> str:
    """Rows of one document may lie in two files."""
    folder.mkdir()
    every = rows(of)
    for k in range(parts):
        some = every[len(every) * k // parts : len(every) * (k + 1) // parts]
        parquet.write_table(pyarrow.Table.from_pylist(some), folder / f"part-{k}.parquet", row_group_size=20)
    return str(folder / "*.parquet")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("shards")
    return {
        each.name: write_parts(folder / each.name, each, parts)
        for each, parts in ((MINE, 3), (YOURS, 1), (REFERENCES, 2))
    }


def assert_same_scores(ours: Results, theirs: Results) -> None:
    for a, b in zip(ours.systems, theirs.systems, strict=True):
        assert a.coverage.matched == b.coverage.matched
        assert a.coverage.sizes == b.coverage.sizes
        for x, y in zip(a.scores, b.scores, strict=True):
            assert (x.metric, x.n, str(x.signature)) == (y.metric, y.n, str(y.signature))
            assert x.value == pytest.approx(y.value, rel=1e-12, abs=1e-12)
            assert dict(x.parts) == pytest.approx(dict(y.parts), rel=1e-12, abs=1e-12)


class Both(NamedTuple):
    saved: Path
    results: Results
    #: of one machine
    here: Results


@pytest.fixture(scope="module")
def both(ray: None, files: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Both:
    """Two systems in seven shards, at an address as any filesystem of pyarrow is named."""
    saved = tmp_path_factory.mktemp("both") / "run"
    given = ([files["mine"], files["yours"]], [files["people"]], METRICS)
    there = score_shards(*given, save=f"file://{saved}", shards=7, resamples=2000, seed=5)
    return Both(saved, there, Run(REFERENCES, seed=5).score([MINE, YOURS], METRICS, 0))


def test_numbers_of_one_machine(both: Both) -> None:
    assert_same_scores(both.results, both.here)
    assert_same_scores(storymeter.load(f"file://{both.saved}"), both.here)
    assert [path.name for path in both.saved.iterdir()] == ["run.smr"]


def test_command_line_and_same_bytes_for_every_cut(
    both: Both, files: dict[str, str], tmp_path: Path, run: Callable[..., tuple[int, str, str]]
) -> None:
    """More shards than documents."""
    saved = tmp_path / "run"
    code, out, err = run(
        "score", files["mine"], files["yours"], "-r", files["people"], "-m", ",".join(METRICS), "--cluster",
        "local", "--shards", "64", "--save", str(saved), "--resamples", "2000", "--seed", "5", "--format",
        "json",
    )  # fmt: skip
    assert (code, "Saved:" in err) == (0, True)
    systems = json.loads(out)["systems"]
    assert [system["name"] for system in systems] == ["mine", "yours"]
    assert systems[0]["coverage"] == {"matched": 38, "missing": 2, "extra": 1, "empty": 0}
    assert_same_scores(storymeter.load(saved), both.here)
    assert [path.name for path in saved.iterdir()] == ["run.smr"]
    assert (saved / "run.smr").read_bytes() == (both.saved / "run.smr").read_bytes()


def test_verbs_read_a_folder(both: Both, tmp_path: Path, run: Callable[..., tuple[int, str, str]]) -> None:
    saved = str(both.saved)
    code, out, err = run("compare", saved, "--format", "json")
    assert code == 0
    assert [c["metric"] for c in json.loads(out)["comparisons"]] == METRICS
    code, out, err = run("report", saved, "--out", str(tmp_path / "report.html"))
    assert (code, (tmp_path / "report.html").is_file()) == (0, True)
    code, out, err = run("show", "v_5", saved)
    assert (code, out) == (1, "")
    assert "keeps sums, and no captions to show" in err


def test_comparison_without_rows(both: Both) -> None:
    """As if there were rows; and of two runs that were made apart, all but the counts of documents."""
    results = storymeter.load(both.saved)
    apart = [replace(results, systems=(system,), tallies={}) for system in results.systems]
    rows = both.here.compare(resamples=2000)
    for ours, theirs, usual in zip(results.compare(), merged(apart).compare(), rows, strict=True):
        assert theirs == replace(ours, wins=None, ties=None, losses=None, most_different=())
        assert (ours.wins, ours.ties, ours.losses, ours.n) == (usual.wins, usual.ties, usual.losses, usual.n)
        assert [d.document for d in ours.most_different] == [d.document for d in usual.most_different]
        assert ours.difference == pytest.approx(usual.difference, abs=1e-12)
        assert_close(ours, usual)
    stranger = replace(apart[1], references=(Corpus((), "people", Origin(sha256="0")),))
    with pytest.raises(UsageError, match="different references"):
        merged([apart[0], stranger])


def assert_close(a: Comparison, b: Comparison) -> None:
    """Forty documents and two thousand resamples, drawn twice."""
    width = b.interval[1] - b.interval[0]
    assert np.abs(np.subtract(a.interval, b.interval)).max() < 0.15 * width
    assert a.p_permutation == pytest.approx(b.p_permutation, abs=0.06)
    assert a.p_bootstrap == pytest.approx(b.p_bootstrap, abs=0.1)  # a t-test against a bootstrap-t


def test_a_document_without_a_verdict_is_left_out_of_wins_and_losses() -> None:
    class Verdict(storymeter.Metric):
        name = "verdict"
        columns = ("value",)

        def rows(self, task: object, bench: object) -> np.ndarray:
            raise AssertionError("the rows are there")

        def combine(self, sums: np.ndarray) -> dict[str, np.ndarray]:
            return {"value": sums[..., 0]}

    ids = ("a", "b", "c", "d")
    rows = np.array([[1, np.nan, 2, 0], [0, -1, 2, np.nan]])[..., None]
    found = tally(Verdict(), (ids, rows[0]), (ids, rows[1]))
    assert (found.wins, found.ties, found.losses) == (1, 1, 0)
    assert found.most == [("a", 1.0, 0.0)]


@pytest.mark.usefixtures("ray")
def test_json_lines_id_map_sample_and_skip(files: dict[str, str], tmp_path: Path) -> None:
    """Lines of one document may lie in two files, ids may need a map, and rarity is a system's own where
    documents that it lacks are left out."""
    lines = tmp_path / "lines"
    lines.mkdir()
    storymeter.write(MINE, tmp_path / "all.jsonl")
    every = (tmp_path / "all.jsonl").read_bytes().replace(b'"v_', b'"').splitlines(keepends=True)
    (lines / "1.jsonl").write_bytes(b"".join(every[:50]))
    (lines / "2.jsonl").write_bytes(b"".join(every[50:]))
    protocol = "paper+missing=skip"
    here = Run(REFERENCES, protocol=protocol).score(
        [replace_name(MINE, "lines"), YOURS], ["cider", "soda_d"], 0
    )
    there = score_shards(
        [str(lines), files["yours"]],
        [files["people"]],
        ["cider", "soda_d"],
        shards=3,
        resamples=0,
        protocol=protocol,
        reading={"id_map": "add-v", "repair": True},
    )
    assert "repaired:yes" in str(there.systems[0].scores[0].signature)
    plain = [replace(s, scores=tuple(map(unrepaired, s.scores))) for s in there.systems]
    assert_same_scores(replace(there, systems=tuple(plain)), here)
    assert [score.interval for score in there.systems[0].scores] == [None, None]
    part = score_shards([files["yours"]], [files["people"]], ["self_bleu"], sample=0.5, resamples=0)
    assert 5 < part.systems[0].scores[0].n < 35
    assert str(part.systems[0].scores[0].signature).endswith("sample:0.5")


def unrepaired(score: Score) -> Score:
    return replace(score, signature=Signature.parse(str(score.signature).replace("|repaired:yes", "")))


def replace_name(of: Corpus, name: str) -> Corpus:
    return Corpus(of.documents, name)


@pytest.mark.usefixtures("ray")
def test_a_bad_row_is_named_with_its_file_and_the_rest_is_finished(
    files: dict[str, str], tmp_path: Path
) -> None:
    wrong = rows(YOURS)
    wrong[5] |= {"start": 9.0, "end": 3.0}
    folder = tmp_path / "wrong"
    folder.mkdir()
    for k, part in enumerate((wrong[:3], wrong[3:])):
        parquet.write_table(pyarrow.Table.from_pylist(part), folder / f"{k}.parquet")
    saved = tmp_path / "run"
    with pytest.raises(DataError, match=r"1 of 4 shards failed, 3 are scored(.|\n)*1\.parquet: row 3"):
        score_shards([str(folder)], [files["people"]], ["bleu_1"], shards=4, save=str(saved))
    with pytest.raises(DataError, match="1 of 4 shards failed"):
        storymeter.load(saved)
    with pytest.raises(UsageError, match="unfinished run of other files"):
        score_shards([str(folder)], [files["people"]], ["bleu_2"], shards=4, save=str(saved))


def test_a_folder_has_one_driver(files: dict[str, str], tmp_path: Path) -> None:
    import filelock

    saved = tmp_path / "run"
    saved.mkdir()
    with filelock.FileLock(saved / ".lock"), pytest.raises(UsageError, match="Another process is writing"):
        score_shards([files["mine"]], [files["people"]], ["bleu_2"], save=str(saved))
    assert not (saved / "work").exists()


def test_what_cannot_be_split_says_so(files: dict[str, str]) -> None:
    with pytest.raises(
        UsageError, match=r"self_bleu: each caption is compared with all others(.|\n)*--sample"
    ):
        score_shards([files["yours"]], [], ["self_bleu", "words"])
    with pytest.raises(UsageError, match="cider is fitted to the references of all documents"):
        score_shards([files["yours"]], [files["people"]], ["soda_c(scorer=cider)"])


def test_inputs(files: dict[str, str], tmp_path: Path, run: Callable[..., tuple[int, str, str]]) -> None:
    folder = Path(files["mine"]).parent
    assert is_sharded(files["mine"])
    assert is_sharded(str(folder))
    assert not is_sharded(str(folder / "part-0.parquet"))
    assert find(files["mine"]) == find(str(folder))
    assert find(f"file://{folder}").name == "mine"
    listed, captions = slices([find(files["mine"])])
    assert captions == len(rows(MINE))
    assert [entry.file for entry in listed] == [0, 1, 2]
    with pytest.raises(DataError, match="names no file"):
        find(str(tmp_path / "*.parquet"))
    code, _, err = run("score", files["mine"], "-r", str(folder / "part-0.parquet"), "-m", "bleu_1")
    assert (code, "is one file, and the others are corpora in shards" in err) == (2, True)
    code, _, err = run("score", files["mine"], "-r", files["people"], "-m", "bleu_1", "--save", "run.smr")
    assert (code, "saved in a folder" in err) == (2, True)


def whole(name: str, *texts: str) -> Corpus:
    return Corpus(
        tuple(
            Document(f"v{k}", (Caption(text, 0.0, 2.0), Caption("they leave", 3.0, 5.0)), 6.0)
            for k, text in enumerate(texts)
        ),
        name,
    )


SYSTEMS = [
    whole("a", "a dog runs fast", "two men cook rice"),
    whole("b", "a cat sleeps", "a man cooks"),
    whole("c", "dogs", "rice"),
]
PEOPLE = whole("people", "the dog is running", "two men are cooking rice")


@pytest.mark.usefixtures("ray")
def test_whole_systems_give_the_same_bytes_in_the_order_given_and_are_counted() -> None:
    seen: list[tuple[int, int]] = []
    given = {
        "candidates": SYSTEMS,
        "references": PEOPLE,
        "metrics": ["cider", "bleu_2", "soda_c(scorer=rouge_l)"],
        "seed": 3,
    }
    here = evaluate(**given)
    there = evaluate(**given, cluster="local", progress=lambda _, done, total: seen.append((done, total)))
    assert seen == [(1, 3), (2, 3), (3, 3)]
    assert [s.name for s in there.systems] == ["a", "b", "c"]
    for mine, theirs in zip(here.systems, there.systems, strict=True):
        assert mine.coverage == theirs.coverage
        for x, y in zip(mine.scores, theirs.scores, strict=True):
            assert (x.value, x.interval, x.parts, str(x.signature)) == (
                y.value,
                y.interval,
                y.parts,
                str(y.signature),
            )
            assert x.rows is not None
            assert y.rows is not None
            assert x.rows.tobytes() == y.rows.tobytes()


@pytest.mark.usefixtures("ray")
def test_a_metric_of_the_callers_own_is_sent_along() -> None:
    class Letters(MeanMetric):
        """Not the `words` that the registry knows."""

        name = "words"

        def document_values(self, task: Task, setting: Context) -> FloatArray:
            return np.array([[len(document.text)] for document in task.candidates], dtype=float)

    here, there = (
        evaluate(candidates=SYSTEMS[2], references=PEOPLE, metrics=[Letters()], cluster=cluster)
        for cluster in (None, "local")
    )
    assert here["c", "words"].value == there["c", "words"].value == len("dogs they leave")
    unsendable = Letters()
    unsendable.lock = threading.Lock()
    with pytest.raises(UsageError, match="sent to the cluster"):
        evaluate(candidates=SYSTEMS, references=PEOPLE, metrics=unsendable, cluster="local")


@pytest.mark.usefixtures("ray")
def test_an_error_over_there_reads_as_it_does_here() -> None:
    stranger = Corpus((Document("elsewhere", (Caption("a dog", 0.0, 1.0),)),), "stranger")
    messages = []
    for cluster in (None, "local"):
        with pytest.raises(StorymeterError) as error:
            evaluate(
                candidates=stranger, references=PEOPLE, metrics="soda_c(scorer=rouge_l)", cluster=cluster
            )
        messages.append((type(error.value), str(error.value)))
    assert messages[0] == messages[1]


@pytest.mark.usefixtures("ray")
def test_whole_systems_by_command_line(run: Callable[..., tuple[int, str, str]], examples: Path) -> None:
    names = ("good.json", "padded.json", "reference_1.json")
    good, padded, reference = (str(examples / "videos" / name) for name in names)
    options = ["-m", "soda_c(scorer=rouge_l)", "--format", "json"]
    arguments = ["score", good, padded, "-r", reference, *options]
    here, there = run(*arguments), run(*arguments, "--cluster", "local")
    assert here == there
    assert here[0] == 0


@pytest.mark.usefixtures("ray")
@pytest.mark.parametrize("shards", [None, 3])
def test_judges_on_a_cluster_are_announced_and_counted(
    files: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shards: int | None
) -> None:
    """One estimate before the first request, and the sum of what all workers sent."""
    monkeypatch.setenv("STORYMETER_CACHE", str(tmp_path / "cache"))
    heard: list[Estimate] = []
    with judge_kit.serving(judge_kit.by_overlap) as server:

        def score(budget: Budget, trial: int) -> Results:
            judge = f"soda_c(scorer={server.judge(trial=trial)})"
            if shards is None:
                return evaluate(MINE, REFERENCES, judge, budget=budget, cluster="local", resamples=0)
            given = ([files["mine"]], [files["people"]], judge)
            return score_shards(*given, shards=shards, resamples=0, budget=budget)

        with pytest.raises(UsageError, match="--max-requests allows 3 in all"):
            score(Budget(max_requests=3), 1)
        assert not server.bodies
        budget = Budget(ask=lambda estimate: heard.append(estimate) or True)  # type: ignore[func-returns-value]
        assert score(budget, 2).systems[0].scores[0].n == 40
        (estimate,) = heard
        assert budget.sent == len(server.bodies)
        assert budget.spent[1:] == (100 * budget.sent, 2 * budget.sent)
        # the same two sentences in two shards count twice
        assert budget.sent <= estimate.requests <= (1 if shards is None else 1.2) * budget.sent
