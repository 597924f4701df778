"""A script of the kind that harnesses hold: calls pycocoevalcap in every way in use and writes what it gets.

It knows nothing of Storymeter. `python coco_calls.py SEED OUT.json` runs it under the package that is
installed, `python -m storymeter.compat coco_calls.py SEED OUT.json` under ours.
"""

from __future__ import annotations

import contextlib
import io
import json
import random
import sys
import tempfile
from pathlib import Path

import pycocoevalcap.eval
from pycocoevalcap.bleu import bleu as bleu_module
from pycocoevalcap.bleu.bleu_scorer import BleuScorer, cook_refs, cook_test
from pycocoevalcap.cider.cider_scorer import CiderScorer
from pycocoevalcap.eval import Bleu, Cider, COCOEvalCap, Meteor, Rouge, Spice
from pycocoevalcap.rouge.rouge import my_lcs
from pycocoevalcap.tokenizer.ptbtokenizer import PUNCTUATIONS, PTBTokenizer
from pycocotools.coco import COCO

NOUNS = [
    "man",
    "woman",
    "dog",
    "kite",
    "sandwich",
    "river",
    "Café",
    "naïveté",
    "日本語",
    "t-shirt",
    "U.S.",
    "Mr.",
    "3.5",
    "1/2",
    "&amp;",
    "(twice)",
]
VERBS = [
    "walks",
    "walked",
    "is",
    "walking",
    "runs",
    "doesn't",
    "run",
    "jumps",
    "eats",
    "speaks",
    "to",
    "holds",
    "up",
]
ENDS = [
    ".",
    "!",
    "...",
    "",
    " .",
    " with plan A.",
    " and is no.",
    " 2 1/2 J.",
    " in the U.S.",
    " and vitamin C.",
    ' "so he said".',
    " – é",
]


def caption(draw: random.Random) -> str:
    if draw.random() < 0.03:
        return draw.choice(["", " ", "...", "A", "A."])
    words = [draw.choice(["The", "A", "two", "some", "5", "<b>The"]), draw.choice(NOUNS), draw.choice(VERBS)]
    words += draw.choices([*NOUNS, "the", "a", "and", "in", ",", "with", "over"], k=draw.randint(0, 9))
    return " ".join(words) + draw.choice(ENDS)


def groups(draw: random.Random, count: int) -> tuple[dict, dict]:
    """Ids of both kinds in an order that is not sorted; candidates near a reference."""
    ids = list(range(count)) if draw.random() < 0.5 else [f"v_{k}" for k in range(count)]
    draw.shuffle(ids)
    gts = {i: [{"caption": caption(draw), "id": k} for k in range(draw.randint(1, 5))] for i in ids}
    draw.shuffle(ids)
    near = {i: draw.choice(gts[i])["caption"].split(" ") for i in ids}
    res = {
        i: [
            {
                "image_id": i,
                "caption": caption(draw)
                if draw.random() < 0.4
                else " ".join(word for word in near[i] if draw.random() < 0.8),
            }
        ]
        for i in ids
    }
    return gts, res


def plain(value):
    """JSON of anything, with the kind of each value, so that a list is no array and an int no float."""
    if isinstance(value, dict):
        return {"dict": [[plain(key), plain(item)] for key, item in value.items()]}
    if isinstance(value, (list, tuple)):
        return {type(value).__name__: [plain(item) for item in value]}
    if hasattr(value, "tolist") and getattr(value, "ndim", 0):
        return {f"array {value.dtype}": value.tolist()}
    if isinstance(value, float):
        return {type(value).__name__: float(value)}
    return value


def failing(call, *arguments) -> str:
    try:
        call(*arguments)
    except Exception as error:
        return type(error).__name__
    return "no error"


def called(seed: int) -> dict:
    draw = random.Random(seed)
    out = {}
    tokenizer = PTBTokenizer()
    meteor = Meteor()
    for round_ in range(3):
        raw_gts, raw_res = groups(draw, 60)
        gts, res = tokenizer.tokenize(raw_gts), tokenizer.tokenize(raw_res)
        out[f"tokens {round_}"] = gts, res
        scorers = [
            (Bleu(4), ["Bleu_1", "Bleu_2", "Bleu_3", "Bleu_4"]),
            (Bleu(n=2), "Bleu-2"),
            (meteor, "METEOR"),
            (Rouge(), "ROUGE_L"),
            (Cider(), "CIDEr"),
            (Cider(n=5, sigma=3.0), "CIDEr of others"),
            (Cider(None, None, 4, 2.0), "CIDEr by place"),
        ]
        for scorer, name in scorers:
            out[f"{name} {round_}"] = scorer.method(), scorer.compute_score(gts, res)
        out[f"quiet {round_}"] = Bleu(4).compute_score(gts, res, verbose=0)
        written = [i for i, group in gts.items() if any(group)]  # the original fails where nothing is said
        for i in written[:12]:  # one video at a time, as lmms-eval does for some tasks
            for scorer, name in scorers[:5]:
                out[f"{name} {round_} {i}"] = scorer.compute_score({i: gts[i]}, {i: res[i]})
    corners = {
        0: ["", "a b"],
        1: ["the dog runs  fast"],
        2: ["a ||| b"],
        3: ["x\u00a0y z"],
        4: ["same words here"],
    }
    answers = {0: ["a"], 1: [""], 2: ["a  b ||| c"], 3: ["x y\u00a0z"], 4: ["same words here"]}
    for scorer in (Bleu(), Rouge(), Cider(), meteor):
        out[f"corners {scorer.method()}"] = scorer.compute_score(corners, answers)
    out["single"] = [
        s.compute_score({0: ["a b c d e"]}, {0: ["a b c d e"]}) for s in (Bleu(), Cider(), Rouge())
    ]
    out["nothing"] = Bleu().compute_score({}, {})
    out["METEOR takes tuples"] = meteor.compute_score({0: ("a man walks", "b")}, {0: ("a man walked",)})
    out["statistics"] = meteor._stat("a man walks in", ["a man walked in", "x"])
    out["tokenizer"] = [
        tokenizer.tokenize({}),
        tokenizer.tokenize({1: [], 2: [{"caption": "x"}]}),
        tokenizer.tokenize(
            {"a": [{"caption": ""}], 4: [{"caption": "It's plan B."}, {"caption": "The\nend"}]}
        ),
        PUNCTUATIONS,
    ]
    out["parts"] = parts()
    out["errors"] = errors(meteor)
    out["coco"] = coco(draw, meteor)
    return out


def parts() -> list:
    """The pieces below the scorers."""

    def gathered() -> BleuScorer:
        scorer = BleuScorer(n=4)
        scorer += ("a man walks fast", ["a man walks", "a man is walking home now"])
        scorer += ("a dog", ["the dog runs", "dog"])
        return scorer

    scorer = gathered()
    cider = CiderScorer(n=4, sigma=6.0)
    cider += ("a man walks fast", ["a man walks", "a man is walking home now"])
    cider += ("a dog", ["the dog runs", "dog"])
    special = BleuScorer("a dog", ["the dog runs"], special_reflen=5)
    return [
        *(gathered().compute_score(option) for option in (None, "closest", "shortest", "average")),
        *(gathered().reflen(option) for option in ("closest", "shortest", "average")),
        *(scorer.testlen(), scorer.size(), scorer.compatible(BleuScorer(n=3)), scorer.single_reflen()),
        *(scorer.crefs, scorer.ctest, special.compute_score("closest"), scorer.rescore(["a", "b"])),
        *(cider.compute_score(), cider.size(), cider.crefs, cider.ctest, cider.ref_len),
        *(my_lcs(["a", "b", "c", "d"], ["b", "d", "x"]), Rouge().calc_score(["a b c"], ["a c", "b c d"])),
        *(
            cook_refs(["a b a", "c"], eff="shortest", n=2),
            cook_test("a b", cook_refs(["a b", "b"]), "closest"),
        ),
        *(
            Rouge().beta,
            bleu_module.Bleu is Bleu,
            sorted(COCOEvalCap.__dict__.keys() & {"evaluate", "setEval"}),
        ),
    ]


def errors(meteor: Meteor) -> list:
    wrong = [
        ({0: ["a"]}, {1: ["a"]}),
        ({0: ["a"]}, {0: ["a"], 1: ["a"]}),
        ({0: ["a"]}, {0: ["a", "b"]}),
        ({0: ["a"]}, {0: "a"}),
        ({0: ["a"]}, {0: []}),
        ({0: []}, {0: ["a"]}),
        ({0: "a"}, {0: ["a"]}),
        ({0: ("a",)}, {0: ["a"]}),
        ({0: ["a"]}, {0: ("a",)}),
    ]
    out = [[failing(s.compute_score, *two) for two in wrong] for s in (Bleu(), Rouge(), Cider())]
    rouge = Rouge()
    return [
        *out,
        failing(meteor.compute_score, {0: ["a"]}, {1: ["a"]}),
        failing(lambda: rouge.calc_score(["a", "b"], ["c"])),
        failing(lambda: rouge.calc_score(["a"], [])),
        failing(lambda: Cider().compute_score({}, {})),
        failing(lambda: Bleu(5).compute_score({0: ["a"]}, {0: ["a"]})),
        failing(lambda: Cider(n=2).compute_score({0: ["a b c"]}, {0: ["a"]})),
        Cider(n=2).compute_score({0: ["a b"], 1: ["c"]}, {0: ["a b"], 1: ["c d"]}),
        failing(lambda: PTBTokenizer().tokenize({0: [{"text": "a"}]})),
        failing(lambda: BleuScorer(n=2).__iadd__(BleuScorer(n=3))),
        failing(lambda: BleuScorer("a", ["b"]).single_reflen("longest")),
    ]


class OwnSpice:
    """SPICE is another measure under the rules engine, and needs a download in the original."""

    def method(self) -> str:
        return "SPICE"

    def compute_score(self, gts: dict, res: dict) -> tuple:
        return 0.25, [{"All": {"f": 0.25}} for _ in gts]


def coco(draw: random.Random, meteor: Meteor) -> list:
    """COCO objects from files, and one built by hand as harnesses do; all images, and some of them. They get
    the METEOR that runs already, as the original reads its tables for ten seconds.
    """
    pycocoevalcap.eval.Spice, pycocoevalcap.eval.Meteor = OwnSpice, lambda: meteor
    gts, res = groups(draw, 40)
    number = {i: k for k, i in enumerate(gts)}
    dataset = {
        "images": [{"id": number[i]} for i in gts],
        "annotations": [
            {"image_id": number[i], "caption": c["caption"], "id": 100 * number[i] + c["id"]}
            for i, group in gts.items()
            for c in group
        ],
        "info": {},
        "licenses": [],
    }
    results = [{"image_id": number[i], "caption": group[0]["caption"]} for i, group in res.items()]
    out = []
    with tempfile.TemporaryDirectory() as folder:
        truth, answers = Path(folder, "captions.json"), Path(folder, "results.json")
        truth.write_text(json.dumps(dataset), encoding="utf-8")
        answers.write_text(json.dumps(results[:30]), encoding="utf-8")
        from_file = COCO(str(truth))
        some = COCOEvalCap(from_file, from_file.loadRes(str(answers)))
        some.params["image_id"] = some.cocoRes.getImgIds()
    by_hand = COCO()
    by_hand.dataset = dataset
    by_hand.createIndex()
    everything = COCOEvalCap(by_hand, by_hand.loadRes(results))
    for evaluation in (some, everything):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            evaluation.evaluate()
        said = [line for line in printed.getvalue().splitlines() if not line.startswith("ratio")]
        out += [said, evaluation.eval, evaluation.imgToEval, evaluation.evalImgs, list(evaluation.params)]
    return out


if __name__ == "__main__":
    assert Spice is pycocoevalcap.eval.Spice
    Path(sys.argv[2]).write_text(json.dumps(plain(called(int(sys.argv[1])))), encoding="utf-8")
