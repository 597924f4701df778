"""Rooms have public doors: `dir()` lists the exports and nothing else, each is documented, and no module of a
room bears the name of an export (a submodule of that name would replace it when it is imported).
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
import sys

import pytest

ROOMS = (
    "compat",
    "dense",
    "engine",
    "formats",
    "harness",
    "human",
    "judge",
    "meta",
    "models",
    "pairs",
    "report",
    "rewards",
    "stats",
    "story",
    "stress",
    "text",
)
#: what each door has had since documents named it
PROMISED = {
    "": "read write evaluate Run Results Score compare load metric scorer show",
    "compat": "install",
    "dense": "Soda ActivityNet Localisation Paragraph",
    "engine": "Run Results Comparison score_files show load",
    "formats": "read write examine iter_documents Format FORMATS Problem",
    "human": "new serve simulate export analyse plan backup restore status",
    "judge": "Judge Prompt Budget",
    "meta": "agree benchmark BENCHMARKS report_card self_agreement similarity",
    "models": "load_encoder Embeddings WordVectors Clip PACKAGES open_picture frames_at",
    "pairs": "Meteor Bleu Cider RougeL Sts BertScore Facts Spice Wmd",
    "report": "Table present render write_report",
    "stats": "bootstrap_interval paired_permutations paired_bootstraps holm pearson williams",
    "story": "Rovist Grounding Coherence Redundancy Tiger ClipScore EmScore explain_story train_coherence"
    " train_grounding",
    "stress": "apply audit count order pad oracle details attacks",
    "text": "tokenize ptb_tokenize TOKENIZERS treebank split_sentences script_of",
}


@pytest.mark.parametrize("room", PROMISED)
def test_promised_names(room: str) -> None:
    package = importlib.import_module(f"storymeter.{room}".rstrip("."))
    assert not set(PROMISED[room].split()) - set(package.__all__)


@pytest.mark.parametrize("room", ROOMS)
def test_door(room: str) -> None:
    package = importlib.import_module(f"storymeter.{room}")
    assert dir(package) == sorted(package.__all__)
    for name in package.__all__:
        assert (getattr(package, name).__doc__ or "").strip(), f"{room}.{name} has no docstring"


def explained(documentation: str) -> set[str]:
    """The parameters that a docstring explains in lines such as `rows, columns: what they are`."""
    lines = re.findall(r"^ *([\w*]+(?:, [\w*]+)*): \S", documentation, re.MULTILINE)
    return {name for line in lines for name in line.split(", ")}


@pytest.mark.parametrize("room", ["", *ROOMS])
def test_functions_at_the_doors_explain_their_parameters(room: str) -> None:
    package = importlib.import_module(f"storymeter.{room}".rstrip("."))
    unexplained = []
    for name in package.__all__:
        function = inspect.unwrap(getattr(package, name))
        if inspect.isfunction(function):
            missing = [
                *inspect.signature(function).parameters.keys() - explained(inspect.getdoc(function) or "")
            ]
            unexplained += [f"{name}({parameter})" for parameter in missing]
    assert not unexplained


@pytest.mark.parametrize("room", ROOMS)
def test_no_module_bears_the_name_of_an_export(room: str) -> None:
    package = importlib.import_module(f"storymeter.{room}")
    modules = {module.name for module in pkgutil.iter_modules(package.__path__)}
    assert not modules & set(package.__all__)


@pytest.mark.parametrize("room", ROOMS)
def test_the_room_shows_an_example(room: str) -> None:
    assert ">>> " in (importlib.import_module(f"storymeter.{room}").__doc__ or "")


def test_no_module_of_the_package_bears_the_name_of_its_exports() -> None:
    package = importlib.import_module("storymeter")
    modules = {module.name for module in pkgutil.iter_modules(package.__path__)}
    assert not modules & set(package.__all__)


@pytest.mark.parametrize(
    ("room", "old", "new"),
    [
        ("story", "NonRedundancy", "Redundancy"),
        ("story", "VisualGrounding", "Grounding"),
        ("text", "foreign_script", "script_of"),
    ],
)
def test_old_names_at_the_doors_still_work(room: str, old: str, new: str) -> None:
    package = importlib.import_module(f"storymeter.{room}")
    with pytest.warns(DeprecationWarning, match=f"{old} is {new} now"):
        assert getattr(package, old) is getattr(package, new)
    assert old not in dir(package)


@pytest.mark.parametrize(
    ("old", "name"),
    [
        ("storymeter.dense.matching", "match"),
        ("storymeter.human.analysis.robust", "robust_ranking"),
        ("storymeter.human.degrade", "degrade"),
        ("storymeter.pairs.align", "Aligner"),
        ("storymeter.report.full.data", "data"),
        ("storymeter.stats.exact", "ExactSums"),
        ("storymeter.stats.multiple", "holm"),
    ],
)
def test_paths_that_documents_named_before_still_work(old: str, name: str) -> None:
    sys.modules.pop(old, None)
    with pytest.warns(DeprecationWarning, match=f"{old} is storymeter"):
        module = importlib.import_module(old)
    assert callable(getattr(module, name))
