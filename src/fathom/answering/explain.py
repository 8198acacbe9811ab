"""What a query retrieves, in plain English: written from its parse, so that it can't say what isn't there."""

from collections.abc import Sequence
from typing import Any

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from fathom.answering.phrases import Phrases, join_words


def explain(sql: str, dialect: str) -> str:
    """Say in a few sentences what a query retrieves.

    Sentences follow the order in which a reader thinks: what is shown, from where, which rows, how grouped,
    in which order, how many. Returns an empty text for SQL that can't be parsed.
    """
    try:
        query = sqlglot.parse_one(sql, dialect=dialect)
    except SqlglotError:
        return ""
    return " ".join(_sentences(query)) if isinstance(query, exp.Query) else ""


def _sentences(query: exp.Query) -> list[str]:
    if isinstance(query, exp.SetOperation):
        return _set_operation(query)
    if isinstance(query, exp.Subquery):
        return _sentences(query.this)
    return _select(query) if isinstance(query, exp.Select) else []


_SET_OPERATIONS: dict[type[exp.SetOperation], str] = {
    exp.Intersect: "Keeps only the rows that both of two queries give.",
    exp.Except: "Keeps the rows of the first of two queries that the second doesn't give.",
    exp.Union: "Puts the rows of two queries together.",
}


def _set_operation(query: exp.SetOperation) -> list[str]:
    what = next(text for kind, text in _SET_OPERATIONS.items() if isinstance(query, kind))
    if isinstance(query, exp.Union):
        what = f"{what[:-1]}, {'each row once' if query.args.get('distinct') else 'repeats kept'}."
    parts = [
        f"({i}) {' '.join(_sentences(side))}" for i, side in enumerate((query.this, query.expression), 1)
    ]
    return [what, *parts, *_tail(query, Phrases(_sentences))]


def _select(query: exp.Select) -> list[str]:
    phrases = Phrases.of_query(query, _sentences)
    return [
        *_with(query),
        _shown(query, phrases),
        *_filter("Only rows where", query.args.get("where"), phrases),
        *_grouping(query, phrases),
        *_filter("Only groups where", query.args.get("having"), phrases),
        *_tail(query, phrases),
    ]


def _with(query: exp.Query) -> list[str]:
    return [f"First makes {cte.alias}: {' '.join(_sentences(cte.this))}" for cte in query.ctes]


def _shown(query: exp.Select, phrases: Phrases) -> str:
    items = [phrases.of_item(item) for item in query.expressions]
    only_counts = all(isinstance(item.unalias(), exp.Count) for item in query.expressions)
    counts = only_counts and not query.args.get("group")
    if counts:
        items = [item.removeprefix("the number of ") for item in items]
    repeats = ", each combination once," if query.args.get("distinct") else ""
    told = f"{'Counts' if counts else 'Shows'} {join_words(items)}{repeats}{_source(query, phrases)}"
    return f"{told.rstrip(',')}."


def _source(query: exp.Select, phrases: Phrases) -> str:
    source = query.args.get("from_")
    if source is None:
        return ""
    joins = [phrases.of_join(join) for join in query.args.get("joins") or ()]
    return f" from {', '.join([phrases.of_source(source.this), *joins])}"


def _filter(opening: str, clause: exp.Expression | None, phrases: Phrases) -> list[str]:
    return [f"{opening} {phrases.of(clause.this)}."] if clause is not None else []


def _grouping(query: exp.Select, phrases: Phrases) -> list[str]:
    group = query.args.get("group")
    if group is None or not group.expressions:
        return []
    keys = [phrases.of(_ordinal(key, query.expressions)) for key in group.expressions]
    return [f"One row for each {join_words(keys)}."]


def _ordinal(key: Any, items: Sequence[Any]) -> Any:
    """`GROUP BY 2` means the second item shown."""
    if isinstance(key, exp.Literal) and not key.is_string and 0 < int(key.this) <= len(items):
        return items[int(key.this) - 1].unalias()
    return key


def _tail(query: exp.Query, phrases: Phrases) -> list[str]:
    order, limit, offset = (query.args.get(part) for part in ("order", "limit", "offset"))
    items = getattr(query, "expressions", [])
    said = []
    if order is not None:
        keys = [
            f"{phrases.of(_ordinal(key.this, items))} ({'high' if key.args.get('desc') else 'low'}est first)"
            for key in order.expressions
        ]
        said.append(f"Sorted by {join_words(keys, 'then')}.")
    if offset is not None:
        said.append(f"Leaves out the first {phrases.of(offset.expression)}.")
    if limit is not None:
        count = limit.expression if limit.expression is not None else limit.args.get("count")
        number = phrases.of(count)
        said.append("Only the first row." if number == "1" else f"Only the first {number} rows.")
    return said


def shown_items(sql: str, dialect: str) -> list[str]:
    """A phrase for each column that a query shows, or none where it can't be told (`SELECT *`)."""
    try:
        query = sqlglot.parse_one(sql, dialect=dialect)
    except SqlglotError:
        return []
    while isinstance(query, exp.SetOperation | exp.Subquery):
        query = query.this
    if not isinstance(query, exp.Select) or query.is_star:
        return []
    phrases = Phrases.of_query(query, _sentences)
    return [item.alias if isinstance(item, exp.Alias) else phrases.of(item) for item in query.expressions]
