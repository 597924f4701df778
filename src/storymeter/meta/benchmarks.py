"""Real judgements that anyone can check a metric against; `data` is a folder laid out as
docs/meta-evaluation.md says.

- `flickr8k-expert`: 5,822 image-caption pairs, five references, three expert judgements each (Hodosh et al.
  2013). Each
  judgement is a data point. For Kendall the captions that are references of their own image are left out, as
  in the published figures (5,664 remain); for Spearman nothing is.
- `trecvid-2016` to `trecvid-2020`, and the same with `-multiple`: video-to-text submissions
  with Direct Assessment per caption. SID counts
  from 1 (the caption is line SID - 1); the few rows with SID 0 are dropped and counted. Human systems are
  left out; the human score is z.
- `stories-roc`, `story-cloze` and `vist-edit` (`story_benchmarks`).
- `wrong-detail` (`meta.minimal_pairs`): captions with one wrong detail; no human judgement.
- `factvc-…`, `nebula`, `thumb`, `msvd-eval`, `hat` and `sick` (`benchmark_files`), `pascal-50s`, `foil` and
  `vidhal` (`choices`): see those modules.
"""

import csv
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from ..errors import DataError, StorymeterError, UsageError, suggest
from ..options import parse
from ..registry import MEASURES, metric as get_metric
from .benchmark_files import factvc, hat, msvd, nebula, sick, thumb
from .choices import foil, pascal50s, vidhal
from .minimal_pairs import FOLDER as ANET, NAME as WRONG_DETAIL, wrong_detail
from .own_benchmarks import is_own, own_benchmark
from .records import Benchmark as Benchmark, lines_of
from .scores import Judgement, Key, pooled
from .story_benchmarks import CLOZE, UNION, VIST_EDIT, rated_stories, story_cloze, vist_edit


def load(name: str, data: Path) -> Benchmark:
    if name not in BENCHMARKS:
        if is_own(name):
            return own_benchmark(Path(name))
        raise UsageError(
            f"There is no benchmark {name!r}, and no such file or folder.", hint=suggest(name, BENCHMARKS)
        )
    here = available(data)
    place = FOLDERS[SAME_FILES.get(name, name)]
    if not (data / place).exists():
        raise DataError(
            f"{data} holds no {name}: there is no {place} in it.",
            hint=f"It holds {', '.join(here) or 'no benchmark'}; docs/meta-evaluation.md has the layout.",
        )
    found = BENCHMARKS[name](data)
    if not found.judgements and not found.choices:
        raise DataError(f"{data / place} holds no judgement.", hint="Check the download.")
    return found


def available(data: Path) -> list[str]:
    if not data.is_dir():
        raise DataError(f"{data} is not a folder.", hint="Give the folder of benchmark data with --data.")
    return [name for name, place in FOLDERS.items() if (data / place).exists()]


def _one(folder: Path) -> Path:
    files = sorted(folder.iterdir()) if folder.is_dir() else []
    if len(files) != 1:
        raise DataError(
            f"{folder} holds {len(files)} files; one file of references is expected.",
            hint="Check the download.",
        )
    return files[0]


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
    notes = (
        [
            f"{own:,} captions that are references of their own image are left out; each of the three"
            " judgements is a point."
        ]
        if without_references
        else ["Each of the three judgements is a point; nothing is left out."]
    )
    return Benchmark(
        "flickr8k-expert" if without_references else "flickr8k-expert-all",
        "Flickr8k-Expert" + ("" if without_references else ", all captions"),
        pooled(texts, against),
        tuple(judgements),
        "",
        ("segment",),
        tuple(notes),
        "kendall_c" if without_references else "spearman",
    )


_TRECVID_FOLDER = "da/trecvid_vtt"
TRECVID = [(annotators, year) for annotators in ("single", "multiple") for year in range(2016, 2021)]


def _trecvid_name(annotators: str, year: int) -> str:
    return f"trecvid-{year}" + ("-multiple" if annotators == "multiple" else "")


def trecvid(data: Path, annotators: str, year: int) -> Benchmark:
    folder = data / _TRECVID_FOLDER / f"{annotators}-annotator" / str(year)
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
        _trecvid_name(annotators, year),
        f"TRECVID VTT {year}, {annotators} annotators" if annotators == "multiple" else f"TRECVID VTT {year}",
        pooled(texts, against),
        tuple(judgements),
        "z",
        ("system", "segment"),
        tuple(notes),
        "pearson",
    )


BENCHMARKS: dict[str, Callable[[Path], Benchmark]] = {
    "flickr8k-expert": flickr8k,
    "flickr8k-expert-all": lambda data: flickr8k(data, without_references=False),
    **{
        _trecvid_name(annotators, year): partial(trecvid, annotators=annotators, year=year)
        for annotators, year in TRECVID
    },
    "stories-roc": rated_stories,
    "story-cloze": story_cloze,
    "vist-edit": vist_edit,
    "factvc-activitynet": lambda data: factvc(data, "activitynet"),
    "factvc-activitynet-paper": lambda data: factvc(data, "activitynet", paper=True),
    "factvc-youcook2": lambda data: factvc(data, "youcook2"),
    "pascal-50s": pascal50s,
    WRONG_DETAIL: wrong_detail,
    "foil": foil,
    "nebula": nebula,
    "thumb": thumb,
    "thumb-machines": lambda data: thumb(data, machines=True),
    "msvd-eval": msvd,
    "hat": hat,
    "vidhal": vidhal,
    "sick": sick,
}
FOLDERS = {
    "flickr8k-expert": "metaeval/flickr8k_expert",
    "flickr8k-expert-all": "metaeval/flickr8k_expert",
    **{
        _trecvid_name(annotators, year): f"{_TRECVID_FOLDER}/{annotators}-annotator/{year}"
        for annotators, year in TRECVID
    },
    "stories-roc": UNION,
    "story-cloze": CLOZE,
    "vist-edit": VIST_EDIT,
    "factvc-activitynet": "metaeval/factvc_activitynet/paragraphs.jsonl",
    "factvc-youcook2": "metaeval/factvc_youcook2/paragraphs.jsonl",
    "pascal-50s": "metaeval/pascal50s/pairs.jsonl",
    WRONG_DETAIL: f"{ANET}/val_2.json",
    "foil": "metaeval/foil/nocaps-val-foil.json",
    "nebula": "metaeval/nebula/nebula_test.json",
    "thumb": "metaeval/thumb/mscoco_THumB-1.0.jsonl",
    "msvd-eval": "metaeval/msvd_eval/MSVD-Eval.json",
    "hat": "metaeval/hat/hat-trainval.json",
    "vidhal": "metaeval/vidhal/annotations.json",
    "sick": "metaeval/sick/SICK.txt",
}
#: other readings of the same files
SAME_FILES = {"factvc-activitynet-paper": "factvc-activitynet", "thumb-machines": "thumb"}


#: metrics with an option that makes another measure of them
_VARIANTS = ("sts(engine=align)",)


def suitable(benchmark: Benchmark) -> list[str]:
    """Every metric of the registry that can say something here: single captions with references want sentence
    measures, stories without references want measures of a story by itself; the number of words is there as
    the yardstick of "no idea at all"."""
    rooms = ("pairs.",) if benchmark.needs_references else ("pairs.", "story.")
    found = []
    for name in [*MEASURES, *_VARIANTS]:
        if MEASURES[parse(name).word].startswith(rooms):
            try:
                known = get_metric(name)
            except StorymeterError:
                found.append(name)  # its optional part is not installed: the card says so
                continue
            if known.needs_references == benchmark.needs_references:
                found.append(str(known))  # `spice(engine=rules)`, not `spice`: tables say which engine
    return [*found, "words"]
