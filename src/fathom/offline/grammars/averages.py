"""How many rows, or how much money, there is for each row of a table on average: "orders per customer"."""

from collections.abc import Collection, Iterator

from fathom.offline.checks.account import Accounts, deeds, named_places
from fathom.offline.grammars.amounts import Amounts, asked_money, said_of_money
from fathom.offline.grammars.usual import Usual
from fathom.offline.linking import Linking, TableMention
from fathom.offline.linking.row_names import EACH
from fathom.offline.linking.wordlists import LIGHT
from fathom.offline.proposals.proposals import Proposal
from fathom.offline.queries.joins import JoinPlanner
from fathom.offline.queries.query import (
    Aggregate,
    Arithmetic,
    ColumnRef,
    FunctionCall,
    Literal,
    Query,
    Star,
    Subquery,
    TableRef,
    columns,
)
from fathom.offline.queries.rows import RowNames

_ONE = frozenset(("a", "an", "one"))
_DOING = frozenset(("do", "does", "did", "our", "the", "have", "has"))
_RELATIVE = frozenset(("who", "that", "which", "whose"))


def averages(
    linking: Linking, planner: JoinPlanner, names: RowNames, amounts: Amounts, accounts: Accounts
) -> Iterator[Proposal]:
    """The rows of one named table over those of another, where the question asks for such an average.

    Rows of the second that have none count too, as "per customer" says, but where it speaks of those alone
    that have any. What customers spend on average is money over customers alike.
    """
    asked = {q.aggregate for q in linking.quantities}
    said = deeds(linking, names)
    some = _having_any(linking, said)
    if "avg" not in asked or linking.superlatives or some is None:
        return
    mentions = linking.table_mentions
    if not some:
        yield from _of_money(linking, planner, amounts, accounts)
    pairs = [(a, b) for a in mentions for b in mentions if _each(linking, b) and a.span.end <= b.span.first]
    for many, one in pairs:
        key = _key_to(planner, TableRef(many.table), TableRef(one.table))
        if many.table == one.table or key is None:
            continue
        query = _of_each(key) if some else _over(Aggregate("count", Star()), key.table, TableRef(one.table))
        named = said.union(named_places(linking, many.table), *(range(*s) for s in Usual(linking).spans))
        if not accounts.left_over(query, named):  # else it is of something else ("track length per genre")
            yield Proposal(query, source="ratio", settled=True)


def _of_money(
    linking: Linking, planner: JoinPlanner, amounts: Amounts, accounts: Accounts
) -> Iterator[Proposal]:
    """Propose queries for money per row of a table: "average spending per customer"."""
    place = asked_money(linking, averaged=True)
    if place is None:
        return
    said = said_of_money(linking) | {place}
    made = [
        (amount, query)
        for one in linking.table_mentions
        for amount in amounts.all
        if (_per(linking, one) or (_does(linking, one) and one.span.end <= place))
        and amount.table.name != one.table
        and _belongs(planner, amount.table.name, one.table)
        and not accounts.left_over(
            query := _over(Aggregate("sum", amount.expression), amount.table, TableRef(one.table)),
            said,
        )
    ]
    best = [m for m in made if m[0].total] or made
    for _, query in best:
        yield Proposal(query, source="ratio", settled=len(best) == 1)


def _over(top: Aggregate, many: TableRef, one: TableRef) -> Query:
    """A number of the rows of one table, over how many rows another has."""
    others = Subquery(Query((Aggregate("count", Star()),), tables=(one,)))
    quotient = Arithmetic(
        "/", FunctionCall("cast", (top, Literal("REAL"))), FunctionCall("nullif", (others, Literal(0)))
    )
    return Query((quotient,), tables=() if any(columns(Query((top,)))) else (many,))


def _of_each(key: ColumnRef) -> Query:
    """How many rows there are for each that a key refers to, of those that it refers to at all."""
    rows = FunctionCall("cast", (Aggregate("count", key), Literal("REAL")))
    quotient = Arithmetic(
        "/", rows, FunctionCall("nullif", (Aggregate("count", key, distinct=True), Literal(0)))
    )
    return Query((quotient,))


def _having_any(linking: Linking, said: Collection[int]) -> bool | None:
    """True if a clause says that things without any don't count: "who has written any"; False if none does.

    None where one says of which things alone the average is in another way.
    """
    words = [(i, t) for i, t in enumerate(linking.tokens) if i and not t.evidence]
    start = next((i for i, t in words if t.lower in _RELATIVE), None)
    if start is None:
        return False
    clause = [(i, t) for i, t in words if i > start]
    more = any(not (t.stop or t.lower in LIGHT or t.kind == "sign" or i in said) for i, t in clause)
    return True if not more and any(t.lower == "any" for _, t in clause) else None


def _per(linking: Linking, mention: TableMention) -> bool:
    """True if one number is asked for over all rows: "for each customer" wants one of each."""
    return mention.span.first > 0 and linking.tokens[mention.span.first - 1].lower == "per"


def _does(linking: Linking, mention: TableMention) -> bool:
    """True if a table's rows do something: "how much do customers spend"."""
    before = linking.tokens[mention.span.first - 1].lower if mention.span.first else ""
    return before in _DOING


def _each(linking: Linking, mention: TableMention) -> bool:
    """True if it is a table's rows one by one: "per customer", "does an agent"."""
    before = linking.tokens[mention.span.first - 1].lower if mention.span.first else ""
    return before in EACH | _ONE


def _key_to(planner: JoinPlanner, many: TableRef, one: TableRef) -> ColumnRef | None:
    """The key of one table's rows to another's, or that of the pairs of both; None without either."""
    if (plan := next(iter(planner.plans((many, one))), None)) is None:
        return None
    on = [{c.table: c for c in (j.left, j.right)} for j in plan.joins]
    if len(plan.tables) == 2 and planner.one_each(many, (many, one)):
        return on[0].get(many)
    between = [t for t in plan.tables if t not in {many, one}]
    if len(between) != 1:
        return None
    (pairs,) = between
    keys = {o[pairs].name for o in on if pairs in o}
    to_one = next((o[pairs] for o in on if pairs in o and one in o), None)
    return to_one if keys == set(planner.schema.table(pairs.name).primary_key) and len(keys) == 2 else None


def _belongs(planner: JoinPlanner, many: str, one: str) -> bool:
    """True if each row of one table has at most one row of another, by a key of its own."""
    tables = (TableRef(many), TableRef(one))
    plans = planner.plans(tables)
    return bool(plans) and len(plans[0].tables) == 2 and planner.one_each(tables[0], tables)
