"""Two numbers of the same rows as one query, perhaps for each of something: "the ratio of open to closed
shops in each city".

What restricts the one alone goes into what it adds up.
"""

import re
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from fathom.offline.combined.records import Form
from fathom.offline.queries.query import (
    Aggregate,
    CaseWhen,
    ColumnRef,
    Condition,
    Expression,
    Literal,
    OrderKey,
    Query,
    Star,
    conjunction,
    conjuncts,
    is_aggregate,
    mentioned_tables,
    rebuilt,
)
from fathom.text.patterns import Pattern

_I = re.IGNORECASE
_EACH = r"(?:for|in|of|by|at|on)\s+(?:each|every)\s+|per\s+|by\s+(?!the\b)"
_ORDER = Pattern(
    r",?\s+(?:(?:sorted|ordered|ranked)\s+(?:by|from|in)|in\s+(?P<way>ascending|descending)\s+order\b|from\s+(?:the\s+)?"
    r"(?:highest|lowest)\s+to\b).*$",
    _I,
)
_DOWN = Pattern(r"\b(?:desc|descending|highest\s+to|highest\b.*\bfirst|from\s+high)", _I)
_GROUP = Pattern(rf"(?P<rest>.+?),?\s+(?P<group>(?:{_EACH}).+)$", _I)
_ACROSS = Pattern(
    r"(?P<rest>.+?)\s+(?:across|among|between|for)\s+(?:the\s+)?(?:different|various|all)\s+(?:the\s+)?(?P<group>.+)$",
    _I,
)
_VARIES = Pattern(r"how\s+(?:does|do|did)\s+(?P<what>.+?)\s+(?:vary|differ|change)\s+(?P<group>\w+\s.+)$", _I)


class Grouped(NamedTuple):
    """A question without its group, the group ("for each city"), and the order that is asked for.

    The order is by the number: `descending`, ascending, or None.
    """

    text: str
    group: str = ""
    descending: bool | None = None


def grouped(text: str) -> Grouped:
    """A question's words apart from those that say of each of what, and in which order."""
    text, descending = text.rstrip(" ?."), None
    if found := _ORDER.search(text):
        descending = bool(_DOWN.search(found[0]))
        text = text[: found.start()]
    if found := _VARIES.match(text):
        text = f"What is {found['what']} {found['group']}"
    if found := _ACROSS.match(text):
        return Grouped(found["rest"], f"by {found['group']}", descending)
    if found := _GROUP.match(text):
        return Grouped(found["rest"], found["group"], descending)
    return Grouped(text)


class NumberPair(NamedTuple):
    """A query without the two numbers that two queries give of its rows, these, and their place in SELECT."""

    query: Query
    first: Expression
    second: Expression
    place: int

    def showing(self, number: Expression) -> Query:
        """The query with one number in the place of both."""
        shown = self.query.select
        return replace(self.query, select=(*shown[: self.place], number, *shown[self.place :]))


def for_each(form: Form, one: Query, two: Query, descending: bool | None) -> Query | None:
    """Calculate a number from two numbers of the same groups, or of all; None where their rows differ."""
    paired = pair(one, two)
    if paired is None:
        return None
    number = form(paired.first, paired.second)
    order = () if descending is None else (OrderKey(number, descending),)
    return replace(paired.showing(number), order=order)


def pair(one: Query, two: Query) -> NumberPair | None:
    """Two numbers of the same groups, or of all; None where their rows differ."""
    shown = [[e for e in q.select if not is_aggregate(e)] for q in (one, two)]
    alike = one.group == two.group and shown[0] == shown[1] and one.joins == two.joins
    bare = all(
        q == Query(q.select, where=q.where, group=q.group, order=q.order, tables=q.tables, joins=q.joins)
        for q in (one, two)
    )
    if not alike or not bare or {*mentioned_tables(one)} != {*mentioned_tables(two)}:
        return None
    totals = [[e for e in q.select if is_aggregate(e)] for q in (one, two)]
    if [len(t) for t in totals] != [1, 1]:
        return None
    said = [conjuncts(q.where) for q in (one, two)]
    both = [c for c in said[0] if c in said[1]]
    top, bottom = (
        _under(total, conjunction(*(c for c in own if c not in both)))
        for (total,), own in zip(totals, said, strict=True)
    )
    if top == bottom:
        return None
    tables = tuple(dict.fromkeys((*one.tables, *two.tables)))
    place = next(i for i, e in enumerate(one.select) if is_aggregate(e))
    rest = tuple(shown[0])
    query = replace(one, select=rest, tables=tables, where=conjunction(*both), order=())
    return NumberPair(query, top, bottom, place)


def _under(total: Expression, condition: Condition | None) -> Expression:
    """An aggregate of the rows alone that meet a condition."""
    return total if condition is None else rebuilt(total, partial(_kept, condition))


def _kept(condition: Condition, node: object) -> object:
    match node:
        case Aggregate("count", Star()):
            return Aggregate("sum", CaseWhen(condition, Literal(1), Literal(0)))
        case Aggregate("sum", argument):
            return Aggregate("sum", CaseWhen(condition, argument, Literal(0)))
        case Aggregate(_, ColumnRef() as argument):
            return replace(node, argument=CaseWhen(condition, argument))
    return node
