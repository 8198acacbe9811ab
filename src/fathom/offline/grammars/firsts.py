"""When something happened first or last: "when was the first order", "the latest order of each customer"."""

from collections.abc import Iterator, Sequence

from fathom.offline.checks.account import Accounts, named_values
from fathom.offline.grammars.groups import By, ThingNaming
from fathom.offline.grammars.periods import Dates
from fathom.offline.linking import Linking, QuestionToken
from fathom.offline.linking.row_names import EACH
from fathom.offline.linking.wordlists import FIRST, LAST
from fathom.offline.proposals.proposals import Proposal
from fathom.offline.queries.joins import JoinPlanner
from fathom.offline.queries.query import Aggregate, Query, TableRef, conjunction, mentioned_tables
from fathom.offline.queries.rows import RowNames


def firsts(
    linking: Linking, planner: JoinPlanner, names: RowNames, dates: Dates, accounts: Accounts
) -> Iterator[Proposal]:
    """The first or last date of a table's rows, where "when" asks for it, or of each of something."""
    tokens = linking.tokens
    place = next((i for i, t in enumerate(tokens) if t.lower in FIRST | LAST and not t.evidence), None)
    if place is None or linking.quantities or linking.negations:
        return
    when = any(t.lower == "when" for t in tokens[:2]) or any(t.lower == "date" for t in tokens[:place])
    by = _each(linking, names, place)
    table = next((m.table for m in linking.table_mentions if m.span.first == place + 1), None)
    if table is None or not (when or by):
        return
    near = dates.near((TableRef(table),))
    key = dates.meant(near)
    if key is None or key.table != table or (by and by.table == TableRef(table)):
        return
    date = Aggregate("min" if tokens[place].lower in FIRST else "max", key.in_query())
    where = conjunction(*named_values(linking))
    query = Query((date,), where=where)
    if by:
        query = Query((*by.shown, date), where=where, group=tuple(dict.fromkeys((*by.key, *by.shown))))
    tables = mentioned_tables(query)
    said = {*range(place, _verb_before(tokens, place) - 1, -1)} | {
        i for i, t in enumerate(tokens) if t.lower in {"date", "most"}
    }
    if planner.one_each(TableRef(table), tables) and accounts.accounts_for(query, said):
        yield Proposal(query, source="first", settled=len(planner.plans(tables)) == 1)


def _each(linking: Linking, names: RowNames, place: int) -> By | None:
    """Of each of what the first or last one is asked for."""
    each = [i + 1 for i, t in enumerate(linking.tokens) if t.lower in EACH and i > place]
    group = (
        ThingNaming(linking, names).group_at(each[0])
        if len(each) == 1 and each[0] < len(linking.tokens)
        else None
    )
    return group.named[0] if group is not None and len(group.named) == 1 else None


def _verb_before(tokens: Sequence[QuestionToken], place: int) -> int:
    """Where "most", "its" and the like, and what somebody did with the first one, stand before a word."""
    while place and tokens[place - 1].stop:
        place -= 1
    did = any(t.lower in {"did", "does", "do"} for t in tokens[:place])
    return place - 1 if did and place else place
