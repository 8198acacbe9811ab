"""Times by which rows are restricted: "placed in the last 30 days", "since March 2021", "on weekends"."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace

from fathom.offline.checks.account import names_table
from fathom.offline.filters.question_facts import FilterReading
from fathom.offline.filters.time_phrases import Moment, moments
from fathom.offline.grammars.calendars import period_of
from fathom.offline.grammars.periods import DATED, PERIOD_WORDS, Dates, in_one_year
from fathom.offline.linking import ColumnKey, Linking
from fathom.offline.linking.row_names import EACH
from fathom.offline.linking.text import name_stems
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

_NAMED = 0.5
_FIRST_YEAR, _LAST_YEAR = 1500, 2100
_RELATIVE = frozenset("that which who whose whom where with and or but when".split())
_THAT_WERE = frozenset("that which were was are is have has been".split())
_US = frozenset(("us", "here", "there", "them"))
_BETWEEN = _US | EACH | PERIOD_WORDS | {"were", "was", "are", "is", "there"}
"""Words that may stand between rows or their verb and a time: "papers per year from 2018 to 2021"."""


@dataclass(frozen=True, slots=True)
class Timed:
    """A time by which the rows asked for are restricted; `verb` is the stem of the verb before it.

    Or those of a `table`, behind whose name it stands. Behind a verb of selling or buying it is that of
    orders, which some tables have `kept`.
    """

    moment: Moment
    places: frozenset[int]
    verb: str
    dates: Dates
    table: str = ""
    kept: tuple[str, ...] = ()
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
        if not subqueries or own or (self._said(query) and not self.kept):
            key = self._meant(query)
            return key and (self._within(query, key), self._told(key))
        outside = self.dates.near(mentioned_tables(replace(query, where=None)))
        for comparison in subqueries:
            inner = comparison.right
            key = self._meant(inner.query) if isinstance(inner, Subquery) else None
            among = comparison.operator == "in" and (self.kept or not outside)
            within = comparison.operator == "not in" or among
            if key is not None and within:
                return restricted_within(query, comparison, self.moment.holds(key.in_query())), self._told(
                    key
                )
        return None

    def _on_named_days(
        self, query: Query, named: Mapping[ColumnRef, tuple[str, ...]]
    ) -> tuple[Query, Assumption]:
        """The query of the rows of these days of the week, which one column holds by name."""
        ((column, days),) = named.items()
        held = Items(tuple(Literal(days[int(p)]) for p in self.moment.parts))
        told = f"The day of the week is {column.table.name}.{column.name}."
        return restricted(query, ComparisonPredicate(column, "in", held)), Assumption("column", told)

    def _within(self, query: Query, key: ColumnKey) -> Query:
        """The query of the rows of this time, whose quarters need no year where it is within one."""
        date = key.in_query()
        found: Query = restricted(query, self.moment.holds(date))
        if not in_one_year(found, date):
            return found
        long, short = (period_of("quarter", date, in_one_year=one) for one in (False, True))
        return rebuilt(found, lambda n: short if n == long else n)  # type: ignore[no-any-return]

    def _meant(self, query: Query) -> ColumnKey | None:
        """The date of which the time is said: the one that the verb names, else the one meant anyway."""
        tables = {t.name for t in mentioned_tables(query)}
        if self.table in tables:
            return self.dates.meant(self.dates.of(self.table))
        if self.learned:  # nothing says what was then: the rows themselves, if nothing else tells their year
            own = [c for c in self.dates.near(mentioned_tables(query)) if c.table in tables]
            return None if self.dates.numbered.intersection(tables) else self.dates.meant(own)
        through = self.dates.tables_of(query) if self.kept else frozenset()
        for table in self.kept:
            if table in through and (own := self.dates.of(table)):
                return self.dates.meant(own)
        said = self._said(query)
        return said[0] if len(said) == 1 else self.dates.meant(self.dates.near(mentioned_tables(query)))

    def _said(self, query: Query) -> list[ColumnKey]:
        """The dates of a query's tables that the verb names."""
        near = self.dates.near(mentioned_tables(query))
        meant = DATED.get(self.verb, frozenset())
        for dates in (near, self.dates.told_of(mentioned_tables(query))):
            named = [c for c in dates if self.verb in name_stems(c.column)]
            if found := named or [c for c in dates if not meant.isdisjoint(name_stems(c.column))]:
                return found
        return []

    def _told(self, key: ColumnKey) -> Assumption:
        what = "day or month" if self.moment.form else "time"
        return Assumption("column", f"The {what} is that of {key.table}.{key.column}.")


def times(reading: FilterReading) -> Iterator[Timed]:
    """Give the times, but no years alone where the question asks for a sum, which has its years itself."""
    lacked = reading.places("bought_or_sold", "has_or_lacks")
    kept = tuple(t for one in reading.amounts.lines for t in (one.table.name, *sorted(one.heads)))
    said = said_times(
        reading.text, reading.linking, reading.dates, lacked, traded=reading.trade_verbs, kept=kept
    )
    yield from (t for t in said if t.needed or not reading.has_years_itself)


def said_times(
    text: str,
    linking: Linking,
    dates: Dates,
    lacked: Collection[int] = (),
    *,
    traded: Collection[int] = (),
    kept: tuple[str, ...] = (),
) -> Iterator[Timed]:
    """The times that a question names, where its words are no value and name no column.

    They may be those of what rows have or lack, which is said at the places `lacked`. Behind verbs of selling
    and buying at places `traded`, they are those of orders in the tables `kept`.
    """
    said: set[int] = set()
    for moment in moments(text):
        places = linking.places(moment.start, moment.end)
        said |= places
        if not places or _held(linking, places, moment.unit) or _in_name(linking, places):
            continue
        last = min(places) - 1
        while last in said or (last > 0 and linking.tokens[last].lower in _BETWEEN):
            last -= 1
        verb = linking.tokens[last].stem if last >= 0 else ""
        if last > 0 and linking.tokens[last].lower == "out":
            verb = f"{linking.tokens[last - 1].stem}-out"
            places |= {last - 1, last} if verb in dates.stems else set()
        made = _behind_verb(linking, last)
        if made < last and verb not in dates.stems and linking.tokens[made].stem in dates.stems:
            last, verb = made, linking.tokens[made].stem
        table = _of_rows(linking, last, dates)
        sold = _sold_then(linking, min(places), traded)
        if not moment.verbal or verb in dates.stems or table or last in lacked or sold:
            other = "" if verb in dates.stems or sold else table
            yield Timed(moment, places, verb, dates, other, kept if sold else ())
        else:
            yield Timed(moment, places, verb, dates, learned=True)


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


def _held(linking: Linking, places: Collection[int], unit: str) -> bool:
    """True if words are a value, are quoted, or name a column by the word for their unit."""
    whole = (v for v in linking.values if v.match in {"exact", "folded"})
    value = any(v.span.first <= min(places) and max(places) < v.span.end for v in whole)
    named = any(
        linking.tokens[i].lower.startswith(unit) and linking.alignment[:, i].max(initial=0) >= _NAMED
        for i in places
        if unit
    )
    return value or named or any(linking.tokens[i].quoted for i in places)
