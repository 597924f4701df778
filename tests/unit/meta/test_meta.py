"""Metrics beside people on small files, and on files that give trouble."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from click.testing import CliRunner
from part_kit import Later

from storymeter.captions import Rating
from storymeter.cli import cli
from storymeter.errors import DataError, UsageError
from storymeter.meta import agree
from storymeter.meta.benchmarks import available, load
from storymeter.meta.inputs import read_human
from storymeter.meta.scores import Judgement, Scores, join_scores, tabulate, values_of_file
from storymeter.meta.statistics import segment_level, system_level
from storymeter.stats import pearson

scipy_stats = Later("scipy.stats")


def run(*arguments: Any) -> Any:
    return CliRunner().invoke(cli, ["meta", *map(str, arguments)])


def answer(*arguments: Any) -> Any:
    result = run(*arguments, "--format", "json")
    assert result.exit_code == 0, (result.output, result.exception)
    return msgspec.json.decode(result.stdout)


@pytest.fixture
def tables(tmp_path: Path) -> tuple[Path, Path]:
    """Five systems, twenty items; one metric that is good, one that is noise, one that is constant."""
    random = np.random.default_rng(0)
    human, scores = ["system,item,score"], ["system,item,good,noise,flat"]
    for s in range(5):
        for i in range(20):
            quality = 10 * s + random.normal(0, 5)
            human.append(f"s{s},i{i},{quality + random.normal(0, 3):.3f}")
            scores.append(f"s{s},i{i},{quality:.3f},{random.normal():.3f},1")
    (tmp_path / "human.csv").write_text("\n".join(human))
    (tmp_path / "scores.csv").write_text("\n".join(scores))
    return tmp_path / "human.csv", tmp_path / "scores.csv"


def test_scores_from_a_file_at_both_levels(tables: tuple[Path, Path]) -> None:
    human, scores = tables
    segment = answer(
        "--human", human, "--scores", scores, "--level", "segment", "--resamples", 50, "--permutations", 100
    )
    rows = {row["metric"]: row for row in segment["metrics"]}
    assert rows["good"]["pearson"] > 0.9 and abs(rows["noise"]["pearson"]) < 0.3
    assert rows["flat"]["pearson"] is None and rows["flat"]["reasons"]["pearson"] == "the metric is constant"
    assert rows["good"]["n"] == 100 and rows["good"]["pearson_by_item_groups"] == 20
    assert {"pearson", "spearman", "kendall_b", "kendall_c"} <= set(rows["good"]["intervals"])
    system = answer("--human", human, "--scores", scores, "--level", "system", "--resamples", 50)
    rows = {row["metric"]: row for row in system["metrics"]}
    assert rows["good"]["n"] == 5 and rows["good"]["pairwise_accuracy"] == 1.0
    low, high = rows["good"]["intervals"]["soft_pairwise_accuracy"]
    assert (
        low <= rows["good"]["soft_pairwise_accuracy"] + 0.01
        and rows["good"]["soft_pairwise_accuracy"] - 0.01 <= high <= 1
    )
    pair = next(c for c in system["comparisons"] if {c["better"], c["worse"]} == {"good", "noise"})
    assert pair["better"] == "good" and pair["test"] == "williams" and pair["p"] < 0.05


@pytest.mark.parametrize("statistic", ["spearman", "kendall_b", "kendall_c", "accuracy_ties"])
def test_metrics_are_compared_by_any_coefficient(tables: tuple[Path, Path], statistic: str) -> None:
    human, scores = tables
    found = answer(
        "--human", human, "--scores", scores, "--compare", statistic, "--resamples", 0, "--permutations", 200
    )
    rows = {row["metric"]: row[statistic] for row in found["metrics"]}
    pair = next(c for c in found["comparisons"] if {c["better"], c["worse"]} == {"good", "noise"})
    assert (pair["better"], pair["test"], pair["statistic"]) == ("good", "permutation", statistic) and pair[
        "p"
    ] < 0.02
    assert (pair["r_better"], pair["r_worse"]) == (
        pytest.approx(rows["good"], abs=1e-12),
        pytest.approx(rows["noise"], abs=1e-12),
    )
    without = [c for c in found["comparisons"] if "flat" in (c["better"], c["worse"])]
    assert all(c["p"] is not None or c["reason"] for c in without)
    shown = run(
        "--human", human, "--scores", scores, "--compare", statistic, "--resamples", 0, "--permutations", 50
    )
    assert shown.exit_code == 0 and "nan" not in shown.stdout.lower()


def test_systems_whose_files_differ_behind_the_last_dot(tmp_path: Path) -> None:
    for name in ("run.en.TEAM-a", "run.en.TEAM-b", "ref.en"):
        (tmp_path / name).write_text(
            "a man runs\na dog sleeps\n" if name != "run.en.TEAM-b" else "a man\na dog\n"
        )
    (tmp_path / "human.csv").write_text(
        "SYS,SID,RAW.SCR,Z.SCR,N\n"
        + "".join(
            f"TEAM-{t},{k},50,{z},1\n"
            for t, k, z in (("a", 1, 0.5), ("a", 2, 0.7), ("b", 1, -0.2), ("b", 2, -0.9))
        )
    )
    found = answer(
        tmp_path / "run.en.TEAM-a",
        tmp_path / "run.en.TEAM-b",
        "--references",
        tmp_path / "ref.en",
        "--metric",
        "rouge_l",
        "--human",
        tmp_path / "human.csv",
        "--resamples",
        0,
    )
    assert found["metrics"][0]["n"] == 4 and found["metrics"][0]["dropped"] == 0


def test_tables_latex_csv_html_and_figures(tables: tuple[Path, Path], tmp_path: Path) -> None:
    human, scores = tables
    for style in ("table", "csv", "latex", "markdown"):
        result = run(
            "--human", human, "--scores", scores, "--format", style, "--resamples", 20, "--permutations", 50
        )
        assert result.exit_code == 0, result.output
        assert "nan" not in result.stdout.lower() and "constant" in result.stdout
    page = tmp_path / "page.html"
    assert (
        run(
            "--human",
            human,
            "--scores",
            scores,
            "--html",
            page,
            "--figures",
            tmp_path / "f",
            "--resamples",
            20,
            "--permutations",
            50,
            "--level",
            "system",
        ).exit_code
        == 0
    )
    assert "Pearson&#39;s correlation with the human scores" in page.read_text()
    assert {"system-metrics.png", "system-scatter-good.png"} <= {p.name for p in (tmp_path / "f").iterdir()}


def test_ids_that_do_not_join(tables: tuple[Path, Path], tmp_path: Path) -> None:
    human, scores = tables
    (tmp_path / "other.csv").write_text(scores.read_text().replace("\ns", "\nother"))
    result = run("--human", human, "--scores", tmp_path / "other.csv")
    assert isinstance(result.exception, DataError)
    assert "No score of 'good' can be joined with a human score" in str(result.exception)


def test_missing_stays_missing(tables: tuple[Path, Path], tmp_path: Path) -> None:
    human, scores = tables
    lines = scores.read_text().splitlines()
    lines[1] = "s0,i0,,0.3,1"
    (tmp_path / "holes.csv").write_text("\n".join([*lines[:50], "s9,i9,1,2,1"]))
    out = answer("--human", human, "--scores", tmp_path / "holes.csv", "--resamples", 0, "--permutations", 50)
    good = next(row for row in out["metrics"] if row["metric"] == "good")
    assert good["n"] == 48 and good["dropped"] == 52
    assert any("good: 52 of 100 human judgements have no score" in note for note in out["notes"])
    assert any("1 scored captions have no human judgement" in note for note in out["notes"])


def test_scores_that_are_no_measurements_are_missing(tables: tuple[Path, Path], tmp_path: Path) -> None:
    human, scores = tables
    lines = scores.read_text().splitlines()
    (tmp_path / "huge.csv").write_text(
        "\n".join([lines[0], "s0,i0,inf,0.3,1", "s0,i1,1e308,0.3,1", *lines[3:]])
    )
    good = next(
        row
        for row in answer(
            "--human", human, "--scores", tmp_path / "huge.csv", "--resamples", 0, "--permutations", 50
        )["metrics"]
        if row["metric"] == "good"
    )
    assert good["n"] == 98


def test_ids_that_begin_like_a_formula_join(tables: tuple[Path, Path], tmp_path: Path) -> None:
    """YouTube ids begin with a dash; `score --per-document` writes them with a quote, for spreadsheets."""
    human, scores = tables
    for name, path, quote in (("human", human, ""), ("scores", scores, "'")):
        (tmp_path / f"{name}.csv").write_text(re.sub(r",(i\d)", rf",{quote}-\1", path.read_text()))
    out = answer(
        "--human",
        tmp_path / "human.csv",
        "--scores",
        tmp_path / "scores.csv",
        "--resamples",
        0,
        "--permutations",
        50,
    )
    assert all(row["n"] == 100 for row in out["metrics"])


@pytest.mark.parametrize(
    "text",
    [
        "",
        "system,item\na,b\n",
        "system,item,score\na,b,high\n",
        "system,item,score\na,b\n",
        "system,item,score\n",
        "\ufeff\n",
        "system,item,score\n" + "a" * 200_000 + ",b,1\n",
    ],
    ids=lambda text: repr(text[:30]),
)
def test_bad_human_files(tables: tuple[Path, Path], tmp_path: Path, text: str) -> None:
    (tmp_path / "bad.csv").write_text(text)
    result = run("--human", tmp_path / "bad.csv", "--scores", tables[1])
    assert isinstance(result.exception, DataError) and result.exception.hint


def test_nothing_to_correlate(tables: tuple[Path, Path]) -> None:
    assert isinstance(run("--human", tables[0]).exception, UsageError)
    assert isinstance(run("benchmark", "flikr8k", "--data", ".").exception, UsageError)


def three(videos: Path) -> list[Path | str]:
    """Three systems and the first references."""
    systems = [videos / f"{name}.json" for name in ("good", "padded", "disordered")]
    return [*systems, "-r", videos / "reference_1.json"]


def test_candidates_are_scored_and_joined(examples: Path, tmp_path: Path) -> None:
    """The packaged example: ratings of captions, computed metrics, the number-of-references curve."""
    videos = examples / "videos"
    out = answer(
        *three(videos),
        "-r",
        videos / "reference_2.json",
        "--human",
        examples / "ratings.csv",
        "--metric",
        "bleu_4,rouge_l",
        "--resamples",
        20,
        "--permutations",
        50,
        "--reference-curve",
        "pearson",
    )
    assert {row["metric"] for row in out["metrics"]} == {"bleu_4", "rouge_l"}
    assert all(row["signature"] for row in out["metrics"])
    assert any("ratings of 7 of 8 raters" in note for note in out["notes"])
    assert len(out["reference_curve"]["values"]["rouge_l"]) == 2


def test_systems_judged_as_a_whole(examples: Path, tmp_path: Path) -> None:
    (tmp_path / "human.csv").write_text("system,score\ngood,80\npadded,40\ndisordered,50\n")
    videos = examples / "videos"
    out = answer(
        *three(videos),
        "--human",
        tmp_path / "human.csv",
        "--metric",
        "rouge_l",
        "--level",
        "system",
    )
    assert out["metrics"][0]["n"] == 3
    assert isinstance(
        run(
            "--human",
            tmp_path / "human.csv",
            videos / "good.json",
            "-r",
            videos / "reference_1.json",
            "--metric",
            "rouge_l",
        ).exception,
        DataError,
    )


def test_preferences_give_accuracies(tmp_path: Path) -> None:
    records = [
        Rating(f"v{i}", "a", f"r{k}", v, criterion="preference", meta={"against": "b"})
        for i, v in enumerate([2.0, -1.0, 1.0, 0.0])
        for k in range(3)
    ]
    (tmp_path / "p.jsonl").write_bytes(b"\n".join(map(msgspec.json.encode, records)))
    (tmp_path / "s.csv").write_text(
        "system,item,m\n"
        + "\n".join(
            f"{s},v{i},{x}"
            for s, xs in {"a": (1, 2, 3, 4), "b": (2, 1, 3, 9)}.items()
            for i, x in enumerate(xs)
        )
    )
    (row,) = answer("--human", tmp_path / "p.jsonl", "--scores", tmp_path / "s.csv")["metrics"]
    assert (row["accuracy"], row["n"], row["ties"]) == (pytest.approx(2.5 / 3), 3, 1)


def test_bootstrap_of_items_covers_the_truth() -> None:
    """A 95 % interval should miss the true correlation about one time in twenty; rows of an item are
    correlated.
    """
    random, missed = np.random.default_rng(1), 0
    for trial in range(30):
        item = np.repeat(random.normal(size=80), 3)
        human, metric = item + random.normal(size=240), item + random.normal(size=240)
        rows = [Judgement(f"s{k % 3}", f"i{k // 3:03d}", float(v)) for k, v in enumerate(human)]
        scores = join_scores(
            tabulate(rows),
            values_of_file({"m": {(j.system, j.item): float(v) for j, v in zip(rows, metric, strict=True)}}),
        )
        low, high = segment_level(scores, "m", resamples=100, seed=trial).intervals["pearson"]
        missed += not low < 0.5 < high
    assert missed <= 5


def _rated(systems: int, items: int, raters: int, seed: int) -> Scores:
    """Metric and people agree within systems with r = .35; captions of an item share a part."""
    random = np.random.default_rng(seed)
    shared = random.normal(size=items) + random.normal(size=(systems, items))
    metric = shared + random.normal(scale=2**0.5, size=shared.shape)
    human = shared[..., None] + random.normal(scale=6**0.5, size=(*shared.shape, raters))
    system, item, _ = np.indices(human.shape).reshape(3, -1)
    names = (tuple(f"{name}{k}" for k in range(n)) for name, n in (("s", systems), ("i", items)))
    return Scores(*names, system, item, human.ravel(), {"m": np.repeat(metric.ravel(), raters)})


def test_intervals_within_systems_draw_items_not_systems() -> None:
    """Of the mean of few systems' correlations: with equal captions of all systems they are equal, too, and
    the interval must be as wide as that of one.
    """
    one, truth, covered = _rated(1, 40, 2, 3), 2 / 32**0.5, 0
    copies = Scores(
        ("a", "b"),
        one.items,
        np.repeat([0, 1], len(one)),
        np.tile(one.item, 2),
        np.tile(one.human, 2),
        {"m": np.tile(one.metrics["m"], 2)},
    )
    alone, both = (segment_level(s, "m", resamples=300).intervals for s in (one, copies))
    assert both["pearson_by_system"] == pytest.approx(alone["pearson"], abs=1e-9)
    low, high = both["kendall_b_by_system"]
    assert alone["kendall_b"] == pytest.approx((low, high), abs=0.03)
    for seed in range(40):
        low, high = segment_level(_rated(3, 30, 2, seed), "m", resamples=100).intervals["pearson_by_system"]
        covered += low < truth < high
    assert covered >= 34


def test_fishers_interval_only_of_independent_judgements() -> None:
    assert "pearson_fisher" in segment_level(_rated(1, 20, 1, 0), "m", resamples=0).intervals
    for systems, raters in ((1, 3), (3, 1)):
        found = segment_level(_rated(systems, 20, raters, 0), "m", resamples=0).intervals
        assert not [key for key in found if key.endswith("_fisher")]


def test_systems_may_be_drawn_too() -> None:
    random = np.random.default_rng(3)
    rows = [Judgement(f"s{s}", f"i{i}", 10.0 * s + random.normal(0, 4)) for s in range(8) for i in range(30)]
    scores = join_scores(
        tabulate(rows),
        values_of_file({"m": {(j.system, j.item): j.value + random.normal(0, 20) for j in rows}}),
    )
    widths = {}
    for unit in ("items", "systems", "both"):
        low, high = system_level(scores, "m", resamples=200, unit=unit).intervals["pearson"]
        widths[unit] = high - low
    assert widths["items"] > 0 and widths["systems"] > 0 and widths["both"] > 0


def test_less_is_better_metrics_are_turned_round() -> None:
    rows = [Judgement("s", f"i{k}", float(k)) for k in range(10)]
    scores = join_scores(tabulate(rows), values_of_file({"m": {(j.system, j.item): -j.value for j in rows}}))
    turned = replace(scores, lower_is_better=frozenset({"m"}))
    assert segment_level(turned, "m", resamples=0).values["pearson"] == pytest.approx(1.0)
    assert segment_level(scores, "m", resamples=0).values["pearson"] == pytest.approx(-1.0)


def test_one_system_two_items() -> None:
    rows = [Judgement("s", "a", 1.0), Judgement("s", "b", 2.0)]
    scores = join_scores(tabulate(rows), values_of_file({"m": {("s", "a"): 1.0, ("s", "b"): 3.0}}))
    assert segment_level(scores, "m", resamples=10).values["pearson"] == 1.0
    lonely = system_level(scores, "m", resamples=10)
    assert math.isnan(lonely.values["pearson"]) and lonely.reasons["pearson"] == "fewer than two points"
    assert pearson([1], [2]) != pearson([1], [2])


def test_a_survey_is_correlated_criterion_by_criterion(tmp_path: Path) -> None:
    """Table 1 of RoViST: metrics against the mean marks of each criterion, and against their sum."""
    random = np.random.default_rng(4)
    records, lines, mean = [], ["system,item,m"], {}
    for system in ("a", "b", "c"):
        for item in (f"v{k}" for k in range(6)):
            marks = {
                criterion: [float(v) for v in random.integers(1, 6, 3)]
                for criterion in ("coherent", "grounded")
            }
            records += [
                Rating(item, system, f"r{k}", value, criterion=criterion)
                for criterion, values in marks.items()
                for k, value in enumerate(values)
            ]
            records.append(Rating(item, system, "r0", 1.0, criterion="vote"))
            mean[system, item] = {criterion: float(np.mean(values)) for criterion, values in marks.items()}
            lines.append(f"{system},{item},{mean[system, item]['grounded'] + random.normal(0, 0.5):.4f}")
    (tmp_path / "survey.jsonl").write_bytes(b"\n".join(map(msgspec.json.encode, records)))
    (tmp_path / "scores.csv").write_text("\n".join(lines))
    found = answer(
        "--human",
        tmp_path / "survey.jsonl",
        "--scores",
        tmp_path / "scores.csv",
        "--resamples",
        0,
        "--permutations",
        20,
    )["levels"]
    assert [level["title"] for level in found] == ["survey, coherent", "survey, grounded", "survey, overall"]
    metric = {tuple(line.split(",")[:2]): float(line.split(",")[2]) for line in lines[1:]}
    for level, human in zip(
        found,
        (
            {k: v["coherent"] for k, v in mean.items()},
            {k: v["grounded"] for k, v in mean.items()},
            {k: sum(v.values()) for k, v in mean.items()},
        ),
        strict=True,
    ):
        expected = scipy_stats.pearsonr([human[k] for k in metric], list(metric.values())).statistic
        assert level["metrics"][0]["pearson"] == pytest.approx(expected, abs=1e-12)
    shown = run(
        "--human",
        tmp_path / "survey.jsonl",
        "--scores",
        tmp_path / "scores.csv",
        "--figures",
        tmp_path / "f",
        "--resamples",
        0,
        "--permutations",
        20,
    )
    assert shown.exit_code == 0 and len(list((tmp_path / "f").iterdir())) == 6
    lines = run(
        "--human",
        tmp_path / "survey.jsonl",
        "--scores",
        tmp_path / "scores.csv",
        "--resamples",
        0,
        "--format",
        "csv",
    ).stdout.splitlines()
    assert [line.split('"')[1] for line in lines if line.startswith('"')] == [
        f"survey, {criterion} (segment level)" for criterion in ("coherent", "grounded", "overall")
    ]


def test_sid_counts_from_1(tmp_path: Path) -> None:
    """TRECVID's tables have a few rows under SID 0, which is no caption: said, and dropped."""
    rows = ["SYS,SID,RAW.SCR,Z.SCR,N"]
    rows += [f"s{s},{i},50,{s + i / 7},1" for s in range(3) for i in range(5)]
    (tmp_path / "human.csv").write_text("\n".join(rows))
    found = read_human(tmp_path / "human.csv")
    assert "0" not in found.items and len(found) == 12
    assert found.notes == ("3 rows with SID 0 are dropped (SID counts from 1).",)


@pytest.mark.parametrize("year", range(2016, 2021))
@pytest.mark.parametrize("annotators", ["single", "multiple"])
def test_every_year_of_trecvid_is_read_by_the_same_layout(tmp_path: Path, year: int, annotators: str) -> None:
    folder = tmp_path / "da" / "trecvid_vtt" / f"{annotators}-annotator" / str(year)
    (folder / "references").mkdir(parents=True)
    (folder / "systems").mkdir()
    (folder / "references" / "ref.txt").write_text("a dog runs\na cat sits\n")
    (folder / "systems" / f"run.{year}.teamA").write_text("a dog\na cat\n")
    (folder / "ad-seg-scores-en-en.csv").write_text(
        "SYS,SID,RAW.SCR,Z.SCR,N\nteamA,0,1,1,1\nteamA,1,60,0.5,1\nteamA,2,40,-0.5,1\nHUMAN-b,1,90,2,1\n"
    )
    name = f"trecvid-{year}" + ("" if annotators == "single" else "-multiple")
    assert available(tmp_path) == [name]
    benchmark = load(name, tmp_path)
    assert [tuple(j) for j in benchmark.judgements] == [("teamA", "00001", 0.5), ("teamA", "00002", -0.5)]
    assert [d.text for d in benchmark.task.candidates] == ["a dog", "a cat"]
    assert "1 rows with SID 0 are dropped" in benchmark.notes[0]


def test_line_numbered_files_of_unequal_length(tmp_path: Path) -> None:
    """1,881 lines beside 1,903 were compared line by line, though they are shifted or cut."""
    for name, count in (("people", 5), ("a", 5), ("b", 4)):
        (tmp_path / f"{name}.txt").write_text("".join(f"{name} sees dog {k}\n" for k in range(count)))
    rows = ["system,item,score", *(f"{s},{i},{i}" for s in ("a", "b") for i in range(1, 5))]
    (tmp_path / "human.csv").write_text("\n".join(rows))
    files = [tmp_path / "a.txt", tmp_path / "b.txt"]
    asked = [
        "--human",
        tmp_path / "human.csv",
        "-r",
        tmp_path / "people.txt",
        "-m",
        "rouge_l",
        "--resamples",
        0,
    ]
    refused = run(*files, *asked)
    assert isinstance(refused.exception, DataError)
    assert re.search(r"must have the same number of lines.*a 5, b 4, people 5", str(refused.exception))
    told = run(*files, *asked, "--unequal-lines")
    assert told.exit_code == 0, told.output
    refused = run("similarity", "--systems", *files, "--scorer", "rouge_l")
    assert isinstance(refused.exception, DataError) and "--unequal-lines" in str(refused.exception)


def test_the_idf_of_saved_runs_stands_in_their_signatures(tmp_path: Path) -> None:
    """CIDEr of a saved run has the idf of each system's own documents, of files that of all together."""
    texts = {"one": "a dog runs over the grass", "two": "a cat sits by the door", "three": "a man rides home"}
    answers = {"a": dict(texts), "b": {key: texts[key] for key in ("one", "two")}}
    for name, captions in answers.items():
        (tmp_path / f"{name}.csv").write_text("\n".join(["id,caption", *map(",".join, captions.items())]))
    (tmp_path / "people.csv").write_text("\n".join(["id,caption", *map(",".join, texts.items())]))
    marks = [f"{name},{key},{len(key)}" for name in answers for key in answers[name]]
    (tmp_path / "human.csv").write_text("\n".join(["system,item,score", *marks]))
    files = [str(tmp_path / f"{name}.csv") for name in answers]
    people, saved = str(tmp_path / "people.csv"), str(tmp_path / "run.smr")
    ran = CliRunner().invoke(cli, ["score", *files, "-r", people, "-m", "cider,meteor", "--save", saved])
    assert ran.exit_code == 0, ran.output
    options: dict[str, Any] = {"resamples": 0, "permutations": 0}
    human = tmp_path / "human.csv"
    together = agree(human, candidates=files, references=people, metrics=["cider", "meteor"], **options)
    apart = agree(human, candidates=saved, **options)
    first, other = (found["human"].scores.signatures for found in (together, apart))
    assert "fitted:system" in other["cider"] and "fitted:system" not in first["cider"]
    assert "fitted" not in other["meteor"]


@pytest.mark.parametrize("wrong", [3, [{"id": "one"}]])
def test_what_is_no_file_is_said(tmp_path: Path, wrong: Any) -> None:
    with pytest.raises(UsageError, match="Files cannot be"):
        agree(tmp_path / "human.csv", candidates=wrong)
