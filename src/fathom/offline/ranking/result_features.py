"""Features of a query's result: do the rows look like an answer to the question?"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fathom.offline.queries.query import Aggregate, Query, all_queries, comparisons, expressions
from fathom.records import Result

_LOOKED_AT = 200
OUTCOME = (
    *("failed", "empty", "one_row", "rows", "columns", "nulls", "zero", "repeats", "numbers", "dates"),
    *("cut", "skipped", "agreement", "agreement_share"),
)
SHAPE = (
    *("select", "tables", "joins", "conditions", "or", "negative", "group", "having", "order", "descending"),
    *("limit", "distinct", "count", "sum", "average", "extremes", "subqueries", "compound", "length"),
)


@dataclass(frozen=True, slots=True)
class QueryOutcome:
    """The outcome of running a query: its result, or None where it failed, or wasn't tried (`skipped`).

    `digest` is equal for equal rows, in any order of rows and columns.
    """

    result: Result | None
    digest: str = ""
    skipped: bool = False

    @classmethod
    def of(cls, result: Result | None, *, skipped: bool = False) -> "QueryOutcome":
        """The outcome of a result."""
        if result is None:
            return cls(None, skipped=skipped)
        rows = sorted(repr(sorted(map(repr, row))) for row in result.rows[: 10 * _LOOKED_AT])
        return cls(result, hashlib.md5("\n".join(rows).encode(), usedforsecurity=False).hexdigest())


def outcome_features(outcomes: Sequence[QueryOutcome], weights: Sequence[float]) -> list[tuple[float, ...]]:
    """Features of each outcome in the order of `OUTCOME`; `weights` are the candidates' prior shares."""
    agreeing: dict[str, float] = {}
    voters: dict[str, int] = {}
    for outcome, weight in zip(outcomes, weights, strict=True):
        if outcome.digest:
            agreeing[outcome.digest] = agreeing.get(outcome.digest, 0.0) + weight
            voters[outcome.digest] = voters.get(outcome.digest, 0) + 1
    return [
        (
            *_alone(o.result),
            float(o.skipped),
            float(np.log1p(voters.get(o.digest, 0))),
            agreeing.get(o.digest, 0.0),
        )
        for o in outcomes
    ]


def _alone(result: Result | None) -> tuple[float, ...]:
    if result is None:
        return 1.0, *(0.0,) * 10
    rows = result.rows[:_LOOKED_AT]
    cells = [c for row in rows for c in row]
    filled = max(len(cells), 1)
    text = [c for c in cells if isinstance(c, str)]
    return (
        0.0,
        float(not rows),
        float(len(rows) == 1),
        float(np.log1p(len(result.rows))),
        float(len(result.columns)),
        sum(c is None for c in cells) / filled,
        float(len(cells) == 1 and cells[0] == 0),
        1 - len(set(map(repr, rows))) / max(len(rows), 1),
        sum(isinstance(c, int | float) for c in cells) / filled,
        sum(len(t) >= 8 and t[:4].isdigit() and t[4:5] in "-/" for t in text) / filled,
        float(result.truncated is not None),
    )


def shape_features(query: Query, tables: int, joins: int, words: int) -> tuple[float, ...]:
    """Features of a query's shape in the order of `SHAPE`."""
    parts = list(all_queries(query))
    conditions = [c for p in parts for clause in (p.where, p.having) for c in comparisons(clause)]
    functions = [e.function for p in parts for e in expressions(p) if isinstance(e, Aggregate)]
    either = sum(_disjunctive(p) for p in parts)
    compound = query.compound.operator if query.compound is not None else ""
    return (
        len(query.select),
        tables,
        joins,
        len(conditions),
        either,
        sum(c.operator.startswith("not") or c.operator == "!=" for c in conditions),
        sum(len(p.group) for p in parts),
        sum(p.having is not None for p in parts),
        sum(bool(p.order) for p in parts),
        sum(o.descending for p in parts for o in p.order),
        float(query.limit or 0),
        float(any(p.distinct for p in parts)),
        functions.count("count"),
        functions.count("sum"),
        functions.count("avg"),
        functions.count("min") + functions.count("max"),
        len(parts) - 1,
        {"": 0.0, "union": 1.0, "union all": 1.0, "intersect": 2.0, "except": 3.0}[compound],
        words,
    )


def _disjunctive(query: Query) -> bool:
    kinds = [getattr(c, "kind", "") for c in (query.where, query.having)]
    return "or" in kinds
