"""Joins by the key whose role a question says: "messages sent by each user" by the sender."""

from dataclasses import replace

from fathom.offline.linking import Linking
from fathom.offline.linking.levels import NAMED
from fathom.offline.linking.text import name_stems
from fathom.offline.queries.joins import JoinPlanner
from fathom.offline.queries.query import ColumnRef, Join, Query, TableRef, Unrepresentable, rebuilt
from fathom.offline.queries.to_sql import joined
from fathom.offline.roles.keys import SIDES, RoleKey, RolePair, role_pairs

_EACH = frozenset("each every which what the a an any".split())


def with_said_roles(query: Query, linking: Linking, planner: JoinPlanner) -> tuple[Query, bool]:
    """The query joined by the keys whose roles the question says, and whether it says them all."""
    pairs = role_pairs(planner)
    said = True

    def changed(node: object) -> object:
        nonlocal said
        if not isinstance(node, Query) or node.source is not None:
            return node
        for pair in pairs:
            node, clear = _by_said_key(node, pair, linking, planner)
            said = said and clear
        return node

    return (rebuilt(query, changed), said) if pairs else (query, True)


def _by_said_key(query: Query, pair: RolePair, linking: Linking, planner: JoinPlanner) -> tuple[Query, bool]:
    try:
        joins = joined(query, planner)[1]
    except Unrepresentable:
        return query, True
    used = {k for k in pair.keys for j in joins if k.joins(j)}
    if len(used) != 1:
        return query, True
    (key,) = used
    said = said_key(linking, pair)
    if said is None or said == key:
        return query, said is not None
    return replace(query, joins=tuple(said.instead_of(key, j) for j in joins)), True


def said_key(linking: Linking, pair: RolePair) -> RoleKey | None:
    """The key of which the question speaks by its words, values aside; None where it says none, or both.

    "From" and "to" tell where they stand before the other table's name, or end the question.
    """
    tokens = linking.tokens
    held = {i for v in linking.values if v.match in {"exact", "folded"} for i in range(*v.span)}
    words = {
        i: SIDES[t.lower]
        for i, t in enumerate(tokens)
        if t.lower in SIDES and i not in held and not t.evidence
    }
    led = {s for i, s in words.items() if tokens[i].stop and _leads_home(linking, pair, i)}
    done = {
        s
        for i, s in words.items()
        if not tokens[i].stop and not _names(linking, pair.table, i, tokens[i].stem)
    }
    deeds = pair.deeds
    if not done and any(t.stem in deeds and t.lower not in SIDES and not t.stop for t in tokens):
        done = {"source"}  # "papers that cite the most others"
    sides = {s for s in led or done if pair.on(s)}
    return pair.on(sides.pop()) if len(sides) == 1 else None


def _leads_home(linking: Linking, pair: RolePair, place: int) -> bool:
    tokens = linking.tokens
    after = place + 1
    while after < len(tokens) and tokens[after].lower in _EACH:
        after += 1
    if after == len(tokens) or tokens[after].kind == "sign":
        return True
    return any(_names(linking, h, after) for h in pair.homes)


def _names(linking: Linking, table: str, place: int, word: str = "") -> bool:
    """True if a word names a table, by its own stem where that is given."""
    return linking.table_fit(table, place) >= NAMED and (not word or word in name_stems(table))


def joins_to(planner: JoinPlanner, pair: RolePair, key: RoleKey, home: str) -> tuple[Join, ...] | None:
    """The joins from a pair's table by one of its keys to a home; None where none lead there."""
    target = TableRef(pair.homes[0])
    own = Join(key.in_query, ColumnRef(target, key.key))
    plans = planner.plans((target, TableRef(home))) if home != target.name else ()
    if home == target.name:
        return (own,)
    return (own, *plans[0].joins) if plans else None
