"""Tiny models and data made on the spot: an ALBERT, a BERT and a ViT of a few thousand weights, shapes with
names, word vectors.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

COLOURS = {"red": (220, 40, 40), "green": (40, 180, 60), "blue": (40, 60, 220), "yellow": (230, 210, 40)}
SHAPES = ("circle", "square", "triangle")


def sizes(width: int = 16, layers: int = 1, inner: int = 16, **others: Any) -> dict[str, Any]:
    """The options that every transformer has, two attention heads, and others of this one."""
    transformer = {"hidden_size": width, "num_hidden_layers": layers, "intermediate_size": inner}
    return {**transformer, "num_attention_heads": 2, **others}


#: where a text ends for CLIP and SigLIP, and the pictures that they take
ENDS = {"eos_token_id": 3, "bos_token_id": 2, "pad_token_id": 0}
PATCHES = sizes(image_size=16, patch_size=8)


def save_tokenizer(folder: Path, words: list[str], *, ends: bool = False) -> int:
    """`ends`: [CLS] and [SEP] stand around every text, as in a real CLIP."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    vocabulary = {word: k for k, word in enumerate(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *words])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    if ends:
        tokenizer.post_processor = processors.TemplateProcessing(
            single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
        )
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        mask_token="[MASK]",
        model_max_length=64,
    )
    fast.save_pretrained(folder)
    return len(vocabulary)


def text_model(folder: Path, words: list[str], kind: str = "albert") -> Path:
    import torch
    from transformers import AlbertConfig, AlbertModel, BertConfig, BertModel

    folder.mkdir(parents=True, exist_ok=True)
    text = {"vocab_size": save_tokenizer(folder, words), "max_position_embeddings": 64}
    torch.manual_seed(0)
    if kind == "albert":
        dropout = {"hidden_dropout_prob": 0.1, "attention_probs_dropout_prob": 0.0}
        model = AlbertModel(AlbertConfig(embedding_size=16, **sizes(32, 2, 64, **text), **dropout))
    else:
        model = BertModel(BertConfig(**sizes(32, 3, 64, **text)))
    model.save_pretrained(folder, safe_serialization=True)
    return folder


def roberta(folder: Path, words: list[str]) -> Path:
    """A RoBERTa with room for 32 tokens, whose tokeniser does not say so."""
    import torch
    from transformers import RobertaConfig, RobertaModel

    size = save_tokenizer(folder, words)
    settings = json.loads((folder / "tokenizer_config.json").read_text())
    settings.pop("model_max_length")
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    torch.manual_seed(0)
    config = RobertaConfig(vocab_size=size, max_position_embeddings=33, pad_token_id=0, **sizes(layers=2))
    RobertaModel(config).save_pretrained(folder, safe_serialization=True)
    return folder


def pair_classifier(
    folder: Path, words: list[str], names: tuple[str, str] = ("follows", "does_not_follow")
) -> Path:
    """A BERT that judges pairs of sentences; it has learnt nothing."""
    import torch
    from transformers import BertConfig, BertForSequenceClassification

    size = save_tokenizer(folder, words)
    torch.manual_seed(0)
    labels = {"id2label": dict(enumerate(names)), "label2id": {name: k for k, name in enumerate(names)}}
    config = BertConfig(vocab_size=size, max_position_embeddings=64, **sizes(), **labels)
    BertForSequenceClassification(config).save_pretrained(folder, safe_serialization=True)
    return folder


def clip(folder: Path, words: list[str], *, ends: bool = False, seed: int = 0) -> Path:
    """A CLIP that has learnt nothing; a `seed` other than 0 spreads its vectors over the whole space."""
    import torch
    from transformers import CLIPConfig, CLIPImageProcessor, CLIPModel

    size = save_tokenizer(folder, words, ends=ends)
    torch.manual_seed(seed)
    text = sizes(vocab_size=size, max_position_embeddings=64, **ENDS)
    model = CLIPModel(CLIPConfig(text_config=text, vision_config=PATCHES, projection_dim=8))
    if seed:
        with torch.no_grad():
            for weights in model.parameters():
                weights.normal_(std=0.6)
    model.save_pretrained(folder, safe_serialization=True)
    CLIPImageProcessor(size={"shortest_edge": 16}, crop_size={"height": 16, "width": 16}).save_pretrained(
        folder
    )
    return folder


def siglip(folder: Path, words: list[str]) -> Path:
    """A SigLIP that has learnt nothing; like the real one, its tokeniser gives no attention mask."""
    import torch
    from transformers import SiglipConfig, SiglipImageProcessor, SiglipModel

    size = save_tokenizer(folder, words)
    settings = json.loads((folder / "tokenizer_config.json").read_text())
    (folder / "tokenizer_config.json").write_text(
        json.dumps({**settings, "model_input_names": ["input_ids"]})
    )
    torch.manual_seed(0)
    text = sizes(vocab_size=size, max_position_embeddings=32, projection_size=16, **ENDS)
    config = SiglipConfig(text_config=text, vision_config=PATCHES)
    SiglipModel(config).save_pretrained(folder, safe_serialization=True)
    SiglipImageProcessor(size={"height": 16, "width": 16}).save_pretrained(folder)
    return folder


def vision_model(folder: Path) -> Path:
    import torch
    from transformers import ViTConfig, ViTModel

    torch.manual_seed(0)
    model = ViTModel(ViTConfig(**sizes(32, 2, 64, image_size=16, patch_size=4)))
    model.save_pretrained(folder, safe_serialization=True)
    return folder


def detector(folder: Path) -> Path:
    """A YOLOS that has learnt nothing but says the same of every picture: twelve times `dog`, in the middle,
    0.4 wide and 0.2 high.
    """
    import torch
    from transformers import YolosConfig, YolosForObjectDetection, YolosImageProcessor

    torch.manual_seed(0)
    labels = {"id2label": {0: "cat", 1: "dog"}, "label2id": {"cat": 0, "dog": 1}}
    seen = sizes(image_size=[32, 32], patch_size=16, num_detection_tokens=12)
    model = YolosForObjectDetection(YolosConfig(**seen, **labels))
    centre = torch.tensor([0.5, 0.5, 0.4, 0.2])
    with torch.no_grad():
        for layer, bias in (
            (model.class_labels_classifier.layers[-1], torch.tensor([0.0, 3.0, 1.0])),
            (model.bbox_predictor.layers[-1], (centre / (1 - centre)).log()),
        ):
            layer.weight.zero_()
            layer.bias.copy_(bias)
    model.save_pretrained(folder, safe_serialization=True)
    YolosImageProcessor(size={"shortest_edge": 32, "longest_edge": 32}).save_pretrained(folder)
    return folder


def glove(path: Path, words: list[str], width: int = 12) -> Path:
    random = np.random.default_rng(0)
    path.write_text(
        "".join(f"{word} {' '.join(f'{x:.5f}' for x in random.normal(size=width))}\n" for word in words)
    )
    return path


def flickr(folder: Path, images: int = 40) -> tuple[Path, Path]:
    """(entities, images): pictures of two coloured shapes each, annotated as Flickr30K Entities is."""
    from PIL import Image, ImageDraw

    entities, pictures = folder / "entities", folder / "images"
    for place in (entities / "Annotations", entities / "Sentences", pictures):
        place.mkdir(parents=True, exist_ok=True)
    random = np.random.default_rng(1)
    for number in range(images):
        image = Image.new("RGB", (64, 32), (255, 255, 255))
        draw = ImageDraw.Draw(image)
        objects, phrases = [], []
        for side in (0, 1):
            colour, shape = str(random.choice(list(COLOURS))), str(random.choice(SHAPES))
            box = (side * 32 + 3, 3, side * 32 + 29, 29)
            if shape == "circle":
                draw.ellipse(box, fill=COLOURS[colour])
            elif shape == "square":
                draw.rectangle(box, fill=COLOURS[colour])
            else:
                draw.polygon(
                    [(box[0], box[3]), (box[2], box[3]), ((box[0] + box[2]) // 2, box[1])],
                    fill=COLOURS[colour],
                )
            id = str(1000 + 2 * number + side)
            objects.append(
                f"<object><name>{id}</name><bndbox><xmin>{box[0]}</xmin><ymin>{box[1]}</ymin>"
                f"<xmax>{box[2]}</xmax><ymax>{box[3]}</ymax></bndbox></object>"
            )
            phrases.append(f"[/EN#{id}/other a {colour} {shape}]")
        image.save(pictures / f"{number}.png")
        (entities / "Annotations" / f"{number}.xml").write_text(
            f"<annotation><filename>{number}.png</filename>{''.join(objects)}"
            "<object><name>9</name><nobndbox>1</nobndbox></object></annotation>"
        )
        (entities / "Sentences" / f"{number}.txt").write_text(
            f"{phrases[0]} beside {phrases[1]} on [/EN#9/scene a page] .\n"
        )
    return entities, pictures


def ordered_stories(path: Path, count: int = 160) -> tuple[Path, list[str]]:
    """An artificial order: sentences speak of the morning, noon, evening and night, in this order."""
    random = np.random.default_rng(2)
    times = ["morning", "noon", "evening", "night"]
    said = "we ran swam sang ate slept read played danced walked talked here there slowly gladly"
    fillers = said.split()
    stories = {}
    for number in range(count):
        sentences = [f"in the {time} {' '.join(random.choice(fillers, 3))}" for time in times]
        stories[str(number)] = [" . ".join(sentences) + " ."]
    path.write_text(json.dumps(stories))
    return path, [*times, *fillers, "in", "the"]
