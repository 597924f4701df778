"""Scorers that read meaning; they need the optional part `neural`."""

from __future__ import annotations

import random
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from part_kit import need

from storymeter.errors import DataError, MissingPartError, StorymeterWarning, UsageError
from storymeter.models import encoder, load_encoder, vectors
from storymeter.pairs import BertScore, Sts

need("torch")
need("transformers")

SAME = ("a man plays the guitar", "a person is playing guitar")
OTHER = "two dogs run over a green field"


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STORYMETER_CACHE", str(tmp_path / "cache"))


def test_sts_knows_who_says_the_same() -> None:
    same, other = Sts().pairs(candidates=[SAME[0], SAME[0]], references=[[SAME[1]], [OTHER]])
    assert same > 0.7 > 0.3 > other


def test_sts_is_symmetric_and_one_for_itself() -> None:
    table = Sts().matrix(candidates=[*SAME, OTHER], references=[*SAME, OTHER])
    assert np.allclose(table, table.T, atol=1e-6) and np.allclose(np.diag(table), 1.0, atol=1e-6)
    listed = (
        Sts()
        .open()
        .score_indexed(
            candidates=list(SAME),
            references=[OTHER],
            candidate_index=np.array([0, 1]),
            reference_index=np.array([0, 0]),
        )
    )
    assert np.allclose(listed, table[:2, 2], atol=1e-6)


def test_sts_takes_the_mean_over_references() -> None:
    one, two, both = Sts().pairs(candidates=[SAME[0]] * 3, references=[[SAME[1]], [OTHER], [SAME[1], OTHER]])
    assert both == pytest.approx((one + two) / 2)


def test_a_second_run_reads_the_cache_and_never_loads_the_model(monkeypatch: pytest.MonkeyPatch) -> None:
    first = Sts().pairs(candidates=[SAME[0]], references=[[OTHER]])
    monkeypatch.setattr(
        "storymeter.models.vectors.load_encoder", lambda *_: pytest.fail("the model was loaded")
    )
    assert Sts().pairs(candidates=[SAME[0]], references=[[OTHER]]) == first


def test_a_broken_cache_is_not_an_error(tmp_path: Path) -> None:
    Sts().pairs(candidates=[SAME[0]], references=[[OTHER]])
    for file in (tmp_path / "cache").glob("sentences-*"):
        file.write_bytes(b"not a database")
    with pytest.warns(StorymeterWarning, match="cannot be kept"):
        assert Sts().pairs(candidates=[SAME[0]], references=[[SAME[0]]])[0] == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize("damaged", [b"odd", "text", 7])
def test_a_damaged_row_of_the_cache_is_worked_out_again(tmp_path: Path, damaged: object) -> None:
    first = Sts().pairs(candidates=[SAME[0]], references=[[OTHER]])
    [file] = (tmp_path / "cache").glob("sentences-*.sqlite")
    with closing(sqlite3.connect(file)) as connection, connection:
        assert connection.execute("UPDATE vectors SET vector = ?", (damaged,)).rowcount == 2
    assert Sts().pairs(candidates=[SAME[0]], references=[[OTHER]]) == first


@pytest.mark.parametrize("make", [Sts, BertScore])
def test_nothing_to_compare(make: type[Sts] | type[BertScore]) -> None:
    for ours, theirs in (([], []), (["a dog"], []), ([], ["a dog"])):
        assert make().matrix(candidates=ours, references=theirs).shape == (len(ours), len(theirs))
    assert make().pairs(candidates=[], references=[]).shape == (0,)
    assert make().pairs(candidates=["a dog"], references=[[]]).tolist() == [0.0]


def test_unknown_choices_are_refused() -> None:
    with pytest.raises(UsageError, match="engine cannot be 'cosin'"):
        Sts(engine="cosin")
    with pytest.raises(UsageError, match="value cannot be 'f2'"):
        BertScore(value="f2")


@pytest.mark.parametrize("text", ["", "   ", "🙂🙂", "word " * 10_000, "\ud800 lone", "\x00"])
def test_hostile_text_has_a_defined_result(text: str) -> None:
    for scorer in (Sts(), BertScore(layer=2)):
        value = scorer.pairs(candidates=[text], references=[["a dog runs"]])
        assert np.isfinite(value).all() and -1 <= value[0] <= 1


def test_a_missing_checkpoint_is_said() -> None:
    with pytest.raises(DataError, match="no folder"):
        Sts(model="/nowhere/at/all").pairs(candidates=["a"], references=[["b"]])


@pytest.fixture
def checkpoint(tmp_path: Path) -> Path:
    """The default encoder by another name, its files linked."""
    folder = tmp_path / "model"
    folder.mkdir()
    for file in encoder.default_folder().iterdir():
        (folder / file.name).symlink_to(file)
    return folder


def test_any_local_checkpoint_will_do(checkpoint: Path) -> None:
    assert Sts(model=str(checkpoint)).pairs(candidates=[SAME[0]], references=[[OTHER]]) == Sts().pairs(
        candidates=[SAME[0]], references=[[OTHER]]
    )
    assert str(Sts(model=str(checkpoint)).open().depends_on()["encoder"]).startswith("model#")


@pytest.mark.parametrize(
    ("file", "content", "said"),
    [
        ("model.safetensors", b"\x10\x00\x00", "cannot be read"),
        ("config.json", b"{", "hidden_size|cannot be read"),
        ("config.json", b"[]", "hidden_size|cannot be read"),
    ],
)
def test_a_broken_checkpoint_is_said(checkpoint: Path, file: str, content: bytes, said: str) -> None:
    (checkpoint / file).unlink()
    (checkpoint / file).write_bytes(content)
    for scorer in (Sts(model=str(checkpoint)), BertScore(model=str(checkpoint))):
        with pytest.raises(DataError, match=said):
            scorer.pairs(candidates=["a"], references=[["b"]])


def test_a_checkpoint_without_its_tokeniser_is_no_checkpoint(checkpoint: Path) -> None:
    """transformers would make one that knows no word, and all captions would mean the same."""
    for file in [*checkpoint.glob("tokenizer*"), checkpoint / "vocab.txt"]:
        file.unlink()
    for scorer in (
        Sts(model=str(checkpoint)),
        BertScore(model=str(checkpoint)),
        Sts(model=str(checkpoint), engine="align"),
    ):
        with pytest.raises(DataError, match="no vocabulary"):
            scorer.pairs(candidates=["a"], references=[["b"]])


def test_the_cache_knows_tokenisers_apart(checkpoint: Path) -> None:
    """The same weights that read a text otherwise make other vectors."""
    ours = Sts().pairs(candidates=[SAME[0]], references=[[OTHER]])
    words = (checkpoint / "vocab.txt").read_text(encoding="utf-8").split("\n")
    for file in [*checkpoint.glob("tokenizer*"), checkpoint / "vocab.txt"]:
        file.unlink()
    (checkpoint / "vocab.txt").write_text(
        "\n".join([*words[:2000], *reversed(words[2000:])]), encoding="utf-8"
    )
    assert abs(Sts(model=str(checkpoint)).pairs(candidates=[SAME[0]], references=[[OTHER]]) - ours)[0] > 1e-3


@pytest.mark.parametrize("make", [Sts, BertScore])
def test_without_the_extra(make: type[Sts] | type[BertScore], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.setitem(sys.modules, "transformers", None)
    load_encoder.cache_clear()
    with pytest.raises(MissingPartError, match="neural"):
        make().pairs(candidates=["a"], references=[["b"]])


def test_vectors_leave_memory_when_they_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = np.random.default_rng(0).random((300, 8), dtype=np.float32)
    kept = vectors.VectorRows(8, memory=1000)
    assert [kept.append(part) for part in np.array_split(rows, 7)] == np.cumsum(
        [0, *map(len, np.array_split(rows, 7))]
    )[:-1].tolist()
    assert np.array_equal(kept.view(), rows) and not kept.view().flags.writeable
    assert [block.stop - block.start for block in kept.blocks(3000, 1e9)] == [1024, 1024, 952]
    monkeypatch.setattr("tempfile.TemporaryFile", lambda **_: (_ for _ in ()).throw(OSError("no space left")))
    crowded = vectors.VectorRows(8, memory=1000)
    for part in np.array_split(rows, 7):
        crowded.append(part)
    assert np.array_equal(crowded.view(), rows)


def test_a_layer_below_the_last_is_what_the_whole_model_would_show() -> None:
    torch = pytest.importorskip("torch")
    ours = load_encoder()
    tokenizer, model = encoder.load_checkpoint(ours.path)
    model.eval()
    for layer in (0, 3, 6):
        [(_, found)] = ours.token_vectors([SAME[0]], layer=layer)
        with torch.inference_mode():
            whole = (
                model(**tokenizer([SAME[0]], return_tensors="pt"), output_hidden_states=True)
                .hidden_states[layer][0]
                .numpy()
            )
        assert np.abs(found.vectors - whole).max() < 1e-5


@pytest.mark.parametrize("idf", [False, True])
def test_bertscore_equals_the_reference_package(idf: bool) -> None:
    bert_score = pytest.importorskip("bert_score")
    ours = [
        "a man plays the guitar on a stage",
        "two dogs run over a green field",
        "she cooks",
        "a boy, smiling, jumps!",
    ]
    theirs = [
        "a person is playing guitar",
        "dogs are running through the grass",
        "a woman prepares a meal in her kitchen",
        "the child jumps for joy",
    ]
    expected = [
        x.numpy()
        for x in bert_score.score(
            ours, theirs, model_type=str(encoder.default_folder()), num_layers=4, idf=idf, device="cpu"
        )
    ]
    scorer = BertScore(layer=4, idf=idf)
    scorer = scorer.fit([[text] for text in theirs])
    index = np.arange(len(ours))
    got = scorer.parts_indexed(
        candidates=ours, references=theirs, candidate_index=index, reference_index=index, jobs=2
    )
    assert np.abs(got - np.stack(expected, axis=1)).max() < 1e-5


def test_bertscore_in_batches_has_no_padding_against_the_longest() -> None:
    """Batches of one have no padding at all: the package's value is then the formula's, opposite tokens
    included.
    """
    bert_score = pytest.importorskip("bert_score")
    draw = random.Random(2)
    ours, theirs = (
        [
            " ".join(
                draw.choices(
                    ["zebra", "quantum", "!", "7", "the", "ran", "ʘ", "café", "of", "yes"],
                    k=draw.randint(1, 9),
                )
            )
            for _ in range(60)
        ]
        for _ in range(2)
    )
    index, found = np.arange(len(ours)), {}
    for batch in (0, 1, 16):
        found[batch] = (
            BertScore(layer=1, batch=batch)
            .open()
            .parts_indexed(candidates=ours, references=theirs, candidate_index=index, reference_index=index)
        )
        if batch:
            expected = bert_score.score(
                ours,
                theirs,
                model_type=str(encoder.default_folder()),
                num_layers=1,
                device="cpu",
                batch_size=batch,
            )
            assert np.abs(found[batch] - np.stack([x.numpy() for x in expected], axis=1)).max() < 1e-5, batch
    assert (found[1] < found[0] - 1e-4).any(), (
        "some token here is opposite to all others, or this shows nothing"
    )


def test_bertscore_rescales_and_refuses_nonsense() -> None:
    plain, scaled = (
        BertScore(layer=4, baseline=b).pairs(candidates=[SAME[0]], references=[[SAME[1]]])[0]
        for b in (0.0, 0.5)
    )
    assert scaled == pytest.approx((plain - 0.5) / 0.5)
    with pytest.raises(UsageError):
        BertScore(baseline=1.0)
    with pytest.raises(UsageError, match="fitted"):
        BertScore(idf=True).pairs(candidates=["a"], references=[["b"]])
    with pytest.raises(DataError, match="layer"):
        BertScore(layer=99).pairs(candidates=["a"], references=[["b"]])
