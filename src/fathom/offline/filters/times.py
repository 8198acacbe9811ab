"""Times by which rows are restricted: "placed in the last 30 days", "since March 2021", "on weekends"."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from fathom.offline.checks.account import names_table
from fathom.offline.filters.question_facts import FilterReading
from fathom.offline.filters.time_phrases import Moment, moments
from fathom.offline.grammars.calendars import period_of
from fathom.offline.grammars.periods import PERIOD_WORDS, Dates, in_one_year
from fathom.offline.linking import ColumnKey, Linking
from fathom.offline.linking.levels import NAMED
from fathom.offline.linking.row_names import EACH
from fathom.offline.linking.wordlists import LIGHT
from fathom.offline.queries.query import (
    ColumnRef,
    ComparisonPredicate,
    Items,
    Literal,
    Query,
    Subquery,
    comparisons,
    mentioned_tables,
    rebuilt,
    restricted,
    restricted_within,
)
from fathom.records import Assumption

_FIRST_YEAR, _LAST_YEAR = 1500, 2100
_RELATIVE = frozenset("that which who whose whom where with and or but when".split())
_THAT_WERE = frozenset("that which were was are is have has been".split())
_PARTICLES = frozenset(("out", "up"))
_US = frozenset(("us", "here", "there", "them"))
_BETWEEN = _US | EACH | PERIOD_WORDS | {"were", "was", "are", "is", "there"}
"""Words that may stand between rows or their verb and a time: "papers per year from 2018 to 2021"."""


_Decided = tuple[()] | tuple[ColumnKey | None]
"""Nothing where something decides no date; else the date that is meant, or None where that isn't clear."""


@dataclass(frozen=True, slots=True)
class Timed:
    """A time by which the rows asked for are restricted, said at places of the tokens.

    `verb` is the stem of the verb before it, which may name a date ("shipped"). `table` is the one behind
    whose name it stands ("orders in May"). `orders` are tables of orders, where it says when something was
    sold. Where it is `learned`, nothing says what was then.
    """

    moment: Moment
    places: frozenset[int]
    verb: str
    dates: Dates
    table: str = ""
    orders: tuple[str, ...] = ()
    learned: bool = False

    @property
    def needed(self) -> bool:
        """True if the words can't be read otherwise: months and years are read by what is learned as well."""
        return self.moment.relative or self.moment.edge or bool(self.moment.unit)

    def applied(self, query: Query) -> tuple[Query, Assumption] | None:
        """The query with a condition on its date, within a query of what is not among, where that has it."""
        if query.source is not None or query.compound is not None:
            return None
        if self.moment.form == "%w" and (named := self.dates.named_days(mentioned_tables(query))):
            return self._on_named_days(query, named) if len(named) == 1 else None
        subqueries = [c for c in comparisons(query.where) if isinstance(c.right, Subquery)]
        own = self.table in {t.name for t in mentioned_tables(query)}
        if subqueries and not own and (self.orders or not self._named_by_verb(query)):
            return self._inside(query, subqueries)
        key = self._meant(query)
        return key and (self._within(query, key), self._told(key))

    def _inside(
        self, query: Query, subqueries: Sequence[ComparisonPredicate]
    ) -> tuple[Query, Assumption] | None:
        """The query with the condition inside the first of its subqueries that has the date.

        Rows are of that time that are *not* among others; those that are among them, only where they have
        been sold or have no date themselves.
        """
        outside = self.dates.near(mentioned_tables(replace(query, where=None)))
        operators = {"not in", "in"} if self.orders or not outside else {"not in"}
        for comparison in subqueries:
            inner = comparison.right
            key = self._meant(inner.query) if isinstance(inner, Subquery) else None
            if key is not None and comparison.operator in operators:
                is_then = self.moment.holds(key.in_query())
                return restricted_within(query, comparison, is_then), self._told(key)
        return None

    def _on_named_days(
        self, query: Query, named: Mapping[ColumnRef, tuple[str, ...]]
    ) -> tuple[Query, Assumption]:
        """The query of the rows of these days of the week, which one column holds by name."""
        ((column, days),) = named.items()
        names = Items(tuple(Literal(days[int(p)]) for p in self.moment.parts))
        told = f"The day of the week is {column.table.name}.{column.name}."
        return restricted(query, ComparisonPredicate(column, "in", names)), Assumption("column", told)

    def _within(self, query: Query, key: ColumnKey) -> Query:
        """The query of the rows of this time, whose quarters need no year where it is within one."""
        date = key.in_query()
        found: Query = restricted(query, self.moment.holds(date))
        if not in_one_year(found, date):
            return found
        long, short = (period_of("quarter", date, in_one_year=one) for one in (False, True))
        return rebuilt(found, lambda n: short if n == long else n)  # type: ignore[no-any-return]

    def _meant(self, query: Query) -> ColumnKey | None:
        """The date of which the time is said, by the first of these that decides it."""
        precedence = (self._by_table, self._by_rows_alone, self._by_sale, self._by_verb, self._by_nearness)
        return next((key for by in precedence for key in by(query)), None)

    def _by_table(self, query: Query) -> _Decided:
        """By the table behind whose name the time stands: it says of what the time is."""
        own = self.table in {t.name for t in mentioned_tables(query)}
        return (self.dates.meant(self.dates.of(self.table)),) if own else ()

    def _by_rows_alone(self, query: Query) -> _Decided:
        """By the rows themselves where nothing says what was then, if no number tells their year."""
        if not self.learned:
            return ()
        tables = {t.name for t in mentioned_tables(query)}
        own = [c for c in self.dates.near(mentioned_tables(query)) if c.table in tables]
        return (None if self.dates.numbered.intersection(tables) else self.dates.meant(own),)

    def _by_sale(self, query: Query) -> _Decided:
        """By the orders through which things were sold."""
        through = self.dates.tables_of(query) if self.orders else frozenset()
        own = next((d for t in self.orders if t in through and (d := self.dates.of(t))), None)
        return (self.dates.meant(own),) if own else ()

    def _by_verb(self, query: Query) -> _Decided:
        """By the verb, where it names one date."""
        named = self._named_by_verb(query)
        return (named[0],) if len(named) == 1 else ()

    def _by_nearness(self, query: Query) -> _Decided:
        """By what is meant of these rows anyway."""
        return (self.dates.meant(self.dates.near(mentioned_tables(query))),)

    def _named_by_verb(self, query: Query) -> list[ColumnKey]:
        """The dates of a query's tables that the verb names."""
        near = self.dates.near(mentioned_tables(query))
        told = self.dates.told_of(mentioned_tables(query))
        return self.dates.named(self.verb, near) or self.dates.named(self.verb, told)

    def _told(self, key: ColumnKey) -> Assumption:
        what = "day or month" if self.moment.form else "time"
        return Assumption("column", f"The {what} is that of {key.table}.{key.column}.")


@dataclass(frozen=True, slots=True)
class _Verb:
    """The word before a time that may say what was then: its stem, its place, and words that go with both."""

    stem: str
    place: int
    words: frozenset[int] = frozenset()


def times(reading: FilterReading) -> Iterator[Timed]:
    """Give the times that a question names, where its words are no value and name no column.

    Years alone aren't, where the question asks for a sum, which has its years itself.
    """
    linking, earlier = reading.linking, set[int]()
    for moment in moments(reading.text):
        places = linking.places(moment.start, moment.end)
        earlier |= places
        if not places or _is_value_or_unit(linking, places, moment.unit) or _in_name(linking, places):
            continue
        if len(places) == 1 and moment.verbal and _is_amount(linking, places):
            continue
        verb = _verb_before(linking, min(places) - 1, earlier, reading.dates.stems)
        time = _of_whose_date(reading, moment, places | verb.words, verb)
        if time.needed or not reading.has_years_itself:
            yield time


def _verb_before(linking: Linking, place: int, times: Collection[int], dated: Collection[str]) -> _Verb:
    """The verb up to a place, or what stands there, but for other `times` and words that say nothing.

    Where the verb says only that rows are there, and these are called as a date is, they say what was then.
    """
    tokens = linking.tokens
    while place in times or (place > 0 and tokens[place].lower in _BETWEEN):
        place -= 1
    stem = tokens[place].stem if place >= 0 else ""
    if place > 0 and tokens[place].lower in _PARTICLES:
        for verb in (f"{tokens[place - 1].stem}-{tokens[place].lower}", tokens[place - 1].stem):
            if verb in dated:
                return _Verb(verb, place, frozenset((place - 1, place)))
    rows = _behind_verb(linking, place)
    if rows < place and stem not in dated and tokens[rows].stem in dated:
        return _Verb(tokens[rows].stem, rows)
    return _Verb(stem, place)


def _of_whose_date(reading: FilterReading, moment: Moment, places: frozenset[int], verb: _Verb) -> Timed:
    """A time, with what says whose date it is of: a verb that names one, a sale, or the rows before it."""
    linking, dates = reading.linking, reading.dates
    named = verb.stem in dates.stems
    sold = _sold_then(linking, min(places), reading.trade_verbs)
    table = _of_rows(linking, verb.place, dates)
    had = verb.place in reading.places("bought_or_sold", "has_or_lacks")
    if moment.verbal and not (named or sold or table or had):
        return Timed(moment, places, verb.stem, dates, learned=True)
    if sold:
        orders = (t for one in reading.amounts.lines for t in (one.table.name, *sorted(one.heads)))
        return Timed(moment, places, verb.stem, dates, orders=tuple(orders))
    return Timed(moment, places, verb.stem, dates, "" if named else table)


def _sold_then(linking: Linking, place: int, traded: Collection[int]) -> bool:
    """True if a time says when something was sold: no other clause stands between."""
    verb = max((v for v in traded if v < place), default=None)
    between = linking.tokens[verb + 1 : place] if verb is not None else ()
    return verb is not None and not any(t.lower in _RELATIVE or t.kind == "sign" for t in between)


def _behind_verb(linking: Linking, place: int) -> int:
    """The place of the rows of which a verb before a time only says that they are there: "orders placed"."""
    tokens = linking.tokens
    if place > 0 and tokens[place].lower in LIGHT and not tokens[place].stop:
        place -= 1
        while place > 0 and tokens[place].lower in _THAT_WERE:
            place -= 1
    return place


def _of_rows(linking: Linking, place: int, dates: Dates) -> str:
    """The table behind whose name a time stands, if its rows have one date alone, and no number for years."""
    named = {m.table for m in linking.table_mentions if m.span.end == place + 1 and names_table(linking, m)}
    table = named.pop() if len(named) == 1 else ""
    return table if table and len(dates.of(table)) == 1 and table not in dates.numbered else ""


def _in_name(linking: Linking, places: Collection[int]) -> bool:
    """True if the year that is said belongs to the name of a column: "the highest 2023 sales"."""
    numbers = {i for n in linking.numbers for i in range(*n.span)}
    figures = (i for i in places if linking.tokens[i].lower.isdigit() and i not in numbers)
    return any(_FIRST_YEAR <= int(linking.tokens[i].lower) <= _LAST_YEAR for i in figures)


def _is_amount(linking: Linking, places: Collection[int]) -> bool:
    """True if what looks like a year is compared as amounts are: "payments over 2000"."""
    return any(n.comparison in {">", "<", ">=", "<="} and n.span.first in places for n in linking.numbers)


def _is_value_or_unit(linking: Linking, places: Collection[int], unit: str) -> bool:
    """True if words are a value, are quoted, or name a column by the word for their unit."""
    whole = (v for v in linking.values if v.match in {"exact", "folded"})
    value = any(v.span.first <= min(places) and max(places) < v.span.end for v in whole)
    named = any(
        linking.tokens[i].lower.startswith(unit) and linking.alignment[:, i].max(initial=0) >= NAMED
        for i in places
        if unit
    )
    return value or named or any(linking.tokens[i].quoted for i in places)
