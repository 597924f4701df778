"""Benchmarks of pairs, paragraphs and judged captions: small files of the published layouts, and the real
ones where they are.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner

from storymeter.cli import cli
from storymeter.engine import Run
from storymeter.errors import DataError
from storymeter.meta import benchmark, report_card
from storymeter.meta.benchmarks import available, load
from storymeter.meta.choices import choice_results
from storymeter.meta.scores import MetricValues, tabulate, values_of
from storymeter.meta.statistics import segment_level
from storymeter.meta.story_benchmarks import unmarked
from storymeter.meta.words import occurrence, word_auc
from storymeter.report import present, render


def write(path: Path, value: Any, *, lines: bool = False) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    encode = msgspec.json.encode
    path.write_bytes(b"\n".join(map(encode, value)) + b"\n" if lines else encode(value))


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """One file of each layout, in words of our own."""
    folder = tmp_path / "metaeval"
    references = ["A dog runs over the wet grass.", "A brown dog is running outside."]
    paragraphs = [
        {
            "video": f"v{k}",
            "system": system,
            "score": score,
            "sentences": ["a dog runs .", text],
            "references": ["A dog runs on grass. It jumps over a fence."],
        }
        for k in range(3)
        for system, score, text in (("one", 5, "it jumps ."), ("two", 2, "it [drives a car] ."))
    ]
    for corpus in ("activitynet", "youcook2"):
        write(folder / f"factvc_{corpus}" / "paragraphs.jsonl", paragraphs, lines=True)
    pairs = [
        {"category": c, "captions": ["a dog runs", "a plane lands"], "preferred": 0, "references": references}
        for c in ("HC", "HI", "HM", "MM")
    ]
    pairs.append(
        {
            "category": "MM",
            "captions": ["two cats", "a dog"],
            "preferred": 1,
            "image": "x.jpg",
            "references": references,
        }
    )
    write(folder / "pascal50s" / "pairs.jsonl", pairs, lines=True)
    foil = {
        "references": references,
        "baseline": "a dog runs",
        "foil": "a cat runs",
        "replacement": ["dog", "cat"],
    }
    write(folder / "foil" / "nocaps-val-foil.json", [foil])
    nebula = [
        {"imgid": k, "mt": text, "refs": references, "score": score}
        for k, (text, score) in enumerate([("a dog runs", 1.0), ("a dog", 0.5), ("a plane", 0.0)])
    ]
    write(folder / "nebula" / "nebula_test.json", nebula)
    thumb = [
        {"SYS": system, "seg_id": str(k), "hyp": text, "P": p, "R": p, "Fl": 0, "Inc": 0, "Con": 0,
         "human_score": p}
        for k in range(3)
        for system, text, p in (
            ("Human", "a brown dog runs", 5.0), ("m1", "a dog", 4.0), ("m2", "a car", 1.0)
        )
    ]  # fmt: skip
    write(folder / "thumb" / "mscoco_THumB-1.0.jsonl", thumb, lines=True)
    write(
        folder / "thumb" / "mscoco_references.json",
        [{"seg_id": str(k), "refs": references} for k in range(3)],
        lines=True,
    )
    write(
        folder / "msvd_eval" / "MSVD-Eval.json",
        {
            str(k): {"candidate": text, "ref": references, "human_score": [[1, 1, 1, 1, a], [1, 1, 1, 1, b]]}
            for k, (text, a, b) in enumerate([("a dog runs", 5, 4), ("a car", 1, 2), ("a dog", 3, 3)])
        },
    )
    write(
        folder / "hat" / "hat-trainval.json",
        [
            {
                "caption": "a dog and a car",
                "references": references,
                "grounding": [["a", False], ["dog", False], ["car", True]],
                "contains_hallucination": True,
            },
            {
                "caption": "a brown dog",
                "references": references,
                "grounding": [["brown", False], ["dog", False]],
                "contains_hallucination": False,
            },
        ],
    )
    write(
        folder / "vidhal" / "annotations.json",
        [
            {"video": f"v{k}", "aspect": aspect, "dataset": "own",
             "captions": {"2": "a dog runs fast", "3": "a car drives", "1": "a dog runs slowly"}}
            for k, aspect in enumerate(("action", "action", "order"))
        ],
    )  # fmt: skip
    sick = ["pair_ID\tsentence_A\tsentence_B\tentailment_label\trelatedness_score\tSemEval_set"]
    sick += [
        "1\tA dog runs\tA dog is running\tENTAILMENT\t4.9\tTEST",
        '2\tA cat\tA "dog"\tNEUTRAL\t2\tTRAIN',
        "3\tA dog runs\tA car stops\tNEUTRAL\t1.2\tTEST",
        "4\tA dog\tA dog eats\tNEUTRAL\t3.1\tTEST",
    ]
    (folder / "sick").mkdir()
    (folder / "sick" / "SICK.txt").write_text("\n".join(sick))
    return tmp_path


def test_all_layouts_are_found_and_read(small: Path) -> None:
    names = available(small)
    assert set(names) >= {"factvc-activitynet", "factvc-youcook2", "pascal-50s", "foil", "nebula", "thumb"}
    for name in [*names, "thumb-machines", "factvc-activitynet-paper"]:
        benchmark = load(name, small)
        assert len(benchmark.task) and (benchmark.judgements or benchmark.choices), name


def test_brackets_label_words_and_give_three_human_scores(small: Path) -> None:
    benchmark = load("factvc-activitynet", small)
    place = benchmark.task.ids.index("two\tv0")
    assert benchmark.task.candidates[place].text == "a dog runs . it drives a car ."
    values = {name: {(j.system, j.item): j.value for j in js} for name, js in benchmark.criteria.items()}
    assert values["share of sentences without an error"]["two", "v0"] == -0.5
    assert values["share of words without an error"]["two", "v0"] == pytest.approx(-3 / 7)
    assert unmarked("it [drives a car] .").words == (
        (0, 2, False),
        (3, 9, True),
        (10, 11, True),
        (12, 15, True),
    )
    result = word_auc(benchmark.words, {"said": occurrence}, content=False, resamples=50)[0]
    assert result.wrong == 9
    assert result.auc == pytest.approx(33 / 33 - 0.5 * 3 / 9)  # only the article is in a reference


def test_the_paper_reads_letters_alone(small: Path) -> None:
    task = load("factvc-activitynet-paper", small).task
    assert task.candidates[0].text == "a dog runs it jumps"
    assert [document.text for document in task.references[0]] == [
        "a dog runs on grass it jumps over a fence"
    ] * 2


def test_pairs_by_category_with_ties_named(small: Path) -> None:
    choices = load("pascal-50s", small).choices
    values = {key: float(key.endswith("00000")) for choice in choices for key in choice[:2]}
    values[choices[0].better] = 2.0
    keyed = {(key.partition("\t")[0], key.partition("\t")[2]): value for key, value in values.items()}
    found = {one.category: one for one in choice_results(choices, {"x": MetricValues(keyed)}, resamples=0)}
    assert (found["HC"].accuracy, found["HC"].ties) == (1.0, 0)
    assert (found["MM"].accuracy, found["MM"].ties, found["MM"].pairs) == (0.5, 2, 2)
    assert found["mean"].accuracy == pytest.approx((1.0 + 0.5 + 0.5 + 0.5) / 4)
    less = MetricValues(keyed, higher_is_better=False)
    turned = choice_results(choices[:1], {"x": less}, resamples=0)
    assert turned[0].accuracy == 0.0


def test_the_verb_prints_all_categories(small: Path) -> None:
    result = CliRunner().invoke(
        cli, ["meta", "benchmark", "pascal-50s", "--data", str(small), "-m", "rouge_l", "--format", "csv"]
    )
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines()[0] == "metric,HC,HI,HM,MM,mean,ties,pairs"
    assert result.stdout.splitlines()[1].startswith("rouge_l,1.0,1.0,1.0,1.0,1.0,0,5")


def test_a_benchmark_with_several_human_scores_shows_each(small: Path) -> None:
    result = CliRunner().invoke(
        cli,
        [
            "meta",
            "benchmark",
            "thumb",
            "--data",
            str(small),
            "-m",
            "rouge_l",
            "--format",
            "json",
            "--resamples=20",
        ],
    )
    assert result.exit_code == 0, result.output
    assert "recall" in result.stdout and "precision" in result.stdout


def test_machines_alone(small: Path) -> None:
    assert {j.system for j in load("thumb-machines", small).judgements} == {"m1", "m2"}


@pytest.mark.parametrize(
    ("name", "file", "content", "said"),
    [
        ("pascal-50s", "pascal50s/pairs.jsonl", '{"category": 1}', "line 1"),
        (
            "pascal-50s",
            "pascal50s/pairs.jsonl",
            '{"category":"HC","captions":["a","b"],"preferred":2,"references":[]}',
            "`preferred` is 2",
        ),
        ("factvc-activitynet", "factvc_activitynet/paragraphs.jsonl", "", "no paragraph"),
        ("nebula", "nebula/nebula_test.json", "{", "nebula_test.json"),
        ("thumb", "thumb/mscoco_references.json", "", "3 items have no references"),
        ("msvd-eval", "msvd_eval/MSVD-Eval.json", "[]", "MSVD-Eval.json"),
    ],
)
def test_damaged_files_are_said_in_words(small: Path, name: str, file: str, content: str, said: str) -> None:
    (small / "metaeval" / file).write_text(content)
    with pytest.raises(DataError, match=said):
        load(name, small)


def test_meteor_and_cider_on_pascal_50s_are_the_published_ones(data: Path) -> None:
    from storymeter.engine import Run

    benchmark = load("pascal-50s", data)
    values, _ = values_of(benchmark.task, ["meteor", "cider"], Run())
    mean = {
        one.metric: one.accuracy
        for one in choice_results(benchmark.choices, values, resamples=0)
        if one.category == "mean"
    }
    assert mean["meteor"] == pytest.approx(0.801, abs=0.01)
    assert mean["cider"] == pytest.approx(0.796, abs=0.01)


def test_the_lowest_word_of_a_foil(small: Path) -> None:
    """The replaced word is the least supported one, or shares that place."""
    benchmark = load("foil", small)
    (found,) = word_auc(benchmark.words, {"in a reference": occurrence}, content=False, resamples=0)
    assert (found.wrong, found.lowest) == (1, 1.0)

    def sure(sentence: str, references: object) -> list[tuple[int, float]]:
        return [(start, 0.1 if sentence[start:].startswith("cat") else 0.9) for start in (0, 2, 6)]

    def wrong(sentence: str, references: object) -> list[tuple[int, float]]:
        return [(start, 0.9 if sentence[start:].startswith("cat") else 0.1) for start in (0, 2, 6)]

    def unsure(sentence: str, references: object) -> list[tuple[int, float]]:
        return [(start, 0.5) for start in (0, 2, 6)]

    measures = {"sure": sure, "wrong": wrong, "unsure": unsure}
    results = word_auc(benchmark.words, measures, content=False, resamples=0)
    assert [one.lowest for one in results] == [1.0, 0.0, pytest.approx(1 / 3)]


def test_captions_called_right_or_wrong_have_an_auc(small: Path) -> None:
    """hat: the chance that a caption without a hallucination scores higher."""
    human = tabulate(load("hat", small).judgements)
    perfect = replace(human, metrics={"m": human.human + 1.0})
    assert segment_level(perfect, "m", resamples=0).values["auc"] == 1.0
    turned = replace(perfect, lower_is_better=frozenset({"m"}))
    assert segment_level(turned, "m", resamples=0).values["auc"] == 0.0
    out = CliRunner().invoke(
        cli,
        [
            "meta",
            "benchmark",
            "hat",
            "--data",
            str(small),
            "-m",
            "rouge_l",
            "--resamples",
            "0",
            "--format",
            "csv",
        ],
    )
    assert out.exit_code == 0 and "AUC" in out.output, out.output


TABLE = "SYS,SID,RAW.SCR,Z.SCR,N\r\none,1,50,0.1,3\r\none,2,60,0.4,3\r\n"


@pytest.fixture
def year(tmp_path: Path) -> Path:
    """TRECVID of one system; the table has a byte order mark, its lines end as on Windows."""
    folder = tmp_path / "da/trecvid_vtt/multiple-annotator/2018"
    for part in ("references", "systems"):
        (folder / part).mkdir(parents=True)
    (folder / "references/people").write_text("a man runs\na dog sits\n")
    (folder / "systems/team.one").write_text("a man walks\na dog")
    (folder / "ad-seg-scores-en-en.csv").write_text("\ufeff" + TABLE, encoding="utf-8", newline="")
    return folder


def test_a_mark_of_byte_order_is_no_letter(year: Path, small: Path) -> None:
    data = year.parents[3]
    assert [j.value for j in load("trecvid-2018-multiple", data).judgements] == [0.1, 0.4]
    pairs = small / "metaeval/pascal50s/pairs.jsonl"
    pairs.write_text("\ufeff" + pairs.read_text(), encoding="utf-8")
    assert len(load("pascal-50s", small).choices) == 5


@pytest.mark.parametrize(
    ("file", "content", "said"),
    [
        ("ad-seg-scores-en-en.csv", TABLE.replace("2,60", "x,60"), "line 3: a system, a whole number"),
        ("ad-seg-scores-en-en.csv", TABLE.replace("Z.SCR", "Z"), "line 2: a system, a whole number"),
        ("ad-seg-scores-en-en.csv", TABLE.replace("one,2", "one,7"), "there is no caption 7 of 'one'"),
        ("ad-seg-scores-en-en.csv", TABLE.replace("one,2", "two,2"), "there is no caption 2 of 'two'"),
        ("ad-seg-scores-en-en.csv", "", "holds no judgement"),
        ("systems/team.one", "a man walks\na dog\na cat\n", "the references 2, one 3"),
    ],
)
def test_damaged_years(year: Path, file: str, content: str, said: str) -> None:
    (year / file).write_text(content)
    with pytest.raises(DataError, match=said):
        load("trecvid-2018-multiple", year.parents[3])


def test_files_of_captions_must_be_as_long_as_the_judgements(tmp_path: Path) -> None:
    folder = tmp_path / "metaeval/flickr8k_expert"
    folder.mkdir(parents=True)
    for name in ("candidates", *(f"ref-{k}" for k in range(5))):
        (folder / name).write_text("a dog")
    (folder / "judgements").write_text("imageid,textid,j1,j2,j3\na,b#0,1,2,3\na,c#0,1,2,3\n")
    with pytest.raises(DataError, match="2 rows of judgements, but a file of captions has 1 lines"):
        load("flickr8k-expert", tmp_path)


def test_a_folder_without_the_benchmark_says_what_it_holds(small: Path, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="holds no stories-roc: there is no stories/union") as caught:
        load("stories-roc", small)
    assert caught.value.hint is not None and "It holds factvc-activitynet" in caught.value.hint
    with pytest.raises(DataError, match="nowhere is not a folder"):
        load("pascal-50s", tmp_path / "nowhere")
    (tmp_path / "empty").mkdir()
    result = CliRunner().invoke(cli, ["meta", "report-card", "--data", str(tmp_path / "empty")])
    assert isinstance(result.exception, DataError) and "holds no benchmark" in result.exception.message


def test_constant_human_scores_are_no_test(small: Path) -> None:
    """Neither a correlation nor a p-value."""
    path = small / "metaeval/nebula/nebula_test.json"
    rows = msgspec.json.decode(path.read_bytes())
    write(path, [{**row, "score": 0.5} for row in rows])
    arguments = ["meta", "benchmark", "nebula", "--data", str(small), "-m", "rouge_l,words", "--format=json"]
    result = CliRunner().invoke(cli, [*arguments, "--resamples=10", "--permutations=10"])
    assert result.exit_code == 0, result.output
    (one,) = msgspec.json.decode(result.stdout)["comparisons"]
    assert one["p"] is None and one["reason"] == "a side is constant"


def test_two_errors_of_one_caption(small: Path) -> None:
    found = load("vidhal", small)
    assert [choice.category for choice in found.choices] == ["action", "action", "order"]
    assert found.chance == 0.5
    values, _ = values_of(found.task, ["bleu_1"], Run(jobs=1))
    (*_, mean) = choice_results(found.choices, values, resamples=0)
    assert (mean.category, mean.accuracy, mean.pairs) == ("mean", 1.0, 3)
    write(small / "metaeval/vidhal/annotations.json", [{"video": 1, "aspect": "x", "captions": {"1": "a"}}])
    with pytest.raises(DataError, match='Three are expected: "1"'):
        load("vidhal", small)


def test_how_related_two_sentences_are(small: Path) -> None:
    found = load("sick", small)
    assert [judgement.value for judgement in found.judgements] == [4.9, 1.2, 3.1]  # those of the test set
    assert found.headline == "spearman" and found.chance == 0.0
    result = benchmark("sick", small, ["bleu_1"], resamples=0, permutations=10).agreements[0].results[0]
    assert result.n == 3 and result.values["spearman"] > 0.4
    (small / "metaeval/sick/SICK.txt").write_text("sentence_A\tsentence_B\tscore\nx\ty\t2")
    with pytest.raises(DataError, match="relatedness_score"):
        load("sick", small)


def test_the_card_says_what_chance_is(small: Path) -> None:
    cards = report_card(small, ["meteor", "bleu_1"], ["vidhal", "hat", "nebula"], resamples=0)
    text = render(present(cards), "markdown")
    for said in ("reaches 50 %.", "reaches 0.5 (AUC).", "reaches 0 (tau-c)."):
        assert f"A metric that knows nothing {said}" in text, said
