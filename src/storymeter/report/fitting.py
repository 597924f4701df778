"""Fits tables into narrow terminals: texts wrap between words, numbers never; and where that is not enough,
the table is cut into blocks of columns, each of which begins with the columns that name its rows."""

import re
from collections.abc import Sequence

from rich.cells import cell_len, set_cell_size

#: what stands between two columns, and at the two edges together
GAP, EDGES = 3, 2
#: a text may wrap at this many characters, or at its longest word (but none longer than the second number)
NARROW, LONGEST_WORD = 16, 40
#: a name may be folded into lines of this many characters
KEY = 6

#: what a terminal obeys instead of showing it: control characters (but line breaks and tabs), and marks that
#: turn the direction of writing
CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def escape_controls(text: str) -> str:
    """The text with all that a terminal or a page would obey written out: an id or a caption never moves the
    cursor, hides a line or turns the direction of writing.

    >>> escape_controls("red \\x1b[31m")
    'red \\\\x1b[31m'
    """
    return CONTROLS.sub(lambda found: repr(found[0])[1:-1], text)


def natural_width(cells: Sequence[str]) -> int:
    return max((cell_len(line) for cell in cells for line in cell.splitlines()), default=0)


def clip(text: str, room: int) -> str:
    """The text in at most `room` cells of a terminal, where a Chinese or Japanese letter takes two: cut after
    a word if one ends in the last third, otherwise after a letter.

    >>> clip("a dog runs on the grass", 16), clip("犬が草の上を走っている", 10), clip("x" * 9, 5)
    ('a dog runs on …', '犬が草の…', 'xxxx…')
    """
    text = " ".join(text.split())
    if cell_len(text) <= room:
        return text
    head = set_cell_size(text, max(0, room - 1)).rstrip()
    blank = head.rfind(" ")
    cut = head[:blank] if blank > len(head) * 2 // 3 and not text[len(head) :].startswith(" ") else head
    return f"{cut} …" if " " in cut and cell_len(cut) + 2 <= room else f"{cut}…"


def wrapped(text: str, width: int, indent: str = "") -> list[str]:
    """Lines of at most `width` cells: cut between words, and inside a word only where it is wider than a
    line, as unspaced Japanese is. Lines after the first begin with `indent`.

    >>> wrapped("a dog runs on the grass", 10)
    ['a dog runs', 'on the', 'grass']
    >>> wrapped("犬が草の上を走っている", 10, "  ")
    ['犬が草の上', '  を走って', '  いる']
    """
    lead = text[: len(text) - len(text.lstrip())]
    lines, line = [], lead
    for word in text.split():
        glue = "" if not line.strip() else " "
        if cell_len(line + glue + word) <= width:
            line += glue + word
            continue
        if line.strip() and cell_len(indent + word) <= width:
            lines.append(line)
            line = indent + word
            continue
        rest = glue + word
        while cell_len(line + rest) > width:
            piece = set_cell_size(rest, max(2, width - cell_len(line))).rstrip()
            lines.append((line + piece).rstrip())
            rest, line = rest[len(piece) :].lstrip(), indent
        line += rest
    return [*lines, line] if line.strip() or not lines else lines


def least_width(head: str, cells: Sequence[str], number: bool) -> int:
    """The narrowest that can still be read."""
    word = natural_width(
        [*head.split(), *(cells if number else [word for cell in cells for word in cell.split()])]
    )
    return word if number else max(min(word, LONGEST_WORD), min(natural_width([head, *cells]), NARROW))


def naming(numbers: Sequence[bool]) -> int:
    """How many columns at the left say what a row is about: up to the end of the first texts.

    >>> naming([True, False, False, True, False]), naming([False, True])
    (3, 1)
    """
    first = list(numbers).index(False) if False in numbers else 0
    return next((k for k in range(first, len(numbers)) if numbers[k]), len(numbers))


def blocks(
    natural: Sequence[int], least: Sequence[int], keys: Sequence[int], width: int
) -> list[list[tuple[int, int]]]:
    """(column, its width) for every block. The columns `keys` say what a row is about: they stand in every
    block, folded to half of it where they would take more than two thirds.

    >>> blocks([6, 10, 30], [6, 10, 16], [0], 40)
    [[(0, 6), (1, 10), (2, 16)]]
    >>> blocks([6, 10, 30], [6, 10, 16], [0], 30)
    [[(0, 6), (1, 10)], [(0, 6), (2, 19)]]
    >>> blocks([20, 20, 9, 9], [20, 20, 9, 9], [0, 1], 30)
    [[(0, 6), (1, 7), (2, 9)], [(0, 6), (1, 7), (3, 9)]]
    """
    room = width - EDGES
    every = list(range(len(natural)))
    if _taken(least, every) <= room:
        return [_widths(natural, least, every, room)]
    keys = list(keys)[:-1] if len(keys) == len(every) > 1 else list(keys)
    whole = _taken(natural, keys) <= room * 2 // 3
    narrow = (
        {key: natural[key] for key in keys}
        if whole
        else dict(_widths(least, [min(wide, KEY) for wide in least], keys, room // 2))
    )
    least = [narrow.get(column, wide) for column, wide in enumerate(least)]
    found: list[list[int]] = []
    for column in every:
        if column in keys:
            continue
        if not found or _taken(least, [*keys, *found[-1], column]) > room:
            found.append([])
        found[-1].append(column)
    return [_widths(natural, least, sorted([*keys, *block]), room) for block in found or [[]]]


def _taken(widths: Sequence[int], columns: Sequence[int]) -> int:
    return sum(widths[column] for column in columns) + GAP * (len(columns) - 1)


def _widths(
    natural: Sequence[int], least: Sequence[int], columns: list[int], room: int
) -> list[tuple[int, int]]:
    """The widest column gives way first, down to its least width; where even that is too much, below it."""
    widths = {column: natural[column] for column in columns}
    for floors in (least, [1] * len(least)):
        while (excess := sum(widths.values()) + GAP * (len(columns) - 1) - room) > 0:
            yielding = [column for column in columns if widths[column] > floors[column]]
            if not yielding:
                break
            widest = max(yielding, key=lambda column: widths[column])
            widths[widest] = max(floors[widest], widths[widest] - max(1, excess // len(columns)))
    return list(widths.items())
