"""Reads values that are left out or wanted together: "neither Porto nor Lagos", "both a gym and a bar"."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from fathom.offline.filters.question_facts import FilterReading
from fathom.offline.linking import ColumnKey, LinkedValue
from fathom.offline.linking.levels import NAMED
from fathom.offline.linking.value_match import CODED
from fathom.offline.queries.joins import JoinPlanner
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
    rows_asked,
)
from fathom.records import Assumption
from fathom.text.patterns import Pattern

_WHO = r"\b(?:(?:that|which|who)\s+)?(?:(?:are|is|were|was|come|comes|came|live|lives)\s+)?"
_PLACE = r"(?:(?:located|based|situated)\s+)?(?:(?:in|from|of|at|by)\s+)?"
_LEFT_OUT = Pattern(
    rf"{_WHO}(?:(?:(?:in|from|of|at|by|with|for)\s+)?(?:any|all|every)(?:thing|one|body|where|\s+\w+)?\s+(?:but|except(?:\s+for)?"
    rf"|other\s+than)\s+|{_PLACE}neither\s+|{_PLACE}outside\s+(?:of\s+)?|other\s+than\s+|except\s+(?:for\s+)?|apart\s+from\s+"
    r"|excluding\s+|besides\s+)(?=\w)",
    re.IGNORECASE,
)
_BOTH = Pattern(r"\bboth\s+(?=\w)", re.IGNORECASE)
_PASSED = frozenset("the a an in from of at by those".split())
_JOINING = frozenset((",", "and", "or", "nor", "&"))


@dataclass(frozen=True, slots=True)
class LeftOut:
    """That a column holds none of some values, said at places of the tokens."""

    column: ColumnKey
    values: tuple[str | int | float, ...]
    places: frozenset[int]
    planner: JoinPlanner
    needed: ClassVar[bool] = True
    learned: ClassVar[bool] = False

    def applied(self, query: Query) -> tuple[Query, Assumption] | None:
        """The query of the rows with another value; None where such a row may have several."""
        asked, column = rows_asked(query), self.column.in_query()
        tables = tuple(dict.fromkeys((*mentioned_tables(query), column.table)))
        if asked is None or not self.planner.one_each(asked, tables):
            return None
        literals = tuple(map(Literal, self.values))
        condition = (
            ComparisonPredicate(column, "!=", literals[0])
            if len(literals) == 1
            else ComparisonPredicate(column, "not in", Items(literals))
        )
        told = f"Left out are rows whose {column.table.name}.{column.name} is {_listed(self.values)}."
        return restricted(query, condition), Assumption("value", told)


@dataclass(frozen=True, slots=True)
class BothValues:
    """That the rows asked for go with a second value as with a first, said at places of the tokens."""

    column: ColumnKey
    first: str | int | float
    second: str | int | float
    places: frozenset[int]
    planner: JoinPlanner
    needed: ClassVar[bool] = False
    learned: ClassVar[bool] = True

    def applied(self, query: Query) -> tuple[Query, Assumption] | None:
        """The query of the rows that have both; None where a row can have but one."""
        asked, column = rows_asked(query), self.column.in_query()
        one = ComparisonPredicate(column, "=", Literal(self.first))
        if asked is None or query.limit is not None or one not in comparisons(query.where):
            return None
        key = self.planner.schema.table(asked.name).primary_key
        if len(key) != 1 or self.planner.one_each(asked, mentioned_tables(query)):
            return None
        other = ComparisonPredicate(column, "=", Literal(self.second))
        where = rebuilt(query.where, lambda n: other if n == one else n)
        own = ColumnRef(asked, key[0])
        inner = Query((own,), where=where, tables=query.tables, joins=query.joins)
        told = f"Each is found with {column.table.name}.{column.name} {_listed((self.first, self.second))}."
        return restricted(query, ComparisonPredicate(own, "in", Subquery(inner))), Assumption("value", told)


def _listed(values: tuple[str | int | float, ...]) -> str:
    return " and ".join(f"“{v}”" for v in values)


def alternatives(reading: FilterReading) -> Iterator[LeftOut | BothValues]:
    """Give the values that are left out, and then those asked for together, in the order of the text."""
    yield from _Alternatives(reading).read(reading.text)


class _Alternatives:
    """Finds the values that one question leaves out or wants together."""

    def __init__(self, reading: FilterReading) -> None:
        self._linking, self._planner = reading.linking, reading.planner

    def read(self, text: str) -> Iterator[LeftOut | BothValues]:
        """Give the values that are left out, or asked for together, in the order of the text."""
        for match in _LEFT_OUT.finditer(text):
            named, end = self._values(self._linking.place_at(match.end()))
            for column in self._in_common(named)[:1]:
                while end < len(self._linking.tokens) and self._names(end, column):
                    end += 1  # "the California state"
                values = tuple(v.value for group in named for v in group if v.column == column)
                yield LeftOut(
                    column,
                    values,
                    self._linking.places(match.start(), self._linking.tokens[end - 1].end),
                    self._planner,
                )
        for match in _BOTH.finditer(text):
            both = self._linking.place_at(match.start())
            named, end = self._values(self._linking.place_at(match.end()))
            if both is not None and len(named) == 2:
                for column in self._in_common(named)[:1]:
                    first, second = (next(v for v in g if v.column == column) for g in named)
                    places = frozenset((both, *range(first.span.end, end)))
                    yield BothValues(column, first.value, second.value, places, self._planner)

    def _values(self, place: int | None) -> tuple[list[list[LinkedValue]], int]:
        """The values listed from a place on, each with all columns that hold it, and where the list ends."""
        named: list[list[LinkedValue]] = []
        end = at = -1 if place is None else place
        tokens = self._linking.tokens
        while 0 <= at < len(tokens):
            while at < len(tokens) and tokens[at].lower in _PASSED:
                at += 1
            held = [v for v in self._linking.values if v.span.first == at and v.match in CODED]
            longest = max((v.span.end for v in held), default=at)
            if longest == at:
                break
            named.append([v for v in held if v.span.end == longest])
            end = at = longest
            while at < len(tokens) and tokens[at].lower in _JOINING:
                at += 1
            if at == end:
                break
        return named, end

    def _names(self, place: int, column: ColumnKey) -> bool:
        return bool(self._linking.alignment[self._linking.index[column], place] >= NAMED)

    @staticmethod
    def _in_common(named: list[list[LinkedValue]]) -> list[ColumnKey]:
        """The columns that hold all values, the likeliest first."""
        shares: dict[ColumnKey, float] = {}
        for column in {v.column for group in named[:1] for v in group}:
            found = [max((v.probability for v in g if v.column == column), default=-1.0) for g in named]
            if min(found) >= 0:
                shares[column] = sum(found)
        return sorted(shares, key=lambda c: (-shares[c], c))
