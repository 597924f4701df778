"""Prints how the modules of the package hang together: cycles, imports, files, statements, doors.

    python tools/joints.py [ROOT]            # ROOT: a checkout, default this one
    python tools/joints.py --walk            # also traces `score … -m soda_c` (needs the installed package)

An import counts wherever it stands: at the top, under `TYPE_CHECKING`, inside a function. Left out are only
the `TYPE_CHECKING` blocks of a package's `__init__`, which repeat for type checkers what the lazy names load.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

Graph = dict[str, set[str]]
#: rooms whose modules tests should reach by the door
ROOMS = [
    "cli",
    "compat",
    "dense",
    "engine",
    "formats",
    "human",
    "judge",
    "meta",
    "models",
    "pairs",
    "report",
    "stats",
    "story",
    "stress",
    "text",
]


def modules(source: Path) -> dict[str, Path]:
    """Every module of the package by its dotted name."""
    found = {}
    for path in sorted(source.rglob("*.py")):
        parts = path.relative_to(source.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports(name: str, path: Path, known: dict[str, Path]) -> set[str]:
    """The modules of the package that this one imports, at any depth."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    if path.name == "__init__.py":
        tree.body = [node for node in tree.body if not _type_checking(node)]
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            origin = ".".join([*base, *([node.module] if node.module else [])])
            names = {f"{origin}.{alias.name}" for alias in node.names}
            found |= {each if each in known else origin for each in names}
    return {each for each in found if each in known and each != name}


def _type_checking(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)


def knots(graph: Graph) -> list[list[str]]:
    """The strongly connected components of more than one module, largest first (Tarjan 1972)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(node: str) -> None:
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in sorted(graph[node]):
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            place = stack.index(node)
            component = stack[place:]
            del stack[place:]
            if len(component) > 1:
                found.append(sorted(component))

    sys.setrecursionlimit(10_000)
    for node in sorted(graph):
        if node not in index:
            visit(node)
    return sorted(found, key=len, reverse=True)


def graph_of(root: Path) -> Graph:
    """Which module of the package imports which."""
    known = modules(root / "src" / "storymeter")
    return {name: imports(name, path, known) for name, path in known.items()}


def statements(paths: list[Path]) -> Iterator[ast.stmt]:
    for path in paths:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.stmt):
                yield node


def deep_imports(tests: Path) -> tuple[int, int]:
    """Imports in tests that go past a room's door (`from storymeter.pairs.meteor import Meteor`), and how
    many of them stand in unit tests of that room, which test what is behind the door."""
    deep = own = 0
    for path in sorted(tests.rglob("*.py")):
        for node in statements([path]):
            name = (node.module or "").split(".") if isinstance(node, ast.ImportFrom) else []
            if len(name) > 2 and name[0] == "storymeter" and name[1] in ROOMS:
                deep += 1
                own += name[1] in path.relative_to(tests).parts
    return deep, own


def public_names(scorer: str) -> int:
    """The names without an underscore that `dir()` lists of a scorer, its options among them."""
    made = getattr(importlib.import_module("storymeter.pairs"), scorer)()
    return len([name for name in dir(made) if not name.startswith("_")])


#: traces a command in a process of its own; what runs while a module is imported does not count
WALK = """
import sys
found, imports = set(), 0
def trace(frame, event, argument):
    global imports
    code = frame.f_code
    if code.co_name == "_find_and_load" and "importlib" in code.co_filename:
        imports += (event == "call") - (event == "return")
    elif event == "call" and not imports and "/storymeter/" in code.co_filename:
        if not code.co_name.endswith(("comp>", "expr>")):
            found.add((code.co_filename, code.co_firstlineno))
from storymeter.cli import main
sys.argv = ["storymeter", *"score examples/videos/good.json -r examples/videos/reference_1.json".split()]
sys.argv += "-m soda_c --jobs 1".split()
sys.setprofile(trace)
try:
    main()
except SystemExit:
    pass
sys.setprofile(None)
print(len(found), len({name for name, line in found}), file=sys.stderr)
"""


def walk() -> tuple[int, int]:
    """What `score … -m soda_c` runs through: functions, and their files. Not counted is what runs while a
    module is imported (class bodies, decorators), and no comprehensions. Lazy imports are left out the same
    way, so that they neither help nor hurt."""
    ran = subprocess.run([sys.executable, "-c", WALK], capture_output=True, text=True, check=True)
    functions, files = ran.stderr.split()[-2:]
    return int(functions), int(files)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root", nargs="?", type=Path, default=Path(__file__).resolve().parents[1])
    parser.add_argument("--walk", action="store_true", help="also trace one scoring command")
    options = parser.parse_args()
    paths = [*modules(options.root / "src" / "storymeter").values()]
    nodes = [*statements(paths)]
    imported = sum(isinstance(node, ast.Import | ast.ImportFrom) for node in nodes)
    found = knots(graph_of(options.root))
    long = [path for path in paths if len(path.read_text(encoding="utf-8").splitlines()) > 400]
    deep, own = deep_imports(options.root / "tests")
    rows: list[tuple[str, object]] = [
        ("files", len(paths)),
        ("statements", len(nodes)),
        ("import statements", f"{imported} ({imported / len(nodes):.1%})"),
        ("cycles (sizes)", f"{len(found)} ({', '.join(str(len(each)) for each in found) or '-'})"),
        ("modules past 400 lines", ", ".join(path.name for path in long) or 0),
        ("deep imports in tests", f"{deep} ({own} in tests of the same room)"),
    ]
    if options.walk:
        functions, files = walk()
        rows += [
            ("public names of Meteor", public_names("Meteor")),
            ("walk of score -m soda_c", f"{functions} functions in {files} files"),
        ]
    for name, value in rows:
        print(f"{name:26} {value}")
    for each in found:
        print(f"  cycle of {len(each)}: {' '.join(name.removeprefix('storymeter.') for name in each)}")


if __name__ == "__main__":
    main()
