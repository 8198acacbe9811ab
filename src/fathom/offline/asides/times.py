"""Times by which rows are restricted: "placed in the last 30 days", "since March 2021", "on weekends"."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import ClassVar

from fathom.offline.asides.moments import Moment, moments
from fathom.offline.linking import ColumnKey, Linking
from fathom.offline.linking.text import name_stems
from fathom.offline.periods import Dates
from fathom.offline.query import (
    Query,
    Subquery,
    comparisons,
    mentioned_tables,
    restricted,
    restricted_within,
)
from fathom.records import Assumption

_NAMED = 0.5


@dataclass(frozen=True, slots=True)
class Timed:
    """A time by which the rows asked for are restricted; `verb` is the stem of the word before it."""

    moment: Moment
    places: frozenset[int]
    verb: str
    dates: Dates
    learned: ClassVar[bool] = False

    @property
    def needed(self) -> bool:
        """Whether the words can't be read otherwise: months and years are read by what is learned as well."""
        return self.moment.relative or bool(self.moment.unit)

    def applied(self, query: Query) -> tuple[Query, Assumption] | None:
        """The query with a condition on its date, within a query of what is not among, where that has it."""
        if query.source is not None or query.compound is not None:
            return None
        subqueries = [c for c in comparisons(query.where) if isinstance(c.right, Subquery)]
        if not subqueries or self._said(query):
            key = self._meant(query)
            return key and (restricted(query, self.moment.holds(key.in_query())), _told(key))
        for comparison in subqueries:
            inner = comparison.right
            key = self._meant(inner.query) if isinstance(inner, Subquery) else None
            if key is not None and comparison.operator == "not in":
                return restricted_within(query, comparison, self.moment.holds(key.in_query())), _told(key)
        return None

    def _meant(self, query: Query) -> ColumnKey | None:
        """The date of which the time is said: the one that the verb names, else the one meant anyway."""
        said = self._said(query)
        return said[0] if len(said) == 1 else self.dates.meant(self.dates.near(mentioned_tables(query)))

    def _said(self, query: Query) -> list[ColumnKey]:
        """The dates of a query's tables that the verb names."""
        near = self.dates.near(mentioned_tables(query))
        return [c for c in near if self.verb in name_stems(c.column)]


def _told(key: ColumnKey) -> Assumption:
    return Assumption("column", f"The time is that of {key.table}.{key.column}.")


def said_times(text: str, linking: Linking, dates: Dates) -> Iterator[Timed]:
    """The times that a question names, where its words are no value and name no column."""
    for moment in moments(text):
        places = linking.places(moment.start, moment.end)
        if not places or _held(linking, places, moment.unit):
            continue
        verb = linking.tokens[min(places) - 1].stem if min(places) else ""
        if not moment.verbal or verb in dates.stems:
            yield Timed(moment, places, verb, dates)


def _held(linking: Linking, places: Collection[int], unit: str) -> bool:
    """Whether words are a value, are quoted, or name a column by the word for their unit."""
    whole = (v for v in linking.values if v.match in {"exact", "folded"})
    value = any(v.span.first <= min(places) and max(places) < v.span.end for v in whole)
    named = any(
        linking.tokens[i].lower.startswith(unit) and linking.alignment[:, i].max(initial=0) >= _NAMED
        for i in places
        if unit
    )
    return value or named or any(linking.tokens[i].quoted for i in places)
