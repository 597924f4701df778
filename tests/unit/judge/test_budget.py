"""One estimate for a whole command before its first request, in every command that can send any."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import judge_kit
import pytest

import storymeter

Verb = Callable[..., tuple[int, str, str]]
ESTIMATE = r"Judge: ([\d,]+) requests to"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory, examples: Path) -> dict[str, str]:
    """Four captions of two systems, and what people gave them."""
    folder = tmp_path_factory.mktemp("judged")
    people = storymeter.read(examples / "formats" / "coco_annotations.json")
    wanted = [document.id for document in people][:4]
    found = {"references": str(folder / "people.json"), "human": str(folder / "human.csv")}
    told = {d.id: [caption.text for caption in d.captions] for d in people if d.id in wanted}
    Path(found["references"]).write_text(json.dumps(told))
    mine = storymeter.read(examples / "formats" / "coco_results.json")
    for name, corpus in (("mine", mine), ("yours", people)):
        texts = {d.id: d.captions[0].text + ("" if name == "mine" else " maybe") for d in corpus}
        documents = {id: texts[id] for id in wanted}
        path = folder / f"{name}.json"
        path.write_text(json.dumps(documents))
        found[name] = str(path)
    rows = [f"{name},{id},{k}" for name in ("mine", "yours") for k, id in enumerate(wanted)]
    Path(found["human"]).write_text("\n".join(["system,item,score", *rows]))
    return found


@pytest.fixture
def server() -> Iterator[judge_kit.Server]:
    with judge_kit.serving(judge_kit.by_overlap) as found:
        yield found


def commands(files: dict[str, str]) -> dict[str, list[str]]:
    both, references = [files["mine"], files["yours"]], ["-r", files["references"]]
    return {
        "score": ["score", *both, *references],
        "compare": ["compare", *both, *references],
        "show": ["show", "1", files["mine"], *references],
        "audit": ["stress", "audit", files["mine"], *references, "--repeats", "1"],
        "attacks": ["stress", "attacks", files["mine"], *references],
        "agree": ["meta", "agree", *both, *references, "--human", files["human"], "--resamples", "0"],
        "self": ["meta", "self", files["mine"], *references, "--resamples", "0"],
    }


@pytest.mark.parametrize("name", ["score", "compare", "audit", "attacks", "agree", "self"])
def test_what_is_announced_is_what_is_sent(
    run: Verb,
    files: dict[str, str],
    server: judge_kit.Server,
    name: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("STORYMETER_CACHE", str(tmp_path))
    arguments = [*commands(files)[name], "-m", server.judge(), "--token-price", "1/2"]
    code, _, err = run(*arguments)
    assert code == 0, err
    estimates = [int(found.replace(",", "")) for found in re.findall(ESTIMATE, err)]
    assert estimates == [len(server.bodies)], err
    sent = re.search(r"sent ([\d,]+) requests in all, ([\d,]+) tokens in and ([\d,]+) out, [\d.e-]+ in", err)
    assert sent is not None, err
    assert int(sent[1].replace(",", "")) == len(server.bodies)
    assert int(sent[2].replace(",", "")) == 100 * len(server.bodies)


@pytest.mark.parametrize("name", ["score", "audit", "agree"])
def test_too_many_for_the_limit_means_that_none_is_sent(
    run: Verb,
    files: dict[str, str],
    server: judge_kit.Server,
    name: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("STORYMETER_CACHE", str(tmp_path))
    arguments = [*commands(files)[name], "-m", server.judge(), "--max-requests", "3"]
    code, _, err = run(*arguments)
    assert code != 0, (err, len(server.bodies))
    assert "--max-requests allows 3 in all; none of them was sent" in err
    assert not server.bodies


def test_the_four_options_are_everywhere(run: Verb) -> None:
    for verb in (
        ["score"],
        ["compare"],
        ["show"],
        ["gate"],
        ["report"],
        ["stress", "audit"],
        ["stress", "attacks"],
        ["stress", "details"],
        ["meta", "agree"],
        ["meta", "self"],
        ["meta", "benchmark"],
        ["meta", "report-card"],
        ["meta", "words"],
        ["meta", "similarity"],
        ["check-metric"],
    ):
        code, out, _ = run(*verb, "--help-all")
        for option in ("--max-requests", "--token-price", "--deadline", "--yes"):
            assert code == 0 and option in out, (verb, option)


def test_checks_of_a_metric_are_announced(
    run: Verb, server: judge_kit.Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They sent 256 requests without a word."""
    monkeypatch.setenv("STORYMETER_CACHE", str(tmp_path))
    code, _, err = run("check-metric", server.judge(), "--max-requests", "3")
    assert code != 0 and not server.bodies, err
    code, _, err = run("check-metric", server.judge())
    (said,) = re.findall(r"Judge: ([\d,]+) requests", err)
    assert code == 0 and int(said) == len(server.bodies) > 3, err


def test_words_and_similarities_are_announced(
    run: Verb, server: judge_kit.Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both sent without a word, and knew no limit."""
    monkeypatch.setenv("STORYMETER_CACHE", str(tmp_path))
    labels, mine, people = (tmp_path / name for name in ("labels.jsonl", "mine.json", "people.json"))
    words = [
        {"text": text, "start": at, "end": at + len(text), "wrong": float(text == "cat"), "major": 0.0}
        for text, at in (("a", 0), ("cat", 2))
    ]
    label = {"item": "v1", "system": "s", "text": "a cat", "raters": 1, "words": words}
    labels.write_text(json.dumps(label) + "\n")
    mine.write_text('{"v1": "a cat"}')
    people.write_text('{"v1": "a dog"}')
    for command in (
        ["words", str(labels), "-r", str(people), "-m", server.judge(), "--resamples", "0"],
        ["similarity", "--systems", str(mine), "--human", str(people), "--scorer", server.judge(trial=1)],
    ):
        before = len(server.bodies)
        code, _, err = run("meta", *command, "--max-requests", "0")
        assert code != 0 and len(server.bodies) == before, err
        code, _, err = run("meta", *command)
        (said,) = re.findall(r"Judge: ([\d,]+) requests", err)
        assert code == 0 and int(said) == len(server.bodies) - before > 0, err


def test_a_benchmark_is_announced_as_a_whole(
    server: judge_kit.Server, files: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from storymeter.context import Budget, Estimate
    from storymeter.meta import benchmarks, records, scores

    monkeypatch.setenv("STORYMETER_CACHE", str(tmp_path))
    texts = {("s", str(k)): f"a dog runs {k} times" for k in range(5)}
    references = {key: ["a dog runs", "two dogs run"] for key in texts}
    judged = tuple(scores.Judgement(*key, float(k)) for k, key in enumerate(texts))
    made = records.Benchmark(
        "own", "Own", scores.pooled(texts, references), judged, "", ("segment",), (), "pearson"
    )
    monkeypatch.setattr(benchmarks, "load", lambda name, data: made)
    heard: list[Estimate] = []
    budget = Budget(ask=lambda estimate: heard.append(estimate) or True)  # type: ignore[func-returns-value]
    benchmarks.benchmark(
        "own", tmp_path, [server.judge()], curve="pearson", budget=budget, resamples=0, permutations=10
    )
    assert [each.requests for each in heard] == [len(server.bodies)] == [budget.sent]
    heard.clear()
    budget = Budget(ask=lambda estimate: heard.append(estimate) or True)  # type: ignore[func-returns-value]
    before = len(server.bodies)
    names = [server.judge(trial=1), server.judge(trial=2), "rouge_l"]
    benchmarks.report_card(tmp_path, names, ["own", "own"], budget=budget, resamples=0)
    assert [each.requests for each in heard] == [len(server.bodies) - before] == [10]


def test_kept_values_are_not_announced(
    run: Verb, server: judge_kit.Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the values and without the answers, 6 requests were announced (or refused), and none sent."""
    table = tmp_path / "ratings.csv"
    rows = [f"v{k},a dog runs {k},a dog runs,{k}" for k in range(6)]
    table.write_text("\n".join(["video,caption,reference,rating", *rows]))
    command = ["meta", "report-card", "-b", str(table), "-m", f"rouge_l,{server.judge()}", "--resamples", "0"]
    command += ["--keep", str(tmp_path / "kept"), "--max-requests", "6"]
    sent = []
    for part in ("one", "two"):
        monkeypatch.setenv("STORYMETER_CACHE", str(tmp_path / part))
        code, _, err = run(*command, *(["--max-requests", "0"] if part == "two" else []))
        assert code == 0, err
        sent.append((len(server.bodies), re.findall(ESTIMATE, err)))
    assert sent == [(6, ["6"]), (6, [])]
