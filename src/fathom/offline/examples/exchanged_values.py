"""Values of solved queries, exchanged for those that another question names."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from fathom.offline.linking import ColumnKey, Linking, QuestionToken, Span
from fathom.offline.linking.numbers import find_numbers
from fathom.offline.linking.text import token_stems, tokenize
from fathom.offline.queries.query import (
    ColumnRef,
    ComparisonPredicate,
    Items,
    Literal,
    Query,
    part_names,
    walk,
)

FRAME = "%;,| ("
"""Signs around a value that aren't part of what a question calls it."""
Value = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Blank:
    """A value of a solved query that its question names: with which column, and the how-manieth so named."""

    column: ColumnKey | None
    value: Value
    place: int


@dataclass(frozen=True, slots=True)
class Template:
    """A query whose values may be exchanged where `blanks` say so."""

    query: Query
    blanks: tuple[Blank, ...]


def filled(template: Template, linking: Linking) -> Iterable[tuple[Query, int, Sequence[Span]]]:
    """The query with this question's values, how many of its own it kept, and where the others are."""
    used: list[Span] = []
    chosen: dict[tuple[ColumnKey | None, Value], Value] = {}
    kept = 0
    whole = whole_values(linking)
    for blank in template.blanks:
        found = _replacement(blank, linking, used, whole)
        if found is None:
            kept += 1
            if named_at(linking.tokens, blank.value) is None:
                return
        else:
            value, span = found
            chosen[blank.column, blank.value] = value
            used.append(span)
    yield _exchanged(template.query, lambda c, v: chosen.get((c, v), v)), kept, sorted(used)


def whole_values(linking: Linking) -> tuple[Span, ...]:
    """Words that are exactly a stored value, none inside longer ones that are: surely meant as one."""
    exact = {v.span for v in linking.values if v.match in {"exact", "folded"} and v.comparison != "like"}
    return tuple(sorted(s for s in exact if not any(s != o and s.within(o) for o in exact)))


def values_left_out(linking: Linking, queries: Iterable[Query]) -> list[int]:
    """How many of the values that a question surely names each query doesn't hold."""
    wanted = [
        {f" {_plain(v.value)} " for v in linking.values if v.span == span} for span in whole_values(linking)
    ]
    if not wanted:
        return [0 for _ in queries]
    held = (" ".join(f" {_plain(v)} " for _, v in literals(q)) for q in queries)
    return [sum(not any(w in text for w in words) for words in wanted) for text in held]


def _plain(value: Value) -> str:
    return " ".join(t.lower for t in tokenize(str(value)))


def _replacement(
    blank: Blank, linking: Linking, used: Sequence[Span], whole: Sequence[Span]
) -> tuple[Value, Span] | None:
    if isinstance(blank.value, int | float) and not isinstance(blank.value, bool):
        for number in linking.numbers:
            if not any(number.span.overlaps(u) for u in used):
                return number.value, number.span
        return None
    wanted = str(blank.value)
    for value in linking.values:
        free = not any(value.span.overlaps(u) for u in used)
        # "south dakota" is no misspelt "south bend", where some column holds it as it stands.
        free = free and (value.span in whole or not any(value.span.overlaps(w) for w in whole))
        if value.column == blank.column and free and value.match != "number":
            text = str(value.value)
            # Solved queries may spell values otherwise than the cells do, or frame them: keep their habit.
            core = wanted.strip(FRAME)
            before, _, after = wanted.partition(core) if core else ("", "", "")
            return before + (text.lower() if core.islower() else text) + after, value.span
    return None


def literals(node: Any, column: ColumnKey | None = None) -> Iterable[tuple[ColumnKey | None, Value]]:
    """The constants of a query with the columns they are compared with, and its limits."""
    if isinstance(node, Literal):
        yield column, node.value
    elif isinstance(node, ComparisonPredicate):
        key = _key(node)
        yield from literals(node.left, key)
        yield from literals(node.right, key)
    elif isinstance(node, tuple):
        for item in node:
            yield from literals(item, column)
    else:
        if isinstance(node, Query) and node.limit is not None and node.limit > 1:
            yield None, node.limit
        for name in part_names(type(node)):
            yield from literals(getattr(node, name), column if isinstance(node, Items) else None)


def named_at(tokens: Sequence[QuestionToken], value: Value, others: Sequence[str] = ()) -> Span | None:
    """Where a question names a value, itself or by one of its other names."""
    if isinstance(value, int | float):
        return next((n.span for n in find_numbers(tokens) if n.value == value), None)
    words = [(i, t.stem) for i, t in enumerate(tokens) if t.kind != "sign"]
    for phrase in (str(value), *others):
        wanted = list(token_stems(tokenize(phrase)))
        for start in range(len(words) - len(wanted) + 1):
            if wanted and [w for _, w in words[start : start + len(wanted)]] == wanted:
                return Span(words[start][0], words[start + len(wanted) - 1][0] + 1)
    return None


def _key(comparison: ComparisonPredicate) -> ColumnKey | None:
    """The one column on the left: by itself, or in LOWER(column) and the like."""
    named = {e for e in walk(comparison.left) if isinstance(e, ColumnRef)}
    left = named.pop() if len(named) == 1 else None
    return ColumnKey.of(left) if left is not None else None


_Node = TypeVar("_Node")


def _exchanged(
    node: _Node, value: Callable[[ColumnKey | None, Value], Value], column: ColumnKey | None = None
) -> _Node:
    """A query with its constants replaced; what doesn't change stays the same object."""
    given: Any = node
    changed: Any = node
    if isinstance(given, Literal):
        other = value(column, given.value)
        changed = given if other is given.value else Literal(other)
    elif type(given) is tuple:
        parts = tuple(_exchanged(i, value, column) for i in given)
        changed = given if all(a is b for a, b in zip(parts, given, strict=True)) else parts
    elif names := part_names(type(given)):
        inner = (
            _key(given)
            if isinstance(given, ComparisonPredicate)
            else column
            if isinstance(given, Items)
            else None
        )
        changes = {}
        for name in names:
            old = getattr(given, name)
            new = _exchanged(old, value, inner)
            if new is not old:
                changes[name] = new
        if isinstance(given, Query) and given.limit is not None and given.limit > 1:
            limit = value(None, given.limit)
            changes["limit"] = limit if isinstance(limit, int) else given.limit
        changed = replace(given, **changes) if changes else given
    result: _Node = changed
    return result
