"""Evaluates a coherence model on held-out stories: one table, the same for every model.

- forced choice: p(A, B) > p(B, A) over neighbouring pairs, by place in the story, beside a bag of words
  (1-2-grams of each side, logistic regression) trained on the same pairs, its strength of regularisation
  chosen on the pairs kept back;
- order: C of a story against C of the same sentences shuffled, over all stories;
- calibration: expected calibration error over both orders, before and after the temperature;
- human labels: Kendall's tau-b of C with the share of raters who found a story reasonable, with a bootstrap
  interval.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...errors import DataError
from ...progress import Progress, silent
from ..coherence import PairClassifier, coherence
from ..order_net import AS_TRAINED, PACKAGED, OrderConfig, OrderModel, Reading, load_order_model, plain
from .data import Pair, Story, pairs_of, read_stories, split_pairs

Floats = NDArray[np.float64]


class Choice(NamedTuple):
    """Forced choice on one set: all pairs, then by place."""

    set: str
    pairs: int
    accuracy: float
    baseline: float
    first: float
    middle: float
    last: float
    order: float
    ece_raw: float
    ece: float


class Human(NamedTuple):
    stories: int
    tau: float
    low: float
    high: float
    untrained: float


def forced_choice(
    name: str,
    stories: Sequence[Story],
    model: OrderModel,
    baseline: Any | None,
    *,
    seed: int = 0,
    progress: Progress = silent,
) -> Choice:
    pairs = [pair for story in stories for pair in pairs_of(story)]
    both = [(p.first, p.second) for p in pairs] + [(p.second, p.first) for p in pairs]
    logits = model.logits(both, progress=progress)
    z = logits.reshape(2, -1).T
    right = z[:, 0] > z[:, 1]
    place = np.array([0 if p.place == 0 else 2 if p.place == p.last else 1 for p in pairs])
    words = float(np.mean(baseline_margin(baseline, pairs) > 0)) if baseline is not None else float("nan")
    temperature = model.config.temperature
    judged = _Judged(model, dict(zip(both, 1 / (1 + np.exp(-logits / temperature)), strict=True)))
    first, middle, last = (
        float(right[place == k].mean()) if (place == k).any() else float("nan") for k in range(3)
    )
    return Choice(
        name,
        len(pairs),
        float(right.mean()),
        words,
        first,
        middle,
        last,
        order_accuracy(stories, judged, seed=seed, progress=progress),
        calibration_error(z, 1.0),
        calibration_error(z, temperature),
    )


class _Judged:
    """A model that remembers the pairs it has judged."""

    def __init__(self, model: OrderModel, known: dict[tuple[str, str], float]) -> None:
        self.model, self.known, self.label = model, known, model.label

    def probabilities(
        self,
        pairs: Sequence[tuple[str, str]],
        *,
        reading: Reading = AS_TRAINED,
        progress: Progress = silent,
    ) -> Floats:
        new = [pair for pair in dict.fromkeys(pairs) if pair not in self.known]
        self.known.update(zip(new, self.model.probabilities(new, progress=progress), strict=True))
        return np.array([self.known[pair] for pair in pairs])


def order_accuracy(
    stories: Sequence[Story], model: PairClassifier, *, seed: int = 0, progress: Progress = silent
) -> float:
    """Share of stories (of three sentences or more) whose C is above that of one shuffle of their sentences;
    a tie counts a half.
    """
    random = np.random.default_rng(seed)
    told, shuffled = [], []
    for story in stories:
        sentences = list(dict.fromkeys(plain(s) for s in story.sentences))
        if len(sentences) < 3:
            continue
        other = sentences
        while other == sentences:
            other = [sentences[k] for k in random.permutation(len(sentences))]
        told.append(sentences)
        shuffled.append(other)
    if not told:
        return float("nan")
    a, b = (story_means(group, model, progress) for group in (told, shuffled))
    return float(np.mean((a > b) + 0.5 * (a == b)))


def story_means(
    stories: Sequence[Sequence[str]], model: PairClassifier, progress: Progress = silent
) -> Floats:
    return np.array([p.mean() if len(p) else 0.0 for p in coherence(stories, model, progress)])


def calibration_error(z: Floats, temperature: float, bins: int = 10) -> float:
    """Expected calibration error of p = σ(z / T): |said - right|, weighted by how often it was said (both
    orders).
    """
    p = 1 / (1 + np.exp(-z.ravel() / temperature))
    true = np.tile([1.0, 0.0], len(z))
    bin_of = np.minimum((p * bins).astype(int), bins - 1)
    return float(
        sum(
            abs(p[bin_of == b].mean() - true[bin_of == b].mean()) * np.mean(bin_of == b)
            for b in range(bins)
            if (bin_of == b).any()
        )
    )


def bag_of_words(
    train: Sequence[Pair], dev: Sequence[Pair], strengths: Sequence[float] = (0.1, 0.3, 1.0)
) -> Any:
    """Logistic regression on 1-2-grams of A against those of B; an antisymmetric model, so both orders are in
    it. Of some strengths of regularisation, the one that chooses best on `dev`."""
    try:
        from sklearn.feature_extraction.text import CountVectorizer
        from sklearn.linear_model import LogisticRegression
    except ImportError:
        return None
    word = r"(?u)[\w']+"
    vectors = CountVectorizer(ngram_range=(1, 2), min_df=3, binary=True, token_pattern=word)
    vectors.fit([p.first for p in train] + [p.second for p in train])
    sign = np.where(np.arange(len(train)) % 2 == 0, 1.0, -1.0)
    difference = (
        (vectors.transform([p.first for p in train]) - vectors.transform([p.second for p in train]))
        .multiply(sign[:, None])
        .tocsr()
    )
    fitted = [
        (vectors, LogisticRegression(C=strength, max_iter=300, fit_intercept=False).fit(difference, sign > 0))
        for strength in strengths
    ]
    return max(fitted, key=lambda baseline: float(np.mean(baseline_margin(baseline, dev) > 0)))


def baseline_margin(baseline: Any, pairs: Sequence[Pair]) -> Floats:
    vectors, model = baseline
    out: Floats = model.decision_function(
        vectors.transform([p.first for p in pairs]) - vectors.transform([p.second for p in pairs])
    )
    return out


def read_rated(path: Path) -> list[tuple[Story, float]]:
    """UNION's rated stories (`id ||| story ||| labels`): each with the mean of its labels."""
    from ...text.sentences import split_sentences

    rated = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        parts = line.split(" ||| ")
        try:
            rated.append(
                (
                    Story(parts[0], tuple(split_sentences(parts[1])), path.name),
                    float(np.mean([float(label) for label in parts[2].split()])),
                )
            )
        except (IndexError, ValueError):
            raise DataError(
                f"{path}:{number}: not of the form `id ||| story ||| labels`.",
                hint="Give UNION's file of rated stories.",
            ) from None
    return rated


def human_agreement(
    rated: Sequence[tuple[Story, float]],
    model: OrderModel,
    untrained: OrderModel | None,
    *,
    resamples: int = 1000,
    seed: int = 0,
) -> Human:
    from scipy.stats import kendalltau

    labels = np.array([label for _, label in rated])
    sentences = [list(story.sentences) for story, _ in rated]
    scores = story_means(sentences, model)
    random = np.random.default_rng(seed)
    draws = [random.integers(0, len(rated), len(rated)) for _ in range(resamples)]
    taus = [float(kendalltau(scores[draw], labels[draw]).statistic) for draw in draws]
    low, high = np.quantile(taus, [0.025, 0.975])
    plain_tau = (
        float(kendalltau(story_means(sentences, untrained), labels).statistic)
        if untrained is not None
        else float("nan")
    )
    return Human(len(rated), float(kendalltau(scores, labels).statistic), float(low), float(high), plain_tau)


# The standard files in a data folder, which of them are learnt from and which stay unseen, and the held-out
# table.
#
# Never learnt from: VIST test, Story Cloze test, and whatever opens like one of their stories or like a
# rated story of UNION.


LEARNT = ("vist/val_reference.json", "stories/union_roc_reference.txt", "stories/storycloze_val_2016.tsv")
UNSEEN = ("vist/test_reference.json", "stories/storycloze_test_2016.tsv", "stories/union_roc_rated.txt")


def expand(paths: Sequence[Path]) -> tuple[list[Path], list[Path]]:
    """(files to learn from, files that stay unseen): a folder stands for the standard files in it."""
    learnt: list[Path] = []
    unseen: list[Path] = []
    for path in paths:
        if path.is_dir():
            found = [path / name for name in LEARNT if (path / name).is_file()]
            if not found:
                raise DataError(
                    f"{path} holds none of {', '.join(LEARNT)}.",
                    hint="Name the files themselves: --data FILE --data FILE",
                )
            learnt += found
            unseen += [path / name for name in UNSEEN if (path / name).is_file()]
        else:
            learnt.append(path)
    return learnt, unseen


def read_all(paths: Sequence[Path]) -> list[Story]:
    return [story for path in paths for story in read_stories(path)]


class HeldOut(NamedTuple):
    model: str
    choices: tuple[Choice, ...]
    human: Human | None


def evaluate_files(
    files: Sequence[Path],
    learnt: Sequence[Path] = (),
    model: str = "",
    *,
    device: str = "cpu",
    seed: int = 0,
    progress: Progress = silent,
) -> HeldOut:
    """A model (default: the embedded one) on stories of one's own, each file apart; where `learnt` is given,
    beside a bag of words that learnt from these files, without stories that open like an evaluated one."""
    progress("loading the model", 0, 1)
    scored = load_order_model(Path(model).expanduser() if model else PACKAGED, device)
    progress("loading the model", 1, 1)
    stories = {file: read_stories(file) for file in files}
    baseline = None
    if learnt:
        unseen = [story for told in stories.values() for story in told]
        pairs = split_pairs(read_all(learnt), unseen, dev_share=0.15, seed=seed)
        baseline = bag_of_words(pairs.train, pairs.dev) if pairs.train and pairs.dev else None
    choices = [
        forced_choice(file.name, told, scored, baseline, seed=seed, progress=progress)
        for file, told in stories.items()
    ]
    return HeldOut(scored.label, tuple(choices), None)


def evaluate(
    folder: Path, model: str = "", *, device: str = "cpu", seed: int = 0, progress: Progress = silent
) -> HeldOut:
    """A model (default: the embedded one) on the unseen files of a data folder, beside a bag of words that
    learnt from the same pairs, and beside the same net with an untrained head."""
    learnt, unseen = expand([folder])
    scored = load_order_model(Path(model).expanduser() if model else PACKAGED, device)
    recipe = scored.config.trained.get("recipe", {})
    pairs = split_pairs(
        read_all(learnt),
        read_all(unseen),
        dev_share=float(recipe.get("dev_share", 0.15)),
        seed=int(recipe.get("options", {}).get("seed", 0)),
        reach=int(recipe.get("reach", 1)),
    )
    baseline = bag_of_words(pairs.train, pairs.dev)
    choices = [
        forced_choice(name, read_stories(folder / file), scored, baseline, seed=seed, progress=progress)
        for name, file in (("VIST test", UNSEEN[0]), ("Story Cloze test", UNSEEN[1]))
        if (folder / file).is_file()
    ]
    human = None
    if (folder / UNSEEN[2]).is_file():
        fresh = OrderModel(
            OrderConfig(name="untrained", frozen=scored.config.frozen, pooling=scored.config.pooling),
            scored.folder,
            device=device,
        )
        human = human_agreement(read_rated(folder / UNSEEN[2]), scored, fresh, seed=seed)
    return HeldOut(scored.label, tuple(choices), human)
