"""Scores of damaged corpora: the trials behind every table of the room.

A `Trial` is a column of a table: a label and the transformed corpora of its repeats. All trials are scored in
one `Run`, whose context keeps every scored pair: METEOR compares two sentences once, for all repeats."""

import builtins
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ..arrays import FloatArray
from ..captions import Corpus
from ..engine.run import MetricLike, Run
from ..errors import DataError, UsageError
from ..join import join
from ..pairs import Meteor
from ..pairs.sentences import pair_table, sentences_of
from ..scores import Score, Signature
from ..stats.paired import PairedTest, Part, paired_permutations
from .changes import Move, Rounding, Scene
from .effects import Answer, Evidence, document_shares, evidence_of
from .transforms import Transformation, track, transformation

#: "Current" and the three SODAs: the rows of the papers' tables
PAPER_METRICS = ("anet(scorer=meteor)", "soda_a", "soda_b", "soda_c")
SHOWN_PARTS = ("precision", "recall", "f1")


@dataclass(frozen=True, slots=True)
class Trial:
    label: str
    make: Callable[[int], Corpus]
    #: 1 where nothing is random
    repeats: int = 1


@dataclass(frozen=True, slots=True)
class Cell:
    """Mean and standard deviation (n - 1) over repeats; the values themselves, so that anyone may do other
    sums.
    """

    values: tuple[float, ...]

    @property
    def mean(self) -> float:
        return statistics.fmean(self.values)

    @property
    def sd(self) -> float:
        return statistics.stdev(self.values) if len(self.values) > 1 else 0.0


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a table: a metric, one of its parts (or its value), and a cell per trial."""

    metric: str
    part: str
    cells: tuple[Cell, ...]
    percent: bool = True
    higher_is_better: bool | None = True

    @property
    def scale(self) -> float:
        return 100.0 if self.percent else 1.0


@dataclass(frozen=True, slots=True)
class Result:
    labels: tuple[str, ...]
    rows: tuple[Row, ...]
    signature: Signature
    #: by metric, (trials, documents): what each document brings to the value, the mean over repeats
    documents: Mapping[str, FloatArray] = field(default_factory=dict)
    ids: tuple[str, ...] = ()

    def row(self, metric: str, part: str = "value") -> Row:
        """The row of a metric; for metrics with precision, recall and F1, `value` is F1."""
        found = [r for r in self.rows if r.metric == metric]
        return next((r for r in found if r.part == part), next(r for r in found if r.part in ("f1", "value")))

    def evidence(
        self,
        metric: str,
        units: Sequence[str] | None = None,
        *,
        right: str = "original",
        wrong: str = "exchange",
    ) -> Evidence | None:
        """What the documents, or units of several, say of a metric; None where it does not say what is
        better."""
        better = self.row(metric).higher_is_better
        return evidence_of(
            self.documents[metric], self.labels, units, higher_is_better=better, right=right, wrong=wrong
        )


def run_trials(
    what: str,
    trials: Sequence[Trial],
    corpus: Corpus,
    run: Run,
    metrics: Sequence[MetricLike],
    **fields: object,
) -> Result:
    """All trials under all metrics; `fields` are what the signature says beside the run."""
    with run.announced(metrics, lambda dry, judges: _run_trials(what, trials, corpus, dry, judges, fields)):
        return _run_trials(what, trials, corpus, run, metrics, fields)


def _run_trials(
    what: str,
    trials: Sequence[Trial],
    corpus: Corpus,
    run: Run,
    metrics: Sequence[MetricLike],
    fields: Mapping[str, object],
) -> Result:
    found: dict[tuple[str, str], list[list[float]]] = {}
    facts: dict[str, Score] = {}
    shares: dict[str, list[list[FloatArray]]] = {}
    todo = [(k, trial, repeat) for k, trial in enumerate(trials) for repeat in range(trial.repeats)]
    for done, (column, trial, repeat) in enumerate(todo):
        run.context.progress("stress", done, len(todo))
        results = run.score(trial.make(repeat), metrics, resamples=0)
        for metric, score in zip(results.metrics, results.systems[0].scores, strict=True):
            facts[score.metric] = score
            shares.setdefault(score.metric, [[] for _ in trials])[column].append(
                document_shares(metric, score)
            )
            for part, value in _shown(score).items():
                found.setdefault((score.metric, part), [[] for _ in trials])[column].append(value)
    rows = tuple(
        Row(
            metric,
            part,
            tuple(Cell(tuple(values)) for values in columns),
            facts[metric].as_percent,
            facts[metric].higher_is_better,
        )
        for (metric, part), columns in found.items()
    )
    signature = Signature.of(
        stress=what,
        system=corpus.name,
        annotators=len(run.references),
        protocol=run.context.protocol,
        tok=run.context.tokenizer,
        seed=run.context.seed,
        **fields,
    )
    documents = {
        metric: np.array([np.mean(repeats, axis=0) for repeats in columns])
        for metric, columns in shares.items()
    }
    ids = next(iter(facts.values())).ids if facts else ()
    return Result(tuple(trial.label for trial in trials), rows, signature, documents, ids)


def _shown(score: Score) -> dict[str, float]:
    parts = {part: score.parts[part] for part in SHOWN_PARTS if part in score.parts}
    return parts if len(parts) == len(SHOWN_PARTS) else {"value": score.value}


def transformed(
    label: str, names: Sequence[str], corpus: Corpus, run: Run, scene: Scene, repeats: int
) -> Trial:
    """The corpus after these transformations, each repeat with a seed of its own; a value that makes no sense
    is refused before any work."""
    made, seed = [transformation(name) for name in names], 1000 * run.context.seed
    return Trial(label, lambda repeat: apply(made, corpus, scene, seed=seed + repeat), repeats)


def apply(names: Sequence[str | Transformation], corpus: Corpus, scene: Scene, *, seed: int) -> Corpus:
    """Several transformations in a row.

    names, corpus: transformations, or their names; the captions that are damaged.
    scene: what transformations look at beside the captions: `Scene.of(run)`.
    seed: what random changes are drawn by.
    """
    for name in names:
        made = transformation(name) if isinstance(name, str) else name
        corpus = made(corpus, scene, seed=seed)
    return corpus


# The papers' experiments: how many captions (table 1), in which order (table 3), padded how (section 4),
# and at best (table 2).


ALL = "all"
DEFAULT_M = ("0.1", "0.5", "1", "2", "10", ALL)


def count(
    corpus: Corpus,
    run: Run,
    *,
    m: Sequence[str] = (),
    k: Sequence[str] = (),
    repeats: int = 5,
    rounding: Rounding = "least-one",
    metrics: Sequence[MetricLike] = PAPER_METRICS,
) -> Result:
    """Scores when only some captions are kept: `m` times as many as in the reference, or `k` of them; `all`
    keeps every one.

    Table 1 of Fujita et al. (ECCV 2020) by m, table 1 of their forerunner (NLP 2020) by k.

    corpus: the captions that are damaged.
    run: the references and the settings, a `Run`.
    m: shares of the number of reference captions.
    k: numbers of captions; `all` keeps every one.
    repeats: of each random choice.
    rounding: of m times the number: `least-one` keeps one caption at least.
    metrics: names or metrics.
    """
    if m and k:
        raise UsageError(
            "Give either values of m or values of k.", hint="--m .1,.5,1,2,10,all or --k 3,7,15,200"
        )
    if repeats < 1:
        raise UsageError(f"{repeats} repeats are too few.", hint="Use 1 or more; the papers use 5.")
    letter, values = ("k", k) if k else ("m", m or DEFAULT_M)
    scene = Scene.of(run)
    how = f",rounding={rounding}" if rounding != "least-one" else ""
    trials = [
        Trial(ALL, lambda repeat: corpus)
        if value == ALL
        else transformed(f"{letter}={value}", [f"sample({letter}={value}{how})"], corpus, run, scene, repeats)
        for value in values
    ]
    fields = {"rounding": rounding} if how else {}
    return run_trials("count", trials, corpus, run, metrics, repeats=repeats, **fields)


def order(
    corpus: Corpus,
    run: Run,
    *,
    repeats: int = 5,
    bound: float = 0.7,
    metrics: Sequence[MetricLike] = ("anet(scorer=meteor)", "soda_c"),
    oracle: bool = True,
    reverse: bool = False,
    move: Move = "texts",
) -> Result:
    """Oracle captions in order, with one pair swapped, and shuffled: table 3 of Fujita et al. (ECCV 2020).

    All columns of a repeat share the same jittered segments, so that only the order differs.

    corpus: the captions that are damaged.
    run: the references and the settings, a `Run`.
    repeats: of each random change.
    bound: the smallest IoU of a jittered segment with the original; 1 keeps them.
    metrics: names or metrics.
    oracle: the captions that fit the references best, in place of those of the corpus.
    reverse: also the reversed order.
    move: `texts`: captions keep their segments and exchange their sentences; `times`: they keep their
        place in the file, which is another order where the protocol does not sort (`order=file`).
    """
    scene = Scene.of(run)
    base = apply(["oracle"], corpus, scene, seed=run.context.seed) if oracle else corpus
    if not any(document.captions for document in base):
        raise DataError(
            f"No document of {corpus.name!r} has both captions and references.",
            hint="Check the ids with: storymeter validate",
        )
    names = {
        "Correct": "jitter",
        "Swap": "swap",
        "Shuffle": "shuffle",
        **({"Reverse": "reverse"} if reverse else {}),
    }
    trials = [
        transformed(label, [f"{name}(bound={bound},move={move})"], base, run, scene, repeats)
        for label, name in names.items()
    ]
    return run_trials(
        "order", trials, corpus, run, metrics, repeats=repeats, bound=bound, oracle=oracle, move=move
    )


def pad(
    corpus: Corpus,
    run: Run,
    *,
    n: Sequence[int] = (20, 50),
    repeats: int = 5,
    metrics: Sequence[MetricLike] = PAPER_METRICS,
) -> Result:
    """The three abuses of section 4: does a metric pay for redundant captions?

    corpus: the captions that are damaged.
    run: the references and the settings, a `Run`.
    n: captions of a document after padding.
    repeats: of each random choice.
    metrics: names or metrics.
    """
    scene = Scene.of(run)
    trials = [Trial("original", lambda repeat: corpus)]
    for size in n:
        for kind in ("same", "other", "foreign"):
            name = f"pad(n={size},kind={kind})"
            trials.append(transformed(f"{kind} {size}", [name], corpus, run, scene, repeats))
    return run_trials("pad", trials, corpus, run, metrics, repeats=repeats)


@dataclass(frozen=True, slots=True)
class OracleScore:
    system: str
    meteor: float
    self_bleu: float
    captions: int
    #: of a document's oracle captions: the sum and the number of METEOR's values, then of Self-BLEU's
    documents: Mapping[str, Sequence[float]] = field(default_factory=dict)
    #: METEOR and Self-BLEU of the first of several systems against this one's
    against_first: Sequence[PairedTest] = ()


def oracle(corpus: Corpus, run: Run) -> OracleScore:
    """Mean METEOR of the oracle captions against the references they were chosen for, and Self-BLEU of each
    against the others of its document: table 2.

    corpus: the captions that are damaged.
    run: the references and the settings, a `Run`.
    """
    scene = Scene.of(run)
    best = apply(["oracle"], corpus, scene, seed=run.context.seed)
    pairs, sizes = [], {}
    for document, original in zip(best, corpus, strict=True):
        wanted = track(original, scene)
        pairs += [(c.text, reference.text) for c, reference in zip(document.captions, wanted, strict=True)]
        sizes[document.id] = len(wanted)
    if not pairs:
        raise DataError(
            f"No document of {corpus.name!r} has both captions and references.",
            hint="Check the ids with: storymeter validate",
        )
    context = run.context
    sentences, table = sentences_of(context), pair_table(context, Meteor())
    values = table.values(
        sentences.numbers([a for a, _ in pairs]), sentences.numbers([b for _, b in pairs]), jobs=context.jobs
    )
    (diversity,) = run.score_task(join(candidates=best), "self_bleu(within=document)")
    varied = dict(zip(diversity.ids, np.asarray(diversity.rows).tolist(), strict=True))
    ends = np.cumsum(list(sizes.values()))
    documents = {
        name: (float(values[end - size : end].sum()), size, *varied[name])
        for (name, size), end in zip(sizes.items(), ends.tolist(), strict=True)
        if size
    }
    return OracleScore(corpus.name, float(values.mean()), diversity.value, len(pairs), documents)


def oracles(systems: Sequence[Corpus], run: Run) -> list[OracleScore]:
    """The oracle captions of several systems, each but the first tested against those of the first."""
    first, *others = (oracle(corpus, run) for corpus in systems)
    seed = run.context.seed
    return [first, *(replace(o, against_first=oracle_test(first, o, seed=seed)) for o in others)]


def oracle_test(a: OracleScore, b: OracleScore, *, seed: int = 0) -> list[PairedTest]:
    """Tests of two systems in METEOR and Self-BLEU: paired permutations of the documents that both have."""
    common = [name for name in a.documents if name in b.documents]
    if not common:
        raise UsageError(f"{a.system} and {b.system} have no document in common.")
    if len(common) < 2:
        return []
    mine, yours = (np.array([one.documents[name] for name in common], dtype=float) for one in (a, b))
    means = [Part(slice(k, k + 2), lambda sums: sums[..., 0] / np.maximum(sums[..., 1], 1)) for k in (0, 2)]
    return paired_permutations(mine, yours, means, resamples=None, seed=seed)


# What an audit says of one metric: a property, the answer, and the numbers behind it.


@dataclass(frozen=True, slots=True)
class Verdict:
    metric: str
    #: what is tested
    property: str
    answer: Answer
    because: str

    @builtins.property
    def holds(self) -> bool:
        return self.answer == "yes"
