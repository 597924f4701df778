"""Tokens of other languages and of machine translation, against sacrebleu; scripts; the tokeniser alone."""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from storymeter.cli import cli
from storymeter.errors import MissingPartError, UsageError
from storymeter.text import TOKENIZERS, ptb, ptb_tokenize, script, script_of, tokenize

SENTENCES = [
    "It cost $3.50, didn't it? (Yes -- 1,000 times!)",
    'The well-known A.B.C. said: "no" & left at 5-6 p.m.; &quot;why&quot; &amp; how <skipped>',
    "¿Qué hace él? ¡Corre — «rápido»! 3,5 % de 10€",
    "男性が部屋に入り、「こんにちは」と言った。2人が笑う！",
    "一只狗在公园里跑步，然后跳过3.5米的栏杆。A dog!",
    "Он сказал: «привет»… и ушёл в 12:30.",
    "カタカナとABCとｱｲｳ、それから😀と２０２４年。",
    "",
    "  blanks   and\ttabs  ",
    "x" * 50 + ".,-'" * 5,
]
ALPHABET = (
    "ab1 2.,-'\"&;:!?()[]{}<>/_^`~$#@%*+=|\\\n\t一只狗。、「」日本のカタ۱٣½²€£©–—…«»¿É😀\u3000ｱＡ！\u200b"
)
THEIRS = {
    "13a": ("tokenizer_13a", "Tokenizer13a"),
    "intl": ("tokenizer_intl", "TokenizerV14International"),
    "zh": ("tokenizer_zh", "TokenizerZh"),
    "ja": ("tokenizer_ja_mecab", "TokenizerJaMecab"),
}


def _random_lines(number: int) -> list[str]:
    rng = random.Random(7)
    lines = ["".join(rng.choices(ALPHABET, k=rng.randrange(30))) for _ in range(number)]
    return [
        line.replace("a", "&amp;").replace("b", "<skipped>") if k % 5 == 0 else line
        for k, line in enumerate(lines)
    ]


@pytest.mark.parametrize("name", THEIRS)
def test_tokens_of_sacrebleu(name: str) -> None:
    module, kind = THEIRS[name]
    pytest.importorskip("sacrebleu")
    if name == "ja":
        pytest.importorskip("fugashi")
        pytest.importorskip("MeCab")
    theirs = getattr(pytest.importorskip(f"sacrebleu.tokenizers.{module}"), kind)()
    lines = [*SENTENCES, *_random_lines(3000)]
    assert tokenize(lines, name) == [theirs(line) for line in lines]


def test_every_character_of_the_basic_plane_as_chinese() -> None:
    pytest.importorskip("sacrebleu")
    from sacrebleu.tokenizers.tokenizer_zh import TokenizerZh

    theirs = TokenizerZh()
    codes = [*range(0xD800), *range(0xE000, 0x10000), *range(0x10000, 0x30000, 16)]
    lines = [f"a{chr(code)}b" for code in codes]
    assert tokenize(lines, "zh") == [theirs(line) for line in lines]


def test_ja_without_its_part(monkeypatch: pytest.MonkeyPatch) -> None:
    from storymeter.text import tokenizers

    tokenizers._mecab.cache_clear()
    monkeypatch.setitem(sys.modules, "fugashi", None)
    with pytest.raises(MissingPartError, match=r"storymeter\[ja\]"):
        tokenize(["犬"], "ja")


def test_unknown_names_are_said() -> None:
    with pytest.raises(UsageError, match="no tokenizer 'jp'"):
        tokenize(["x"], "jp")


@pytest.mark.parametrize(
    ("lines", "script"),
    [
        (["a dog runs"], ""),
        (["un café à Noël", "über den Fluß"], ""),
        (["男性が部屋に入る"], "Japanese"),
        (["一只狗在公园里跑步"], "Chinese"),
        (["он открывает дверь"], "Cyrillic"),
        (["남자가 걷는다"], "Hangul"),
        (["a man says привет to us all"], ""),
        ([], ""),
        (["123 456 !!"], ""),
    ],
)
def test_scripts(lines: list[str], script: str) -> None:
    assert script_of(lines) == script


def test_advice() -> None:
    told = script.advice("Japanese", english=["meteor"], tokenizer="ptb")
    assert "meteor and the tokenizer ptb are made for English" in told and "--tokenizer ja" in told
    assert "--tokenizer intl" in script.advice("de", english=[], tokenizer="ptb")
    assert (
        script.advice("Japanese", english=[], tokenizer="ja")
        == ""
        == script.advice("", english=["meteor"], tokenizer="ptb")
    )


def test_the_tokeniser_alone() -> None:
    lines = ["He can't.", "(Two) dogs!"]
    assert ptb_tokenize(lines) == ptb.tokenize(lines, punctuation=False)
    assert ptb_tokenize(lines[0], punctuation=True) == ["he", "ca", "n't", "."]


def _verb(*arguments: str, input: str | None = None) -> str:
    result = CliRunner().invoke(cli, ["tokenize", *arguments], input=input)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_the_verb(tmp_path: Path) -> None:
    assert _verb("-", input="He can't.\r\n\r\n(Two) dogs!\r\n") == "he ca n't\n\n-lrb- two -rrb- dogs\n"
    assert _verb("-", "--punctuation", input="A dog.") == "a dog .\n"
    (tmp_path / "r.json").write_text('[{"image_id": 1, "caption": "A dog\\nruns."}]')
    assert _verb(str(tmp_path / "r.json"), "--tokenizer", "13a") == "A dog runs .\n"
    (tmp_path / "r.srt").write_text("1\n00:00:01,000 --> 00:00:02,000\nA dog.\n")
    assert json.loads(_verb(str(tmp_path / "r.srt"), "--from", "srt", "--format", "json")) == [["a", "dog"]]
    assert all(name in _verb("--help") for name in TOKENIZERS)
    wrong = CliRunner().invoke(cli, ["tokenize", "-", "--tokenizer", "zh", "--punctuation"], input="x")
    assert isinstance(wrong.exception, UsageError)
