"""Protocols: the choices that make published numbers differ, as one frozen record instead of loose flags.

Two scripts that "compute SODA" or "compute METEOR on ActivityNet" disagree because they merge references,
punish missing videos or compare unmatched captions differently. Each such choice is a field here; a preset
names a known combination and cites where it comes from; a signature prints the preset and every deviation
from it.

>>> get("soda-v1").refs
'merge'
>>> str(get("paper").change(refs="mean"))
'paper+refs=mean'
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

from .errors import UsageError, suggest
from .options import Options, option, options_of

TIOUS = (0.3, 0.5, 0.7, 0.9)


@dataclass(frozen=True, repr=False)
class Protocol(Options):
    """One way to turn captions and references into a number. The defaults are those of the preset `paper`."""

    name: str = option("paper", "the preset that the other fields deviate from")
    tious: tuple[float, ...] = option(TIOUS, "thresholds on IoU", low=0, high=1)
    soda_tious: tuple[float, ...] = option(
        (0.0,), "thresholds on IoU in SODA c: pairs under one count 0, and the mean over them", low=0, high=1
    )
    iou: Literal["exact", "eps"] = option(
        "exact", "exact: eq. 1 of the SODA paper; eps: union + 1e-8, as all public scripts do"
    )
    refs: Literal["best", "merge", "mean", "corpus-mean", "single"] = option(
        "best",
        "several annotators: the best F1 per video, one merged track, their mean per video, the mean of each"
        " annotator's corpus mean, or exactly one",
    )
    orientation: Literal["candidate", "reference"] = option(
        "candidate",
        "which side is the scorer's hypothesis in SODA; in the public SODA script it is the reference",
    )
    missing: Literal["zero", "skip", "error"] = option("zero", "a reference video that the submission lacks")
    extra: Literal["ignore", "error"] = option("ignore", "a submitted video without a reference")
    unmatched: Literal["garbage-fixed", "garbage-random", "ignore"] = option(
        "garbage-fixed", "what an unmatched caption is compared with (ActivityNet score only)"
    )
    garbage_seed: int = option(0, "seed of garbage-random; the 2019-2021 script had none", low=0)
    average: Literal["reference-videos", "submitted-videos"] = option(
        "reference-videos",
        "which videos SODA's mean is over, if `missing` keeps those that were not submitted",
    )
    text_tiou: Literal[">=", ">"] = option(
        ">=", "whether IoU must reach or exceed a threshold in the ActivityNet score"
    )
    detection_tiou: Literal[">=", ">"] = option(
        ">", "whether IoU must reach or exceed a threshold in localisation"
    )
    detection_f1: Literal["of-means", "mean-of-limits", "mean-of-videos"] = option(
        "of-means",
        "F1 over all limits in localisation: of mean precision and mean recall, the mean of each limit's F1,"
        " or the mean of each video's F1",
    )
    distance: Literal["<=", "<"] = option("<=", "whether a distance between starts may equal a limit")
    max_proposals: int = option(
        1000, "maximum number of captions per video, counted in the order of the file", low=1
    )
    corpus_scorers: Literal["per-video", "corpus"] = option(
        "per-video", "whether the ActivityNet score is computed per video or over the pairs of all videos"
    )
    anet_pairs: Literal["mean", "pooled"] = option(
        "mean",
        "mean: the ActivityNet score is the mean of f over the compared pairs (eq. 3 of the SODA paper);"
        " pooled: METEOR and BLEU of their summed counts, as in the scripts",
    )
    ascii: Literal["strip", "keep"] = option(
        "keep", "strip: every character above U+007F is replaced by a space before tokenising"
    )
    tokens: Literal["alone", "batch"] = option(
        "alone",
        "alone: the tokens of a caption do not depend on other captions; batch: after a single letter and a"
        " dot, tokenisation continues into the next caption, as in the scripts (affects one of 34,536"
        " ActivityNet captions)",
    )
    order: Literal["start", "start-end", "file", "key-text"] = option(
        "start",
        "how captions are sorted in time; ties keep the order of the file; file leaves them as written;"
        " key-text sorts their numbers as text: 0, 1, 10, 2",
    )
    reference_order: Literal["start", "start-end", "file"] = option(
        "start", "the same for references; file leaves them as written, as SODA's multi-reference option does"
    )
    reversed: Literal["keep", "turn"] = option(
        "keep",
        "a segment that ends before it starts: it overlaps nothing, or its start and end are exchanged",
    )
    paragraph: Literal["time", "letters"] = option(
        "time",
        "time: captions joined in time order, then tokenised; letters: joined in the order of the"
        " file, lower-cased; every character other than a to z separates words",
    )

    tokenizer: Literal["run", "whitespace"] = option(
        "run", "run: that of --tokenizer; whitespace: texts are tokenised already, whatever --tokenizer says"
    )
    meteor: Literal["rank", "hter"] = option(
        "rank",
        "meteor of whole documents without options: rank, as in captioning; hter: that task without"
        " normalisation, as in visual storytelling",
    )

    def _check_options(self) -> None:
        if PRESETS and self.name not in PRESETS:  # empty while the presets themselves are made
            raise UsageError(f"There is no protocol {self.name!r}.", hint=suggest(self.name, PRESETS))

    def change(self, **changes: Any) -> Protocol:
        """The same protocol with some fields changed; the name stays, so that the deviation shows when
        printed.
        """
        wrong = next((key for key in changes if key not in FIELDS or key == "name"), None)
        if wrong is not None:
            raise UsageError(f"A protocol has no field {wrong!r}.", hint=suggest(wrong, [*FIELDS][1:]))
        return replace(self, **changes)

    def deviations(self) -> dict[str, object]:
        base = PRESETS[self.name].protocol
        return {key: value for key in FIELDS if (value := getattr(self, key)) != getattr(base, key)}

    def __str__(self) -> str:
        changes = self.deviations()
        return "+".join([self.name, *(f"{key}={FIELDS[key].print(value)}" for key, value in changes.items())])


FIELDS = options_of(Protocol)


@dataclass(frozen=True, slots=True)
class Preset:
    protocol: Protocol
    sentence: str
    citation: str
    #: what is known to be wrong in the original, and what of it we repeat
    known: str = ""


PRESETS: dict[str, Preset] = {}


def _presets() -> dict[str, Preset]:
    soda_v1 = Protocol(
        "soda-v1",
        iou="eps",
        refs="merge",
        orientation="reference",
        missing="skip",
        ascii="strip",
        tokens="batch",
        average="submitted-videos",
        anet_pairs="pooled",
    )
    anet = Protocol("anet-2018", iou="eps", ascii="strip", tokens="batch", anet_pairs="pooled")
    per_annotator = replace(soda_v1, name="pdvc", refs="corpus-mean", missing="zero", paragraph="letters")
    vidchapters = replace(
        per_annotator,
        name="vidchapters",
        missing="skip",
        unmatched="garbage-random",
        detection_f1="mean-of-limits",
        distance="<",
    )
    swapped = (
        "METEOR's hypothesis is the reference, so that its recall is the submission's precision (reproduced)."
    )
    easy = "Leaving a video out does not lower the score (reproduced; coverage is printed)."
    back = "Variants a and b do not always follow their own optimum (not reproduced)."
    presets = [
        Preset(
            Protocol(),
            "The definitions of the SODA paper; where the paper leaves a choice open: missing videos count 0,"
            " and the annotator with the better F1 is used (the paper's own tables merge annotators:"
            " eccv2020).",
            "Fujita et al., SODA, ECCV 2020",
        ),
        Preset(
            Protocol("eccv2020", refs="merge"),
            "The tables of the SODA paper: as paper, with the captions of all annotators in one track.",
            "Fujita et al., SODA, ECCV 2020, tables 1 to 3",
            "A system that tells every event once cannot reach recall 1, and one that tells every event"
            " twice is not punished (reproduced).",
        ),
        Preset(
            soda_v1,
            "The public SODA script: annotators merged, reference as METEOR's hypothesis, missing videos"
            " skipped.",
            "fujiso/SODA v1.1, default options",
            f"{swapped} {easy} {back}",
        ),
        Preset(
            replace(soda_v1, name="soda-v1-multi", refs="best", reference_order="file"),
            "The public SODA script with its multi-reference option: best F1 per video.",
            "fujiso/SODA v1.1, multi-reference option",
            f"{swapped} {easy} {back} References are not sorted in time (reproduced).",
        ),
        Preset(
            replace(anet, name="anet-2017", unmatched="ignore"),
            "The first ActivityNet Captions script: a caption without a partner is ignored.",
            "densevid_eval, first version, 2017; Krishna et al., ICCV 2017",
            "Captions that overlap no reference do not lower the score (reproduced).",
        ),
        Preset(
            anet,
            "The 2018 ActivityNet script: missing videos are 0, an unmatched caption is compared with the"
            " string abc123!@#.",
            "densevid_eval, 2018 challenge version",
            "CIDEr's idf comes from each video's own pairs, so that few captions give high values"
            " (reproduced).",
        ),
        Preset(
            replace(anet, name="anet-2021", unmatched="garbage-random"),
            "The 2019-2021 ActivityNet script: random strings for unmatched captions, here with a seed.",
            "densevid_eval, 2019-2021 challenge versions",
            "The random strings have no seed there, so that no number can be reproduced exactly (not"
            " reproduced; the strings have a seed here).",
        ),
        Preset(
            per_annotator,
            "PDVC's evaluation: SODA against each annotator, the mean of their corpus means; ActivityNet"
            " scores as in 2018; paragraphs of letters alone.",
            "ttengwang/PDVC, ICCV 2021",
            f"{swapped} In SODA missing videos are skipped, elsewhere they count 0 (reproduced).",
        ),
        Preset(
            vidchapters,
            "The evaluation of VidChapters and its derivatives: as pdvc, but missing videos are skipped in"
            " all measures; start distances below their limit; F1 is averaged over thresholds.",
            "antoyang/VidChapters, NeurIPS 2023; Vid2Seq's PyTorch port",
            f"{swapped} {easy} A video with too many captions for its recursion counts 0 there (not"
            " reproduced).",
        ),
        Preset(
            Protocol(
                "vid2seq",
                iou="eps",
                refs="corpus-mean",
                orientation="reference",
                unmatched="garbage-random",
                detection_f1="mean-of-videos",
                order="file",
                reference_order="file",
                reversed="turn",
                paragraph="letters",
                anet_pairs="pooled",
            ),
            "Vid2Seq's own evaluation: nothing is sorted, start and end of reversed segments are exchanged,"
            " F1 of segments per video, SODA per annotator.",
            "google-research/scenic, Vid2Seq, CVPR 2023",
            f"{swapped} Captions out of order in the file cannot all be matched (reproduced).",
        ),
        Preset(
            replace(vidchapters, name="timechat", order="key-text"),
            "TimeChat's YouCook2 script: as vidchapters, with captions in the order of their numbers as"
            " text.",
            "RenShuhuai-Andy/TimeChat, CVPR 2024",
            "Caption 10 comes before caption 2, so that SODA is wrong for every video with more than ten"
            f" captions (reproduced; vidchapters is the same without it). {easy}",
        ),
        Preset(
            Protocol("nlp2020-ja", refs="merge", unmatched="ignore"),
            "SODA's Japanese predecessor: annotators merged, unmatched captions ignored.",
            "Fujita et al., NLP 2020 (in Japanese), eqs. 3-4",
        ),
        Preset(
            Protocol("vist", tokenizer="whitespace", meteor="hter"),
            "Visual storytelling papers: METEOR with task hter and without normalisation, BLEU, ROUGE-L and"
            " CIDEr of whitespace tokens; each story with all stories of its album.",
            "AREL (Wang et al., ACL 2018), whose published row it gives, and papers after it",
            "Two blanks in a row are an empty word in ROUGE-L: AREL's stories begin with two (reproduced).",
        ),
        Preset(
            Protocol("rdcap", soda_tious=TIOUS, anet_pairs="pooled"),
            "Region dense captioning by a judge: soda_c(scorer=judge(prompt=rdcap,…)) at four thresholds on"
            " IoU, F1 per video at each, their mean, then the mean over videos.",
            "PLM-VideoBench (Cho et al., PerceptionLM, 2025), as lmms-eval runs it; the prompt was written"
            " for Storymeter",
            "A mark that cannot be read counts 0 there (here it is missing, and reported).",
        ),
    ]
    return {preset.protocol.name: preset for preset in presets}


PRESETS.update(_presets())
#: the preset `paper`, which holds unless another one is named
PAPER = PRESETS["paper"].protocol


def get(name: str) -> Protocol:
    """A preset, perhaps with deviations: `soda-v1` or `paper+refs=mean+missing=skip` (what `str` prints)."""
    head, *changes = name.split("+")
    if head not in PRESETS:
        raise UsageError(f"There is no protocol {head!r}.", hint=suggest(head, PRESETS))
    protocol = PRESETS[head].protocol
    for change in changes:
        key, _, text = change.partition("=")
        known = FIELDS.get(key)
        protocol = protocol.change(**{key: text if known is None else known.parse(text, "The protocol")})
    return protocol
