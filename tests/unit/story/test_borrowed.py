"""Checkpoints of others: a classifier of sentence pairs and a CLIP, tiny and made on the spot; each must say
what transformers itself says.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from part_kit import need

from storymeter.captions import Caption, Document
from storymeter.context import Context
from storymeter.errors import DataError
from storymeter.join import Coverage, Task
from storymeter.models import load_encoder
from storymeter.pairs import BertScore, Sts
from storymeter.registry import metric
from storymeter.story import coherence
from storymeter.story.spaces import load_space

from . import tiny

torch = need("torch")
transformers = need("transformers")
Image = pytest.importorskip("PIL.Image")

WORDS = ["we", "saw", "a", "cat", "dog", "then", "went", "home", "photo", "of", "."]
STORY = ("we saw a cat .", "then we went home .", "we saw a dog .")


def _task(*sentences: str, image: str | None = None) -> Task:
    return Task(
        "t",
        ("1",),
        (Document("1", tuple(Caption(sentence, image=image) for sentence in sentences)),),
        ((),),
        Coverage(1),
    )


@pytest.mark.parametrize(
    ("names", "place"),
    [(("follows", "does_not_follow"), 0), (("not_next", "is_next"), 1), (("LABEL_0", "LABEL_1"), 1)],
)
def test_a_classifier_of_pairs(tmp_path: Path, names: tuple[str, str], place: int) -> None:
    folder = tiny.pair_classifier(tmp_path / "pairs", WORDS, names)
    model = coherence.load(str(folder))
    tokenizer, plain = (
        transformers.AutoTokenizer.from_pretrained(folder),
        transformers.AutoModelForSequenceClassification.from_pretrained(folder).eval(),
    )
    with torch.no_grad():
        wanted = plain(**tokenizer(STORY[0], STORY[1], return_tensors="pt")).logits.softmax(-1)[0, place]
    pairs = [(STORY[0], STORY[1]), (STORY[0], "We saw a cat"), (STORY[1], STORY[2])]
    found = model.probabilities(pairs)
    assert found[0] == pytest.approx(float(wanted), abs=1e-6) and found[1] == 0 and 0 < found[2] < 1
    assert model.probabilities([]).shape == (0,)
    c = metric(f"rovist_c(model={folder})")
    assert c.rows(_task(*STORY), Context())[0, 0] == pytest.approx((found[0] + found[2]) / 2, abs=1e-6)
    assert c.signature(Context()).get("model").startswith("pairs#")


def test_heads_that_were_trained_for_order(tmp_path: Path) -> None:
    folder = tmp_path / "sop"
    size = tiny.save_tokenizer(folder, WORDS)
    torch.manual_seed(0)
    config = transformers.AlbertConfig(
        vocab_size=size, embedding_size=8, max_position_embeddings=64, **tiny.sizes()
    )
    plain = transformers.AlbertForPreTraining(config).eval()
    plain.save_pretrained(folder, safe_serialization=True)
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    with torch.no_grad():
        wanted = plain(**tokenizer(STORY[0], STORY[1], return_tensors="pt")).sop_logits.softmax(-1)[
            0, 0
        ]  # 0 is: in order
    assert coherence.load(str(folder)).probabilities([(STORY[0], STORY[1])])[0] == pytest.approx(
        float(wanted), abs=1e-6
    )


def test_a_clip(tmp_path: Path) -> None:
    pytest.importorskip("HanTa")
    folder, pictures = tiny.clip(tmp_path / "clip", WORDS), tmp_path / "pictures"
    pictures.mkdir()
    image = Image.effect_noise((32, 32), 60).convert("RGB")
    image.save(pictures / "one.png")
    space = load_space(str(folder))
    plain, tokenizer = (
        transformers.CLIPModel.from_pretrained(folder).eval(),
        transformers.AutoTokenizer.from_pretrained(folder),
    )
    processor = transformers.AutoImageProcessor.from_pretrained(folder)
    batch = {
        **processor(images=[image], return_tensors="pt"),
        **tokenizer(["a photo of a cat", "a photo of a dog"], padding=True, return_tensors="pt"),
    }
    with torch.no_grad():
        output = plain(**{key: batch[key] for key in ("pixel_values", "input_ids", "attention_mask")})
    wanted = (output.text_embeds @ output.image_embeds.T).numpy()
    assert np.abs(space.phrases(["cat", "dog"]) @ space.regions([image], []).T - wanted).max() < 1e-5
    vg = metric(f"rovist_vg(idf=none,model={folder})")
    setting = Context(images=str(pictures))
    assert np.isfinite(vg.rows(_task("we saw a cat .", image="one.png"), setting)).all() and vg.signature(
        setting
    ).get("model").startswith("clip#")


def test_a_long_text_fits_whatever_the_family_counts_from(tmp_path: Path) -> None:
    folder = str(tiny.roberta(tmp_path / "roberta", WORDS))
    for scorer in (
        Sts(model=folder, cache=False),
        BertScore(model=folder, layer=1),
        BertScore(model=folder, layer=1, batch=1),
    ):
        short, long = scorer.pairs(candidates=["a cat", "cat " * 10_000], references=[["a cat"], ["a cat"]])
        assert short == pytest.approx(1, abs=1e-5) and -1 <= long <= 1
        assert (
            scorer.pairs(candidates=["", "a cat"], references=[["a cat"], ["a cat"]])[0] == 0
        )  # not a single token: this tokeniser puts none around a sentence
    assert load_encoder(folder).max_tokens == 32


@pytest.mark.parametrize("make", [tiny.clip, tiny.siglip])
def test_a_noun_is_read_alike_whatever_stands_beside_it(
    tmp_path: Path, make: Callable[[Path, list[str]], Path]
) -> None:
    space = load_space(str(make(tmp_path / "both", WORDS)))
    assert np.abs(space.phrases(["cat"])[0] - space.phrases(["cat", "dog then we went home"])[0]).max() < 1e-5
    assert space.regions([Image.new("RGB", (20, 20))], []).shape == (1, space.width)


def test_what_is_no_such_model_says_what_to_do(tmp_path: Path) -> None:
    encoder = tiny.text_model(tmp_path / "albert", WORDS)
    with pytest.raises(DataError, match="does not judge pairs") as said:
        coherence.load(str(encoder))
    assert "storymeter train coherence --encoder" in str(said.value)
    with pytest.raises(DataError, match=r"no model of pictures and texts|cannot be read"):
        load_space(str(encoder))
    folder = tiny.pair_classifier(tmp_path / "pairs", WORDS)
    for broken in ("{", "[]"):
        (folder / "config.json").write_text(broken)
        with pytest.raises(DataError, match=r"config\.json cannot be read"):
            coherence.load(str(folder))
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    with pytest.raises(DataError, match="holds its weights as a pickle"):
        coherence.load(str(folder))


def test_a_model_of_pictures_and_text_is_no_text_encoder(tmp_path: Path) -> None:
    from storymeter.models import load_encoder

    with pytest.raises(DataError, match=r"\(clip\) is not a text encoder"):
        load_encoder(str(tiny.clip(tmp_path, ["dog", "cat"])))
