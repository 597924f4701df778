"""Every metric and scorer by name, loaded only when asked for; plug-ins join by entry point.

`metric("soda_c(scorer=meteor,refs=best)")` builds the metric, and `str` of its name builds it again. The
tables hold `module:attribute` strings, so that naming a metric never imports torch. A plug-in registers a
factory under the entry-point group `storymeter.metrics` or `storymeter.pairs`."""

from __future__ import annotations

import importlib
import inspect
import typing
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from .errors import UsageError, closest
from .metric import Metric
from .names import Name, parse

if typing.TYPE_CHECKING:
    from .pairs.base import PairScorer


class Entry(NamedTuple):
    """Where a thing lives, the options its short name stands for, and one sentence for the documentation."""

    target: str
    preset: Mapping[str, str]
    sentence: str


#: name -> entry, for `--metric` and `storymeter.evaluate`
METRICS: dict[str, Entry] = {
    "captions": Entry("storymeter.dense.counts:Captions", {}, "captions per document"),
    "words": Entry("storymeter.dense.counts:Words", {}, "words per caption"),
    "coverage": Entry(
        "storymeter.dense.counts:TimeCoverage", {}, "share of the video that some caption speaks of"
    ),
    "overlap": Entry(
        "storymeter.dense.counts:Overlap", {}, "share of the told time that is told more than once"
    ),
    "rovist_nr": Entry(
        "storymeter.story.redundancy:NonRedundancy", {}, "a story's non-redundancy (RoViST-NR)"
    ),
    "rovist_c": Entry(
        "storymeter.story.coherence:Coherence",
        {},
        "a story's coherence: does each sentence follow the one before? (RoViST-C)",
    ),
    "rovist_vg": Entry(
        "storymeter.story.grounding:VisualGrounding",
        {},
        "are the things a story names in its pictures? (RoViST-VG)",
    ),
    "rovist": Entry("storymeter.story.rovist:Rovist", {}, "grounding + coherence + non-redundancy (RoViST)"),
    "tiger": Entry(
        "storymeter.story.tiger:Tiger",
        {},
        "do candidate and reference point at the same parts of the picture? (after TIGEr, Jiang 2019)",
    ),
    "soda_a": Entry(
        "storymeter.dense.soda:Soda",
        {"variant": "a"},
        "SODA: the story in order, matched by IoU over four thresholds, scored by words",
    ),
    "soda_b": Entry(
        "storymeter.dense.soda:Soda",
        {"variant": "b"},
        "SODA: the story in order, matched by IoU, scored by words",
    ),
    "soda_c": Entry(
        "storymeter.dense.soda:Soda",
        {"variant": "c"},
        "SODA: the story in order, matched and scored by IoU times words",
    ),
    "soda_d": Entry("storymeter.dense.soda:Soda", {"variant": "d"}, "SODA: the story in order, times alone"),
    "anet": Entry(
        "storymeter.dense.activitynet:ActivityNet",
        {},
        "ActivityNet: every caption against the references that it overlaps enough",
    ),
    "localisation": Entry(
        "storymeter.dense.localisation:Localisation",
        {},
        "precision, recall and F1 of the segments at the protocol's thresholds",
    ),
    "start_distance": Entry(
        "storymeter.dense.localisation:StartDistance",
        {},
        "precision, recall and F1 of the starts within 1 to 60 seconds",
    ),
    "paragraph_bleu_4": Entry(
        "storymeter.dense.paragraph:Paragraph",
        {"measure": "bleu_4"},
        "BLEU-4 of the captions joined in time order",
    ),
    "paragraph_meteor": Entry(
        "storymeter.dense.paragraph:Paragraph",
        {"measure": "meteor"},
        "METEOR of the captions joined in time order",
    ),
    "paragraph_rouge_l": Entry(
        "storymeter.dense.paragraph:Paragraph",
        {"measure": "rouge_l"},
        "ROUGE-L of the captions joined in time order",
    ),
    "paragraph_cider": Entry(
        "storymeter.dense.paragraph:Paragraph",
        {"measure": "cider"},
        "CIDEr of the captions joined in time order",
    ),
    "paragraph_distinct_1": Entry(
        "storymeter.dense.paragraph:VariedParagraph",
        {"measure": "distinct_1"},
        "distinct words per word of the joined captions (Div-1)",
    ),
    "paragraph_distinct_2": Entry(
        "storymeter.dense.paragraph:VariedParagraph",
        {"measure": "distinct_2"},
        "distinct word pairs per word of the joined captions (Div-2)",
    ),
    "paragraph_repetition_4": Entry(
        "storymeter.dense.paragraph:RepeatingParagraph",
        {"measure": "repetition_4"},
        "share of four-word runs of the joined captions said before (R@4)",
    ),
    "bleu_1": Entry(
        "storymeter.pairs.bleu:BleuMetric", {"n": "1"}, "BLEU with n-grams of one word (Papineni 2002)"
    ),
    "bleu_2": Entry("storymeter.pairs.bleu:BleuMetric", {"n": "2"}, "BLEU with n-grams of up to two words"),
    "bleu_3": Entry("storymeter.pairs.bleu:BleuMetric", {"n": "3"}, "BLEU with n-grams of up to three words"),
    "bleu_4": Entry("storymeter.pairs.bleu:BleuMetric", {"n": "4"}, "BLEU with n-grams of up to four words"),
    "rouge_l": Entry(
        "storymeter.pairs.rouge:RougeLMetric",
        {},
        "longest common subsequence, captioning's variant (Lin 2004)",
    ),
    "cider": Entry(
        "storymeter.pairs.cider:CiderMetric",
        {},
        "n-grams weighted by rarity, what captioning calls CIDEr: CIDEr-D, sigma 6 (Vedantam 2015)",
    ),
    "cider_d": Entry(
        "storymeter.pairs.cider:CiderDMetric", {}, "the same number as cider, under its own name"
    ),
    "meteor": Entry(
        "storymeter.pairs.meteor_metric:MeteorMetric",
        {},
        "words, stems, synonyms and paraphrases, aligned: METEOR 1.5 (Denkowski 2014)",
    ),
    "self_bleu": Entry(
        "storymeter.pairs.diversity:SelfBleu",
        {},
        "BLEU of each caption against all the others: lower is more varied (Zhu 2018)",
    ),
    "distinct_1": Entry(
        "storymeter.pairs.diversity:Distinct", {"n": "1"}, "distinct words per word of a document (Li 2016)"
    ),
    "distinct_2": Entry(
        "storymeter.pairs.diversity:Distinct", {"n": "2"}, "distinct word pairs per word of a document"
    ),
    "repetition_4": Entry(
        "storymeter.pairs.diversity:Repetition",
        {},
        "share of a document's four-word runs that it has said before (Xiong 2018)",
    ),
    "bertscore": Entry(
        "storymeter.pairs.pair_mean:bertscore", {}, "each token against its most similar one (Zhang 2020)"
    ),
    "spice": Entry(
        "storymeter.pairs.spice:SpiceMetric",
        {},
        "do candidate and references say the same things are there? facts of scene graphs, by rules (after"
        " Anderson 2016)",
    ),
    "sts": Entry(
        "storymeter.pairs.pair_mean:sts",
        {},
        "do candidate and reference mean the same? cosine of sentence vectors, or words aligned"
        " (engine=align, after Han 2013)",
    ),
    "wmd": Entry(
        "storymeter.pairs.pair_mean:wmd",
        {},
        "how far must words travel? 1 / (1 + Word Mover's Distance) (Kusner 2015)",
    ),
}

#: name -> entry, for `scorer=`
SCORERS: dict[str, Entry] = {
    "bleu_1": Entry("storymeter.pairs.bleu:Bleu", {"n": "1"}, "sentence BLEU, one word"),
    "bleu_2": Entry("storymeter.pairs.bleu:Bleu", {"n": "2"}, "sentence BLEU, up to two words"),
    "bleu_3": Entry("storymeter.pairs.bleu:Bleu", {"n": "3"}, "sentence BLEU, up to three words"),
    "bleu_4": Entry("storymeter.pairs.bleu:Bleu", {"n": "4"}, "sentence BLEU, up to four words"),
    "rouge_l": Entry("storymeter.pairs.rouge:RougeL", {}, "longest common subsequence"),
    "meteor": Entry(
        "storymeter.pairs.meteor:Meteor", {}, "words, stems, synonyms and paraphrases, aligned: METEOR 1.5"
    ),
    "cider": Entry("storymeter.pairs.cider:Cider", {}, "n-grams weighted by rarity: CIDEr-D, sigma 6"),
    "cider_d": Entry("storymeter.pairs.cider:CiderD", {}, "the same as cider"),
    "bertscore": Entry("storymeter.pairs.bertscore:BertScore", {}, "each token against its most similar one"),
    "spice": Entry("storymeter.pairs.spice:Spice", {}, "facts of scene graphs, read by rules"),
    "sts": Entry(
        "storymeter.pairs.sts:Sts", {}, "cosine of sentence vectors, or words aligned (engine=align)"
    ),
    "wmd": Entry("storymeter.pairs.wmd:Wmd", {}, "1 / (1 + Word Mover's Distance)"),
}


def metric(text: str) -> Metric:
    return typing.cast(Metric, _build(parse(text), METRICS, "storymeter.metrics", "metric"))


def scorer(text: str) -> PairScorer:
    return typing.cast("PairScorer", _build(parse(text), SCORERS, "storymeter.pairs", "scorer"))


def _build(name: Name, table: Mapping[str, Entry], group: str, what: str) -> object:
    entry = table.get(name.word)
    if entry is not None:
        module, _, attribute = entry.target.partition(":")
        factory = getattr(importlib.import_module(module), attribute)
        return factory(
            **convert_options(factory, {**entry.preset, **name.options}, name, hidden=entry.preset)
        )
    plugins = {point.name: point for point in _plugins(group)}
    if name.word in plugins:
        factory = plugins[name.word].load()
        return factory(**convert_options(factory, name.options, name))
    raise UsageError(f"There is no {what} {name.word!r}.", hint=closest(name.word, [*table, *plugins]))


def _plugins(group: str) -> Iterator[Any]:
    from importlib.metadata import entry_points

    yield from entry_points(group=group)


def convert_options(
    factory: Callable[..., Any],
    options: Mapping[str, str],
    name: Name,
    hidden: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Option strings to the types that the factory's signature declares: int, float, bool, str, or a
    scorer.
    """
    call = factory.__init__ if inspect.isclass(factory) else factory
    known = {
        key: p
        for key, p in inspect.signature(call).parameters.items()
        if key != "self" and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
    }
    hints = typing.get_type_hints(call, localns=_late_types())
    out: dict[str, Any] = {}
    for key, text in options.items():
        if key not in known or (hidden and key in hidden and key in name.options):
            raise UsageError(
                f"{name.word} has no option {key!r}.",
                hint=(
                    closest(key, [k for k in known if k not in (hidden or {})]) if known else "It takes none."
                ),
            )
        out[key] = _typed(text, hints.get(key, str), f"{name.word}({key}={text})")
    return out


def _late_types() -> dict[str, Any]:
    from .pairs.base import PairScorer

    return {"PairScorer": PairScorer}


def _typed(text: str, wanted: Any, where: str) -> Any:
    choices = typing.get_args(wanted) if typing.get_origin(wanted) is typing.Literal else ()
    kinds = {wanted, *typing.get_args(wanted)}
    if choices:
        if text not in choices:
            raise UsageError(
                f"{where}: {text!r} is not one of {', '.join(map(str, choices))}.",
                hint="Choose one of these.",
            )
        return text
    if _late_types()["PairScorer"] in kinds:
        return scorer(text)
    if bool in kinds:
        if text.lower() not in ("true", "false", "yes", "no"):
            raise UsageError(f"{where}: {text!r} is neither true nor false.", hint="Write true or false.")
        return text.lower() in ("true", "yes")
    for number in (int, float):
        if number in kinds:
            try:
                return number(text)
            except ValueError:
                if number is int and float in kinds:
                    continue
                raise UsageError(f"{where}: {text!r} is not a number.", hint="Write a number.") from None
    return text
