"""SODA, as users of its public script call it.

    data = ANETCaptions.from_load_files(["val_1.json", "val_2.json"], "submission.json")
    data.preprocess()
    SODA(data, soda_type="c", scorer="Meteor").evaluate()          # {"Meteor": [precision, recall, F1]}

The defaults are the script's. In Python `multi_reference` is True: the annotator with the best F1 per video
(protocol `soda-v1-multi`); False merges all annotators into one track (`soda-v1`), which is what the command
line does without `--multi_reference`. `tious` is [0.0] for every variant: a pair with IoU under t counts 0,
and values are averaged over t. So variant a without `tious` is variant b; the paper's a is
`tious=[0.3, 0.5, 0.7, 0.9]`.

Variants c and d equal the script's to 1e-9. For a and b the script does not always follow its own optimum on
the way back; ours does, and so they differ in about one video of a hundred. `docs/from-soda.md` lists every
difference.

    python -m storymeter.compat.soda -p submission.json -r val_1.json val_2.json -m Meteor -s c
    [--multi_reference]
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ..arrays import FloatArray
from ..captions import Corpus
from ..dense.soda import Soda
from ..errors import StorymeterError, UsageError, suggest
from ..pairs.model import IndexedPairs
from ..pairs.scorer import PairScorer
from ..protocol import get
from ..registry import scorer as get_scorer
from . import _inputs
from ._inputs import Source

if TYPE_CHECKING:
    from typing_extensions import Unpack

#: the script's names of scorers, and ours
SCORERS = {
    "Meteor": "meteor",
    "Cider": "cider(idf=video)",
    "CIDEr": "cider(idf=video)",
    "Bleu": "bleu_4",
    "Rouge": "rouge_l",
    "BertScore": "bertscore",
    "Sts": "sts",
}


class AnyText(PairScorer):
    """1 for every pair of sentences: SODA c with it is SODA d, at thresholds on IoU too."""

    _own = True
    name = "any_text"
    needs_words = False

    def score_indexed(self, *, jobs: int = 1, **pairs: Unpack[IndexedPairs]) -> FloatArray:
        return np.ones(len(pairs["candidate_index"]))


class ANETCaptions:
    """A submission and its references."""

    def __init__(
        self,
        preds: Source,
        gts: Source | Iterable[Source],
        gt_vids: Iterable[str] | None = None,
        verbose: bool = False,
        multi_reference: bool = True,
    ) -> None:
        self.preds, self.gts = preds, _inputs.as_list(gts)
        self.verbose, self.multi_reference = verbose, multi_reference
        self._said = _inputs.submission(preds)
        self._truth = [_inputs.references(source) for source in self.gts]
        known = {document.id for corpus in self._truth for document in corpus}
        self.gt_vids = sorted(known if gt_vids is None else known.intersection(map(str, gt_vids)))

    @classmethod
    def from_load_files(
        cls,
        gt_files: Source | Iterable[Source],
        pred_file: Source,
        multi_reference: bool = True,
        verbose: bool = False,
    ) -> ANETCaptions:
        return cls(pred_file, gt_files, verbose=verbose, multi_reference=multi_reference)

    @classmethod
    def from_prediction(
        cls,
        gt_files: Source | Iterable[Source],
        pred: Mapping[str, Any],
        multi_reference: bool = True,
        verbose: bool = False,
    ) -> ANETCaptions:
        return cls(pred, gt_files, verbose=verbose, multi_reference=multi_reference)

    def preprocess(self) -> None:
        """Captions are sorted and tokenised when they are scored."""

    def corpora(self) -> tuple[Corpus, list[Corpus]]:
        wanted = set(self.gt_vids)

        def of(corpus: Corpus) -> Corpus:
            return Corpus(tuple(d for d in corpus if d.id in wanted), corpus.name)

        return of(self._said), [of(corpus) for corpus in self._truth]


class SODA:
    """`evaluate()` gives `{scorer: [precision, recall, F1]}`, means over the videos that both sides have."""

    def __init__(
        self,
        data: ANETCaptions,
        soda_type: Literal["a", "b", "c", "d"] = "c",
        tious: Sequence[float] | None = None,
        scorer: str = "Meteor",
        verbose: bool = False,
    ) -> None:
        if soda_type not in ("a", "b", "c", "d"):
            raise UsageError(f"There is no SODA of type {soda_type!r}.", hint="There are a, b, c and d.")
        if scorer not in SCORERS:
            raise UsageError(f"There is no scorer {scorer!r}.", hint=suggest(scorer, SCORERS))
        self.data, self.soda_type, self.scorer_name, self.verbose = data, soda_type, scorer, verbose
        self.tious = [0.0] if tious is None else [float(t) for t in tious]
        if not self.tious:
            raise UsageError("tious is empty.", hint="Leave it out: the script's threshold is 0.")

    @classmethod
    def build(
        cls,
        preds: Source,
        gts: Source | Iterable[Source],
        gt_vids: Iterable[str] | None = None,
        soda_type: Literal["a", "b", "c", "d"] = "c",
        tious: Sequence[float] | None = None,
        scorer: str = "Meteor",
        multi_reference: bool = True,
        verbose: bool = False,
    ) -> SODA:
        data = ANETCaptions(preds, gts, gt_vids, verbose, multi_reference)
        return cls(data, soda_type, tious, scorer, verbose)

    @classmethod
    def build_from_prediction(
        cls,
        preds: Source,
        gt_files: Source | Iterable[Source],
        soda_type: Literal["a", "b", "c", "d"] = "c",
        tious: Sequence[float] | None = None,
        scorer: str = "Meteor",
        multi_reference: bool = True,
        verbose: bool = False,
    ) -> SODA:
        return cls.build(preds, gt_files, None, soda_type, tious, scorer, multi_reference, verbose)

    def evaluate(self) -> dict[str, list[float]]:
        protocol = get("soda-v1-multi" if self.data.multi_reference else "soda-v1")
        tious = tuple(self.tious)
        # at thresholds of its own, b is a (the one with thresholds on the matching), and d is c without texts
        variant: Literal["a", "c"] = "a" if self.soda_type in "ab" else "c"
        scorer = AnyText() if self.soda_type == "d" else get_scorer(SCORERS[self.scorer_name])
        metric = Soda(variant, scorer=scorer)
        protocol = protocol.change(tious=tious, soda_tious=tious)
        (score,) = _inputs.scores([metric], *self.data.corpora(), protocol).values()
        return {self.scorer_name: [score.parts[part] for part in ("precision", "recall", "f1")]}


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m storymeter.compat.soda",
        description="SODA: story oriented dense video captioning evaluation.",
        epilog="Example: python -m storymeter.compat.soda -p submission.json -r val_1.json val_2.json",
    )
    parser.add_argument("-p", "--prediction", required=True, help="predictions, a JSON file")
    parser.add_argument("-r", "--references", required=True, nargs="+", help="reference files")
    parser.add_argument("-m", "--metric", choices=list(SCORERS), default="Meteor", help="sentence scorer")
    parser.add_argument("-s", "--soda_type", choices=list("abcd"), default="c", help="variant of SODA")
    parser.add_argument("--tious", type=float, nargs="+", help="thresholds on IoU (default: 0)")
    parser.add_argument("--multi_reference", action="store_true", help="the best annotator per video")
    parser.add_argument("-v", "--verbose", action="store_true", help="print how many videos are scored")
    chosen = parser.parse_args(arguments)
    try:
        data = ANETCaptions.from_load_files(chosen.references, chosen.prediction, chosen.multi_reference)
        values = SODA(data, chosen.soda_type, chosen.tious, chosen.metric).evaluate()[chosen.metric]
    except StorymeterError as error:
        print(f"Error: {error}", file=sys.stderr)
        return error.exit_code
    if chosen.verbose:
        print(f"{len(data.gt_vids):,} reference videos")
    print(f"SODA {chosen.soda_type} with {chosen.metric}, in per cent")
    for name, value in zip(("precision", "recall", "F1"), values, strict=True):
        print(f"  {name:10} {100 * value:8.4f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
