"""Reads when the first or last of what belongs to rows was: "whose first paper appeared after June 2021"."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from fathom.offline.checks.account import names_table
from fathom.offline.filters.parts_of_rows import Matched
from fathom.offline.filters.question_facts import FilterReading
from fathom.offline.filters.time_phrases import Moment, moments
from fathom.offline.grammars.periods import Dates
from fathom.offline.linking.wordlists import FIRST
from fathom.offline.queries.query import Aggregate, ComparisonPredicate, Query, Subquery, comparisons, rebuilt
from fathom.records import Assumption
from fathom.text.patterns import Pattern

_WHOSE = Pattern(
    r"\bwhose\s+(?:very\s+)?(?P<which>first|earliest|oldest|last|latest|newest|most\s+recent)\s+(?P<what>\w+)\s+"
    r"(?:(?:was|is|were|has|had|been)\s+)*(?:[a-z]+\s+){0,2}$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Earliest:
    """That the first, or last, row of another table that belongs to the rows asked for lies in a time."""

    belonging: Matched
    extreme: str
    moment: Moment
    dates: Dates
    needed: ClassVar[bool] = True
    learned: ClassVar[bool] = False

    @property
    def places(self) -> frozenset[int]:
        """The tokens of the question that say it."""
        return self.belonging.places

    def applied(self, query: Query) -> tuple[Query, Assumption] | None:
        """The query of the rows of which that is so."""
        found = self.belonging.applied(query)
        key = self.dates.meant(self.dates.of(self.belonging.table))
        if found is None or key is None:
            return None
        date = Aggregate(self.extreme, key.in_query())
        (added,) = [c for c in comparisons(found[0].where) if c not in {*comparisons(query.where)}] or (None,)
        inner = added.right if isinstance(added, ComparisonPredicate) else None
        if not isinstance(inner, Subquery):
            return None
        own = inner.query.select
        each = Query(
            own, where=inner.query.where, tables=inner.query.tables, group=own, having=self.moment.holds(date)
        )
        whole = rebuilt(found[0], lambda n: each if n == inner.query else n)
        return whole, Assumption(
            "column", f"The {self.extreme} of {key.table}.{key.column} of each is meant."
        )


def earliest(reading: FilterReading) -> Iterator[Earliest]:
    """Give the times of the first or last row that belongs to those asked for."""
    text, linking = reading.text, reading.linking
    for moment in moments(text):
        match = _WHOSE.search(text[: moment.start])
        place = linking.place_at(match.start("what")) if match else None
        named = {m.table for m in linking.table_mentions if m.span.first == place and names_table(linking, m)}
        if match is None or len(named) != 1 or moment.form:
            continue
        places = linking.places(match.start(), moment.end)
        rows = Matched(named.pop(), False, frozenset(), places, reading.planner, reading.profiles)
        extreme = "min" if match["which"].casefold() in FIRST else "max"
        yield Earliest(rows, extreme, moment, reading.dates)
