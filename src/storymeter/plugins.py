"""Measures that are no part of Storymeter: where they come from, and what is checked when they first score.

A plug-in may give anything. What would become a wrong number in silence (a `combine` that is not vectorised,
complex numbers, values beyond the declared range) is an error with the line of the plug-in; `storymeter
check-metric` looks for more (`engine.check_metric`).
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib.util
import inspect
import shlex
import sys
import traceback
import warnings
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from types import CodeType
from typing import TYPE_CHECKING, Any

import numpy as np

from .arrays import FloatArray
from .errors import StorymeterError, StorymeterWarning, UsageError
from .measure import Measure, is_own, trait
from .options import constant

if TYPE_CHECKING:
    from importlib.metadata import Distribution

#: of the sources of a package, so many files and bytes are hashed
FILES, BYTES = 2000, 1 << 25
ENDS = (".py", ".json", ".txt", ".csv", ".tsv", ".toml", ".yaml", ".yml")
#: the entry points of plug-ins, by what they make
GROUPS = {"metric": ("storymeter.metrics", "storymeter.pairs"), "scorer": ("storymeter.pairs",)}


def is_foreign(measure: object) -> bool:
    """Whether a plug-in or the user wrote it."""
    return not is_own(type(measure))


# Where a measure comes from.


def origin(measure: Measure) -> str | None:
    """What signatures state of every foreign measure, also of the scorer in a metric: distribution,
    version and a hash of the source; None where all is Storymeter's own.

    The packages of a distribution are hashed as a whole; a class of a script or notebook by its own source,
    that of its bases, and what their methods name in their module.
    """
    classes: list[Any] = [type(each) for each in _measures(measure) if is_foreign(each)]
    found = dict.fromkeys(map(_origin, classes))
    return "+".join(found) or None


def _measures(measure: Measure) -> Iterator[Measure]:
    yield measure
    for value in getattr(measure, "__dict__", {}).values():
        if isinstance(value, Measure):
            yield from _measures(value)


@functools.cache
def _origin(cls: Any) -> str:
    root = _root(cls.__module__)
    known = _distribution(root)
    label = f"{known.name}-{known.version}" if known else "local"
    return f"{label}#{_source_hash(cls, root, known)}"


def _distribution(root: str) -> Distribution | None:
    """The distribution that holds a top-level module."""
    from importlib import metadata

    for group in GROUPS["metric"]:
        for point in metadata.entry_points(group=group):
            if _root(point.value) == root and point.dist is not None:
                return point.dist
    if root == "__main__" or root in sys.stdlib_module_names:
        return None
    names = metadata.packages_distributions().get(root)
    return metadata.distribution(names[0]) if names else None


def _source_hash(cls: type, root: str, known: Distribution | None) -> str:
    content = hashlib.sha256()
    if known:
        listed = (known.read_text("top_level.txt") or "").split()
        for name in sorted({root, *listed}):
            for path in _sources(name):
                content.update(path.name.encode() + b"\0" + path.read_bytes())
    else:
        for each in _used([each for each in cls.__mro__ if not is_own(each)]):
            content.update(each.encode())
    return content.hexdigest()[:8]


def _sources(name: str) -> list[Path]:
    """The files of a package or module: its code, and the words and tables beside it."""
    found = importlib.util.find_spec(name)
    folders = [Path(each) for each in (found and found.submodule_search_locations) or ()]
    if not folders:
        return [Path(found.origin)] if found and found.has_location and found.origin else []
    listed: list[Path] = []
    size = 0
    known = (path for folder in folders for path in folder.rglob("*") if path.suffix in ENDS)
    for path in sorted(known, key=lambda path: (path.suffix != ".py", path)):
        size += path.stat().st_size
        if len(listed) == FILES or size > BYTES:
            break
        listed.append(path)
    return listed


def _used(made: list[Any]) -> Iterator[str]:
    """The sources of classes, and of the functions, classes and constants of their modules that they name."""
    seen: set[int] = set()
    while made:
        each = made.pop(0)
        if id(each) in seen or each.__module__ in ("builtins", "abc"):
            continue
        seen.add(id(each))
        yield _source(each)
        for function in filter(inspect.isfunction, map(_function, _parts(each))):
            for name in sorted(_names(function.__code__)):
                value: Any = inspect.unwrap(function.__globals__.get(name))  # type: ignore[arg-type]
                if printed := constant(value):
                    yield f"{name}={printed}"
                elif inspect.isroutine(value) or isinstance(value, type):
                    made += [value] if value.__module__ == each.__module__ else []


def _parts(made: Any) -> list[Any]:
    return [*vars(made).values()] if isinstance(made, type) else [made]


def _function(part: Any) -> Any:
    """What a method, property or decorated function calls."""
    for inner in ("fget", "func", "__func__"):
        part = getattr(part, inner, part)
    return inspect.unwrap(part)


def _names(code: CodeType) -> set[str]:
    inner = [_names(each) for each in code.co_consts if isinstance(each, CodeType)]
    return set(code.co_names).union(*inner)


def _source(made: Any) -> str:
    try:
        return inspect.getsource(made)
    except (OSError, TypeError):  # typed into an interpreter: what was compiled
        codes = [each.__code__ for each in map(_function, _parts(made)) if inspect.isfunction(each)]
        return repr(sorted((code.co_name, code.co_code, code.co_names) for code in codes))


def name_of(measure: Measure) -> str:
    """The name of an object, which signatures and tables can hold."""
    made = measure._named_measure
    name: Any = made.name
    if not isinstance(name, str) or not name.isprintable() or not name or "|" in name:
        raise UsageError(
            f"The name of {type(made).__qualname__} ({place(type(made))}) cannot be {name!r}.",
            hint='Write a word in its class: name = "my_metric".',
        )
    return name


def warn_of_names(found: Mapping[str, Measure], own: Mapping[str, str]) -> None:
    """Foreign measures whose name Storymeter has for one of its own."""
    for measure in (each._named_measure for each in found.values()):
        word = measure.name.partition("(")[0]
        if is_foreign(measure) and word in own:
            warn_once(
                f"{type(measure).__qualname__} ({place(type(measure))}) is called {word!r}, as a metric of"
                " Storymeter's own is: tables cannot tell them apart. Give it another name."
            )


def warn_of_device(found: Mapping[str, Measure], device: str) -> None:
    """Foreign measures that do not say that they look at --device."""
    for label, measure in found.items():
        inner = getattr(measure, "scorer", measure)
        if device != "cpu" and is_foreign(inner) and not trait(inner, "uses_device", False):
            warn_once(
                f"--device {device} has no effect on {label}: its class does not declare uses_device = True"
                " (self.device says where the model runs)."
            )


@functools.cache
def warn_once(text: str) -> None:
    warnings.warn(text, StorymeterWarning, stacklevel=4)


# What a foreign metric gives.


def place(made: Any) -> str:
    """`file.py, line 12` of a class or function."""
    try:
        _lines, first = inspect.getsourcelines(made)
        return f"{Path(inspect.getsourcefile(made) or '?').name}, line {first}"
    except (OSError, TypeError):
        return getattr(made, "__module__", "?")


def gave(measure: Measure, method: str) -> str:
    """`name (file.py, line 12) gave`: a foreign measure and its method, for messages."""
    if not is_foreign(measure):
        return f"{measure.name} gave"
    made = None if _inherited(type(measure), method) else getattr(type(measure), method)
    return f"{measure.name} ({place(made or type(measure))}) gave"


def _inherited(cls: type, method: str) -> bool:
    """Whether a class has a method from Storymeter, or not at all."""
    owner = next((each for each in cls.__mro__ if method in vars(each)), None)
    return owner is None or is_own(owner)


def line_of(error: BaseException, roots: Collection[str]) -> str:
    """Where in these packages an error arose: ` (file.py, line 12, in rows)`; '' where it went through none.
    What their code calls (a library) has lines of its own, which help nobody."""
    frames = traceback.walk_tb(error.__traceback__)
    own = [(frame, line) for frame, line in frames if _root(str(frame.f_globals.get("__name__"))) in roots]
    if not own:
        return ""
    code, line = own[-1][0].f_code, own[-1][1]
    return f" ({Path(code.co_filename).name}, line {line}, in {code.co_name})"


@contextlib.contextmanager
def failures_named(name: str, metric: Measure) -> Iterator[None]:
    """What a foreign measure raises, also one inside of a metric of ours, is an error with its line."""
    try:
        yield
    except (Exception, SystemExit) as error:
        foreign, roots = foreign_parts(metric)
        if isinstance(error, StorymeterError) or not (
            is_foreign(metric._named_measure) or raised_in(error, roots)
        ):
            raise
        where = line_of(error, roots) or f" ({place(type(foreign[0]))})"
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        raise UsageError(
            f"{name}, a metric of your own or of a plug-in, failed: {reason}{where}.",
            hint=f"It is no part of Storymeter; try storymeter check-metric {shlex.quote(name)}",
        ) from error


def foreign_parts(metric: Measure) -> tuple[list[Measure], set[str]]:
    """The measures in a metric that are not Storymeter's, and the packages that they come from."""
    foreign = [each for each in _measures(metric) if is_foreign(each)]
    return foreign, {_root(type(each).__module__) for each in foreign}


def raised_in(error: BaseException, roots: Collection[str]) -> bool:
    """Whether the error went through a module below one of these packages."""
    frames = traceback.walk_tb(error.__traceback__)
    return any(_root(str(frame.f_globals.get("__name__"))) in roots for frame, _ in frames)


def plugin_roots() -> set[str]:
    """The packages of all plug-ins."""
    from importlib.metadata import entry_points

    return {_root(point.value) for group in GROUPS["metric"] for point in entry_points(group=group)}


def _root(module: str) -> str:
    return module.partition(":")[0].partition(".")[0]


def check_combine(metric: Any, rows: FloatArray) -> None:
    """Whether `combine` gives for many sums at once what it gives for each: intervals and tests rest on
    it."""
    kinds, methods = (type(metric._named_measure), type(metric)), ("combine", "value_of")
    made = [(name, getattr(kind, name)) for name in methods for kind in kinds if not _inherited(kind, name)]
    if not len(rows) or not made:
        return
    where = f"{metric.name}: {made[0][0]} ({place(made[0][1])})"
    sums = rows.sum(axis=0)
    # one more than there are columns, so that no confusion of the two goes unnoticed
    count = len(sums) + 1
    some = np.array([rows[: 1 + k * len(rows) // count].sum(axis=0) for k in range(count - 1)] + [sums])
    each = [_values(metric, one, (), where) for one in some]
    try:
        many = _values(metric, some, (count,), where)
    except UsageError:
        raise
    except Exception as error:
        raise UsageError(
            f"{where} is not vectorised: for sums of shape {some.shape} it fails with"
            f" {type(error).__name__}: {error}.",
            hint="Take the last axis, sums[..., 0] in place of sums[0], and numpy functions in place of if.",
        ) from error
    for key, values in many.items():
        alone = np.array([one[key] for one in each])
        if not np.allclose(alone, values, rtol=1e-9, atol=1e-12, equal_nan=True):
            raise UsageError(
                f"{where} is not vectorised: for {count} sums at once {key!r} is {_few(values)}, and for each"
                f" alone {_few(alone)}.",
                hint="Take the last axis: sums[..., 0] in place of sums[0].",
            )


def _values(metric: Any, sums: FloatArray, shape: tuple[int, ...], where: str) -> dict[str, FloatArray]:
    given = sums.copy()
    with np.errstate(invalid="ignore", divide="ignore"):
        found: Any = metric.combine(given)
    if not np.array_equal(given, sums, equal_nan=True):
        raise UsageError(
            f"{where} changes the sums that it is given, so that everything after it is wrong.",
            hint="Compute new arrays: a / b in place of a /= b.",
        )
    if not isinstance(found, Mapping) or "value" not in found:
        seen = (
            f"the keys {', '.join(map(repr, found))}" if isinstance(found, Mapping) else type(found).__name__
        )
        raise UsageError(
            f"{where} gives {seen}; a dict with the key 'value' is needed.",
            hint='Write return {"value": sums[..., 0] / sums[..., 1]}.',
        )
    out = {}
    for key, given in found.items():
        values = real_numbers(given, f"{where} gave under {key!r}")
        if values.shape != shape:
            raise UsageError(
                f"{where} is not vectorised: for sums of shape {sums.shape} it gives {key!r} of shape"
                f" {values.shape} in place of {shape}.",
                hint="Take the last axis: sums[..., 0] in place of sums[0].",
            )
        out[str(key)] = values
    return out


def real_numbers(values: object, what: str) -> FloatArray:
    """As an array of real numbers; text, complex numbers and other things are an error."""
    try:
        found = np.asarray(values)
        if found.dtype.kind == "O":
            found = found.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise UsageError(f"{what} no numbers: {error}.", hint="Values are numbers.") from None
    if found.dtype.kind not in "bifu":
        kind = {"c": "complex numbers", "U": "text", "S": "bytes"}.get(found.dtype.kind, str(found.dtype))
        raise UsageError(f"{what} no numbers: they are {kind}.", hint="Values are real numbers.")
    return np.asarray(found, dtype=np.float64)


def checked_statistics(scorer: Any, rows: object, pairs: int) -> FloatArray:
    """The additive statistics of pairs: a row of finite numbers for each, with a number per column."""
    columns, where = scorer.traits.pair_columns, gave(scorer, "statistics_indexed")
    found = real_numbers(rows, where)
    fits = found.shape == (pairs, len(columns))
    if not fits or not np.isfinite(found).all():
        wrong = "numbers that are not finite" if fits else f"rows of shape {found.shape}"
        raise UsageError(
            f"{where} {wrong} for {pairs:,} pairs and the {len(columns)} columns {', '.join(columns)}.",
            hint="statistics_indexed gives one row per pair and one number per name in pair_columns.",
        )
    return found


def checked_values(scorer: Any, values: object, sums: FloatArray) -> FloatArray:
    """What `value_of` of a foreign scorer makes of sums: a number for each."""
    where = gave(scorer, "value_of")
    found = real_numbers(values, where)
    if found.shape != sums.shape[:-1]:
        raise UsageError(
            f"{where} values of shape {found.shape} for sums of shape {sums.shape}.",
            hint="Take the last axis: sums[..., 0] in place of sums[0].",
        )
    return found


def check_value(metric: Any, value: float, documents: int) -> None:
    """Of all documents together."""
    if not np.isfinite(value):
        where = f"{metric.name}: combine ({place(type(metric).combine)})"
        raise UsageError(
            f"{where} gives {value:g} for all {documents:,} documents together.",
            hint="Its value is a finite number; np.maximum(sums[..., 1], 1) keeps from dividing by zero.",
        )
    if metric.percent and abs(value) > 1:
        warn_once(
            f"{metric.name} gives values beyond 1, and tables print them times 100. If it is no share, write"
            " percent = False in its class."
        )


def _few(values: FloatArray) -> str:
    shown = ", ".join(f"{value:.4g}" for value in values[:3].tolist())
    return f"{shown}, …" if len(values) > 3 else shown
