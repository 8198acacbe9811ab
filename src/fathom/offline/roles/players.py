"""Rows asked for by a role of their own: "who wrote to Bob", "the city with most departing flights"."""

from collections.abc import Iterator
from dataclasses import replace

from fathom.offline.checks.account import Accounts, tables_named_first
from fathom.offline.grammars.amounts import said_of_money
from fathom.offline.linking import Linking
from fathom.offline.linking.levels import NAMED
from fathom.offline.linking.row_names import EACH
from fathom.offline.linking.text import name_stems, stem
from fathom.offline.proposals.proposals import Proposal
from fathom.offline.queries.joins import JoinPlanner
from fathom.offline.queries.query import (
    Aggregate,
    ColumnRef,
    ComparisonPredicate,
    Expression,
    Literal,
    OrderKey,
    Query,
    Star,
    Subquery,
    TableRef,
)
from fathom.offline.queries.rows import RowNames
from fathom.offline.roles.cast import Cast, Casting
from fathom.offline.roles.keys import SIDES, RolePair, role_pairs
from fathom.offline.roles.role_filters import asks_for_home, speaks_of
from fathom.offline.roles.role_joins import joins_to, said_key

_PERSONS = frozenset(map(stem, (
    "user person people member customer client employee student author player friend contact patient"
).split()))  # fmt: skip


def role_players(
    linking: Linking, planner: JoinPlanner, names: RowNames, accounts: Accounts
) -> Iterator[Proposal]:
    """The rows that have one role where a named row has the other: "who sent messages to Bob"."""
    counts = [q for q in linking.quantities if q.aggregate == "count"]
    if len(counts) != len(linking.quantities) or linking.superlatives:
        return
    for pair in role_pairs(planner):
        asked_for = speaks_of(linking, pair) and asks_for_home(linking, pair)
        casts = Casting(linking, pair, names).cast() if asked_for else ()
        if len(casts) != 1:
            continue
        (cast,) = casts
        home = _asked_home(linking, pair, cast, names)
        shown: tuple[Expression, ...] = names.of_table(TableRef(home))
        if counts:
            shown = (Aggregate("count", Star()),)
        asked = pair.other(cast.key)
        table = TableRef(pair.table)
        inner = Query((asked.in_query,), where=cast.key.leads_to(cast.named.condition), tables=(table,))
        operator = "not in" if linking.negations else "in"
        link = _through(planner, pair, home, inner, operator)
        if link is None or not shown:
            continue
        query = Query(shown, where=link, tables=(TableRef(home),) if counts else ())
        roles = {i for i, t in enumerate(linking.tokens) if t.lower in SIDES}
        said = cast.places | roles | said_of_money(linking)
        if accounts.accounts_for(query, said):
            yield Proposal(query, source="role", settled=True)


def _asked_home(linking: Linking, pair: RolePair, cast: Cast, names: RowNames) -> str:
    """Which of the homes is asked for: the one named first, else that whose rows are persons."""
    named = {m.table for m in tables_named_first(linking)} & {*pair.homes}
    if named:
        return min(named, key=pair.homes.index)
    return _person(pair, names) or cast.named.table


def _person(pair: RolePair, names: RowNames) -> str | None:
    """The home whose rows are persons, by its name or theirs."""
    called = (
        h for h in pair.homes if len(names.of_table(TableRef(h))) > 1 or _PERSONS.intersection(name_stems(h))
    )
    return next(called, None)


def _through(
    planner: JoinPlanner, pair: RolePair, home: str, inner: Query, operator: str
) -> ComparisonPredicate | None:
    """That a row of a home is what the inner query's keys refer to, or what these rows belong to."""
    target = ColumnRef(TableRef(pair.homes[0]), pair.keys[0].key)
    if home == pair.homes[0]:
        return ComparisonPredicate(target, operator, Subquery(inner))
    plans = planner.plans((TableRef(pair.homes[0]), TableRef(home)))
    if not plans or len(plans[0].joins) != 1:
        return None
    join = plans[0].joins[0]
    near, far = (join.left, join.right) if join.left.table == target.table else (join.right, join.left)
    between = Query((near,), where=ComparisonPredicate(target, "in", Subquery(inner)))
    return ComparisonPredicate(far, operator, Subquery(between))


def role_counts(
    linking: Linking, planner: JoinPlanner, names: RowNames, accounts: Accounts
) -> Iterator[Proposal]:
    """How many rows there are of each that has a role in them, or who has most: "who sent most messages"."""
    extremes = linking.superlatives
    counted = [q for q in linking.quantities if q.aggregate == "count"]
    if len(counted) != len(linking.quantities) or linking.negations or len(extremes) > 1:
        return
    bounds = [n for n in linking.numbers if n.comparison in {">", ">=", "<", "<="} and not n.year]
    if len(extremes) + len(counted) + len(bounds) != 1:
        return
    for pair in role_pairs(planner):
        key = said_key(linking, pair)
        if key is None or not any(m.table == pair.table for m in linking.table_mentions):
            continue
        home = _grouped_home(linking, pair, names)
        joins = joins_to(planner, pair, key, home) if home else None
        if home is None or joins is None:
            continue
        by, own = names.of_table(TableRef(home)), names.key_of(TableRef(home))
        if not by or not own:
            continue
        count = Aggregate("count", Star())
        query = Query((*by, count), group=tuple(dict.fromkeys((*own, *by))), joins=joins)
        if extremes:
            order = (OrderKey(count, extremes[0].direction == "desc"),)
            query = replace(query, select=by, order=order, limit=extremes[0].count)
        if bounds:
            having = ComparisonPredicate(count, bounds[0].comparison, Literal(bounds[0].value))
            query = replace(query, select=by, having=having)
        said = {i for i, t in enumerate(linking.tokens) if t.lower in SIDES} | _said_of(linking, pair, home)
        if not accounts.left_over(query, said):
            yield Proposal(query, source="role", settled=True)


def _said_of(linking: Linking, pair: RolePair, home: str) -> set[int]:
    """The places of superlatives and numbers, and of the words that name the two tables."""
    spans = [m.span for m in linking.table_mentions if m.table in {pair.table, home}]
    spans += [s.span for s in linking.superlatives] + [n.span for n in linking.numbers]
    return {i for s in spans for i in range(*s)}


def _grouped_home(linking: Linking, pair: RolePair, names: RowNames) -> str | None:
    """Of which home's rows something is asked: the one named after "each", "by" or "which"."""
    tokens = linking.tokens
    opening = {t.lower for t in tokens[:2]}
    asked = not linking.quantities
    if asked and "who" in opening:
        return _person(pair, names)
    first = {"which", "what"} if asked else {*EACH, "by"}
    for place, token in enumerate(tokens[:-1]):
        if token.lower in first:
            for end in range(place + 1, min(place + 4, len(tokens))):
                named = [h for h in pair.homes if linking.table_fit(h, end) >= NAMED]
                if named:
                    return named[0]
    return None
