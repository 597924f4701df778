"""storymeter train: train the story models on your own data; an interrupted run continues where it
stopped; and the held-out results of a coherence model as tables.
"""

import contextlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click
import msgspec

from ..errors import UsageError
from ..progress import LoggedProgress, Progress
from ..report.table import Column, Table, numbers
from ..story.train import grounding as grounding_recipe, heldout
from ..story.train.coherence import EMBEDDED, PAPER, Recipe, train_coherence
from ..story.train.data import read_stories
from ..story.train.loop import TrainingOptions
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
    print_note,
    print_tables,
    progress_bar,
    seed_option,
    together,
)


def held_out_tables(result: heldout.HeldOut) -> list[Table]:
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


def _loop_options(paper: TrainingOptions, packaged: Recipe | None = None) -> Callable[[F], F]:
    """The options of a training run; help shows the defaults of its recipes."""

    def default(name: str) -> str:
        usual = getattr(paper, name)
        return _either(getattr(packaged.options, name), usual) if packaged else f"{usual}"

    dev_share = _either(packaged.dev_share, PAPER.dev_share) if packaged else f"{PAPER.dev_share}"
    return together(
        option("--lr", "Learning rate.", POSITIVE, show_default=default("lr")),
        option(
            "--lr-decay",
            "Factor on the rate after each epoch (schedule epoch).",
            SHARE,
            show_default=default("lr_decay"),
        ),
        option(
            "--schedule",
            "epoch: the rate falls after each epoch; tail: over the last fifth.",
            ("epoch", "tail"),
            show_default=default("schedule"),
        ),
        option("--weight-decay", "Adam's weight decay.", AMOUNT, show_default=default("weight_decay")),
        option("--batch-size", "Pairs in a batch.", FROM_TWO, show_default=default("batch_size")),
        option("--epochs", "Maximum number of epochs.", COUNT, show_default=default("epochs")),
        option("--steps", "Maximum number of steps; 0: no limit.", FROM_ZERO, show_default=default("steps")),
        option(
            "--warmup",
            "Steps over which the rate rises (schedule tail).",
            FROM_ZERO,
            show_default=default("warmup"),
        ),
        option(
            "--patience",
            "Early stopping: epochs without improvement.",
            COUNT,
            show_default=default("patience"),
        ),
        option("--interval", "Steps between checkpoints.", COUNT, show_default=default("interval")),
        option(
            "--dev-share", "Share of the data held out for early stopping.", WITHIN, show_default=dev_share
        ),
        option("--threads", "Number of torch threads.", COUNT, show_default="torch's choice"),
    )


def _either(packaged: object, paper: object) -> str:
    """A default of the packaged recipe, and that of the paper where it is another."""
    return f"{packaged}" if packaged == paper else f"{packaged}; with --encoder {paper}"


@contextlib.contextmanager
def _progress() -> Iterator[Progress]:
    """What training does and how long it will take, from the first second."""
    if not sys.stderr.isatty():
        yield LoggedProgress(print_note)
        return
    with progress_bar(patience=0.0) as bars:
        yield bars


def _given(**values: Any) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value is not None}


def _threads(count: int | None) -> None:
    from ..models.checkpoints import need_torch

    torch = need_torch("Training")
    if count:
        torch.set_num_threads(count)


@click.command("coherence")
@option(
    "--data",
    "Human stories: VIST (references or SIS), ROCStories, Story Cloze, text, or any file of stories that"
    " `score` reads; or a folder that holds the standard files.",
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
@option(
    "--freeze",
    "Number of lowest layers to freeze.",
    FROM_ZERO,
    show_default=_either(EMBEDDED.freeze, PAPER.freeze),
)
@option(
    "--pooling",
    "Input of the classification head.",
    ("cls", "cls+a+b"),
    show_default=_either(EMBEDDED.pooling, PAPER.pooling),
)
@option(
    "--dropout",
    "Dropout before the head.",
    click.FloatRange(0, 0.95),
    show_default=_either(EMBEDDED.dropout, PAPER.dropout),
)
@option(
    "--reach",
    "Also train on sentences up to this far apart.",
    COUNT,
    show_default=_either(EMBEDDED.reach, PAPER.reach),
)
@option(
    "--name",
    "Name of the model in signatures.",
    default="",
    show_default="coherence, or coherence-minilm for the packaged recipe",
)
@option(
    "--evaluate",
    "Do not train; evaluate a model on stories that it did not learn from: those of --held-out (the files of"
    " --data are then what the bag of words learns from), else those of --data.",
    bool,
)
@option(
    "--model",
    "With --evaluate: the model's folder; default: the packaged one.",
    default="",
)
@_loop_options(PAPER.options, EMBEDDED)
@seed_option
@device_option
@format_option()
def coherence_command(
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
    storymeter train coherence --evaluate --model runs/c --held-out mine.json
    """
    _threads(threads)
    if not data and not (evaluate and held_out):
        raise UsageError("No stories were given.", hint="Give --data FILE… or --data FOLDER.")
    with _progress() as progress:
        if evaluate:
            options: dict[str, Any] = {"device": device, "seed": seed, "progress": progress}
            if not held_out and len(data) == 1 and data[0].is_dir():
                found = heldout.evaluate(data[0], model, **options)
            else:
                learnt = heldout.expand(data)[0] if held_out else ()
                found = heldout.evaluate_files(held_out or data, learnt, model, **options)
            print_tables(held_out_tables(found), style)
            return
        files, unseen = heldout.expand(data)
        unseen = [*unseen, *held_out]
        if out is None:
            raise UsageError("No output folder was given.", hint="Give --out FOLDER.")
        base = PAPER if encoder else EMBEDDED
        recipe = msgspec.structs.replace(
            base,
            options=msgspec.structs.replace(base.options, seed=seed, **_given(**loop)),
            **_given(freeze=freeze, pooling=pooling, dropout=dropout, reach=reach, dev_share=dev_share),
        )
        stories = []
        for number, file in enumerate(files):
            progress("reading stories", number, len(files))
            stories += read_stories(file)
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
            say=print_note,
        )
    print_note(
        f"written: {out}/coherence.json, {out}/coherence.safetensors (temperature"
        f" {trained.config.temperature:g}); use it: rovist_c(model={out})"
    )


@click.command("grounding")
@option("--entities", "Flickr30K Entities: the folder with Annotations and Sentences.", FOLDER)
@option(
    "--captions",
    "Captions of one's own pictures (CSV, JSON, JSON Lines …), by the name of the picture; with the columns"
    " x, y, w, h: phrases of boxes.",
    FILE,
    multiple=True,
)
@option("--images", "The folder of the pictures, such as flickr30k-images.", FOLDER, required=True)
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
@_loop_options(grounding_recipe.PAPER)
@seed_option
@device_option
def grounding_command(
    entities: Path | None,
    captions: tuple[Path, ...],
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

    Algorithm 1 of the paper, on Flickr30K Entities (--entities), on one's own pictures with captions
    (--captions), or on both.

    \b
    storymeter train grounding --captions mine.csv --images photos
        --vision vit-base-patch16-224 --glove glove.6B.300d.txt --out runs/vg"""
    from ..story.train.mentions import read_captions, read_mentions

    _threads(threads)
    if entities is None and not captions:
        raise UsageError(
            "No phrases were given.", hint="Give --captions FILE…, or --entities FOLDER (Flickr30K Entities)."
        )
    options = msgspec.structs.replace(grounding_recipe.PAPER, seed=seed, **_given(**loop))
    with _progress() as progress:
        mentions = read_mentions(entities, progress) if entities is not None else []
        for file in captions:
            mentions += read_captions(file, progress)
        grounding_recipe.train_grounding(
            mentions,
            images,
            vision,
            glove,
            out,
            options=options,
            width=width,
            dev_share=dev_share or PAPER.dev_share,
            name=name,
            device=device,
            progress=progress,
            say=print_note,
        )
    print_note(f"written: {out}/grounding.json, {out}/grounding.safetensors; use it: rovist_vg(model={out})")
