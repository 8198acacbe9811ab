"""The rules for filters: named, each with an example."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from fathom.offline.filters.above_average import above_average
from fathom.offline.filters.alternatives import alternatives
from fathom.offline.filters.bought_or_sold import bought_or_sold
from fathom.offline.filters.compared_columns import compared_columns
from fathom.offline.filters.earliest import earliest
from fathom.offline.filters.extra_columns import extra_columns
from fathom.offline.filters.flagged_features import flagged_features
from fathom.offline.filters.has_or_lacks import has_or_lacks
from fathom.offline.filters.lateness import lateness
from fathom.offline.filters.number_bounds import number_bounds
from fathom.offline.filters.question_facts import FilterReading
from fathom.offline.filters.records import Restriction
from fathom.offline.filters.states import states
from fathom.offline.filters.stock import stock
from fathom.offline.filters.texts import texts
from fathom.offline.filters.times import times
from fathom.offline.filters.under_way import under_way
from fathom.offline.filters.unset_flags import unset_flags
from fathom.offline.grammars.ages import aged
from fathom.offline.grammars.durations import lasting
from fathom.offline.roles import in_roles
from fathom.offline.rule import OfflineRule, distinct


@dataclass(frozen=True)
class FilterRule(OfflineRule[Callable[[FilterReading], Iterator[Restriction]]]):
    """A rule for filters. It finds nothing at words that a rule which it `yields_to` reads."""

    yields_to: tuple[str, ...] = ()
    gives: ClassVar[tuple[str, ...]] = ("places", "needed", "learned", "applied")

    def finds(self, reading: Any) -> tuple[Any, ...]:
        """Everything that the rule finds, but for what it leaves to others."""
        theirs = reading.places(*self.yields_to)
        return tuple(r for r in super().finds(reading) if theirs.isdisjoint(r.places))


OWNED: tuple[FilterRule, ...] = (
    FilterRule("bought_or_sold", bought_or_sold, "Which tracks were never sold?", "chinook"),
    FilterRule(
        "has_or_lacks",
        has_or_lacks,
        "orders without a shipping date",
        "northwind",
        yields_to=("bought_or_sold",),
    ),
)
"""Rules for what belongs to rows or doesn't, which may be open where words stand behind."""

TIMES = FilterRule(
    "times", times, "orders placed since March 2022", "shop", yields_to=("under_way", "earliest")
)
"""A year of which nothing is said is said apart only alone: next to other filters, the rest has it."""

OTHERS: tuple[FilterRule, ...] = (
    FilterRule("alternatives", alternatives, "customers from neither Brazil nor France", "shop"),
    FilterRule("under_way", under_way, "How many loans were running on 12 June 2022?", "library"),
    FilterRule("earliest", earliest, "customers whose first order was after June 2022", "shop"),
    FilterRule("texts", texts, "Which tracks have Love in their name?", "chinook"),
    FilterRule("flagged_features", flagged_features, "cottages without a garden", "cottages"),
    FilterRule("number_bounds", number_bounds, "invoices with a total of 5 or more", "chinook"),
    FilterRule(
        "above_average",
        above_average,
        "products that cost more than the average of their own category",
        "shop",
    ),
    FilterRule("compared_columns", compared_columns, "orders shipped after the required date", "northwind"),
    FilterRule("lateness", lateness, "How many loans were returned late?", "library"),
    FilterRule("stock", stock, "products out of stock", "northwind"),
    TIMES,
    FilterRule("duration_bounds", lasting, "loans that lasted more than 30 days", "library"),
    FilterRule("age_bounds", aged, "employees older than 60", "northwind"),
    FilterRule("roles", in_roles, "How many flights go from Boston to Denver?", "airline"),
    FilterRule("extra_columns", extra_columns, "customers from Canada with their email addresses", "chinook"),
)

ADJECTIVES: tuple[FilterRule, ...] = (
    FilterRule("states", states, "open loans", "library"),
    FilterRule("unset_flags", unset_flags, "inactive merchants", "wallet"),
)
"""Rules for adjectives, which say nothing where another rule reads their words."""

FILTERS = distinct((*OWNED, *OTHERS, *ADJECTIVES))
