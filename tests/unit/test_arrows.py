"""Imports point one way: a room may import from the rooms below it and from itself, never from above.

Every import counts: at the top of a module, under `TYPE_CHECKING`, inside a function."""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2] / "src" / "storymeter"
RECORDS = [
    "arrays",
    "cache",
    "captions",
    "context",
    "errors",
    "files",
    "_lazy",
    "options",
    "papers",
    "progress",
    "measure",
    "plugins",
    "protocol",
    "scores",
    "metrics",
    "join",
    "registry",
    "_native",
]
FLOORS = [
    RECORDS,
    ["formats", "text"],
    ["models", "stats"],
    ["pairs"],
    ["dense", "story", "human", "judge"],
    ["engine", "rewards"],
    ["meta"],
    ["stress"],
    ["report", "compat", "harness"],
    ["cli"],
]
FLOOR = {room: height for height, rooms in enumerate(FLOORS) for room in rooms}
#: rooms that never see each other although the floors would allow it
FORBIDDEN = {("human", "pairs")}
#: module and room above it: what is still to be mended; the list only shrinks
UPWARD = {("registry.py", "pairs")}


def _room(parts: tuple[str, ...]) -> str | None:
    return parts[1] if len(parts) > 1 and parts[0] == "storymeter" else None


def _imported_rooms(path: Path) -> set[str]:
    package = ("storymeter", *path.relative_to(SOURCE).with_suffix("").parts)
    rooms: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            targets = [tuple(alias.name.split(".")) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            keep = (
                len(package) - node.level
                if path.name != "__init__.py"
                else len(package) - 1 - (node.level - 1)
            )
            base = package[:keep] if node.level else ()
            base += tuple(node.module.split(".")) if node.module else ()
            targets = [(*base, alias.name) for alias in node.names]
        else:
            continue
        rooms |= {room for target in targets if (room := _room(target))}
    return rooms & FLOOR.keys()


def test_arrows_point_one_way() -> None:
    wrong = set()
    for path in sorted(SOURCE.rglob("*.py")):
        own = path.relative_to(SOURCE).parts[0].removesuffix(".py")
        if own not in FLOOR:  # __init__ and __main__ open the whole house
            continue
        for room in _imported_rooms(path):
            if room != own and (FLOOR[room] > FLOOR[own] or (own, room) in FORBIDDEN):
                wrong.add((str(path.relative_to(SOURCE)), room))
    assert wrong == UPWARD


def test_no_modules_import_each_other() -> None:
    sys.path.insert(0, str(SOURCE.parents[1] / "tools"))
    import joints

    assert joints.knots(joints.graph_of(SOURCE.parents[1])) == []


def test_the_page_of_the_architecture_names_what_is_there() -> None:
    page = (SOURCE.parents[1] / "docs" / "architecture.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`([a-z_/0-9]+\.(?:py|[ch]pp)|[a-z_/]+/)`", page))
    roots = (SOURCE, SOURCE / "engine" / "sharded", SOURCE.parents[1], SOURCE.parents[1] / "native")
    roots += tuple(path for path in roots[-1].iterdir() if path.is_dir())
    missing = {name for name in named if not any((root / name).exists() for root in roots)}
    assert len(named) > 40 and not missing
    rooms = {name[:-1] for name in named if name.endswith("/")}
    assert rooms >= {path.parent.name for path in SOURCE.glob("*/__init__.py")} - {"examples"}


def test_every_room_has_a_floor() -> None:
    rooms = {
        p.name.removesuffix(".py")
        for p in SOURCE.iterdir()
        if p.name not in ("__init__.py", "__main__.py", "py.typed", "__pycache__", "data", "examples")
    }
    unknown = {room for room in rooms if not room.endswith((".so", ".pyi"))} - FLOOR.keys()
    assert not unknown, f"give {unknown} a floor in FLOORS"
