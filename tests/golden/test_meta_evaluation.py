"""Published and measured correlations with people, by the commands that anyone can run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner

from storymeter.cli import cli


def benchmark(name: str, data: Path, *options: str) -> Any:
    arguments = [
        "meta",
        "benchmark",
        name,
        "--data",
        str(data),
        "--format",
        "json",
        "--permutations",
        "200",
        "--jobs",
        "2",
        *options,
    ]
    result = CliRunner().invoke(cli, arguments)
    assert result.exit_code == 0, result.output
    answer = msgspec.json.decode(result.stdout)
    assert answer["schema"] == 1
    return answer


def by_metric(answer: Any) -> dict[str, Any]:
    return {row["metric"]: row for row in answer["metrics"]}


def test_flickr8k_expert_kendall(data: Path) -> None:
    answer = benchmark("flickr8k-expert", data, "--resamples", "60")
    rows = by_metric(answer)
    for metric, tau in {
        "bleu_4": 0.3078,
        "bleu_1": 0.3232,
        "rouge_l": 0.3231,
        "meteor": 0.4182,
        "cider": 0.4389,
    }.items():
        assert rows[metric]["kendall_c"] == pytest.approx(tau, abs=0.0005)
        low, high = rows[metric]["intervals"]["kendall_c"]
        assert low < rows[metric]["kendall_c"] < high and high - low < 0.06
        assert rows[metric]["n"] == 5664 * 3
        assert rows[metric]["signature"].startswith(f"metric:{metric}|tok:ptb")
    assert len(answer["comparisons"]) == 10 and all(c["test"] == "permutation" for c in answer["comparisons"])


def test_flickr8k_expert_spearman(data: Path) -> None:
    rows = by_metric(benchmark("flickr8k-expert-all", data, "--resamples", "0", "--metric", "meteor,cider"))
    assert rows["meteor"]["n"] == 5822 * 3
    assert rows["meteor"]["spearman"] == pytest.approx(0.5599, abs=0.0005)
    assert rows["cider"]["spearman"] == pytest.approx(0.5817, abs=0.0005)


@pytest.mark.parametrize(("year", "meteor", "cider"), [(2016, -0.622, -0.025), (2017, 0.727, 0.884)])
def test_own_value_of_a_system(data: Path, year: int, meteor: float, cider: float) -> None:
    own = ("--level", "system", "--system-value", "own", "--metric", "meteor,cider", "--resamples", "0")
    rows = by_metric(benchmark(f"trecvid-{year}", data, *own))
    assert rows["meteor"]["pearson"] == pytest.approx(meteor, abs=0.001)
    assert rows["cider"]["pearson"] == pytest.approx(cider, abs=0.001)
    assert rows["cider"]["signature"].endswith("|system:own")


METRICS = "bleu_4,bleu_4(level=sentence),rouge_l,cider,meteor"


@pytest.mark.parametrize(
    ("name", "systems", "captions", "system_r", "caption_r"),
    [
        (
            "trecvid-2016",
            5,
            5806,
            {
                "bleu_4(level=sentence)": -0.321,
                "bleu_4": -0.526,
                "rouge_l": -0.785,
                "cider": -0.027,
                "meteor": -0.669,
            },
            {"bleu_4": 0.029, "rouge_l": 0.024, "cider": 0.109, "meteor": 0.069},
        ),
        (
            "trecvid-2017",
            13,
            20569,
            {
                "bleu_4(level=sentence)": 0.674,
                "bleu_4": 0.597,
                "rouge_l": 0.648,
                "cider": 0.890,
                "meteor": 0.777,
            },
            {"bleu_4": 0.021, "rouge_l": 0.119, "cider": 0.153, "meteor": 0.171},
        ),
    ],
)
def test_trecvid(
    data: Path,
    name: str,
    systems: int,
    captions: int,
    system_r: dict[str, float],
    caption_r: dict[str, float],
) -> None:
    answer = benchmark(name, data, "--resamples", "30", "--metric", METRICS)
    system, segment = answer["levels"]
    assert (system["level"], segment["level"]) == ("system", "segment")
    for level, expected, n in ((system, system_r, systems), (segment, caption_r, captions)):
        rows = by_metric(level)
        for metric, r in expected.items():
            assert rows[metric]["pearson"] == pytest.approx(r, abs=0.002)
            assert rows[metric]["n"] == n
            assert rows[metric]["intervals"]["pearson"][0] < rows[metric]["intervals"]["pearson"][1]
    assert {c["test"] for c in system["comparisons"]} == {"williams"}
    assert all(0 < c["p"] < 1 and c["p_holm"] >= c["p"] for c in system["comparisons"])
    assert any("SID 0" in note for note in answer["levels"][0]["notes"])


def test_trecvid_multiple_annotators(data: Path) -> None:
    rows = by_metric(
        benchmark(
            "trecvid-2017-multiple",
            data,
            "--level",
            "segment",
            "--resamples",
            "0",
            "--metric",
            "bleu_4,rouge_l,cider,meteor",
        )
    )
    for metric, r in {"bleu_4": 0.106, "rouge_l": 0.250, "cider": 0.310, "meteor": 0.341}.items():
        assert rows[metric]["pearson"] == pytest.approx(r, abs=0.002)
        assert rows[metric]["n"] == 1539
