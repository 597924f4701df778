"""One script under pycocoevalcap and under ours: the same numbers, kinds, orders and errors, and no Java.

The seed is fixed, so that a run is repeatable; STORYMETER_SEED takes another.
"""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from itertools import chain
from pathlib import Path

import numpy as np
import pytest

from storymeter import compat
from storymeter.compat.pycocoevalcap.eval import Bleu, Meteor, PTBTokenizer
from storymeter.errors import StorymeterWarning

SEED = int(os.environ.get("STORYMETER_SEED", "122595539"))
SCRIPT = Path(__file__).with_name("coco_calls.py")


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> tuple[object, object, Path]:
    """What the script got from either; where ours would have called Java, a file would lie there."""
    pytest.importorskip("pycocotools")
    folder = tmp_path_factory.mktemp("coco")
    theirs, ours = folder / "theirs.json", folder / "ours.json"
    subprocess.run([sys.executable, SCRIPT, str(SEED), theirs], check=True, capture_output=True, timeout=500)
    traps = folder / "bin"
    traps.mkdir()
    trap = traps / "java"
    trap.write_text(f"#!/bin/sh\ntouch '{folder}/java-was-started'\nexec false\n", encoding="utf-8")
    trap.chmod(trap.stat().st_mode | stat.S_IXUSR)
    surroundings = {**os.environ, "PATH": f"{traps}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        [sys.executable, "-m", "storymeter.compat", SCRIPT, str(SEED), ours],
        capture_output=True,
        text=True,
        timeout=500,
        env=surroundings,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(theirs.read_text()), json.loads(ours.read_text()), folder / "java-was-started"


def differences(theirs: object, ours: object, place: str = "") -> list[str]:
    if isinstance(theirs, dict) and isinstance(ours, dict) and theirs.keys() == ours.keys():
        return [d for key in theirs for d in differences(theirs[key], ours[key], f"{place}.{key}")]
    if isinstance(theirs, list) and isinstance(ours, list) and len(theirs) == len(ours):
        pairs = enumerate(zip(theirs, ours, strict=True))
        return [d for k, (a, b) in pairs for d in differences(a, b, f"{place}[{k}]")]
    if isinstance(theirs, float) and isinstance(ours, float):
        same = abs(theirs - ours) <= 1e-9 or (np.isnan(theirs) and np.isnan(ours))
        return [] if same else [f"{place}: {theirs} there, {ours} here"]
    return [] if theirs == ours else [f"{place}: {theirs!r} there, {ours!r} here"]


@pytest.mark.needs("java")
def test_equal_in_every_way_of_calling(both: tuple[object, object, Path]) -> None:
    theirs, ours, _ = both
    found = differences(theirs, ours)
    assert not found, f"seed {SEED}, {len(found)} differences:\n" + "\n".join(found[:20])


@pytest.mark.needs("java")
def test_no_java(both: tuple[object, object, Path]) -> None:
    assert not both[2].exists()


def in_process(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)


def test_install_replaces_all_modules_and_starts_no_process() -> None:
    done = in_process(
        "import sys, storymeter.compat as compat\n"
        "started = []\n"
        "sys.addaudithook(lambda name, args: started.append(name) if name in"
        " ('subprocess.Popen', 'os.system', 'os.fork', 'os.posix_spawn', 'os.exec') else None)\n"
        "compat.install(); compat.install()\n"
        "import pycocoevalcap, pycocoevalcap.meteor.meteor as m, pycocoevalcap.tokenizer.ptbtokenizer as t\n"
        "import pycocoevalcap.spice.get_stanford_models\n"
        "from pycocoevalcap.eval import COCOEvalCap, Spice\n"
        "assert m.Meteor.__module__ == 'storymeter.compat.pycocoevalcap.meteor.meteor'\n"
        "assert compat.installed() and COCOEvalCap.__module__.startswith('storymeter')\n"
        "tokens = t.PTBTokenizer(verbose=False).tokenize({1: [{'caption': 'A man.'}]})\n"
        "scorer = m.Meteor(); scorer.compute_score(tokens, tokens)\n"
        "scorer.meteor_p.kill(); scorer.meteor_p.wait(); scorer.lock.acquire(); scorer.lock.release()\n"
        "assert not started, started\n"
        "compat.uninstall(); from pycocoevalcap.rouge.rouge import Rouge\n"
        "assert Rouge.__module__ == 'pycocoevalcap.rouge.rouge' and not compat.installed()\n"
    )
    assert done.returncode == 0, done.stderr


def test_an_import_that_came_first_is_said() -> None:
    done = in_process("import pycocoevalcap.rouge.rouge, storymeter.compat as c; c.install()")
    assert done.returncode == 0
    assert "Call install() first" in done.stderr


def test_a_failed_call_leaves_meteor_usable() -> None:
    """The original's lock stays taken, and the next call hangs."""
    meteor = Meteor()
    with pytest.raises(AssertionError, match="exactly one caption"):
        meteor.compute_score({0: ["a"]}, {0: ["a", "b"]})
    assert meteor.compute_score({0: ["a b"]}, {0: ["a b"]}) == (1.0, [1.0])
    assert meteor.compute_score({}, {}) == (0.0, [])


def test_messages_name_the_place() -> None:
    with pytest.raises(AssertionError, match=r"1 only in gts \(v_1\), 1 only in res \(v_2\)"):
        Bleu().compute_score({"v_1": ["a"]}, {"v_2": ["a"]})
    with pytest.raises(TypeError, match=r"gts\[7\]\[1\] is not a string .* PTBTokenizer"):
        Bleu().compute_score({7: ["a", {"caption": "b"}]}, {7: ["a"]})


def test_copies_with_other_signatures() -> None:
    gts, res = {0: ["a b c d", "a b"]}, {0: ["a b c"]}
    assert PTBTokenizer(verbose=False).tokenize({}) == {}
    shortest = Bleu(4).compute_score(gts, res, score_option="shortest", verbose=0)[0]
    closest = Bleu(4).compute_score(gts, res, score_option="closest", verbose=0)[0]
    assert closest == Bleu(4).compute_score(gts, res, verbose=0)[0]
    assert shortest[0] == pytest.approx(1.0)
    gts, res = {0: ["a b c d e", "a b"]}, {0: ["a b c d"]}
    average = Bleu(4).compute_score(gts, res, "average", 0)[0]
    assert (
        average == Bleu(4).compute_score(gts, res, 0, "average")[0] != Bleu(4).compute_score(gts, res, 0)[0]
    )


def test_a_dot_that_depends_on_the_next_caption() -> None:
    """As the original printed it: `no.` before a number, a letter before a sentence, blanks that belong to a
    token.
    """
    lines = [
        "He says no.",
        "29 dogs",
        "He says no.",
        "",
        "Dogs",
        "2 1/2 of plan B.",
        "<b class='x y'> The",
        "http://a.com/b\u00a0",
    ]
    found = PTBTokenizer().tokenize({k: [{"caption": line}] for k, line in enumerate(lines)})
    assert list(chain.from_iterable(found.values())) == [
        *("he says no.", "29 dogs", "he says no", "", "dogs", "2\u00a01/2 of plan b"),
        *("<b\u00a0class='x\u00a0y'> the", "http://a.com/b"),
    ]


def test_spice_by_rules_says_so_once() -> None:
    pytest.importorskip("HanTa")
    from storymeter.compat.pycocoevalcap.spice import spice

    spice._said.clear()
    gts, res = {1: ["a brown dog runs on the grass"], 2: ["two men"]}, {1: ["a brown dog"], 2: ["hm"]}
    scorer = spice.Spice()
    with pytest.warns(StorymeterWarning, match="not comparable with published"):
        mean, rows = scorer.compute_score(gts, res)
    assert list(rows[0]) == ["All", "Object", "Attribute", "Relation", "Color", "Size", "Cardinality"]
    assert rows[0]["All"]["pr"] == 1.0
    assert 0 < rows[0]["All"]["re"] < 1
    assert mean == pytest.approx(np.mean([row["All"]["f"] for row in rows]))
    from storymeter.pairs import Spice

    assert [row["All"]["f"] for row in rows] == pytest.approx(
        Spice().pairs(candidates=["a brown dog", "hm"], references=list(gts.values())).tolist()
    )
    assert np.isnan(scorer.float_convert(None))


def test_the_runner_explains_itself() -> None:
    for arguments, code in ([[], 2], [["nowhere.py"], 2], [["--help"], 0]):
        done = subprocess.run(
            [sys.executable, "-m", "storymeter.compat", *arguments],
            capture_output=True,
            text=True,
            timeout=100,
        )
        assert done.returncode == code
        assert "Usage:" in done.stdout + done.stderr
        assert "Traceback" not in done.stderr


def test_a_script_sees_its_own_surroundings(tmp_path: Path) -> None:
    (tmp_path / "beside.py").write_text("word = 'here'\n", encoding="utf-8")
    script = tmp_path / "script.py"
    script.write_text(
        "import sys, beside\nfrom pycocoevalcap.rouge.rouge import Rouge\n"
        "if __name__ == '__main__':\n    print(sys.argv[1:], beside.word, Rouge.__module__, __file__)\n",
        encoding="utf-8",
    )
    done = subprocess.run(
        [sys.executable, "-m", "storymeter.compat", script, "--flag", "x"],
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert done.stdout.split() == [
        *("['--flag',", "'x']", "here", "storymeter.compat.pycocoevalcap.rouge.rouge", str(script)),
    ], done.stderr


def test_processes_that_a_script_starts_get_ours_too(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import multiprocessing, subprocess, sys\n"
        "def work(_):\n"
        "    import pycocoevalcap.rouge.rouge, pycocoevalcap.eval\n"
        "    return pycocoevalcap.rouge.rouge.Rouge.__module__\n"
        "if __name__ == '__main__':\n"
        "    with multiprocessing.get_context('spawn').Pool(1) as pool: print(*pool.map(work, [0]))\n"
        "    code = 'from pycocoevalcap.eval import Bleu; print(Bleu.__module__)'\n"
        "    subprocess.run([sys.executable, '-c', code], check=True)\n",
        encoding="utf-8",
    )
    done = subprocess.run(
        [sys.executable, "-u", "-m", "storymeter.compat", script], capture_output=True, text=True, timeout=200
    )
    ours = "storymeter.compat.pycocoevalcap"
    assert done.stdout.split() == [f"{ours}.rouge.rouge", f"{ours}.bleu.bleu"], done.stderr
    assert "Warning" not in done.stderr


def test_uninstall_without_install() -> None:
    compat.uninstall()
    assert not compat.installed()
