"""A scorer is options and traits, its model does the work, and a metric of documents holds it."""

from __future__ import annotations

import ast
import gc
import pickle
import weakref
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import storymeter
from storymeter import Caption, Corpus, Document, PairScorer, Run, registry
from storymeter.arrays import FloatArray
from storymeter.context import Settings
from storymeter.dense import ActivityNet, Soda
from storymeter.errors import UsageError
from storymeter.options import options_of
from storymeter.pairs import Bleu, Cider, Meteor, TextMetric, sentences

SOURCE = Path(storymeter.__file__).parent
SCORERS = [name for name in registry.MEASURES if issubclass(registry.declared(name)[0], PairScorer)]
#: public names that a scorer may have
MOST = 12
OURS = ["a dog runs", "two men cook"]
THEIRS = [["the dog runs", "a dog"], ["men are cooking rice"]]


def corpus(name: str, *texts: str) -> Corpus:
    return Corpus(tuple(Document(f"v{k}", (Caption(text),)) for k, text in enumerate(texts)), name)


def public(made: object) -> set[str]:
    return {name for name in dir(made) if not name.startswith("_")}


@pytest.mark.parametrize("name", SCORERS)
def test_a_scorer_has_few_public_names(name: str) -> None:
    scorer = registry.scorer(name)
    assert len(public(scorer) - set(options_of(type(scorer)))) <= MOST
    assert len(public(Meteor())) <= MOST, "with its options"


def test_work_leaves_the_scorer_as_it_was() -> None:
    scorer = Cider()
    before = dict(vars(scorer))
    scorer.open(Settings(device="cuda"))
    fitted = scorer.fit(THEIRS)
    fitted.pairs(candidates=OURS, references=THEIRS)
    scorer.corpus(candidates=OURS, references=THEIRS)
    assert {key: value for key, value in vars(scorer).items() if key != "_alone"} == before
    assert pickle.loads(pickle.dumps(scorer)) == scorer
    assert scorer.open(Settings(device="cuda")).device == "cuda" and scorer.open().device == "cpu"


def test_a_fitted_model_is_fitted_in_another_process_too() -> None:
    fitted = Cider().fit([["a dog runs fast"], ["men cook"], ["a cat"]])
    again = pickle.loads(pickle.dumps(fitted))
    values = fitted.pairs(candidates=OURS, references=THEIRS)
    assert again.pairs(candidates=OURS, references=THEIRS).tolist() == values.tolist()
    assert values.tolist() != Cider().pairs(candidates=OURS, references=THEIRS).tolist()


def _statements() -> Iterator[tuple[Path, ast.AST]]:
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            yield path, node


def test_no_value_is_changed_through_its_dict() -> None:
    wrong = []
    for path, node in _statements():
        held = node.value if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store) else None
        if isinstance(node, ast.Attribute) and node.attr in ("update", "setdefault", "pop"):
            held = node.value
        inner = isinstance(held, ast.Attribute) and held.attr == "__dict__"
        inner = inner or (isinstance(held, ast.Call) and ast.unparse(held.func) == "vars")
        if inner and "module" not in ast.unparse(held):  # a module that has moved is filled in `_lazy`
            wrong.append(f"{path.name}: {ast.unparse(node)}")
    assert not wrong


def test_a_flag_says_what_is_storymeter_s_own() -> None:
    asked = [
        f"{path.name}: {ast.unparse(node)}"
        for path, node in _statements()
        if isinstance(node, ast.Attribute) and node.attr == "startswith" and "__module__" in ast.unparse(node)
    ]
    assert not asked
    for name in registry.MEASURES:
        assert registry.metric(name).own and registry.metric(name).origin is None, name

    class Mine(Meteor):
        pass

    assert not TextMetric(Mine()).own


def test_the_metric_of_documents_holds_the_scorer() -> None:
    metric = registry.metric("bleu_2(smoothing=floor)")
    assert isinstance(metric, TextMetric)
    assert metric.scorer == Bleu(2, smoothing="floor") == metric
    assert TextMetric("bleu_2(smoothing=floor)") == metric
    assert type(TextMetric(metric.scorer)) is type(metric)
    assert repr(metric) == "TextMetric('bleu_2(smoothing=floor)')" and eval(repr(metric)) == metric
    for wrong in (3, metric, None):
        with pytest.raises(UsageError, match="scorer cannot be") as error:
            TextMetric(wrong)  # type: ignore[arg-type]
        assert error.value.hint == "It is a scorer, such as 'meteor' or Meteor()."
    by_name = Run(corpus("people", "the dog runs", "men cook")).score(corpus("mine", *OURS), "bleu_2", 0)
    by_object = Run(corpus("people", "the dog runs", "men cook")).score(corpus("mine", *OURS), Bleu(2), 0)
    assert str(by_name["mine", "bleu_2"]) == str(by_object["mine", "bleu_2"])
    assert by_name["mine", "bleu_2"].signature == by_object["mine", "bleu_2"].signature


@pytest.mark.parametrize("name", ["aggregate", "statistics", "symmetric", "trained_on", "columns"])
def test_names_of_the_first_release_work_with_a_warning(name: str) -> None:
    with pytest.warns(DeprecationWarning, match=name):
        found = getattr(Bleu(2), name)
    if name == "aggregate":
        assert found(candidates=OURS, references=THEIRS) == pytest.approx(
            Bleu(2).corpus(candidates=OURS, references=THEIRS).value
        )
    with pytest.raises(AttributeError, match="no attribute 'aggregated'"):
        _ = Bleu(2).aggregated


class Overlap(PairScorer):
    """Written for the first release: attributes, hooks of the metric of documents, the device."""

    name = "overlap"
    percent = False
    over_references = "mean"
    columns = ("shared", "documents")

    def __init__(self, offset: float = 0.0) -> None:
        self.offset = offset

    def score_indexed(self, *, jobs: int = 1, **pairs: Any) -> FloatArray:
        ours = [set(pairs["candidates"][k].split()) for k in pairs["candidate_index"]]
        theirs = [set(pairs["references"][k].split()) for k in pairs["reference_index"]]
        return np.array([self.offset + len(a & b) / 10 for a, b in zip(ours, theirs, strict=True)])

    def depends_on(self) -> dict[str, object]:
        return {**super().depends_on(), "ran": self.device}  # type: ignore[misc]

    def has_words(self, text: str) -> bool:
        return bool(super().has_words(text)) and text != "nothing"  # type: ignore[misc]

    def fit(self, references: Sequence[Sequence[str]]) -> Overlap:
        assert super().fit(references) is self
        return Overlap(offset=len(references) / 10)

    def rows(self, task: Any, context: Any) -> FloatArray:
        return np.array([[len(document.text), 1.0] for document in task.candidates])

    def combine(self, sums: FloatArray) -> dict[str, FloatArray]:
        return {**super().combine(sums), "sum": sums[..., 0]}  # type: ignore[misc]

    def remarks(self, scores: Any) -> list[str]:
        return [*super().remarks(scores), f"{self.offset}"]  # type: ignore[misc]


def test_a_scorer_of_one_s_own_runs_unchanged() -> None:
    scorer = Overlap()
    assert scorer.pairs(candidates=["a b"], references=[["a b", "a"]])[0] == pytest.approx(0.15)
    assert scorer.pairs(candidates=["nothing", " "], references=[["nothing"], [" "]]).tolist() == [0, 0]
    assert scorer.fit([["a"], ["b"]]).pairs(candidates=["a"], references=[["a"]])[0] == pytest.approx(0.3)
    run = Run(corpus("people", "the dog runs", "men cook"), device="cuda", jobs=1)
    with pytest.warns(storymeter.errors.StorymeterWarning, match="no effect on overlap"):
        score = run.score(corpus("mine", *OURS), scorer)["mine", "overlap"]
    assert (score.value, score.parts["sum"], score.columns) == (11.0, 22.0, ("shared", "documents"))
    assert score.signature.get("ran") == "cuda" and "#" in score.signature.get("plugin")
    assert pickle.loads(pickle.dumps(TextMetric(scorer))).scorer.offset == 0.0
    assert TextMetric(scorer).remarks({}) == ["0.0"]


class Shared(PairScorer):
    """The share of the candidate's words that the reference has, summed over a corpus."""

    name = "shared"
    pair_columns = ("hits", "misses", "reference")

    def statistics_indexed(
        self, *, candidates: Any, references: Any, candidate_index: Any, reference_index: Any, jobs: int = 1
    ) -> Any:
        rows = []
        for words, other in (
            (candidates[c].split(), references[r].split())
            for c, r in zip(candidate_index, reference_index, strict=True)
        ):
            hits = sum(word in other for word in words)
            rows.append([hits, len(words) - hits, len(other)])
        return np.array(rows).reshape(-1, 3)

    def value_of(self, sums: FloatArray) -> FloatArray:
        return sums[..., 0] / np.maximum(sums[..., 0] + sums[..., 1], 1)

    def score_indexed(self, *, jobs: int = 1, **pairs: Any) -> FloatArray:
        return self.value_of(self.statistics_indexed(**pairs))


def test_the_corpus_of_additive_statistics_is_the_value_of_their_sums() -> None:
    """It was `value_of` of (value, 1): .4286 where the only pair had .75."""
    pair: dict[str, Any] = {"candidates": ["a b c x"], "references": [["a b c d"]]}
    assert (
        Shared().pairs(**pair)[0]
        == Shared().corpus(**pair).value
        == Shared().open().aggregate(**pair)
        == 0.75
    )
    # the best reference counts, of equal ones the first: one of five words, not of three
    two: dict[str, Any] = {
        "candidates": ["a b c x", "e f", "", "g"],
        "references": [["a b c d"], ["y", "a b c d e", "e x y"], ["z"], ["h i"]],
    }
    score = Shared().corpus(**two)
    assert score.columns == TextMetric(Shared()).columns == Shared.pair_columns
    assert score.rows is not None
    assert score.rows.tolist() == [[3, 1, 4], [1, 1, 5], [0, 0, 1], [0, 1, 2]]
    assert score.value == Shared().open().aggregate(**two) == 4 / 7 and score.interval is not None
    assert Shared().pairs(**two).tolist() == [0.75, 0.5, 0, 0]
    rows = Shared().open().statistics(candidates=["a", "b"], references=[[], ["b c"]])
    assert rows.tolist() == [[0, 1, 0], [1, 0, 2]], "without a reference, an empty one, as METEOR has"
    assert Shared().open().statistics(candidates=[], references=[]).shape == (0, 3)


def test_dense_metrics_take_the_same_statistics() -> None:
    def timed(name: str, *texts: str) -> Corpus:
        return Corpus(
            tuple(Document(f"v{k}", (Caption(text, 0, 5),), 10.0) for k, text in enumerate(texts)), name
        )

    run = Run(
        timed("people", "a b c d", "e x"), jobs=1, protocol="paper+anet_pairs=pooled+corpus_scorers=corpus"
    )
    mine = timed("mine", "a b c x", "e f")
    scores = (
        run.score(mine, [Shared(), Soda("c", scorer=Shared()), ActivityNet(Shared())], 0).systems[0].scores
    )
    assert [score.value for score in scores] == [4 / 6, (0.75 + 0.5) / 2, 4 / 6]

    class Symmetric(Shared):
        symmetric = True

    # its value is symmetric, its statistics are not: those of (b, a) are no stand-in for those of (a, b)
    table = sentences.pair_table(run.context, Symmetric())
    there, back = table.sentences.numbers(["a b", "a b c"])
    found = table.statistics(np.array([there, back]), np.array([back, there]))
    assert found.tolist() == [[2, 0, 3], [2, 1, 2]]


class MeanShared(Shared):
    over_references = "mean"


class NoColumns(Shared):
    pair_columns = ("value", "pairs")  # type: ignore[assignment]


class NoStatistics(Overlap):
    pair_columns = ("hits", "misses")


class TwoColumns(Shared):
    pair_columns = ("hits", "misses")  # type: ignore[assignment]


class Constant(Shared):
    def score_indexed(self, *, jobs: int = 1, **pairs: Any) -> FloatArray:
        return np.full(len(pairs["candidate_index"]), 0.75)


class Infinite(Constant):
    def statistics_indexed(self, **pairs: Any) -> Any:
        return super().statistics_indexed(**pairs) / np.array([0.0, 1, 1])


class FirstSums(Constant):
    def value_of(self, sums: FloatArray) -> Any:
        return sums[0] / (sums[0] + sums[1])


class Branching(Constant):
    def value_of(self, sums: FloatArray) -> Any:
        return sums[..., 0] / 4 if sums[..., 0] > 0 else sums[..., 0]


class Changing(Constant):
    def value_of(self, sums: FloatArray) -> Any:
        sums[..., 0] /= 4
        return sums[..., 0]


@pytest.mark.parametrize(
    ("scorer", "said"),
    [
        (MeanShared(), "over_references = 'mean' has no meaning for the statistics hits, misses, reference"),
        (NoColumns(), r"\(test_scorers.py, line \d+\) has additive statistics, but not pair_columns"),
        (NoStatistics(), r"has additive statistics, but not statistics_indexed and value_of"),
        (TwoColumns(), r"gave rows of shape \(1, 3\) for 1 pairs and the 2 columns hits, misses"),
        (Infinite(), r"gave numbers that are not finite for 1 pairs"),
        (FirstSums(), r"line \d+\) gave values of shape \(3,\) for sums of shape \(4, 3\)"),
        (
            Branching(),
            r"value_of \(test_scorers.py, line \d+\) is not vectorised: .* it fails with ValueError",
        ),
        (Changing(), r"value_of \(test_scorers.py, line \d+\) changes the sums"),
    ],
)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_additive_statistics_that_do_not_fit_are_errors(scorer: PairScorer, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        scorer.corpus(candidates=["a b c x"], references=[["a b c d"]])


def test_a_string_is_no_list_of_candidates() -> None:
    """It was "11 candidates but 1 lists of references"."""
    for call in (Meteor().pairs, Bleu().open().statistics, Shared().open().aggregate):
        with pytest.raises(UsageError, match="candidates are one string, not a list of strings"):
            call(candidates="a dog runs", references=[["a dog"]])
    with pytest.raises(UsageError, match="1 candidate, but 0 lists of references"):
        Meteor().pairs(candidates=["a"], references=[])


def test_a_scorer_without_its_method_says_so() -> None:
    class Nothing(PairScorer):
        name = "nothing"

    with pytest.raises(TypeError, match="Nothing without the method 'score_indexed'"):
        Nothing()


@dataclass(frozen=True)
class Halved(Meteor):
    """A subclass of one of ours: what it defines counts."""

    def score_indexed(self, *, jobs: int = 1, **pairs: Any) -> FloatArray:
        return Meteor().open(tokenised=True).score_indexed(jobs=jobs, **pairs) / 2


def test_a_subclass_of_a_scorer_is_called() -> None:
    pair: dict[str, Any] = {"candidates": ["a dog runs"], "references": [["the dog runs"]]}
    assert Halved().pairs(**pair)[0] == Meteor().pairs(**pair)[0] / 2


def test_a_name_is_parsed_once_in_a_run(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[str] = []

    def counted(text: str) -> storymeter.Metric:
        parsed.append(text)
        return registry.metric(text)

    monkeypatch.setattr("storymeter.engine.run.get_metric", counted)
    storymeter.evaluate(OURS, THEIRS, "rouge_l,bleu_1", resamples=0)
    assert parsed == ["rouge_l", "bleu_1"]


def test_a_context_is_given_up_with_its_run() -> None:
    gc.disable()
    try:
        run = Run(corpus("people", *(texts[0] for texts in THEIRS)), jobs=1)
        run.score(corpus("mine", *OURS), ["cider", "rouge_l", "meteor"], 0)
        gone = weakref.ref(run.context)
        del run
        assert gone() is None, "no model holds the context that holds it"
    finally:
        gc.enable()
