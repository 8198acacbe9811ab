"""Restricts a query by the rows that its question names in roles: "flights from Boston to Denver"."""

from dataclasses import dataclass, replace

from fathom.offline.accounting import tables_named_first
from fathom.offline.joins import JoinPlanner
from fathom.offline.linking import Linking
from fathom.offline.query import (
    Column,
    Comparison,
    Query,
    Subquery,
    TableRef,
    comparisons,
    conjunction,
    mentioned_tables,
    rebuilt,
    restricted,
)
from fathom.offline.roles.casting import Cast, Casting
from fathom.offline.roles.deeds import cast_by_deeds
from fathom.offline.roles.keys import RoleKey, RolePair, role_pairs
from fathom.offline.rows import RowNames
from fathom.records import Assumption

_WORDS = {"source": "from where or by whom", "target": "to where or to whom", "home": "home", "away": "away"}


@dataclass(frozen=True, slots=True)
class InRoles:
    """Rows that the question names in their roles, by which those asked for are restricted."""

    casts: tuple[Cast, ...]
    places: frozenset[int]
    planner: JoinPlanner
    needed: bool = True

    def applied(self, query: Query) -> tuple[Query, Assumption] | None:
        """The query with a condition on the key for each role; through another key where it asks for others."""
        table = TableRef(self.casts[0].key.table)
        where = conjunction(*(c.key.leads_to(c.named.condition) for c in self.casts))
        assert where is not None, "somebody is cast"
        told = Assumption("column", " ".join(_told(c.key) for c in self.casts))
        if query.source is not None:
            return None
        if (less := query.compound) is not None:
            if less.operator != "except" or table not in mentioned_tables(less.query):
                return None
            return replace(query, compound=replace(less, query=restricted(less.query, where))), told
        if table in mentioned_tables(query):
            return restricted(query, where), told
        for comparison in comparisons(query.where):
            match comparison:
                case Comparison(right=Subquery(query=inner)) if table in mentioned_tables(inner):
                    changed = replace(comparison, right=Subquery(restricted(inner, where)))
                    return rebuilt(query, lambda n: changed if n == comparison else n), told  # noqa: B023
        for key in self.planner.schema.foreign_keys:
            asked = TableRef(key.target_table)
            if key.table == table.name and len(key.columns) == 1 and asked in mentioned_tables(query):
                inner = Query((Column(table, key.columns[0]),), where=where)
                through = Comparison(Column(asked, key.target_columns[0]), "in", Subquery(inner))
                return (
                    (restricted(query, through), told)
                    if key.target_table != self.casts[0].key.target
                    else None
                )
        return None


def _told(key: RoleKey) -> str:
    if key.side == "deed":
        return f"It goes by {key.table}.{key.column}."
    return f"{key.table}.{key.column} is where it says {_WORDS[key.side]}."


def in_roles(linking: Linking, planner: JoinPlanner, names: RowNames) -> InRoles | None:
    """The rows that the question names in roles of those it asks for; None where there are none.

    Where it asks for rows that have the other role themselves ("who wrote to Bob"), there are none either.
    """
    pairs = role_pairs(planner)
    cast = [
        (p, c) for p in pairs if not asks_for_home(linking, p) and (c := Casting(linking, p, names).cast())
    ]
    casts = max((c for _, c in cast), key=len) if cast else cast_by_deeds(linking, planner, names)
    if not casts:
        return None
    return InRoles(casts, frozenset(i for c in casts for i in c.places), planner)


def asks_for_home(linking: Linking, pair: RolePair) -> bool:
    """Whether a question asks for rows that have a role themselves: "who sent", "which cities have flights"."""
    opening = [t.lower for t in linking.tokens[:2]]
    if "who" in opening or "whom" in opening:
        return True
    named = {m.table for m in tables_named_first(linking)}
    return bool(named) and pair.table not in named and not named.isdisjoint(pair.homes)
