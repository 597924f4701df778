"""The ActivityNet Captions scripts, as their users call them: `ANETcaptions`, `eval_dvc`, `eval_soda`,
`eval_para`.

    2018            missing videos count 0; a caption without a partner meets one fixed string
    2021            the same, but the string is random (here: from a seed; its letters never matter)
    VidChapters     as 2021, missing videos are skipped; start distances; means over the thresholds

Values are those of the protocols `anet-2018`, `anet-2021`, `pdvc` and `vidchapters`, computed once per call;
no Java, no subprocess. Files may also be given as dictionaries.

    python -m storymeter.compat.densevid -s submission.json -r val_1.json val_2.json --tious 0.3 0.5 0.7 0.9
    -ppv 1000
"""

import argparse
import re
import sys
from collections.abc import Iterable, Sequence
from typing import Any, Literal

import numpy as np

from ..errors import StorymeterError, UsageError
from ..join import join
from ..protocol import TIOUS, get
from . import _inputs
from ._inputs import Source

PREDICTION_FIELDS = ["results", "version", "external_data"]
SECONDS = (1, 3, 5, 10, 30, 60)
Variant = Literal["2018", "2021", "vidchapters"]
_PROTOCOLS = {"2018": "anet-2018", "2021": "anet-2021", "vidchapters": "vidchapters"}
_SCORERS = {
    "Bleu_1": "bleu_1",
    "Bleu_2": "bleu_2",
    "Bleu_3": "bleu_3",
    "Bleu_4": "bleu_4",
    "METEOR": "meteor",
    "ROUGE_L": "rouge_l",
    "CIDEr": "cider",
}


class ANETcaptions:
    """`evaluate()` fills `scores`: for each measure a list with one value per threshold."""

    def __init__(
        self,
        ground_truth_filenames: Source | Iterable[Source] | None = None,
        prediction_filename: Source | None = None,
        tious: Sequence[float] | None = None,
        max_proposals: int = 1000,
        prediction_fields: Sequence[str] = PREDICTION_FIELDS,
        verbose: bool = False,
        no_lang_eval: bool = False,
        distances: Sequence[float] = SECONDS,
        variant: Variant = "2018",
    ) -> None:
        if ground_truth_filenames is None or prediction_filename is None:
            raise OSError("Give ground_truth_filenames and prediction_filename.")
        if variant not in _PROTOCOLS:
            raise UsageError(
                f"There is no variant {variant!r}.", hint=f"Choose one of {', '.join(_PROTOCOLS)}."
            )
        self.tious = list(TIOUS if tious is None else tious)
        self.distances = list(distances)
        self.max_proposals, self.verbose, self.no_lang_eval = max_proposals, verbose, no_lang_eval
        self.variant = variant
        self.ground_truth_filenames = _inputs.as_list(ground_truth_filenames)
        self.prediction_filename = prediction_filename
        self.pred_fields = list(prediction_fields)
        self._truth = [_inputs.references(source) for source in self.ground_truth_filenames]
        self._said = _inputs.submission(prediction_filename)
        self.scores: dict[str, Any] = {}

    @property
    def ground_truths(self) -> list[dict[str, Any]]:
        return [dict(_inputs.loaded(source)[0]) for source in self.ground_truth_filenames]

    @property
    def prediction(self) -> dict[str, list[dict[str, Any]]]:
        """The captions that count."""
        return {
            document.id: [
                {"sentence": caption.text, "timestamp": [caption.start, caption.end]}
                for caption in document.captions[: self.max_proposals]
            ]
            for document in self._said
        }

    @property
    def n_ref_vids(self) -> set[str]:
        return {document.id for corpus in self._truth for document in corpus}

    def get_gt_vid_ids(self) -> list[str]:
        return list(self.n_ref_vids)

    def check_gt_exists(self, vid_id: str) -> bool:
        return vid_id in self.n_ref_vids

    def evaluate(self) -> None:
        protocol = get(_PROTOCOLS[self.variant]).change(
            tious=tuple(map(float, self.tious)), max_proposals=self.max_proposals
        )
        names = [] if self.no_lang_eval else [f"anet(scorer={scorer})" for scorer in _SCORERS.values()]
        if self.variant == "vidchapters":
            names.append("start_distance")
        found = _inputs.scores([*names, "localisation"], self._said, self._truth, protocol)
        out: dict[str, Any] = {}
        for name, scorer in _SCORERS.items() if not self.no_lang_eval else ():
            parts = found[f"anet(scorer={scorer})"].parts
            key = "Rouge-L" if self.variant == "vidchapters" and name == "ROUGE_L" else name
            out[key] = [parts[f"at_{t:g}"] for t in self.tious]
        parts = found["localisation"].parts
        for name in ("Recall", "Precision"):
            out[name] = [parts[f"{name.lower()}_at_{t:g}"] for t in self.tious]
        if self.variant == "vidchapters":
            out["F1"] = [parts[f"f1_at_{t:g}"] for t in self.tious]
            starts = found["start_distance"].parts
            for d in self.distances:
                if f"f1_at_{d:g}" not in starts:
                    raise UsageError(f"There is no start distance of {d} s.", hint=f"There are {SECONDS}.")
                out |= {f"{k}@{d:g}s": starts[f"{k.lower()}_at_{d:g}"] for k in ("Recall", "Precision", "F1")}
        self.scores = out


def eval_dvc(
    submission: Source | None = None,
    references: Source | Iterable[Source] | None = None,
    *arguments: Any,
    style: Literal["pdvc", "vidchapters"] | None = None,
    **options: Any,
) -> dict[str, Any]:
    """As PDVC calls it, `eval_dvc(json_path, reference, no_lang_eval=False, topN=1000, version="2018")`: a
    list per measure. As VidChapters does, `eval_dvc(submission, references, tious=…, distances=…,
    max_proposals_per_video=1000, verbose=False, no_lang_eval=False)`: means over the thresholds, and
    `Recall@0.3`, `F1@5s` and so on.

    Which of the two is told by the names of the arguments, or by a submission that is a dictionary
    (VidChapters); two files and nothing else is PDVC's call. `style` says it outright."""
    submission = options.pop("json_path", submission)
    references = options.pop("reference", references)
    if submission is None or references is None:
        raise TypeError("eval_dvc needs a submission and references.")
    if style is None:
        theirs = {"tious", "distances", "max_proposals_per_video", "verbose"} & options.keys()
        first = arguments[0] if arguments else None
        told = bool(theirs) or isinstance(submission, dict) or isinstance(first, list | tuple)
        style = "vidchapters" if told and not {"topN", "version"} & options.keys() else "pdvc"
    given = _eval_dvc_pdvc if style == "pdvc" else _eval_dvc_vidchapters
    found: dict[str, Any] = given(submission, references, *arguments, **options)
    return found


def _eval_dvc_pdvc(
    json_path: Source,
    reference: Source | Iterable[Source],
    no_lang_eval: bool = False,
    topN: int = 1000,  # noqa: N803  (a name of the original)
    version: str = "2018",
) -> dict[str, list[float]]:
    variant: Variant = "2021" if str(version) in ("2019", "2020", "2021") else "2018"
    evaluator = ANETcaptions(
        reference, json_path, max_proposals=topN, no_lang_eval=no_lang_eval, variant=variant
    )
    evaluator.evaluate()
    return evaluator.scores


def _eval_dvc_vidchapters(
    submission: Source,
    references: Source | Iterable[Source],
    tious: Sequence[float] = TIOUS,
    distances: Sequence[float] = SECONDS,
    max_proposals_per_video: int = 1000,
    verbose: bool = False,
    no_lang_eval: bool = False,
) -> dict[str, float]:
    evaluator = ANETcaptions(
        references,
        submission,
        tious=tious,
        max_proposals=max_proposals_per_video,
        no_lang_eval=no_lang_eval,
        distances=distances,
        variant="vidchapters",
    )
    evaluator.evaluate()
    out = {name: float(np.mean(values)) for name, values in evaluator.scores.items()}
    for name in ("Recall", "Precision", "F1"):
        out |= {f"{name}@{t:g}": v for t, v in zip(tious, evaluator.scores[name], strict=True)}
    return out


def eval_soda(
    prediction: Source, references: Source | Iterable[Source], verbose: bool = False, **options: Any
) -> dict[str, float]:
    """SODA c with METEOR: a corpus mean for each reference file by itself, over the videos that both have
    captions of, then the mean of these: `soda_c` of the protocol `pdvc`."""
    said, truth = _inputs.submission(prediction), [_inputs.references(s) for s in _inputs.as_list(references)]
    for corpus in truth:
        join(candidates=said, references=[corpus])  # a file that shares no video is an error
    return {"soda_c": _inputs.scores(["soda_c"], said, truth, get("pdvc"))["soda_c"].value}


def eval_para(
    prediction: Source, para_gt_filenames: Source | Iterable[Source], verbose: bool = False, **options: Any
) -> dict[str, float]:
    """Paragraph scores: each video's captions in the order of the file, letters alone, in lower case; a video
    without a prediction is an empty text and counts."""
    from .pycocoevalcap.eval import Bleu, Cider, Meteor, Rouge

    said = {document.id: document.text for document in _inputs.submission(prediction)}
    gts: dict[str, list[str]] = {}
    for source in _inputs.as_list(para_gt_filenames):
        for i, text in _inputs.paragraphs(source).items():
            gts.setdefault(i, []).append(letters(text))
    res = {i: [letters(said.get(i, ""))] for i in gts}
    out = {
        f"para_Bleu_{k + 1}": value for k, value in enumerate(Bleu(4).compute_score(gts, res, verbose=0)[0])
    }
    for name, scorer in (("METEOR", Meteor()), ("ROUGE_L", Rouge()), ("CIDEr", Cider())):
        out[f"para_{name}"] = float(scorer.compute_score(gts, res)[0])
    return out


def letters(text: str) -> str:
    """The words of a text in small letters; whatever is no letter from a to z separates them.

    >>> letters("He can't say 2.")
    'he can t say'
    """
    return " ".join(re.sub("[^a-zA-Z]", " ", text).lower().split())


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m storymeter.compat.densevid",
        description=(
            "The ActivityNet Captions evaluation: METEOR, BLEU, ROUGE-L, CIDEr, precision and recall."
        ),
        epilog="Example: python -m storymeter.compat.densevid -s submission.json -r val_1.json val_2.json",
    )
    parser.add_argument("-s", "--submission", required=True, help="predictions, a JSON file")
    parser.add_argument("-r", "--references", required=True, nargs="+", help="reference files")
    parser.add_argument("--tious", type=float, nargs="+", default=list(TIOUS), help="thresholds on IoU")
    parser.add_argument(
        "-ppv",
        "--max-proposals-per-video",
        type=int,
        default=1000,
        help="maximum number of captions per video",
    )
    parser.add_argument("--variant", choices=list(_PROTOCOLS), default="2018", help="which script")
    parser.add_argument("-v", "--verbose", action="store_true", help="print the value at each threshold")
    chosen = parser.parse_args(arguments)
    try:
        evaluator = ANETcaptions(
            chosen.references,
            chosen.submission,
            tious=chosen.tious,
            max_proposals=chosen.max_proposals_per_video,
            variant=chosen.variant,
        )
        evaluator.evaluate()
    except StorymeterError as error:
        print(f"Error: {error}", file=sys.stderr)
        return error.exit_code
    lists = {name: values for name, values in evaluator.scores.items() if isinstance(values, list)}
    if chosen.verbose:
        for k, t in enumerate(chosen.tious):
            print(f"tIoU {t:g}")
            for name, values in lists.items():
                print(f"  {name:10} {100 * values[k]:8.4f}")
    print(f"mean over the thresholds {' '.join(f'{t:g}' for t in chosen.tious)}")
    for name, values in lists.items():
        print(f"  {name:10} {100 * float(np.mean(values)):8.4f}")
    for name, value in evaluator.scores.items():
        if not isinstance(value, list):
            print(f"  {name:14} {100 * value:8.4f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
