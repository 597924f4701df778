"""Docstrings on the documentation site: examples that begin with `>>>` become code blocks."""

from __future__ import annotations

from typing import Any

from griffe import Extension, Object


def fenced(text: str) -> str:
    """
    >>> print(fenced("Adds one.\\n\\n>>> f(1)\\n2"))
    Adds one.
    <BLANKLINE>
    ```py
    >>> f(1)
    2
    ```
    """
    out: list[str] = []
    inside = False
    for line in [*text.split("\n"), ""]:
        if line.startswith(">>> ") and not inside:
            out += ([""] if out and out[-1] else []) + ["```py"]
            inside = True
        elif not line.strip() and inside:
            out.append("```")
            inside = False
        out.append(line)
    return "\n".join(out[:-1])


class Examples(Extension):  # type: ignore[misc]
    def on_object(self, *, obj: Object, **_: Any) -> None:
        if obj.docstring is not None:
            obj.docstring.value = fenced(obj.docstring.value)
