"""How many are below those above: "how many people does each manager have", "who leads the most staff"."""

from collections.abc import Iterator
from dataclasses import replace

from fathom.offline.checks.account import Accounts
from fathom.offline.grammars.groups import BY
from fathom.offline.grammars.hierarchies import (
    LEADERS,
    LEADING,
    LED,
    OF_STAFF,
    REPORT,
    SAID,
    SelfKey,
    called_after,
    self_keys,
)
from fathom.offline.linking import Linking
from fathom.offline.proposals.proposals import Proposal
from fathom.offline.queries.joins import JoinPlanner
from fathom.offline.queries.query import Aggregate, ColumnRef, Join, OrderKey, Query, Star, TableRef
from fathom.offline.queries.rows import RowNames

_ASKED = (["which"], ["what"])
_HAS = frozenset(("has", "have"))
_MOST = frozenset(("most", "fewest"))


def led_by_each(
    linking: Linking, planner: JoinPlanner, names: RowNames, accounts: Accounts
) -> Iterator[Proposal]:
    """Those to whom rows of the same table refer, each with how many do so, or who has most."""
    keys = [k for k in self_keys(planner) if called_after(k) & OF_STAFF]
    top = _asks_for_top(linking)
    amounts = [n for n in linking.numbers if not n.ordinal]
    if linking.negations or amounts or len(keys) != 1 or not (top or _asks_for_each(linking, keys[0])):
        return
    query = _counted(keys[0], names)
    if query is None:
        return
    if top:
        most = linking.superlatives[0]
        count = query.select[-1]
        order = (OrderKey(count, most.direction == "desc"),)
        query = replace(query, select=query.select[:-1], order=order, limit=most.count)
    said = {
        i
        for i, t in enumerate(linking.tokens)
        if t.lower in SAID | LEADING | _MOST or t.stem in LEADERS | LED | {REPORT}
    }
    if not accounts.left_over(query, said):
        yield Proposal(query, source="hierarchy", settled=True)


def _counted(key: SelfKey, names: RowNames) -> Query | None:
    """Those above with how many are below, told apart by their key; None where they have no names."""
    above = TableRef(key.table.name, key.table.instance + 1)
    called, own = names.called(above), ColumnRef(above, key.key)
    if not called:
        return None
    join = Join(ColumnRef(key.table, key.own), own)
    return Query((*called, Aggregate("count", Star())), group=(own, *called), joins=(join,))


def _asks_for_each(linking: Linking, key: SelfKey) -> bool:
    """True if a question asks how many there are of each of those above: "per manager", "by each boss"."""
    if [q.aggregate for q in linking.quantities] != ["count"] or linking.superlatives:
        return False
    tokens = linking.tokens
    for place in range(1, len(tokens)):
        if tokens[place - 1].lower in BY and tokens[place].stem in LEADERS:
            return not any(linking.names_wholly(t, place) for t in linking.tables if t != key.table.name)
    return False


def _asks_for_top(linking: Linking) -> bool:
    """True if it asks who has most below: "which manager has the most staff", "who leads the most"."""
    extremes = linking.superlatives
    if len(extremes) != 1 or linking.quantities:
        return False
    words = [t.lower for t in linking.tokens]
    if not _MOST.intersection(words[extremes[0].span.first : extremes[0].span.end]):
        return False
    if words[:1] in _ASKED and linking.tokens[1].stem in LEADERS:
        return bool(words[2:3] and words[2] in _HAS | LEADING)
    led = any(t.stem in LED | {REPORT} for t in linking.tokens)
    after = words[words.index("who") + 1 :][:1] if "who" in words else []
    return bool(after) and (after[0] in LEADING or (after[0] in _HAS and led))
