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

from dataclasses import dataclass, fields, replace
from typing import Any, Literal

from .errors import UsageError, closest

TIOUS = (0.3, 0.5, 0.7, 0.9)


@dataclass(frozen=True, slots=True)
class Protocol:
    """One way to turn captions and references into a number. The defaults are those of the preset `paper`."""

    name: str = "paper"
    tious: tuple[float, ...] = TIOUS
    #: `exact`: eq. 1 of the SODA paper; `eps`: union + 1e-8, as all public scripts do.
    iou: Literal["exact", "eps"] = "exact"
    #: several annotators: one merged track, the best F1 per video, their mean, or exactly one.
    refs: Literal["best", "merge", "mean", "single"] = "best"
    #: which side is the scorer's hypothesis in SODA; the public SODA script has the reference there.
    #: Elsewhere it is the candidate.
    orientation: Literal["candidate", "reference"] = "candidate"
    #: a reference video that the submission lacks.
    missing: Literal["zero", "skip", "error"] = "zero"
    #: a submitted video without a reference.
    extra: Literal["ignore", "error"] = "ignore"
    #: what a caption without any partner is compared with (ActivityNet score only).
    unmatched: Literal["garbage-fixed", "garbage-random", "ignore"] = "garbage-fixed"
    #: the seed of `garbage-random`; the 2019-2021 script had none.
    garbage_seed: int = 0
    #: which videos SODA's mean is over, where `missing` keeps those that were not submitted (the others' mean
    #: follows `missing`).
    average: Literal["reference-videos", "submitted-videos"] = "reference-videos"
    text_tiou: Literal[">=", ">"] = ">="
    detection_tiou: Literal[">=", ">"] = ">"
    #: only the first so many captions of a video count, in the order of the file.
    max_proposals: int = 1000
    corpus_scorers: Literal["per-video", "corpus"] = "per-video"
    #: `strip`: every character past U+007F becomes a blank before tokenising.
    ascii: Literal["strip", "keep"] = "keep"
    #: `alone`: a caption's tokens depend on nothing else; `batch`: the tokeniser peeks at the caption that
    #: comes next, as the
    #: scripts' does (after a single letter and a dot: one of 34,536 ActivityNet captions).
    tokens: Literal["alone", "batch"] = "alone"
    #: how captions are sorted in time; ties keep the order of the file.
    order: Literal["start", "start-end"] = "start"
    #: the same for references; `file` leaves them as they are written, as SODA's multi-reference option does.
    reference_order: Literal["start", "start-end", "file"] = "start"

    def change(self, **changes: Any) -> Protocol:
        """The same protocol with some fields changed; the name stays, so that the deviation shows when
        printed.
        """
        return replace(self, **changes)

    def deviations(self) -> dict[str, object]:
        base = PRESETS[self.name].protocol
        return {
            f.name: getattr(self, f.name)
            for f in fields(self)
            if getattr(self, f.name) != getattr(base, f.name)
        }

    def __str__(self) -> str:
        return "+".join([self.name, *(f"{key}={_print(value)}" for key, value in self.deviations().items())])


def _print(value: object) -> str:
    return "/".join(str(v) for v in value) if isinstance(value, tuple) else str(value)


@dataclass(frozen=True, slots=True)
class Preset:
    protocol: Protocol
    sentence: str
    citation: str


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
    )
    anet = Protocol("anet-2018", iou="eps", ascii="strip", tokens="batch")
    presets = [
        Preset(
            Protocol(),
            "What the SODA paper describes, with common sense where it is silent: missing videos cost, the"
            " better annotator counts.",
            "Fujita et al., SODA, ECCV 2020",
        ),
        Preset(
            soda_v1,
            "The public SODA script: annotators merged, reference as METEOR's hypothesis, missing videos"
            " skipped.",
            "fujiso/SODA v1.1, as run by its users",
        ),
        Preset(
            replace(soda_v1, name="soda-v1-multi", refs="best", reference_order="file"),
            "The public SODA script with its multi-reference option: best F1 per video.",
            "fujiso/SODA v1.1, multi-reference option",
        ),
        Preset(
            replace(anet, name="anet-2017", unmatched="ignore"),
            "The first ActivityNet Captions script: a caption without a partner is ignored.",
            "densevid_eval, first version, 2017; Krishna et al., ICCV 2017",
        ),
        Preset(
            anet,
            "The 2018 ActivityNet script: missing videos are 0, an unmatched caption meets the string"
            " abc123!@#.",
            "densevid_eval, 2018 challenge version",
        ),
        Preset(
            replace(anet, name="anet-2021", unmatched="garbage-random"),
            "The 2019-2021 ActivityNet script: random garbage for unmatched captions, here with a seed.",
            "densevid_eval, 2019-2021 challenge versions",
        ),
        Preset(
            replace(soda_v1, name="pdvc", refs="mean", missing="zero"),
            "PDVC's evaluation: SODA against each annotator, then the mean; ActivityNet scores as in 2018.",
            "ttengwang/PDVC, ICCV 2021",
        ),
        Preset(
            Protocol("nlp2020-ja", refs="merge", unmatched="ignore"),
            "SODA's Japanese forerunner: annotators merged, unmatched captions ignored.",
            "Fujita et al., NLP 2020 (in Japanese), eqs. 3-4",
        ),
    ]
    return {preset.protocol.name: preset for preset in presets}


PRESETS: dict[str, Preset] = _presets()


def get(name: str) -> Protocol:
    """A preset, perhaps with deviations: `soda-v1` or `paper+refs=mean+missing=skip` (what `str` prints)."""
    head, *changes = name.split("+")
    if head not in PRESETS:
        raise UsageError(f"There is no protocol {head!r}.", hint=closest(head, PRESETS))
    protocol = PRESETS[head].protocol
    for change in changes:
        key, _, text = change.partition("=")
        protocol = protocol.change(**{key: _value(key, text)})
    return protocol


_CHOICES: dict[str, tuple[str, ...]] = {
    "iou": ("exact", "eps"),
    "refs": ("best", "merge", "mean", "single"),
    "orientation": ("candidate", "reference"),
    "missing": ("zero", "skip", "error"),
    "extra": ("ignore", "error"),
    "unmatched": ("garbage-fixed", "garbage-random", "ignore"),
    "average": ("reference-videos", "submitted-videos"),
    "text_tiou": (">=", ">"),
    "detection_tiou": (">=", ">"),
    "corpus_scorers": ("per-video", "corpus"),
    "ascii": ("strip", "keep"),
    "tokens": ("alone", "batch"),
    "order": ("start", "start-end"),
    "reference_order": ("start", "start-end", "file"),
}


def _value(key: str, text: str) -> object:
    if key in _CHOICES:
        if text not in _CHOICES[key]:
            raise UsageError(
                f"The protocol field {key} cannot be {text!r}.",
                hint=f"It is one of: {', '.join(_CHOICES[key])}.",
            )
        return text
    try:
        if key == "tious":
            tious = tuple(float(t) for t in text.split("/"))
            if tious and all(0 <= t <= 1 for t in tious):
                return tious
        elif key in ("max_proposals", "garbage_seed"):
            number = int(text)
            if number >= (key == "max_proposals"):
                return number
    except ValueError:
        pass
    else:
        if key not in ("tious", "max_proposals", "garbage_seed"):
            raise UsageError(
                f"A protocol has no field {key!r}.",
                hint=closest(key, [*_CHOICES, "tious", "max_proposals", "garbage_seed"]),
            )
    raise UsageError(
        f"The protocol field {key} cannot be {text!r}.",
        hint="Write tious=.3/.5/.7/.9, max_proposals=1000, garbage_seed=0.",
    )
