"""How many rows of one table there are for each row of another on average: "orders per customer"."""

from collections.abc import Iterator

from fathom.offline.accounting import Accounts
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
)

_ONE = frozenset(("a", "an", "one"))


def averages(linking: Linking, planner: JoinPlanner, accounts: Accounts) -> Iterator[Proposal]:
    """The rows of one named table over those of another, where the question asks for such an average.

    Rows of the second that have none count too, as "per customer" says.
    """
    asked = {q.aggregate for q in linking.quantities}
    if "avg" not in asked or linking.superlatives:
        return
    mentions = linking.table_mentions
    pairs = [(a, b) for a in mentions for b in mentions if _each(linking, b) and a.span.end <= b.span.first]
    for many, one in pairs:
        if many.table == one.table or not _belongs(planner, many.table, one.table):
            continue
        count = Aggregate("count", Star())
        others = Query((count,), tables=(TableRef(one.table),))
        top = Call("cast", (count, Literal("REAL")))
        bottom = Call("nullif", (Subquery(others), Literal(0)))
        query = Query((Arithmetic("/", top, bottom),), tables=(TableRef(many.table),))
        if not accounts.left_over(query):  # else the average is of something else ("track length per genre")
            yield Proposal(query, 0.0, 0.0, 0.0, source="ratio", settled=True)


def _each(linking: Linking, mention: TableMention) -> bool:
    """Whether it is a table's rows one by one: "per customer", "does an agent"."""
    before = linking.tokens[mention.span.first - 1].lower if mention.span.first else ""
    return before in EACH | _ONE


def _belongs(planner: JoinPlanner, many: str, one: str) -> bool:
    """Whether each row of one table has at most one row of another, by a key of its own."""
    tables = (TableRef(many), TableRef(one))
    plans = planner.plans(tables)
    return bool(plans) and len(plans[0].tables) == 2 and planner.one_each(tables[0], tables)
