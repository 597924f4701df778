"""Pay of a study: per HIT, per hour and in all. `new`, `plan`, the dashboard and the analysis all take
their figures from here.

>>> pay = Pay(hits=120, price=0.99, fee=0.2, currency="USD", seconds=21 * 60)
>>> pay.sentence
'120 HITs at 0.99 USD plus 20% fee: 142.56 USD; 2.83 USD per hour (about 21 minutes per HIT).'
>>> pay.warning(8.0)[:65]
'WARNING: 0.99 USD for about 21 minutes is 2.83 USD per hour, less'
>>> fair_price(21 * 60, 8.0)
2.8
"""

import math
import statistics
from collections.abc import Iterable

import msgspec

from ...captions import Rating
from ...errors import UsageError, many

#: pay per hour below which a study warns; a number for these currencies only
HOURLY, KNOWN = 8.0, ("USD", "EUR", "GBP", "CHF")
#: what platforms add to the pay unless stated otherwise
FEES = {"local": 0.0, "mturk": 0.2, "prolific": 1 / 3}


class Pay(msgspec.Struct, frozen=True):
    """So many paid HITs; `seconds` is what one takes (0: not known)."""

    hits: int
    price: float
    fee: float
    currency: str
    seconds: float = 0.0
    #: nobody said what was paid: this is the price of Graham et al. (2018)
    assumed: bool = False

    @property
    def total(self) -> float:
        return self.hits * self.price * (1 + self.fee)

    @property
    def hourly(self) -> float | None:
        return self.price * 3600 / self.seconds if self.seconds else None

    @property
    def duration(self) -> str:
        return f"about {many(max(1, round(self.seconds / 60)), 'minute')}"

    @property
    def rate(self) -> str:
        """Per HIT and per hour."""
        if not self.price:
            return "unpaid"
        hour = f", {self.hourly:,.2f} {self.currency} per hour" if self.hourly else ""
        time = f" of {self.duration}" if self.seconds else ""
        return f"{self.price:.2f} {self.currency} per HIT{time}{hour}"

    @property
    def bill(self) -> str:
        return (
            f"{self.hits:,} x {self.price:.2f} {self.currency} + {self.fee:.0%} fee ="
            f" {self.total:,.2f} {self.currency}"
        )

    @property
    def sentence(self) -> str:
        """The same in one line."""
        hour = self.hourly
        more = (
            f"; {hour:,.2f} {self.currency} per hour ({self.duration} per HIT)" if hour and self.price else ""
        )
        unknown = "The pay is not known; at the price of the paper: " if self.assumed else ""
        return (
            f"{unknown}{many(self.hits, 'HIT')} at {self.price:.2f} {self.currency} plus {self.fee:.0%} fee:"
            f" {self.total:,.2f} {self.currency}{more}."
        )

    def warning(self, least: float) -> str:
        """What to say where raters earn less per hour than `least`; else nothing. Unpaid work has no rate."""
        hour = self.hourly
        if not hour or not self.price or hour >= least * 0.995:
            return ""
        enough = fair_price(self.seconds, least)
        return (
            f"WARNING: {self.price:.2f} {self.currency} for {self.duration} is {hour:,.2f} {self.currency}"
            f" per hour, less than {least:.2f} (--hourly). Pay {enough:.2f} per HIT: --price {enough:.2f}"
        )


def of_paper(hits: int, price: float | None = None) -> Pay:
    """What so many HITs cost at a price, or at that of Graham et al. (2018): 0.99 USD and a fee of 20 %."""
    return Pay(hits, 0.99 if price is None else price, 0.2, "USD", assumed=price is None)


def stated(
    pay: Pay | None,
    hits: int,
    *,
    price: float | None = None,
    fee: float | None = None,
    currency: str | None = None,
) -> Pay:
    """What a campaign says that it paid, with what is stated otherwise; else so many HITs at that price."""
    given = {"price": price, "fee": fee, "currency": currency}
    changes = {name: value for name, value in given.items() if value is not None}
    return msgspec.structs.replace(pay or of_paper(hits, price), **changes)


def fair_price(seconds: float, hourly: float) -> float:
    """The pay for a HIT of so many seconds, rounded up to hundredths."""
    return math.ceil(round(hourly * seconds / 36, 6)) / 100


def least_hourly(hourly: float | None, currency: str, price: float | None) -> float:
    """The pay per hour below which there is a warning (0: none)."""
    if hourly is not None:
        return hourly
    if currency.upper() in KNOWN:
        return HOURLY
    if price is None:
        raise UsageError(
            f"There is no usual pay per hour in {currency}.",
            hint="State it (--hourly), or the pay per HIT (--price).",
        )
    return 0.0


def measured_seconds(records: Iterable[Rating]) -> float:
    """The median time of a finished HIT, by the server's clock; 0 where none is finished."""
    places = {
        (one.meta["assignment"], one.position): one.seconds
        for one in records
        if one.seconds is not None and one.meta.get("state") == "done"
    }
    spent: dict[int, float] = {}
    for (number, _), seconds in places.items():
        spent[number] = spent.get(number, 0.0) + seconds
    return statistics.median(spent.values()) if spent else 0.0


def pooled(pays: Iterable[Pay]) -> Pay | None:
    """What several campaigns pay together; None where their pay has no common measure."""
    found = list(pays)
    if not found or len({(one.currency, one.price, one.fee) for one in found}) > 1:
        return None
    hits = sum(one.hits for one in found)
    timed = [one for one in found if one.seconds]
    weight = sum(one.hits for one in timed)
    seconds = sum(one.hits * one.seconds for one in timed) / weight if weight else 0.0
    return msgspec.structs.replace(found[0], hits=hits, seconds=seconds)
