"""Metrics that are no part of Storymeter: what they give wrongly is said, and signatures tell them apart."""

from __future__ import annotations

import importlib
import json
import math
import sys
import warnings
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
import shard_kit

import storymeter
from storymeter import plugins, registry
from storymeter.arrays import FloatArray
from storymeter.dense import ActivityNet, Soda
from storymeter.engine import Run, merged, provenance, show
from storymeter.engine.scored_files import PartialRun
from storymeter.errors import StorymeterWarning, UsageError
from storymeter.formats import corpus_from_records
from storymeter.join import Task
from storymeter.measure import ENCODER_TRAINING, NOT_STATED, NOTHING
from storymeter.report import present, render
from storymeter.scores import Signature

TEXTS = ["a dog runs", "a cat sits", "two men talk"]


class Ratio(storymeter.Metric):
    name = "ratio"
    columns = ("words", "documents")  # type: ignore[assignment]
    percent = False

    def rows(self, task: Task, context: storymeter.Context) -> FloatArray:
        words = [len(document.captions[0].text.split()) for document in task.candidates]
        return np.column_stack([words, np.ones(len(task))])

    def combine(self, sums: FloatArray) -> dict[str, FloatArray]:
        return {"value": sums[..., 0] / sums[..., 1]}


class Whole(Ratio):
    def combine(self, sums: FloatArray) -> Any:
        return {"value": sums[0] / sums[1]}


class Branching(Ratio):
    def combine(self, sums: FloatArray) -> Any:
        return {"value": sums[..., 0] / sums[..., 1] if sums[..., 1] > 0 else 0.0}


class Bare(Ratio):
    def combine(self, sums: FloatArray) -> Any:
        return sums[..., 0] / sums[..., 1]


class Misnamed(Ratio):
    def combine(self, sums: FloatArray) -> Any:
        return {"score": sums[..., 0]}


class Imaginary(storymeter.MeanMetric):
    name = "imaginary"

    def document_values(self, task: Task, context: storymeter.Context) -> Any:
        return np.full(len(task), 1 + 2j)


class Broken(storymeter.MeanMetric):
    name = "broken"

    def document_values(self, task: Task, context: storymeter.Context) -> Any:
        return [1 / (len(document.captions) - 1) for document in task.candidates]


class Loud(storymeter.PairScorer):
    name = "loud"
    high: ClassVar[float] = 37.0

    def score_indexed(self, **pairs: Any) -> FloatArray:
        return np.full(len(pairs["candidate_index"]), self.high)


class Changing(Ratio):
    """It gave p .43 for .0005."""

    def combine(self, sums: FloatArray) -> dict[str, FloatArray]:
        sums[..., 0] /= sums[..., 1]
        return {"value": sums[..., 0]}


class Endless(Ratio):
    """It printed inf ± nan, with p = 0."""

    def combine(self, sums: FloatArray) -> dict[str, FloatArray]:
        return {"value": sums[..., 0] / (0 * sums[..., 1])}


class Leaving(Ratio):
    """The command ended without a word."""

    def rows(self, task: Task, context: storymeter.Context) -> FloatArray:
        raise SystemExit(3)


class Numbered(Ratio):
    name = 3  # type: ignore[assignment]


class Barred(Ratio):
    name = "words|tok:none"


class Share(storymeter.PairScorer):
    """Words that two sentences share; with `greedy` the best pair of a batch has 1."""

    name = "share"
    greedy: ClassVar[bool] = False

    def score_indexed(
        self, *, candidates: Any, references: Any, candidate_index: Any, reference_index: Any, jobs: int = 1
    ) -> FloatArray:
        ours, theirs = [{*text.split()} for text in candidates], [{*text.split()} for text in references]
        pairs = zip(candidate_index, reference_index, strict=True)
        values = np.array([len(ours[c] & theirs[r]) / len(ours[c] | theirs[r]) for c, r in pairs])
        return values / values.max() if self.greedy else values


class Greedy(Share):
    name = "greedy"
    greedy = True


class Raising(Share):
    name = "raising"

    def score_indexed(self, **pairs: Any) -> FloatArray:
        raise ValueError("no nose\nin this face")


class Others(storymeter.MeanMetric):
    name = "others"

    def document_values(self, task: Task, context: storymeter.Context) -> FloatArray:
        words = np.array([len("".join(c.text for c in d.captions)) for d in task.candidates])
        return words / words.max()


def _score(metric: storymeter.Metric) -> storymeter.Score:
    return storymeter.evaluate(TEXTS, [[text] for text in TEXTS], [metric]).systems[0].scores[0]


@pytest.mark.parametrize(
    ("metric", "said"),
    [
        (Whole(), r"combine \(test_foreign_metrics.py, line \d+\) is not vectorised"),
        (Branching(), r"not vectorised: .* fails with ValueError"),
        (Bare(), r"combine \(.*\) gives float64; a dict with the key 'value'"),
        (Misnamed(), r"gives the keys 'score'; a dict with the key 'value'"),
        (Imaginary(), "no numbers: they are complex numbers"),
        (Broken(), r"ZeroDivisionError: .* \(test_foreign_metrics.py, line \d+, in"),
        (Loud(), "37 for a pair, outside of its declared range 0 to 1"),
        (ActivityNet(Loud()), "outside of its declared range"),
        (Changing(), r"combine \(test_foreign_metrics.py, line \d+\) changes the sums that it is given"),
        (Endless(), r"combine \(test_foreign_metrics.py, line \d+\) gives inf for all 3 documents"),
        (Leaving(), r"SystemExit: 3 \(test_foreign_metrics.py, line \d+, in rows\)"),
        (Numbered(), r"The name of Numbered \(test_foreign_metrics.py, line \d+\) cannot be 3"),
        (Barred(), r"The name of Barred \(.*\) cannot be 'words|tok:none'"),
        (
            ActivityNet(Raising()),
            r"ValueError: no nose in this face \(test_foreign_metrics.py, line \d+, in score_indexed",
        ),
    ],
)
def test_what_would_be_wrong_in_silence_is_an_error_with_its_line(
    metric: storymeter.Metric, said: str
) -> None:
    with pytest.raises(UsageError, match=said):
        if isinstance(metric, ActivityNet):
            timed = {"a": [[0, 5, "a dog runs"]]}
            storymeter.evaluate(timed, timed, [metric])
        else:
            _score(metric)


def test_a_right_one_scores_as_before() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert _score(Ratio()).value == 3.0


def test_values_beyond_one_that_are_printed_as_percentages_are_warned_of() -> None:
    class Large(storymeter.MeanMetric):
        name = "large_one"

        def document_values(self, task: Task, context: storymeter.Context) -> FloatArray:
            return np.full(len(task), 37.0)

    with pytest.warns(StorymeterWarning, match="percent = False"):
        _score(Large())


def test_the_declared_range_of_a_metric_is_checked() -> None:
    class Ranged(storymeter.MeanMetric):
        name = "ranged"
        range = (0.0, 1.0)
        percent = False
        most = 1.0

        def document_values(self, task: Task, context: storymeter.Context) -> FloatArray:
            return np.linspace(0, self.most, len(task))

    class Beyond(Ranged):
        most = 37.0

    assert _score(Ranged()).value == 0.5
    said = r"line \d+\) gave 18.5 for '2', outside of its declared range 0 to 1"
    with pytest.raises(UsageError, match=said):
        _score(Beyond())

    class Open(Ranged):
        range = (2.0, math.inf)
        most = 37.0

    with pytest.raises(UsageError, match="gave 0 for '1', outside of its declared range 2 to inf"):
        _score(Open())


def test_a_name_of_ours_is_warned_of() -> None:
    class Meteor(storymeter.MeanMetric):
        name = "meteor"

        def document_values(self, task: Task, context: storymeter.Context) -> FloatArray:
            return np.ones(len(task))

    with pytest.warns(StorymeterWarning, match="Give it another name"):
        score = _score(Meteor())
    assert score.signature.get("plugin").startswith("local#")
    assert not storymeter.metric("soda_c").origin


def _versions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[storymeter.Results]:
    """One metric of a module, before and after its formula is changed."""
    found = []
    for k, factor in enumerate(("1.0", "0.5")):
        folder = tmp_path / f"site{k}"
        folder.mkdir()
        (folder / f"formula_{k}.py").write_text(
            "import numpy, storymeter\n"
            "class Formula(storymeter.MeanMetric):\n"
            "    name = 'formula'\n"
            "    def document_values(self, task, context):\n"
            f"        return numpy.array([{factor} / len(d.text[0].split()) for d in task.candidates])\n"
        )
        monkeypatch.syspath_prepend(str(folder))
        metric = __import__(f"formula_{k}").Formula()
        system = storymeter.evaluate({f"system {k}": TEXTS}, [[t] for t in TEXTS], [metric])
        found.append(system)
    return found


def test_two_versions_of_a_plugin_are_not_compared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = _versions(tmp_path, monkeypatch)
    with pytest.raises(UsageError, match="formula was not computed alike for all systems: plugin is"):
        merged(runs)
    score = runs[0].systems[0].scores[0]
    with pytest.raises(UsageError, match="cannot be compared"):
        provenance.check_comparable({"a": [score], "b": [runs[1].systems[0].scores[0]]})
    provenance.check_comparable({"a": [score], "b": [score]})


def _package(folder: Path, name: str, files: dict[str, str]) -> None:
    """A distribution of two modules and a package, as pip leaves it."""
    known = folder / f"{name}-1.dist-info"
    known.mkdir(parents=True)
    (known / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n")
    (known / "top_level.txt").write_text(f"{name}_formula\n{name}_words\n")
    for file, text in files.items():
        (folder / file).parent.mkdir(exist_ok=True)
        (folder / file).write_text(text)


@pytest.mark.parametrize("changed", ["", "_words/__init__.py", "_words/lexicon.json"])
def test_all_that_a_distribution_brings_is_in_its_hash(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changed: str
) -> None:
    """A formula in a second module, or a list of words beside it, was changed: the signature was the same."""
    found = []
    name = f"words{len(changed)}"
    for k in range(2):
        files = {
            f"{name}_formula.py": "import storymeter\n"
            "class Listed(storymeter.MeanMetric):\n    name = 'listed'\n"
            "    def document_values(self, task, context):\n        return [0.5] * len(task)\n",
            f"{name}_words/__init__.py": "FACTOR = 1\n",
            f"{name}_words/lexicon.json": '["dog"]',
        }
        if k and changed:
            files[name + changed] += "  "
        _package(tmp_path / f"site{k}", name, files)
        with monkeypatch.context() as patch:
            patch.syspath_prepend(str(tmp_path / f"site{k}"))
            plugins._origin.cache_clear()
            found.append(_score(importlib.import_module(f"{name}_formula").Listed()).signature.get("plugin"))
            sys.modules.pop(f"{name}_formula")
            sys.path_importer_cache.clear()
            importlib.invalidate_caches()
    assert found[0].startswith(f"{name}-1#")
    assert (found[0] == found[1]) == (not changed)


def test_code_is_hashed_before_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a package with more files than are hashed, the code is."""
    monkeypatch.setattr(plugins, "FILES", 2)
    folder = tmp_path / "many_tables"
    folder.mkdir()
    for file in ("__init__.py", "a.json", "b.json", "z.py"):
        (folder / file).write_text("")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert [path.name for path in plugins._sources("many_tables")] == ["__init__.py", "z.py"]


def test_what_a_class_names_in_its_module_is_in_its_hash(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a script the formula stands in a function, or in a constant, beside the class."""
    monkeypatch.syspath_prepend(str(tmp_path))
    found = []
    words = 'frozenset(["dog", "cat"])'
    made = [("1.0", "1"), ("0.5", "1"), ("1.0", "2"), ("1.0", "1"), ("1.0", "1"), ("1.0", "1")]
    for k, (factor, power) in enumerate(made):
        stop = words.replace("cat", "cow") if k == 4 else words
        (tmp_path / f"beside_{k}.py").write_text(
            f"import storymeter\nFACTOR = {factor}\nUNUSED = {k}\nWORDS = (({stop}, 1), 2)\n"
            "class Beginning:\n    pass\nSTEPS = (Beginning(), len)\n"  # their addresses are others each time
            f"def share(text):\n    return STEPS and WORDS and FACTOR / len(text) ** {power}\n"
            "class Beside(storymeter.MeanMetric):\n    name = 'beside'\n"
            "    def document_values(self, task, context):\n"
            "        return [share(d.text[0]) for d in task.candidates]\n"
        )
        found.append(importlib.import_module(f"beside_{k}").Beside().origin)
    assert found[0] == found[3] == found[5] and len({*found}) == 4


def test_an_interrupted_run_takes_no_score_of_another_formula(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run that was killed, then a corrected plug-in and the same command: the old score was taken."""
    runs = _versions(tmp_path, monkeypatch)
    corpus = corpus_from_records(TEXTS)
    kept = PartialRun(tmp_path / "run.smr", Run(corpus), runs[0].conditions)
    for results in runs:
        (metric,) = results.metrics
        assert kept.get(corpus, "formula", metric) is None
        kept.put(corpus, "formula", metric, results.systems[0].scores[0])
        found = kept.get(corpus, "formula", metric)
        assert found is not None and found.value == results.systems[0].scores[0].value
    assert kept.resumed == 2


def test_other_fields_are_a_warning_and_days_are_none() -> None:
    score = _score(Ratio())

    def signed(**fields: str) -> list[storymeter.Score]:
        return [resigned(score, score.signature.add(**fields))]

    with pytest.raises(UsageError, match="prompt is 'a-1' for one and 'a-2' for two"):
        provenance.check_comparable({"one": signed(prompt="a-1"), "two": signed(prompt="a-2")})
    with pytest.warns(StorymeterWarning, match="judge is 'small' for one"):
        provenance.check_comparable({"one": signed(judge="small"), "two": signed(judge="large")})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        provenance.check_comparable({"one": signed(answered="2026-01-01"), "two": signed(repaired="yes")})


def resigned(score: storymeter.Score, signature: Signature) -> storymeter.Score:
    import dataclasses

    return dataclasses.replace(score, signature=signature)


def test_shards_refuse_what_looks_at_other_documents(tmp_path: Path) -> None:
    """The score of `Others` moved with the number of shards, and so did that of SODA with `Greedy`."""
    folders = []
    for name in ("mine", "people"):
        lengths = enumerate((3, 5, 2, 7, 4, 6))
        texts = {f"v{k}": [[0, 5, f"{name} {' '.join('abcdefg'[:n])}"]] for k, n in lengths}
        folders.append(shard_kit.write_folder(tmp_path / name, corpus_from_records(texts)))
    mine, people = folders

    def score(metric: storymeter.Metric, shards: int) -> float:
        save = tmp_path / f"{metric.name}-{shards}"
        found = shard_kit.score_in_shards([mine], [people], [metric], save, shards=shards)
        return found.systems[0].scores[0].value

    for shards in (1, 2):
        for metric in (Others(), Soda("c", scorer=Greedy())):
            with pytest.raises(UsageError, match="other numbers alone than among other documents"):
                score(metric, shards)
        with pytest.raises(UsageError, match="not vectorised"):
            score(Whole(), shards)
        with pytest.raises(UsageError, match=r"ValueError: no nose in this face \(test_foreign"):
            score(Soda("c", scorer=Raising()), shards)
    assert score(Soda("c", scorer=Share()), 1) == pytest.approx(score(Soda("c", scorer=Share()), 2))


def test_a_saved_run_without_its_plugins(tmp_path: Path) -> None:
    """Values and comparisons of means, and of SODA with a scorer that is not installed; a formula that is not
    known is left out by name, and nothing is said to be worse by it."""
    timed = [{f"v{k}": [[0, 5, f"a dog {word} {k}"]] for k in range(8)} for word in ("runs", "sits")]
    metrics: list[Any] = [Ratio(), Share(), Soda("c", scorer=Share()), "rouge_l"]
    results = storymeter.evaluate({"one": timed[0], "two": timed[1]}, timed[0], metrics)
    results.save(tmp_path / "run.smr")
    again = storymeter.load(tmp_path / "run.smr")
    assert [s.value for s in again.systems[1].scores] == [s.value for s in results.systems[1].scores]
    with pytest.warns(StorymeterWarning, match="^ratio: the saved run has the values, but not the formula"):
        found = again.compare()
    assert found == [c for c in results.compare() if c.metric != "ratio"]
    shown = json.loads(render(present(again, comparisons=found), "json"))
    assert shown["marks"]["ratio"] == {"one": "", "two": ""}
    with pytest.raises(UsageError, match="'ratio' of the saved run is not known here"):
        again.only("ratio").compare()
    assert storymeter.load(tmp_path / "run.smr", metrics=[Ratio()]).compare() == results.compare()
    shown: Any = show("v1", tmp_path / "run.smr", metric="soda_c(scorer=share)")  # a timeline
    assert shown.scorer == "share" and shown.links


def test_measures_state_what_their_parts_were_trained_on() -> None:
    """`soda_c(scorer=sts)`, CLIP and RoViST had learnt nothing, nor had SODA with the scorer of a plug-in."""
    assert Soda("c", scorer=Share()).trained_on.what == NOT_STATED
    encoder = storymeter.metric("sts").trained_on
    assert storymeter.metric("soda_c(scorer=sts)").trained_on == encoder == ENCODER_TRAINING
    assert storymeter.metric("sts(model=minilm+mpnet)").trained_on == encoder
    for name in ("sts(model=folder)", "bertscore(model=folder)", "wmd(vectors=v.txt)", "clipscore(model=x)"):
        assert storymeter.metric(name).trained_on.what == NOT_STATED, name
    assert "stories-roc" in storymeter.metric("rovist").trained_on.benchmarks
    for name in registry.MEASURES:
        made = storymeter.metric("judge(model=x)" if name == "judge" else name)
        assert not made.slow or made.trained_on.what != NOTHING, name
