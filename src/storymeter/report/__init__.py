"""Results as tables, figures and pages.

>>> from storymeter.report import Column, Table
>>> print(Table(["system", Column("SODA c", ".2f", 100)], [["mine", 0.051249]]).render("markdown"))
| system | SODA c |
|:--|--:|
| mine | 5.12 |

`present` makes tables, JSON, notes, figures and a page of any result, `render` the text of one style:

>>> from storymeter import evaluate
>>> from storymeter.report import present, render
>>> results = evaluate(["a dog runs"], [["the dog runs"]], "rouge_l", resamples=0)
>>> print(render(present(results), "markdown").splitlines()[2])
| candidates | 66.67 |

`svg_file` and `png` make files of a presentation's `figures()`. `write_report` writes the page of `storymeter
report`: leaderboard, tests, captions and timelines.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._lazy import late

if TYPE_CHECKING:
    from .figures.files import png as png, svg_file as svg_file
    from .full.writing import write_report as write_report
    from .presentation import Presentation as Presentation, present as present, render as render
    from .table import Column as Column, Table as Table

_LATE = {
    "Column": "table",
    "Presentation": "presentation",
    "Table": "table",
    "png": "figures.files",
    "present": "presentation",
    "render": "presentation",
    "svg_file": "figures.files",
    "write_report": "full.writing",
}

__all__ = [*_LATE]
__getattr__, __dir__ = late(__name__, _LATE)
