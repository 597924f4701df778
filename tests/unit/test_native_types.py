"""The stub that type checkers read names just what the compiled module has."""

from __future__ import annotations

import ast
from pathlib import Path

import storymeter
from storymeter import _native


def test_the_stub_names_what_the_module_has() -> None:
    stub = ast.parse((Path(storymeter.__file__).parent / "_native.pyi").read_text(encoding="utf-8"))
    named: set[str] = set()
    for node in stub.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            named.add(node.name)
            if isinstance(node, ast.ClassDef):
                for member in node.body:
                    if isinstance(member, ast.FunctionDef):
                        assert hasattr(getattr(_native, node.name), member.name), f"{node.name}.{member.name}"
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            named.add(node.target.id)
    assert named == {name for name in dir(_native) if not name.startswith("_")}
