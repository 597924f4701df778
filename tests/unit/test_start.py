"""What a program pays for before its first score: the modules that it imports."""

from __future__ import annotations

import subprocess
import sys

import platformdirs
import pytest

from storymeter.cache import CACHE, cache_folder

SCORE = (
    "from storymeter.pairs import Meteor; Meteor().pairs(candidates=['a man'], references=[['a man walks']])"
)
#: a program that wants one score by METEOR needs none of these
HEAVY = [
    *("pathlib", "tempfile", "shutil", "random", "platformdirs", "importlib.metadata", "numpy.typing"),
    *("json", "msgspec", "click", "rich", "jinja2", "filelock", "pandas", "scipy", "torch"),
]


@pytest.mark.parametrize("code", ["import storymeter", SCORE], ids=["package", "METEOR"])
def test_little_is_imported_before_the_first_score(code: str) -> None:
    if code == SCORE:
        pytest.importorskip("pycocoevalcap", reason="pycocoevalcap is not installed")
        # METEOR's tables are compiled once per machine, with modules that later programs do not need
        subprocess.run([sys.executable, "-c", SCORE], check=True)
    listed = "print(*sys.modules, sep='\\n')"
    # site-packages and numpy may import anything at their start, so that those modules are taken out first
    before = "import sys, numpy" if code == SCORE else "import sys"
    program = f"{before}; [sys.modules.pop(name, None) for name in {HEAVY!r}]; {code}; {listed}"
    shown = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    imported = set(shown.stdout.split())
    ours = {name for name in imported if name.startswith("storymeter.")}
    assert not imported & set(HEAVY)
    if code == SCORE:
        assert ours == {
            *(f"storymeter.{name}" for name in ("_native", "arrays", "cache", "_lazy", "errors", "measure")),
            *(f"storymeter.{name}" for name in ("options", "pairs", "progress")),
            *(f"storymeter.pairs.{name}" for name in ("meteor", "model", "scorer")),
        }
    else:
        assert ours == {"storymeter._lazy"}


@pytest.mark.parametrize(
    "places",
    [
        {},
        {"XDG_CACHE_HOME": "/var/other"},
        {"XDG_CACHE_HOME": "relative"},
        {"XDG_CACHE_HOME": "", "HOME": "/home/ann"},
        {"HOME": "relative"},
        {"HOME": ""},
    ],
)
def test_the_cache_is_where_platformdirs_says(
    places: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(CACHE, raising=False)
    for name, value in places.items():
        monkeypatch.setenv(name, value)
    ours = cache_folder()
    if places.get("XDG_CACHE_HOME") == "relative":  # to be ignored by XDG's rule; old platformdirs did not
        monkeypatch.delenv("XDG_CACHE_HOME")
    assert ours == platformdirs.user_cache_dir("storymeter")
