"""Control items in scripts without blanks: words give way to words, not whole captions to whole captions."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path

import human_kit
import pytest
from human_kit import CampaignRequest, prepare, write

from storymeter.captions import Caption, Corpus, Document
from storymeter.human.campaign.degrade import Damage, fitting, replaced
from storymeter.human.campaign.fluency import Bigrams
from storymeter.human.rehearsal import Blind, Bot, Truth
from storymeter.human.study.spans import planted_at

pytest.importorskip("budoux")

JAPANESE = (
    ("赤い服を着た", "髪の長い", "小さな", "帽子をかぶった", "若い", "背の高い"),
    ("男性が", "女性が", "少年が", "犬が", "二人の子供が", "料理人が", "学生が"),
    ("公園で", "台所で", "舞台の上で", "川のそばで", "広い部屋で", "駅の前で", "雪の中で"),
    ("ボールを", "野菜を", "ギターを", "自転車を", "椅子を", "本を", "写真を"),
    (
        "ゆっくり運んでいる。",
        "片手で投げる。",
        "楽しそうに見せている。",
        "何度も拾う。",
        "静かに置いている。",
    ),
)
CHINESE = (
    ("一个穿红色衣服的", "一位年轻的", "那个高大的", "戴着帽子的"),
    ("男人", "女孩", "老师", "厨师", "学生", "孩子"),
    ("在公园里", "在厨房里", "在舞台上", "在河边", "在学校门口"),
    ("慢慢地", "高兴地", "一边唱歌一边", "认真地"),
    ("切蔬菜。", "踢足球。", "弹吉他。", "看书。", "骑自行车。", "拍照片。"),
)


def captions(parts: tuple[tuple[str, ...], ...], count: int, seed: int = 0) -> dict[str, str]:
    rng = random.Random(seed)
    return {f"v{k:03d}": "".join(rng.choice(part) for part in parts) for k in range(count)}


@pytest.mark.parametrize("parts", [JAPANESE, CHINESE])
def test_a_run_of_inner_words_gives_way(parts: tuple[tuple[str, ...], ...]) -> None:
    told = captions(parts, 120)
    damage, rng = Damage(told), random.Random(1)
    cut = damage.model.cut
    assert cut is not str.split
    for item, text in told.items():
        words, damaged = cut(text), damage.of(text, rng, item=item)
        assert damaged.length == fitting(len(words)) < len(words) - 1
        assert damaged.short == (len(words) - 2 < replaced(len(words)))
        assert damaged.at is not None
        first, end = damaged.at
        before, after = "".join(words[: damaged.start]), "".join(words[damaged.start + damaged.length :])
        assert (damaged.text[:first], damaged.text[end:]) == (before, after) and before and after
        assert damaged.text[first:end] in told[damaged.donor] and damaged.text != text
        assert " " not in damaged.text


def test_words_of_a_sentence() -> None:
    japanese, chinese = (Bigrams([text]).cut for text in ("男性が部屋に入る。", "一个男人在公园里跑步。"))
    assert japanese("犬が公園で走っている。") == ["犬が", "公園で", "走っている。"]
    assert "".join(cut := chinese("一只狗在草地上")) == "一只狗在草地上" and len(cut) > 3


def test_damage_does_not_show_in_how_it_reads() -> None:
    """A model of pairs of letters that has read other captions seldom finds the damaged one of two."""
    told = captions(JAPANESE, 150, seed=2)
    damage, rng = Damage(told), random.Random(3)
    letters = Bigrams(" ".join(text) for text in captions(JAPANESE, 300, seed=4).values())
    twins = [(text, damage.of(text, rng, item=item).text) for item, text in told.items()]
    found = sum(letters.fluency(list(bad)) < letters.fluency(list(good)) for good, bad in twins)
    assert 0.2 < found / len(twins) < 0.65, found


def test_planted_words_and_raters_who_mark_them(tmp_path: Path, clips: Path) -> None:
    ids = sorted(path.stem for path in clips.glob("*.webm"))[:20]
    texts = [list(captions(JAPANESE, 20, seed=k).values()) for k in range(4)]
    made = [
        Corpus(tuple(Document(i, (Caption(t),)) for i, t in zip(ids, column, strict=True)), name)
        for column, name in zip(texts, (*human_kit.SYSTEMS, human_kit.HUMAN), strict=True)
    ]
    request = CampaignRequest(
        task="spans", systems=made[:3], human=made[3], clips=clips, layout=human_kit.SMALL, hits=3, seed=1
    )
    folder = write(prepare(request), tmp_path / "study")
    lines = [line for line in folder.key.values() if line.kind == "degraded"]
    human = dict(zip(ids, texts[3], strict=True))
    for line in lines:
        first, end = planted_at(line) or (0, 0)
        good = human[line.item]
        assert good.startswith(line.text[:first]) and good.endswith(line.text[end:])
        assert 0 < first < end < len(line.text)
    truth = Truth(folder.campaign, folder.key)
    item = {"caption": lines[0].text, "kinds": ["object"]}
    marks = Bot("honest", truth, "1").answer(item)["spans"]
    assert [(one["start"], one["end"]) for one in marks] == [planted_at(lines[0])]
    stored = [json.loads(line) for line in (folder.path / "key.jsonl").read_text().splitlines()]
    assert Counter("at" in (one.get("degraded") or {}) for one in stored)[True] == len(lines)


def test_raters_who_read_only_know_japanese_words_too() -> None:
    told = list(captions(JAPANESE, 60).values())
    blind = Blind(Bigrams(told), random.Random(1), twins=True)
    first = blind.score(told[0])
    damaged = Damage({str(k): text for k, text in enumerate(told)}).of(told[0], random.Random(2), item="0")
    assert abs(blind.score(damaged.text) - first) > 15, "of two that differ in a run, one scores lower"


def test_english_is_cut_at_blanks() -> None:
    damaged = Damage({"a": "two dogs run in a park", "b": "a man sings on a stage"}).of(
        "two dogs run in a park", random.Random(1), item="a"
    )
    assert damaged.at is None and damaged.text.count(" ") == 5
