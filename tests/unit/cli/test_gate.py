"""storymeter gate: exit codes, files and false alarms."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

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
