"""How a follow-up changes conditions: one replaced, added, widened, turned round or lifted."""

from collections.abc import Callable, Iterator
from dataclasses import replace

from fathom.offline.followups.follow_up_words import (
    SURE_MATCHES,
    Edit,
    FollowUpReading,
    compared_column,
    span_places,
)
from fathom.offline.followups.wordlists import (
    COUNTING,
    EXCLUDING,
    LIFTING,
    NARROWING,
    WIDENING,
)
from fathom.offline.linking import ColumnKey, LinkedValue, Span, log_odds
from fathom.offline.linking.levels import NAMED
from fathom.offline.queries.query import (
    NEGATED,
    ComparisonPredicate,
    Condition,
    Items,
    Literal,
    Query,
    conjunction,
    conjuncts,
    negate,
)

FILTERED = 1
_SIZES = frozenset(("<", "<=", ">", ">="))
_COMPARED, _IN_TABLES, _AWAY = 6.0, 3.0, 3.0
"""The weights for a value of a column that the query compares already, of its tables, and what against
one that has to be joined: in log-odds, as the linking's own edits were weighed before."""


def values(reading: FollowUpReading) -> Iterator[Edit]:
    """Values that are named: in the place of the value before, added, excluded, or beside it."""
    for group in _value_groups(reading):
        value = group[0]
        places = frozenset[int]().union(*(span_places(v.span) for v in group))
        places |= _between(reading, places) | column_words(reading, value.column, places)
        denied = frozenset[int]() if value.match == "boolean" else _denial(reading, min(places))
        if value.match == "boolean":
            places |= _denial(reading, min(places))
        widened = frozenset[int]() if denied else _widening(reading)
        condition = _condition(group, denied=bool(denied))
        weight = log_odds(value.probability) + _at_home(reading, value.column)
        ahead = min(places | denied) - 1
        by = frozenset((ahead,) if ahead >= 0 and reading.words[ahead] == "by" else ())  # "and by Dubois?"
        yield Edit(
            f"filter {value.column}",
            places | by | denied | widened,
            put_condition(reading, condition, widen=bool(widened)),
            FILTERED,
            weight,
        )


def _widening(reading: FollowUpReading) -> frozenset[int]:
    """The places of words that ask for a value beside the one before; of lists "too" does as well."""
    said = reading.phrase(WIDENING)
    if said and said == reading.having({"or"}) and 0 not in said:
        return frozenset()  # it joins two values
    return said or (reading.having({"too", "also"}) if reading.lists else frozenset())


def _value_groups(reading: FollowUpReading) -> Iterator[tuple[LinkedValue, ...]]:
    """The values of each run of words and column, those of one column that "and" or "or" joins together."""
    found: dict[tuple[Span, ColumnKey], LinkedValue] = {}
    for value in reading.linking.values:
        sure = value.match in SURE_MATCHES and value.upper is None
        column_word = reading.known >= span_places(value.span)
        if sure and not column_word and reading.near(value.column.table):
            found.setdefault((value.span, value.column), value)
    for value in found.values():
        yield (value,)
        for other in found.values():
            joined = reading.words[value.span.end : other.span.first]
            if other.column == value.column and joined in {("and",), ("or",), (",",)}:
                yield (value, other)


def _between(reading: FollowUpReading, places: frozenset[int]) -> frozenset[int]:
    return frozenset(range(min(places), max(places) + 1))


def column_words(reading: FollowUpReading, column: ColumnKey, places: frozenset[int]) -> frozenset[int]:
    """The places of words that name the column of a value."""
    linking = reading.linking
    row = linking.alignment[linking.index[column]]
    free = frozenset(range(len(reading.words))) - places - reading.valued
    return frozenset(i for i in free if row[i] >= NAMED)


def _denial(reading: FollowUpReading, before: int) -> frozenset[int]:
    """The places of words that exclude what follows them; those of "but", "the" and the like are free."""
    found = reading.phrase(EXCLUDING)
    return found if found and max(found) < before else frozenset()


def _condition(group: tuple[LinkedValue, ...], *, denied: bool) -> ComparisonPredicate:
    column = group[0].column.in_query()
    if len(group) > 1:
        items = Items(tuple(Literal(v.value) for v in group))
        return ComparisonPredicate(column, "not in" if denied else "in", items)
    return ComparisonPredicate(column, "!=" if denied else "=", Literal(group[0].value))


def _at_home(reading: FollowUpReading, column: ColumnKey) -> float:
    if column in reading.compared:
        return _COMPARED
    return _IN_TABLES if column.table in reading.tables else -_AWAY


def put_condition(
    reading: FollowUpReading, condition: ComparisonPredicate, *, widen: bool = False
) -> Callable[[Query], Query | None]:
    """Puts a condition in the place of one on the same column; adds it where both narrow."""
    excludes = condition.operator in {"!=", "not in", "not like", "not between"}
    only = bool(reading.having(NARROWING))

    def change(query: Query) -> Query | None:
        column = compared_column(condition)
        parts = [p for p in conjuncts(query.where) if isinstance(p, ComparisonPredicate)]
        for part in (p for p in parts if p in reading.conditions):
            sizes = part.operator in _SIZES and condition.operator in _SIZES
            narrows = sizes and part.operator[0] != condition.operator[0] and only
            if compared_column(part) != column or narrows or (excludes and part.operator != "="):
                continue
            new = _both(part, condition) if widen else condition
            return None if new is None else _exchanged(query, part, new)
        return replace(query, where=conjunction(query.where, condition))

    return change


def _both(part: ComparisonPredicate, condition: ComparisonPredicate) -> ComparisonPredicate | None:
    """The condition that a column holds the value before or the new one."""
    had = part.right.items if isinstance(part.right, Items) else (part.right,)
    new = condition.right.items if isinstance(condition.right, Items) else (condition.right,)
    if part.operator not in {"=", "in"} or condition.operator not in {"=", "in"}:
        return None
    items = tuple(i for i in (*had, *new) if isinstance(i, Literal))
    return ComparisonPredicate(condition.left, "in", Items(items))


def _exchanged(query: Query, old: ComparisonPredicate, new: ComparisonPredicate) -> Query:
    parts = [new if p == old else p for p in conjuncts(query.where)]
    return replace(query, where=conjunction(*parts))


def lifted(reading: FollowUpReading) -> Iterator[Edit]:
    """Conditions that no longer hold: "all of them", "for all countries", "regardless of status"."""
    said = reading.phrase(LIFTING)
    if not said or reading.query.where is None:
        return
    named = reading.columns_named()
    dropped = [k for k in named if k in reading.compared]
    if dropped:
        kept = [p for p in conjuncts(reading.query.where) if not _about(p, dropped)]
        places = said.union(*(named[k] for k in dropped))
        where = conjunction(*kept)
        yield Edit("where", places, _with_where(reading, where), FILTERED, 3.0, ("filter",))
    elif reading.having({"all"}):
        yield Edit("where", said, _with_where(reading, None), FILTERED, 0.0, ("filter",))


def _about(part: object, columns: list[ColumnKey]) -> bool:
    return isinstance(part, ComparisonPredicate) and compared_column(part) in columns


def _with_where(reading: FollowUpReading, where: Condition | None) -> Callable[[Query], Query]:
    """Puts other conditions in the place of all, of the same tables."""
    tables = reading.all_tables()
    return lambda q: replace(q, where=where, tables=tuple(dict.fromkeys((*q.tables, *tables))))


def denied(reading: FollowUpReading) -> Iterator[Edit]:
    """The opposite of the last condition, where the follow-up only denies: "and how many without?"."""
    if len(reading.linking.negations) != 1 or reading.query.where is None:
        return
    *kept, last = conjuncts(reading.query.where)
    if not isinstance(last, ComparisonPredicate) or last.operator not in NEGATED:
        return
    flag = last.operator == "=" and last.right in (Literal(0), Literal(1)) and _is_flag(reading, last)
    turned = replace(last, right=Literal(int(last.right == Literal(0)))) if flag else negate(last)
    places = span_places(reading.linking.negations[0])
    others = reading.content - reading.known - places - reading.phrase(COUNTING)
    if not others:  # else it denies what these words say
        where = conjunction(*kept, turned)
        yield Edit("where", places, _with_where(reading, where), FILTERED, 0.0, ("filter",))


def _is_flag(reading: FollowUpReading, part: ComparisonPredicate) -> bool:
    key = compared_column(part)
    return key is not None and reading.kinds.get(key) == "boolean"
