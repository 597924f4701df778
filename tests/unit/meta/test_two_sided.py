"""Tests between metrics are two-sided; systems' own values; both systems and items are drawn."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from storymeter import read
from storymeter.cli import cli
from storymeter.engine import Run
from storymeter.errors import StorymeterWarning
from storymeter.meta.agreeing import measured
from storymeter.meta.comparisons import compare
from storymeter.meta.inputs import read_human
from storymeter.meta.scores import (
    Judgement,
    MetricValues,
    Scores,
    join_scores,
    pooled,
    pooled_documents,
    tabulate,
    values_of,
)
from storymeter.meta.statistics import system_level
from storymeter.stats import williams


def table(human: np.ndarray, **metrics: np.ndarray) -> Scores:
    """(systems, items) as scores."""
    keys = [(f"s{k:02d}", f"i{j:03d}") for k in range(len(human)) for j in range(human.shape[1])]
    judged = tabulate(
        [Judgement(*key, value) for key, value in zip(keys, human.ravel().tolist(), strict=True)]
    )
    return join_scores(
        judged,
        {
            name: MetricValues(dict(zip(keys, values.ravel().tolist(), strict=True)))
            for name, values in metrics.items()
        },
    )


def equal_metrics(random: np.random.Generator, systems: int, items: int) -> list[np.ndarray]:
    quality = random.normal(size=systems)
    return [
        (quality + spread * random.normal(size=systems))[:, None] + random.normal(size=(systems, items))
        for spread in (0.0, 1.0, 1.0)
    ]


def test_equal_metrics_differ_as_often_as_the_level_says() -> None:
    random, wrong = np.random.default_rng(0), 0
    for _ in range(200):
        human, a, b = equal_metrics(random, 8, 12)
        (found,) = compare(table(human, a=a, b=b), "system", resamples=50)
        r = [np.corrcoef(x.mean(axis=1), y.mean(axis=1))[0, 1] for x, y in ((human, a), (human, b), (a, b))]
        one_sided = williams(max(r[:2]), min(r[:2]), r[2], 8).p
        assert found.p == pytest.approx(2 * one_sided)
        wrong += found.p < 0.05
    assert wrong <= 18  # one-sided tests in the direction found: 20 are expected


def test_system_level_draws_systems_by_default() -> None:
    human, a, _ = equal_metrics(np.random.default_rng(3), 6, 50)
    scores = table(human, a=a)
    both, items = (system_level(scores, "a", resamples=300, unit=unit) for unit in ("both", "items"))
    assert system_level(scores, "a", resamples=300).intervals == both.intervals
    wide, narrow = (found.intervals["pearson"] for found in (both, items))
    assert wide[1] - wide[0] > 1.5 * (narrow[1] - narrow[0])
    low, high = both.intervals["pearson_fisher"]
    assert low < both.values["pearson"] < high


def test_a_system_that_is_drawn_twice_is_no_pair_with_itself() -> None:
    """As a pair with itself it agreed for certain: a constant had .506 with the interval [.551, .734]."""
    human = np.linspace(0, 3, 5)[:, None] + np.random.default_rng(5).normal(size=(5, 80))
    result = system_level(table(human, constant=np.ones(human.shape)), "constant", resamples=300)
    for accuracy in ("soft_pairwise_accuracy", "pairwise_accuracy"):
        low, high = result.intervals[accuracy]
        assert low <= result.values[accuracy] <= high < 0.7


TEXTS = {
    "a": ["a man plays the guitar in a room", "dog"],
    "b": ["a man", "a dog runs over the green grass"],
    "c": ["the the the", "a big dog runs over the grass now"],
    "d": ["a man plays a guitar", "the dog runs over green grass"],
}
AGAINST = ["a man plays the guitar in a small room", "a dog runs over the green grass now"]
CAPTIONS = {(s, f"i{k}"): text for s, both in TEXTS.items() for k, text in enumerate(both)}


def values_of_systems(metric: str) -> list[float]:
    """What `score` prints for each system alone."""
    found = []
    for name in sorted(TEXTS):
        mine = {key: text for key, text in CAPTIONS.items() if key[0] == name}
        (score,) = Run().score_task(pooled(mine, {key: [AGAINST[int(key[1][1])]] for key in mine}), metric)
        found.append(score.value)
    return found


def judged_captions(*metrics: str) -> Scores:
    task = pooled(CAPTIONS, {key: [AGAINST[int(key[1][1])]] for key in CAPTIONS})
    judged = tabulate([Judgement(s, i, float(ord(s) % 5) + 0.1 * int(i[1])) for s, i in CAPTIONS])
    return join_scores(judged, values_of(task, metrics, Run())[0])


def test_meteor_of_a_system_is_the_mean_of_its_captions_or_its_own() -> None:
    """Published tables average METEOR over captions; `score` sums its statistics over them."""
    scores = judged_captions("meteor", "rouge_l")
    assert set(scores.averaged) == {"meteor"} and not scores.additive
    people = scores.by_system(scores.human)
    published, own = (
        measured("captions", "system", scores, system_value=value, resamples=20, permutations=10)
        for value in ("published", "own")
    )
    means = scores.by_system(scores.metrics["meteor"])
    for found, x in ((published, means), (own, values_of_systems("meteor"))):
        (r,) = (one.values["pearson"] for one in found.results if one.metric == "meteor")
        assert r == pytest.approx(np.corrcoef(people, x)[0, 1], abs=1e-12)
    assert published.results[0].signature.endswith("|system:mean")
    assert own.results[0].signature.endswith("|system:own")
    assert any("--system-value own" in note for note in published.notes) and not own.notes
    assert "system:" not in published.results[1].signature


def test_systems_apart_have_the_values_of_score() -> None:
    """CIDEr's idf is that of all systems together, or, where systems are scored apart, of each by itself; a
    metric that counts words in the captions of a system is always scored apart."""
    asked = ("cider", "bleu_2", "rouge_l", "self_bleu")
    task = pooled(CAPTIONS, {key: [AGAINST[int(key[1][1])]] for key in CAPTIONS})
    judged = tabulate([Judgement(s, i, float(ord(s) % 5) + 0.1 * int(i[1])) for s, i in CAPTIONS])
    together, apart = (join_scores(judged, values_of(task, asked, Run(), apart=a)[0]) for a in (False, True))
    for name in asked:
        own = values_of_systems(name)
        assert apart.own(name, apart.rows_of(name)) == pytest.approx(own, abs=1e-12)
        found = together.own(name, together.rows_of(name))
        assert (found == pytest.approx(own, abs=1e-9)) is (name != "cider")
    own = measured("captions", "system", apart, system_value="own", resamples=0, permutations=10)
    assert all(one.signature.endswith("|system:own") for one in own.results)


def test_own_values_from_the_command_line(examples: Path) -> None:
    """Between systems CIDEr is correlated with what `score` prints; caption by caption nothing changes."""
    names, folder = ("good", "padded", "disordered"), examples / "videos"
    files = [str(folder / f"{name}.json") for name in names]
    references = ["-r", str(folder / "reference_1.json"), "-r", str(folder / "reference_2.json")]
    corpora = [read(file) for file in files]
    with pytest.warns(StorymeterWarning, match="whole paragraphs"):
        results = Run([read(references[1]), read(references[3])]).score(corpora, ["cider"], resamples=0)
    x = [system.scores[0].value for system in results.systems]
    found = {}
    for level in ("system", "segment"):
        for value in ("published", "own"):
            options = ["--human", str(examples / "ratings.csv"), "-m", "cider", "--resamples", "0"]
            options += ["--level", level, "--system-value", value, "--format", "json"]
            done = CliRunner().invoke(cli, ["meta", "agree", *files, *references, *options])
            assert done.exit_code == 0, done.output
            found[level, value] = json.loads(done.stdout)["metrics"][0]["pearson"]
    scores = read_human(examples / "ratings.csv")
    people = dict(zip(scores.systems, scores.by_system(scores.human), strict=True))
    y = [people[name] for name in names]
    assert found["system", "own"] == pytest.approx(np.corrcoef(x, y)[0, 1], abs=1e-9)
    assert found["system", "published"] != pytest.approx(found["system", "own"], abs=1e-9)
    assert found["segment", "published"] == found["segment", "own"]


def test_idf_of_a_systems_own_stories(examples: Path) -> None:
    """`rovist_vg(idf=corpus)` counts nouns in the stories of a system: in meta as in score."""
    pytest.importorskip("tokenizers", reason="pip install 'storymeter[neural]' runs this test")
    systems = [read(examples / "stories" / f"{name}.json") for name in ("good", "dull")]
    run = Run(images=str(examples / "stories" / "images"))
    keys = {(corpus.name, document.id) for corpus in systems for document in corpus}
    names = ("rovist_vg(idf=corpus)", "rovist(idf=corpus)")
    with pytest.warns(StorymeterWarning, match="idf of nouns"):
        values, _ = values_of(pooled_documents(systems, [], keys), names, run)
        results = run.score(systems, names, resamples=0)
    for place, name in enumerate(names):
        for system in results.systems:
            mine = [v for (of, _), v in values[name].values.items() if of == system.name]
            assert np.mean(mine) == pytest.approx(system.scores[place].value, abs=1e-6)
        own = {str(system.scores[place].signature).rpartition("|stories:")[2] for system in results.systems}
        assert len(own) == 2 and values[name].signature.rpartition("|stories:")[2] not in own


def test_the_signature_says_the_level_of_bleu_that_was_used() -> None:
    scores = judged_captions("bleu_2", "bleu_2(level=sentence)")
    levels = {
        level: [
            re.findall(r"\|level:(\w+)", one.signature)
            for one in measured("captions", level, scores, resamples=0, permutations=10).results
        ]
        for level in ("segment", "system")
    }
    assert levels == {"segment": [["sentence"], ["sentence"]], "system": [["corpus"], ["sentence"]]}


def test_corpus_bleu_is_the_systems_own_value() -> None:
    scores = judged_captions("bleu_2", "bleu_2(level=sentence)", "rouge_l")
    assert set(scores.additive) == {"bleu_2"}
    own = scores.own("bleu_2", scores.rows_of("bleu_2"))
    assert own.tolist() == pytest.approx(values_of_systems("bleu_2"), abs=1e-12)
    corpus, sentence = (
        system_level(scores, name, resamples=50) for name in ("bleu_2", "bleu_2(level=sentence)")
    )
    assert corpus.values["pearson"] != pytest.approx(sentence.values["pearson"], abs=1e-3)
    assert "level:corpus" in corpus.signature and "level:sentence" in sentence.signature


def test_self_bleu_compares_the_captions_of_one_system() -> None:
    """Before, those of all systems that people judged were one text."""
    scores = judged_captions("self_bleu", "self_bleu(within=document)", "distinct_1")
    for name in scores.metrics:
        own = scores.own(name, scores.rows_of(name))
        assert own.tolist() == pytest.approx(values_of_systems(name), abs=1e-12), name
