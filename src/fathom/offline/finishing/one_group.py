"""One number for one thing: "the number of books by Ann" isn't a list of one author with that number."""

from dataclasses import replace

from fathom.offline.linking import ColumnKey, Linking
from fathom.offline.linking.row_names import EACH
from fathom.offline.queries.query import ColumnRef, Query, is_aggregate
from fathom.offline.queries.rows import fixed_columns


def as_one_number(query: Query, linking: Linking) -> Query:
    """The query without the groups that its condition leaves only one of, unless the question asks for them.

    Without rows to group the number is then 0 instead of missing.
    """
    fixed = fixed_columns(query)
    named = {m.column for m in linking.column_mentions if m.whole}
    if not query.group or not fixed.issuperset(query.group) or any(t.lower in EACH for t in linking.tokens):
        return query
    numbers = tuple(e for e in query.select if e not in fixed)
    asked = any(isinstance(e, ColumnRef) and e in fixed and ColumnKey.of(e) in named for e in query.select)
    whole = query.having is None and query.limit is None and query.compound is None
    if asked or not whole or not numbers or not all(map(is_aggregate, numbers)):
        return query
    return replace(query, select=numbers, group=(), order=())
