"""What a run may spend on judges (`judge(...)`), for every verb that scores.

The options stand in the context and not among the arguments of the verbs: none has to pass them on."""

from __future__ import annotations

import contextlib
import functools
import sys
from typing import TYPE_CHECKING, Any

import click

from ..errors import UsageError
from ..progress import Progress
from ._declare import FROM_ZERO, POSITIVE, option, together
from ._options import Bars, say

if TYPE_CHECKING:
    from ..context import Budget, Estimate

#: where the context keeps them
KEY = "storymeter.judging."


class _Price(click.ParamType):  # type: ignore[type-arg]  # not generic before click 8.4
    name = "price"

    def convert(self, value: Any, param: Any, context: Any) -> tuple[float, float]:
        if isinstance(value, tuple):
            return value
        parts = value.split("/")
        try:
            prices = float(parts[0]), float(parts[-1])
        except ValueError:
            prices = (-1.0, -1.0)
        if len(parts) > 2 or not all(0 <= price < 1e9 for price in prices):
            self.fail(f"{value!r} is not a price; write it like 0.15/0.60 (a million tokens in and out).")
        return prices


def _keep(context: click.Context, option: click.Parameter, value: Any) -> None:
    if value or f"{KEY}{option.name}" not in context.meta:
        context.meta[f"{KEY}{option.name}"] = value


def _keep_all(context: click.Context, _: click.Parameter, text: str | None) -> None:
    """`requests=100,deadline=60,price=0.15/0.60,yes`, each as the option of its own would be."""
    for part in text.split(",") if text else ():
        key, _equals, value = (piece.strip() for piece in part.partition("="))
        if key not in _JUDGE or (key == "yes") == bool(value):
            hint = "Write it like --judge requests=100,deadline=60,price=0.15/0.60,yes"
            raise UsageError(f"--judge cannot be {text!r}.", hint=hint)
        name, kind = _JUDGE[key]
        context.meta[f"{KEY}{name}"] = True if kind is None else kind.convert(value, None, context)


#: key of --judge -> name of the option, its type
_JUDGE: dict[str, tuple[str, click.ParamType | None]] = {  # type: ignore[type-arg]
    "requests": ("max_requests", FROM_ZERO),
    "deadline": ("deadline", POSITIVE),
    "price": ("token_price", _Price()),
    "yes": ("yes", None),
}
_option = functools.partial(option, expose_value=False, callback=_keep)
judging_options = together(
    option(
        "--judge",
        "Limits of judges in one: requests=100,deadline=60,price=0.15/0.60,yes; each is also an option of its"
        " own.",
        expose_value=False,
        callback=_keep_all,
        metavar="LIMITS",
    ),
    _option("--max-requests", "Judges: maximum number of requests.", FROM_ZERO, metavar="N"),
    _option(
        "--deadline",
        "Judges: stop after this time; answers received so far are kept.",
        POSITIVE,
        metavar="SECONDS",
    ),
    _option(
        "--token-price",
        "Judges: price of a million tokens in and out, for the estimate of the cost.",
        _Price(),
        metavar="IN/OUT",
    ),
    _option("--yes", "Judges: send requests without asking for confirmation.", bool),
)


def budget(progress: Progress) -> Budget:
    """What the options of the present verb allow; in a terminal somebody is asked before anything is sent."""
    from ..context import Budget

    context = click.get_current_context(silent=True)
    given = {} if context is None else context.meta

    def ask(estimate: Estimate) -> bool:
        if given.get(f"{KEY}yes") or not (sys.stdin.isatty() and sys.stderr.isatty()):
            say(f"Judge: {estimate}.")
            return True
        with progress.paused() if isinstance(progress, Bars) else contextlib.nullcontext():
            return click.confirm(f"Judge: {estimate}. Send them?", err=True)

    made = Budget(
        max_requests=given.get(f"{KEY}max_requests"),
        deadline=given.get(f"{KEY}deadline"),
        price=given.get(f"{KEY}token_price"),
        ask=ask,
    )
    if context is not None:
        context.call_on_close(functools.partial(_say_sum, made))
    return made


def _say_sum(spent: Budget) -> None:
    """What was sent in all, retries among it."""
    if spent.sent:
        cost = spent.cost(spent.tokens_in, spent.tokens_out)
        price = "" if cost is None else f", {cost:,.4g} in the currency of --token-price"
        say(
            f"Judge: sent {spent.sent:,} requests in all, {spent.tokens_in:,} tokens in and"
            f" {spent.tokens_out:,} out{price}."
        )
