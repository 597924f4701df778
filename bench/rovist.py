"""What RoViST's three numbers follow, and what our deviations from the paper change.

    python bench/rovist.py [grounding] [coherence] [deviations] [--stories 300] [--data DIR]

The rows of the model cards (docs/models/grounding.md, coherence.md) and of docs/papers/rovist.md. Stories are
the first human ones of VIST's test albums, and those of AREL and MCSM+BART for the same albums. VIST's
photographs are not at hand: where grounding is asked of a story of VIST, it stands beside five of ten
photographs that come with scikit-image, scikit-learn and Matplotlib (bench/grounding.py), drawn with a fixed
seed, so that the numbers say what grounding follows and not how well pictures fit. `--stories` bounds the
stories of VIST for grounding and coherence; deviations are of all 1,010. About ten minutes on one core."""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from grounding import PHOTOS, WRONG, photographs

from storymeter.captions import Caption, Corpus, Document
from storymeter.engine import Run
from storymeter.formats import read
from storymeter.story.documents import sentences_of

ROOT = Path(__file__).resolve().parents[1]
Stories = dict[str, list[str]]
GENERIC = [
    "we had a great time .",
    "it was a beautiful day .",
    "everyone was there .",
    "we did so many things .",
    "i can not wait to go back .",
]
TRADES = "the banker sold the piano , the carpet and the lamp to the lawyer ."


def corpus(name: str, stories: Stories, pictures: dict[str, Sequence[str]] | None = None) -> Corpus:
    return Corpus(
        tuple(
            Document(
                id,
                tuple(
                    Caption(text, image=pictures[id][k % len(pictures[id])] if pictures else None)
                    for k, text in enumerate(told)
                ),
            )
            for id, told in stories.items()
        ),
        name,
    )


def values(stories: Corpus, metric: str, images: str | None = None) -> dict[str, Any]:
    """Each part of a metric, one value per story, in the order of the stories."""
    score = Run(images=images).score(stories, metric, resamples=0).systems[0].scores[0]
    assert score.rows is not None
    place = [score.ids.index(document.id) for document in stories]
    return dict(zip(score.columns, score.rows[place].T, strict=True))


def line(what: str, *cells: float | str, places: int = 2) -> None:
    print(f"| {what} | " + " | ".join(c if isinstance(c, str) else f"{c:.{places}f}" for c in cells) + " |")


def head(title: str, *names: str) -> None:
    print(f"\n| {title} | {' | '.join(names)} |\n|:--|{'--:|' * len(names)}")


def told(data: Path, name: str) -> Stories:
    """The first story of each album, by sentence."""
    out: Stories = {}
    for document in read(data / "vist" / name):
        out.setdefault(document.id, sentences_of(document))
    return out


def first(stories: Stories, count: int) -> Stories:
    """Stories of five sentences, in the order of their ids."""
    return {id: stories[id] for id in [id for id in sorted(stories) if len(stories[id]) == 5][:count]}


def grounding(human: Stories, images: str) -> None:
    names = sorted(name for name in PHOTOS if (Path(images) / name).is_file())
    random = np.random.default_rng(0)
    five = [list(random.choice(names, 5, replace=False)) for _ in range(40)]

    def beside(texts: Iterable[list[str]]) -> Corpus:
        albums = {f"a{k}": five[k] for k in range(len(five))}
        return corpus("x", dict(zip(albums, texts, strict=False)), albums)

    nouns = [[PHOTOS[name] for name in album] for album in five]
    wrong = [list(random.choice(WRONG, 15, replace=False)) for _ in five]
    kinds = {
        "one right noun per photograph": [[f"there was a {own[0]} ." for own in album] for album in nouns],
        "two right nouns per photograph": [
            [f"there was a {own[0]} and a {own[1]} ." for own in album] for album in nouns
        ],
        "one wrong noun per photograph": [[f"there was a {w} ." for w in drawn[:5]] for drawn in wrong],
        "three wrong nouns per photograph": [
            [f"there was a {a} , a {b} and a {c} ." for a, b, c in zip(*[iter(drawn)] * 3, strict=True)]
            for drawn in wrong
        ],
        f"five times “{TRADES[:-2]}.”": [[TRADES] * 5] * len(five),
        "human stories of other photographs": list(human.values())[: len(five)],
        f"generic (“{GENERIC[0][:-2]}.” …)": [GENERIC] * len(five),
    }
    head("stories of five photographs (40 draws)", "VG", "VG without idf", "per noun", "nouns")
    for kind, texts in kinds.items():
        found = values(beside(texts), "rovist_vg", images)
        plain = values(beside(texts), "rovist_vg(idf=none)", images)
        line(kind, *(part.mean() for part in (found["value"], plain["value"])), found["per_noun"].mean(),
             f"{found['nouns'].mean():.1f}")  # fmt: skip

    pairs = [(name, right, bad) for name in names for right in PHOTOS[name] for bad in WRONG]
    one = corpus("right", {f"{k}": [f"there was a {p[1]} ."] for k, p in enumerate(pairs)},
                 {f"{k}": [p[0]] for k, p in enumerate(pairs)})  # fmt: skip
    other = corpus("wrong", {f"{k}": [f"there was a {p[2]} ."] for k, p in enumerate(pairs)},
                   {f"{k}": [p[0]] for k, p in enumerate(pairs)})  # fmt: skip
    print(f"\nA right noun scores higher than a wrong one beside a photograph ({len(pairs)} pairs):")
    for metric in ("rovist_vg", "rovist_vg(idf=none)"):
        better = values(one, metric, images)["value"] > values(other, metric, images)["value"]
        print(f"{metric} {better.mean():.3f}")

    random = np.random.default_rng(1)
    albums = {id: list(random.choice(names, 5, replace=False)) for id in human}
    stories = corpus("human", human, albums)
    head(f"{len(human)} human stories of VIST beside drawn photographs", "R² with log nouns")
    for metric in ("rovist_vg", "rovist_vg(idf=none)", "rovist_vg(pooling=mean)"):
        found = values(stories, metric, images)
        own = found["per_noun" if "mean" in metric else "value"]
        some = found["nouns"] > 0
        line(f"`{metric}`", np.corrcoef(own[some], np.log(found["nouns"][some]))[0, 1] ** 2)
    found = values(stories, "rovist", images)
    head(f"the same stories: {'`rovist`'}", "standard deviation", "r with the sum", "r with the scaled sum")
    for part in ("vg", "c", "nr"):
        r = [np.corrcoef(found[part], found[whole])[0, 1] for whole in ("value", "scaled_sum")]
        line(part.upper(), found[part].std(ddof=1), *r, places=3)

    example = ROOT / "examples" / "stories"
    good = read(example / "good.json")
    ids = [document.id for document in good]
    pictures = {d.id: [c.image or "" for c in d.captions] for d in good}
    texts = {d.id: [c.text for c in d.captions] for d in good}
    shifted = {id: pictures[ids[(k + 1) % len(ids)]] for k, id in enumerate(ids)}
    dull = dict.fromkeys(ids, GENERIC)
    head("the eight stories of examples/stories", "VG", "per noun", "rovist")
    for what, stories in (
        ("with their own pictures", corpus("own", texts, pictures)),
        ("with the pictures of another album", corpus("other", texts, shifted)),
        (f"generic (“{GENERIC[0][:-2]}.” …)", corpus("dull", dull, pictures)),
    ):
        found = values(stories, "rovist", str(example / "images"))
        line(what, *(found[part].mean() for part in ("vg", "per_noun", "value")))


def coherence(human: Stories) -> None:
    ids, random = list(human), np.random.default_rng(0)

    def mixed(k: int) -> list[str]:
        return [human[ids[(k + 1 + 7 * n) % len(ids)]][n] for n in range(5)]

    def shuffled(text: list[str]) -> list[str]:
        while True:
            order = random.permutation(5)
            if list(order) != list(range(5)):
                return [text[n] for n in order]

    kinds = {
        "human": human,
        "sentences in a random order": {id: shuffled(human[id]) for id in ids},
        "sentences in reverse order": {id: human[id][::-1] for id in ids},
        "last sentence of another story": {
            id: [*human[id][:4], human[ids[(k + 1) % len(ids)]][4]] for k, id in enumerate(ids)
        },
        "each sentence of another story, at its place": {id: mixed(k) for k, id in enumerate(ids)},
        f"generic (“{GENERIC[0][:-2]}.” …)": dict.fromkeys(ids, GENERIC),
    }
    head(f"{len(ids)} human stories of VIST", "mean C", "the human story scores higher")
    original = values(corpus("human", human), "rovist_c")["value"]
    for what, stories in kinds.items():
        found = values(corpus("x", stories), "rovist_c")["value"]
        line(what, found.mean(), "" if what == "human" else f"{100 * (original > found).mean():.0f} %")


def deviations(systems: dict[str, Stories], images: str) -> None:
    names = sorted(name for name in PHOTOS if (Path(images) / name).is_file())
    random = np.random.default_rng(2)
    albums = {id: list(random.choice(names, 5, replace=False)) for id in systems["human"]}
    corpora = {
        name: corpus(name, {id: text for id, text in stories.items() if id in albums}, albums)
        for name, stories in systems.items()
    }
    head("mean of all stories", *corpora)
    for metric in (
        "rovist_c",
        "rovist_c(repeats=score)",
        "rovist_c(marks=keep)",
        "rovist_c(temperature=one)",
        "rovist_c(repeats=score,marks=keep,temperature=one)",
        "rovist_nr",
        "rovist_nr(jaccard=pairs)",
        "rovist_vg",
        "rovist_vg(mentions=all)",
        "rovist_vg(idf=corpus)",
        "rovist_vg(idf=none)",
    ):
        shown = images if "_vg" in metric else None
        line(
            f"`{metric}`",
            *(values(each, metric, shown)["value"].mean() for each in corpora.values()),
            places=3,
        )


def main() -> None:
    plain = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=plain)
    parser.add_argument("parts", nargs="*", metavar="PART")
    parser.add_argument("--stories", type=int, default=300)
    parser.add_argument("--data", type=Path)
    given = parser.parse_args()
    data = given.data or Path(os.environ.get("STORYMETER_DATA", ROOT.parent / "shared" / "data"))
    if not data.is_dir():
        raise SystemExit(f"The data are not at {data}; --data or STORYMETER_DATA names another folder.")
    files = {"AREL": "arel_test.json", "MCSM+BART": "mcsm_bart.txt", "human": "test_reference.json"}
    systems = {name: told(data, file) for name, file in files.items()}
    human = first(systems["human"], given.stories)
    with tempfile.TemporaryDirectory() as folder:
        images = str(photographs(Path(folder)))
        parts = {
            "grounding": lambda: grounding(human, images),
            "coherence": lambda: coherence(human),
            "deviations": lambda: deviations(systems, images),
        }
        for part in given.parts or parts:
            parts[part]()


if __name__ == "__main__":
    main()
