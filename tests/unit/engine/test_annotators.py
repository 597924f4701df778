"""How much scores depend on who wrote the references."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from shard_kit import score_in_shards, write_folder

import storymeter
from storymeter import Corpus, Document, Run
from storymeter.arrays import FloatArray
from storymeter.captions import Caption
from storymeter.engine import Results
from storymeter.engine.annotators import by_annotator, by_annotator_in_shards
from storymeter.errors import UsageError
from storymeter.metrics import MeanMetric

Verb = Callable[..., tuple[int, str, str]]


class Near(MeanMetric):
    """The number of the candidate minus that of the first reference."""

    name = "near"

    def document_values(self, task: object, bench: object) -> FloatArray:
        pairs = zip(task.candidates, task.references, strict=True)  # type: ignore[attr-defined]
        return np.array([float(one.text) - float(people[0].text) for one, people in pairs])


def corpus(name: str, values: Sequence[float] | FloatArray) -> Corpus:
    each = enumerate(values)
    return Corpus(tuple(Document(f"v{i}", (Caption(repr(float(v))),)) for i, v in each), name)


def made(references: Sequence[Corpus]) -> Run:
    return Run(references)


def test_values_by_annotator_and_what_the_interval_contains() -> None:
    draw = np.random.default_rng(1)
    people = [corpus(f"p{k}", draw.normal(lean, 0.1, 80)) for k, lean in enumerate((0.0, 0.1, 0.3))]
    systems = [corpus("a", draw.normal(1.0, 0.1, 80)), corpus("b", draw.normal(0.5, 0.1, 80))]
    results = Run(people).score(systems, [Near()], unit="id")
    found = {spread.system: spread for spread in by_annotator(results, made)}
    alone = [Run([each]).score(systems, [Near()])["a", "near"] for each in people]
    assert found["a"].by_annotator == tuple(score.value for score in alone)
    assert found["a"].deviation == pytest.approx(np.std([score.value for score in alone], ddof=1))
    low, high = found["a"].interval
    assert alone[0].interval is not None and high - low > 5 * (alone[0].interval[1] - alone[0].interval[0])
    # the annotators lean alike for both systems: their leaning is not in the difference
    (pair,) = by_annotator(results, made, pairs=True)
    assert (pair.system, pair.other) == ("a", "b") and pair.mean == pytest.approx(0.5, abs=0.06)
    assert pair.deviation < 0.2 * found["a"].deviation


def test_the_interval_covers_the_mean_over_other_annotators() -> None:
    """Four annotators with a deviation of .1, 60 documents."""
    draw, inside = np.random.default_rng(3), 0
    for _ in range(100):
        people = [corpus(f"p{k}", draw.normal(0, 0.1) + draw.normal(0, 0.2, 60)) for k in range(4)]
        results = Run(people).score([corpus("a", draw.normal(0.0, 0.2, 60))], [Near()], 0)
        (spread,) = by_annotator(results, made)
        inside += spread.interval[0] <= 0 <= spread.interval[1]
    assert 88 <= inside <= 100


def test_one_annotator_is_refused() -> None:
    results = Run([corpus("p", [0.0, 1.0])]).score([corpus("a", [1.0, 1.0])], [Near()], 0)
    with pytest.raises(UsageError, match="several files of references; there is one"):
        by_annotator(results, made)


def test_score_compare_and_report_print_them(run: Verb, examples: Path, tmp_path: Path) -> None:
    videos = examples / "videos"
    files = [str(videos / "good.json"), str(videos / "padded.json")]
    people = ["-r", str(videos / "reference_1.json"), "-r", str(videos / "reference_2.json")]
    saved = str(tmp_path / "run.smr")
    code, out, _ = run("score", *files, *people, "-m", "meteor", "--annotators", "--save", saved)
    assert code == 0 and "by each annotator alone" in out
    code, out, _ = run("compare", *files, *people, "-m", "meteor", "--annotators", "--format", "json")
    (pair,) = json.loads(out)["annotators"]
    assert list(pair["by_annotator"]) == ["reference_1", "reference_2"] and pair["other"] == "padded"
    again = json.loads(run("compare", saved, "--annotators", "--format", "json")[1])
    assert again["annotators"] == [pair]
    page = tmp_path / "page.html"
    assert run("report", saved, "--annotators", "--out", str(page))[0] == 0
    section = page.read_text(encoding="utf-8").partition('<section id="annotators">')[2]
    assert "reference_2" in section.partition("</section>")[0]


def test_csv_has_their_values_beside_the_rows(run: Verb, examples: Path) -> None:
    videos = examples / "videos"
    files = [str(videos / "good.json"), str(videos / "padded.json")]
    people = ["-r", str(videos / "reference_1.json"), "-r", str(videos / "reference_2.json")]
    names = ["reference_1", "reference_2", "mean", "s", "low", "high"]
    for verb in ("score", "compare"):
        asked = [verb, *files, *people, "-m", "meteor,distinct_1", "--annotators", "--format"]
        rows = list(csv.DictReader(io.StringIO(run(*asked, "csv")[1])))
        spread = json.loads(run(*asked, "json")[1])["annotators"]
        assert len(rows) == 2 * len(spread) and [name for name in rows[0] if "annotators_" in name] == [
            f"annotators_{name}" for name in names
        ]
        plain = list(csv.DictReader(io.StringIO(run(*asked[:-2], "--format", "csv")[1])))
        assert [{key: row[key] for key in plain[0]} for row in rows] == plain
        for row in rows:
            found = [row[f"annotators_{name}"] for name in names]
            if row["metric"] == "distinct_1":  # needs no references
                assert found == [""] * 6
                continue
            (one,) = (
                e
                for e in spread
                if (e["system"], e["other"]) == (row.get("system") or row["A"], row.get("B", ""))
            )
            values = [*one["by_annotator"].values(), one["mean"], one["deviation"], *one["interval"]]
            assert [float(value) for value in found] == values


def test_of_a_corpus_in_shards(examples: Path, tmp_path: Path) -> None:
    """Values are those of files; the intervals have resamples of their own."""
    videos = examples / "videos"
    read = {
        name: storymeter.read(videos / f"{name}.json")
        for name in ("good", "padded", "reference_1", "reference_2")
    }
    folders = {name: write_folder(tmp_path / "in" / name, corpus) for name, corpus in read.items()}
    systems, people = ([folders[name] for name in list(read)[k : k + 2]] for k in (0, 2))

    def score(*references: str, metrics: Sequence[str] = ("meteor", "distinct_1")) -> Results:
        place = tmp_path / f"run-{len(list(tmp_path.iterdir()))}"
        return score_in_shards(systems, references, metrics, place, resamples=999)

    results = score(*people)
    rows = Run([read["reference_1"], read["reference_2"]])
    in_files = rows.score([read["good"], read["padded"]], ["meteor", "distinct_1"], 0)
    for pairs in (False, True):
        found = by_annotator_in_shards(
            results, lambda pattern, metrics: score(pattern, metrics=metrics), people, pairs=pairs
        )
        wanted = by_annotator(in_files, made, pairs=pairs)
        for one, other in zip(found, wanted, strict=True):
            assert (one.system, one.other, one.metric, one.n) == (other.system, other.other, "meteor", 12)
            assert one.by_annotator == pytest.approx(other.by_annotator, abs=1e-12)
            width = other.interval[1] - other.interval[0]
            assert one.interval == pytest.approx(other.interval, abs=0.1 * width)
    with pytest.raises(UsageError, match="Give its files to storymeter score or compare"):
        by_annotator(results, made)
