"""Modules for Hugging Face `evaluate`: METEOR, CIDEr, sts, and all metrics of timed captions, without Java.

    import evaluate
    from storymeter.compat import huggingface
    meteor = evaluate.load(huggingface.path("meteor"))
    meteor.compute(predictions=["a man walks"], references=[["a man is walking", "somebody walks"]])

Each is a folder that `evaluate.load` takes as a local path. `evaluate` is imported by them alone.
"""

from pathlib import Path

from ...errors import UsageError, suggest

MODULES = ("meteor", "cider", "dense", "soda", "sts")


def path(name: str) -> str:
    """The folder of a module, for `evaluate.load`.

    >>> Path(path("cider")).name
    'cider'
    """
    if name not in MODULES:
        raise UsageError(f"There is no evaluate module {name!r}.", hint=suggest(name, MODULES))
    return str(Path(__file__).parent / name)
