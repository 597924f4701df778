"""Commands of `storymeter human` during a study: `serve`, `status`, `extend`, `pilot`, and rehearsals:
`simulate` (simulated raters through the real server) and `demo` (the example campaign).
"""

import threading
import webbrowser
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from ... import human, report
from ...errors import many
from ...files import write_text
from ...progress import unsaid
from .._options import (
    COUNT,
    FROM_ZERO,
    PATH,
    PORT,
    POSITIVE,
    SHARE,
    ManyFiles,
    format_option,
    option,
    print_note,
    print_result,
    print_tables,
    progress_bar,
    seed_option,
)


@click.command("serve")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@option(
    "--host", "Address to listen on; 0.0.0.0 accepts connections from other machines.", default="127.0.0.1"
)
@option("--port", "Port to listen on; 0: any free one.", PORT, 8000)
@option(
    "--admin-anywhere",
    "Also allow access to the dashboard from other machines (with the token). Use only with HTTPS.",
    bool,
)
@option(
    "--public-url",
    "The address under which raters reach the server (https://…); links.csv is written with it.",
    metavar="URL",
)
@option(
    "--proxy proxies",
    "A reverse proxy whose forwarding headers are trusted (127.0.0.1). May be given several times.",
    multiple=True,
    metavar="ADDRESS",
)
@option(
    "--admin-port",
    "Separate port for the dashboard, reachable from this machine only.  [default: with --public-url or"
    " --proxy, any free one]",
    PORT,
)
@option(
    "--watch",
    "Minimum time before an answer is accepted, as a share of the time that clip and text take; replaces the"
    " campaign's value.",
    SHARE,
)
@option("--skip-bad", "Serve although clips are missing; raters can skip them.", bool)
@option("--quiet", "Print nothing.", bool)
def serve_command(folder: Path, quiet: bool, **options: Any) -> None:
    """Serve the campaign in DIR. Ctrl-C stops it; answers that were acknowledged are never lost."""
    human.serve(folder, note=unsaid if quiet else print_note, **options)


@click.command("status")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@format_option("table", "json", "csv", "markdown")
def status_command(folder: Path, style: str) -> None:
    """Show the progress of the campaign in DIR.

    Assignments and raters, with the control statistics so far."""
    from ...report.assessment import flag_legend
    from ...report.table import to_json

    seen = human.status(folder, note=print_note)
    seats = seen["seats"]
    pay = seen["pay"]
    verdicts: dict[str, tuple[report.Column | str, Callable[[dict[str, Any]], Any]]] = {
        "tests": ("tests", _tests),
        "pairs": ("pairs", lambda r: r["pairs"]),
        "high": (report.Column("high", ".1f"), lambda r: r["mean_high"]),
        "low": (report.Column("low", ".1f"), lambda r: r["mean_low"]),
        "p": (report.Column("p", ".2g"), lambda r: r["p"]),
        "accepted": ("controls", lambda r: {True: "pass", False: "fail"}.get(r["accepted"])),
        "included": ("analysis", lambda r: {True: "used", False: "left out"}.get(r["included"])),
        "flags": ("flags", lambda r: ", ".join(r["flags"])),
    }
    shown = [verdicts[name] for name in seen["columns"]]
    columns: list[report.Column | str] = [
        *("rater", "done", "active", "abandoned", "ratings"),
        report.Column("s/item", ".1f"),
        *(head for head, _ in shown),
        "last answer",
    ]
    rows = [
        [
            *(r[name] for name in ("id", "done", "active", "abandoned", "ratings", "seconds_per_item")),
            *(value(r) for _, value in shown),
            r["last"][:16].replace("T", " "),
        ]
        for r in seen["raters"]
    ]
    title = (
        f"{seen['title']} ({seen['state']}): {seats['done']:,} of {seats['total']:,} assignments done,"
        f" {seats['active']:,} under way, {seats['free']:,} free, {seats['abandoned']:,} abandoned;"
        f" {seen['ratings']:,} of {seen['wanted']:,} ratings; {pay['said']}, {seen['cost_so_far']:,.2f} of"
        f" {seen['cost']:,.2f} {seen['currency']} with the fee so far"
    )
    if seen["pilot"] is not None:
        print_note(
            f"Pilot: {many(seen['pilot'], 'rater')} get work until the decision (storymeter human pilot)."
        )
    if pay["warning"]:
        print_note(pay["warning"])
    note = flag_legend(flag for r in seen["raters"] for flag in r["flags"]) if style == "table" else ""
    table = report.Table(columns, rows, title=title if style == "table" else "", note=note)
    print_tables(table, style, title, json=to_json(seen))


def _tests(rater: dict[str, Any]) -> str | None:
    return f"{rater['tests_right'] * rater['tests']:.0f} of {rater['tests']}" if rater["tests"] else None


@click.command("extend", cls=ManyFiles, many=("--systems", "--withdraw"))
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@option("--systems", "Caption files of further systems.", multiple=True, metavar="FILE…")
@option("--hits", "Number of new HITs.  [default with --systems: from the overlap]", COUNT)
@option("--overlap", "Number of new HITs that show each caption of a new system.", COUNT, 3)
@option("--raters", "Number of new personal links.  [default: one for each new assignment]", COUNT)
@option("--raters-per-hit", "Raters of each HIT, from now on.", COUNT)
@option("--hits-per-rater", "HITs that one rater may do, from now on.", COUNT)
@option("--withdraw", "Ids of clips that are shown and counted no more.", multiple=True, metavar="ID…")
@option(
    "--withdraw-caption withdraw_captions",
    "A caption that is shown and counted no more.",
    (str, str),
    multiple=True,
    metavar="SYSTEM ID",
)
@option("--reason", "Why they are withdrawn.", default="")
@option("--dry-run", "Print what would be done and what it costs; change nothing.", bool)
@option("--skip-bad", "Leave out items with problems instead of stopping.", bool)
@option("--seed", "For rehearsals: the same design again.", FROM_ZERO)
def extend_command(folder: Path, systems: tuple[str, ...], dry_run: bool, **options: Any) -> None:
    """Add to the running campaign in DIR, or withdraw clips.

    More HITs, raters of each HIT, links, or systems; the server goes on running, and nothing answered is
    lost. In HITs with a new system all systems have equally many places, so that old and new ratings can be
    pooled. What is withdrawn is passed over from now on, and its answers are left out of the analysis.

    \b
    storymeter human extend study --systems c.json
    storymeter human extend study --raters-per-hit 2
    storymeter human extend study --withdraw clip-17 --reason "wrong video"
    """
    with progress_bar() as progress:
        done = human.extend(folder, systems, dry_run=dry_run, progress=progress, note=print_note, **options)
    print_tables(report.Table(["", "campaign"], [list(row) for row in done.plan]), "table", "")
    print_note("Nothing was changed." if dry_run else f"The campaign in {folder} is extended.")
    if dry_run and done.problems and not options["skip_bad"]:
        raise SystemExit(1)


@click.command("pilot")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@option("--raters", "Begin: so many raters get work, others wait until the decision.", COUNT)
@option("--go", "End the pilot: everybody gets work.", bool)
@option(
    "--difference",
    "Smallest difference that the study must find: points of the slider; preference: of the mean answer;"
    " survey: of the mean mark.",
    POSITIVE,
)
@option(
    "--html page",
    "Also write the findings as a page.  [default: pilot.html]",
    is_flag=False,
    flag_value="pilot.html",
    metavar="[FILE]",
)
@format_option("table", "json", "csv", "markdown")
def pilot_command(folder: Path, go: bool, page: str | None, style: str, **options: Any) -> None:
    """Try the campaign in DIR with a few raters first.

    Prints what the pilot found and whether to go on: time per HIT, pay per hour, raters who pass, cost, and
    the difference that the whole study finds. The answers of the pilot are part of the study.

    \b
    storymeter human pilot study --raters 5
    storymeter human pilot study
    storymeter human pilot study --go
    """
    shown = report.present(human.pilot(folder, go=go, note=print_note, **options))
    if page is not None:
        write_text(page, report.render(shown, "html"))
        print_note(f"Page: {page}")
    print_note(*shown.notes)
    print_result(shown, style)


@click.command("demo")
@option("--dir folder", "Folder of the campaign.", PATH, Path("storymeter-study"))
@option("--no-open", "Build it without serving it.", bool)
@option("--port", "Port to serve on.  [default: any free one]", PORT, 0, show_default=False)
@seed_option
def demo_command(folder: Path, no_open: bool, port: int, seed: int) -> None:
    """Build and serve a small example study.

    Builds the example campaign (a dozen tiny clips), serves it, and opens a rater's page in the browser."""
    from ...human.campaign.record import Folder
    from ...human.example import build
    from ...human.server.run import where_token

    home = Folder(folder)
    if (folder / "campaign.json").exists():
        print_note(f"{folder} already holds a campaign; it is used as it is.")
    else:
        home = build(folder, seed=seed)
        print_note(
            f"The example campaign is in {folder}: {home.campaign.hits} HITs of {home.campaign.hit_size}."
        )
    if no_open:
        print_note(
            f"Serve it:     storymeter human serve {folder}\nRehearse it:  storymeter human simulate {folder}"
            " --raters 30"
        )
        return

    def ready(url: str) -> None:
        links = home.links()
        print_note(
            f"\n  a rater's page   {url}{links[0]}\n  another rater's  {url}{links[1]}\n  dashboard       "
            f" {url}/admin\n  its token        {where_token(home)}\n\nCtrl-C stops the server."
        )
        threading.Timer(1.0, webbrowser.open, [url + links[0]]).start()

    human.serve(folder, port=port, skip_bad=True, ready=ready)


@click.command("simulate")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@option("--raters", "Number of simulated raters.", COUNT, 10)
@option(
    "--mix shares",
    "Shares of kinds of raters: honest, lazy, random, constant, rushing, extremes, fluent, twins.",
    default="honest=.7,lazy=.1,random=.1,constant=.05,rushing=.05",
)
@option(
    "--url",
    "Address of a running server.  [default: a server is started that does not enforce the watching time]",
)
@option("--real-time", "Watch each clip for its full duration.", bool)
@option(
    "--think", "Seconds between answers.", (float, float), (0.0, 0.0), metavar="MIN MAX", show_default=False
)
@option(
    "--trouble",
    "Share of requests with double clicks, stale tabs and dropped connections.",
    click.FloatRange(0, 0.5),
    0.0,
    show_default=False,
)
@seed_option
@format_option("table", "json", "csv")
def simulate_command(folder: Path, raters: int, shares: str, style: str, **options: Any) -> None:
    """Run a campaign with simulated raters.

    They answer the campaign in DIR through the real server, and their answers are stored like real ones:
    use a copy of the campaign, not the one of the real study."""
    with progress_bar() as progress:
        tallies = human.simulate(folder, raters, mix=shares, progress=progress, **options)
    rows = [
        [
            number,
            tally.character,
            len([at for at, _ in tally.saved if at >= 0]),
            tally.ended or "no seat",
            tally.code or None,
        ]
        for number, tally in enumerate(tallies, 1)
    ]
    print_tables(
        report.Table(["bot", "character", "ratings", "ended", "code"], rows), style, "Simulated raters"
    )
    ends = Counter(tally.ended or "no seat" for tally in tallies)
    print_note(", ".join(f"{count} {end}" for end, count in sorted(ends.items())) + ".")
