"""Imports point one way: a room may import from the rooms below it and from itself, never from above."""

from __future__ import annotations

import ast
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2] / "src" / "storymeter"
RECORDS = [
    "arrays",
    "cache",
    "captions",
    "context",
    "errors",
    "files",
    "late",
    "signature",
    "names",
    "options",
    "papers",
    "progress",
    "measure",
    "protocol",
    "score",
    "metric",
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


def _module_level(tree: ast.AST) -> list[ast.Import | ast.ImportFrom]:
    """Imports that happen at run time; those under `if TYPE_CHECKING:` do not."""
    found: list[ast.Import | ast.ImportFrom] = []

    def walk(node: ast.AST) -> None:
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            return
        if isinstance(node, ast.Import | ast.ImportFrom):
            found.append(node)
        for child in ast.iter_child_nodes(node):
            walk(child)

    walk(tree)
    return found


def _room(parts: tuple[str, ...]) -> str | None:
    return parts[1] if len(parts) > 1 and parts[0] == "storymeter" else None


def _imported_rooms(path: Path) -> set[str]:
    package = ("storymeter", *path.relative_to(SOURCE).with_suffix("").parts)
    rooms: set[str] = set()
    for node in _module_level(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            targets = [tuple(alias.name.split(".")) for alias in node.names]
        else:
            keep = (
                len(package) - node.level
                if path.name != "__init__.py"
                else len(package) - 1 - (node.level - 1)
            )
            base = package[:keep] if node.level else ()
            base += tuple(node.module.split(".")) if node.module else ()
            targets = [(*base, alias.name) for alias in node.names]
        rooms |= {room for target in targets if (room := _room(target))}
    return rooms & FLOOR.keys()


def test_arrows_point_one_way() -> None:
    wrong = []
    for path in sorted(SOURCE.rglob("*.py")):
        own = path.relative_to(SOURCE).parts[0].removesuffix(".py")
        if own not in FLOOR:  # __init__ and __main__ open the whole house
            continue
        for room in _imported_rooms(path):
            late = own == "registry" and room == "pairs"  # the registry loads rooms by name, inside functions
            if room != own and not late and (FLOOR[room] > FLOOR[own] or (own, room) in FORBIDDEN):
                wrong.append(f"{path.relative_to(SOURCE)} imports {room}")
    assert not wrong


def test_every_room_has_a_floor() -> None:
    rooms = {
        p.name.removesuffix(".py")
        for p in SOURCE.iterdir()
        if p.name not in ("__init__.py", "__main__.py", "py.typed", "__pycache__", "data")
    }
    unknown = {room for room in rooms if not room.endswith((".so", ".pyi"))} - FLOOR.keys()
    assert not unknown, f"give {unknown} a floor in FLOORS"
