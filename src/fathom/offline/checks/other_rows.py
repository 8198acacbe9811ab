"""Checks for a query that shows other things of each row than its question asks, or none."""

from collections.abc import Iterator

import numpy as np

from fathom.offline.linking import ColumnKey, Linking
from fathom.offline.linking.levels import NAMED, WHOLLY_NAMED
from fathom.offline.linking.row_names import EACH
from fathom.offline.linking.text import name_stems
from fathom.offline.linking.wordlists import DO, LAST, LISTING, POSSESSIVES, WHICH
from fathom.offline.queries.joins import JoinPlanner
from fathom.offline.queries.query import (
    Aggregate,
    Arithmetic,
    ColumnRef,
    ComparisonPredicate,
    Query,
    Star,
    Subquery,
    conjuncts,
    mentioned_tables,
    walk,
)
from fathom.offline.queries.rows import RowNames

_WITH = frozenset(("with", "including"))
_OPENING = 5
_MEANT = 0.3


def ranks_unasked(query: Query, linking: Linking) -> bool:
    """True if a query cuts off rows in the order of a column, where nothing in the question says how many."""
    if any(t.lower in LAST for t in linking.tokens):
        return False
    ranked = bool(query.order) and all(isinstance(o.key, ColumnRef) for o in query.order)
    return ranked and query.limit is not None and not (linking.superlatives or linking.numbers)


def shows_what_restricts(query: Query, linking: Linking) -> bool:
    """True if "which bookings end in 2018" is told nothing but when they end."""
    where = (c for c in conjuncts(query.where) if isinstance(c, ComparisonPredicate))
    compared = {c.left for c in where if not isinstance(c.right, Subquery)}
    shown = query.select[0]
    if len(query.select) != 1 or not isinstance(shown, ColumnRef) or shown not in compared:
        return False
    own = linking.alignment[linking.index[ColumnKey.of(shown)]]
    opening = 1 if linking.tokens[0].lower in WHICH | LISTING else 0
    for place in range(opening, min(_OPENING, len(linking.tokens))):
        token = linking.tokens[place]
        named = token.stem in name_stems(shown.name)[-1:]
        fits = linking.table_fit(shown.table.name, place)
        if token.stop or named or own[place] >= max(NAMED, fits):
            return False  # "which years", "which of these"
        if fits >= NAMED:
            return not own[place + 1 : place + 2].max(initial=0) >= NAMED  # "which stadium name"
    return False


def leaves_first_out(query: Query, linking: Linking) -> bool:
    """True if "ratings of Avatar with the reviewer's name" is told nothing but names."""
    tokens = linking.tokens
    behind = next((i for i, t in enumerate(tokens) if t.lower in _WITH), len(tokens))
    head = next((i for i, t in enumerate(tokens) if not t.stop and t.lower not in LISTING), behind)
    shown = [e for e in query.select if isinstance(e, ColumnRef)]
    if head + 1 >= behind or len(shown) < len(query.select):
        return False
    fits = {t: linking.table_fit(t, head) for t in linking.tables}
    asked = {
        t for t, fit in fits.items() if fit >= max(WHOLLY_NAMED, linking.alignment[:, head].max(initial=0))
    }
    after = range(behind + 1, len(tokens))
    return bool(asked) and all(
        c.table.name not in asked and any(_near(linking, c, i) for i in after) for c in shown
    )


def shows_others(query: Query, linking: Linking, rows: RowNames) -> bool:
    """True if "which reviewers rated ..." is told nothing that is of reviewers, nor a key."""
    tokens = linking.tokens
    shown = [e for e in query.select if isinstance(e, ColumnRef)]
    if len(tokens) < 3 or tokens[0].lower not in WHICH or len(shown) < len(query.select):
        return False
    asked = [t for t in linking.tables if linking.names_wholly(t, 1)]
    verb = tokens[2].lower.endswith("ed") or tokens[2].stop
    if len(asked) != 1 or not verb or linking.alignment[:, 1].max(initial=0) >= WHOLLY_NAMED:
        return False
    return not any(c.table.name == asked[0] or rows.is_reference(ColumnKey.of(c)) for c in shown)


def tells_less(query: Query, linking: Linking) -> bool:
    """True if a question asks for rows "with their" prices, and a query shows nothing that may be those."""
    shown = [e for item in query.select for e in walk(item)]
    if any(isinstance(e, Star | Aggregate | Arithmetic) for e in shown):
        return False
    columns = [e for e in shown if isinstance(e, ColumnRef)]
    return any(not any(_near(linking, c, i) for c in columns) for i in _asked_with(linking))


def _asked_with(linking: Linking) -> Iterator[int]:
    """The places of the nouns behind "with their" and "and their"."""
    tokens = linking.tokens
    for place in range(2, len(tokens)):
        with_theirs = tokens[place - 2].lower in {"with", "and"} and tokens[place - 1].lower in POSSESSIVES
        last = _last(linking, place) if with_theirs else None
        if last is not None:
            yield last


def _last(linking: Linking, place: int) -> int | None:
    """The last of the words from a place on that name a thing, with what it is of: "number of seats"."""
    tokens, last = linking.tokens, None
    while place < len(tokens) and tokens[place].kind == "word":
        if not tokens[place].stop:
            last = place
        elif last is None or tokens[place].lower != "of":
            break
        place += 1
    return last


def _near(linking: Linking, column: ColumnRef, place: int) -> bool:
    """True if a word may mean a column, or the rows of its table."""
    own = linking.alignment[linking.index[ColumnKey.of(column)], place]
    return bool(max(own, linking.table_fit(column.table.name, place)) >= _MEANT)


def groups_by_others(query: Query, linking: Linking, planner: JoinPlanner) -> bool:
    """True if a question wants something told of each row of a table, and a query groups by other things.

    "How many orders did each shipper ship" is not told by what the orders are called.
    """
    keys = [k for k in query.group if isinstance(k, ColumnRef)]
    if not keys or len(keys) < len(query.group):
        return False
    rows = {*_each_rows(linking)}
    homes = {t for k in keys for t, _ in planner.tied(k.table.name, k.name)}
    return bool(rows) and homes.isdisjoint(rows)


def _each_rows(linking: Linking) -> Iterator[str]:
    """The tables that words behind "each" name, and no column."""
    words = [t.lower for t in linking.tokens]
    for place in range(1, len(words)):
        best = np.flatnonzero(linking.table_alignment[:, place] >= WHOLLY_NAMED)
        done = place > 1 and words[place - 2] in DO  # "did each shipper | ship"
        columns = linking.alignment[:, place : place + (1 if done else 2)].max(initial=0)
        if words[place - 1] in EACH and len(best) == 1 and columns < NAMED:
            yield linking.tables[best[0]]


def counts_each_once(query: Query, linking: Linking, rows: RowNames, planner: JoinPlanner) -> bool:
    """True if a query ranks rows of one table by how many there are of each, which is one.

    Or by how many are called alike, where the question asks for no names: "the most used playlist".
    """
    tables = {t.name for t in mentioned_tables(query)}
    ranked = any(isinstance(o.key, Aggregate) and o.key.function == "count" for o in query.order)
    if len(tables) != 1 or not ranked or query.source is not None or query.joins:
        return False
    table = planner.schema.table(tables.pop())
    return any(
        (k.name,) == table.primary_key or (k in rows.of_table(k.table) and not _ranks_names(linking, k))
        for k in query.group
        if isinstance(k, ColumnRef)
    )


def _ranks_names(linking: Linking, name: ColumnRef) -> bool:
    """True if names themselves are ranked: "the most common first name"."""
    first = min((s.span.first for s in linking.superlatives), default=0)
    return any(t.stem in name_stems(name.name)[-1:] for t in linking.tokens[first:])
