"""`evaluate` and `corpus` on what people have in Python; the numbers are those of the command line."""

from __future__ import annotations

import json
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import storymeter
from storymeter import Caption, Corpus, Document, evaluate
from storymeter.errors import DataError, StorymeterError, StorymeterWarning, UsageError
from storymeter.pairs import model

SAID = ["A man is riding a horse.", "Two dogs run, happily, in the snow!", "It's a cat."]
TRUTH = [
    ["A man rides a brown horse.", "Someone rides a horse on a field."],
    ["Two dogs are running in the snow."],
    ["A cat sits there.", "It's a black cat."],
]
METRICS = ["meteor", "cider", "bleu_2", "rouge_l"]


def bits(results: storymeter.Results) -> list[tuple[str, float, Any]]:
    return [(s.metric, s.value, s.interval) for system in results for s in system.scores]


def by_id(values: list[Any]) -> dict[str, Any]:
    return {f"v{k}": value for k, value in enumerate(values)}


def command(*arguments: str) -> list[tuple[str, float, Any]]:
    line = [
        sys.executable,
        "-m",
        "storymeter",
        "score",
        *arguments,
        "-m",
        ",".join(METRICS),
        "--format",
        "json",
    ]
    shown = subprocess.run(line, check=True, capture_output=True, text=True).stdout
    return [
        (score["metric"], score["value"], tuple(score["interval"]))
        for system in json.loads(shown)["systems"]
        for score in system["scores"]
    ]


def test_lists_dicts_and_paths_give_the_bits_of_the_command_line(tmp_path: Path) -> None:
    one = [group[0] for group in TRUTH]
    (tmp_path / "said.txt").write_text("".join(f"{text}\n" for text in SAID))
    (tmp_path / "truth.txt").write_text("".join(f"{text}\n" for text in one))
    lines = [str(tmp_path / name) for name in ("said.txt", "truth.txt")]
    wanted = command(lines[0], "-r", lines[1])
    assert bits(evaluate(SAID, one, METRICS)) == wanted
    assert bits(evaluate(*lines, METRICS)) == wanted
    assert bits(evaluate(Path(lines[0]), [Path(lines[1])], METRICS)) == wanted

    said, truth = tmp_path / "said.json", tmp_path / "truth.json"
    said.write_text(json.dumps(by_id(SAID)))
    truth.write_text(json.dumps(by_id(TRUTH)))
    wanted = command(str(said), "-r", str(truth))
    assert bits(evaluate(by_id(SAID), by_id(TRUTH), METRICS)) == wanted
    assert bits(evaluate(str(said), by_id(TRUTH), METRICS)) == wanted
    assert bits(evaluate(storymeter.read(said), truth, METRICS)) == wanted


def test_columns_of_other_packages() -> None:
    pandas = pytest.importorskip("pandas")
    datasets = pytest.importorskip("datasets")
    wanted = bits(evaluate(SAID, TRUTH, METRICS))
    table = pandas.DataFrame({"pred": SAID, "refs": TRUTH})
    assert bits(evaluate(table["pred"], table["refs"], METRICS)) == wanted
    assert bits(evaluate(np.array(SAID), TRUTH, METRICS)) == wanted
    rows = datasets.Dataset.from_dict({"pred": SAID, "refs": TRUTH})
    assert bits(evaluate(rows["pred"], rows["refs"], METRICS)) == wanted
    named = table.set_index(pandas.Index(["v0", "v1", "v2"]))
    by_name = bits(evaluate(by_id(SAID), by_id(TRUTH), METRICS))
    assert bits(evaluate(named["pred"], named["refs"][::-1], METRICS)) == by_name  # the index, not the place
    assert bits(evaluate(tuple(SAID), (tuple(group) for group in TRUTH), METRICS)) == wanted


def test_a_list_belongs_to_the_rows_of_a_table_in_order() -> None:
    """Ids that are numbers in another order would be compared with the places of the list."""
    for ids in (["c", "a", "b"], [3, 1, 2], [0, 1, 2]):
        wanted = bits(
            evaluate(dict(zip(ids, SAID, strict=True)), dict(zip(ids, TRUTH, strict=True)), METRICS)
        )
        mine = [{"video_id": id, "caption": text} for id, text in zip(ids, SAID, strict=True)]
        theirs = [{"id": id, "refs": texts} for id, texts in zip(ids, TRUTH, strict=True)]
        columns = {"id": ids, "caption": SAID, "split": ["test"] * 3}
        with pytest.warns(StorymeterWarning, match=rf"in order \(1 = '{ids[0]}', 3 = '{ids[2]}'\)"):
            assert bits(evaluate(mine, TRUTH, METRICS)) == wanted
        with pytest.warns(StorymeterWarning, match="The candidates are a list without ids"):
            assert bits(evaluate(SAID, theirs, METRICS)) == wanted
        with pytest.warns(StorymeterWarning, match="in order"):
            assert bits(evaluate(columns, TRUTH, METRICS)) == wanted
        assert bits(evaluate(columns, {"id": ids, "refs": TRUTH}, METRICS)) == wanted
    with pytest.raises(UsageError, match="list of 2 items, and the candidates are 3 rows with 3 ids"):
        evaluate(mine, TRUTH[:2], METRICS)
    with pytest.raises(UsageError, match="list of 3 items, and the candidates are 4 rows with 3 ids"):
        evaluate([*mine, mine[0]], TRUTH, METRICS)


def test_a_list_is_not_compared_with_the_ids_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "mine.json"
    rows = [{"video_id": id, "caption": text} for id, text in zip([3, 1, 2], SAID, strict=True)]
    file.write_text(json.dumps(rows))
    for given in (str(file), {"mine": file}):
        with pytest.raises(UsageError, match=r"'mine' has 3 ids of its own \(3, 1, 2\)") as found:
            evaluate(given, TRUTH, METRICS)
        assert "references={id:" in str(found.value.hint)
    with pytest.raises(UsageError, match="The candidates are a list of 3 items"):
        evaluate(SAID, file, METRICS)
    file.write_text(json.dumps(rows[1:] + rows[:1]))
    assert evaluate(file, TRUTH, METRICS)


def test_timed_captions_by_id() -> None:
    mine = {"v": [Caption("a dog runs", 0.0, 5.0), Caption("it jumps", 5.0, 9.0)]}
    theirs = {"v": [Caption("the dog runs", 0.0, 4.0), Caption("it jumps high", 5.0, 9.0)]}
    wanted = evaluate(
        Corpus((Document("v", tuple(mine["v"])),), "a"),
        Corpus((Document("v", tuple(theirs["v"])),)),
        "soda_c",
    )
    assert bits(evaluate(mine, theirs, "soda_c")) == bits(wanted)
    loaded = {
        id: {
            "duration": 9.0,
            "timestamps": [[c.start, c.end] for c in captions],
            "sentences": [c.text for c in captions],
        }
        for id, captions in theirs.items()
    }
    assert bits(evaluate(mine, loaded, "soda_c")) == bits(wanted)  # as json.load gives it


def test_several_systems() -> None:
    results = evaluate({"good": SAID, "bad": SAID[::-1]}, TRUTH, "meteor")
    assert [system.name for system in results] == ["good", "bad"]
    nested = evaluate({"good": by_id(SAID), "bad": by_id(SAID[::-1])}, by_id(TRUTH), "meteor")
    assert [score for _, score, _ in bits(results)] == pytest.approx([score for _, score, _ in bits(nested)])


@pytest.mark.parametrize(
    ("candidates", "references", "says"),
    [
        (SAID, [[group[0] for group in TRUTH]], r"sacrebleu's order.*\n.*zip\(\*references\)"),
        (SAID, [[group[0] for group in TRUTH]] * 2, "2 lists of 3 texts: sacrebleu's order"),
        (SAID, TRUTH[:2], "3 candidates but references for 2"),
        (SAID, by_id(TRUTH), "candidates are a list and the references a dict"),
        (by_id(SAID), TRUTH, "candidates are a dict and the references a list"),
        ("a dog runs", ["a dog"], r"one string.*\nWrite \[text\]"),
        ([*SAID[:2], None], TRUTH, r"candidates\[2\] is missing"),
        ([*SAID[:2], float("nan")], TRUTH, r"candidates\[2\] is missing"),
        ([*SAID[:2], 3], TRUTH, r"candidates\[2\] is an int, not a text"),
        ([["a", "b"], ["c"], ["d"]], TRUTH, r"candidates\[0\] holds 2 texts"),
        (3, TRUTH, "candidates cannot be an int"),
        ([], TRUTH, "nothing to score"),
    ],
)
def test_what_cannot_be_meant_is_said(candidates: Any, references: Any, says: str) -> None:
    with pytest.raises(StorymeterError, match=says) as found:
        evaluate(candidates, references, "meteor")
    assert isinstance(found.value, DataError | UsageError) and found.value.hint


@pytest.mark.parametrize("name", ["meteor", "cider", "bleu_4", "rouge_l", "cider(tokenizer=none)"])
def test_corpus_is_the_aggregate_with_interval_and_signature(name: str) -> None:
    scorer = storymeter.scorer(name)
    score = storymeter.metric(name).corpus(candidates=SAID, references=TRUTH)
    assert score.value == pytest.approx(scorer.open().aggregate(candidates=SAID, references=TRUTH), abs=1e-15)
    assert score.interval is not None and score.interval[0] <= score.value <= score.interval[1]
    assert score.signature.get("tok") == ("none" if "none" in name else "ptb")
    assert scorer.corpus(candidates=SAID, references=TRUTH).value == score.value
    assert score.percent == 100 * score.value


def test_corpus_needs_no_references_and_takes_settings() -> None:
    score = storymeter.metric("words").corpus(candidates=SAID, resamples=0)
    assert score.interval is None and score.percent == score.value
    loose = storymeter.metric("bleu_1").corpus(candidates=SAID, references=TRUTH, tokenizer="whitespace")
    assert loose.signature.get("tok") == "whitespace"
    with pytest.raises(UsageError, match="one system"):
        storymeter.metric("bleu_1").corpus(candidates={"a": SAID, "b": SAID}, references=TRUTH)


def test_default_metrics_fit() -> None:
    captions = evaluate(by_id(SAID), by_id(TRUTH), resamples=0)
    assert [metric.name for metric in captions.metrics][:4] == ["meteor", "cider", "bleu_4", "rouge_l"]


def test_scorers_read_raw_sentences_as_the_metric_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model, "_WARNED", [])
    for name in ("Cider", "Meteor", "Bleu", "RougeL"):
        make = getattr(storymeter.pairs, name)
        raw, ptb, none = (
            make(**options).pairs(candidates=SAID, references=TRUTH).tolist()
            for options in ({}, {"tokenizer": "ptb"}, {"tokenizer": "none"})
        )
        assert raw == ptb != none


def test_one_warning_where_the_number_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model, "_WARNED", [])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        storymeter.pairs.RougeL().pairs(candidates=["a dog"], references=[["the dog"]])  # tokens already
        storymeter.pairs.RougeL(tokenizer="none").pairs(candidates=SAID, references=TRUTH)
        evaluate(SAID, TRUTH, METRICS)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        for _ in range(3):
            storymeter.pairs.RougeL().pairs(candidates=SAID, references=TRUTH)
    assert [each.category for each in told] == [StorymeterWarning]
    assert "tokenizer='none'" in str(told[0].message)


def test_scores_print_as_people_read_them() -> None:
    score = storymeter.metric("meteor").corpus(candidates=SAID, references=TRUTH)
    assert score.interval is not None
    low, high = score.interval
    assert str(score) == f"METEOR {100 * score.value:.2f} [{100 * low:.1f}, {100 * high:.1f}]"
    assert str(score.signature) in repr(score)
    shown = score._repr_html_()
    assert str(score) in shown and "value × 100" in shown


def test_the_package_shows_its_names_alone() -> None:
    assert dir(storymeter) == storymeter.__all__
    assert dir(storymeter.pairs) == sorted(storymeter.pairs.__all__)
    program = (
        "import storymeter; print(storymeter.pairs.Cider(), storymeter.metric('bleu_4'), storymeter.metric)"
    )
    shown = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert shown.startswith("cider bleu_4")


def _timed(name: str, scale: float, duration: float | None = None) -> Corpus:
    spans = [(0.0, 9.0), (9.0, 25.0), (25.0, 60.0)]
    captions = tuple(Caption("a dog runs", start * scale, end * scale) for start, end in spans)
    return Corpus((Document("v", captions, duration),), name)


@pytest.mark.parametrize(
    ("scale", "duration", "doubted"),
    [(1.0, None, False), (1.5, None, False), (1000.0, None, True), (25.0, None, True), (25.0, 900.0, False)],
)
def test_times_in_milliseconds_or_frames_are_warned_of(
    scale: float, duration: float | None, doubted: bool
) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        evaluate(_timed("mine", scale), _timed("r", 1.0, duration), metrics=["coverage"], resamples=0)
    assert any("start_ms" in str(each.message) for each in caught) == doubted


def test_words_for_a_missing_caption_are_counted() -> None:
    texts = ["NaN", "a dog", " nan ", "Nan bakes"]
    with pytest.warns(StorymeterWarning, match=r"2 of 4 captions of .* stand for a missing value"):
        evaluate(texts, [["a dog"]] * 4, metrics=["rouge_l"], resamples=0)


def test_empty_references_are_said_as_such() -> None:
    found = evaluate(["a dog runs", "a cat"], [[], ["a cat"]], metrics=["rouge_l"], resamples=0)
    assert "(1 document has a reference, 1 an empty one)" in repr(found)
