"""Sketches taken apart into clauses and put together again: shapes never seen whole become reachable."""

from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

from fathom.offline.queries.query import ColumnRef, Literal, Query, part_names


@dataclass(frozen=True, slots=True)
class SketchClauses:
    """The clauses of a sketch, each with its values numbered from 0: shown, condition, tail, rest.

    `shown` is SELECT with DISTINCT; `tail` GROUP BY, HAVING, ORDER BY and LIMIT; `rest` the set operation,
    the source and the tables that no column names.
    """

    shown: Query
    condition: Query
    tail: Query
    rest: Query

    def __iter__(self) -> Iterator[Query]:
        return iter((self.shown, self.condition, self.tail, self.rest))


_BARE = frozenset((str, int, bool, float, type(None)))


def take_apart(sketch: Query) -> SketchClauses:
    """The parts of a sketch."""
    return SketchClauses(
        _renumber(Query(sketch.select, distinct=sketch.distinct), {}),
        _renumber(Query((), where=sketch.where), {}),
        _renumber(
            Query((), group=sketch.group, having=sketch.having, order=sketch.order, limit=sketch.limit), {}
        ),
        _renumber(
            Query(
                (), offset=sketch.offset, tables=sketch.tables, source=sketch.source, compound=sketch.compound
            ),
            {},
        ),
    )


def put_together(parts: SketchClauses) -> Query:
    """The sketch made of the parts, its values numbered through."""
    count = 0
    numbered: list[Query] = []
    for part in parts:
        own: dict[str, str] = {}
        numbered.append(_renumber(part, own, start=count))
        count += len(own)
    shown, condition, tail, rest = numbered
    return replace(
        shown, where=condition.where,
        group=tail.group, having=tail.having, order=tail.order, limit=tail.limit,
        offset=rest.offset, tables=rest.tables, source=rest.source, compound=rest.compound,
    )  # fmt: skip


def coherent(sketch: Query) -> bool:
    """True if every slot that a clause takes up again was introduced by another."""
    shown = set(_slot_names(sketch.select))
    tail = (sketch.group, sketch.having, sketch.order)
    if any(n.rpartition(":")[2] not in shown for n in _slot_names(tail) if n.rpartition(":")[2][0] in "sa"):
        return False
    introduced: set[str] = set()
    for name in _slot_names(sketch):
        base = name.rpartition(":")[2]
        stem, number = base.rstrip("0123456789"), base.lstrip("abcdefghijklmnopqrstuvwxyz")
        if ":" in name and base not in introduced:
            return False
        if number and int(number) > 0 and f"{stem}{int(number) - 1}" not in introduced:
            return False
        introduced.add(base)
    return True


def _slot_names(value: Any) -> Iterator[str]:
    if isinstance(value, tuple):
        for item in value:
            yield from _slot_names(item)
    elif isinstance(value, ColumnRef):
        yield value.name
    elif is_dataclass(value):
        for field in fields(value):
            yield from _slot_names(getattr(value, field.name))


def _renumber(value: Any, names: dict[str, str], *, start: int = 0) -> Any:
    """The same with its value slots numbered in order of appearance; what has none stays as it is."""
    if isinstance(value, tuple):
        items = [_renumber(v, names, start=start) for v in value]
        return tuple(items) if any(a is not b for a, b in zip(items, value, strict=True)) else value
    if isinstance(value, Literal):
        if isinstance(value.value, str) and value.value[:1] == "v" and value.value[1:].isdigit():
            if value.value not in names:
                names[value.value] = f"v{start + len(names)}"
            return value if names[value.value] == value.value else Literal(names[value.value])
        return value
    changed = {}
    for name in part_names(type(value)):
        part = getattr(value, name)
        if not part or part.__class__ in _BARE:
            continue
        other = _renumber(part, names, start=start)
        if other is not part:
            changed[name] = other
    return replace(value, **changed) if changed else value
