"""storymeter train: train the story models on your own data; an interrupted run continues where it
stopped.

The held-out results of a coherence model as tables.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import msgspec

from ..errors import UsageError
from ..report.table import Column, Table, numbers
from ..story.train.heldout import HeldOut
from ._options import (
    AMOUNT,
    COUNT,
    FILE,
    FOLDER,
    FROM_TWO,
    FROM_ZERO,
    NEW_FOLDER,
    POSITIVE,
    SHARE,
    WITHIN,
    F,
    device_option,
    format_option,
    option,
    progress_bar,
    put,
    say,
    seed_option,
    together,
)


def held_out_tables(result: HeldOut) -> list[Table]:
    columns: list[Column | str] = [
        "stories",
        Column("pairs", ",d"),
        *numbers(".3f", "forced choice", "bag of words", "first pair", "middle", "last pair", "order"),
        *numbers(".3f", "ECE raw", "ECE"),
    ]
    rows = [
        [c.set, c.pairs, c.accuracy, c.baseline, c.first, c.middle, c.last, c.order, c.ece_raw, c.ece]
        for c in result.choices
    ]
    tables = [
        Table(
            columns,
            rows,
            title=f"Held out: {result.model}",
            note=(
                "forced choice: p(A, B) > p(B, A) over neighbouring sentences; order: C of the story above C"
                " of its sentences shuffled, all stories; ECE: expected calibration error before and after"
                " the temperature"
            ),
        )
    ]
    if result.human is not None:
        human = result.human
        tables.append(
            Table(
                [
                    Column("stories", ",d"),
                    *numbers(".3f", "Kendall tau-b", "low", "high", "untrained head"),
                ],
                [[human.stories, human.tau, human.low, human.high, human.untrained]],
                title="With human labels (UNION, rated machine stories)",
                note="95 % bootstrap interval over stories",
            )
        )
    return tables


@click.group("train")
def train_command() -> None:
    """Train the models behind rovist_c and rovist_vg. Nothing is downloaded."""


def _loop_options(lr: float, decay: float, batch: int, epochs: int, patience: int) -> Callable[[F], F]:
    return together(
        option("--lr", "Learning rate.", POSITIVE, show_default=f"{lr:g}"),
        option(
            "--lr-decay",
            "Factor on the rate after each epoch (schedule epoch).",
            SHARE,
            show_default=f"{decay:g}",
        ),
        option(
            "--schedule",
            "epoch: the rate falls after each epoch; tail: over the last fifth.",
            ("epoch", "tail"),
        ),
        option("--weight-decay", "Adam's weight decay.", AMOUNT, show_default="1e-5"),
        option("--batch-size", "Pairs in a batch.", FROM_TWO, show_default=str(batch)),
        option("--epochs", "Maximum number of epochs.", COUNT, show_default=str(epochs)),
        option("--steps", "Maximum number of steps.", FROM_ZERO),
        option("--warmup", "Steps over which the rate rises (schedule tail).", FROM_ZERO),
        option(
            "--patience", "Early stopping: epochs without improvement.", COUNT, show_default=str(patience)
        ),
        option("--interval", "Steps between checkpoints.", COUNT, show_default="200"),
        option("--dev-share", "Share of the data held out for early stopping.", WITHIN, show_default="0.15"),
        option("--threads", "Number of torch threads.", COUNT, show_default="torch's choice"),
    )


def _given(**values: Any) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value is not None}


def _threads(count: int | None) -> None:
    from ..models.checkpoints import need_torch

    torch = need_torch("Training")
    if count:
        torch.set_num_threads(count)


@train_command.command(name="coherence")
@option(
    "--data",
    "Human stories: VIST (references or SIS), ROCStories, Story Cloze, text; or a folder that holds the"
    " standard files.",
    click.Path(exists=True, path_type=Path),
    multiple=True,
)
@option(
    "--held-out", "Held-out stories: training stories with the same opening are dropped.", FILE, multiple=True
)
@option("--out", "Folder of the run: state, learning curve, best model.", NEW_FOLDER)
@option(
    "--encoder",
    "Folder of any Hugging Face encoder, trained as the paper does; default: the top layers of the packaged"
    " MiniLM.",
    default="",
)
@option("--freeze", "Number of lowest layers to freeze.", FROM_ZERO)
@option("--pooling", "Input of the classification head.", ("cls", "cls+a+b"))
@option("--dropout", "Dropout before the head.", click.FloatRange(0, 0.95))
@option("--reach", "Also train on sentences up to this far apart.", COUNT)
@option(
    "--name",
    "Name of the model in signatures.",
    default="",
    show_default="coherence, or coherence-minilm for the packaged recipe",
)
@option("--evaluate", "Do not train; evaluate a model on the held-out stories of the data folder.", bool)
@option(
    "--model",
    "With --evaluate: the model's folder; default: the packaged one.",
    default="",
)
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
    storymeter train coherence --data DATA --out runs/c   as the packaged model
    storymeter train coherence --data r.csv --encoder albert-large-v1 --out a
        the paper's
    storymeter train coherence --evaluate --data DATA    held-out results
    """
    from ..story.train import heldout
    from ..story.train.coherence import EMBEDDED, PAPER, train_coherence
    from ..story.train.data import read_stories

    _threads(threads)
    if not data:
        raise UsageError("No training data was given.", hint="Give --data FILE… or --data FOLDER.")
    files, unseen = heldout.expand(data)
    unseen = [*unseen, *held_out]
    with progress_bar() as progress:
        if evaluate:
            if len(data) != 1 or not data[0].is_dir():
                raise UsageError(
                    "--evaluate needs one folder of data.",
                    hint=f"It holds {', '.join(heldout.UNSEEN)}, and the training files.",
                )
            found = heldout.evaluate(data[0], model, device=device, seed=seed, progress=progress)
            put(held_out_tables(found), style)
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


@train_command.command(name="grounding")
@option("--entities", "Flickr30K Entities: the folder with Annotations and Sentences.", FOLDER, required=True)
@option("--images", "The folder flickr30k-images.", FOLDER, required=True)
@option(
    "--vision",
    "Folder of a ViT-like Hugging Face checkpoint (ViT-base/16-224 in the paper).",
    click.Path(exists=True, file_okay=False),
    required=True,
)
@option(
    "--glove",
    "GloVe text file (300 dimensions in the paper).",
    click.Path(exists=True, dir_okay=False),
    required=True,
)
@option("--out", "Folder of the run: state, learning curve, best model.", NEW_FOLDER, required=True)
@option("--width", "Dimensions of the joint space.", FROM_TWO, 1024)
@option("--name", "Name of the model in signatures.", default="grounding")
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
    from ..story.train.data import read_mentions
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
