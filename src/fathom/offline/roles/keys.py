"""Keys that tell two roles of one table apart: the airport that a flight leaves, and the one it reaches."""

from dataclasses import dataclass, replace
from itertools import combinations

from fathom.offline.linking.text import name_stems, stem
from fathom.offline.linking.wordlists import ROLE_WORDS
from fathom.offline.queries.joins import JoinPlanner
from fathom.offline.queries.query import (
    ColumnRef,
    ComparisonPredicate,
    Condition,
    Join,
    Query,
    Subquery,
    TableRef,
)
from fathom.text.identifiers import identifier_words

SIDES = {w: side for side, words in ROLE_WORDS.items() for w in words}
"""The sides by the words that say them."""
OPPOSITE = {"source": "target", "target": "source", "home": "away", "away": "home"}
KEY_STEMS = frozenset(map(stem, ("id", "key", "code", "number")))
_NEAR = 3


@dataclass(frozen=True, slots=True)
class RoleKey:
    """One of the keys of a `table` to the same other: `column` refers to the `key` of `target`, on a side."""

    table: str
    column: str
    target: str
    key: str
    side: str

    @property
    def in_query(self) -> ColumnRef:
        """The key as a query names it."""
        return ColumnRef(TableRef(self.table), self.column)

    def leads_to(self, condition: Condition) -> ComparisonPredicate:
        """That the row which the key refers to meets a condition, on it or on what it belongs to."""
        target = ColumnRef(TableRef(self.target), self.key)
        inner = Query((target,), where=condition)
        return ComparisonPredicate(self.in_query, "in", Subquery(inner))

    def joins(self, join: Join) -> bool:
        """True if a join is by this key."""
        return {(c.table.name, c.name) for c in (join.left, join.right)} == {
            (self.table, self.column),
            (self.target, self.key),
        }

    def instead_of(self, other: "RoleKey", join: Join) -> Join:
        """A join by this key where it is one by the other."""
        if not other.joins(join):
            return join
        if join.left.table.name == self.table:
            return replace(
                join, left=replace(join.left, name=self.column), right=replace(join.right, name=self.key)
            )
        return replace(
            join, left=replace(join.left, name=self.key), right=replace(join.right, name=self.column)
        )


@dataclass(frozen=True, slots=True)
class RolePair:
    """Two keys of a table to the same other, told apart by their sides, and the tables of what they refer to.

    `homes` are the other table and those to which each of its rows belongs.
    """

    keys: tuple[RoleKey, ...]
    homes: tuple[str, ...]

    @property
    def table(self) -> str:
        """The table that has the keys."""
        return self.keys[0].table

    @property
    def deeds(self) -> frozenset[str]:
        """The stems of what those in the roles do, by the names of the keys: "cite" of citing and cited."""
        words = {s for k in self.keys for s in name_stems(k.column)}
        return frozenset(words - KEY_STEMS).difference(*map(name_stems, (self.table, *self.homes)))

    def on(self, side: str) -> RoleKey | None:
        """The key on a side."""
        return next((k for k in self.keys if k.side == side), None)

    def other(self, key: RoleKey) -> RoleKey:
        """The other key."""
        return next(k for k in self.keys if k != key)


def role_pairs(planner: JoinPlanner) -> tuple[RolePair, ...]:
    """The pairs of keys of a schema whose names tell two roles apart."""
    keys: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for key in planner.schema.foreign_keys:
        if len(key.columns) == 1 and key.table != key.target_table:
            keys.setdefault((key.table, key.target_table), []).append((key.columns[0], key.target_columns[0]))
    found = []
    for (table, target), columns in keys.items():
        for (a, key_a), (b, key_b) in combinations(dict.fromkeys(columns), 2):
            sides = _sides(a, b)
            if sides:
                pair = RoleKey(table, a, target, key_a, sides[0]), RoleKey(table, b, target, key_b, sides[1])
                found.append(RolePair(pair, _homes(planner, target, table)))
    return tuple(found)


def deed_keys(planner: JoinPlanner) -> tuple[RolePair, ...]:
    """The keys that are called after what the rows do to which they refer: `advisor_id` of instructors."""
    found = []
    for key in planner.schema.foreign_keys:
        if len(key.columns) == 1 and key.table != key.target_table:
            own = RoleKey(key.table, key.columns[0], key.target_table, key.target_columns[0], "deed")
            pair = RolePair((own,), (key.target_table,))
            if pair.deeds:
                found.append(pair)
    return tuple(found)


def _sides(one: str, other: str) -> tuple[str, str] | None:
    """The sides of two keys by their names; where one has none that is known, it is opposite to the other."""
    sides = _side(one), _side(other)
    match sides:
        case str() as a, str() as b if OPPOSITE[a] == b:
            return a, b
        case str() as a, None:
            return a, OPPOSITE[a]
        case None, str() as b:
            return OPPOSITE[b], b
    return None


def _side(column: str) -> str | None:
    return next((SIDES[w] for w in identifier_words(column) if w in SIDES), None)


def _homes(planner: JoinPlanner, target: str, table: str) -> tuple[str, ...]:
    """A table, then those that each of its rows belongs to, nearest first."""
    near = [t.name for t in planner.schema.tables if t.name not in {target, table}]
    start = TableRef(target)
    belongs = [
        t for t in near
        if planner.distance(target, t) < _NEAR and planner.one_each(start, (start, TableRef(t)))
        and all(j.left.table.name != table != j.right.table.name
                for j in planner.plans((start, TableRef(t)))[0].joins)
    ]  # fmt: skip
    return (target, *sorted(belongs, key=lambda t: planner.distance(target, t)))
