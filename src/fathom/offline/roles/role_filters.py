"""Restricts a query by the rows that its question names in roles: "flights from Boston to Denver"."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from fathom.offline.checks.account import tables_named_first
from fathom.offline.linking import Linking
from fathom.offline.queries.joins import JoinPlanner
from fathom.offline.queries.query import (
    ColumnRef,
    ComparisonPredicate,
    Condition,
    Query,
    Subquery,
    TableRef,
    comparisons,
    conjunction,
    mentioned_tables,
    restricted,
    restricted_within,
)
from fathom.offline.question_facts import QuestionReading
from fathom.offline.roles.cast import Cast, Casting
from fathom.offline.roles.deeds import cast_by_deeds
from fathom.offline.roles.keys import RoleKey, RolePair, role_pairs
from fathom.records import Assumption

_WORDS = {"source": "from where or by whom", "target": "to where or to whom", "home": "home", "away": "away"}


@dataclass(frozen=True, slots=True)
class InRoles:
    """Rows that the question names in their roles, by which those asked for are restricted."""

    casts: tuple[Cast, ...]
    places: frozenset[int]
    planner: JoinPlanner
    needed: ClassVar[bool] = True
    learned: ClassVar[bool] = False

    def applied(self, query: Query) -> tuple[Query, Assumption] | None:
        """The query with a condition on the key for each role, or on another key of that table."""
        where = conjunction(*(c.key.leads_to(c.named.condition) for c in self.casts))
        assert where is not None, "somebody is cast"
        found = None if query.source is not None else self._where(query, where)
        told = Assumption("column", " ".join(_told(c.key) for c in self.casts))
        return None if found is None else (found, told)

    def _where(self, query: Query, where: Condition) -> Query | None:
        """The query with the condition where it has the table of the keys."""
        table = TableRef(self.casts[0].key.table)
        if (less := query.compound) is not None:
            held = less.operator == "except" and table in mentioned_tables(less.query)
            return (
                replace(query, compound=replace(less, query=restricted(less.query, where))) if held else None
            )
        if table in mentioned_tables(query):
            return restricted(query, where)
        for comparison in comparisons(query.where):
            inner = comparison.right
            if isinstance(inner, Subquery) and table in mentioned_tables(inner.query):
                return restricted_within(query, comparison, where)
        return self._through(query, where)

    def _through(self, query: Query, where: Condition) -> Query | None:
        """The query of the rows to which those that meet the condition belong: airlines by their flights."""
        first = self.casts[0].key
        for key in self.planner.schema.foreign_keys:
            asked = TableRef(key.target_table)
            single = key.table == first.table and len(key.columns) == 1 and key.target_table != first.target
            if single and asked in mentioned_tables(query):
                inner = Query((ColumnRef(TableRef(key.table), key.columns[0]),), where=where)
                return restricted(
                    query, ComparisonPredicate(ColumnRef(asked, key.target_columns[0]), "in", Subquery(inner))
                )
        return None


def _told(key: RoleKey) -> str:
    if key.side == "deed":
        return f"It goes by {key.table}.{key.column}."
    return f"{key.table}.{key.column} is where it says {_WORDS[key.side]}."


def in_roles(reading: QuestionReading[Any]) -> Iterator[InRoles]:
    """Give the rows that the question names in roles of those it asks for.

    Where it asks for rows that have the other role themselves ("who wrote to Bob"), there are none.
    """
    linking, planner, names = reading.linking, reading.planner, reading.names
    pairs = role_pairs(planner)
    cast = [
        (p, c) for p in pairs if not asks_for_home(linking, p) and (c := Casting(linking, p, names).cast())
    ]
    casts = max(cast, key=lambda f: _fit(linking, *f))[1] if cast else cast_by_deeds(linking, planner, names)
    if casts:
        yield InRoles(casts, frozenset(i for c in casts for i in c.places), planner)


def _fit(linking: Linking, pair: RolePair, casts: tuple[Cast, ...]) -> tuple[bool, int, int]:
    """How well rows in the roles of a pair fit: whether the question speaks of these, how many, how near."""
    near = -max(pair.homes.index(c.named.table) for c in casts)
    return speaks_of(linking, pair), len(casts), near


def speaks_of(linking: Linking, pair: RolePair) -> bool:
    """True if the question names the table of a pair, or what those in its roles do."""
    named = any(m.table == pair.table for m in linking.table_mentions)
    return named or any(t.stem in pair.deeds for t in linking.tokens)


def asks_for_home(linking: Linking, pair: RolePair) -> bool:
    """True if a question asks for rows that have a role themselves: "who sent", "which cities have"."""
    opening = [t.lower for t in linking.tokens[:2]]
    if "who" in opening or "whom" in opening:
        return True
    named = {m.table for m in tables_named_first(linking)}
    return bool(named) and pair.table not in named and not named.isdisjoint(pair.homes)
