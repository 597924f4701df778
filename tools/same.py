"""Compares two versions of the package byte by byte: what they print, what they write, how they end.

    python tools/same.py --quick                  # this checkout against the last release's ref
    python tools/same.py REF                      # … against any commit
    python tools/same.py REF --only dense.md      # the commands of one page

Both versions run the commands and Python blocks of the documentation, score odd texts by every metric that
needs no model, and show runs that the old version saved. The old version is unpacked from git and runs with
the compiled core of this environment, or with a core kept from an earlier call (`--keep FOLDER`, which also
keeps what the old version printed). `--quick` runs only commands that score, compare or show.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tools")]

#: the commit before the package was regrouped
BASELINE = "e6e108a"
BLOCK = re.compile(r"^```(sh run|console|python)([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
QUICK = re.compile(r"storymeter (score|compare|show|stress) |^import|^from")
METRICS = (
    "meteor,cider,cider_d,bleu_1,bleu_4,rouge_l,self_bleu,distinct_1,repetition_4,words,captions,rovist_nr"
)
TIMED = (
    "soda_a,soda_b,soda_c,soda_d,anet,anet(scorer=cider),soda_c(scorer=cider),localisation,paragraph_cider"
)
#: parts of an output that no two calls share
VARYING = (
    (re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|\+\d\d:\d\d)?"), "<time>"),
    (re.compile(r"\b\d+(\.\d+)? ?m?s\b"), "<seconds>"),
    (re.compile(r"/[^\s:'\"]*/storymeter/([\w/]+)\.py(:|\", line )\d+"), "<source>"),
    (re.compile(r"127\.0\.0\.1:\d+|localhost:\d+"), "<address>"),
)
#: makes a child process import the unpacked version instead of an editable installation
SITE = """import sys
sys.meta_path[:] = [each for each in sys.meta_path if "Redirecting" not in repr(each)]
"""


def unpack(ref: str | None, folder: Path) -> Path:
    """The package of a commit (None: of this checkout) with a compiled core, ready for PYTHONPATH."""
    if (folder / "storymeter").is_dir():
        return folder
    if ref is None:
        shutil.copytree(ROOT / "src", folder, ignore=shutil.ignore_patterns("__pycache__"))
    else:
        packed = subprocess.run(
            ["git", "archive", ref, "src", "examples", "docs", "README.md"],
            cwd=ROOT,
            capture_output=True,
            check=True,
        ).stdout
        with tarfile.open(fileobj=BytesIO(packed)) as archive:
            archive.extractall(folder.parent / "archive", filter="data")
        shutil.move(folder.parent / "archive" / "src", folder)
    for path in sys.path:
        built = Path(path) / "storymeter"
        if list(built.glob("_native*.so")):
            shutil.copytree(built, folder / "storymeter", dirs_exist_ok=True)
            break
    (folder / "sitecustomize.py").write_text(SITE, encoding="utf-8")
    return folder


def cases(quick: bool, only: str) -> Iterator[tuple[str, list[list[str]]]]:
    """Groups of commands that run one after another in one folder, each under a name."""
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        commands: list[list[str]] = []
        python: list[str] = []
        for kind, mark, body in BLOCK.findall(page.read_text(encoding="utf-8")):
            if kind == "python" and "data" not in mark:
                python.append(body)
            elif kind == "sh run":
                commands.append(["bash", "-e", "-c", body])
            elif kind == "console" and "data" not in mark:
                lines = body.replace("\\\n", " ").splitlines()
                commands += [["bash", "-c", line[2:]] for line in lines if line.startswith("$ ")]
        if python:
            commands.append([sys.executable, "-c", "\n\n".join(python)])
        if quick:
            commands = [command for command in commands if QUICK.search(command[-1])]
        if commands:
            yield page.name, commands
    both = "odd.json -r other.json -r odd.json"
    timed = "timed.json -r timed_other.json"
    yield (
        "odd texts",
        [
            [sys.executable, "-c", ODD],
            ["bash", "-c", f"storymeter score {both} -m '{METRICS}' --format json --save odd.smr"],
            ["bash", "-c", f"storymeter score {both} -m '{METRICS}' --tokenizer none --format csv"],
            ["bash", "-c", f"storymeter score {timed} -m '{TIMED}' --format csv --save timed.smr"],
            ["bash", "-c", f"storymeter score {timed} -m '{TIMED}' --protocol anet-2018 --format csv"],
            ["bash", "-c", "storymeter compare odd.smr timed.smr; storymeter report timed.smr -o timed.html"],
        ],
    )


ODD = """
import json, sys
from odd_texts import ODD_TEXTS
texts = [t.encode("utf-8", "replace").decode() for t in ODD_TEXTS] + ["A dog runs, fast.", "the dog ran"]
other = texts[1:] + ["A man's dog"]
for name, listed in (("odd", texts), ("other", other)):
    json.dump([{"image_id": k, "caption": t} for k, t in enumerate(listed)], open(name + ".json", "w"))
    videos = {}
    for k, t in enumerate(listed):
        video = videos.setdefault(f"v{k % 3}", {"timestamps": [], "sentences": [], "duration": 90})
        video["timestamps"].append([k * 2.0, k * 2.0 + 5 + k % 4])
        video["sentences"].append(t)
    json.dump(videos, open(("timed" if name == "odd" else "timed_other") + ".json", "w"))
from storymeter.registry import names_of, metric, declared, MEASURES
from storymeter import scorer
for name in "meteor cider bleu_1 bleu_4 rouge_l".split():
    one = scorer(name)
    print(name, one.pairs(candidates=texts, references=[[o] for o in other]).tolist())
    print(one.matrix(candidates=texts[-2:], references=other[-3:]).tolist())
    print(repr(one.corpus(candidates=texts, references=[[o] for o in other])))
"""


def run(tree: Path, group: list[list[str]], place: Path, saved: Path | None) -> list[dict[str, object]]:
    """What each command of a group printed and wrote."""
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(ROOT / "examples", place / "examples")
    (place / ".bin").mkdir()
    program = place / ".bin" / "storymeter"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m storymeter "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    (place / ".bin" / "python").symlink_to(sys.executable)
    environment = {
        **os.environ,
        "PYTHONPATH": f"{tree}:{ROOT / 'tests'}",
        "PYTHONDONTWRITEBYTECODE": "1",
        "COLUMNS": "100",
        "NO_COLOR": "1",
        "PATH": f"{place / '.bin'}:{os.environ['PATH']}",
    }
    found: list[dict[str, object]] = []
    for command in group:
        done = subprocess.run(
            command, cwd=place, capture_output=True, env=environment, stdin=subprocess.DEVNULL
        )
        written = {
            str(path.relative_to(place)): _digest(path)
            for path in sorted(place.rglob("*"))
            if path.is_file() and not {"examples", ".bin"} & set(path.relative_to(place).parts)
        }
        found.append(
            {
                "command": command[-1],
                "exit": done.returncode,
                "stdout": _steady(done.stdout),
                "stderr": _steady(done.stderr),
                "files": written,
            }
        )
        if saved is not None:
            for path in place.glob("*.smr"):
                shutil.copy(path, saved)
    return found


def _steady(data: bytes) -> str:
    text = data.decode("utf-8", "replace")
    for pattern, instead in VARYING:
        text = pattern.sub(instead, text)
    return text


def _digest(path: Path) -> str:
    """Binary files may hold times of their own: only that they exist is compared."""
    if path.suffix in (".smr", ".sqlite", ".db", ".zip", ".sqlite-wal", ".sqlite-shm", ".gz"):
        return "there"
    return hashlib.sha256(_steady(path.read_bytes()).encode()).hexdigest()[:16]


def differences(name: str, old: list[dict[str, object]], new: list[dict[str, object]]) -> list[str]:
    """One paragraph for each command that differs."""
    found = []
    for before, after in zip(old, new, strict=True):
        for key in ("exit", "stdout", "stderr", "files"):
            if before[key] != after[key]:
                command = str(before["command"]).strip().splitlines()[0][:100]
                found.append(f"{name}: {command}\n  {key}:\n{_first(before[key], after[key])}")
    return found


def _first(before: object, after: object) -> str:
    """The first lines that differ."""
    if isinstance(before, dict) and isinstance(after, dict):
        return "    files: " + ", ".join(
            sorted(k for k in {*before, *after} if before.get(k) != after.get(k))
        )
    ours, theirs = str(before).splitlines(), str(after).splitlines()
    pairs = zip([*ours, *[""] * len(theirs)], [*theirs, *[""] * len(ours)], strict=True)
    lines = [f"    - {a}\n    + {b}" for a, b in pairs if a != b]
    return "\n".join(lines[:6])


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("ref", nargs="?", default=BASELINE)
    parser.add_argument("--quick", action="store_true", help="only commands that score, compare or show")
    parser.add_argument("--only", default="", help="the groups whose name holds this")
    parser.add_argument("--keep", type=Path, help="a folder that keeps the old version and what it printed")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        kept = options.keep or Path(folder)
        saved = kept / "saved"
        saved.mkdir(parents=True, exist_ok=True)
        sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
        old, new = unpack(options.ref, kept / "old"), unpack(None, Path(folder) / "new")
        place, found, commands = Path(tempfile.gettempdir()) / "storymeter-same", [], 0
        for name, group in cases(options.quick, options.only):
            if options.only not in name:
                continue
            content = json.dumps(group).encode()
            known = kept / f"{hashlib.sha256(content).hexdigest()[:16]}.json"
            if not known.exists():
                known.write_text(json.dumps(run(old, group, place, saved)), encoding="utf-8")
            after = run(new, group, place, None)
            differ = differences(name, json.loads(known.read_text(encoding="utf-8")), after)
            found += differ
            commands += len(group)
            print(f"{name}: {len(group)} commands, {len(differ)} differences", flush=True)
        shows = [
            ["bash", "-c", f"storymeter compare {path} --format json; storymeter report {path} -o a.html"]
            for path in sorted(saved.glob("*.smr"))
        ]
        before, after = run(old, shows, place, None), run(new, shows, place, None)
        found += differences("saved runs of the old version", before, after)
        shutil.rmtree(place, ignore_errors=True)
    print("\n".join(["", *found]) if found else f"the same: {commands + len(shows)} commands")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
