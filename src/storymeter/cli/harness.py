"""storymeter harness: ready tasks for evaluation harnesses."""

from pathlib import Path

import click

from .. import harness
from ..errors import UsageError
from ._files import forced
from ._options import NEW_FOLDER, option, print_note


@click.group("harness")
def harness_command() -> None:
    """Write ready tasks for the evaluation harness that runs your model."""


def _pairs(option: str, values: tuple[str, ...]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for value in values:
        name, equals, path = value.partition("=")
        if not equals or not path:
            raise UsageError(
                f"{option} {value} names no task.", hint=f"Write it like {option} activitynet={value}"
            )
        found.setdefault(name, []).append(path)
    return found


@harness_command.command(name="lmms-eval")
@click.argument("out", metavar="DIR", type=NEW_FOLDER)
@option(
    "-r --references", "References of a task, from any file; repeat it.", multiple=True, metavar="TASK=FILE"
)
@option("--videos", "Folder of the videos of a task.", multiple=True, metavar="TASK=FOLDER")
@option("--protocol", "Evaluation protocol; see storymeter info --protocols.", default="paper")
def lmms_eval(out: Path, references: tuple[str, ...], videos: tuple[str, ...], protocol: str) -> None:
    """Write tasks into DIR for lmms-eval --include_path DIR.

    \b
    storymeter harness lmms-eval tasks -r activitynet=val_1.json \\
        -r activitynet=val_2.json --videos activitynet=/data/anet
    python -m lmms_eval --include_path tasks --tasks storymeter_activitynet \\
        --model llava_onevision --log_samples --output_path out

    Tasks: activitynet, youcook2 (whole videos), vitt, chapters; msrvtt, vatex, vatex_zh (single captions).
    A task without references uses the data set of the hub that lmms-eval itself uses, if there is one."""

    folders = {name: paths[-1] for name, paths in _pairs("--videos", videos).items()}
    done = harness.write_lmms_eval(
        out, dict(_pairs("-r", references)), videos=folders, protocol=protocol, force=forced()
    )
    for where, data in (("local", "your references"), ("hub", "the data set of the hub")):
        for name in done[where]:
            click.echo(f"{harness.TASKS[name].harness_name}: {harness.TASKS[name].title}, {data}")
    left = [name for name in harness.TASKS if not (out / f"{harness.TASKS[name].harness_name}.yaml").exists()]
    if left:
        print_note(
            f"note: not written, because no data set of the hub is known: {', '.join(left)}. Give references:"
            f" -r {left[0]}=FILE"
        )
