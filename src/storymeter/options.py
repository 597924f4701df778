"""Options: what a measure, a protocol or a transformation can be told. Declared once, checked wherever they
come from.

A class with options is a frozen dataclass on `Options`, its fields made by `option`:

    class Sample(Options):
        share: float = option(0.5, "how much is kept", low=0, high=1)
        kind: Literal["first", "random"] = option("random", "which captions are kept")

The annotation gives type and choices, `option` the default, one sentence and the bounds. From that follow the
check of a value given in Python, the reading of a value given as text, what is printed (only what differs
from the default), equality, hash and a `repr` that is Python. Functions (`sample(m=0.5)`) declare options by
their signature.

Names of metrics and scorers are values: they parse from a string and print back to the same string.

    name            = word [ "(" option ("," option)* ")" ]
    option          = word "=" value          (a value may itself be a name with options)

>>> name = parse("soda_c(scorer=meteor(task=adq), refs=best)")
>>> name.word, name.options["scorer"]
('soda_c', 'meteor(task=adq)')
>>> str(name)
'soda_c(scorer=meteor(task=adq),refs=best)'
>>> split("bleu_4,soda_a(scorer=cider, refs=best)")
['bleu_4', 'soda_a(scorer=cider, refs=best)']
"""

from __future__ import annotations

import dataclasses
import inspect
import math
import numbers
import re
import types
import typing
from collections.abc import Callable, Mapping
from contextlib import suppress
from copy import copy
from typing import Any, ClassVar, Literal, NamedTuple, TypeVar

from .errors import UsageError, suggest

T = TypeVar("T", bound="Options")
LONGEST = 500  # no name needs more, and options within options are parsed by recursion
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_\-]*\Z")


class Name(NamedTuple):
    word: str
    options: Mapping[str, str]

    def __str__(self) -> str:
        inner = ",".join(f"{key}={value}" for key, value in self.options.items())
        return f"{self.word}({inner})" if inner else self.word


def split(text: str) -> list[str]:
    """Cut a list at its commas, but not at those inside parentheses."""
    parts, depth, begin = [], 0, 0
    for position, char in enumerate(text):
        depth += (char == "(") - (char == ")")
        if char == "," and depth == 0:
            parts.append(text[begin:position])
            begin = position + 1
    parts.append(text[begin:])
    return [part.strip() for part in parts if part.strip()]


def parse(text: str) -> Name:
    if len(text) > LONGEST:
        raise UsageError(
            f"The name {text[:40]!r}… has {len(text):,} characters.",
            hint="Names look like bleu_4 or soda_c(scorer=meteor).",
        )
    head, bracket, rest = text.strip().partition("(")
    options: dict[str, str] = {}
    if bracket:
        if not rest.endswith(")") or rest.count("(") != rest.count(")") - 1:
            raise UsageError(
                f"The name {text!r} has unbalanced parentheses.",
                hint="Write it like soda_c(scorer=meteor,refs=best).",
            )
        for option in split(rest[:-1]):
            key, equals, value = option.partition("=")
            key = key.strip()
            if not equals or not _WORD.match(key) or not value.strip():
                raise UsageError(
                    f"In {text!r}, the option {option!r} is not of the form key=value.",
                    hint="Write it like soda_c(scorer=meteor,refs=best).",
                )
            if key in options:
                raise UsageError(f"In {text!r}, the option {key!r} is given twice.", hint="Give it once.")
            options[key] = _tidy(value)
    if not _WORD.match(head.strip()):
        raise UsageError(f"{text!r} is not a name.", hint="Names look like bleu_4 or soda_c(scorer=meteor).")
    return Name(head.strip(), options)


def _tidy(value: str) -> str:
    value = value.strip()
    if "(" in value and _WORD.match(value.partition("(")[0].strip()):
        with suppress(UsageError):  # a text such as `model(2)` is no name
            return str(parse(value))
    return value


#: the names of `text.tokenizers.TOKENIZERS`
Tokenizer = Literal["ptb", "whitespace", "none", "13a", "intl", "zh", "ja"]
#: those for text without blanks, whose characters are all above U+007F
UNSPACED = ("ja", "zh")
#: a scorer's own tokenizer, or that of the run
ScorerTokenizer = Literal["run", "ptb", "whitespace", "none", "13a", "intl", "zh", "ja"]


def option(
    default: Any, sentence: str, *, low: float | None = None, high: float | None = None, always: bool = False
) -> Any:
    """A field of a class with options; `low` and `high` bound a number, both inclusive; `always` prints it in
    the name although it is the default."""
    told = {"sentence": sentence, "low": low, "high": high, "always": always}
    return dataclasses.field(default=default, metadata=told)


def bound(default: Any) -> Any:
    """A field that is no option: a run sets it (`Metric.under`), nobody writes it in a name. It is part of
    the value all the same: pickled, copied and compared with the options."""
    return dataclasses.field(default=default, init=False)


class Option(typing.NamedTuple):
    """One option as it was declared."""

    name: str
    type: Any
    default: Any
    sentence: str = ""
    low: float | None = None
    high: float | None = None
    always: bool = False

    @property
    def choices(self) -> tuple[Any, ...]:
        return typing.get_args(self.type) if typing.get_origin(self.type) is typing.Literal else ()

    def check(self, value: Any, owner: str) -> Any:
        """The value, or a UsageError that says what fits; a measure may be given by its name."""
        if self._fits(value):
            return value
        if isinstance(value, str) and (build := getattr(self.type, "_from_text", None)) is not None:
            return build(value)
        raise self._wrong(value, owner)

    def parse(self, text: str, owner: str) -> Any:
        """A value given as text."""
        value: Any = text
        if not self.choices:
            reader = _READERS.get(self.type) or getattr(self.type, "_from_text", None) or str
            try:
                value = reader(text)
            except ValueError:
                raise self._wrong(text, owner) from None
        if not self._fits(value):
            raise self._wrong(text, owner)
        return value

    def print(self, value: Any) -> str:
        if isinstance(value, tuple):
            return "/".join(map(self.print, value))
        if isinstance(value, bool):
            return str(value).lower()
        return str(value).removesuffix(".0") if isinstance(value, numbers.Real) else str(value)

    def check_readable(self, value: Any, owner: str) -> None:
        """Raises a UsageError for a text that cannot be read back from a name with this option."""
        if self.type is not str or value == self.default:
            return
        name = str(Name("x", {self.name: value}))
        try:
            readable = split(name) == [name] and parse(name).options == {self.name: value}
        except UsageError:
            readable = False
        if not readable:
            raise UsageError(
                f"{owner}: {self.name} cannot be {_shown(value)}, which cannot be read back from the name of"
                " the measure.",
                hint="It is text without commas, unbalanced parentheses and outer blanks, in a name of at"
                f" most {LONGEST} characters; rename or link a file or folder of another name.",
            )

    def _fits(self, value: Any) -> bool:
        if self.choices:
            return isinstance(value, str | int) and value in self.choices
        if self.type in (int, float):
            kind = numbers.Integral if self.type is int else numbers.Real
            return isinstance(value, kind) and not isinstance(value, bool) and self._within(float(value))
        if self.type == tuple[float, ...]:
            return isinstance(value, tuple) and bool(value) and all(self._within(float(v)) for v in value)
        return not isinstance(self.type, type) or isinstance(value, self.type)

    def _within(self, value: float) -> bool:
        low = -math.inf if self.low is None else self.low
        return low <= value <= (math.inf if self.high is None else self.high) and math.isfinite(value)

    def _wrong(self, value: Any, owner: str) -> UsageError:
        if self.choices:
            fits = f"one of {', '.join(map(str, self.choices))}"
        elif self.type in (int, float):
            kind = "a whole number" if self.type is int else "a number"
            bounds = [
                f"{word} {bound:g}"
                for word, bound in (("at least", self.low), ("at most", self.high))
                if bound is not None
            ]
            fits = " ".join([kind, " and ".join(bounds)]).strip()
        elif self.type == tuple[float, ...]:
            fits = "numbers like .3/.5/.7"
        else:
            named = getattr(self.type, "_example", getattr(self.type, "__name__", ""))
            fits = {bool: "true or false", str: "text"}.get(self.type, named)
        hint = f"It is {fits}."
        if isinstance(value, type) and isinstance(self.type, type) and issubclass(value, self.type):
            hint = f"{value.__name__} is a class: write {value.__name__}(), an object."
        return UsageError(f"{owner}: {self.name} cannot be {_shown(value)}.", hint=hint)


def _shown(value: Any) -> str:
    return (repr(value) if isinstance(value, str) else str(value))[:80]


def constant(value: Any) -> str:
    """A value that never changes, as text that is the same in every process; '' for any other.

    >>> constant((1, frozenset("ba"))), constant([1]), constant((print,))
    ("(1, {'a', 'b'})", '', '')
    """
    if isinstance(value, (tuple, frozenset)):
        parts = [constant(each) for each in value]
        left, right = "()" if isinstance(value, tuple) else "{}"
        listed = parts if isinstance(value, tuple) else sorted(parts)
        return f"{left}{', '.join(listed)}{right}" if all(parts) else ""
    return repr(value) if isinstance(value, (str, bytes, int, float)) else ""


def _boolean(text: str) -> bool:
    if text.lower() not in ("true", "false", "yes", "no"):
        raise ValueError(text)
    return text.lower() in ("true", "yes")


_READERS: dict[Any, Callable[[str], Any]] = {
    bool: _boolean,
    int: int,
    float: float,
    tuple[float, ...]: lambda text: tuple(float(part) for part in text.split("/")),
}


_DECLARED: dict[Any, Mapping[str, Option]] = {}


def options_of(factory: Callable[..., Any]) -> Mapping[str, Option]:
    """The options that a class or a function declares, in order."""
    if factory in _DECLARED:
        return _DECLARED[factory]
    if inspect.isclass(factory) and dataclasses.is_dataclass(factory):
        hints = typing.get_type_hints(factory)
        found = {
            field.name: Option(field.name, _plain(hints[field.name]), field.default, **field.metadata)
            for field in dataclasses.fields(factory)
            if field.init
        }
    else:
        call = factory.__init__ if inspect.isclass(factory) else factory
        hints = typing.get_type_hints(call)
        found = {
            key: Option(key, _plain(hints.get(key, str)), parameter.default)
            for key, parameter in inspect.signature(call).parameters.items()
            if key != "self" and parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
        }
    return _DECLARED.setdefault(factory, found)


def _plain(hint: Any) -> Any:
    """`X | None` is read as X."""
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        kinds = [kind for kind in typing.get_args(hint) if kind is not type(None)]
        return kinds[0] if len(kinds) == 1 else object
    return hint


def parse_options(
    factory: Callable[..., Any], name: Name, *, hidden: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """The options of a name as values; `hidden` are those that the name itself stands for."""
    known = {key: each for key, each in options_of(factory).items() if key not in (hidden or {})}
    wrong = next((key for key in name.options if key not in known), None)
    if wrong is not None:
        hint = suggest(wrong, known) if known else "It takes none."
        raise UsageError(f"{name.word} has no option {wrong!r}.", hint=hint)
    given = {key: known[key].parse(text, name.word) for key, text in name.options.items()}
    return {**(hidden or {}), **given}


def changed_options(made: Options) -> dict[str, Any]:
    """The options whose values are not the default."""
    if not dataclasses.is_dataclass(made):  # a class of the user's own without options
        return {}
    declared = options_of(type(made))
    return {key: value for key, each in declared.items() if (value := getattr(made, key)) != each.default}


def with_bound(made: T, **fields: Any) -> T:
    """A copy whose bound fields (`bound`) have these values."""
    other = copy(made)  # of options and bound fields alone: see `Options.__getstate__`
    for key, value in fields.items():
        object.__setattr__(other, key, value)
    return other


class Options:
    """The base of frozen dataclasses whose fields are options."""

    __dataclass_fields__: ClassVar[dict[str, dataclasses.Field[Any]]]
    _own: ClassVar[bool] = True  # see `measure.is_own`

    def __post_init__(self) -> None:
        for key, each in options_of(type(self)).items():
            object.__setattr__(self, key, each.check(getattr(self, key), self._owner()))
        self._check_options()

    def _check_options(self) -> None:
        """What must hold between several options; raises a UsageError."""
        older = getattr(type(self), "validate", None)  # an earlier name, which plug-ins may define
        if older is not None:
            older(self)

    def _owner(self) -> str:
        return type(self).__name__

    def __repr__(self) -> str:
        inner = ", ".join(f"{key}={value!r}" for key, value in changed_options(self).items())
        return f"{type(self).__name__}({inner})"

    def __getstate__(self) -> dict[str, Any]:
        """Options and bound fields travel; what was loaded or remembered beside them is made again."""
        if not dataclasses.is_dataclass(self):
            return self.__dict__
        return {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
