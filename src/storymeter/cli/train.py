"""storymeter train: train the story models on your own data; an interrupted run continues where it
stopped.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from ..errors import UsageError
from ._options import (
    device_option,
    format_option,
    progress_bar,
    put,
    say,
    seed_option,
)
from ._train_blend import blend

F = TypeVar("F", bound=Callable[..., Any])


@click.group(name="train")
def command() -> None:
    """Train the models behind rovist_c and rovist_vg, or fit a blend. Nothing is downloaded."""


command.add_command(blend)


def _loop_options(lr: float, decay: float, batch: int, epochs: int, patience: int) -> Callable[[F], F]:
    def add(function: F) -> F:
        for option in reversed(
            (
                click.option(
                    "--lr",
                    type=click.FloatRange(0, min_open=True),
                    default=None,
                    show_default=f"{lr:g}",
                    help="Learning rate.",
                ),
                click.option(
                    "--lr-decay",
                    type=click.FloatRange(0, 1),
                    default=None,
                    show_default=f"{decay:g}",
                    help="Factor on the rate after each epoch (schedule epoch).",
                ),
                click.option(
                    "--schedule",
                    type=click.Choice(["epoch", "tail"]),
                    default=None,
                    help="epoch: the rate falls after each epoch; tail: over the last fifth.",
                ),
                click.option(
                    "--weight-decay",
                    type=click.FloatRange(0),
                    default=None,
                    show_default="1e-5",
                    help="Adam's weight decay.",
                ),
                click.option(
                    "--batch-size",
                    type=click.IntRange(2),
                    default=None,
                    show_default=str(batch),
                    help="Pairs in a batch.",
                ),
                click.option(
                    "--epochs",
                    type=click.IntRange(1),
                    default=None,
                    show_default=str(epochs),
                    help="Maximum number of epochs.",
                ),
                click.option(
                    "--steps",
                    type=click.IntRange(0),
                    default=None,
                    help="Maximum number of steps.",
                ),
                click.option(
                    "--warmup",
                    type=click.IntRange(0),
                    default=None,
                    help="Steps over which the rate rises (schedule tail).",
                ),
                click.option(
                    "--patience",
                    type=click.IntRange(1),
                    default=None,
                    show_default=str(patience),
                    help="Early stopping: epochs without improvement.",
                ),
                click.option(
                    "--interval",
                    type=click.IntRange(1),
                    default=None,
                    show_default="200",
                    help="Steps between checkpoints.",
                ),
                click.option(
                    "--dev-share",
                    type=click.FloatRange(0, 1, min_open=True, max_open=True),
                    default=None,
                    show_default="0.15",
                    help="Share of the data held out for early stopping.",
                ),
                click.option(
                    "--threads",
                    type=click.IntRange(1),
                    default=None,
                    show_default="torch's choice",
                    help="Number of torch threads.",
                ),
            )
        ):
            function = option(function)
        return function

    return add


def _given(**values: Any) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value is not None}


def _threads(count: int | None) -> None:
    from ..text.checkpoints import need_torch

    torch = need_torch("Training")
    if count:
        torch.set_num_threads(count)


@command.command(name="coherence")
@click.option(
    "--data",
    multiple=True,
    type=click.Path(exists=True, path_type=Path),
    help=(
        "Human stories: VIST (references or SIS), ROCStories, Story Cloze, text; or a folder that holds the"
        " standard files."
    ),
)
@click.option(
    "--held-out",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Held-out stories: training stories with the same opening are dropped.",
)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder of the run: state, learning curve, best model.",
)
@click.option(
    "--encoder",
    default="",
    help=(
        "Folder of any Hugging Face encoder, trained as the paper does; default: the top of the embedded"
        " MiniLM."
    ),
)
@click.option("--freeze", type=click.IntRange(0), default=None, help="Number of lowest layers to freeze.")
@click.option(
    "--pooling", type=click.Choice(["cls", "cls+a+b"]), default=None, help="Input of the classification head."
)
@click.option("--dropout", type=click.FloatRange(0, 0.95), default=None, help="Dropout before the head.")
@click.option(
    "--reach", type=click.IntRange(1), default=None, help="Also train on sentences up to this far apart."
)
@click.option(
    "--name",
    default="",
    show_default="coherence, or coherence-minilm for the embedded recipe",
    help="Name of the model in signatures.",
)
@click.option(
    "--evaluate",
    is_flag=True,
    help="Do not train; evaluate a model on the held-out stories of the data folder.",
)
@click.option("--model", default="", help="With --evaluate: the model's folder; default: the embedded one.")
@_loop_options(1e-5, 0.95, 32, 30, 5)
@seed_option
@device_option
@format_option()
def coherence(
    data: tuple[Path, ...],
    held_out: tuple[Path, ...],
    out: Path | None,
    encoder: str,
    evaluate: bool,
    model: str,
    name: str,
    seed: int,
    device: str,
    style: str,
    threads: int | None,
    freeze: int | None,
    pooling: str | None,
    dropout: float | None,
    reach: int | None,
    dev_share: float | None,
    **loop: Any,
) -> None:
    """Train the sentence-order model (RoViST-C).

    \b
    storymeter train coherence --data DATA --out runs/c                            the embedded model's recipe
    storymeter train coherence --data vist.json --data roc.csv --encoder albert-large-v1 --out runs/albert
        the paper's
    storymeter train coherence --evaluate --data DATA [--model runs/c]             held-out results
    """
    import msgspec

    from ..report.heldout import held_out_tables
    from ..story.train import sources
    from ..story.train.coherence import EMBEDDED, PAPER, train_coherence
    from ..story.train.stories import read_stories

    _threads(threads)
    if not data:
        raise UsageError("No training data was given.", hint="Give --data FILE… or --data FOLDER.")
    files, unseen = sources.expand(data)
    unseen = [*unseen, *held_out]
    with progress_bar() as progress:
        if evaluate:
            if len(data) != 1 or not data[0].is_dir():
                raise UsageError(
                    "--evaluate needs one folder of data.",
                    hint=f"It holds {', '.join(sources.UNSEEN)}, and what was learnt from.",
                )
            tables = held_out_tables(
                sources.evaluate(data[0], model, device=device, seed=seed, progress=progress)
            )
            put(tables, style)
            return
        if out is None:
            raise UsageError("No output folder was given.", hint="Give --out FOLDER.")
        base = PAPER if encoder else EMBEDDED
        recipe = msgspec.structs.replace(
            base,
            options=msgspec.structs.replace(base.options, seed=seed, **_given(**loop)),
            **_given(freeze=freeze, pooling=pooling, dropout=dropout, reach=reach, dev_share=dev_share),
        )
        stories = [story for file in files for story in read_stories(file)]
        kept_back = [story for file in unseen for story in read_stories(file)]
        trained = train_coherence(
            stories,
            kept_back,
            out,
            encoder=encoder,
            recipe=recipe,
            name=name,
            device=device,
            progress=progress,
            say=say,
        )
    say(
        f"written: {out}/coherence.json, {out}/coherence.safetensors (temperature"
        f" {trained.config.temperature:g}); use it: rovist_c(model={out})"
    )


@command.command(name="grounding")
@click.option(
    "--entities",
    required=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Flickr30K Entities: the folder with Annotations and Sentences.",
)
@click.option(
    "--images",
    required=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="The folder flickr30k-images.",
)
@click.option(
    "--vision",
    required=True,
    type=click.Path(exists=True, file_okay=False),
    help="Folder of a ViT-like Hugging Face checkpoint (ViT-base/16-224 in the paper).",
)
@click.option(
    "--glove",
    required=True,
    type=click.Path(exists=True, dir_okay=False),
    help="GloVe text file (300 dimensions in the paper).",
)
@click.option(
    "--out",
    required=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder of the run: state, learning curve, best model.",
)
@click.option(
    "--width", type=click.IntRange(2), default=1024, show_default=True, help="Dimensions of the joint space."
)
@click.option("--name", default="grounding", show_default=True, help="Name of the model in signatures.")
@_loop_options(5e-5, 0.95, 64, 30, 3)
@seed_option
@device_option
def grounding(
    entities: Path,
    images: Path,
    vision: str,
    glove: str,
    out: Path,
    width: int,
    name: str,
    seed: int,
    device: str,
    threads: int | None,
    dev_share: float | None,
    **loop: Any,
) -> None:
    """Train the phrase-region model (RoViST-VG).

    Algorithm 1 of the paper."""
    import msgspec

    from ..story.train.flickr30k import read_mentions
    from ..story.train.grounding import PAPER, train_grounding

    _threads(threads)
    options = msgspec.structs.replace(PAPER, seed=seed, **_given(**loop))
    with progress_bar() as progress:
        mentions = read_mentions(entities, progress)
        train_grounding(
            mentions,
            images,
            vision,
            glove,
            out,
            options=options,
            width=width,
            dev_share=dev_share or 0.15,
            name=name,
            device=device,
            progress=progress,
            say=say,
        )
    say(f"written: {out}/grounding.json, {out}/grounding.safetensors; use it: rovist_vg(model={out})")
