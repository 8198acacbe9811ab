"""Shares and ratios ("what percentage of ... are", "the ratio of ... to") made of likely plain queries.

Training data hold almost none of them, so that no sketch is learned; their grammar is small enough to write:
`share of [restricting] ROWS [restricting] (are|were|that ...) part`, `ratio of one kind to another`.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from fathom.offline.checks.account import (
    LEFT_OVER,
    Accounts,
    denies_alike,
    names_values,
    tables_named_first,
)
from fathom.offline.linking import ColumnKey, LinkedValue, Linking
from fathom.offline.linking.columns import key_columns, schema_columns
from fathom.offline.linking.row_names import EACH
from fathom.offline.proposals.proposals import Proposal
from fathom.offline.queries.joins import JoinPlanner
from fathom.offline.queries.query import (
    Aggregate,
    Arithmetic,
    CaseWhen,
    ColumnRef,
    ComparisonPredicate,
    Condition,
    Connective,
    Expression,
    FunctionCall,
    Literal,
    Query,
    Star,
    Subquery,
    TableRef,
    comparisons,
    conjunction,
    conjuncts,
    mentioned_tables,
)
from fathom.records import Result
from fathom.records.schema import NUMERIC, Schema
from fathom.text.patterns import Pattern

_SHARE = Pattern(r"\b(ratio|proportion|fraction|share)\b", re.IGNORECASE)
_PERCENT = Pattern(r"\bper ?cent(age)?s?\b|%", re.IGNORECASE)
_PREDICATE = frozenset("are is was were be been has have had do does did that which who whose".split())
_AGAINST = frozenset(("to", "versus", "vs", "over", "against"))
_ALL = frozenset(("all", "total", "entire", "overall", "every"))
_NAMED = 0.4
GAIN = 3.0
LATER = 0.2
"""The penalty of a ratio for each rank among likely queries: a word that is left over costs as much as
ten."""


@dataclass(frozen=True, slots=True)
class RatioWord:
    """The place of the word ("percentage"), and 100 where a percentage is asked for, 1 for a ratio."""

    place: int
    factor: int


def asks_ratio(linking: Linking) -> RatioWord | None:
    """Read a question's words for a ratio; None if there are none. Words that name a column ask for that
    column."""
    for place, token in enumerate(linking.tokens):
        share, percent = _SHARE.fullmatch(token.lower), _PERCENT.fullmatch(token.lower)
        if (share or percent) and not token.evidence and not token.quoted:
            if linking.alignment[:, place].max(initial=0) >= _NAMED and not _asks_what_share(linking, place):
                return None
            if place and linking.tokens[place - 1].kind == "number":
                continue
            return RatioWord(place, 1 if share else 100)
    return None


def _asks_what_share(linking: Linking, place: int) -> bool:
    """True if "what share of" is asked, which no column of shares that are sold tells."""
    around = [t.lower for t in linking.tokens[max(place - 1, 0) : place + 2]]
    return around in (["what", "share", "of"], ["which", "share", "of"])


def _of_two(linking: Linking, asked: RatioWord) -> bool:
    """True if one thing is held against another, "the ratio of open to closed shops", not against all."""
    words = [t.lower for t in linking.tokens]
    if words[asked.place] != "ratio":
        return False
    behind = next((i + 1 for i in range(asked.place, len(words)) if words[i] in _AGAINST), len(words))
    return behind < len(words) and _ALL.isdisjoint(words[behind : behind + 2])


def ratios(
    linking: Linking, likely: Sequence[Proposal], planner: JoinPlanner, accounts: Accounts
) -> Iterator[Proposal]:
    """Ratios made of the conditions of likely queries, and of values and numbers that the question names."""
    asked = asks_ratio(linking)
    if asked is None:
        return
    best = likely[0].score if likely else 0.0
    grammar = _Grammar(linking, asked, planner)
    seen: set[Query] = set()
    made = [(0, *one) for one in (*grammar.of_kinds(), *grammar.of_numbers(), *grammar.of_groups())]
    if not _of_two(linking, asked):
        wheres = [*((r, b.query) for r, b in enumerate(likely)), *((len(likely), q) for q in _plain(linking))]
        made += [(rank, *one) for rank, base in wheres for one in grammar.of_conditions(base)]
    for later, (rank, query, settled) in enumerate(made):
        if query in seen:
            continue
        seen.add(query)
        left = accounts.left_over(query, (asked.place,))
        score = best + GAIN - LATER * rank - LEFT_OVER * len(left) - 1e-3 * later - (not settled)
        sure = settled and not left and not linking.superlatives and denies_alike(query, linking)
        sure = sure and names_values(query, linking)
        yield Proposal(query, score, 0.0, 0.0, source="ratio", settled=sure)


def is_sensible(query: Query, result: Result | None) -> bool:
    """True if a result is there, and shares are neither 0 nor all: either tells of a part misread."""
    rows = result.rows if result else ()
    match query.select[-1:]:
        case (Arithmetic("/", top, FunctionCall("nullif", (Aggregate("count", Star()), _))),):
            whole = 100 if isinstance(top, Arithmetic) else 1
            return any(0 < float(r[-1]) < whole for r in rows if r[-1] is not None)
    return any(r[-1] is not None for r in rows)


def _plain(linking: Linking) -> Iterator[Query]:
    """Counts under each value that the question surely names: where no sketch has thought of it."""
    for value in _values(linking):
        yield Query((Aggregate("count", Star()),), where=_equals(value))


class _Grammar:
    """Makes the ratios that a question may ask for, each with whether its words leave no other reading."""

    def __init__(self, linking: Linking, asked: RatioWord, planner: JoinPlanner) -> None:
        self._linking, self._asked, self._planner = linking, asked, planner
        named = tables_named_first(linking, asked.place + 1)
        self._counted = {m.table for m in named}
        self._ends = named[0].span.first if named else asked.place
        markers = [i for i in range(self._ends + 1, len(linking.tokens)) if self._lower(i) in _PREDICATE]
        self._marker = markers[-1] if markers else None
        self._groups = tuple(c.in_query() for c in _grouping(linking))

    def _lower(self, place: int) -> str:
        return self._linking.tokens[place].lower

    def of_conditions(self, query: Query) -> Iterator[tuple[Query, bool]]:
        """The shares of some of a query's conditions among the rows that the others leave."""
        parts = conjuncts(query.where)
        if not parts or query.compound or query.source or query.having or query.joins:
            return
        group = query.group if query.group and not query.limit else self._groups
        plain = Query((), tables=mentioned_tables(replace(query, group=(), select=(), order=())), group=group)
        for counted in self._counted_tables(plain):
            tables = tuple(dict.fromkeys((*plain.tables, counted)))
            for part, settled in self._parts(parts):
                others = [c for c in parts if c not in part]
                whole = part[0] if len(part) == 1 else Connective("and", part)
                share = quotient(number_of(whole), Aggregate("count", Star()), self._asked.factor)
                found = replace(plain, select=(*group, share), where=conjunction(*others), tables=tables)
                once = self._planner.one_each(counted, mentioned_tables(found))
                yield found, settled and once and bool(self._counted)

    def _counted_tables(self, plain: Query) -> tuple[TableRef, ...]:
        """Give the tables whose rows the share counts: the one named after the word, else those of the
        conditions."""
        found = tuple(TableRef(t) for t in sorted(self._counted) if t not in {x.name for x in plain.tables})
        among = tuple(t for t in plain.tables if t.name in self._counted)
        return among or found or plain.tables[:1]

    def _parts(self, conditions: Sequence[Condition]) -> Iterator[tuple[tuple[Condition, ...], bool]]:
        """The conditions that make the part, likeliest first, and whether the words leave no doubt."""
        if len(conditions) == 1:
            yield tuple(conditions), True
            return
        places = {c: self._place(c) for c in conditions}
        kinds = [c for c in conditions if not _is_date(c)] or list(conditions)
        said = [c for c in kinds if self._marker is not None and places[c] > self._marker]
        ahead = [c for c in kinds if places[c] < self._ends]
        behind = [c for c in kinds if c not in ahead]
        for part, settled in ((said, True), (ahead, not behind), (behind, not ahead)):
            if part:
                yield tuple(part), settled
                break
        for one in sorted(kinds, key=lambda c: places[c]):
            yield (one,), False

    def _place(self, condition: Condition) -> int:
        """Where the question names a condition's value; far behind where it doesn't."""
        held = {
            (_key(c.left), str(c.right.value).casefold().strip("%"))
            for c in comparisons(condition)
            if isinstance(c.right, Literal)
        }
        named = [v.span.first for v in self._linking.values if (v.column, str(v.value).casefold()) in held]
        texts = {text for _, text in held}
        named = named or [n.span.first for n in self._linking.numbers if str(n.value) in texts]
        return min(named, default=5000)

    def of_kinds(self) -> Iterator[tuple[Query, bool]]:
        """One kind against another, by two values of a column: "the ratio of female to male customers"."""
        values = [v for v in _values(self._linking, 0.2) if v.span.first > self._asked.place]
        for one in values:
            for two in values:
                apart = one.span.end <= two.span.first
                between = {self._lower(i) for i in range(one.span.end, two.span.first)} if apart else set()
                if one.column == two.column and between & _AGAINST:
                    share = quotient(number_of(_equals(one)), number_of(_equals(two)), self._asked.factor)
                    table = TableRef(one.column.table)
                    query = Query((*self._groups, share), tables=(table,), group=self._groups)
                    once = self._planner.one_each(table, mentioned_tables(query))
                    yield query, once and self._counted <= {table.name}

    def of_groups(self) -> Iterator[tuple[Query, bool]]:
        """How many of all rows each group has: "what share of orders by status"."""
        for name in sorted(self._counted) if self._groups and not _values(self._linking) else ():
            table, count = TableRef(name), Aggregate("count", Star())
            whole = Subquery(Query((count,), tables=(table,)))
            share = quotient(count, whole, self._asked.factor)
            query = Query((*self._groups, share), tables=(table,), group=self._groups)
            once = self._planner.one_each(table, mentioned_tables(query))
            yield query, once and len(self._counted) == 1

    def of_numbers(self) -> Iterator[tuple[Query, bool]]:
        """One named number over another, of their sums and row by row."""
        linking, amounts = self._linking, _amounts(self._planner.schema)
        named = {m.column: m.span for m in linking.column_mentions if m.column in amounts}
        pairs = [(a, b) for a in named for b in named if named[a].end <= named[b].first]
        pairs.sort(key=lambda p: (p[0].table != p[1].table, -linking.table_score(p[0].table)))
        shown = tuple(c.in_query() for c in linking.columns if linking.score(c, "select") >= 0.5)
        keys = tuple(c for c in shown if _key(c) not in named)
        sums = any(q.aggregate == "sum" for q in linking.quantities)
        for one, two in pairs[:3]:
            top, bottom = one.in_query(), two.in_query()
            total = Query((quotient(Aggregate("sum", top), Aggregate("sum", bottom), self._asked.factor),))
            each = Query((*keys, quotient(top, bottom, self._asked.factor)))
            clear = sums and one.table == two.table and len(pairs) == 1
            yield from ((total, clear), (each, False)) if sums else ((each, False), (total, False))


def _amounts(schema: Schema) -> set[ColumnKey]:
    """The columns of numbers that are no part of a key."""
    numbers = {key for key, column in schema_columns(schema) if column.kind in NUMERIC}
    return numbers - key_columns(schema)


def _values(linking: Linking, least: float = 0.5) -> list[LinkedValue]:
    """The likeliest value of each run of words that surely names one."""
    best: dict[object, LinkedValue] = {}
    for value in linking.values:
        if value.match not in {"number", "quoted", "date"} and value.probability >= least:
            known = best.get(value.span)
            if known is None or known.probability < value.probability:
                best[value.span] = value
    return list(best.values())


def _grouping(linking: Linking) -> tuple[ColumnKey, ...]:
    """The column named right after "by", "per" or "each", if there is one."""
    for mention in linking.column_mentions:
        before = linking.tokens[mention.span.first - 1].lower if mention.span.first else ""
        if before in EACH | {"by"}:
            return (mention.column,)
    return ()


def _is_date(condition: Condition) -> bool:
    """True if a condition is about a year or a day, which rarely make the part of a share."""
    return all(
        isinstance(c.right, Literal) and re.match(r"[12]\d{3}($|[-%])", str(c.right.value))
        for c in comparisons(condition)
    )


def _equals(value: LinkedValue) -> ComparisonPredicate:
    if value.comparison == "like":
        return ComparisonPredicate(value.column.in_query(), "like", Literal(f"%{value.value}%"))
    return ComparisonPredicate(value.column.in_query(), "=", Literal(value.value))


def _key(expression: Expression) -> ColumnKey | None:
    return ColumnKey.of(expression) if isinstance(expression, ColumnRef) else None


def number_of(condition: Condition) -> Expression:
    """The number of rows that meet a condition."""
    return Aggregate("sum", CaseWhen(condition, Literal(1), Literal(0)))


def quotient(top: Expression, bottom: Expression, factor: int = 1) -> Expression:
    """One number over another, times a factor; nothing where the other is 0."""
    real = FunctionCall("cast", (top, Literal("REAL")))
    scaled = Arithmetic("*", real, Literal(factor)) if factor != 1 else real
    return Arithmetic("/", scaled, FunctionCall("nullif", (bottom, Literal(0))))
