"""Which kind most rows are of: "the most common genre", "which media type is used most"."""

from collections.abc import Collection, Iterator

from fathom.offline.checks.account import Accounts, sure_values
from fathom.offline.linking import Linking
from fathom.offline.linking.text import name_stems, stem
from fathom.offline.proposals.proposals import Proposal
from fathom.offline.queries.joins import JoinPlanner
from fathom.offline.queries.query import Aggregate, ColumnRef, Join, OrderKey, Query, Star, TableRef
from fathom.offline.queries.rows import RowNames
from fathom.records import ForeignKey
from fathom.records.schema import NUMERIC, TIMED

_OFTEN = frozenset(map(stem, "common frequent frequently often".split()))
_USED = frozenset(map(stem, "used use".split()))
_KEPT = frozenset(map(stem, "update updated create created modified inserted".split()))
"""Words in names of dates that say nothing of the row itself."""
_MOST_COLUMNS = 4
"""Columns of a table that only says which kinds there are."""


def most_used(
    linking: Linking, planner: JoinPlanner, names: RowNames, accounts: Accounts
) -> Iterator[Proposal]:
    """The kinds to which most rows of another table refer: the only one, or the one that is named."""
    places = _said(linking)
    if not places or linking.quantities or linking.negations or sure_values(linking):
        return
    most = max(s.count for s in linking.superlatives)
    if any(not n.ordinal and n.value != most for n in linking.numbers):
        return
    named = {m.table for m in linking.table_mentions if m.whole}
    kinds = [t for t in named if _only_kinds(t, planner) and not _held_elsewhere(linking, t, planner)]
    if len(kinds) != 1:
        return
    key = _referring(planner, kinds[0], named - {kinds[0]})
    used = any(linking.tokens[i].stem in _USED for i in places)
    if key is None or (used and _only_pairs(planner, key.table)):
        return
    home = TableRef(kinds[0])
    own, shown = ColumnRef(home, key.target_columns[0]), names.called(home)
    if not shown:
        return
    joins = (Join(ColumnRef(TableRef(key.table), key.columns[0]), own),)
    group = tuple(dict.fromkeys((own, *shown)))
    order = (OrderKey(Aggregate("count", Star()), descending=True),)
    query = Query(shown, group=group, order=order, limit=most, joins=joins)
    if not accounts.left_over(query, places):
        yield Proposal(query, source="count", settled=True)


def _said(linking: Linking) -> frozenset[int]:
    """The places of the words that say which is the most frequent; none where something else is said."""
    tokens = linking.tokens
    often = {i for i, t in enumerate(tokens) if t.stem in _OFTEN | _USED and not t.evidence}
    most = {i for s in linking.superlatives for i in range(*s.span)}
    ranked = {tokens[i].lower for i in most if tokens[i].kind == "word"} - _OFTEN - {"top"}
    upwards = all(s.direction == "desc" for s in linking.superlatives)
    said = ranked == {"commonest"} or (often and ranked == {"most"})
    return frozenset(often | most) if said and upwards else frozenset()


def _only_kinds(table: str, planner: JoinPlanner) -> bool:
    """True if a table says nothing of its rows but what they are called: no number, no date, no key."""
    described = planner.schema.table(table)
    refers = any(k.table == table for k in planner.schema.foreign_keys)
    other = [c for c in described.columns if (c.name,) != described.primary_key]
    words = all(c.kind not in NUMERIC for c in other)
    dated = any(c.kind in TIMED and _KEPT.isdisjoint(name_stems(c.name)) for c in other)
    few = len(described.columns) <= _MOST_COLUMNS
    return (
        len(described.primary_key) == 1 and words and few and not (dated or refers) and not described.is_view
    )


def _held_elsewhere(linking: Linking, table: str, planner: JoinPlanner) -> bool:
    """True if the words that name a table name a column of another one as well, which is no key to it."""
    keys = {(k.table, c) for k in planner.schema.foreign_keys for c in k.columns if k.target_table == table}
    spans = [m.span for m in linking.table_mentions if m.table == table and m.whole]
    return any(
        m.whole and any(m.span.overlaps(s) for s in spans)
        for m in linking.column_mentions
        if m.column.table != table and m.column not in keys
        if not planner.schema.table(m.column.table).is_view
    )


def _referring(planner: JoinPlanner, table: str, named: Collection[str]) -> ForeignKey | None:
    """The one key that refers to a table, from the one that is named where any is; None where several do."""
    keys = [k for k in planner.schema.foreign_keys if k.target_table == table != k.table]
    keys = [k for k in keys if not named or k.table in named]
    several = len(keys) != 1 or len(keys[0].columns) != 1 or not {keys[0].table}.issuperset(named)
    return None if several else keys[0]


def _only_pairs(planner: JoinPlanner, table: str) -> bool:
    """True if a table only says which rows go together: those are not used by being listed."""
    keys = {c for k in planner.schema.foreign_keys if k.table == table for c in k.columns}
    return len(keys) > 1 and {c.name for c in planner.schema.table(table).columns} <= keys
