"""Reads whether there is any of a thing left, where a column counts that: "out of stock"."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from fathom.offline.filters.question_facts import FilterReading
from fathom.offline.linking import ColumnKey
from fathom.offline.linking.text import name_stems, stem
from fathom.offline.queries.query import (
    Aggregate,
    ComparisonPredicate,
    Literal,
    Query,
    mentioned_tables,
    restricted,
)
from fathom.records import Assumption
from fathom.text.patterns import Pattern

_STOCK = stem("stock")
_SAID = Pattern(
    r"\b(?:(?:that|which)\s+)?(?:(?:(?:are|is|were|was|be|have|has)\s+)?(?:been\s+)?)?"
    r"(?:(?:currently|now|still|already|all)\s+)*"
    r"(?:(?P<out>out\s+of|(?:not|no\s+longer)\s+(?:currently\s+)?in)|in)\s+stock\b"
    r"(?:\s+(?:right\s+now|now|at\s+the\s+moment|currently|any\s*more))?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Stocked:
    """That there is some of the rows asked for, or none left, as a column counts; at places of the tokens."""

    column: ColumnKey
    left: bool
    places: frozenset[int]
    needed: ClassVar[bool] = True
    learned: ClassVar[bool] = False

    def applied(self, query: Query) -> tuple[Query, Assumption] | None:
        """The query of such rows; None for how many are left, which may be all pieces together."""
        tables = [t for t in mentioned_tables(query) if t.name == self.column.table]
        counted = any(isinstance(e, Aggregate) for e in query.select)
        if len(tables) != 1 or query.source or query.compound or (self.left and counted):
            return None
        condition = ComparisonPredicate(self.column.in_query(), ">" if self.left else "<=", Literal(0))
        told = f"What is in stock is counted in {self.column.table}.{self.column.column}."
        return restricted(query, condition), Assumption("column", told)


def stock(reading: FilterReading) -> Iterator[Stocked]:
    """Give the filters on stock right behind the rows that one column of numbers counts."""
    linking = reading.linking
    for match in _SAID.finditer(reading.text):
        places = linking.places(match.start(), match.end())
        before = min(places, default=0) - 1
        if before < 0:
            continue
        found = [
            c
            for c in linking.columns
            if linking.names_wholly(c.table, before)
            and reading.names.measures(c)
            and _STOCK in name_stems(c.column)
        ]
        if len(found) == 1:
            yield Stocked(found[0], match["out"] is None, places)
