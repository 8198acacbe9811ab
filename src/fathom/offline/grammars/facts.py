"""A column's value in one named row: "the population of Oregon", "how long is the Ohio river"."""

from collections.abc import Collection, Iterator, Mapping, Sequence

from fathom.offline.checks.account import Accounts
from fathom.offline.linking import ColumnKey, ColumnMention, LinkedValue, Linking, Span
from fathom.offline.linking.implied_mentions import measured_places
from fathom.offline.linking.levels import WHOLLY_NAMED
from fathom.offline.linking.value_match import HELD, SPELT
from fathom.offline.linking.wordlists import LISTING
from fathom.offline.proposals.proposals import Proposal
from fathom.offline.queries.query import ComparisonPredicate, Literal, Query, TableRef, conjunction
from fathom.offline.queries.rows import RowNames
from fathom.records import TableProfile

_ASKING = LISTING | frozenset("what which tell me us need know please".split())
_LIKELY, _POSSIBLE = 0.3, 0.1
_CLEARLY = 2.0
"""How many times likelier the column must be that holds the name than any other."""


def facts(
    linking: Linking, names: RowNames, profiles: Mapping[str, TableProfile], accounts: Accounts
) -> Iterator[Proposal]:
    """The columns that a question names, of the one row that it names, where it says nothing else.

    Training data hold next to no such questions: they say "the city named Oregon" or ask for more.
    """
    denied = bool(linking.negations) or any(t.evidence for t in linking.tokens)
    rows = None if denied else _rows(linking, names, profiles)
    if not rows:
        return
    table = TableRef(rows[0].column.table)
    named = _columns(linking, table, rows)
    asked, sought = [m.column for m in _heads(named)], _sought(linking, table)
    if measured_places(linking.tokens) and asked and sought != asked:
        return  # "how many people live in the capital of Georgia"
    kinds = (m.span for m in linking.table_mentions if m.table == table.name)
    spans = (*(v.span for v in rows), *(m.span for m in named), *kinds)
    said = {i for span in spans for i in range(*span)}
    said |= {i for i, t in enumerate(linking.tokens) if t.lower in _ASKING}
    said |= _asking_how(linking) if sought else set()
    shown = tuple(c.in_query() for c in asked or sought)
    if not shown or len({*shown}) < len(shown) or _calculates(linking, said):
        return
    held = (ComparisonPredicate(v.column.in_query(), "=", Literal(v.value)) for v in rows)
    query = Query(shown, where=conjunction(*held))
    if not accounts.left_over(query, said):
        yield Proposal(query, source="fact", settled=True)


def _calculates(linking: Linking, said: Collection[int]) -> bool:
    """True if a question counts, ranks or calculates, in words that aren't said by the name of a column."""
    ranked = (m.span for m in linking.superlatives)
    spans = (*ranked, *(m.span for m in linking.numbers), *(m.span for m in linking.quantities))
    return any(not set(said).issuperset(range(*span)) for span in spans)


def _asking_how(linking: Linking) -> set[int]:
    """The places of "how many people", "how long" and the like."""
    places = measured_places(linking.tokens)
    return {i for p in places for i in range(p - 2, p + 1) if i in places or linking.tokens[i].stop}


def _sought(linking: Linking, table: TableRef) -> list[ColumnKey]:
    """The column of a table that holds what "how" or "where" asks for, if it is clear which one."""
    own = [c for c in linking.sought if c.table == table.name]
    likely = sorted(own, key=lambda c: -linking.score(c, "select"))
    first, second = [*(linking.score(c, "select") for c in likely), 0.0, 0.0][:2]
    return likely[:1] if first >= _CLEARLY * second else []


def _rows(
    linking: Linking, names: RowNames, profiles: Mapping[str, TableProfile]
) -> Sequence[LinkedValue] | None:
    """The values that say which row of a table is meant, by its name; None where that isn't clear."""
    found: list[LinkedValue] = []
    held = [v for v in linking.values if v.match in SPELT and v.probability >= _POSSIBLE]
    for value in sorted(held, key=lambda v: (v.span.first - v.span.end, -v.probability)):
        if any(value.span.overlaps(v.span) for v in found):
            continue
        others = [
            v.probability
            for v in linking.values
            if v.span.overlaps(value.span) and v.column != value.column and v.match in HELD
        ]
        if value.probability < _LIKELY and _names_something(linking, value.span):
            continue  # "the capital" is no value, though one is called so
        doubtful = value.probability < max(_LIKELY, _CLEARLY * max(others, default=0.0))
        if doubtful or value.comparison != "=":
            return None
        found.append(value)
    columns = {v.column for v in found}
    tables = {c.table for c in columns}
    if len(tables) != 1 or len(columns) < len(found):
        return None
    table = TableRef(tables.pop())
    naming = {*names.called(table), *names.key_of(table)}
    named = any(c.in_query() in naming or _tells_apart(c, profiles) for c in columns)
    return found if named else None


def _tells_apart(column: ColumnKey, profiles: Mapping[str, TableProfile]) -> bool:
    """True if no two rows of a table have the same in a column."""
    profile = profiles.get(column.table)
    seen = profile.columns.get(column.column) if profile else None
    return seen is not None and seen.distinct is not None and 1 < seen.rows_seen == seen.distinct


def _names_something(linking: Linking, span: Span) -> bool:
    """True if words name a column or a table."""
    places = range(*span)
    return any(
        a[:, places].max(initial=0) >= WHOLLY_NAMED for a in (linking.alignment, linking.table_alignment)
    )


def _columns(linking: Linking, table: TableRef, rows: Sequence[LinkedValue]) -> list[ColumnMention]:
    """The longest mentions of a table's columns, in their order; none where two are alike."""
    restricting = {v.column for v in rows}
    taken = {i for v in rows for i in range(*v.span)}
    named = [
        m
        for m in linking.column_mentions
        if m.whole and m.column.table == table.name and taken.isdisjoint(range(*m.span))
    ]
    found: list[ColumnMention] = []
    for one in sorted(named, key=lambda m: (m.span.first - m.span.end, -m.score)):
        over = [m for m in found if m.span.overlaps(one.span)]
        if any(m.span == one.span and m.score == one.score for m in over):
            return []
        if not over:
            found.append(one)
    return sorted((m for m in found if m.column not in restricting), key=lambda m: m.span)


def _heads(named: Sequence[ColumnMention]) -> list[ColumnMention]:
    """The columns that are asked for: of those named in a row the last, "the population density"."""
    following = {m.span.first for m in named}
    return [m for m in named if m.span.end not in following]
