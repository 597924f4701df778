"""Tables of one's own as benchmarks, by path, in `meta benchmark`, `report-card` and Python."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import storymeter
from storymeter import Run
from storymeter.arrays import FloatArray
from storymeter.errors import DataError, UsageError
from storymeter.join import Task
from storymeter.meta import benchmark, report_card
from storymeter.meta.agreeing import SystemValue
from storymeter.meta.benchmarks import load
from storymeter.meta.scores import pooled, values_of

Verb = Callable[..., tuple[int, str, str]]
WORDS = ["a", "small", "dog", "runs", "over", "the", "green", "field"]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "ratings.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["Model", "video_id", "worker", "Output", "Reference 1", "references_2", "rating"])
        for s, system in enumerate("abc"):
            for k in range(6):
                text = " ".join(WORDS[: 8 - 2 * s - k % 2])
                row = [
                    system,
                    f"v{k}",
                    "w1",
                    text,
                    " ".join(WORDS),
                    json.dumps(["dogs run fast", "many animals move"]),
                ]
                writer.writerow([*row, 5 - 2 * s - 0.5 * (k % 2)])
    return path


def test_a_table(table: Path) -> None:
    found = load(str(table), Path())
    assert len(found.task) == 18 and found.levels == ("segment", "system")
    assert {len(references) for references in found.task.references} == {3}
    result = benchmark(str(table), Path(), ["rouge_l"], resamples=0, permutations=10)
    assert result.agreements[0].results[0].values["pearson"] > 0.9, result.agreements[0]


def test_a_folder_names_its_columns(table: Path, tmp_path: Path) -> None:
    text = table.read_text().replace("Output", "First answer", 1).replace("rating", "Quality of it", 1)
    table.write_text(text)
    with pytest.raises(DataError, match="none is the caption"):
        load(str(table), Path())
    (tmp_path / "benchmark.toml").write_text(
        'table = "ratings.csv"\ntitle = "Dogs"\nheadline = "kendall_c"\n'
        '[columns]\ncaption = "First answer"\nscore = "Quality of it"\nreferences = "Reference 1"\n'
    )
    found = load(str(tmp_path), Path())
    assert (found.title, found.headline, len(found.task.references[0])) == ("Dogs", "kendall_c", 1)


def test_on_the_command_line(run: Verb, table: Path, tmp_path: Path) -> None:
    code, out, err = run(
        "meta", "benchmark", str(table), "-m", "rouge_l", "--resamples", "10", "--format", "json"
    )
    assert code == 0 and '"pearson"' in out, err
    folder = ["--data", str(tmp_path), "-b", str(table)]
    code, out, err = run("meta", "report-card", *folder, "-m", "rouge_l,bleu_1", "--resamples", "10")
    assert code == 0 and "Recommended first" in out, err


def test_a_report_card_of_own_tables_needs_no_other_data(run: Verb, table: Path, tmp_path: Path) -> None:
    code, out, err = run("meta", "report-card", "-b", str(table), "-m", "rouge_l,bleu_1", "--resamples", "0")
    assert code == 0 and "| rouge_l |" in out, err
    (card,) = report_card(benchmarks=[str(table)] * 2, metrics=["rouge_l"], resamples=0)
    assert card.benchmark == "ratings"
    assert [one.benchmark for one in report_card(benchmarks=table, metrics="rouge_l", resamples=0)] == [
        "ratings"
    ]
    assert benchmark(table, metrics=["rouge_l"], resamples=0, permutations=10).name == str(table)
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "ratings.csv").write_text(table.read_text())
    with pytest.raises(UsageError, match="Two benchmarks are called 'ratings'"):
        report_card(benchmarks=[str(table), str(tmp_path / "more" / "ratings.csv")], metrics="rouge_l")
    with pytest.raises(UsageError, match="takes names of metrics"):
        report_card(benchmarks=[str(table)], metrics=[storymeter.metric("rouge_l")])  # type: ignore[list-item]


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("a,v0,w1,another text,x,y,3", "has another caption before"),
        ("a,v9,w1,some text,x,y,good", "1 scores are not numbers: row 20, rating: 'good'"),
    ],
)
def test_damaged_rows(table: Path, row: str, said: str) -> None:
    table.write_text(table.read_text() + row + "\n")
    with pytest.raises(DataError, match=said):
        load(str(table), Path())


def test_two_columns_that_fit_are_a_question(table: Path) -> None:
    text = table.read_text()
    table.write_text(text.replace("worker", "score", 1).replace(",w1,", ",3,"))
    with pytest.raises(DataError, match="both 'score', 'rating' may be the score") as seen:
        load(str(table), Path())
    assert "benchmark.toml" in seen.value.hint and "human analyse" not in seen.value.hint
    table.write_text(text.replace("worker", "caption text", 1).replace("Output", "caption", 1))
    with pytest.raises(UsageError, match="'caption text' and 'caption' could both be the caption"):
        load(str(table), Path())
    with pytest.raises(UsageError, match="no such file"):
        load("nothing", Path())


REFERENCES = ["dogs run fast", "many animals' moves"]
PRINTED = [str(REFERENCES), json.dumps(REFERENCES), "['dogs run fast' \"many animals' moves\"]", REFERENCES]


@pytest.mark.parametrize("cell", PRINTED, ids=["python", "json", "numpy", "list"])
def test_references_in_one_cell(cell: object, tmp_path: Path) -> None:
    """As pandas prints a list, they were one reference with brackets and quotes."""
    rows = [{"caption": f"a dog {k}", "references": cell, "score": k} for k in range(3)]
    (tmp_path / "t.json").write_text(json.dumps(rows))
    texts = [one.captions[0].text for one in load(str(tmp_path / "t.json"), Path()).task.references[0]]
    assert texts == REFERENCES


def test_a_text_in_brackets_is_one_reference(tmp_path: Path) -> None:
    (tmp_path / "t.json").write_text('[{"pred": "he goes", "ref": "[male] goes to [location]", "mos": 3}]')
    (reference,) = load(str(tmp_path / "t.json"), Path()).task.references[0]
    assert reference.captions[0].text == "[male] goes to [location]"


HEADS = ["Video ID", "Generated caption", "Ground truth 1"]


@pytest.mark.parametrize(
    ("heads", "values", "judged", "first", "criteria"),
    [
        (["rater_1", "rater_2"], [(1, 2), (3, 4)], 4, 1.0, []),
        (["Coherence", "Relevance"], [(1, 2), (3, 4)], 2, 1.5, ["Coherence", "Relevance"]),
        (["Fluency", "Overall"], [(1, 2), (3, 4)], 2, 2.0, ["Fluency"]),
        (["human", "mymetric", "meteor"], [(1, 0.5, 0.6), (3, 0.7, 0.8)], 2, 1.0, []),
        (["Human rating (1-5)", "comment"], [("4,5", "good"), ("3,5", "")], 2, 4.5, []),
        (["score", "category"], [(1, "sports"), ("", "food")], 1, 1.0, []),
    ],
)
def test_shapes_of_scores(
    heads: list[str],
    values: list[tuple[object, ...]],
    judged: int,
    first: float,
    criteria: list[str],
    tmp_path: Path,
) -> None:
    """A column per rater or criterion, beside metrics, with a comma, with an empty cell."""
    with (tmp_path / "t.csv").open("w", newline="") as file:
        writer = csv.writer(file, delimiter=";")
        writer.writerow([*HEADS, *heads])
        writer.writerows([f"v{k}", f"a dog {k}", "the dog", *row] for k, row in enumerate(values))
    found = load(str(tmp_path / "t.csv"), Path())
    assert len(found.judgements) == judged and found.judgements[0].value == first, found.notes
    assert [*found.criteria] == criteria and len(found.task.references[0]) == 1


def test_references_in_further_rows(tmp_path: Path) -> None:
    """A row per reference: the second one was lost without a word. A row per rater adds none."""
    rows = ["video,model,caption,reference,rating"]
    rows += [f"v{k},{s},a dog {s},{ref},{k}" for k in range(3) for s in "ab" for ref in ("dog", "pet", "dog")]
    (tmp_path / "t.csv").write_text("\n".join(rows))
    task = load(str(tmp_path / "t.csv"), Path()).task
    assert {tuple(one.captions[0].text for one in group) for group in task.references} == {("dog", "pet")}


def test_the_answer_beside_a_prediction_is_its_reference(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("index,question,answer,prediction,score\n1,what,a dog,a cat,1\n2,who,a man,a man,5\n")
    (first, _), notes = load(str(path), Path()).task.references, load(str(path), Path()).notes
    assert first[0].captions[0].text == "a dog" and "caption = prediction, references = answer" in notes[0]
    path.write_text("index,question,answer,score\n1,what,a dog,1\n2,who,a man,5\n")
    assert "caption = answer, references = none" in load(str(path), Path()).notes[0]


def test_a_label_of_numbers_is_a_score(tmp_path: Path) -> None:
    """It was taken for a reference, by its name."""
    (tmp_path / "t.csv").write_text("id,caption,reference,label\n1,a dog,dogs,0\n2,a cat,cats,1\n")
    found = load(str(tmp_path / "t.csv"), Path())
    assert [one.value for one in found.judgements] == [0.0, 1.0]
    assert {len(group) for group in found.task.references} == {1}


def test_no_human_scores(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("id,caption,reference,note\n1,a,b,seen late\n2,c,d,from Kyoto\n")
    with pytest.raises(DataError, match="columns id, caption, reference, note; none holds human scores"):
        load(str(tmp_path / "t.csv"), Path())


def test_captions_of_one_item_without_a_system(tmp_path: Path) -> None:
    rows = ["image,caption,ref,score", "i1,a dog,the dog,3", "i1,a cat,the dog,1", "i1,a dog,the dog,2"]
    (tmp_path / "t.csv").write_text("\n".join(rows))
    found = load(str(tmp_path / "t.csv"), Path())
    assert [j.item for j in found.judgements] == ["i1", "i1 (2)", "i1"]
    assert {key.partition("\t")[2] for key in found.task.ids} == {"i1", "i1 (2)"}


@pytest.mark.parametrize(
    ("toml", "said"),
    [
        ('table = "t.csv"\ntitel = "x"', "cannot have 'titel'"),
        ('table = "t.csv"\n[columns]\ncaptoin = "a"', "cannot have 'captoin'"),
        ('table = "t.csv"\n[columns]\nreferences = 3', "has no column '3'"),
        ('table = "t.csv"\ncolumns = 3', "cannot have 'columns'"),
        ('table = "other.csv"', "cannot be read"),
    ],
)
def test_damaged_folders(toml: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("caption,ref,score\na,b,1\n")
    (tmp_path / "benchmark.toml").write_text(toml)
    with pytest.raises(DataError, match=said):
        load(str(tmp_path), Path())


class RowByRow(storymeter.Metric):
    """Its `combine` takes one sum or a table of sums, and is right for both."""

    name = "row_by_row"
    columns = ("shared", "words")  # type: ignore[assignment]

    def rows(self, task: Task, context: storymeter.Context) -> FloatArray:
        pairs = zip(task.candidates, task.references, strict=True)
        texts = [(ours.text.split(), theirs[0].text.split()) for ours, theirs in pairs]
        return np.array([[len({*ours} & {*theirs}), len(theirs)] for ours, theirs in texts], dtype=float)

    def combine(self, sums: FloatArray) -> dict[str, FloatArray]:
        if sums.ndim == 1:
            return {"value": sums[0] / (sums[1] + 1)}
        return {"value": np.array([row[0] / (row[1] + 1) for row in sums])}


def test_a_combine_of_tables_will_do_between_systems(table: Path) -> None:
    """The bootstrap over systems gave it three dimensions, of which it made other numbers, or an error."""

    class Vectorised(RowByRow):
        name = "vectorised"

        def combine(self, sums: FloatArray) -> dict[str, FloatArray]:
            return {"value": sums[..., 0] / (sums[..., 1] + 1)}

    both = [RowByRow(), Vectorised()]
    found = benchmark(str(table), metrics=both, resamples=30, permutations=10, unit="items")
    (system,) = [one for one in found.agreements if one.level == "system"]
    first, second = system.results
    assert first.values == second.values and first.intervals == second.intervals and first.intervals


def test_criteria_are_beside_captions_that_were_scored_together(tmp_path: Path) -> None:
    """`system_value="own"` is about the comparison between systems alone."""
    said = {"a": ["a dog runs", "a cat sits"], "b": ["the dog runs", "dogs"], "c": ["a red dog", "a man"]}
    rows = [
        f"v{k},{s},{said[s][k % 2]},a dog runs {'past a man' * (k % 3)} {s},{k},{k * k % 7 + ord(s)}"
        for s in said
        for k in range(6)
    ]
    (tmp_path / "t.csv").write_text("\n".join(["video,model,caption,reference,overall,fluency", *rows]))

    def scored(system_value: SystemValue) -> list[tuple[str, float, dict[str, str]]]:
        found = benchmark(tmp_path / "t.csv", metrics="cider", resamples=0, system_value=system_value)
        return [
            (a.level, a.results[0].values["pearson"], dict(a.scores.signatures)) for a in found.agreements
        ]

    own, published = scored("own"), scored("published")
    assert [level for level, _, _ in own] == ["segment", "system", "segment"]
    assert own[::2] == published[::2] and own[1] != published[1]


def test_a_benchmark_without_references_names_what_it_cannot_compute() -> None:
    task = pooled({("s", "1"): "a dog", ("s", "2"): "a cat sleeps"}, {})
    found, skipped = values_of(task, ["rouge_l", "words"], Run(), skip_missing=True)
    assert list(found) == ["words"] and skipped == {"rouge_l": "rouge_l needs references."}
