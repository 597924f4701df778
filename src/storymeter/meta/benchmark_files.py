"""Benchmarks of single captions that people gave a number, and of pairs of which they chose the better one.

- `flickr8k-expert`: 5,822 image-caption pairs, five references, three expert judgements each (Hodosh et al.
  2013). Each judgement is a data point. For Kendall the captions that are references of their own image are
  left out, as in the published figures (5,664 remain); for Spearman nothing is.
- `trecvid-2016` to `trecvid-2020`, and the same with `-multiple`: video-to-text submissions with Direct
  Assessment per caption. SID counts from 1 (the caption is line SID - 1); the few rows with SID 0 are dropped
  and counted. Human systems are left out; the human score is z.
- `nebula` (Matsuda et al., DENEB, ACCV 2024): `metaeval/nebula/nebula_test.json`, a list of `imgid`, `mt`
  (the caption), `refs` and `score` (0 to 1); Kendall's tau-c.
- `thumb` (Kasai et al., NAACL 2022): `metaeval/thumb/mscoco_THumB-1.0.jsonl`, a line has `SYS`, `seg_id`,
  `hyp`, `P`, `R` and `human_score`; `mscoco_references.json`, a line has `seg_id` and `refs`. Pearson with
  `human_score`, beside it with P and R; `thumb-machines` leaves the human system out.
- `msvd-eval`: `metaeval/msvd_eval/MSVD-Eval.json`, an id to `candidate`, `ref` and `human_score`, which has
  two raters with four aspects and their mean each; the human score is the mean of the raters' means.
- `hat` (Petryk et al., ALOHa, NAACL 2024): `metaeval/hat/hat-trainval.json`, a list of `caption`,
  `references`, `grounding` ([word, wrong?] per word) and `contains_hallucination`. A metric should score
  captions without a hallucination higher (AUC); the words are labelled.
- `sick` (Marelli et al., LREC 2014): `metaeval/sick/SICK.txt`, a table with tabs: `sentence_A`, `sentence_B`,
  `relatedness_score` (1 to 5) and `SemEval_set`, of which TEST counts. The first sentence is scored against
  the second one; Spearman.
- `pascal-50s` (Vedantam et al., CIDEr, CVPR 2015): `metaeval/pascal50s/pairs.jsonl`, a line has a `category`
  (HC two human captions that are both right, HI human right and human wrong, HM human and machine, MM two
  machines), two `captions`, which is `preferred` (0 or 1), and five `references`. Reported: accuracy per
  category and the mean of the four.
- `foil` (after Shekhar et al., ACL 2017, on nocaps): `metaeval/foil/nocaps-val-foil.json`, a list of
  `references`, `baseline`, `foil` and `replacement` (right word, wrong word); the baseline should score
  higher. The words of the foil are labelled: the replaced one is wrong.
- `vidhal` (Choong et al., 2024): `metaeval/vidhal/annotations.json`, a list of `video`, `aspect` and
  `captions`: "1" is right, "2" has a small error and "3" a large one. Against the right caption as reference,
  "2" should score higher than "3". Reported: accuracy per aspect and their mean."""

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from ..errors import DataError
from ..join import Task
from ..pairs.lexicon import WORD
from .records import Benchmark, Choice, decoded, decoded_lines, lines_of
from .scores import Judgement, Key, captions_task, pooled
from .words import LabelledSentence

#: the system of THumB whose captions people wrote
_PEOPLE = "human"


class _Nebula(msgspec.Struct):
    imgid: str | int
    mt: str
    refs: list[str]
    score: float


class _Thumb(msgspec.Struct):
    SYS: str
    seg_id: str | int
    hyp: str
    P: float
    R: float
    human_score: float


class _ThumbReferences(msgspec.Struct):
    seg_id: str | int
    refs: list[str]


class _Msvd(msgspec.Struct):
    candidate: str
    ref: list[str]
    human_score: list[list[float]]


class _Hat(msgspec.Struct):
    caption: str
    references: list[str]
    grounding: list[tuple[str, bool]]
    contains_hallucination: bool


class _Pair(msgspec.Struct):
    category: str
    captions: tuple[str, str]
    preferred: int
    references: list[str]


class _Foil(msgspec.Struct):
    references: list[str]
    baseline: str
    foil: str
    replacement: tuple[str, str]


class _VidHal(msgspec.Struct):
    video: str | int
    aspect: str
    captions: dict[str, str]


def flickr8k(data: Path, *, without_references: bool = True) -> Benchmark:
    folder = data / "metaeval" / "flickr8k_expert"
    candidates = lines_of(folder / "candidates")
    references = [lines_of(folder / f"ref-{k}") for k in range(5)]
    rows = list(csv.DictReader(lines_of(folder / "judgements")))
    fewest = min(len(texts) for texts in (candidates, *references))
    if len(rows) > fewest:
        raise DataError(
            f"{folder}: {len(rows):,} rows of judgements, but a file of captions has {fewest:,} lines.",
            hint="Line k of each file belongs to row k. Check the download.",
        )
    texts: dict[Key, str] = {}
    against: dict[Key, Sequence[str]] = {}
    judgements, own = [], 0
    for number, row in enumerate(rows):
        try:
            scores = [float(row[f"j{k}"]) for k in (1, 2, 3)]
            image, author = row["imageid"], row["textid"].partition("#")[0]
        except (KeyError, TypeError, ValueError):
            raise DataError(
                f"{folder / 'judgements'}, row {number + 1}: three judgements and two ids are expected.",
                hint="Check the download.",
            ) from None
        if without_references and author == image:
            own += 1
            continue
        key = ("flickr8k", f"{number:05d}")
        texts[key], against[key] = candidates[number], [reference[number] for reference in references]
        judgements += [Judgement(*key, score) for score in scores]
    notes = ("Each of the three judgements is a point; nothing is left out.",)
    if without_references:
        notes = (
            f"{own:,} captions that are references of their own image are left out; each of the three"
            " judgements is a point.",
        )
    return _benchmark(
        "flickr8k-expert" if without_references else "flickr8k-expert-all",
        "Flickr8k-Expert" + ("" if without_references else ", all captions"),
        pooled(texts, against),
        judgements,
        "kendall_c" if without_references else "spearman",
        notes=notes,
    )


#: the folder of each kind of annotation and year, below the data
TRECVID = {
    (annotators, year): f"da/trecvid_vtt/{annotators}-annotator/{year}"
    for annotators in ("single", "multiple")
    for year in range(2016, 2021)
}


def trecvid_name(annotators: str, year: int) -> str:
    return f"trecvid-{year}" + ("-multiple" if annotators == "multiple" else "")


def _one(folder: Path) -> Path:
    files = sorted(folder.iterdir()) if folder.is_dir() else []
    if len(files) != 1:
        raise DataError(
            f"{folder} holds {len(files)} files; one file of references is expected.",
            hint="Check the download.",
        )
    return files[0]


def trecvid(data: Path, annotators: str, year: int) -> Benchmark:
    folder = data / TRECVID[annotators, year]
    reference = lines_of(_one(folder / "references"))
    systems = (
        {path.name.rpartition(".")[2]: lines_of(path) for path in sorted((folder / "systems").iterdir())}
        if (folder / "systems").is_dir()
        else {}
    )
    # without the empty piece behind the last line's end
    files = {"the references": reference, **systems}
    counts = {name: len(lines) - (not lines[-1]) for name, lines in files.items()}
    if len(set(counts.values())) > 1:
        said = ", ".join(f"{name} {count:,}" for name, count in list(counts.items())[:6])
        raise DataError(
            f"{folder}: the numbers of lines differ ({said}), so that a caption cannot be identified by its"
            " line.",
            hint="A line is missing at an unknown place: the released files must be corrected first.",
        )
    texts: dict[Key, str] = {}
    against: dict[Key, Sequence[str]] = {}
    judgements, zero, people = [], 0, 0
    table = folder / "ad-seg-scores-en-en.csv"
    for number, row in enumerate(csv.DictReader(lines_of(table)), 2):
        try:
            system, sid, score = row["SYS"], int(row["SID"]), float(row["Z.SCR"])
        except (KeyError, TypeError, ValueError):
            raise DataError(
                f"{table}, line {number}: a system, a whole number and a score are expected.",
                hint="The columns are called SYS, SID and Z.SCR, with commas between them.",
            ) from None
        zero += sid < 1
        people += sid >= 1 and system.lower().startswith("human")
        if sid < 1 or system.lower().startswith("human"):
            continue
        if sid > min(len(reference), len(systems.get(system, ()))):
            raise DataError(f"{folder}: there is no caption {sid} of {system!r}.", hint="Check the download.")
        key = (system, f"{sid:05d}")
        texts[key], against[key] = systems[system][sid - 1], [reference[sid - 1]]
        judgements.append(Judgement(*key, score))
    notes = [
        f"{zero:,} rows with SID 0 are dropped (SID counts from 1); {people:,} rows of human captions are"
        " left out."
    ]
    return Benchmark(
        trecvid_name(annotators, year),
        f"TRECVID VTT {year}, {annotators} annotators" if annotators == "multiple" else f"TRECVID VTT {year}",
        pooled(texts, against),
        tuple(judgements),
        "z",
        ("system", "segment"),
        tuple(notes),
        "pearson",
    )


def nebula(data: Path) -> Benchmark:
    rows = decoded(data / "metaeval" / "nebula" / "nebula_test.json", list[_Nebula])
    items = [f"{number:05d}" for number in range(len(rows))]
    task = captions_task([(f"nebula\t{k}", row.mt, row.refs) for k, row in zip(items, rows, strict=True)])
    judged = [Judgement("nebula", k, row.score) for k, row in zip(items, rows, strict=True)]
    return _benchmark("nebula", "Nebula", task, judged, "kendall_c")


def thumb(data: Path, *, machines: bool = False) -> Benchmark:
    folder = data / "metaeval" / "thumb"
    rows = [row for _, row in decoded_lines(folder / "mscoco_THumB-1.0.jsonl", _Thumb)]
    known = {
        str(row.seg_id): row.refs
        for _, row in decoded_lines(folder / "mscoco_references.json", _ThumbReferences)
    }
    lacking = sorted({str(row.seg_id) for row in rows} - set(known))
    if lacking:
        raise DataError(
            f"{folder}: {len(lacking):,} items have no references, the first is {lacking[0]!r}.",
            hint="Check the download.",
        )
    people = sum(row.SYS.lower() == _PEOPLE for row in rows)
    rows = [row for row in rows if not machines or row.SYS.lower() != _PEOPLE]
    task = captions_task([(f"{row.SYS}\t{row.seg_id}", row.hyp, known[str(row.seg_id)]) for row in rows])

    def judged(column: str) -> list[Judgement]:
        return [Judgement(row.SYS, str(row.seg_id), getattr(row, column)) for row in rows]

    said = f"{people:,} captions by people are {'left out' if machines else 'among them'}."
    return _benchmark(
        "thumb-machines" if machines else "thumb",
        "THumB 1.0" + (", machines alone" if machines else ""),
        task,
        judged("human_score"),
        "pearson",
        levels=("system", "segment"),
        notes=(said,),
        criteria={"precision": tuple(judged("P")), "recall": tuple(judged("R"))},
    )


def msvd(data: Path) -> Benchmark:
    path = data / "metaeval" / "msvd_eval" / "MSVD-Eval.json"
    rows = decoded(path, dict[str, _Msvd])
    wrong = [key for key, row in rows.items() if not row.human_score or not all(row.human_score)]
    if wrong:
        raise DataError(f"{path}: {wrong[0]!r} has a rater without scores.", hint="Check the download.")
    task = captions_task([(f"msvd\t{key}", row.candidate, row.ref) for key, row in rows.items()])
    judged = [
        Judgement("msvd", key, sum(rater[-1] for rater in row.human_score) / len(row.human_score))
        for key, row in rows.items()
    ]
    return _benchmark("msvd-eval", "MSVD-Eval", task, judged, "pearson")


def hat(data: Path) -> Benchmark:
    rows = decoded(data / "metaeval" / "hat" / "hat-trainval.json", list[_Hat])
    items = [f"{number:05d}" for number in range(len(rows))]
    task = captions_task(
        [(f"hat\t{k}", row.caption, row.references) for k, row in zip(items, rows, strict=True)]
    )
    judged = [
        Judgement("hat", k, 0.0 if row.contains_hallucination else 1.0)
        for k, row in zip(items, rows, strict=True)
    ]
    labels = tuple(
        LabelledSentence(k, row.caption, _placed(row.caption, row.grounding), tuple(row.references))
        for k, row in zip(items, rows, strict=True)
    )
    notes = ("The human score is 1 for a caption without a hallucinated word, else 0.",)
    return _benchmark("hat", "HAT", task, judged, "auc", notes=notes, words=labels)


def sick(data: Path) -> Benchmark:
    path = data / "metaeval" / "sick" / "SICK.txt"
    rows = csv.DictReader(lines_of(path), delimiter="\t", quoting=csv.QUOTE_NONE)
    texts, judged = [], []
    for number, row in enumerate(rows, 2):
        try:
            pair, score = (
                (row["sentence_A"].strip(), row["sentence_B"].strip()),
                float(row["relatedness_score"]),
            )
        except (KeyError, AttributeError, TypeError, ValueError):
            raise DataError(
                f"{path}, line {number}: two sentences and a score are expected.",
                hint="The columns are called sentence_A, sentence_B and relatedness_score, with tabs between"
                " them.",
            ) from None
        if (row.get("SemEval_set") or "TEST").strip() == "TEST":
            texts.append((f"sick\t{number:05d}", pair[0], [pair[1]]))
            judged.append(Judgement("sick", f"{number:05d}", score))
    notes = ("The human score says how related the two sentences are, 1 to 5.",)
    return _benchmark("sick", "SICK, test", captions_task(texts), judged, "spearman", notes=notes)


def pascal50s(data: Path) -> Benchmark:
    path = data / "metaeval" / "pascal50s" / "pairs.jsonl"
    rows, choices = [], []
    for number, (line, pair) in enumerate(decoded_lines(path, _Pair)):
        if pair.preferred not in (0, 1):
            raise DataError(f"{path}, line {line}: `preferred` is {pair.preferred}.", hint="It is 0 or 1.")
        ids = [f"{pair.category}-{side}\t{number:05d}" for side in "ab"]
        rows += [(key, text, pair.references) for key, text in zip(ids, pair.captions, strict=True)]
        choices.append(Choice(ids[pair.preferred], ids[1 - pair.preferred], pair.category))
    return _of_choices("pascal-50s", "Pascal-50S", captions_task(rows), choices)


def foil(data: Path) -> Benchmark:
    path = data / "metaeval" / "foil" / "nocaps-val-foil.json"
    rows, choices, labels = [], [], []
    for number, pair in enumerate(decoded(path, list[_Foil])):
        ids = [f"{side}\t{number:05d}" for side in ("baseline", "foil")]
        rows += [
            (key, text, pair.references) for key, text in zip(ids, (pair.baseline, pair.foil), strict=True)
        ]
        choices.append(Choice(ids[0], ids[1], "foil"))
        parts = {match.group().lower() for match in WORD.finditer(pair.replacement[1])}
        words = tuple((m.start(), m.end(), m.group().lower() in parts) for m in WORD.finditer(pair.foil))
        labels.append(LabelledSentence(f"{number:05d}", pair.foil, words, tuple(pair.references)))
    return _of_choices("foil", "FOIL (nocaps)", captions_task(rows), choices, tuple(labels))


def vidhal(data: Path) -> Benchmark:
    path = data / "metaeval" / "vidhal" / "annotations.json"
    rows, choices = [], []
    for number, each in enumerate(decoded(path, list[_VidHal])):
        if not {"1", "2", "3"} <= set(each.captions):
            raise DataError(
                f"{path}: the captions of {each.video!r} are {', '.join(sorted(each.captions)) or 'none'}.",
                hint='Three are expected: "1" (right), "2" and "3" (the larger error).',
            )
        ids = {level: f"{each.aspect}-{level}\t{number:05d}" for level in "23"}
        rows += [(key, each.captions[level], [each.captions["1"]]) for level, key in ids.items()]
        choices.append(Choice(ids["2"], ids["3"], each.aspect))
    return _of_choices("vidhal", "VidHal", captions_task(rows), choices)


def _placed(text: str, grounding: Sequence[tuple[str, bool]]) -> tuple[tuple[int, int, bool], ...]:
    """Where each listed word stands in the caption; words that are not found are left out."""
    out, begin = [], 0
    for word, wrong in grounding:
        start = text.lower().find(word.lower(), begin) if word else -1
        if start >= 0:
            begin = start + len(word)
            out.append((start, begin, wrong))
    return tuple(out)


def _of_choices(
    name: str, title: str, task: Task, choices: list[Choice], words: tuple[LabelledSentence, ...] = ()
) -> Benchmark:
    notes = (f"{len(choices):,} pairs of captions; a tie of the metric counts half.",)
    return Benchmark(
        name, title, task, (), "", ("pairs",), notes, "accuracy", choices=tuple(choices), words=words
    )


def _benchmark(
    name: str,
    title: str,
    task: Task,
    judgements: list[Judgement],
    headline: str,
    *,
    levels: tuple[str, ...] = ("segment",),
    notes: tuple[str, ...] = (),
    **more: Any,
) -> Benchmark:
    return Benchmark(name, title, task, tuple(judgements), "", levels, notes, headline, **more)
