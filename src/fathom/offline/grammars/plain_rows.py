"""Rows of one table under the values that a question names: "all leases", "students who took Databases"."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import NamedTuple

from fathom.offline.checks.account import Accounts, names_table
from fathom.offline.grammars.kinds import asks_who, home_of_kind, is_plural
from fathom.offline.grammars.listing_tables import lists_kinds
from fathom.offline.grammars.sales_tables import OrderLines
from fathom.offline.grammars.sold import holds_lines, trade_verbs
from fathom.offline.grammars.values import values_of
from fathom.offline.linking import ColumnKey, LinkedValue, Linking, Span
from fathom.offline.linking.row_names import EACH
from fathom.offline.linking.text import name_stems
from fathom.offline.linking.wordlists import LIGHT, LISTING, NAMING
from fathom.offline.proposals.proposals import Proposal
from fathom.offline.queries.joins import JoinPlanner
from fathom.offline.queries.query import (
    Aggregate,
    ComparisonPredicate,
    Condition,
    Expression,
    Items,
    Literal,
    Query,
    Star,
    TableRef,
    conjunction,
    mentioned_tables,
)
from fathom.offline.queries.rows import RowNames

_PASSED = LISTING | frozenset("which what all the every any are is there me us our".split())
_ARTICLES = frozenset(("the", "a", "an"))
_WITHIN = frozenset("in through within inside across at near".split())
_HOW_MANY = frozenset(("how", "many", "total", "number", "of", "count"))
_CALLED = frozenset(("named", "called", "titled"))
_MORE = EACH | frozenset("more most than only fewer less least".split())
"""Words that say more than which values are meant."""
_OF = frozenset(("of", "for", "and"))
_OF_ROWS = frozenset(("id", "ids", "name", "names", "information", "info"))
_LIKELY = 0.5
_NEAR = 2.5
"""The cost of joins within which a thing may be called after another."""
_OF_KINDS = 2
"""Columns of a table that only lists kinds of something else: a key and a name."""
_ASKING = frozenset("who whose whom when where why how".split())
_DID = frozenset(("did", "does", "do", "has", "have"))
_AHEAD = 3
"""Words that may stand between the rows asked for and the verb that says how they go with a value."""


class Head(NamedTuple):
    """The table whose rows a question asks for, the words that say so, and the column they name, if any."""

    table: str
    span: Span
    column: ColumnKey | None = None


def plain_rows(
    linking: Linking,
    planner: JoinPlanner,
    names: RowNames,
    accounts: Accounts,
    lines: Sequence[OrderLines] = (),
) -> Iterator[Proposal]:
    """The rows of the one table that a question names, listed by name, else by key, else whole, or counted.

    Only where nothing else is said but values: each held by one column that is likelier than others, and
    reached by one way of joining. One verb between the rows and a value may say anything.
    """
    values = None if _says_more(linking) else values_of(linking)
    head = None if values is None else _head(linking, values, names) or _kind(linking, values, planner, names)
    verbs = trade_verbs(linking, lines, names)
    if values is None or head is None or _asks_otherwise(linking, head, values, names, verbs):
        return
    if any(_is_far(v, head, planner) or _has_nearer(v, head, linking, planner) for v in values):
        return
    query = _query(linking, planner, names, head, values)
    if query is None or len(planner.best(mentioned_tables(query))) != 1:
        return
    traded = verbs if holds_lines(query, planner, lines) else ()
    if _accounted(linking, query, head, values, names=names, accounts=accounts, traded=traded):
        yield Proposal(query, source="rows", settled=True)


def _is_far(value: LinkedValue, head: Head, planner: JoinPlanner) -> bool:
    """True if a value ahead of the rows is one of far other things: no playlist Music has "music genres"."""
    return value.span.end <= head.span.first and planner.distance(head.table, value.column.table) > _NEAR


def _has_nearer(value: LinkedValue, head: Head, linking: Linking, planner: JoinPlanner) -> bool:
    """True if what lies nearer to the rows holds a value as well: a house in Austin, an owner from there."""
    others = {v.column.table for v in linking.values if v.span == value.span and v.match == value.match}
    ways = [planner.distance(head.table, table) for table in others - {head.table}]
    return min(ways, default=0.0) < planner.distance(head.table, value.column.table)


def _says_more(linking: Linking) -> bool:
    """True if a question denies, ranks, compares or calculates, but for one count."""
    return bool(
        linking.negations
        or linking.superlatives
        or any(t.evidence or t.lower in _MORE for t in linking.tokens)
        or len(linking.quantities) > 1
        or any(q.aggregate != "count" for q in linking.quantities)
    )


def _asks_otherwise(
    linking: Linking, head: Head, values: Sequence[LinkedValue], names: RowNames, traded: Collection[int]
) -> bool:
    """True if more than rows under values is asked for: a column, or a number that is no value.

    Nor are "rivers through Colorado" those of that name.
    """
    called = names.of_table(TableRef(head.table))
    if any(_lies_within(linking, v) and v.column.in_query() in called for v in values):
        return True
    numbers = (n.span for n in linking.numbers if not (n.ordinal and n.span.first < head.span.first))
    # "First names" counts nothing.
    left = any(not any(n.overlaps(v.span) for v in values) for n in numbers)
    return left or _names_columns(linking, head, values, traded)


def _query(
    linking: Linking,
    planner: JoinPlanner,
    names: RowNames,
    head: Head,
    values: Sequence[LinkedValue],
) -> Query | None:
    """The query of the rows, or of their number; None if it can't tell them apart, or values are unclear."""
    table = TableRef(head.table)
    where = _all(values, linking)
    if values and where is None:
        return None
    tables = (table, *(_between(linking, head) if values else ()))
    query = Query(_shown(table, names, linking.columns), where=where, tables=tables)
    if head.column is not None:
        column = head.column.in_query()
        total = Aggregate("count", column, distinct=True)
        counted = bool(linking.quantities)
        return replace(query, select=(total if counted else column,), distinct=not counted)
    if not linking.quantities:
        return query
    query = replace(query, select=(Aggregate("count", Star()),))
    through = mentioned_tables(query)
    kinds = {t for t in through if t != table and lists_kinds(t, table, planner, names)}
    if planner.one_each(table, through) or planner.one_each(
        table, tuple(t for t in through if t not in kinds)
    ):
        return query
    key = names.key_of(table)
    return replace(query, select=(Aggregate("count", key[0], distinct=True),)) if key else None


def _shown(table: TableRef, names: RowNames, columns: Sequence[ColumnKey]) -> tuple[Expression, ...]:
    """Give the columns that show a table's rows: names, else a column of that name, a description, the key,
    or all."""
    called = [c for c in columns if c.table == table.name and name_stems(c.column) == name_stems(table.name)]
    own = tuple(c.in_query() for c in called[:1])
    return names.of_table(table) or own or names.called(table) or names.key_of(table) or (Star(),)


def _head(linking: Linking, values: Sequence[LinkedValue] | None, names: RowNames) -> Head | None:
    """The table named first, behind nothing but values, words that ask for rows, and for what names them."""
    if values is None:
        return None
    taken = {i for v in values for i in range(*v.span)}
    asked: set[str] = set()
    for place, token in enumerate(linking.tokens):
        if place in taken or token.kind == "sign" or token.lower in _PASSED or token.lower in _HOW_MANY:
            continue
        if [t.lower for t in linking.tokens[place + 1 : place + 3]] == ["ids", "of"]:
            asked.add("id")
            taken.add(place + 1)
            continue
        if said := _said_names(linking, place, names):  # "the product names of products"
            asked |= {linking.tokens[i].stem for i in said}
            taken |= {*said}
            continue
        named = [m for m in linking.table_mentions if m.span.first == place and names_table(linking, m)]
        longest = [m for m in named if m.span.end == max(n.span.end for n in named)]
        if len({m.table for m in longest}) == 1 and _asks_for_names(asked, longest[0].table, names):
            return Head(longest[0].table, longest[0].span)
        if not named and not asked and (column := _listed(linking, place)):
            return column
        if (
            token.lower != "and"
            and token.stem not in NAMING
            and not linking.alignment[:, place].max() >= _LIKELY
        ):
            return None
        asked |= set() if token.lower == "and" else {token.stem}
    return None


def _said_names(linking: Linking, place: int, names: RowNames) -> range:
    """The places of several words that name what rows are called, ahead of the rows they are "of"."""
    spans = [
        m.span
        for m in linking.column_mentions
        if m.span.first == place and m.whole and m.span.end > place + 1
        if m.column.in_query() in names.of_table(TableRef(m.column.table))
        if [t.lower for t in linking.tokens[m.span.end : m.span.end + 1]] == ["of"]
    ]  # fmt: skip
    return range(*max(spans, default=Span(0, 0)))


def _listed(linking: Linking, place: int) -> Head | None:
    """The one column of words that a word names, where its values are asked for: "which companies"."""
    named = [m for m in linking.column_mentions if m.span.first == place and m.whole]
    if len(named) != 1 or named[0].column not in linking.wordy:
        return None
    after = linking.tokens[named[0].span.end : named[0].span.end + 1]
    if any(t.lower in _OF for t in after) or linking.tokens[named[0].span.end - 1].stem in NAMING:
        return None  # it is asked for of rows
    return Head(named[0].column.table, named[0].span, named[0].column)


def _kind(
    linking: Linking, values: Sequence[LinkedValue] | None, planner: JoinPlanner, names: RowNames
) -> Head | None:
    """The table whose rows a plural value stands for, where a question names none: "gyms in Porto".

    That is the one whose rows refer to it as their kind, or that holds the other values, else the value's own
    unless it only lists kinds.
    """
    if not values or any(m.score >= _LIKELY for m in linking.table_mentions):
        return None
    plural = [v for v in values if is_plural(linking, v)]
    if len(plural) != 1:
        return None
    asking = any(t.lower in _ASKING for t in linking.tokens) and not linking.quantities
    home = None if asking and not asks_who(linking) else home_of_kind(plural[0], planner, names)
    if home is not None:
        return Head(home, plural[0].span)
    if asking or linking.quantities:
        return None
    own = plural[0].column.table
    others = {v.column.table for v in values} - {own}
    kinds = len([c for c in linking.columns if c.table == own]) <= _OF_KINDS
    tables = others or (set() if kinds else {own})
    table = tables.pop() if len(tables) == 1 else None
    listed = table and (names.of_table(TableRef(table)) or names.key_of(TableRef(table)))
    return Head(table, plural[0].span) if table and listed else None


def _asks_for_names(asked: set[str], table: str, names: RowNames) -> bool:
    """True if the stems of what is asked for stand for all that names the rows of a table, or for nothing."""
    called = [{*name_stems(c.name)} for c in names.of_table(TableRef(table))]
    if not called:
        return asked <= {"id"}
    parts = asked - NAMING
    return parts <= set().union(*called) and (not parts or all(c & parts for c in called))


def _names_columns(
    linking: Linking, head: Head, values: Sequence[LinkedValue], traded: Collection[int]
) -> bool:
    """True if a question names a column other than those of its values: more is asked of the rows then.

    Verbs of selling and buying name none: "customers | ordered tea".
    """
    held = {v.column for v in values}
    after = head.span.end
    named = {m.span.first for m in linking.column_mentions} | {m.span.first for m in linking.table_mentions}
    passive = [t.lower for t in linking.tokens[after + 1 : after + 2]] == ["by"]
    done = passive and linking.tokens[after].lower.endswith("ed")  # "orders shipped by"
    verbal = done or after in traded
    if after in named and not verbal and not any(v.span.first == after for v in values):
        return True  # "event details"
    taken = {*traded, *_calling(linking, values), *range(*head.span)}
    taken |= {i for v in values for i in range(*v.span)}
    return any(
        m.named and m.column not in held and taken.isdisjoint(range(*m.span))
        for m in linking.column_mentions
        if m.span.first >= after + done
        and not any(n.column in held and n.span == m.span for n in linking.column_mentions)
        and not any(n.span == m.span and n.score >= m.score for n in linking.table_mentions)
    ) or any(t.lower in _OF_ROWS for t in linking.tokens[after:])


def _all(values: Sequence[LinkedValue], linking: Linking) -> Condition | None:
    """The condition of all values; of those of one column any, where "or" stands between; None if unclear."""
    parts: list[Condition] = []
    either = [t.lower for t in linking.tokens].count("or")
    for column, same in groupby(sorted(values, key=lambda v: (v.column, v.span)), key=lambda v: v.column):
        held = list(same)
        literals = tuple(Literal(v.value) for v in held)
        if len(held) > 1:
            between = [t.lower for t in linking.tokens[held[0].span.end : held[-1].span.first]]
            if between.count("or") != either or not either or len({v.column for v in values}) > 1:
                return None
            either = 0
            parts.append(ComparisonPredicate(column.in_query(), "in", Items(literals)))
        else:
            parts.append(ComparisonPredicate(column.in_query(), "=", literals[0]))
    return None if either else conjunction(*parts)


def _between(linking: Linking, head: Head) -> tuple[TableRef, ...]:
    """The tables that words behind the rows name, which lead to values: "users who reviewed a gym"."""
    named = [m for m in linking.table_mentions if m.span.first >= head.span.end and m.whole]
    spans = {m.span: [n.table for n in named if n.span == m.span] for m in named}
    clear = {tables[0] for tables in spans.values() if len(tables) == 1}
    return tuple(TableRef(t) for t in sorted(clear - {head.table}))


def _lies_within(linking: Linking, value: LinkedValue) -> bool:
    """True if a value is said to be where, or what, something else lies in."""
    place = value.span.first - 1
    while place > 0 and linking.tokens[place].lower in _ARTICLES:
        place -= 1
    return place >= 0 and linking.tokens[place].lower in _WITHIN


def _accounted(
    linking: Linking,
    query: Query,
    head: Head,
    values: Sequence[LinkedValue],
    *,
    names: RowNames,
    accounts: Accounts,
    traded: Collection[int],
) -> bool:
    """True if a query leaves nothing over but a verb between the rows and the first value behind them.

    Verbs of selling and buying are `traded` where it looks at what was sold. Any other verb tells of other
    rows than those that the value names: "states that border Utah".
    """
    said = {i for i, t in enumerate(linking.tokens) if t.lower in _HOW_MANY or t.lower in _PASSED}
    said |= _calling(linking, values)
    left = accounts.left_over(query, said | {*range(head.span.end)} | {*traded})
    behind = [v.span for v in values if v.span.first >= head.span.end]
    if not left:
        return True
    called = names.of_table(TableRef(head.table))
    if any(v.column.in_query() in called for v in values):
        return False
    first = min(behind, default=Span(0, 0)).first
    token = linking.tokens[left[0]]
    if len(left) == 1 and _does(linking, left[0], behind):
        return True
    return (
        len(left) == 1
        and head.span.end <= left[0] < first
        and left[0] - head.span.end < _AHEAD
        and token.kind == "word"
        and (token.lower in LIGHT or token.text[:1].islower())
    )


def _does(linking: Linking, place: int, behind: Sequence[Span]) -> bool:
    """True if a word is what somebody named did: "how many reviews did Sarah Li | write"."""
    words = [i for i, t in enumerate(linking.tokens) if t.kind != "sign"]
    ends = {s.end - 1 for s in behind for i in (_ahead_of(s, words),) if linking.tokens[i].lower in _DID}
    return _ahead_of(Span(place, place + 1), words) in ends


def _ahead_of(span: Span, words: Sequence[int]) -> int:
    """The place of the last word ahead of a span; that of the first word where there is none."""
    return max((i for i in words if i < span.first), default=words[0])


def _calling(linking: Linking, values: Sequence[LinkedValue]) -> frozenset[int]:
    """The places of words that only say that what follows is a name: "users named 'Sarah Li'"."""
    words = [i for i, t in enumerate(linking.tokens) if t.kind != "sign"]
    ahead = {_ahead_of(v.span, words) for v in values}
    return frozenset(i for i in ahead if linking.tokens[i].lower in _CALLED)
