"""Shards and one process give the same numbers under every preset, for every metric that allows shards."""

from __future__ import annotations

import json
import pickle
import random
import shlex
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

import storymeter
from storymeter.captions import Caption, Corpus, Document
from storymeter.engine import Results, Run
from storymeter.engine.sharded.merging import load_shard
from storymeter.engine.sharded.run import make_job
from storymeter.engine.sharded.scoring import ShardSums, check_columns, scored
from storymeter.errors import DataError
from storymeter.metrics import Metric
from storymeter.protocol import PRESETS, get
from storymeter.registry import MEASURES, metric
from storymeter.scores import Rows

pytest.importorskip("ray", reason="the part 'ray' is not installed")
pytest.importorskip("pyarrow", reason="the part 'parquet' is not installed")
import shard_kit

WORDS = "a the man woman dog cat runs cooks cuts jumps on over road rice onion then and with knife"
#: fields that metrics take from a protocol and no preset changes
DEVIATIONS = [
    "paper+tious=.1/.5",
    "paper+corpus_scorers=corpus",
    "anet-2018+corpus_scorers=corpus+tious=.2/.4/.6",
    "paper+detection_tiou=>=",
    "paper+refs=mean",
    "pdvc+average=reference-videos",
]
PROTOCOLS = [*PRESETS, *DEVIATIONS]


def corpus(name: str, seed: int, documents: int, lacking: int) -> Corpus:
    """Captions that share their segments with those of other seeds often enough to overlap."""
    draw = random.Random(seed)
    made = []
    for k in range(documents):
        captions = []
        for _ in range(draw.randint(1, 12)):
            begin = float(draw.randint(0, 20))
            text = " ".join(draw.choices(WORDS.split(), k=draw.randint(3, 9))).capitalize() + "."
            captions.append(Caption(text, begin, begin + draw.randint(1, 10)))
        made.append(Document(f"v_{k}", tuple(captions), 40.0))
    return Corpus(tuple(document for k, document in enumerate(made) if k != lacking), name)


REFERENCES = [corpus("first", 0, 14, 3), corpus("second", 1, 14, 5)]
SYSTEMS = [corpus("mine", 2, 15, 7), corpus("yours", 3, 14, -1)]


def splittable(protocol: str) -> list[str]:
    """The names of all metrics that need no model and that allow shards, and some with other scorers."""
    quick = [name for name in MEASURES if MEASURES[name].split(".")[0] in ("dense", "pairs")]
    scorers = ["rouge_l", "bleu_4", "cider(idf=video)", "cider", "meteor(task=adq)"]
    inner = [f"{name}(scorer={each})" for name in ("soda_c", "soda_a", "anet") for each in scorers]
    refs = [f"soda_c(refs={each})" for each in ("best", "mean", "merge", "corpus-mean")]
    bound = {name: metric(name).under(get(protocol)) for name in (*quick, *inner, *refs)}
    kept = [name for name, each in bound.items() if not each.slow and not each.unshardable_reason()]
    return [name for name in kept if name not in ("sts", "wmd", "spice", "facts")]


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("protocols")
    return {each.name: shard_kit.write_folder(folder / each.name, each) for each in (*REFERENCES, *SYSTEMS)}


def assert_same(shards: Results, here: Results) -> None:
    for a, b in zip(shards.systems, here.systems, strict=True):
        for x, y in zip(a.scores, b.scores, strict=True):
            assert (x.metric, x.n, str(x.signature), x.columns) == (
                y.metric,
                y.n,
                str(y.signature),
                y.columns,
            )
            assert x.value == pytest.approx(y.value, rel=1e-12, abs=1e-15), x.metric
            assert dict(x.parts) == pytest.approx(dict(y.parts), rel=1e-12, abs=1e-15), x.metric


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_shards_equal_one_process(protocol: str, folders: dict[str, str], tmp_path: Path) -> None:
    """Two systems against two annotators; names, values, parts, columns, signatures, and who wins."""
    names = splittable(protocol)
    assert {"soda_c", "anet", "localisation", "meteor"} <= set(names)
    here = Run(REFERENCES, protocol=protocol, jobs=1).score(SYSTEMS, names, 0)
    given = ([folders[each.name] for each in SYSTEMS], [folders[each.name] for each in REFERENCES])
    shards = shard_kit.score_in_shards(*given, names, tmp_path / "run", protocol=protocol, resamples=20)
    assert_same(shards, here)
    for theirs in here.compare(resamples=20):
        tally = shards.tallies["mine", "yours", theirs.metric]
        assert (tally.wins, tally.ties, tally.losses) == (theirs.wins, theirs.ties, theirs.losses)
    shards.save(tmp_path / "run.smr")
    assert_same(storymeter.load(tmp_path / "run.smr"), here)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_what_a_metric_takes_from_the_protocol_is_part_of_its_value(protocol: str) -> None:
    for name in MEASURES:
        if MEASURES[name].startswith("dense."):
            bound = metric(name).under(get(protocol))
            sent = pickle.loads(pickle.dumps(bound))
            assert (sent, hash(sent), sent.columns) == (bound, hash(bound), bound.columns)
            assert sent.name == bound.name == name
    changed = metric("localisation").under(get("paper+tious=.1/.5"))
    assert changed != metric("localisation")
    assert changed.columns != metric("localisation").columns


def test_rows_follow_the_protocol_of_the_run_also_when_called_directly() -> None:
    run = Run(REFERENCES, protocol="pdvc", jobs=1)
    task = run.task(SYSTEMS[0])
    rows = metric("soda_c").rows(task, run.context)
    assert isinstance(rows, Rows)
    assert rows.values.shape[1] == len(metric("soda_c").under(get("pdvc")).columns)


@dataclass(frozen=True)
class Forgetful(Metric):
    """A metric of somebody's own that keeps what it takes from the protocol beside its options."""

    name = "forgetful"
    needs_references = False

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(f"at_{k}" for k in range(getattr(self, "width", 1)))

    def under(self, protocol: Any) -> Forgetful:
        return self.knowing(width=len(protocol.tious))

    def rows(self, task: Any, bench: Any) -> Any:
        return np.ones((len(task), len(self.columns)))

    def combine(self, sums: Any) -> Any:
        return {"value": sums.sum(axis=-1)}


def test_a_metric_of_ones_own_is_bound_again_in_the_worker(folders: dict[str, str], tmp_path: Path) -> None:
    given = ([folders["mine"]], [folders["first"]], [Forgetful(), "captions"], tmp_path / "run")
    shards = shard_kit.score_in_shards(*given, protocol="paper")
    here = Run(REFERENCES[:1], jobs=1).score(SYSTEMS[:1], [Forgetful(), "captions"], 0)
    assert_same(shards, here)


def test_columns_that_do_not_fit_are_refused(folders: dict[str, str], tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"columns of b in shard 3 .*: y, z instead of y\."):
        check_columns(["a", "b"], [("x",), ("y", "z")], [("x",), ("y",)], "shard 3")
    given = ([folders["mine"]], [folders["first"]], ["soda_d", "captions"], str(tmp_path / "run"))
    shard_kit.score_in_shards(*given[:3], tmp_path / "run")
    job = make_job(*given, 3, None, 0, {}, {})
    kept = msgspec.msgpack.decode(job.folder.get(scored(1)), type=ShardSums)
    for spoilt in (
        msgspec.structs.replace(kept, columns=kept.columns[::-1]),
        msgspec.structs.replace(kept, columns=kept.columns[:1]),
        msgspec.structs.replace(kept, systems=[]),
        msgspec.structs.replace(kept, systems=[msgspec.structs.replace(kept.systems[0], places=[(99, 0)])]),
    ):
        job.folder.put(scored(1), msgspec.msgpack.encode(spoilt))
        with pytest.raises(DataError, match=r"not those of the run|do not fit the run"):
            load_shard(job, 1)
    other = make_job(*given[:3], str(tmp_path / "run"), 3, None, 0, {}, {"protocol": "pdvc"})
    job.folder.put(scored(1), msgspec.msgpack.encode(kept))
    with pytest.raises(DataError, match="The columns of soda_d in shard 1 are not those of the run"):
        load_shard(other, 1)


def followed(error: DataError, run: Callable[..., tuple[int, str, str]], *more: str) -> tuple[int, str]:
    """What the command in the error's hint gives."""
    _, command, words = error.hint.partition("storymeter ")
    assert command, error.hint
    code, out, _ = run(*shlex.split(words), *more)
    return code, out


def test_lines_of_other_programs_are_refused_with_a_command_that_runs(
    folders: dict[str, str], tmp_path: Path, run: Callable[..., tuple[int, str, str]], monkeypatch: Any
) -> None:
    folder = tmp_path / "their own"
    folder.mkdir()
    line = {
        "video_id": "v_1",
        "duration": 9,
        "timestamps": [[0, 4], [4, 9]],
        "sentences": ["A dog.", "It runs."],
    }
    (folder / "a.jsonl").write_text(f"{json.dumps(line)}\n{json.dumps({**line, 'video_id': 'v_2'})}\n")
    with pytest.raises(DataError, match=r"a\.jsonl have no key 'doc'") as error:
        shard_kit.score_in_shards([str(folder)], [folders["first"]], "captions", tmp_path / "run")
    monkeypatch.chdir(tmp_path)
    assert followed(error.value, run)[0] == 0
    read = storymeter.read(tmp_path / "NEW.jsonl")
    assert [len(document.captions) for document in read] == [2, 2]


def test_columns_of_lines_are_refused_with_a_command_that_runs(
    folders: dict[str, str], tmp_path: Path, run: Callable[..., tuple[int, str, str]], monkeypatch: Any
) -> None:
    """Columns were passed over in silence for JSON Lines."""
    folder = tmp_path / "their own"
    folder.mkdir()
    lines = ({"doc": "other", "clip": id, "text": "A dog.", "said": "It runs."} for id in ("v_1", "v_2"))
    (folder / "a.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    named = ["-r", folders["first"], "-m", "bleu_1", "--save", str(tmp_path / "run")]
    code, _, said = run("score", str(folder), *named, "--columns", "video=clip,text=said")
    assert code == 1 and "Columns are named for Parquet alone" in said
    monkeypatch.chdir(tmp_path)
    hint = next(line for line in said.splitlines() if "storymeter convert" in line)
    assert run(*shlex.split(hint.partition("storymeter ")[2]))[0] == 0
    read = storymeter.read(tmp_path / "NEW.jsonl")
    assert [(each.id, each.captions[0].text) for each in read] == [("v_1", "It runs."), ("v_2", "It runs.")]


def test_errors_of_a_shard_name_the_file_that_can_be_validated(
    folders: dict[str, str], tmp_path: Path, run: Callable[..., tuple[int, str, str]]
) -> None:
    folder = tmp_path / "their own"
    folder.mkdir()
    good, bad = ({"doc": "v_1", "text": "A dog.", "start": start, "end": 4} for start in (0, None))
    (folder / "a.jsonl").write_text(f"{json.dumps(good)}\n")
    (folder / "b.jsonl").write_text("".join(f"{json.dumps({**bad, 'doc': id})}\n" for id in ("v_2", "v_3")))
    with pytest.raises(DataError, match=r"b\.jsonl: line 1") as error:
        shard_kit.score_in_shards([str(folder)], [folders["first"]], "captions", tmp_path / "run", shards=1)
    code, out = followed(error.value, run)
    assert code == 1 and "b.jsonl" in out and "2 errors" in out


def test_results_find_a_bound_metric_by_any_name() -> None:
    results = Run(REFERENCES, protocol="pdvc", jobs=1).score(SYSTEMS[:1], ["soda_c"], 0)
    assert results["mine", "soda_c(refs=protocol)"] is results.systems[0].scores[0]
    assert replace(results).metrics == results.metrics


@pytest.mark.parametrize("protocol", ["pdvc", "vid2seq", "timechat", "paper+tious=.1/.5"])
def test_into(
    protocol: str, folders: dict[str, str], tmp_path: Path, run: Callable[..., tuple[int, str, str]]
) -> None:
    """A system that joins a saved run has the numbers of one scored with it, which are those of shards; a run
    in shards, which keeps no references, says that nothing can join it.
    """
    names = ["soda_c(scorer=rouge_l)", "localisation", "anet(scorer=bleu_4)", "paragraph_cider"]
    files = {each.name: str(tmp_path / f"{each.name}.jsonl") for each in (*SYSTEMS, *REFERENCES)}
    for each in (*SYSTEMS, *REFERENCES):
        storymeter.write(each, files[each.name])
    against = ("-r", files["first"], "-r", files["second"])
    asked = ("-m", ",".join(names), "--protocol", protocol, "--resamples", "0")
    path = str(tmp_path / "run.smr")
    assert run("score", files["mine"], *against, *asked, "--save", path)[0] == 0
    assert run("score", files["yours"], "--into", path)[0] == 0
    given = ([folders[each.name] for each in SYSTEMS], [folders[each.name] for each in REFERENCES])
    shards = shard_kit.score_in_shards(*given, names, tmp_path / "work", protocol=protocol)
    assert_same(shards, storymeter.load(path))
    (tmp_path / "shards").mkdir()
    shards.save(tmp_path / "shards" / "run.smr")
    code, _, err = run("score", files["yours"], "--into", str(tmp_path / "shards" / "run.smr"))
    assert (code, "Score all systems together" in err) == (2, True)
