"""Checks of the things that a query counts against those that its question counts."""

from fathom.offline.linking import Linking
from fathom.offline.linking.levels import WHOLLY_NAMED
from fathom.offline.linking.text import name_stems
from fathom.offline.queries.joins import JoinPlanner
from fathom.offline.queries.query import Aggregate, Query, Star, TableRef, comparisons, mentioned_tables
from fathom.offline.queries.to_sql import joined


def counts_others(query: Query, linking: Linking, planner: JoinPlanner) -> bool:
    """True if a question asks how many rows of a table there are, and a query counts those of another.

    "How many transactions are sells" counts no types of transactions. Rows that each belong to one of those
    asked for may be counted in their place.
    """
    head = counted_head(linking)
    if head is None or query.select != (Aggregate("count", Star()),) or query.group or query.source:
        return False
    fits = {t: linking.table_fit(t, head) for t in linking.tables}
    best = max(fits, key=lambda t: fits[t])
    tables = mentioned_tables(query)
    if fits[best] < WHOLLY_NAMED or not tables or any(fits[t.name] >= fits[best] for t in tables):
        return False
    return not any(planner.one_each(t, (t, TableRef(best))) for t in tables)


def counts_again(query: Query, linking: Linking, planner: JoinPlanner) -> bool:
    """True if a question asks how many rows of a table there are, and a query counts some of them again.

    How many customers ordered isn't how many orders they have.
    """
    head = counted_head(linking)
    if head is None or query.select != (Aggregate("count", Star()),) or query.group or query.source:
        return False
    tables = mentioned_tables(query)
    fits = {t: linking.table_fit(t.name, head) for t in tables}
    named = [t for t, fit in fits.items() if fit >= WHOLLY_NAMED]
    return bool(named) and not any(planner.one_each(t, tables) for t in named)


def counted_head(linking: Linking) -> int | None:
    """The place of the noun behind the one "how many" of a question."""
    asked = [q.span for q in linking.quantities if q.aggregate == "count"]
    if len(asked) == 2 and all(t.stop for t in linking.tokens[asked[0].end : asked[1].first]):
        asked = asked[1:]  # "count the number of"
    if len(asked) != 1 or asked[0].end >= len(linking.tokens):
        return None
    head = asked[0].end
    ahead = [t.lower for t in linking.tokens[head : head + 2] if t.kind == "word" and not t.stop]
    many = [w.endswith("s") for w in ahead]
    return head + 1 if many == [False, True] else head  # "movie directors"


def compares_others(query: Query, linking: Linking, planner: JoinPlanner) -> bool:
    """True if a question compares how many there are of one thing, and a query counts rows of another.

    Artists "with tracks in more than one genre" may have two tracks of one. Rows that the question doesn't
    name may be counted for what they belong to.
    """
    if all(c.left != Aggregate("count", Star()) for c in comparisons(query.having)):
        return False
    tables = joined(query, planner)[0]
    alone = (t for t in tables if len(planner.schema.table(t.name).primary_key) == 1)  # not pairs, each once
    rows = {t for t in alone if planner.one_each(t, tables)}
    named = {m.table for m in linking.table_mentions if m.named}
    if not rows or not named.issuperset(t.name for t in rows):
        return False
    called = {s for t in rows for s in name_stems(t.name)}
    heads = [n.span.end for n in linking.numbers if n.span.end < len(linking.tokens)]
    heads = [h for h in heads if linking.tokens[h].stem not in called]  # "events" are `party_events`
    compared = ({t for t in tables if linking.names_wholly(t.name, head)} for head in heads)
    return any(things and not things & rows for things in compared)
