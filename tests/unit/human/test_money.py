"""What a study pays: safe codes, kind lists, one bill in every place."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import random
import re
import sqlite3
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from human_kit import HERE, Folder, Store, overview, ratings

from storymeter.cli import cli
from storymeter.errors import UsageError
from storymeter.human.campaign.money import Pay, fair_price, least_hourly, pooled


def run(*words: object) -> Result:
    return CliRunner().invoke(cli, ["human", *map(str, words)])


def new(folder: Path, *more: object) -> Result:
    systems = [HERE / f"{name}.json" for name in ("careful", "vague", "confused")]
    human = ("--human", HERE / "human.json", "--clips", HERE / "clips", "--system-per-block", 2)
    return run("new", folder, "--systems", *systems, *human, *more)


def test_prolific_needs_its_completion_code(tmp_path: Path) -> None:
    for more in ((), ("--dry-run",), ("--skip-bad",), ("--completion-code", "  ")):
        refused = new(tmp_path / "study", "--platform", "prolific", *more)
        assert isinstance(refused.exception, UsageError) and "--completion-code" in str(
            refused.exception.hint
        )
    assert not (tmp_path / "study").exists()
    code = tmp_path / "code.txt"
    code.write_text("C1ABCDEF\n")
    made = new(tmp_path / "study", "--platform", "prolific", "--completion-code", f"@{code}", "--hits", 4)
    assert made.exit_code == 0, made.output
    assert Folder(tmp_path / "study").campaign.platform.completion_code == "C1ABCDEF"


def test_what_is_no_completion_code_is_refused(tmp_path: Path) -> None:
    """Prolific shows the address that raters return to beside the code: with an address in the place of the
    code, raters would end on a page that does not know it."""
    address = "https://app.prolific.com/submissions/complete?cc=C1ABCDEF"
    here = ("--platform", "prolific", "--hits", 4, "--completion-code")
    assert new(tmp_path / "study", *here, address).exit_code == 0
    assert Folder(tmp_path / "study").campaign.platform.completion_code == "C1ABCDEF"
    for wrong in ("two words", "https://app.prolific.com/submissions/complete", "C1ABCDEF&x=1", "Ä1"):
        refused = new(tmp_path / "other", *here, wrong)
        assert isinstance(refused.exception, UsageError) and "no completion code" in str(refused.exception)
    assert not (tmp_path / "other").exists()


def test_a_warning_below_the_fair_rate_and_a_default_above_it(tmp_path: Path) -> None:
    low = " ".join(new(tmp_path / "s", "--price", ".2", "--dry-run").stderr.split())
    assert re.search(r"WARNING: 0\.20 USD for about 9 minutes is 1\.\d\d USD per hour, less than 8\.00", low)
    assert "WARNING" not in new(tmp_path / "s", "--price", ".2", "--hourly", "1", "--dry-run").stderr
    assert "WARNING" not in new(tmp_path / "s", "--price", "0", "--dry-run").stderr, "volunteers"
    yen = new(tmp_path / "s", "--currency", "JPY", "--dry-run")
    assert isinstance(yen.exception, UsageError), "8 yen are no pay"
    good = new(tmp_path / "s", "--currency", "JPY", "--hourly", "1200", "--dry-run")
    assert re.search(r"1,20\d\.\d\d JPY per hour", good.stdout), good.output


def test_fewer_links_than_seats_are_said(tmp_path: Path) -> None:
    said = " ".join(new(tmp_path / "s", "--hits", 2, "--raters", 1, "--dry-run").stderr.split())
    assert "1 link for 2 assignments: 1 can never be done" in said
    enough = new(tmp_path / "s", "--hits", 2, "--raters", 1, "--hits-per-rater", 2, "--dry-run")
    assert "can never" not in enough.stderr


@pytest.fixture(scope="module")
def paid(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six HITs at 6 USD and a third; half of the raters fail."""
    folder = tmp_path_factory.mktemp("paid") / "study"
    code = ("--platform", "prolific", "--completion-code", "ABC")
    assert new(folder, *code, "--price", 6, "--hits", 6, "--seed", 1).exit_code == 0
    bots = run("simulate", folder, "--raters", 6, "--mix", "honest=.5,constant=.5", "--seed", 2)
    assert bots.exit_code == 0, bots.output
    return folder


def test_one_bill_everywhere(paid: Path, tmp_path: Path) -> None:
    home = Folder(paid)
    assert home.campaign.pay().total == pytest.approx(6 * 6 * 4 / 3)
    with contextlib.closing(Store(home.database)) as store:
        seen = overview(home, store)
    assert (seen["cost_so_far"], seen["cost"]) == (48.0, 48.0)
    page = tmp_path / "page.html"
    done = run("analyse", paid, "--html", page, "--format", "json")
    assert done.exit_code == 0, done.output
    cost = json.loads(done.stdout)["cost"]
    assert (cost["hits"], cost["per_hit"], cost["assumed"]) == (6, 6.0, False), (
        "rejected raters are paid, too"
    )
    assert cost["total"] == pytest.approx(48.0)
    assert "6 HITs at 6.00 USD plus 33% fee: 48.00 USD" in page.read_text()
    assert "48.00" in run("status", paid).stdout


def test_nobody_is_rejected_unless_asked_for(paid: Path) -> None:
    def actions(*more: str) -> list[tuple[str, str]]:
        text = run("export", paid, "--format", "prolific", *more).stdout
        return [(row["action"], row["reason"]) for row in csv.DictReader(io.StringIO(text))]

    usual = actions()
    assert [action for action, _ in usual] == ["APPROVE"] * 3 + ["REVIEW"] * 3
    assert all(reason for action, reason in usual if action == "REVIEW")
    assert [action for action, _ in actions("--reject")] == ["APPROVE"] * 3 + ["REJECT"] * 3
    with contextlib.closing(Store(Folder(paid).database)) as store:
        name = store.raters()[0]["id"]
        store.hold(name, "two accounts", 1.0).result()
    assert ("REVIEW", "on hold: two accounts") in actions()
    with contextlib.closing(Store(Folder(paid).database)) as store:
        store.release(name, 2.0).result()


def test_the_list_for_mechanical_turk(tmp_path: Path) -> None:
    folder = tmp_path / "study"
    assert new(folder, "--platform", "mturk", "--hits", 2).exit_code == 0
    assert run("simulate", folder, "--raters", 2, "--mix", "constant=1").exit_code == 0
    rows = list(csv.DictReader(io.StringIO(run("export", folder, "--format", "mturk").stdout)))
    assert [(row["Approve"], row["Reject"]) for row in rows] == [("", "")] * 2 and all(
        row["Review"] for row in rows
    )
    hard = list(csv.DictReader(io.StringIO(run("export", folder, "--format", "mturk", "--reject").stdout)))
    assert all(row["Reject"] and not row["Approve"] for row in hard)


def test_what_a_budget_finds() -> None:
    words = ("plan", "--systems", 5, "--captions", 60, "--difference", 8, "--simulations", 50)
    done = run(*words, "--budget", 600, "--fee", ".333", "--format", "json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    price = fair_price(15 * 100, 8.0)
    assert found["hits"] == int(600 / (price * 1.333)) and found["cost"]["total"] <= 600
    assert found["hits"] * 0.8 * 70 / 5 >= found["ratings_per_system"] > found["hits"] * 0.8 * 70 / 5 - 1
    little = run(*words, "--budget", 40)
    assert "the minimum that the method's authors recommend" in " ".join(little.stderr.split())
    assert isinstance(run(*words, "--budget", 1).exception, UsageError)


def test_pay_by_hand() -> None:
    pay = Pay(10, 2.0, 0.25, "EUR", 900.0)
    assert (pay.total, pay.hourly) == (25.0, 8.0) and not pay.warning(8.0) and pay.warning(9.0)
    assert pooled([pay, Pay(30, 2.0, 0.25, "EUR", 300.0)]) == Pay(40, 2.0, 0.25, "EUR", 450.0)
    assert pooled([pay, Pay(1, 2.0, 0.25, "USD")]) is None
    assert fair_price(900, 8.0) == 2.0 and fair_price(901, 8.0) == 2.01
    assert least_hourly(None, "usd", None) == 8.0 and least_hourly(None, "JPY", 300.0) == 0.0


def test_a_campaign_of_an_earlier_version_keeps_its_price(tmp_path: Path) -> None:
    assert new(tmp_path / "s", "--hits", 2).exit_code == 0
    path = tmp_path / "s" / "campaign.json"
    old = json.loads(path.read_text())
    for name in ("price", "fee", "hourly", "seconds_per_hit"):
        old.pop(name, None)
    path.write_text(json.dumps(old))
    assert Folder(tmp_path / "s").campaign.pay() == Pay(2, 0.99, 0.2, "USD")
    assert run("status", tmp_path / "s").exit_code == 0


def test_who_agrees_with_nobody_is_looked_at(tmp_path: Path) -> None:
    """Who passes the controls and answers by lot elsewhere: REVIEW with the reason, or the papers' rule."""
    study = tmp_path / "study"
    code = ("--platform", "prolific", "--completion-code", "ABC")
    assert new(study, *code, "--price", 6, "--hits", 8, "--seed", 1).exit_code == 0
    assert run("simulate", study, "--raters", 8, "--mix", "honest=1", "--seed", 2).exit_code == 0
    home = Folder(study)
    with contextlib.closing(Store(home.database)) as store:
        found = ratings(home, store, real_names=True)
    first = next(r for r, said in home.study.verdicts(found).items() if said.accepted)
    paired = {one.pair for one in found if one.kind == "degraded"}
    lots = random.Random(3)
    with sqlite3.connect(study / "campaign.db") as database:
        for one in found:
            if one.rater == first and one.pair not in paired:
                answer = json.dumps({"value": lots.randrange(101)})
                where = (answer, one.meta["assignment"], one.position)
                database.execute("UPDATE rating SET answer = ? WHERE assignment = ? AND position = ?", where)

    def action(*more: str) -> tuple[str, str]:
        text = run("export", study, "--format", "prolific", *more).stdout
        row = next(r for r in csv.DictReader(io.StringIO(text)) if r["PROLIFIC_PID"] == first)
        return row["action"], row["reason"]

    assert action("--controls-only")[0] == "APPROVE"
    assert action() == action("--reject") == ("REVIEW", action()[1])
    assert "agree" in action()[1]
