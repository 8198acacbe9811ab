"""The joins of a schema as one graph: declared, inferred from values, or guessed from names; ways over it.

`fathom.databases.joins` infers the keys that a schema lacks; the planner of the offline method makes the
joins of queries of the graph's edges.
"""

from collections import defaultdict, deque
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Self

from fathom.records.schema import ForeignKey, Schema, Table

KEY_COST = 1.4
"""The cost of a join that names alone suggest, to a table's key; a declared key costs 1."""
GUESSED_COST = 2.5
"""The cost of a join of equally named columns, none of them a key: used where nothing else leads."""
_FURTHEST = 3  # joins; tables further apart are seldom needed by one question
_GENERIC = frozenset(("id", "name", "year", "date", "type", "description", "status", "title", "details"))

ColumnPlace = tuple[str, str]
"""A table and a column of it."""


@dataclass(frozen=True, slots=True)
class JoinEdge:
    """A way to join two tables: pairs of columns, the first of `left`."""

    left: str
    right: str
    pairs: tuple[tuple[str, str], ...]
    cost: float

    def reversed(self) -> "JoinEdge":
        """The same join seen from the other table."""
        return JoinEdge(self.right, self.left, tuple((b, a) for a, b in self.pairs), self.cost)

    @property
    def ends(self) -> frozenset[ColumnPlace]:
        """The columns that it joins."""
        return frozenset(c for a, b in self.pairs for c in ((self.left, a), (self.right, b)))


class JoinGraph:
    """The joins between the tables of a schema, by the tables' names."""

    def __init__(self, schema: Schema, edges: Iterable[JoinEdge]) -> None:
        self._places = {t.name: place for place, t in enumerate(schema.tables)}
        found: dict[str, list[JoinEdge]] = defaultdict(list)
        for edge in edges:
            found[edge.left].append(edge)
            if edge.left != edge.right:
                found[edge.right].append(edge.reversed())
        self._edges = {table: tuple(leaving) for table, leaving in found.items()}

    @classmethod
    def of(cls, schema: Schema) -> Self:
        """The joins that a schema declares, and those that were inferred for it."""
        return cls(schema, _of_keys(schema))

    @classmethod
    def guessing(
        cls,
        schema: Schema,
        uniform: Collection[ColumnPlace] = (),
        apart: Collection[frozenset[ColumnPlace]] = (),
    ) -> Self:
        """These, and the joins that names alone suggest.

        `uniform` are the columns that hold one value throughout: equal, they join every row with every row,
        so that only declared keys use them. Pairs of columns `apart` share few values, so that no equal name
        joins them.
        """
        return cls(schema, _with_guesses(schema, uniform, apart))

    def neighbours(self, table: str) -> tuple[JoinEdge, ...]:
        """The joins that leave a table, in the schema's order."""
        return self._edges.get(table, ())

    def joined(self, table: str) -> Collection[str]:
        """The other tables that join one."""
        return dict.fromkeys(e.right for e in self._edges.get(table, ()) if e.right != table).keys()

    def between(self, tables: Sequence[str]) -> list[str]:
        """The fewest other tables found that join each of these to one before it, up to three joins away."""
        together = set(tables[:1])
        added: list[str] = []
        for table in tables[1:]:
            path = [] if together & set(self.joined(table)) else self._path(table, together)
            added += [t for t in path if t not in tables and t not in added]
            together |= {table, *path}
        return added

    def keys(self, tables: Sequence[str]) -> dict[str, list[str]]:
        """For each table its columns that join it to others of these."""
        among = set(tables)
        found: dict[str, list[str]] = {}
        for table in tables:
            edges = [e for other in self.joined(table) if other in among for e in self._to(table, other)]
            found[table] = list(dict.fromkeys(own for e in edges for own, _ in e.pairs))
        return found

    def _to(self, table: str, other: str) -> Iterator[JoinEdge]:
        return (e for e in self._edges[table] if e.right == other)

    def _path(self, start: str, goals: Collection[str]) -> list[str]:
        """The tables between one and the nearest goal; none where no goal is near."""
        before: dict[str, str] = {start: start}
        queue = deque([(start, 0)])
        while queue:
            table, away = queue.popleft()
            if table in goals:
                path = []
                while (table := before[table]) != start:
                    path.append(table)
                return path
            if away < _FURTHEST:
                for other in sorted(self.joined(table), key=self._places.__getitem__):
                    if other not in before:
                        before[other] = table
                        queue.append((other, away + 1))
        return []


def guessed_by_text(schema: Schema) -> Iterator[frozenset[ColumnPlace]]:
    """The pairs of equally named columns of text, none of them a key, that may be joined."""
    for i, left in enumerate(schema.tables):
        for right in schema.tables[i + 1 :]:
            for edge in _guessed(left, right):
                (pair,) = edge.pairs
                text = left.column(pair[0]).kind == right.column(pair[1]).kind == "text"
                if edge.cost >= GUESSED_COST and text:
                    yield edge.ends


_Known = dict[tuple[str, str, frozenset[tuple[str, str]]], JoinEdge]


def _keyed(schema: Schema) -> _Known:
    edges: _Known = {}
    for key in schema.foreign_keys:
        edge = _declared(schema, key)
        if edge is not None:
            edges.setdefault((edge.left, edge.right, frozenset(edge.pairs)), edge)
    return edges


def _of_keys(schema: Schema) -> list[JoinEdge]:
    return list(_keyed(schema).values())


def _with_guesses(
    schema: Schema, uniform: Collection[ColumnPlace], apart: Collection[frozenset[ColumnPlace]]
) -> list[JoinEdge]:
    edges = _keyed(schema)
    linked = {frozenset((e.left, e.right)) for e in edges.values()}
    for i, left in enumerate(schema.tables):
        for right in schema.tables[i + 1 :]:
            known = frozenset((left.name, right.name)) in linked
            for edge in _guessed(left, right):
                if any((left.name, a) in uniform and (right.name, b) in uniform for a, b in edge.pairs):
                    continue
                if edge.cost >= GUESSED_COST and edge.ends in apart:
                    continue
                # Where a key links them already, another join is only likely to a key of the same name.
                if not known or edge.cost <= KEY_COST:
                    cost = edge.cost + (0.6 if known else 0.0)
                    found = JoinEdge(edge.left, edge.right, edge.pairs, cost)
                    backwards = (edge.right, edge.left, frozenset((b, a) for a, b in edge.pairs))
                    if backwards not in edges:
                        edges.setdefault((edge.left, edge.right, frozenset(edge.pairs)), found)
    return list(edges.values())


def _declared(schema: Schema, key: ForeignKey) -> JoinEdge | None:
    if key.table not in schema or key.target_table not in schema:
        return None
    left, right = schema.table(key.table), schema.table(key.target_table)
    pairs = tuple(
        (left.column(a).name, right.column(b).name)
        for a, b in zip(key.columns, key.target_columns, strict=True)
    )
    cost = 1.0 + (1.0 - key.confidence if key.inferred else 0.0)
    return JoinEdge(left.name, right.name, pairs, cost)


def _guessed(left: Table, right: Table) -> list[JoinEdge]:
    """Joins that names suggest where keys are missing: equal names, or `start_station_id` to `station.id`."""
    theirs = {c.name.casefold(): c.name for c in right.columns}
    found = []
    for column in left.columns:
        other = theirs.get(column.name.casefold())
        if other is None or column.name.casefold() in _GENERIC:
            continue
        keys = (left.primary_key == (column.name,)) + (right.primary_key == (other,))
        looks_like_key = column.name.casefold().endswith(("id", "code", "no", "number", "_name"))
        if column.kind == "number" and not keys and not looks_like_key:
            continue  # equal prices join nothing
        cost = {1: KEY_COST, 2: 2.0}.get(keys, GUESSED_COST + (0.0 if looks_like_key else 0.7))
        found.append(JoinEdge(left.name, right.name, ((column.name, other),), cost))
    for one, two in ((left, right), (right, left)):
        if len(two.primary_key) != 1:
            continue
        (key,) = two.primary_key
        tail = f"{two.name}_{key}".casefold().replace("_", "")
        for column in one.columns:
            folded = column.name.casefold().replace("_", "")
            if folded.endswith(tail) and column.name.casefold() != key.casefold():
                edge = JoinEdge(one.name, two.name, ((column.name, key),), KEY_COST + 0.2)
                found.append(edge if one is left else edge.reversed())
    return found
