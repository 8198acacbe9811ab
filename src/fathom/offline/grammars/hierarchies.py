"""Rows that refer to others of their table: "who reports to Andrew Adams", "Nina's manager".

Training data hardly ask along such keys, and to show the key itself tells nobody anything.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from fathom.offline.checks.account import Accounts, denies_alike
from fathom.offline.linking import LinkedValue, Linking
from fathom.offline.linking.text import name_stems, stem
from fathom.offline.proposals.proposals import Proposal
from fathom.offline.queries.joins import JoinPlanner
from fathom.offline.queries.query import (
    Aggregate,
    ColumnRef,
    ComparisonPredicate,
    Expression,
    Join,
    Literal,
    Query,
    Star,
    Subquery,
    TableRef,
    conjunction,
)
from fathom.offline.queries.rows import RowNames, names_key

LEADERS = frozenset(map(stem, "manager boss supervisor superior leader lead chief".split()))
LED = frozenset(map(stem, "subordinate underling".split()))
REPORT = stem("report")
OF_STAFF = LEADERS | {REPORT, *map(stem, ("manage", "supervise", "super"))}
_PARENT, _CHILDREN = stem("parent"), frozenset(map(stem, "child subcategory".split()))
LEADING = frozenset(
    "manage manages managed supervise supervises supervised lead leads led oversee oversees".split()
)
_KEYS = frozenset(map(stem, "id key number no code ssn".split()))
SAID = frozenset(("direct", "directly", "people", "person", "anyone", "everyone", "staff"))


@dataclass(frozen=True, slots=True)
class SelfKey:
    """A key by which a table's rows refer to those above them: `own` of theirs is the `key` of these."""

    table: TableRef
    own: str
    key: str


def hierarchies(
    linking: Linking, planner: JoinPlanner, names: RowNames, accounts: Accounts
) -> Iterator[Proposal]:
    """The rows above or below a row that the question names, where a table refers to itself."""
    for link in self_keys(planner):
        values = named_rows(linking, link.table)
        held = {i for v in values for i in range(*v.span)}
        found = _relation(linking, link, held) if values else None
        if found is None:
            continue
        place, below = found
        said = {place, *(i for i, t in enumerate(linking.tokens) if t.lower in SAID)}
        query = _query(linking, link, names, values, below=below)
        if query is not None and not accounts.left_over(query, said) and denies_alike(query, linking):
            yield Proposal(query, source="hierarchy", settled=len(self_keys(planner)) == 1)


def shows_only_keys(query: Query, linking: Linking, planner: JoinPlanner) -> bool:
    """True if a query shows who is above by their key alone, where nobody asked for keys."""
    own = {ColumnRef(link.table, link.own) for link in self_keys(planner)}
    shown = [
        e
        for e in query.select
        if isinstance(e, ColumnRef) and replace(e, table=TableRef(e.table.name)) in own
    ]
    return len(shown) == len(query.select) and not any(names_key(linking, c) for c in shown)


def key_to_leader(table: TableRef, planner: JoinPlanner) -> Join | None:
    """The join from a table's rows to those above them, by its one key that says so."""
    own = [s for s in self_keys(planner) if s.table.name == table.name and OF_STAFF & {*name_stems(s.own)}]
    if len(own) != 1:
        return None
    above = TableRef(table.name, table.instance + 1)
    return Join(ColumnRef(table, own[0].own), ColumnRef(above, own[0].key), outer=True)


def self_keys(planner: JoinPlanner) -> list[SelfKey]:
    """The keys of a schema by which rows refer to others of their table."""
    return [
        SelfKey(TableRef(k.table), k.columns[0], k.target_columns[0])
        for k in planner.schema.foreign_keys
        if k.table == k.target_table and len(k.columns) == 1
    ]


def called_after(link: SelfKey) -> set[str]:
    """The stems of what those above are called by the name of a key."""
    return {*name_stems(link.own)} - _KEYS - {*name_stems(link.table.name)}


def named_rows(linking: Linking, table: TableRef) -> list[LinkedValue]:
    """The values of a table that the question names side by side: a first and a last name, or a title."""
    found: list[LinkedValue] = []
    for value in linking.values:  # the likeliest first
        whole = value.match in {"exact", "folded", "stem"} and value.comparison == "="
        if whole and value.column.table == table.name and not any(value.span.overlaps(f.span) for f in found):
            found.append(value)
    found.sort(key=lambda v: v.span.first)
    apart = any(a.span.end != b.span.first for a, b in pairwise(found))
    return [] if apart else found


def _relation(linking: Linking, link: SelfKey, held: set[int]) -> tuple[int, bool] | None:
    """The place of the word that says how rows are related, and whether those below are asked for."""
    words = called_after(link)
    staff = bool(words & OF_STAFF)
    tokens = linking.tokens
    for place, token in enumerate(tokens):
        if token.evidence or place in held:
            continue
        after = min(held) > place  # the row is named behind the word
        whose = any(t.lower == "whose" for t in tokens[:place])
        passive = place + 1 < len(tokens) and tokens[place + 1].lower == "by" and token.lower.endswith("ed")
        if staff and token.stem == REPORT:
            verb = place + 1 < len(tokens) and tokens[place + 1].lower == "to"
            return place, after or not verb
        if staff and token.stem in LED:
            return place, True
        if staff and token.lower in LEADING:
            return place, after if passive else not after
        if (staff and token.stem in LEADERS) or token.stem in words:
            return place, whose
        if _PARENT in words and token.stem in _CHILDREN:
            return place, True
    return None


def _query(
    linking: Linking, link: SelfKey, names: RowNames, values: list[LinkedValue], *, below: bool
) -> Query | None:
    """The rows below, or the one above, those that values name: their names, or how many they are."""
    counts = [q for q in linking.quantities if q.aggregate == "count"]
    other = linking.superlatives or any(not n.ordinal for n in linking.numbers)
    if len(counts) != len(linking.quantities) or other:
        return None
    where = (
        ComparisonPredicate(ColumnRef(link.table, v.column.column), "=", Literal(v.value)) for v in values
    )
    asked, given = (link.own, link.key) if below else (link.key, link.own)
    inner = Query((ColumnRef(link.table, given),), where=conjunction(*where))
    shown: tuple[Expression, ...] = (Aggregate("count", Star()),)
    if not counts:
        called, asked_for = names.of_table(link.table), _asked(linking, link, values)
        shown = called if set(asked_for) <= set(called) else asked_for
    linked = ComparisonPredicate(ColumnRef(link.table, asked), "in", Subquery(inner))
    return Query(shown, where=linked) if shown else None


def _asked(linking: Linking, link: SelfKey, values: list[LinkedValue]) -> tuple[ColumnRef, ...]:
    """The columns that the question names ahead of all else: "the email of Nina's manager"."""
    found = [
        m
        for m in linking.column_mentions
        if m.column.table == link.table.name
        and m.named
        and m.column.column not in {link.own, link.key}
        and not any(m.span.overlaps(v.span) for v in values)
    ]
    return tuple(
        dict.fromkeys(ColumnRef(link.table, m.column.column) for m in sorted(found, key=lambda m: m.span))
    )
