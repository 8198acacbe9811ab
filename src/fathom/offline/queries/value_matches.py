"""How values are compared with a column, as its note in a knowledge pack says."""

from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

from fathom.knowledge import ColumnNote, KnowledgePack
from fathom.offline.queries.query import (
    Arithmetic,
    ColumnRef,
    ComparisonPredicate,
    FunctionCall,
    Literal,
    Query,
)
from fathom.records import Assumption

_Node = TypeVar("_Node")


def as_noted(query: Query, pack: KnowledgePack) -> tuple[Query, tuple[Assumption, ...]]:
    """The query with values compared as the pack's notes say, and what to tell the person about each."""
    told: dict[Assumption, None] = {}
    changed = _changed(query, pack, told)
    return changed, tuple(told)


def _changed(node: _Node, pack: KnowledgePack, told: dict[Assumption, None]) -> _Node:
    given: Any = node
    result: Any = node
    if isinstance(given, ComparisonPredicate):
        result = _compared(given, pack, told)
        if result is given and given.right is not None:
            result = replace(given, right=_changed(given.right, pack, told))
    elif isinstance(given, tuple):
        result = tuple(_changed(i, pack, told) for i in given)
    elif is_dataclass(given) and not isinstance(given, type | ColumnRef | Literal):
        result = replace(
            given, **{f.name: _changed(getattr(given, f.name), pack, told) for f in fields(given)}
        )
    found: _Node = result
    return found


def _compared(
    comparison: ComparisonPredicate, pack: KnowledgePack, told: dict[Assumption, None]
) -> ComparisonPredicate:
    match comparison:
        case ComparisonPredicate(
            ColumnRef() as column, ("=" | "!=") as operator, Literal(value=str() as value)
        ):
            note = pack.column(column.table.name, column.name)
            if note is not None and note.match not in {None, "exact"} and not set(value) & set("%_"):
                told[Assumption("value", _words(note, value, column.name), f"pack {pack.name}".strip())] = (
                    None
                )
                return _by_note(note, column, value, negated=operator == "!=")
    return comparison


def _by_note(note: ColumnNote, column: ColumnRef, value: str, *, negated: bool) -> ComparisonPredicate:
    like = "not like" if negated else "like"
    if note.match == "item":
        edge = Literal(note.separator)
        framed = Arithmetic("||", Arithmetic("||", edge, column), edge)
        return ComparisonPredicate(framed, like, Literal(f"%{note.separator}{value}{note.separator}%"))
    lower = FunctionCall("lower", (column,))
    if note.match == "contains":
        return ComparisonPredicate(lower, like, Literal(f"%{value.lower()}%"))
    return ComparisonPredicate(lower, "!=" if negated else "=", Literal(value.lower()))


def _words(note: ColumnNote, value: str, column: str) -> str:
    match note.match:
        case "item":
            return f"{value!r} is looked for as a whole item among those in each cell of {column}."
        case "contains":
            return f"{value!r} is looked for anywhere in {column}."
    return f"{column} is compared with {value!r} without regard to case."
