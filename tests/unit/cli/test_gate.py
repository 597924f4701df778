"""storymeter gate: exit codes, files and false alarms."""

from __future__ import annotations

import itertools
import json
import shlex
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from storymeter.arrays import FloatArray
from storymeter.engine.gating import Checked, GateResult, below, condition, difference, swap_p
from storymeter.errors import UsageError
from storymeter.report import present
from storymeter.stats.paired import Part

Verb = Callable[..., tuple[int, str, str]]


@pytest.fixture
def baseline(run: Verb, examples: Path, tmp_path: Path) -> str:
    videos, saved = examples / "videos", str(tmp_path / "run.smr")
    reference = str(videos / "reference_1.json")
    assert (
        run("score", str(videos / "good.json"), "-r", reference, "-m", "soda_c,meteor", "--save", saved)[0]
        == 0
    )
    return saved


def test_a_worse_version_fails_and_says_why(run: Verb, baseline: str, examples: Path, tmp_path: Path) -> None:
    new = str(examples / "videos" / "disordered.json")
    files = ["--junit", str(tmp_path / "g.xml"), "--markdown", str(tmp_path / "g.md")]
    limits = ["--fail-if", "soda_c < -0.5", "--fail-if", "meteor < -1"]
    code, out, err = run("gate", new, "--against", baseline, *limits, *files)
    assert code == 1 and "The gate fails" in err and "fails" in out
    table = [line for line in out.splitlines() if " soda_c" in line]  # one row, the verdict first
    assert len(table) == 1 and table[0].split()[0] == "fails" and len(table[0]) <= 80, out
    suite = ElementTree.parse(tmp_path / "g.xml").getroot()
    assert suite.attrib["failures"] == "1" and [case.attrib["name"] for case in suite] == limits[1::2]
    assert "| soda_c < -0.5 | 20.75 | 8.75 |" in (tmp_path / "g.md").read_text()
    code, out, _ = run("gate", new, "--against", baseline, *limits, "--format", "json")
    found = json.loads(out)
    assert code == 1 and found["failed"] and [c["failed"] for c in found["conditions"]] == [True, False]


def test_what_several_conditions_find_allows_for_their_correction(
    run: Verb, baseline: str, examples: Path
) -> None:
    """One of two conditions fails at p < .025, so that the change it finds is larger."""
    new, found = str(examples / "videos" / "disordered.json"), []
    for limits in (["soda_c < 0"], ["soda_c < 0", "meteor < 0"]):
        options = [part for limit in limits for part in ("--fail-if", limit)]
        out = run("gate", new, "--against", baseline, *options, "--format", "json")[1]
        found.append(json.loads(out)["conditions"][0])
    # Student's t with 11 degrees of freedom: the quantiles .95 and .975, each with a power of .8
    error = (found[0]["interval"][1] - found[0]["change"]) / 2.200985
    assert found[0]["detectable"] == pytest.approx(-2.6549 * error, rel=0.001)
    assert found[1]["detectable"] == pytest.approx(-3.0784 * error, rel=0.001)


def test_a_metric_is_named_by_any_name_of_it(run: Verb, examples: Path, tmp_path: Path) -> None:
    videos, saved = examples / "videos", str(tmp_path / "run.smr")
    good, reference = str(videos / "good.json"), str(videos / "reference_1.json")
    assert run("score", good, "-r", reference, "-m", "spice(rules)", "--save", saved)[0] == 0
    code, out, err = run("score", saved, "-m", "spice(rules)", "--format", "json")
    assert code == 0 and json.loads(out)["systems"][0]["scores"][0]["metric"] == "spice", err
    code, _, err = run("gate", good, "--against", saved, "--fail-if", "spice(rules) < -1")
    assert code == 0, err
    for command in (
        ["score", saved, "-m", "cider"],
        ["gate", good, "--against", saved, "--fail-if", "cider < -1"],
    ):
        code, _, err = run(*command)
        assert code and "no scores of cider" in err and "It has spice." in err


def test_the_same_version_passes(run: Verb, baseline: str, examples: Path) -> None:
    same = str(examples / "videos" / "good.json")
    assert run("gate", same, "--against", baseline, "--fail-if", "soda_c < 0")[0] == 0
    assert run("gate", same, same, "--against", baseline, "--fail-if", "soda_c < -0.5")[0] == 0


def test_the_gate_says_where_its_test_cannot_be_trusted() -> None:
    plain = Checked("m < 0", "m", 1.0, 1.0, 0.0, (-1.0, 1.0), 0.0, 0.5, 0.5, 20, -1.0, False, 0.1, 20, 20)
    said = {
        "may fail too often": replace(plain, skewness=2.5),
        "may fail too seldom": replace(plain, skewness=-2.5),
        "Only 3 of 20 changed": replace(plain, changed=3),
    }
    for text, checked in said.items():
        assert text in present(GateResult("new", "old", [checked])).summary[0]
        assert not any(other in present(GateResult("new", "old", [plain])).summary[0] for other in said)
    over_seeds = replace(plain, skewness=0.0, units=0, changed=0)
    assert "Only" not in present(GateResult("new", "old", [over_seeds])).summary[0]


def test_missing_documents_are_named_and_no_change_shows_no_power(
    run: Verb, baseline: str, examples: Path, tmp_path: Path
) -> None:
    good, short = examples / "videos" / "good.json", tmp_path / "short.json"
    record = json.loads(good.read_text())
    record["results"] = dict(list(record["results"].items())[:3])
    short.write_text(json.dumps(record))
    junit, markdown = tmp_path / "g.xml", tmp_path / "g.md"
    words = ["--against", baseline, "--fail-if", "meteor < -0.5"]
    files = ["--junit", str(junit), "--markdown", str(markdown)]
    code, _, err = run("gate", str(short), *words, *files)
    assert code == 1
    for text in (err, junit.read_text(), markdown.read_text()):
        assert "new: 3 documents have a reference, 9 missing (each counts 0" in text
    code, out, err = run("gate", str(short), *words, "--format", "json")
    assert json.loads(out)["coverage"]["new"] == {"matched": 3, "missing": 9, "extra": 0, "empty": 0}
    assert "9 missing" in err
    code, out, err = run("gate", str(good), *words, "--format", "json")
    assert code == 0 and json.loads(out)["conditions"][0]["detectable"] is None
    _, _, err = run("gate", str(good), *words)
    assert "No document changed" in err and "80 of 100" not in err


@pytest.mark.parametrize("text", ["soda_c", "soda_c < x", "< 3", "soda_c = 1"])
def test_conditions_that_are_none_are_refused(text: str) -> None:
    with pytest.raises(UsageError, match="fail-if"):
        condition(text)


def test_what_the_run_lacks_is_refused(run: Verb, baseline: str, examples: Path) -> None:
    new = str(examples / "videos" / "good.json")
    assert run("gate", new, "--against", baseline, "--fail-if", "cider < 0")[0] == 2
    assert run("gate", new, "--against", baseline, "--fail-if", "soda_c < 0", "--baseline", "x")[0] == 2


def test_what_cannot_be_run_does_not_fail_as_a_worse_version(
    run: Verb, baseline: str, tmp_path: Path
) -> None:
    broken = tmp_path / "broken.json"
    broken.write_text('{"version": "1", "results": {"v1"')
    for new in (broken, tmp_path / "missing.json"):
        code, _, err = run("gate", str(new), "--against", baseline, "--fail-if", "soda_c < 0")
        assert code == 2 and "error:" in err
    broken.rename(tmp_path / "broken.smr")
    new = str(tmp_path / "missing.json")
    assert run("gate", new, "--against", str(tmp_path / "broken.smr"), "--fail-if", "soda_c < 0")[0] == 2


def test_what_cannot_be_written_does_not_fail_as_a_worse_version(
    run: Verb, baseline: str, examples: Path, tmp_path: Path
) -> None:
    words = ("--against", baseline, "--fail-if", "soda_c < -50", "--junit", f"{baseline}/gate.xml")
    code, _, err = run("gate", str(examples / "videos" / "good.json"), *words)
    assert code == 2 and "error:" in err


def test_false_alarms_at_the_limit() -> None:
    draw = np.random.default_rng(0)
    for n in (12, 40):
        found = [lower(draw.standard_t(4, n), seed) < 0.05 for seed in range(300)]
        assert 0.02 < np.mean(found) < 0.085
    gains = [lower(np.exp(draw.normal(size=30)) - np.exp(0.5), seed) < 0.05 for seed in range(300)]
    assert np.mean(gains) < 0.11  # swaps alone: .14
    assert lower(np.full(5, -1.0), 0) == 1 / 32 and lower(np.full(5, 1.0), 0) == 1.0


def test_at_the_limit_0_the_gate_swaps_what_compare_swaps() -> None:
    """Also of metrics that are no mean: the one-sided p of the twelve documents' swaps, counted by hand."""
    draw = np.random.default_rng(4)
    rate = Part(slice(None), lambda sums: np.exp(sums[..., 0] / sums[..., 1]))
    for _ in range(20):
        a, b = (np.column_stack([draw.normal(size=9), draw.integers(1, 30, 9)]) for _ in range(2))
        swaps = [
            np.where(np.array(each)[:, None], [b, a], [a, b]) for each in itertools.product((0, 1), repeat=9)
        ]
        found = np.array([difference(each, rate) for each in swaps])
        p = float((found <= found[0] + 1e-9).mean())
        assert swap_p((a, b), rate, 0.0, 0, 1.0) == p
        assert below((a, b), rate, 0.0, 0) >= p
        assert swap_p((b, a), rate, 0.0, 0, -1.0) == p


def test_the_limit_moves_all_differences() -> None:
    draw = np.random.default_rng(6)
    values, mean = draw.normal(size=40), Part(slice(None), lambda sums: sums[..., 0] / sums[..., 1])
    ones, zeros = np.ones(40), np.zeros(40)
    for limit in (-0.2, 0.3):
        moved = lower(values - limit, 3)
        assert moved == pytest.approx(
            below((np.column_stack([values, ones]), np.column_stack([zeros, ones])), mean, limit, 3),
            abs=1e-12,
        )


def test_what_has_no_value_is_no_loss() -> None:
    def rate(sums: FloatArray) -> FloatArray:
        with np.errstate(invalid="ignore"):
            return np.asarray(sums[..., 0] / sums[..., 1])

    ratio = Part(slice(None), rate)
    none, some = np.zeros((5, 2)), np.ones((5, 2))
    assert swap_p((none, some), ratio, 0.0, 0, 1.0) == below((none, some), ratio, 0.0, 0) == 1
    first, second = none.copy(), none.copy()
    first[0], second[1] = (0, 1), (1, 1)  # half of the swaps leave one of them without a value
    assert swap_p((first, second), ratio, 0.0, 0, 1.0) == 0.75


def lower(differences: FloatArray, seed: int) -> float:
    """The gate's p that documents with these differences have a mean below 0."""
    ones, mean = np.ones(len(differences)), Part(slice(None), lambda sums: sums[..., 0] / sums[..., 1])
    rows = [np.column_stack([each, ones]) for each in (differences, 0 * differences)]
    return below(rows, mean, 0.0, seed)


def test_the_examples_call_the_command_as_it_is(examples: Path) -> None:
    for name in ("gate.yml", "pre-commit-config.yaml"):
        text = (examples / "ci" / name).read_text().replace("\n          ", " ")
        line = next(part for part in text.splitlines() if "storymeter gate" in part)
        words = shlex.split(line.partition("storymeter gate")[2])
        limits = [words[k + 1] for k, word in enumerate(words) if word == "--fail-if"]
        assert limits and all(condition(limit).limit < 0 for limit in limits)
