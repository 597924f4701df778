"""Direct Assessment on real ratings: every published number that the data at hand can give."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from rating_kit import Ratings, analyse, assess, caption_scores, rank, read


@pytest.fixture(scope="module")
def batch(data: Path) -> Ratings:
    return read(data / "da" / "mturk_batch_1234.csv")


@pytest.fixture(scope="module")
def wmt(data: Path) -> Ratings:
    return read(data / "da" / "wmt21_csen" / "ad-csen-good-stnd.csv")


def test_the_mturk_batch_is_complete(batch: Ratings) -> None:
    assert len(batch.rater) == 27
    assert any("2 assignments hold no answer" in note for note in batch.notes)
    for rater in range(27):
        assert np.bincount(batch.kind[batch.rater.codes == rater]).tolist() == [70, 10, 10, 10]


@pytest.mark.parametrize(
    ("test", "at_05", "at_01"), [("t", 23, 19), ("signed-rank", 23, 18), ("mann-whitney", 22, 16)]
)
def test_worker_tests_of_the_mturk_batch(batch: Ratings, test: str, at_05: int, at_01: int) -> None:
    for alpha, expected in ((0.05, at_05), (0.01, at_01)):
        quality = assess(batch, test=test, alpha=alpha)
        assert int(quality.accepted.sum()) == expected
        assert all(worker.pairs == 10 and worker.repeats == 10 for worker in quality.workers)


def test_wmt_worker_statistics(wmt: Ratings, data: Path) -> None:
    """t and p of every worker whose pairs all lie in this language; z scores are a linear map of raw ones, so
    t is the same.
    """
    published = {}
    for line in (data / "da" / "wmt21_csen" / "ad-trk-stats.csv").read_text().splitlines():
        worker, p, _, pairs = line.split()
        published[worker] = (float(p), int(pairs))
    compared = 0
    for worker in assess(wmt, scale="z").workers:
        p, pairs = published[worker.id]
        if pairs == worker.pairs:
            assert worker.p == pytest.approx(p, rel=1e-6)
            compared += 1
    assert compared == 30


def test_wmt_segments(wmt: Ratings, data: Path) -> None:
    got = caption_scores(wmt, scale="z")
    mine = {
        (wmt.systems[s], wmt.item.names[i]): (z, n)
        for s, i, z, n in zip(got.system, got.item, got.z, got.n, strict=True)
    }
    lines = (data / "da" / "wmt21_csen" / "ad-seg-scores-cs-en.csv").read_text().splitlines()[1:]
    assert len(lines) == len(mine)
    for line in lines:
        system, sid, _, z, n = line.split()
        assert mine[system, sid][0] == pytest.approx(float(z), abs=1e-12)
        assert mine[system, sid][1] == int(n)


def test_wmt_systems(wmt: Ratings, data: Path) -> None:
    mine = {s.name: s for s in rank(wmt, scale="z").systems}
    lines = (data / "da" / "wmt21_csen" / "ad-sys-scores-cs-en.csv").read_text().splitlines()[1:]
    for line in lines:
        _, z, captions, name, ratings = line.split()
        assert mine[name].z == pytest.approx(float(z), abs=1e-12)
        assert (mine[name].captions, mine[name].n) == (int(captions), int(ratings))
    assert mine["Facebook-AI.7"].z == pytest.approx(0.111334676751657, abs=1e-12)
    assert len(lines) == len(mine) == 9


def test_wmt_significance_and_clusters(wmt: Ratings, data: Path) -> None:
    ranking = rank(wmt, scale="z")
    place = {s.name: k for k, s in enumerate(ranking.systems)}
    lines = (data / "da" / "wmt21_csen" / "adwilcox-csen.csv").read_text().splitlines()
    columns = lines[0].split()
    significant = 0
    for line in lines[1:]:
        if not line.split():
            continue
        row, *cells = line.split()
        for column, cell in zip(columns, cells, strict=True):
            p = ranking.p[place[row], place[column]]
            if float(cell) == 0.12:
                assert not p < 0.05
            else:
                significant += 1
                assert p == pytest.approx(float(cell), rel=1e-12)
    assert significant == 22
    assert [len(cluster) for cluster in ranking.clusters] == [2, 7]
    assert set(ranking.clusters[0]) == {"Facebook-AI.7", "Online-A.5"}


def test_wmt_published_means_are_enough(wmt: Ratings, data: Path) -> None:
    """The means of captions that WMT publishes give its means of systems, raw and z, and its tests."""
    folder = data / "da" / "wmt21_csen"
    ranking = rank(read(folder / "ad-seg-scores-cs-en.csv"), scale="z")
    mine = {s.name: s for s in ranking.systems}
    for line in (folder / "ad-sys-scores-cs-en.csv").read_text().splitlines()[1:]:
        raw, z, captions, name, ratings = line.split()
        one = mine[name]
        assert (one.raw, one.z) == (pytest.approx(float(raw), abs=1e-9), pytest.approx(float(z), abs=1e-12))
        assert (one.captions, one.n) == (int(captions), int(ratings))
    before = rank(wmt, scale="z")
    assert ranking.clusters == before.clusters
    assert ranking.p == pytest.approx(before.p, rel=1e-9, nan_ok=True)


def test_wmt_clusters_from_the_command(data: Path) -> None:
    import msgspec
    from click.testing import CliRunner

    from storymeter.cli import cli

    result = CliRunner().invoke(
        cli,
        [
            "human",
            "analyse",
            str(data / "da" / "wmt21_csen" / "ad-csen-good-stnd.csv"),
            "--scale",
            "z",
            "--accept",
            "all",
            "--clusters",
            "ranksum",
            "--format",
            "json",
        ],
    )
    assert result.exit_code == 0, result.output
    answer = msgspec.json.decode(result.stdout)
    assert answer["schema"] == 1 and answer["clusters_by"] == "ranksum"
    assert answer["clusters"][0] == ["Facebook-AI.7", "Online-A.5"]
    assert sum(pair["p"] < 0.05 for pair in answer["significance"]) == 22
    assert set(answer["workers"][0]) >= {"id", "pairs", "p", "accepted", "flags"}
    assert set(answer["systems"][0]) >= {"name", "raw", "z", "n", "interval"}


TRECVID_2016 = {
    "HUMAN-b": (85.13, 0.768),
    "SHEF-UETlahore": (66.20, 0.224),
    "MEDIAMILL": (54.22, -0.092),
    "INF-coco": (50.39, -0.213),
    "DCU-adapt": (47.00, -0.308),
    "NII-resnet": (48.05, -0.312),
}


def test_trecvid_2016_raw_and_z_disagree(data: Path) -> None:
    sums: dict[str, list[tuple[float, float]]] = {}
    with (
        data / "da" / "trecvid_vtt" / "single-annotator" / "2016" / "ad-seg-scores-en-en.csv"
    ).open() as file:
        for row in csv.DictReader(file):
            sums.setdefault(row["SYS"], []).append((float(row["RAW.SCR"]), float(row["Z.SCR"])))
    for system, (raw, z) in TRECVID_2016.items():
        mean = np.mean(sums[system], axis=0)
        assert mean[0] == pytest.approx(raw, abs=0.005)
        assert mean[1] == pytest.approx(z, abs=0.0005)


def test_the_whole_batch_analysed(batch: Ratings) -> None:
    analysis = analyse(batch)
    assert int(analysis.kept.sum()) == 23 and len(analysis.used) == 2300
    assert "" not in {s.name for s in analysis.ranking.systems}
    assert 0.3 < analysis.agreement.alpha < 0.7
