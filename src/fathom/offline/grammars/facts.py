"""What a column says of one row that is named: "the population of Oregon", "Frank Harris's phone number"."""

from collections.abc import Collection, Iterator, Sequence

from fathom.offline.checks.accounting import Accounts
from fathom.offline.linking import ColumnMention, Linking, Span, ValueMention
from fathom.offline.linking.wordlists import LISTING
from fathom.offline.proposing.proposals import Proposal
from fathom.offline.queries.query import Comparison, Literal, Query, TableRef, conjunction
from fathom.offline.queries.rows import RowNames

_ASKING = LISTING | frozenset("what which tell me us need know please".split())
_HELD = frozenset(("exact", "folded"))
_ALIKE = frozenset(("exact", "folded", "stem", "boolean", "code"))
_LIKELY, _POSSIBLE = 0.3, 0.1
_CLEARLY = 2.0
"""How many times likelier the column must be that holds the name than any other."""
_NAMED = 0.9


def facts(linking: Linking, names: RowNames, accounts: Accounts) -> Iterator[Proposal]:
    """The columns that a question names, of the one row that it names, where it says nothing else.

    Training data hold next to no such questions: they say "the city named Oregon" or ask for more.
    """
    rows = None if _says_more(linking) else _rows(linking, names)
    if not rows:
        return
    table = TableRef(rows[0].column.table)
    said = {i for v in rows for i in range(*v.span)}
    named = _columns(linking, table, rows, said)
    asked = _heads(named)
    said |= {i for m in named for i in range(*m.span)}
    said |= {i for m in linking.table_mentions if m.table == table.name for i in range(*m.span)}
    said |= {i for i, t in enumerate(linking.tokens) if t.lower in _ASKING}
    ranked = any(not said.issuperset(range(*s.span)) for s in linking.superlatives)
    counted = any(not said.issuperset(range(*n.span)) for n in linking.numbers)
    shown = tuple(m.column.in_query() for m in asked)
    if not shown or len({*shown}) < len(shown) or ranked or counted:
        return
    held = (Comparison(v.column.in_query(), "=", Literal(v.value)) for v in rows)
    query = Query(shown, where=conjunction(*held))
    if not accounts.left_over(query, said):
        yield Proposal(query, source="fact", settled=True)


def _says_more(linking: Linking) -> bool:
    """Whether a question denies, calculates, or comes with evidence."""
    return bool(linking.negations or linking.quantities or any(t.evidence for t in linking.tokens))


def _rows(linking: Linking, names: RowNames) -> Sequence[ValueMention] | None:
    """The values that say which row of a table is meant, by its name; None where that isn't clear."""
    found: list[ValueMention] = []
    held = [v for v in linking.values if v.match in _HELD and v.probability >= _POSSIBLE]
    for value in sorted(held, key=lambda v: (v.span.first - v.span.end, -v.probability)):
        if any(value.span.overlaps(v.span) for v in found):
            continue
        others = [
            v.probability
            for v in linking.values
            if v.span.overlaps(value.span) and v.column != value.column and v.match in _ALIKE
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
    return found if naming & {c.in_query() for c in columns} else None


def _names_something(linking: Linking, span: Span) -> bool:
    """Whether words name a column or a table."""
    places = range(*span)
    return any(a[:, places].max(initial=0) >= _NAMED for a in (linking.alignment, linking.table_alignment))


def _columns(
    linking: Linking, table: TableRef, rows: Sequence[ValueMention], taken: Collection[int]
) -> list[ColumnMention]:
    """The longest mentions of a table's columns, in their order; none where two are alike."""
    restricting = {v.column for v in rows}
    named = [
        m
        for m in linking.column_mentions
        if m.score >= _NAMED and m.column.table == table.name and not set(taken) & set(range(*m.span))
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
