"""The original METEOR as an oracle: one Java process, and random sentence pairs that reach into every corner
of it.
"""

from __future__ import annotations

import hashlib
import json
import random
import re
import subprocess
import zipfile
import zlib
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest

Pair = tuple[str, list[str]]
#: the pairs of tests/golden/figures/meteor_drawn.json were drawn with it
SEED = 122595539


def folder() -> Path:
    try:
        return Path(str(distribution("pycocoevalcap").locate_file("pycocoevalcap/meteor")))
    except PackageNotFoundError:
        pytest.skip("pycocoevalcap is not installed")


def fingerprint(pairs: list[Pair]) -> str:
    return hashlib.sha256(json.dumps(pairs).encode()).hexdigest()


class Jar:
    """`SCORE` requests as pycocoevalcap sends them: `|||` and double blanks are cleaned out of the
    candidate.
    """

    def __init__(self, *options: str) -> None:
        command = ["java", "-Xmx2G", "-jar", "meteor-1.5.jar", "-", "-", "-stdio", "-l", "en", *options]
        self.process = subprocess.Popen(
            command, cwd=folder(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )

    def __enter__(self) -> Jar:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()

    def _ask(self, lines: list[str], answers: int) -> list[str]:
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write("".join(lines).encode())
        self.process.stdin.flush()
        return [self.process.stdout.readline().decode().strip() for _ in range(answers)]

    def statistics(self, pairs: list[Pair]) -> list[str]:
        out = []
        for begin in range(0, len(pairs), 100):
            block = [
                f"SCORE ||| {' ||| '.join(refs)} ||| {hyp.replace('|||', '').replace('  ', ' ')}\n"
                for hyp, refs in pairs[begin : begin + 100]
            ]
            out += self._ask(block, len(block))
        return out

    def scores(self, statistics: list[str]) -> tuple[list[float], float]:
        values = [
            float(line) for line in self._ask([f"EVAL ||| {' ||| '.join(statistics)}\n"], len(statistics) + 1)
        ]
        return values[:-1], values[-1]


class Pairs:
    """Random pairs: sentences of real phrases, damaged, with their paraphrases, synonyms and inflections put
    in.
    """

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.phrases = self._phrases(folder() / "data" / "paraphrase-en.gz")
        with zipfile.ZipFile(folder() / "meteor-1.5.jar") as jar:
            lines = jar.read("synonym/english.synsets").decode().splitlines()
            self.function = jar.read("function/english.words").decode().split()
            self.prefixes = [
                line.split()[0]
                for line in jar.read("nonbreaking/english.prefixes").decode().splitlines()
                if line and line[0] != "#"
            ]
        self.synonyms: dict[str, list[str]] = {}
        for word, ids in zip(lines[::2], lines[1::2], strict=True):
            for one in ids.split():
                self.synonyms.setdefault(one, []).append(word)
        self.groups = [words for words in self.synonyms.values() if len(words) > 1]

    def _phrases(self, path: Path) -> list[tuple[str, str]]:
        unzip, found = zlib.decompressobj(31), []
        with path.open("rb") as file:
            while piece := file.read(1 << 18):
                text = unzip.decompress(piece).decode(errors="ignore")
                for match in re.compile(r"\n0\.\d+(?:E-\d+)?\n([^\n]+)\n([^\n]+)\n").finditer(
                    text, self.random.randrange(max(1, len(text) - 4000))
                ):
                    found.append((match[1], match[2]))
                    if self.random.random() < 0.02:
                        break
        return found

    def words(self, count: int) -> list[str]:
        out: list[str] = []
        pool = [
            word for phrase in self.random.sample(self.phrases, 6) for word in phrase[0].split()
        ] + self.random.choices(self.function, k=5)
        while len(out) < count:
            out += (
                self.random.choice(self.phrases)[0].split()
                if self.random.random() < 0.3
                else [self.random.choice(pool)]
            )
        return out[:count]

    def change(self, words: list[str]) -> list[str]:
        """A relative of a sentence: words dropped, doubled, moved, inflected, replaced by synonyms and
        paraphrases.
        """
        r, out = self.random, list(words)
        for _ in range(r.randint(0, 2 + len(words) // 3)):
            if not out:
                break
            k = r.randrange(len(out))
            kind = r.randrange(7)
            if kind == 0:
                del out[k]
            elif kind == 1:
                out.insert(k, r.choice(out))
            elif kind == 2:
                cut = r.randrange(len(out))
                out = out[cut:] + out[:cut]
            elif kind == 3:
                out[k] = r.choice(
                    [
                        out[k] + "s",
                        out[k] + "ing",
                        out[k] + "ed",
                        out[k].rstrip("s"),
                        out[k] + "ly",
                        out[k].removesuffix("ing"),
                        out[k] + "er",
                    ]
                )
            elif kind == 4:
                out[k : k + 1] = r.choice(r.choice(self.groups)).split("_")
            elif kind == 5:
                i, j = r.randrange(len(out)), r.randrange(len(out))
                out[i], out[j] = out[j], out[i]
            else:
                out[k : k + 1] = r.choice(self.phrases)[r.randrange(2)].split()
        return out

    def related(self) -> Pair:
        """Two sentences around the same phrase pairs, in both directions of the table."""
        r = self.random
        left, right = [], []
        for _ in range(r.randint(1, 5)):
            a, b = r.choice(self.phrases) if r.random() < 0.6 else (r.choice(self.groups)[:2])
            if r.random() < 0.5:
                a, b = b, a
            common = self.words(r.randint(0, 3))
            left += [a, *common]
            right += [b, *common]
        return " ".join(left), [" ".join(self.change(" ".join(right).split()))]

    def noisy(self) -> Pair:
        """Punctuation, capitals, numbers, abbreviations, other scripts."""
        r = self.random
        glue = [
            "",
            " ",
            "  ",
            ",",
            ", ",
            ".",
            ". ",
            "...",
            "..",
            "-",
            "--",
            "'",
            "''",
            "`",
            "\u2019",
            "\u2018",
            "\u201c",
            "\u2013",
            "'s",
            "n't",
            " 's ",
            "|",
            "/",
            "_",
            "\t",
            "\u00a0",
            "\u3000",
            "\u2028",
            "\x0b",
            "\x01",
            "!",
            "$",
            "\u00e9",
            "\u0130",
            "\u03a3",
            "\u0416",
            "\ufe0f",
            "\U0001f600",
            "\u05d0",
            "1,000",
            "5",
            "3.5",
            "'90s",
            "DOTMULTI",
        ]

        def dirty(words: list[str]) -> str:
            out = ""
            for word in words:
                kind = r.random()
                word = (
                    r.choice(self.prefixes) + "."
                    if kind < 0.1
                    else word.upper()
                    if kind < 0.15
                    else word.capitalize()
                    if kind < 0.25
                    else word
                )
                out += word + (r.choice(glue) if r.random() < 0.5 else " ")
            return out.replace("|||", "|")

        words = self.words(r.randint(1, 14))
        return dirty(words), [dirty(self.change(words)) for _ in range(r.choice([1, 1, 1, 2, 3]))]

    def crowded(self, low: int = 4, high: int = 40) -> Pair:
        """Few different words, many times: where the beam is too narrow."""
        r = self.random
        a, b = r.choice(self.phrases)
        pool = [
            *a.split(),
            *b.split(),
            *r.choices(self.function, k=r.randint(1, 3)),
            *r.choice(self.groups)[:2],
        ]
        return " ".join(r.choices(pool, k=r.randint(low, high))), [
            " ".join(r.choices(pool, k=r.randint(low, high)))
        ]

    def plain(self) -> Pair:
        words = self.words(self.random.randint(0, 30))
        return " ".join(words), [
            " ".join(self.change(words)) for _ in range(self.random.choice([1, 1, 2, 5]))
        ]

    def long(self) -> Pair:
        words = self.words(self.random.randint(50, 260))
        return " ".join(words), [" ".join(self.change(words))]

    def some(self, count: int) -> list[Pair]:
        kinds = [self.related, self.related, self.noisy, self.noisy, self.crowded, self.plain, self.plain]
        return [self.random.choice(kinds)() if k % 50 else self.long() for k in range(count)]
