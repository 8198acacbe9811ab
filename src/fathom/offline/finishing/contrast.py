"""Tells readings of one question apart: in words for what differs between them."""

from collections.abc import Sequence
from functools import partial

from fathom.offline.finishing.description import describe_condition, shown
from fathom.offline.queries.query import (
    Aggregate,
    ColumnRef,
    Condition,
    OrderKey,
    Query,
    Star,
    conjuncts,
    mentioned_tables,
)
from fathom.text.identifiers import spoken
from fathom.text.inflection import plural, singular

_VAGUE = frozenset("name title id code type number date status description value".split())
"""Words that say little of a column without its table."""


def told_apart(queries: Sequence[Query]) -> list[str]:
    """A text for each query, without a full stop: what it has that the others haven't, or else all of it."""
    parts = [_parts(q) for q in queries]
    names = [n for n in parts[0] if any(p[n] != parts[0][n] for p in parts)]
    of_rows = {"shown", "compound"} & {*names}
    if len(queries) == 1 or of_rows or len(names) > 2:
        shared = () if len(queries) == 1 else _shared(queries)
        told = [_whole(q, shared) for q in queries]
    else:
        told = [", ".join(filter(None, (_part(q, n, queries) for n in names))) for q in queries]
    if len({*told}) < len(told):
        told = [_whole(q, ()) for q in queries]
    return told


def _parts(query: Query) -> dict[str, object]:
    """Give the parts by which queries are compared, in the order in which people read them."""
    return {
        "shown": query.select,
        "repeats": (query.distinct, frozenset(mentioned_tables(query)) if not query.group else None),
        "where": frozenset(conjuncts(query.where)),
        "group": query.group,
        "having": query.having,
        "order": query.order,
        "limit": (query.limit, query.offset),
        "compound": query.compound or query.source,
    }


def _shared(queries: Sequence[Query]) -> tuple[Condition, ...]:
    first, *others = queries
    return tuple(c for c in conjuncts(first.where) if all(c in conjuncts(q.where) for q in others))


def _whole(query: Query, without: Sequence[Condition]) -> str:
    """All that a query gives, but for conditions that others share."""
    parts = [_shown(query)]
    kept = [c for c in conjuncts(query.where) if c not in without]
    if kept:
        parts.append("where " + " and ".join(_condition(c, query) for c in kept))
    parts += [_part(query, n, ()) for n in ("group", "having")]
    parts.append(_ordered(query))
    if query.compound is not None:
        word = {"except": "but not", "intersect": "that are also"}.get(query.compound.operator, "or")
        parts.append(f"{word} {_whole(query.compound.query, ())}")
    return " ".join(p for p in parts if p)


def _shown(query: Query) -> str:
    if query.source is not None:
        return f"{_items(query)} of ({_whole(query.source, ())})"
    stars = [e for e in query.select if isinstance(e, Star)]
    if stars:
        return f"all about the {_rows(query)}"
    told = _items(query)
    return f"each {told}, once" if query.distinct else told


def _items(query: Query) -> str:
    items = []
    for item in query.select:
        if isinstance(item, Aggregate) and item.function == "count":
            items.append(_counted(item, query))
        else:
            items.append(shown(item, _naming(query)))
    return " and ".join(items[:3]) + (" and more" if len(items) > 3 else "")


def _counted(count: Aggregate, query: Query) -> str:
    match count.argument:
        case ColumnRef(table=table, name=name) if count.distinct:
            return f"the number of different {plural(_called(table.name, name, query))}"
        case _:
            return f"the number of {_rows(query)}"


def _rows(query: Query) -> str:
    """Name the rows that a query reads: "tracks"; "orders with products" where it joins them."""
    tables = [plural(spoken(t.name)) for t in mentioned_tables(query)]
    return " with ".join(dict.fromkeys(tables)) or "rows"


def _part(query: Query, name: str, queries: Sequence[Query]) -> str:  # noqa: PLR0911
    """One part of a query in words; where it has none, that it hasn't."""
    naming = _naming(query)
    if name == "repeats":
        return _repeats(query, queries)
    if name == "where":
        others = _shared(queries) if queries else ()
        own = [_condition(c, query) for c in conjuncts(query.where) if c not in others]
        return "where " + " and ".join(own) if own else "with no further condition"
    if name == "group":
        keys = " and ".join(shown(e, naming) for e in query.group)
        return f"for each {keys}" if keys else ("all together" if queries else "")
    if name == "having":
        return f"only where {describe_condition(query.having, naming)}" if query.having else ""
    if name == "order":
        keys = " and ".join(_key(o, query) for o in query.order)
        return f"by {keys}" if keys else ("in any order" if queries else "")
    if query.limit is None:
        return "all of them" if queries else ""
    return "only the first" if query.limit == 1 else f"the first {query.limit}"


def _ordered(query: Query) -> str:
    """In which order, and how many of them: "the one with the highest price"."""
    if not query.order:
        return _part(query, "limit", ())
    (first, *more) = query.order
    if query.limit is None or more:
        told = [_part(query, "order", ()), _part(query, "limit", ())]
        return ", ".join(t for t in told if t)
    end = "highest" if first.descending else "lowest"
    count = "the one" if query.limit == 1 else f"the {query.limit}"
    return f"- {count} with the {end} {_key_words(first, query)}"


def _repeats(query: Query, queries: Sequence[Query]) -> str:
    rows = [spoken(t.name) for t in mentioned_tables(query)]
    if query.distinct or len(rows) < 2:
        said = {e.table.name for e in query.select if isinstance(e, ColumnRef)}
        return f"each {singular(spoken(said.pop()))} once" if len(said) == 1 else "each once"
    differing = [
        t for t in rows if any(t not in {spoken(o.name) for o in mentioned_tables(q)} for q in queries)
    ]
    return f"once for every {singular(differing[0] if differing else rows[-1])}"


def _key(order: OrderKey, query: Query) -> str:
    return f"{_key_words(order, query)}, {'highest' if order.descending else 'lowest'} first"


def _key_words(order: OrderKey, query: Query) -> str:
    key = order.key
    told = _counted(key, query) if isinstance(key, Aggregate) and key.function == "count" else None
    return (told or shown(key, _naming(query))).removeprefix("the ")


def _condition(condition: Condition, query: Query) -> str:
    return describe_condition(condition, _naming(query))


def _naming(query: Query) -> "partial[str]":
    return partial(_column, query=query)


def _column(column: ColumnRef, query: Query) -> str:
    return _called(column.table.name, column.name, query)


def _called(table: str, name: str, query: Query) -> str:
    """A column's words, with those of its table where they say too little alone."""
    words, owner = spoken(name), singular(spoken(table))
    vague = words.casefold() in _VAGUE
    alone = len({t.name for t in mentioned_tables(query)}) < 2
    if words.casefold().startswith(owner.casefold()) or (alone and not vague):
        return words
    return f"{owner} {words}" if vague else words
