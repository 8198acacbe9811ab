"""The rules for filters: named, each with an example."""

from collections.abc import Callable, Iterator

from fathom.offline.filters.above_average import Averages
from fathom.offline.filters.alternatives import Alternatives
from fathom.offline.filters.bought_or_sold import Traded
from fathom.offline.filters.compared_columns import ColumnComparisons
from fathom.offline.filters.earliest import earliest
from fathom.offline.filters.flagged_features import having
from fathom.offline.filters.has_or_lacks import Belongings
from fathom.offline.filters.lateness import lateness
from fathom.offline.filters.number_bounds import measured
from fathom.offline.filters.question_facts import FilterReading
from fathom.offline.filters.records import Restriction
from fathom.offline.filters.states import states
from fathom.offline.filters.stock import stocked
from fathom.offline.filters.texts import holding
from fathom.offline.filters.times import said_times
from fathom.offline.filters.under_way import under_way
from fathom.offline.filters.unset_flags import flagged
from fathom.offline.grammars.ages import aged
from fathom.offline.grammars.durations import lasting
from fathom.offline.roles import in_roles
from fathom.offline.rule import OfflineRule

FilterRule = OfflineRule[Callable[[FilterReading], Iterator[Restriction]]]


def _bought_or_sold(reading: FilterReading) -> Iterator[Restriction]:
    lines, verbs = reading.amounts.lines, reading.trade_verbs
    traded = Traded(reading.linking, reading.planner, reading.profiles, lines, verbs)
    yield from traded.read(reading.text)


def _has_or_lacks(reading: FilterReading) -> Iterator[Restriction]:
    """Things that rows have or lack, but for those that are sold, and those told "with their" columns."""
    taken = reading.places("bought_or_sold") | {i for t in reading.tellings if t.theirs for i in t.places}
    had = Belongings(reading.linking, reading.planner, reading.profiles).read(reading.text)
    yield from (b for b in had if taken.isdisjoint(b.places))


def _times(reading: FilterReading) -> Iterator[Restriction]:
    """Times, but for those of what runs or was first, and for years of sums, which have these themselves."""
    lacked = reading.places("bought_or_sold", "has_or_lacks")
    taken = reading.places("under_way", "earliest") - lacked
    kept = tuple(t for one in reading.amounts.lines for t in (one.table.name, *sorted(one.heads)))
    said = said_times(
        reading.text, reading.linking, reading.dates, lacked, traded=reading.trade_verbs, kept=kept
    )
    for time in said:
        if taken.isdisjoint(time.places) and (time.needed or not reading.has_years_itself):
            yield time


def _roles(reading: FilterReading) -> Iterator[Restriction]:
    roles = in_roles(reading.linking, reading.planner, reading.names)
    if roles is not None:
        yield roles


def _extra_columns(reading: FilterReading) -> Iterator[Restriction]:
    """Columns to show, but for words that say what rows have or that compare a number."""
    taken = reading.places("bought_or_sold", "has_or_lacks", "number_bounds")
    yield from (t for t in reading.tellings if t.theirs or taken.isdisjoint(t.places))


OWNED: tuple[FilterRule, ...] = (
    FilterRule("bought_or_sold", _bought_or_sold, "Which tracks were never sold?", "chinook"),
    FilterRule("has_or_lacks", _has_or_lacks, "orders without a shipping date", "northwind"),
)
"""Rules for what belongs to rows or doesn't, which may be open where words stand behind."""

OTHERS: tuple[FilterRule, ...] = (
    FilterRule(
        "alternatives",
        lambda r: Alternatives(r.linking, r.planner).read(r.text),
        "customers from neither Brazil nor France",
        "shop",
    ),
    FilterRule(
        "under_way",
        lambda r: under_way(r.text, r.linking, r.dates, r.profiles),
        "How many loans were running on 12 June 2022?",
        "library",
    ),
    FilterRule(
        "earliest",
        lambda r: earliest(r.text, r.linking, r.dates, r.planner, r.profiles),
        "customers whose first order was after June 2022",
        "shop",
    ),
    FilterRule(
        "texts",
        lambda r: holding(r.text, r.linking, r.names),
        "Which tracks have Love in their name?",
        "chinook",
    ),
    FilterRule(
        "flagged_features",
        lambda r: having(r.text, r.linking, r.profiles),
        "cottages without a garden",
        "cottages",
    ),
    FilterRule(
        "number_bounds", lambda r: measured(r.linking), "invoices with a total of 5 or more", "chinook"
    ),
    FilterRule(
        "above_average",
        lambda r: Averages(r.linking, r.names).read(r.text),
        "products that cost more than the average of their own category",
        "shop",
    ),
    FilterRule(
        "compared_columns",
        lambda r: ColumnComparisons(r.linking, r.names, r.dates).read(),
        "orders shipped after the required date",
        "northwind",
    ),
    FilterRule(
        "lateness", lambda r: lateness(r.linking, r.dates), "How many loans were returned late?", "library"
    ),
    FilterRule(
        "stock",
        lambda r: stocked(r.text, r.linking, r.names),
        "products out of stock",
        "northwind",
    ),
    FilterRule("times", _times, "orders placed since March 2022", "shop"),
    FilterRule(
        "duration_bounds",
        lambda r: lasting(r.text, r.linking, r.dates),
        "loans that lasted more than 30 days",
        "library",
    ),
    FilterRule(
        "age_bounds",
        lambda r: aged(r.text, r.linking, r.dates),
        "employees older than 60",
        "northwind",
    ),
    FilterRule("roles", _roles, "How many flights go from Boston to Denver?", "airline"),
    FilterRule(
        "extra_columns", _extra_columns, "customers from Canada with their email addresses", "chinook"
    ),
)

ADJECTIVES: tuple[FilterRule, ...] = (
    FilterRule("states", lambda r: states(r.text, r.linking, r.dates, r.profiles), "open loans", "library"),
    FilterRule(
        "unset_flags",
        lambda r: flagged(r.text, r.linking, r.profiles),
        "inactive merchants",
        "wallet",
    ),
)
"""Rules for adjectives, which say nothing where another rule reads their words."""

FILTERS = (*OWNED, *OTHERS, *ADJECTIVES)
