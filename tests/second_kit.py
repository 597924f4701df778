"""A second implementation of the captioning metrics: slow, plain Python from the definitions of the papers.

It shares no code with `storymeter.dense` or the n-gram kernels: lists, dictionaries and loops. Two things
come from the library, because they are tested against the original programs elsewhere: PTB tokens, and METEOR
of a pair (its aggregate over pairs too).

Conventions, where a definition leaves a choice open:
- several matchings with the same sum of C (SODA a and b): no value is expected (`Ambiguous`);
- `tokens=batch` is not repeated: no drawn caption ends in an abbreviation;
- a text without words matches nothing; a segment of length 0 overlaps nothing;
- random garbage is one word that occurs nowhere else.
"""

from __future__ import annotations

import math
import random
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from statistics import fmean

from storymeter.captions import Caption, Corpus, Document
from storymeter.pairs import Meteor
from storymeter.protocol import Protocol
from storymeter.text import tokenize

METEOR = Meteor(tokenizer="none")
STORY_METEOR = Meteor(tokenizer="none", task="hter", normalize=False)
Segment = tuple[float, float, str]
Track = list[Segment]
Videos = dict[str, Track]
NEAR = 1e-12


class AmbiguousError(Exception):
    """Several matchings are best, and their sentence scores differ."""


@dataclass
class Case:
    """A submission, its annotators and a protocol."""

    candidates: Videos
    annotators: list[Videos]
    protocol: Protocol

    def corpora(self) -> tuple[Corpus, list[Corpus]]:
        return _corpus(self.candidates, "mine"), [
            _corpus(videos, f"people_{k}") for k, videos in enumerate(self.annotators)
        ]

    def ids(self) -> list[str]:
        known = sorted({i for videos in self.annotators for i in videos})
        return known if self.protocol.missing == "zero" else [i for i in known if i in self.candidates]

    def submitted(self, video: str) -> Track:
        p = self.protocol
        track = _turned(self.candidates.get(video, [])[: p.max_proposals], p)
        if p.order == "key-text":
            return [track[k] for k in sorted(range(len(track)), key=str)]
        return _sorted(track, p.order)

    def references(self, video: str) -> dict[int, Track]:
        """The annotators who described the video."""
        p = self.protocol
        return {
            k: _sorted(_turned(videos[video], p), p.reference_order)
            for k, videos in enumerate(self.annotators)
            if videos.get(video)
        }

    def merged(self, video: str) -> Track:
        p = self.protocol
        track = [segment for videos in self.annotators for segment in videos.get(video, [])]
        return _sorted(_turned(track, p), p.reference_order)


def _corpus(videos: Videos, name: str) -> Corpus:
    return Corpus(
        tuple(Document(i, tuple(Caption(t, s, e) for s, e, t in track)) for i, track in videos.items()), name
    )


def _sorted(track: Track, order: str) -> Track:
    if order == "file":
        return list(track)
    return sorted(track, key=(lambda c: (c[0], c[1])) if order == "start-end" else (lambda c: c[0]))


def _turned(track: Track, protocol: Protocol) -> Track:
    if protocol.reversed != "turn":
        return list(track)
    return [(min(s, e), max(s, e), text) for s, e, text in track]


# ---- words and sentence scores


def words(text: str, protocol: Protocol) -> str:
    if protocol.ascii == "strip":
        text = "".join(char if ord(char) < 128 else " " for char in text)
    return tokenize([text], "ptb" if protocol.tokenizer == "run" else protocol.tokenizer)[0]


def lcs(a: list[str], b: list[str]) -> int:
    row = [0] * (len(b) + 1)
    for x in a:
        new = [0]
        for k, y in enumerate(b):
            new.append(row[k] + 1 if x == y else max(new[-1], row[k + 1]))
        row = new
    return row[-1]


def rouge(candidate: str, references: list[str], beta: float = 1.2) -> float:
    references = [r for r in references if r]
    if not candidate or not references:
        return 0.0
    ours, theirs = candidate.split(" "), [r.split(" ") for r in references]
    p = max(lcs(ours, r) / len(ours) for r in theirs)
    r = max(lcs(ours, r) / len(r) for r in theirs)
    return (1 + beta**2) * p * r / (r + beta**2 * p) if p and r else 0.0


def grams(text: str, n: int) -> Counter[tuple[str, ...]]:
    listed = text.split()
    return Counter(tuple(listed[k : k + n]) for k in range(len(listed) - n + 1))


def bleu(pairs: list[tuple[str, list[str]]], order: int = 4) -> float:
    """Corpus BLEU as captioning computes it: closest reference length, tiny instead of 0."""
    length = best = 0
    correct, guessed = [0] * order, [0] * order
    for candidate, references in pairs:
        ours = len(candidate.split())
        length += ours
        sizes = [len(r.split()) for r in references]
        best += min((abs(size - ours), size) for size in sizes)[1] if sizes else 0
        for n in range(1, order + 1):
            mine = grams(candidate, n)
            most: Counter[tuple[str, ...]] = Counter()
            for r in references:
                most |= grams(r, n)
            correct[n - 1] += sum((mine & most).values())
            guessed[n - 1] += max(0, ours - n + 1)
    value = 1.0
    for c, g in zip(correct, guessed, strict=True):
        value *= (c + 1e-15) / (g + 1e-9)
    value **= 1 / order
    ratio = (length + 1e-15) / (best + 1e-9)
    return value * math.exp(1 - 1 / ratio) if ratio < 1 else value


def cider(pairs: list[tuple[str, list[str]]], corpus: list[list[str]] | None = None) -> list[float]:
    """CIDEr-D of each item, idf from the references of these items, or from a corpus of references."""
    seen: Counter[tuple[str, ...]] = Counter()
    corpus = [references for _, references in pairs] if corpus is None else corpus
    for references in corpus:
        seen.update({gram for r in references for n in range(1, 5) for gram in grams(r, n)})
    log_items = math.log(len(corpus)) if corpus else 0.0

    def vector(text: str, n: int) -> dict[tuple[str, ...], float]:
        return {g: c * (log_items - math.log(max(1, seen[g]))) for g, c in grams(text, n).items()}

    out = []
    for candidate, references in pairs:
        total = 0.0
        for r in references:
            delta = sum(grams(candidate, 2).values()) - sum(grams(r, 2).values())
            for n in range(1, 5):
                a, b = vector(candidate, n), vector(r, n)
                norm = math.sqrt(sum(x * x for x in a.values())) * math.sqrt(sum(x * x for x in b.values()))
                shared = sum(min(x, b[g]) * b[g] for g, x in a.items() if g in b)
                total += (shared / norm if norm else 0.0) * math.exp(-(delta**2) / 72)
        out.append(10 * total / 4 / len(references) if references else 0.0)
    return out


def pair_score(scorer: str, candidate: str, reference: str) -> float:
    if scorer == "rouge_l":
        return rouge(candidate, [reference])
    if scorer == "bleu_4":
        return bleu([(candidate, [reference])])
    return float(METEOR.pairs(candidates=[candidate], references=[[reference]])[0])


def joint_score(scorer: str, pairs: list[tuple[str, str]]) -> float:
    """Of several pairs together: BLEU and METEOR of the summed counts, otherwise the mean."""
    if not pairs:
        return 0.0
    if scorer == "bleu_4":
        return bleu([(c, [r]) for c, r in pairs])
    if scorer == "cider":
        return fmean(cider([(c, [r]) for c, r in pairs]))
    if scorer == "rouge_l":
        return fmean(rouge(c, [r]) for c, r in pairs)
    return METEOR.open().aggregate(candidates=[c for c, _ in pairs], references=[[r] for _, r in pairs])


# ---- segments


def iou(a: Segment, b: Segment, protocol: Protocol) -> float:
    shared = min(a[1], b[1]) - max(a[0], b[0])
    if shared <= 0:
        return 0.0
    return shared / (max(a[1], b[1]) - min(a[0], b[0]) + (1e-8 if protocol.iou == "eps" else 0.0))


def best_matching(cost: list[list[float]], f: Callable[[int, int], float] | None) -> tuple[float, float]:
    """The greatest sum of cost over pairs that do not cross; and the sum of f over that matching."""
    # (sum, least f, most f) of the best matchings of each prefix
    above = [(0.0, 0.0, 0.0)] * (len(cost[0]) + 1 if cost else 1)
    for i, row in enumerate(cost):
        here = [(0.0, 0.0, 0.0)]
        for j, c in enumerate(row):
            options = [above[j + 1], here[j]]
            if c > 0:
                total, low, high = above[j]
                value = f(i, j) if f else 0.0
                options.append((total + c, low + value, high + value))
            top = max(option[0] for option in options)
            ties = [option for option in options if option[0] > top - 1e-11]
            here.append((top, min(o[1] for o in ties), max(o[2] for o in ties)))
        above = here
    total, low, high = above[-1]
    if f and high - low > 1e-13:
        raise AmbiguousError
    return total, high


def harmonic(p: float, r: float) -> float:
    return 2 * p * r / (p + r) if p + r > 0 else 0.0


def soda(case: Case, variant: str, scorer: str) -> dict[str, float]:
    p = case.protocol

    def rates(ours: Track, theirs: Track) -> list[tuple[float, float, float]]:
        """Precision, recall and F1 at each threshold."""
        tokens = [words(c[2], p) for c in ours], [words(c[2], p) for c in theirs]
        overlap = [[iou(c, r, p) for r in theirs] for c in ours]
        known: dict[tuple[int, int], float] = {}

        def f(i: int, j: int) -> float:
            if (i, j) not in known:
                a, b = tokens[0][i], tokens[1][j]
                known[i, j] = pair_score(scorer, *((b, a) if p.orientation == "reference" else (a, b)))
            return known[i, j]

        found = []
        for t in p.tious if variant == "a" else p.soda_tious if variant == "c" else (0.0,):
            cost = [
                [0.0 if x <= 0 or x < t else x * f(i, j) if variant == "c" else x for j, x in enumerate(row)]
                for i, row in enumerate(overlap)
            ]
            total, told = best_matching(cost, f if variant in "ab" else None)
            total = told if variant in "ab" else total
            precision = total / len(ours) if ours else 0.0
            recall = total / len(theirs) if theirs else 0.0
            found.append((precision, recall, harmonic(precision, recall)))
        return found

    def mean(values: list[tuple[float, float, float]]) -> tuple[float, float, float]:
        return tuple(fmean(column) for column in zip(*values, strict=True))  # type: ignore[return-value]

    ids = [i for i in case.ids() if p.average == "reference-videos" or i in case.candidates]
    if p.refs == "corpus-mean":
        per = []
        for k in range(len(case.annotators)):
            spoken = [i for i in ids if k in case.references(i)]
            silent = [i for i in ids if i in case.annotators[k] and not case.references(i)]  # nobody spoke
            if spoken or silent:
                found = [mean(rates(case.submitted(i), case.references(i)[k])) for i in spoken]
                per.append(mean(found + [(0.0, 0.0, 0.0)] * len(silent)))
        value = mean(per) if per else (0.0, 0.0, 0.0)
    else:
        videos = []
        for i in ids:
            ours = case.submitted(i)
            if p.refs == "merge":
                each = [rates(ours, case.merged(i))]
            else:
                each = [rates(ours, track) for track in case.references(i).values()] or [rates(ours, [])]
            at = []
            for values in zip(*each, strict=True):
                if p.refs == "mean":
                    at.append(mean(list(values)))
                else:
                    top = max(value[2] for value in values)
                    best = [value for value in values if value[2] > top - NEAR]
                    if any(max(map(abs, map(float.__sub__, b, best[0]))) > NEAR for b in best):
                        raise AmbiguousError  # two annotators with one F1
                    at.append(best[0])
            videos.append(mean(at))
        value = mean(videos) if videos else (0.0, 0.0, 0.0)
    return dict(zip(("precision", "recall", "value"), value, strict=True))


def anet(case: Case, scorer: str) -> dict[str, float]:
    p = case.protocol
    garbage = "abc123!@#" if p.unmatched == "garbage-fixed" else "qzxqzxqzxqzx"
    out = {}
    for t in p.tious:
        videos = []
        for i in case.ids():
            theirs, pairs = case.merged(i), []
            for c in case.submitted(i):
                near = [r for r in theirs if (iou(c, r, p) > t if p.text_tiou == ">" else iou(c, r, p) >= t)]
                texts = [r[2] for r in near] or ([] if p.unmatched == "ignore" else [garbage])
                pairs += [(words(c[2], p), words(text, p)) for text in texts]
            videos.append(pairs)
        if p.anet_pairs == "mean" and scorer in ("bleu_4", "meteor"):  # the others are means of f anyway
            videos = [[joint_score(scorer, [pair]) for pair in pairs] for pairs in videos]
            if p.corpus_scorers == "corpus":
                videos = [[value for values in videos for value in values]]
            out[f"at_{t:g}"] = fmean(fmean(values or [0.0]) for values in videos)
        elif p.corpus_scorers == "corpus":
            out[f"at_{t:g}"] = joint_score(scorer, [pair for pairs in videos for pair in pairs])
        else:
            out[f"at_{t:g}"] = fmean(joint_score(scorer, pairs) for pairs in videos)
    return {"value": fmean(out.values()), **out}


def detection(
    case: Case, limits: tuple[float, ...], meets: Callable[[Segment, Segment, float], bool]
) -> dict[str, float]:
    p = case.protocol
    table = []
    for i in case.ids():
        ours, row = case.submitted(i), []
        for limit in limits:
            precision = recall = 0.0
            for theirs in case.references(i).values():
                if ours:
                    precision = max(precision, fmean(any(meets(c, r, limit) for r in theirs) for c in ours))
                recall = max(recall, fmean(any(meets(c, r, limit) for c in ours) for r in theirs))
            row.append((precision, recall))
        table.append(row)
    at = [tuple(fmean(row[k][side] for row in table) for side in (0, 1)) for k in range(len(limits))]
    precision, recall = (fmean(pair[side] for pair in at) for side in (0, 1))
    if p.detection_f1 == "mean-of-videos":
        value = fmean(harmonic(*(fmean(pair[s] for pair in row) for s in (0, 1))) for row in table)
    elif p.detection_f1 == "mean-of-limits":
        value = fmean(harmonic(*pair) for pair in at)
    else:
        value = harmonic(precision, recall)
    return {"value": value, "precision": precision, "recall": recall}


def localisation(case: Case) -> dict[str, float]:
    p = case.protocol

    def meets(c: Segment, r: Segment, t: float) -> bool:
        return iou(c, r, p) > t if p.detection_tiou == ">" else iou(c, r, p) >= t

    return detection(case, p.tious, meets)


def start_distance(case: Case) -> dict[str, float]:
    def meets(c: Segment, r: Segment, d: float) -> bool:
        return abs(c[0] - r[0]) < d if case.protocol.distance == "<" else abs(c[0] - r[0]) <= d

    return detection(case, (1, 3, 5, 10, 30, 60), meets)


def documents(case: Case, scorer: str, *, paragraph: bool = False) -> dict[str, float]:
    """A text per video against the text of each annotator who lists it."""
    p = case.protocol

    def text(track: Track) -> str:
        if paragraph and p.paragraph == "letters":
            joined = " ".join(c[2] for c in track)
            return " ".join(re.sub("[^a-zA-Z]", " ", joined).lower().split())
        if paragraph:
            return words(" ".join(c[2].strip() for c in sorted(track, key=lambda c: c[0])), p)
        return words(" ".join(c[2] for c in track), p)

    listed = sorted({i for videos in case.annotators for i in videos})
    against = {i: [text(videos[i]) for videos in case.annotators if i in videos] for i in listed}
    items = [(text(case.candidates.get(i, [])), against[i]) for i in case.ids()]
    if scorer == "rouge_l":
        return {"value": fmean(rouge(*item) for item in items)}
    if scorer == "bleu_4":
        return {"value": bleu(items)}
    if scorer == "cider":
        return {"value": fmean(cider(items, list(against.values())))}  # idf of all references
    scorer_of = STORY_METEOR if p.meteor == "hter" and not paragraph else METEOR
    return {
        "value": scorer_of.open().aggregate(
            candidates=[c for c, _ in items], references=[r for _, r in items]
        )
    }


METRICS: dict[str, Callable[[Case], dict[str, float]]] = {
    **{
        f"soda_{v}(scorer={s})": (lambda case, v=v, s=s: soda(case, v, s))
        for v in "abc"
        for s in ("meteor", "rouge_l", "bleu_4")
    },
    "soda_d": lambda case: soda(case, "d", ""),
    **{
        f"anet(scorer={s})": (lambda case, s=s: anet(case, s))
        for s in ("meteor", "rouge_l", "bleu_4", "cider")
    },
    "localisation": localisation,
    "start_distance": start_distance,
    **{s: (lambda case, s=s: documents(case, s)) for s in ("meteor", "rouge_l", "bleu_4", "cider")},
    **{
        f"paragraph_{s}": (lambda case, s=s: documents(case, s, paragraph=True))
        for s in ("meteor", "rouge_l", "bleu_4", "cider")
    },
}

# ---- odd data

WORDS = [
    "a",
    "the",
    "man",
    "woman",
    "dog",
    "cat",
    "runs",
    "cooks",
    "cuts",
    "jumps",
    "on",
    "over",
    "road",
    "rice",
    "then",
    "and",
    "with",
    "quickly",
    "red",
    "ball",
]
ODD = ["", " ", "...", "!", "犬が走る。", "🎉🎉", "🎉 a dog", "café man", "a dog, a dog", "A  man"]


def text(rng: random.Random) -> str:
    if rng.random() < 0.15:
        return rng.choice(ODD)
    drawn = rng.choices(WORDS, k=rng.randint(1, 7))
    end = rng.choice([".", "", "!"])
    # a single letter and a dot: with `tokens=batch` the next caption is read together with this one
    return " ".join(drawn).capitalize() + ("" if drawn[-1] == "a" else end)


def track(rng: random.Random, most: int) -> Track:
    found: Track = []
    for _ in range(rng.randint(0 if rng.random() < 0.2 else 1, most)):
        start = rng.choice([float(rng.randint(0, 20)), rng.uniform(0, 25)])
        length = rng.choice([0.0, rng.uniform(0.1, 9), rng.uniform(0.1, 9), rng.uniform(0.1, 9), -2.0, 40.0])
        found.append((start, max(0.0, start + length), text(rng)))
    if found and rng.random() < 0.2:
        found.append(rng.choice(found))  # doubled
    if len(found) > 1 and rng.random() < 0.2:
        found[1] = (found[0][0], *found[1][1:])  # equal starts
    return found


def draw(rng: random.Random, protocol: Protocol) -> Case:
    """Videos that are missing on either side, empty, doubled, reversed; rarely 200 captions."""
    ids = [f"v{k}" for k in range(rng.randint(2, 5))]
    people = rng.randint(1, 3)
    most = 200 if rng.random() < 0.002 else rng.choice([2, 4, 6])
    annotators: list[Videos] = [{} for _ in range(people)]
    for i in ids:
        for k in rng.sample(range(people), rng.randint(1, people)):
            annotators[k][i] = [] if rng.random() < 0.1 else track(rng, min(most, 40))
    candidates = {i: track(rng, most) for i in [*ids, "extra"] if i == ids[0] or rng.random() < 0.8}
    return Case(candidates, [videos for videos in annotators if videos], protocol)


def differences(case: Case, found: dict[str, dict[str, float]]) -> tuple[int, int, list[str]]:
    """How many values were compared, how many had no definite value, and those that differ."""
    compared, ambiguous, wrong = 0, 0, []
    for name, parts in found.items():
        try:
            wanted = METRICS[name](case)
        except AmbiguousError:
            ambiguous += 1
            continue
        for part, value in wanted.items():
            compared += 1
            if not abs(parts[part] - value) <= NEAR * max(1.0, abs(value)):
                wrong.append(f"{name} {part} under {case.protocol}: {parts[part]!r}, not {value!r}")
    return compared, ambiguous, wrong
