"""CLIPScore, RefCLIPScore and EMScore with a tiny CLIP: each must equal what transformers, Pillow, PyAV and
loops over the papers' formulas say, to 1e-6.
"""

from __future__ import annotations

import importlib.util
import json
import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from part_kit import need

from storymeter.captions import Caption, Document
from storymeter.context import Context
from storymeter.errors import DataError, StorymeterError, StorymeterWarning, UsageError
from storymeter.join import Coverage, Task
from storymeter.models import Clip, frames_at
from storymeter.registry import metric

from . import tiny

torch = need("torch")
transformers = need("transformers")
Image = pytest.importorskip("PIL.Image")
# looked for, not imported: every process of the tests reads this module, one runs it
if importlib.util.find_spec("av") is None:
    pytest.skip("needs the optional part 'neural'", allow_module_level=True)

WORDS = [
    "a",
    "photo",
    "depicts",
    "dog",
    "cat",
    "runs",
    "sits",
    "red",
    "blue",
    "ball",
    "the",
    "on",
    "mat",
    ".",
]
EXACT = {"rel": 0, "abs": 1e-6}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny.clip(tmp_path_factory.mktemp("models") / "clip", WORDS, ends=True, seed=15)


@pytest.fixture(scope="module")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("pictures")
    random = np.random.default_rng(3)
    for name in ("one", "two", "three"):
        Image.fromarray(random.integers(0, 255, (24, 30, 3), dtype=np.uint8)).save(place / f"{name}.png")
    return place


@pytest.fixture(scope="module")
def videos(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Forty seconds, five frames a second, each frame another noise; a key frame every six seconds."""
    import av

    place = tmp_path_factory.mktemp("videos")
    random = np.random.default_rng(4)
    with av.open(str(place / "film.mp4"), "w") as container:
        stream = container.add_stream("mpeg4", rate=5, options={"g": "30"})
        stream.width, stream.height, stream.pix_fmt = 48, 32, "yuv420p"
        for _ in range(200):
            blocks = random.integers(0, 255, (4, 6, 3), dtype=np.uint8).repeat(8, 0).repeat(8, 1)
            container.mux(stream.encode(av.VideoFrame.from_ndarray(blocks, format="rgb24")))
        container.mux(stream.encode())
    return place


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STORYMETER_CACHE", str(tmp_path / "cache"))


class Plain:
    """An independent reading of the papers: one text and one picture at a time, in float64, by loops."""

    def __init__(self, folder: Path) -> None:
        self.model = transformers.CLIPModel.from_pretrained(folder).eval()
        self.tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
        self.processor = transformers.CLIPImageProcessor.from_pretrained(folder)

    def picture(self, image: Any) -> np.ndarray:
        with torch.no_grad():
            pixels = self.processor(images=[image.convert("RGB")], return_tensors="pt")["pixel_values"]
            seen = self.model.visual_projection(self.model.vision_model(pixel_values=pixels).pooler_output)
        return _unit(seen[0].double().numpy())

    def words(self, text: str) -> tuple[list[int], np.ndarray, np.ndarray]:
        """(ids, vectors, vector of the whole): the whole is read off the last token, [SEP]."""
        ids = self.tokenizer(text)["input_ids"]
        with torch.no_grad():
            layer = self.model.text_model(input_ids=torch.tensor([ids])).last_hidden_state
            found = self.model.text_projection(layer)[0].double().numpy()
        every = np.stack([_unit(vector) for vector in found])
        return ids[1:-1], every[1:-1], every[-1]

    def clipscore(self, text: str, vector: np.ndarray) -> float:
        return 2.5 * max(float(np.dot(self.words(f"A photo depicts {text}")[2], vector)), 0.0)

    def emscore(self, text: str, frames: list[np.ndarray], weight: Any = lambda token: 1.0) -> float:
        ids, words, whole = self.words(text)
        coarse = float(np.dot(whole, _unit(sum(frames) / len(frames))))
        best = [max(float(np.dot(word, frame)) for frame in frames) for word in words]
        precision = sum(weight(i) * b for i, b in zip(ids, best, strict=True)) / sum(map(weight, ids))
        recall = sum(max(float(np.dot(word, frame)) for word in words) for frame in frames) / len(frames)
        return (coarse + 2 * precision * recall / (precision + recall)) / 2

    def text_match(self, text: str, reference: str) -> float:
        _, ours, whole = self.words(text)
        _, theirs, other = self.words(reference)
        precision = sum(max(float(np.dot(a, b)) for b in theirs) for a in ours) / len(ours)
        recall = sum(max(float(np.dot(a, b)) for a in ours) for b in theirs) / len(theirs)
        return (float(np.dot(whole, other)) + 2 * precision * recall / (precision + recall)) / 2


def _unit(vector: np.ndarray) -> np.ndarray:
    return vector / math.sqrt(float(np.dot(vector, vector)))


def _task(*documents: Document, references: tuple[tuple[Document, ...], ...] | None = None) -> Task:
    ids = tuple(document.id for document in documents)
    return Task("t", ids, documents, references or tuple(() for _ in documents), Coverage(len(ids)))


def _values(name: str, task: Task, **settings: Any) -> np.ndarray:
    asked = metric(name)
    rows = asked.rows(task, Context(**settings))
    return np.asarray(getattr(rows, "values", rows))


def _middles(start: float, end: float, count: int) -> list[float]:
    """Of `count` equal parts."""
    return [start + (k + 0.5) * (end - start) / count for k in range(count)]


def _plain_frames(path: Path, times: list[float]) -> list[Any]:
    """Every frame of the file, and at each time the last that is not after it."""
    import av

    with av.open(str(path)) as container:
        every = [(float(frame.time), frame.to_image()) for frame in container.decode(video=0)]
    return [[image for at, image in every if at <= time + 1e-9 or at == every[0][0]][-1] for time in times]


def test_clipscore_equals_the_formula(folder: Path, pictures: Path) -> None:
    plain = Plain(folder)
    texts = {"one": "a red dog runs", "two": "the cat sits on the mat .", "three": "a blue ball"}
    task = _task(*(Document(name, (Caption(text),)) for name, text in texts.items()))
    found = _values(f"clipscore(model={folder})", task, images=str(pictures))[:, 0]
    vectors = {name: plain.picture(Image.open(pictures / f"{name}.png")) for name in texts}
    wanted = [plain.clipscore(text, vectors[name]) for name, text in texts.items()]
    assert found.tolist() == pytest.approx(wanted, **EXACT)
    assert max(wanted) > 0.05 and min(wanted) == 0  # both sides of the clipping are seen
    bare = _values(f"clipscore(model={folder},prompt=none)", task, images=str(pictures))[:, 0]
    wanted = [2.5 * max(float(plain.words(text)[2] @ vectors[name]), 0) for name, text in texts.items()]
    assert bare.tolist() == pytest.approx(wanted, **EXACT)
    assert np.abs(bare - found).max() > 1e-3


def test_large_pictures_are_seen_in_their_own_size(folder: Path, tmp_path: Path) -> None:
    large = np.random.default_rng(6).integers(0, 255, (1300, 1700, 3), dtype=np.uint8)
    Image.fromarray(large).save(tmp_path / "large.png")
    task = _task(Document("large", (Caption("a blue ball"),)))
    found = _values(f"clipscore(model={folder},prompt=none)", task, images=str(tmp_path))[0, 0]
    plain = Plain(folder)
    cosine = float(plain.words("a blue ball")[2] @ plain.picture(Image.open(tmp_path / "large.png")))
    assert cosine > 0
    assert found == pytest.approx(2.5 * cosine, **EXACT)


def test_refclipscore_is_the_harmonic_mean_with_the_best_reference(folder: Path, pictures: Path) -> None:
    plain = Plain(folder)
    vector = plain.picture(Image.open(pictures / "one.png"))
    others = ("the dog sits", "a red ball on the mat", "the cat runs .")
    for text in ("a red dog runs", "the cat sits on the mat .", "a blue ball"):
        references = (tuple(Document("one", (Caption(other),)) for other in others),)
        task = _task(Document("one", (Caption(text),)), references=references)
        value, near, best, blind, _ = _values(f"refclipscore(model={folder})", task, images=str(pictures))[0]
        ours = plain.words(f"A photo depicts {text}")[2]
        alike = max(max(float(ours @ plain.words(f"A photo depicts {other}")[2]) for other in others), 0.0)
        score = plain.clipscore(text, vector)
        assert (near, best, blind) == pytest.approx((score, alike, 0), **EXACT)
        wanted = 2 * score * alike / (score + alike) if score and alike else 0.0
        assert value == pytest.approx(wanted, **EXACT)


def test_a_story_is_compared_picture_by_picture(folder: Path, pictures: Path) -> None:
    plain = Plain(folder)
    vectors = {name: plain.picture(Image.open(pictures / f"{name}.png")) for name in ("one", "two", "three")}
    own = Document("s", (Caption("a dog", image="one.png"), Caption("the cat sits", image="two")))
    listed = Document("t", (Caption("a dog"), Caption("the cat")), meta={"photo_sequence": ["three", "one"]})
    whole = Document("u", (Caption("a red ball"),), meta={"photo_sequence": ["one", "two", "three"]})
    found = _values(f"clipscore(model={folder})", _task(own, listed, whole), images=str(pictures))[:, 0]
    wanted = [
        (plain.clipscore("a dog", vectors["one"]) + plain.clipscore("the cat sits", vectors["two"])) / 2,
        (plain.clipscore("a dog", vectors["three"]) + plain.clipscore("the cat", vectors["one"])) / 2,
        plain.clipscore("a red ball", _unit(sum(vectors.values()) / 3)),
    ]
    assert found.tolist() == pytest.approx(wanted, **EXACT)


def test_frames_are_those_on_show_in_the_middle_of_equal_parts(videos: Path) -> None:
    path = videos / "film.mp4"
    for times in (_middles(0, 40, 7), _middles(0, 40, 100), _middles(3.1, 3.9, 4), [0.0, 39.95, 60.0]):
        found = list(frames_at(path, times))
        distinct = sorted(set(times))
        assert len(found) == len(distinct)
        for image, plain in zip(found, _plain_frames(path, distinct), strict=True):
            assert np.array_equal(np.asarray(image), np.asarray(plain))


def test_a_stream_that_begins_late_is_counted_from_its_first_frame(tmp_path: Path) -> None:
    import av

    path = tmp_path / "late.ts"
    with av.open(str(path), "w", format="mpegts") as container:
        stream = container.add_stream("mpeg2video", rate=25)
        stream.width, stream.height, stream.pix_fmt = 32, 32, "yuv420p"
        for k in range(50):
            frame = av.VideoFrame.from_ndarray(np.full((32, 32, 3), 5 * k, dtype=np.uint8), format="rgb24")
            frame.pts, frame.time_base = 250 + k, Fraction(1, 25)
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
    with av.open(str(path)) as container:
        assert float(container.streams.video[0].start_time * container.streams.video[0].time_base) > 9
    shades = [np.asarray(image).mean() for image in frames_at(path, [0.0, 0.81, 1.61])]
    assert shades == pytest.approx([0, 100, 200], abs=6)  # frames 0, 20 and 40


@pytest.mark.parametrize("idf", ["none", "candidates", "references"])
def test_emscore_equals_the_formula(folder: Path, videos: Path, idf: str) -> None:
    plain = Plain(folder)
    texts = ["a red dog runs", "the cat sits on the mat .", "a blue ball zebra"]
    said = ["the red dog", "a cat on a mat", "a ball ."]
    task = _task(
        Document("film", (Caption(texts[0]),)),
        Document("v_film", (Caption(texts[1], 3.0, 17.0), Caption(texts[2], 20.0, 90.0))),
        references=(
            (Document("film", (Caption(said[0]),)),),
            (Document("v_film", tuple(map(Caption, said[1:]))),),
        ),
    )
    corpus = {"none": [], "candidates": texts, "references": said}[idf]
    known = [set(plain.words(text)[0]) for text in corpus]

    def weight(token: int) -> float:
        count = sum(token in ids for ids in known)
        return math.log((len(known) + 1) / (count + 1)) if corpus else 1.0

    def frames(start: float, end: float) -> list[np.ndarray]:
        times = [start + (k + 0.5) * (end - start) / 5 for k in range(5)]
        return [plain.picture(image) for image in _plain_frames(videos / "film.mp4", times)]

    found = _values(f"emscore(model={folder},frames=5,idf={idf})", task, videos=str(videos))
    wanted = [plain.emscore(texts[0], frames(0, 40), weight)]
    second, third = (
        plain.emscore(texts[1], frames(3, 17), weight),
        plain.emscore(texts[2], frames(20, 40), weight),
    )
    assert found[:, 0].tolist() == pytest.approx([*wanted, (second + third) / 2], **EXACT)
    value, coarse, fine = found[0, :3]
    assert value == pytest.approx((coarse + fine) / 2, abs=1e-12) and found[0, 5] == value
    if idf != "none":
        return
    both = _values(f"emscore(model={folder},frames=5,references=true)", task, videos=str(videos))
    best = [plain.text_match(texts[0], said[0])]
    assert both[0, 0] == pytest.approx((wanted[0] + best[0]) / 2, **EXACT)
    pair = [
        (own + max(plain.text_match(text, other) for other in said[1:])) / 2
        for own, text in ((second, texts[1]), (third, texts[2]))
    ]
    assert both[1, 0] == pytest.approx(sum(pair) / 2, **EXACT)


def test_videos_and_pictures_score_alike(folder: Path, pictures: Path, videos: Path) -> None:
    plain = Plain(folder)
    film = Document("film", (Caption("a red dog runs"),))
    found = _values(f"clipscore(model={folder},frames=3)", _task(film), videos=str(videos))[0, 0]
    seen = [plain.picture(image) for image in _plain_frames(videos / "film.mp4", _middles(0, 40, 3))]
    assert found == pytest.approx(plain.clipscore("a red dog runs", _unit(sum(seen) / 3)), **EXACT)
    still = _values(f"emscore(model={folder})", _task(Document("one", film.captions)), images=str(pictures))
    picture = plain.picture(Image.open(pictures / "one.png"))
    assert still[0, 0] == pytest.approx(plain.emscore("a red dog runs", [picture]), **EXACT)


def test_blank_captions_score_nothing_and_order_of_references_is_nothing(
    folder: Path, pictures: Path
) -> None:
    blank = _task(Document("one", (Caption("  "),)), Document("two", ()))
    for name in ("clipscore", "emscore"):
        assert not _values(f"{name}(model={folder})", blank, images=str(pictures))[:, 0].any()
    texts = ["a dog", "the cat sits", "a red ball ."]
    alternatives = tuple(Document("one", (Caption(text),)) for text in texts)
    names = (f"refclipscore(model={folder})", f"emscore(model={folder},references=true,idf=references)")
    for name in names:
        values = [
            _values(
                name,
                _task(Document("one", (Caption("the dog runs"),)), references=(order,)),
                images=str(pictures),
            )
            for order in (alternatives, alternatives[::-1])
        ]
        assert np.array_equal(*values)


def test_vectors_are_kept_by_content(
    folder: Path, pictures: Path, videos: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = _task(Document("one", (Caption("a dog"),)), Document("film", (Caption("a cat"),)))
    settings = {"images": str(pictures), "videos": str(videos)}
    first = _values(f"clipscore(model={folder},frames=3)", task, **settings)
    renamed = tmp_path / "renamed"
    renamed.mkdir()
    (renamed / "uno.png").write_bytes((pictures / "one.png").read_bytes())

    def refused(*_: object) -> None:
        raise AssertionError("encoded again")

    monkeypatch.setattr(Clip, "pictures", refused)
    monkeypatch.setattr(Clip, "texts", refused)
    assert np.array_equal(_values(f"clipscore(model={folder},frames=3)", task, **settings), first)
    again = _values(
        f"clipscore(model={folder})", _task(Document("uno", (Caption("a dog"),))), images=str(renamed)
    )
    assert again[0, 0] == first[0, 0]
    monkeypatch.setenv("STORYMETER_EMBEDDINGS", "off")
    with pytest.raises(AssertionError, match="encoded again"):
        _values(f"clipscore(model={folder},frames=3)", task, **settings)


def test_long_captions_are_cut_and_said_to_be(folder: Path, pictures: Path) -> None:
    long = _task(Document("one", (Caption("the dog sits on the mat . " * 40),)))
    with pytest.warns(StorymeterWarning, match=r"1 of 1 captions are longer than the 64 tokens"):
        _values(f"clipscore(model={folder})", long, images=str(pictures))


def _broken(folder: Path, tmp_path: Path) -> Iterator[tuple[str, str]]:
    """(model=, what is said)"""
    import shutil

    yield "", "needs a model of pictures and texts"
    yield str(tmp_path / "nowhere"), "There is no folder"
    pickled = tmp_path / "pickled"
    shutil.copytree(folder, pickled)
    (pickled / "model.safetensors").rename(pickled / "pytorch_model.bin")
    yield str(pickled), "holds its weights as a pickle (pytorch_model.bin)"
    cut = tmp_path / "cut"
    shutil.copytree(folder, cut)
    (cut / "model.safetensors").write_bytes((folder / "model.safetensors").read_bytes()[:1000])
    yield str(cut), "cannot be read"
    empty = tmp_path / "empty"
    shutil.copytree(folder, empty)
    (empty / "config.json").unlink()
    yield str(empty), "holds no config.json"
    unprocessed = tmp_path / "unprocessed"
    shutil.copytree(folder, unprocessed)
    for path in unprocessed.glob("*processor*"):
        path.unlink()
    yield str(unprocessed), "cannot be read"
    yield str(tiny.text_model(tmp_path / "bert", WORDS, "bert")), "no model of pictures and texts"


def test_broken_folders_are_refused_in_one_sentence(folder: Path, pictures: Path, tmp_path: Path) -> None:
    task = _task(Document("one", (Caption("a dog"),)))
    for model, said in _broken(folder, tmp_path):
        name = f"clipscore(model={model})" if model else "clipscore"
        with pytest.raises(StorymeterError) as caught:
            _values(name, task, images=str(pictures))
        assert said in caught.value.message and caught.value.hint
        assert "\n" not in caught.value.message and "\n" not in caught.value.hint


def test_words_need_a_clip(pictures: Path, tmp_path: Path) -> None:
    model = tiny.siglip(tmp_path / "siglip", WORDS)
    task = _task(Document("one", (Caption("a dog"),)))
    assert np.isfinite(_values(f"clipscore(model={model})", task, images=str(pictures))).all()
    with pytest.raises(DataError, match="emscore needs a CLIP"):
        _values(f"emscore(model={model})", task, images=str(pictures))


def test_what_is_not_there_is_counted(folder: Path, pictures: Path, videos: Path, tmp_path: Path) -> None:
    name, caption = f"clipscore(model={folder})", (Caption("a dog"),)
    here, gone = Document("one", caption), Document("four", caption)
    with pytest.raises(UsageError, match="pictures or videos, and none were given"):
        _values(name, _task(here))
    with pytest.raises(DataError, match=r"1 of 2 documents have no image in .*: four"):
        _values(name, _task(here, gone), images=str(pictures))
    with pytest.raises(DataError, match=r"1 of 1 documents have no video in .*: four"):
        _values(name, _task(gone), videos=str(videos))
    with pytest.raises(DataError, match=r"1 of 2 images are not in .*: four.png"):
        lacking = Document("s", (Caption("a dog", image="one.png"), Caption("a cat", image="four.png")))
        _values(name, _task(lacking), images=str(pictures))
    skipped = _values(f"clipscore(model={folder},missing=skip)", _task(here, gone), images=str(pictures))
    assert skipped[1].tolist() == [0.0, 1.0, 1.0] and skipped[0, 1] == 0
    both = _values(name, _task(here, Document("film", caption)), images=str(pictures), videos=str(videos))
    assert np.isfinite(both).all()
    (tmp_path / "film.mp4").write_bytes(b"no video at all")
    with pytest.raises(DataError, match=r"film.mp4 is not a readable video"):
        _values(name, _task(Document("film", caption)), videos=str(tmp_path))
    (tmp_path / "film.mp4").write_bytes((videos / "film.mp4").read_bytes()[:3000])
    with pytest.raises(DataError, match=r"film.mp4 is not a readable video"):
        _values(name, _task(Document("film", caption)), videos=str(tmp_path))


def test_the_command_scores_and_says_what_is_missing(
    folder: Path, pictures: Path, tmp_path: Path, run: Callable[..., tuple[int, str, str]]
) -> None:
    captions = tmp_path / "mine.json"
    captions.write_text('[{"image_id": "three", "caption": "a blue ball"}]')
    plain = Plain(folder)
    wanted = plain.clipscore("a blue ball", plain.picture(Image.open(pictures / "three.png")))
    command = ["score", str(captions), "-m", f"clipscore(model={folder})", "--format", "json"]
    code, out, _ = run(*command, "--images", str(pictures))
    score = json.loads(out)["systems"][0]["scores"][0]
    assert code == 0 and score["value"] == pytest.approx(wanted, **EXACT)
    assert "model:clip#" in score["signature"]
    code, _, said = run(*command)
    assert code == 2 and "--videos FOLDER" in said and "Traceback" not in said
