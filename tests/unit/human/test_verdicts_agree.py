"""One verdict in all places: dashboard, `status` and `analyse` say the same of every rater, and flags are
explained where they stand."""

from __future__ import annotations

import contextlib
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner
from human_kit import HERE, STUDIES, Folder, Layout, Store, overview
from rating_kit import campaign, preferences, run, survey, write
from rehearsal_kit import markers, profiled

import storymeter.human
from storymeter.captions import Rating
from storymeter.cli import cli
from storymeter.human.analysis.quality import FLAGS
from storymeter.human.analysis.studies import scores_of


def marked() -> list[Rating]:
    """Two raters mark nothing: their scores pass, the planted errors say that they did not look."""
    there = profiled(30, {"alpha": (0.1, 0.1, 0.3, 0.1), "beta": (0.5, 0.4, 0.1, 0.1)}, 1)
    found = markers(there, 8, layout=Layout(system=4), seed=5)
    return [
        msgspec.structs.replace(one, meta={**one.meta, "spans": []}) if one.rater in ("m001", "m002") else one
        for one in found
    ]


@pytest.mark.parametrize(
    ("kind", "records"), [("da", campaign(8, bots=2)), ("spans", marked())], ids=["da", "spans"]
)
def test_the_dashboard_includes_whom_the_analysis_uses(kind: str, records: list[Rating]) -> None:
    found = scores_of(storymeter.human.analyse(records, splits=0)["all"])
    assert found is not None
    used = {w.id: (bool(kept), w.reason) for w, kept in zip(found.quality.workers, found.kept, strict=True)}
    seen = STUDIES[kind].included(records)
    assert {name: (one.accepted, one.reason) for name, one in seen.items()} == used
    assert set(dict(used.values())) == {True, False}
    standings = STUDIES[kind].standings(records)
    assert [(row.system, row.value) for row in standings] == [(s.name, s.z) for s in found.ranking.systems]


@pytest.mark.parametrize(("kind", "made"), [("preference", preferences), ("survey", survey)])
def test_tests_decide_both(kind: str, made: object) -> None:
    records = made()  # type: ignore[operator]
    assert STUDIES[kind].included(records) == STUDIES[kind].verdicts(records)


@pytest.fixture(scope="module", params=["da", "preference"])
def rehearsed(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Folder:
    folder = tmp_path_factory.mktemp("rehearsed") / "study"
    systems = [str(HERE / f"{name}.json") for name in ("careful", "vague", "confused")]
    human = ["--human", str(HERE / "human.json"), "--clips", str(HERE / "clips"), "--task", request.param]
    more = ["--system-per-block", "2"] if request.param == "da" else []
    words = [str(folder), "--systems", *systems, *human, *more, "--hits", "4"]
    for command in (
        ["new", *words],
        ["simulate", str(folder), "--raters", "4", "--mix", "honest=.5,random=.5"],
    ):
        done = CliRunner().invoke(cli, ["human", *command])
        assert done.exit_code == 0, (done.output, done.exception)
    return Folder(folder)


def test_status_shows_what_the_kind_of_study_has(rehearsed: Folder) -> None:
    done = CliRunner().invoke(cli, ["human", "status", str(rehearsed.path)])
    head = next(line for line in done.stdout.splitlines() if "abandoned " in line).split()
    assert done.exit_code == 0
    if rehearsed.campaign.task == "preference":
        columns = "rater done active abandoned ratings s/item tests controls analysis last answer"
        assert " ".join(head) == columns
        assert "Flags" not in done.stdout and " of 5 " in done.stdout
    else:
        assert {"pairs", "high", "low", "p", "controls", "analysis", "flags"} < set(head)
        assert "left out" in done.stdout and f"fast: {FLAGS['fast']}" in done.stdout


def test_who_is_on_hold_is_left_out(rehearsed: Folder) -> None:
    with contextlib.closing(Store(rehearsed.database)) as store:
        name = store.raters()[0]["id"]
        store.hold(name, "two accounts", 1.0).result()
        seen = {row["id"]: row for row in overview(rehearsed, store)["raters"]}
        store.release(name, 2.0).result()
    assert seen[name]["included"] is False and seen[name]["included_reason"] == "on hold: two accounts"


def test_flags_are_explained_below_the_raters(tmp_path: Path) -> None:
    path = write(tmp_path / "r.jsonl", campaign(8, bots=2))
    shown = run(path, "--splits", 0).stdout
    raters = shown[shown.index("\nRaters\n") : shown.index("Control results")]
    raised = {flag for flag in FLAGS if any(f" {flag}" in line for line in raters.split("Flags (")[0:1])}
    assert raised and all(f"{flag}: {FLAGS[flag]}" in raters for flag in raised)
    assert all(f"{flag}:" not in raters for flag in FLAGS.keys() - raised)
