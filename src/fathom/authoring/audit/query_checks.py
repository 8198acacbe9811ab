"""Checks of a query by itself, whatever is asked and held: joins, types, contradictions."""

import re
from collections import defaultdict
from collections.abc import Iterator

from sqlglot import exp

from fathom.authoring.audit.findings import Evidence
from fathom.authoring.audit.gold_parts import ColumnOf, GoldParts
from fathom.offline.linking.text import name_stems
from fathom.records import Schema
from fathom.records.schema import DATED, NUMERIC

_NUMBER = re.compile(r"-?\d+(?:\.\d+)?$")
_IDENTIFIER = re.compile(r"(^|_)id$")

_READ_AS_TIME = frozenset(("strftime", "date", "julianday"))


def check_query(parts: GoldParts, schema: Schema) -> Iterator[Evidence]:
    """The suspicions about a query by itself."""
    yield from _unused_joins(parts)
    yield from _joins_off_keys(parts, schema)
    yield from _types(parts, schema)
    yield from _contradictions(parts)
    yield from _identifiers(parts)
    for either in parts.tree.find_all(exp.Or):
        if isinstance(either.left, exp.And) or isinstance(either.right, exp.And):
            yield "or_beside_and", "OR stands beside AND without brackets", {}
            return


def _unused_joins(parts: GoldParts) -> Iterator[Evidence]:
    """Tables at the end of a chain of joins that nothing else of the query reads."""
    used = {c.alias for c in parts.used}
    beside: dict[str, set[str]] = defaultdict(set)
    tables: dict[str, str] = {}
    for left, right in parts.joined:
        beside[left.alias].add(right.alias)
        beside[right.alias].add(left.alias)
        tables |= {left.alias: left.table, right.alias: right.table}
    for alias, others in beside.items():
        if alias not in used and len(others) == 1:
            told = f"{tables[alias]} is joined, and nothing of it is returned or compared"
            yield "join_unused", told, {"table": tables[alias]}


def _joins_off_keys(parts: GoldParts, schema: Schema) -> Iterator[Evidence]:
    keys = _key_pairs(schema)
    for left, right in parts.joined if keys else ():
        if frozenset((left.key, right.key)) not in keys and not _named_alike(left, right):
            told = f"{left.key} = {right.key} joins columns that no key relates"
            yield "join_off_keys", told, {"columns": [left.key, right.key]}


def _named_alike(left: ColumnOf, right: ColumnOf) -> bool:
    """Columns of one name, or one named after the other's table: `match.league_id` and `league.id`."""
    if left.name == right.name:
        return True
    pairs = ((left, right), (right, left))
    return any(_words(one.name) == _words(two.table) + _words(two.name) for one, two in pairs)


def _words(name: str) -> str:
    return "".join(name_stems(name))


def _key_pairs(schema: Schema) -> frozenset[frozenset[str]]:
    """Columns that a key relates: directly, or both to the same column of a third table."""
    pairs = set()
    pointing: dict[str, set[str]] = defaultdict(set)
    for key in schema.foreign_keys:
        for own, other in zip(key.columns, key.target_columns, strict=True):
            one, two = f"{key.table}.{own}".casefold(), f"{key.target_table}.{other}".casefold()
            pairs.add(frozenset((one, two)))
            pointing[two].add(one)
    for every in pointing.values():
        pairs |= {frozenset((a, b)) for a in every for b in every if a != b}
    return frozenset(pairs)


def _types(parts: GoldParts, schema: Schema) -> Iterator[Evidence]:
    for test in parts.tests:
        if not test.plain or test.operator in ("like", "not like"):
            continue
        kind = schema.table(test.column.table).column(test.column.name).kind
        told = ""
        if kind in NUMERIC and test.is_text and not _NUMBER.match(test.value.strip()):
            told = f"{test.column.key} holds numbers, and is compared with the text {test.value!r}"
        elif kind == "text" and not test.is_text and test.operator not in ("=", "<>"):
            told = f"{test.column.key} is text, and is ordered against the number {test.value}"
        elif kind in DATED and not test.is_text:
            told = f"{test.column.key} is a time, and is compared with the number {test.value}"
        if told:
            yield "type_mismatch", told, {"column": test.column.key}
    for call in parts.tree.find_all(exp.TimeToStr, exp.Anonymous):
        if isinstance(call, exp.Anonymous) and call.name.casefold() not in _READ_AS_TIME:
            continue
        for column in call.find_all(exp.Column):
            of = parts.column(column)
            if of is not None and schema.table(of.table).column(of.name).kind in NUMERIC:
                yield "type_mismatch", f"{of.key} holds numbers, and is read as a time", {"column": of.key}


def _contradictions(parts: GoldParts) -> Iterator[Evidence]:
    for node in parts.tree.find_all(exp.Sub, exp.Div, exp.EQ, exp.NEQ, exp.GT, exp.LT):
        if isinstance(node.left, exp.Column) and node.left == node.right:
            yield "contradiction", f"{node.left.name} stands on both sides of a sign", {}
    for place in parts.tree.find_all(exp.Where, exp.Having):
        if not place.find(exp.Or):
            yield from _apart(place, parts)
    for count in parts.tree.find_all(exp.Count):
        of = parts.column(count.this)
        for null in parts.tree.find_all(exp.Is):
            same = of is not None and parts.column(null.this) == of
            if same and isinstance(null.expression, exp.Null) and not isinstance(null.parent, exp.Not):
                yield "contradiction", f"{null.this.name} is counted where it is NULL", {}


def _apart(place: exp.Expr, parts: GoldParts) -> Iterator[Evidence]:
    """Columns that would have to be above one number and below a smaller one."""
    low: dict[ColumnOf, float] = {}
    high: dict[ColumnOf, float] = {}
    within = {of for c in place.find_all(exp.Column) if (of := parts.column(c)) is not None}
    for test in parts.tests:
        if test.column in within and test.plain and not test.is_text:
            value = float(test.value)
            if test.operator in (">", ">="):
                low[test.column] = max(value, low.get(test.column, value))
            elif test.operator in ("<", "<="):
                high[test.column] = min(value, high.get(test.column, value))
    for column in low.keys() & high.keys():
        if low[column] > high[column]:
            told = f"{column.key} would have to be above {low[column]:g} and below {high[column]:g}"
            yield "contradiction", told, {"column": column.key}


def _identifiers(parts: GoldParts) -> Iterator[Evidence]:
    for call in parts.tree.find_all(exp.Sum, exp.Avg):
        of = parts.column(call.this)
        if of is not None and _IDENTIFIER.search(of.name):
            yield "id_aggregated", f"{call.key.upper()} of the identifier {of.key}", {"column": of.key}
