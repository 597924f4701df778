"""Texts that no caption is, and that must have a value all the same."""

ODD_TEXTS = [
    "",
    " ",
    "...",
    "😀😀",
    "\ud800",
    "\x00",
    "x" * 5_000,
    "dog " * 10_000,
    " ".join(f"word{k}" for k in range(10_000)),
    "人が犬と歩く",
]
