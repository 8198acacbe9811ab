"""How many rows, or how much money, there is for each row of a table on average: "orders per customer"."""

from collections.abc import Iterator

from fathom.offline.accounting import Accounts
from fathom.offline.amounts import Amounts, asked_money, said_of_money
from fathom.offline.joins import JoinPlanner
from fathom.offline.linking import Linking, TableMention
from fathom.offline.linking.naming import EACH
from fathom.offline.proposals import Proposal
from fathom.offline.query import (
    Aggregate,
    Arithmetic,
    Call,
    Literal,
    Query,
    Star,
    Subquery,
    TableRef,
    columns,
)

_ONE = frozenset(("a", "an", "one"))
_DOING = frozenset(("do", "does", "did", "our", "the", "have", "has"))
_RELATIVE = frozenset(("who", "that", "which", "whose"))


def averages(
    linking: Linking, planner: JoinPlanner, amounts: Amounts, accounts: Accounts
) -> Iterator[Proposal]:
    """The rows of one named table over those of another, where the question asks for such an average.

    Rows of the second that have none count too, as "per customer" says; where it speaks of those alone that
    have some, it asks for something else. What customers spend on average is money over customers alike.
    """
    asked = {q.aggregate for q in linking.quantities}
    if "avg" not in asked or linking.superlatives or _restricted(linking):
        return
    mentions = linking.table_mentions
    yield from _of_money(linking, planner, amounts, accounts)
    pairs = [(a, b) for a in mentions for b in mentions if _each(linking, b) and a.span.end <= b.span.first]
    for many, one in pairs:
        if many.table == one.table or not _belongs(planner, many.table, one.table):
            continue
        query = _over(Aggregate("count", Star()), TableRef(many.table), TableRef(one.table))
        if not accounts.left_over(query):  # else the average is of something else ("track length per genre")
            yield Proposal(query, source="ratio", settled=True)


def _of_money(
    linking: Linking, planner: JoinPlanner, amounts: Amounts, accounts: Accounts
) -> Iterator[Proposal]:
    """What there is of money for each row of a table: "average spending per customer"."""
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
    quotient = Arithmetic("/", Call("cast", (top, Literal("REAL"))), Call("nullif", (others, Literal(0))))
    return Query((quotient,), tables=() if any(columns(Query((top,)))) else (many,))


def _restricted(linking: Linking) -> bool:
    """Whether a clause says of which things alone the average is: "a user who has written any"."""
    return any(t.lower in _RELATIVE for t in linking.tokens[1:] if not t.evidence)


def _per(linking: Linking, mention: TableMention) -> bool:
    """Whether one number is asked for over all rows: "for each customer" wants one of each."""
    return mention.span.first > 0 and linking.tokens[mention.span.first - 1].lower == "per"


def _does(linking: Linking, mention: TableMention) -> bool:
    """Whether a table's rows do something: "how much do customers spend"."""
    before = linking.tokens[mention.span.first - 1].lower if mention.span.first else ""
    return before in _DOING


def _each(linking: Linking, mention: TableMention) -> bool:
    """Whether it is a table's rows one by one: "per customer", "does an agent"."""
    before = linking.tokens[mention.span.first - 1].lower if mention.span.first else ""
    return before in EACH | _ONE


def _belongs(planner: JoinPlanner, many: str, one: str) -> bool:
    """Whether each row of one table has at most one row of another, by a key of its own."""
    tables = (TableRef(many), TableRef(one))
    plans = planner.plans(tables)
    return bool(plans) and len(plans[0].tables) == 2 and planner.one_each(tables[0], tables)
