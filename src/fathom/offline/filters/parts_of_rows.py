"""Filters by the things that rows have or lack: an empty cell, or rows of another table."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from fathom.offline.finishing.description import describe_condition
from fathom.offline.finishing.extremes import may_be_missing
from fathom.offline.linking import ColumnKey
from fathom.offline.linking.text import name_stems
from fathom.offline.queries.joins import JoinPlan, JoinPlanner
from fathom.offline.queries.query import (
    ColumnRef,
    ComparisonPredicate,
    Condition,
    Join,
    Query,
    Subquery,
    TableRef,
    conjunction,
    mentioned_tables,
    restricted,
    rows_asked,
)
from fathom.records import Assumption, TableProfile


@dataclass(frozen=True, slots=True)
class Empty:
    """That one of `columns`, that of the rows asked for, holds nothing, or something if it is `filled`.

    Said at places of the tokens.
    """

    columns: tuple[ColumnKey, ...]
    places: frozenset[int]
    filled: bool = False
    needed: ClassVar[bool] = True
    learned: ClassVar[bool] = False

    def applied(self, query: Query) -> tuple[Query, Assumption] | None:
        """The query of the rows without such a value, or with one."""
        tables = mentioned_tables(query)
        found = [ColumnRef(t, c.column) for c in self.columns for t in tables if t.name == c.table]
        if len(found) != 1 or query.source is not None or query.compound is not None:
            return None
        column = found[0]
        told = f"There is none where {column.table.name}.{column.name} is empty."
        is_so = ComparisonPredicate(column, "is not null" if self.filled else "is null")
        return restricted(query, is_so), Assumption("column", told)


@dataclass(frozen=True, slots=True)
class Matched:
    """That rows of a table belong to those asked for, or none does if `denied`, said at places of the tokens.

    They are joined by way of one of the tables `via`, where they can be joined in several ways, or by its
    `key`. Where a verb names such a table `by_name`, they are, however far that is. They may be restricted
    `where` something holds, and belong to those asked for `through` rows of another table.
    """

    table: str
    denied: bool
    via: frozenset[str]
    places: frozenset[int]
    planner: JoinPlanner
    profiles: Mapping[str, TableProfile]
    key: str = ""
    by_name: bool = False
    where: Condition | None = None
    through: TableRef | None = None
    needed: ClassVar[bool] = False

    @property
    def learned(self) -> bool:
        """True if training data hold many such: next to none that say of which rows alone."""
        return self.where is None

    def applied(self, query: Query) -> tuple[Query, Assumption] | None:
        """The query of the rows that rows of the table refer to, or don't, be it through tables between."""
        asked, other = rows_asked(query), TableRef(self.table)
        known = asked is None or other in mentioned_tables(query)
        join = None if asked is None or known else self._first_join(asked, self.through or other)
        if asked is None or join is None:
            return None
        own, far = (join.left, join.right) if join.left.table == asked else (join.right, join.left)
        if (own.name,) != self.planner.schema.table(asked.name).primary_key:
            return self._by_own_key(query, own) if far.table == other and self.where is None else None
        gaps = self.denied and may_be_missing(far, self.profiles)
        where = conjunction(self.where, ComparisonPredicate(far, "is not null") if gaps else None)
        others = tuple(t for t in (self.through, other) if t is not None and t != far.table)
        inner = Query((far,), where=where, tables=others)
        which = f" where {describe_condition(self.where)}" if self.where is not None else ""
        told = (
            f"Rows of {asked.name} that {other.name}{which} refers to are "
            f"{'left out' if self.denied else 'taken'}."
        )
        condition = ComparisonPredicate(own, "not in" if self.denied else "in", Subquery(inner))
        return restricted(query, condition), Assumption("column", told)

    def _by_own_key(self, query: Query, own: ColumnRef) -> tuple[Query, Assumption] | None:
        """The query of the rows that refer to a row of the table themselves, or to none."""
        if not may_be_missing(own, self.profiles):
            return None
        told = f"There is none where {own.table.name}.{own.name} is empty."
        is_so = ComparisonPredicate(own, "is null" if self.denied else "is not null")
        return restricted(query, is_so), Assumption("column", told)

    def _first_join(self, asked: TableRef, other: TableRef) -> Join | None:
        """The one join that leads from the rows asked for towards the other table; None if unclear."""
        if self.key:
            edges = (e for e in self.planner.neighbours(asked.name) if e.right == other.name)
            by = [
                Join(ColumnRef(asked, e.pairs[0][0]), ColumnRef(other, self.key))
                for e in edges
                if len(e.pairs) == 1 and e.pairs[0][1] == self.key
            ]
            return by[0] if by else None
        plans = self.planner.plans((asked, other))
        by_verb = [p for p in plans if (self.by_name or p.cost <= plans[0].cost) and self._goes_by(p, asked)]
        best = by_verb or self.planner.best((asked, other))
        first = {j for p in best for j in p.joins if asked in (j.left.table, j.right.table)}
        owned = {j for j in first if not self._is_called(j.left if j.right.table == asked else j.right)}
        clear = first if len(first) == 1 else owned
        return clear.pop() if len(clear) == 1 else None

    def _goes_by(self, plan: JoinPlan, asked: TableRef) -> bool:
        """True if a plan leads through one of the tables that a verb names."""
        return bool(self.via & {t.name for t in plan.tables} - {asked.name})

    def _is_called(self, key: ColumnRef) -> bool:
        """True if a key is called as its table: a prerequisite's `prereq_id` is the thing, not who has it."""
        stems = name_stems(key.name)[:1]
        return any(t.startswith(s) for s in stems for t in name_stems(key.table.name))
