"""The tasks that Storymeter writes for harnesses: prompt, metrics, and where the data comes from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..options import Tokenizer

EVENTS = (
    "Describe the events of this video in the order in which they happen. Write one line per event: its start"
    " time, its end time, and one sentence, like this:\n"
    "0:05 - 0:12: A man opens the door.\nWrite nothing else."
)
STEPS = EVENTS.replace("events of this video", "steps of this instructional video").replace("event:", "step:")
STEPS = STEPS.replace("A man opens the door.", "Chop the onions.")
TAGS = STEPS.replace("one sentence", "a few words").replace("Chop the onions.", "Chopping onions")
CHAPTERS = (
    "Divide this video into chapters. Write one line per chapter: its start time, its end time, and a short"
    " title, like this:\n0:00 - 1:30: Introduction\nWrite nothing else."
)
SENTENCE = "Describe this video in one sentence."
#: name in the harness -> metric of Storymeter
TIMED = {
    "soda_c": "soda_c",
    "anet_meteor": "anet",
    "anet_cider": "anet(scorer=cider)",
    "tiou_f1": "localisation",
}
SINGLE = {"cider": "cider", "meteor": "meteor", "bleu_4": "bleu_4", "rouge_l": "rouge_l"}


@dataclass(frozen=True)
class HarnessTask:
    """One task: `metrics` maps names in the harness to metrics; the first one is compared with a baseline.

    `hub`, `config` and `split` name a data set of the Hugging Face hub (empty: none is known), `columns` its
    fields; `unpacked` is the folder below `HF_HOME` into which the harness unpacks its videos.
    """

    name: str
    title: str
    prompt: str
    metrics: Mapping[str, str] = field(default_factory=lambda: TIMED)
    tokenizer: Tokenizer = "ptb"
    hub: str = ""
    config: str = ""
    split: str = "val"
    unpacked: str = ""
    columns: Mapping[str, str] = field(default_factory=dict)

    @property
    def timed(self) -> bool:
        """Whether answers hold several captions with times."""
        return "soda_c" in self.metrics

    @property
    def harness_name(self) -> str:
        """The name of the task in the harness."""
        return f"storymeter_{self.name}"


TASKS: Mapping[str, HarnessTask] = {
    task.name: task
    for task in (
        HarnessTask("activitynet", "ActivityNet Captions (Krishna et al., 2017)", EVENTS),
        HarnessTask(
            "youcook2",
            "YouCook2, whole videos (Zhou et al., 2018)",
            STEPS,
            hub="lmms-eval/YouCook2",
            columns={"video": "youtube_id", "segment": "segment", "text": "sentence"},
        ),
        HarnessTask("vitt", "ViTT, timed tags of instructional videos (Huang et al., 2020)", TAGS),
        HarnessTask("chapters", "Chapters, such as VidChapters (Yang et al., 2023)", CHAPTERS),
        HarnessTask("msrvtt", "MSR-VTT (Xu et al., 2016)", SENTENCE, SINGLE),
        HarnessTask(
            "vatex",
            "VATEX, English (Wang et al., 2019)",
            SENTENCE,
            SINGLE,
            hub="lmms-eval/VATEX",
            config="vatex_test",
            split="test",
            unpacked="vatex_test",
            columns={"video": "videoID", "text": "enCap"},
        ),
        HarnessTask(
            "vatex_zh",
            "VATEX, Chinese (Wang et al., 2019)",
            "请用一句话描述这段视频。",
            {name: name for name in SINGLE if name != "meteor"},  # METEOR's tables are English
            tokenizer="zh",
            hub="lmms-eval/VATEX_ZH",
            config="vatex_val_zh",
            split="validation",
            unpacked="vatex_val_zh",
            columns={"video": "videoID", "text": "chCap"},
        ),
    )
}
