"""Who is to a row what one of its keys is called after: "the support rep of Ann Ito", "Bo's advisor"."""

from collections.abc import Collection, Iterator, Sequence

from fathom.offline.checks.account import Accounts, denies_alike
from fathom.offline.grammars.hierarchies import named_rows
from fathom.offline.linking import LinkedValue, Linking
from fathom.offline.linking.text import name_stems
from fathom.offline.proposals.proposals import Proposal
from fathom.offline.queries.joins import JoinPlanner
from fathom.offline.queries.query import (
    ColumnRef,
    ComparisonPredicate,
    Literal,
    Query,
    Subquery,
    TableRef,
    conjunction,
)
from fathom.offline.queries.rows import RowNames
from fathom.offline.roles.keys import KEY_STEMS, RoleKey, deed_keys

_OWNER = ("'s", "s'", "\u2019s")
_ASKING = frozenset("who whom what which is was are the name of and".split())
_ARTICLES = frozenset(("the", "our"))


def role_holders(
    linking: Linking, planner: JoinPlanner, names: RowNames, accounts: Accounts
) -> Iterator[Proposal]:
    """The rows to which a key of a named row refers, where the question says what the key is called after."""
    if linking.quantities or linking.superlatives or linking.negations:
        return
    keys = [p.keys[0] for p in deed_keys(planner)]
    for key in keys:
        alone = sum(_noun(k) == _noun(key) for k in keys) == 1
        values = named_rows(linking, TableRef(key.table)) if alone else []
        places = _said(linking, key, values, names) if values else frozenset()
        shown = names.of_table(TableRef(key.target))
        if not places or not shown:
            continue
        where = (ComparisonPredicate(v.column.in_query(), "=", Literal(v.value)) for v in values)
        inner = Query((key.in_query,), where=conjunction(*where))
        query = Query(
            shown, where=ComparisonPredicate(ColumnRef(TableRef(key.target), key.key), "in", Subquery(inner))
        )
        if not accounts.left_over(query, places) and denies_alike(query, linking):
            yield Proposal(query, source="hierarchy", settled=True)


def _noun(key: RoleKey) -> str:
    """The stem of the noun with which the name of a key ends: that of `support_rep_id`."""
    words = [s for s in name_stems(key.column) if s not in KEY_STEMS]
    return words[-1] if words else ""


def _said(linking: Linking, key: RoleKey, values: Sequence[LinkedValue], names: RowNames) -> frozenset[int]:
    """The places of the words that name the key, right before "of" a row, behind whose it is, or "who".

    None where the question asks for more of it.
    """
    tokens = linking.tokens
    called, noun = {*name_stems(key.column)}, _noun(key)
    held = {i for v in values for i in range(*v.span)}
    first, end = min(held), max(held) + 1
    while first and tokens[first - 1].lower in _ARTICLES:
        first -= 1
    if tokens[end - 1].lower.endswith(_OWNER):
        start = end
    elif first > 1 and tokens[first - 1].lower in {"of", "for"}:
        start = first - 1
        while start and tokens[start - 1].stem in called:
            start -= 1
    elif first > 1 and tokens[first - 2].lower == "who":  # "who | manages | the north"
        start = first - 1
    else:
        return frozenset()
    named: list[int] = []
    for place in range(start, len(tokens)):
        if tokens[place].stem not in called:
            break
        named.append(place)
    ended = bool(named) and tokens[named[-1]].stem == noun
    said = held.union(named)
    if end < len(tokens) and linking.names_wholly(key.table, end):
        said.add(end)  # "of the north | branch"
    return frozenset(said - held) if ended and _asks_who(linking, key, said, names) else frozenset()


def _asks_who(linking: Linking, key: RoleKey, said: Collection[int], names: RowNames) -> bool:
    """True if nothing is asked but who it is, or what the rows are called that the key refers to."""
    called = {s for c in names.of_table(TableRef(key.target)) for s in name_stems(c.name)}
    return all(
        i in said
        or t.kind == "sign"
        or t.lower in _ASKING
        or t.stem in called
        or linking.names_wholly(key.target, i)
        for i, t in enumerate(linking.tokens)
    )
