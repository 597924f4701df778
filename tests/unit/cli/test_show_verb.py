from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., tuple[int, str, str]]


def test_a_video_on_its_time_axis(run: Run, examples: Path, tmp_path: Path) -> None:
    videos, page = examples / "videos", tmp_path / "page.html"
    code, out, err = run(
        "show",
        "pancakes",
        str(videos / "padded.json"),
        "-r",
        str(videos / "reference_1.json"),
        "-r",
        str(videos / "reference_2.json"),
        "-m",
        "soda_c(scorer=rouge_l)",
        "--html",
        str(page),
    )
    assert code == 0 and str(page) in err
    assert out.count("no partner") == 12  # sixteen captions, four of them matched
    assert "<svg" in page.read_text() and "rouge_l" in page.read_text()


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["pancake", "{good}", "-r", "{ref}"], 1, "Did you mean 'pancakes'?"),
        (["pancakes", "{good}"], 2, "--references"),
        (["pancakes", "{good}", "-r", "{ref}", "-m", "bleu_4"], 2, "no matching to show"),
        (["pancakes", "{good}", "-r", "{ref}", "-m", "soda_a"], 2, "once per threshold"),
    ],
)
def test_trouble(run: Run, examples: Path, arguments: list[str], code: int, words: str) -> None:
    names = {"{good}": str(examples / "videos/good.json"), "{ref}": str(examples / "videos/reference_1.json")}
    got, _, err = run("show", *(names.get(a, a) for a in arguments))
    assert got == code and words in err
