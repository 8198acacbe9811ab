"""Two statements that are true of the same rows, "tenants who rented both in Austin and in Houston", and two
counts at once, "how many men and how many women are there in each town"."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from fathom.offline.combined.groups import grouped, pair
from fathom.offline.combined.records import Combined, Composition, is_one_number
from fathom.offline.queries.query import (
    Aggregate,
    ComparisonPredicate,
    Query,
    Subquery,
    conjunction,
    is_aggregate,
    rows_asked,
)
from fathom.offline.queries.rows import RowNames
from fathom.records import Assumption
from fathom.text.patterns import Pattern

_I = re.IGNORECASE
_BOTH = Pattern(r"(?P<ahead>.+?)\s+both\s+(?P<one>.+?),?\s+and\s+(?P<other>.+?)[\s?.!]*$", _I)
_COUNTS = Pattern(
    r"(?:(?P<ahead>(?:for|in|at|on)\s+(?:each|every)\s+[^,]+),\s*)?(?:(?:show|give|tell|list)\s+(?:me\s+)?)?"
    r"(?P<how>how\s+many|the\s+number\s+of)\s+(?P<one>.+?),?\s+and\s+(?P=how)\s+(?P<other>.+?)[\s?.!]*$",
    _I,
)
_PREPOSITION = Pattern(r"(?:in|from|on|at|with|by|for|to|of)\b", _I)
_THERE = Pattern(r"\s+(?:(?:are|were)\s+there|there\s+(?:are|were)|do\s+we\s+have|we\s+have)\b", _I)


def both(text: str, names: RowNames) -> Iterator[Composition]:
    """The rows of which a question asks what it says of both, asked for the one and for the other."""
    if found := _BOTH.match(text):
        questions = tuple(f"{found['ahead']} {part}?" for part in (found["one"], found["other"]))
        yield Composition(questions, partial(_in_both, names), needed=False, learned=True)


def counts(text: str) -> Iterator[Composition]:
    """Two numbers of rows that a question asks for at once, one by one, perhaps by group."""
    found = _COUNTS.match(text)
    if found is None or " of them" in text:
        return
    other, group, _ = grouped(found["other"])
    group = found["ahead"] or group
    for parts in _in_full(_THERE.sub("", found["one"]), _THERE.sub("", other)):
        questions = tuple(f"How many {part} are there{f' {group}' if group else ''}?" for part in parts)
        yield Composition(questions, _side_by_side, needed=False, learned=True)


def _in_full(one: str, other: str) -> Iterator[tuple[str, str]]:
    """The rows counted, with what is said once for both: "orders in 2021, in 2022", "open, closed shops"."""
    if (ahead := _PREPOSITION.match(other)) and (places := list(re.finditer(rf"\b{ahead[0]}\b", one, _I))):
        yield one, one[: places[-1].start()] + other
        return
    yield one, other
    if " " not in one and " " in other:
        yield f"{one} {other.split(maxsplit=1)[1]}", other


def _in_both(names: RowNames, queries: Sequence[Query]) -> Combined | None:
    """The rows of the first query that are also those of the second, by their key, or else what is shown."""
    one, other = queries
    table = rows_asked(one)
    if table is None or rows_asked(other) != table or one.select != other.select or one == other:
        return None
    if any(q.limit is not None or q.having or any(map(is_aggregate, q.select)) for q in queries):
        return None
    called = {*names.of_table(table), *names.key_of(table)}
    same = names.key_of(table) if called.issuperset(one.select) else one.select
    if len(same) != 1 or one.where is None or other.where is None:
        return None
    within = Query(same, where=other.where, tables=other.tables, joins=other.joins)
    query = replace(one, where=conjunction(one.where, ComparisonPredicate(same[0], "in", Subquery(within))))
    return query, Assumption("default", f"Both are true of the same row of {table.name}.")


def _side_by_side(queries: Sequence[Query]) -> Combined | None:
    """Two numbers of rows in one row, or one of each group."""
    one, other = queries
    totals = [e for q in queries for e in q.select if is_aggregate(e)]
    if not all(isinstance(e, Aggregate) and e.function == "count" for e in totals):
        return None
    told = Assumption("default", "The numbers are in the order in which they are asked for.")
    if (paired := pair(one, other)) is not None:
        shown = (*paired.query.select, paired.first, paired.second)
        return replace(paired.query, select=shown), told
    if is_one_number(one) and is_one_number(other) and one != other:
        return Query((Subquery(one), Subquery(other))), told
    return None
