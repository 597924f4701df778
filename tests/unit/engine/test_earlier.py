"""Runs that earlier versions saved: wrong ones are refused, and those whose numbers moved are named."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import storymeter
from storymeter.captions import Caption, Corpus, Document
from storymeter.engine import Run, merged
from storymeter.engine.provenance import REVISION, wrong_in_shards
from storymeter.engine.storage import write_zip
from storymeter.errors import DataError, StorymeterWarning, UsageError
from storymeter.protocol import get
from storymeter.registry import metric


def corpus(name: str, ids: str, words: str) -> Corpus:
    captions = tuple(Caption(f"{words} {k}.", 3.0 * k, 3.0 * k + 4) for k in range(3))
    return Corpus(tuple(Document(i, captions) for i in ids), name)


REFERENCES = [corpus("first", "abc", "a dog runs"), corpus("second", "abc", "the dog jumps")]
MINE = corpus("mine", "abc", "a dog jumps")


def as_earlier(path: Path, schema: int) -> Path:
    """The file as an earlier version wrote it: no revision is stated."""
    import zipfile

    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist() if name != "checksums.json"}
    record = json.loads(members["run.json"])
    assert record.pop("revision") == REVISION
    record["schema"] = schema
    write_zip(path, {**members, "run.json": json.dumps(record).encode()})
    return path


def saved(folder: Path, metrics: list[str], protocol: str, candidates: Corpus = MINE, **more: object) -> Path:
    references = more.get("references", REFERENCES)
    results = Run(references, protocol=protocol, jobs=1).score(candidates, metrics, 0)  # type: ignore[arg-type]
    results.save(folder / "run.smr")
    return folder / "run.smr"


MOVED = {
    "tokenizer": (["soda_c(scorer=bleu_4(tokenizer=ptb))"], "paper", {}, "the tokenizer of its scorer"),
    "rarity": (["cider"], "paper+missing=skip", {"candidates": corpus("mine", "ab", "a dog")}, "idf"),
    "paragraphs": (["paragraph_cider"], "soda-v1", {"candidates": corpus("mine", "ab", "a dog")}, "idf"),
    "alternatives": (
        ["soda_d"],
        "pdvc",
        {"references": [Corpus((*REFERENCES[0], *REFERENCES[1]), "x")]},
        "altern",
    ),
    "zero": (["localisation"], "paper+detection_tiou=>=+tious=0/.5", {}, "a threshold of 0"),
}


@pytest.mark.parametrize("case", MOVED)
def test_a_run_whose_numbers_moved_is_named(case: str, tmp_path: Path) -> None:
    metrics, protocol, more, why = MOVED[case]
    path = saved(tmp_path, [*metrics, "words"], protocol, **more)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        storymeter.load(path)
    as_earlier(path, 1)
    with pytest.warns(StorymeterWarning, match=rf"run\.smr was scored by an earlier version.*{why}") as heard:
        loaded = storymeter.load(path)
    assert metrics[0] in str(heard[0].message)
    assert "words" not in str(heard[0].message)
    loaded.save(tmp_path / "again.smr")  # what was computed long ago is not new because it was saved again
    with pytest.warns(StorymeterWarning, match="Score it again"):
        storymeter.load(tmp_path / "again.smr")
    fresh = replace(loaded, conditions=replace(loaded.conditions, revision=REVISION))
    other = replace(fresh, systems=tuple(replace(s, name="other") for s in fresh.systems))
    assert merged([other, loaded]).conditions.revision == 0


def test_other_runs_of_earlier_versions_load_in_silence(tmp_path: Path) -> None:
    for metrics, protocol in ((["soda_c", "cider"], "paper"), (["soda_d", "anet"], "pdvc")):
        path = as_earlier(saved(tmp_path, metrics, protocol), 1)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert storymeter.load(path).conditions.revision == 0


def test_the_papers_presets_pooled_pairs_until_revision_2(tmp_path: Path) -> None:
    (tmp_path / "new").mkdir()
    old = storymeter.load(as_earlier(saved(tmp_path, ["anet"], "paper+anet_pairs=pooled"), 1))
    path = as_earlier(saved(tmp_path, ["anet"], "paper"), 1)
    early = storymeter.load(path)
    assert str(early.conditions.protocol) == "paper+anet_pairs=pooled" == str(old.conditions.protocol)
    new = storymeter.load(saved(tmp_path / "new", ["anet"], "paper", corpus("new", "abc", "a dog sits")))
    with pytest.raises(UsageError, match="differ in protocol") as refused:
        merged([new, early])
    assert "score the newer run with --protocol 'paper+anet_pairs=pooled'" in refused.value.hint
    # where there is no such score, nothing moved, and the two can be compared
    silent = storymeter.load(as_earlier(saved(tmp_path, ["soda_d"], "paper"), 1))
    assert str(silent.conditions.protocol) == "paper"


def test_runs_of_two_protocols_say_what_differs(tmp_path: Path) -> None:
    """Also two runs of the default and of the tables of its paper, which merge annotators."""
    runs = {}
    for protocol in ("paper", "eccv2020", "paper+refs=merge+order=file"):
        folder = tmp_path / str(len(runs))
        folder.mkdir()
        told = corpus(f"system {len(runs)}", "abc", "a dog sits")
        runs[protocol] = storymeter.load(saved(folder, ["soda_c"], protocol, told))
    default, tables, sorted_by = runs.values()
    with pytest.raises(UsageError, match=r"paper and eccv2020 \(refs=best and merge\)") as refused:
        merged([default, tables])
    assert "why-different" in refused.value.hint
    with pytest.raises(UsageError, match=r"\(order=start and file\)"):
        merged([tables, sorted_by])


def test_which_metrics_of_shards_were_wrong() -> None:
    def wrong(protocol: str, *names: str) -> list[str]:
        return wrong_in_shards({n: metric(n).under(get(protocol)) for n in names}, get(protocol))

    assert wrong("pdvc", "soda_c", "meteor", "localisation") == ["soda_c", "meteor", "localisation"]
    assert wrong("pdvc", "meteor", "soda_c(refs=best)", "anet") == []
    assert wrong("pdvc", "meteor", "soda_d", "words") == ["soda_d", "words"]
    assert wrong("soda-v1", "soda_c", "localisation", "meteor") == []
    assert wrong("vid2seq", "localisation", "meteor") == ["localisation"]
    assert wrong("paper+corpus_scorers=corpus", "words", "anet", "meteor") == ["anet", "meteor"]
    assert wrong("paper+tious=.1/.2/.3/.4", "localisation", "soda_a", "meteor") == ["localisation"]


def test_a_run_in_shards_that_was_wrong_is_refused(
    tmp_path: Path, run: Callable[..., tuple[int, str, str]]
) -> None:
    pytest.importorskip("ray", reason="the part 'ray' is not installed")
    import shard_kit

    folders = {c.name: shard_kit.write_folder(tmp_path / c.name, c) for c in (MINE, *REFERENCES)}
    given = ([folders["mine"]], [folders["first"], folders["second"]], ["soda_d", "words"])
    for protocol, right in (("pdvc", False), ("soda-v1", True)):
        results = shard_kit.score_in_shards(*given, tmp_path / f"work-{protocol}", protocol=protocol)
        folder = tmp_path / f"run-{protocol}"
        folder.mkdir()
        results.save(folder / "run.smr")
        assert storymeter.load(folder).systems[0].scores[0].value == results.systems[0].scores[0].value
        as_earlier(folder / "run.smr", 2)
        if right:
            storymeter.load(folder)
            continue
        with pytest.raises(DataError, match=r"run-pdvc was scored in shards.*soda_d, words are wrong"):
            storymeter.load(folder)
        code, out, err = run("report", str(folder), "--out", str(tmp_path / "report.html"))
        assert (code, out) == (1, "")
        assert "Score it again" in err
