"""What verbs print, as users see it: in a pipe, in a narrow terminal, in Japanese."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import os
import pty
import re
import subprocess
import sys
from collections.abc import Callable
from itertools import combinations, pairwise
from pathlib import Path

import pytest

from storymeter.captions import Caption, Corpus, Document
from storymeter.formats import write

VIDEOS = Path(__file__).resolve().parents[3] / "examples" / "videos"
NAMES = ("good", "padded", "disordered")
SYSTEMS = [str(VIDEOS / f"{name}.json") for name in NAMES]
REFERENCE = ["-r", str(VIDEOS / "reference_1.json")]
#: the exit code, stdout and stderr of a verb in a pipe
Run = Callable[..., tuple[int, str, str]]


def _sent(master: int, child: subprocess.Popen[bytes]) -> str:
    """What the terminal was sent until the program ended."""
    text = b""
    with contextlib.suppress(OSError):
        while data := os.read(master, 65536):
            text += data
    child.wait(timeout=300)
    os.close(master)
    return text.decode()


def in_terminal(columns: int, *arguments: str) -> str:
    """All that a terminal of so many columns is sent."""
    master, slave = pty.openpty()
    child = subprocess.Popen(
        [sys.executable, "-m", "storymeter", *arguments],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env={**os.environ, "COLUMNS": str(columns), "NO_COLOR": "1", "TERM": "dumb"},
    )
    os.close(slave)
    return _sent(master, child).replace("\r\n", "\n")


def test_score_prints_a_row_per_system_and_long_a_row_per_score(run: Run) -> None:
    _, wide, told = run("score", *SYSTEMS, *REFERENCE, "-m", "soda_c,rouge_l", "--resamples", "99")
    rows = [line.split() for line in wide.splitlines() if line.strip().startswith(("good", "padded"))]
    assert [row[0] for row in rows] == ["good", "padded"] and "*" in rows[0][3]
    assert told.count("tok:ptb") == 2  # a signature in one line for each metric
    _, long, _ = run("score", *SYSTEMS, *REFERENCE, "-m", "soda_c,rouge_l", "--resamples", "0", "--long")
    assert long.count("soda_c") == 3 and "precision" in long


def test_csv_and_json_of_score_are_on_one_scale(run: Run, tmp_path: Path) -> None:
    arguments = ["score", SYSTEMS[0], *REFERENCE, "-m", "soda_c", "--resamples", "99"]
    documents = tmp_path / "documents.csv"
    row = next(
        csv.DictReader(io.StringIO(run(*arguments, "--format", "csv", "--per-document", str(documents))[1]))
    )
    score = json.loads(run(*arguments, "--format", "json")[1])["systems"][0]["scores"][0]
    assert float(row["value"]) == score["value"] < 1
    assert [float(row["low"]), float(row["high"])] == score["interval"]
    assert float(row["part_f1"]) == score["parts"]["f1"] and row["signature"] == score["signature"]
    each = [float(line["soda_c"]) for line in csv.DictReader(documents.open())]
    assert sum(each) / len(each) == pytest.approx(score["value"])


@pytest.mark.parametrize("style", ["latex", "markdown", "html"])
def test_signatures_are_in_every_format(run: Run, style: str) -> None:
    text = run("score", SYSTEMS[0], *REFERENCE, "-m", "soda_c", "--resamples", "0", "--format", style)[1]
    assert "scorer:meteor" in text


def test_html_is_a_whole_page_and_fragment_its_tables(run: Run) -> None:
    arguments = [
        "compare",
        *SYSTEMS[:2],
        *REFERENCE,
        "-m",
        "rouge_l",
        "--resamples",
        "99",
        "--format",
        "html",
    ]
    page = run(*arguments)[1]
    assert page.startswith("<!doctype html>") and page.count("<!doctype") == 1 and "</html>" in page
    fragment = run(*arguments, "--fragment")[1]
    assert fragment.startswith("<table>") and "<html" not in fragment


def test_names_are_in_every_block_and_no_word_is_cut_at_80_columns() -> None:
    shown = in_terminal(80, "compare", *SYSTEMS, *REFERENCE, "-m", "anet(scorer=meteor)", "--resamples", "99")
    assert max(map(len, shown.splitlines())) <= 80
    heads = [line.split() for line in shown.splitlines() if line.startswith(" A, B ")]
    assert len(heads) == 2 and "A - B" in shown and "detectable" in heads[1]
    pairs = [f"{a}, {b}" for a, b in combinations(NAMES, 2)]
    rows = [line for line in shown.splitlines() if line.startswith(tuple(f" {pair} " for pair in pairs))]
    assert [" ".join(row.split()[:2]) for row in rows] == pairs * len(heads)
    error = in_terminal(60, "score", SYSTEMS[0], *REFERENCE, "-m", "soda_x,soda_c,rogue")
    lines = error.splitlines()
    assert max(map(len, lines)) <= 60
    assert {"soda_x", "rogue"} <= {word.strip("'.,:") for line in lines for word in line.split()}


def test_missing_documents_say_what_they_cost(run: Run, tmp_path: Path) -> None:
    documents = tuple(Document(f"v{k}", (Caption("a dog runs", 0.0, 5.0),), 9.0) for k in range(4))
    write(Corpus(documents, "all"), tmp_path / "all.jsonl")
    write(Corpus(documents[:3], "three"), tmp_path / "three.jsonl")
    files = [str(tmp_path / "three.jsonl"), "-r", str(tmp_path / "all.jsonl")]
    _, _, told = run("score", *files, "-m", "rouge_l")
    assert "1 missing (each counts 0; --protocol paper+missing=skip leaves them out)" in told


def test_show_keeps_japanese_in_its_lines(tmp_path: Path) -> None:
    text = "男の人が台所で野菜を切ってから鍋に入れてゆっくりと混ぜている様子が映っています。" * 3
    write(Corpus((Document("v", (Caption(text, 0.0, 5.0),), 9.0),), "日本語"), tmp_path / "a.jsonl")
    shown = in_terminal(80, "show", "v", str(tmp_path / "a.jsonl"), "-r", str(tmp_path / "a.jsonl"))
    from rich.cells import cell_len

    rows = [line for line in shown.splitlines() if line.startswith(("g1", "p1"))]
    assert len(rows) == 2 and all("男の人が" in row and cell_len(row) <= 80 for row in rows)


def test_show_cuts_words_as_it_is_told(run: Run, tmp_path: Path) -> None:
    for name, text in (("a", "犬が走る"), ("b", "犬が草の上を走る")):
        write(Corpus((Document("v", (Caption(text, 0.0, 5.0),), 9.0),), name), tmp_path / f"{name}.jsonl")
    arguments = ["show", "v", str(tmp_path / "a.jsonl"), "-r", str(tmp_path / "b.jsonl")]
    arguments += ["-m", "soda_c(scorer=rouge_l)"]
    assert "no partner" in run(*arguments)[1]
    assert "no partner" not in run(*arguments, "--tokenizer", "zh")[1]


def test_without_the_neural_part_one_line_says_what_is_lacking(monkeypatch: pytest.MonkeyPatch) -> None:
    from storymeter.engine import suitability

    assert suitability.left_out("dense") == "" or not suitability.neural()
    monkeypatch.setattr(suitability, "neural", lambda: False)
    assert "soda_c(scorer=sts)" in suitability.left_out("dense") and "pip install" in suitability.left_out(
        "caption"
    )


def test_a_partial_submission_of_coco_captions_says_what_the_missing_ones_cost(
    run: Run, tmp_path: Path
) -> None:
    images = range(5)
    truth = {
        "images": [{"id": k} for k in images],
        "annotations": [{"id": k, "image_id": k, "caption": f"a dog and {k} cats"} for k in images],
    }
    (tmp_path / "truth.json").write_text(json.dumps(truth))
    answers = [{"image_id": k, "caption": f"a dog and {k} cats"} for k in images]
    (tmp_path / "some.json").write_text(json.dumps(answers[:2]))
    arguments = ["score", str(tmp_path / "some.json"), "-r", str(tmp_path / "truth.json"), "-m", "rouge_l"]
    _, out, told = run(*arguments, "--resamples", "0", "--format", "json")
    assert json.loads(out)["systems"][0]["scores"][0]["value"] == pytest.approx(0.4)
    assert "3 missing (each counts 0; --protocol paper+missing=skip leaves them out)" in told
    _, out, _ = run(*arguments, "--resamples", "0", "--format", "json", "--protocol", "paper+missing=skip")
    assert json.loads(out)["systems"][0]["scores"][0]["value"] == 1.0


def terminal_of(code: str) -> str:
    """All that a terminal is sent by a program."""
    master, slave = pty.openpty()
    child = subprocess.Popen(
        [sys.executable, "-c", code], stdout=slave, stderr=slave, env={**os.environ, "COLUMNS": "100"}
    )
    os.close(slave)
    return _sent(master, child)


def test_finished_scores_are_printed_while_others_are_computed() -> None:
    text = terminal_of(
        "from storymeter.cli._options import progress_bar\n"
        "with progress_bar(patience=0.0) as progress:\n"
        "    progress.line('good  soda_c  20.75')\n"
        "    for k in range(3): progress('encoding sentences', k, 3)\n"
    )
    assert "good  soda_c  20.75" in text and "encoding sentences" in text


def test_the_bar_shows_the_time_left_and_begins_again_for_the_next_system() -> None:
    text = terminal_of(
        "import time\n"
        "from storymeter.cli._options import progress_bar\n"
        "with progress_bar(patience=0.0) as progress:\n"
        "    for system in range(2):\n"
        "        for k in range(5):\n"
        "            progress('encoding sentences', 1000 * k, 4000)\n"
        "            progress._bars.refresh()\n"
        "            time.sleep(0.02)\n"
        "        if system == 0: progress.line('all of the first')\n"
    )
    first, second = text.split("all of the first")
    for half in (first, second):
        assert [count for count in ("1000/4000", "2000/4000", "3000/4000") if count not in half] == []
        assert "0:00:0" in half


def test_a_long_name_leaves_room_for_the_bar_and_the_count() -> None:
    name = "sentences of a_system_whose_name_is_long " * 4
    text = terminal_of(
        "from storymeter.cli._options import progress_bar\n"
        "with progress_bar(patience=0.0) as progress:\n"
        "    for k in range(3):\n"
        f"        progress({name!r}, 1000 * k, 123456)\n"
        "        progress._bars.refresh()\n"
    )
    lines = re.split(r"[\r\n]+", re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text))
    assert max(map(len, lines)) <= 100
    assert "━" * 20 in text and "2000/123456" in text, text


def test_the_bar_moves_with_every_batch_of_sentences() -> None:
    pytest.importorskip("torch")
    from storymeter.models import Embeddings, vectors

    heard: list[tuple[str, int]] = []
    sentences = [f"a dog and {k} cats {'sleep ' * (k % 40)}" for k in range(200)]
    Embeddings(cache=False).rows(sentences, lambda what, done, total: heard.append((what, done)))
    counts = [done for _, done in heard]
    assert len(sentences) < vectors.CHUNK and counts == sorted(counts)
    assert 0 < counts[2] < 100 and max(b - a for a, b in pairwise(counts)) < 100  # a batch is 512 tokens
    assert [what for what, done in heard if done == 0] == [
        "encoding sentences\tloading the model",
        "encoding sentences",
    ]
