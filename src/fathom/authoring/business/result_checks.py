"""Checks of a business question by what its queries return: whether the rows decide what is asked."""

from collections import Counter
from collections.abc import Callable
from typing import Any

from sqlglot import parse_one

from fathom.authoring.business.shapes import SHAPES, Binding, query
from fathom.databases.database import Database
from fathom.errors import QueryError
from fathom.records import Limits, Result

_SECONDS = 10.0
_ROWS = 5_000
_FEWEST_PERIODS = 3
_FEWEST_GROUPS = 3
"""Of two groups one is the larger, which nobody asks as "which of all"."""
_TOP = 10
_DIGITS = 6
"""Sums of decimals differ behind these where the amounts are the same."""
_CUT = ("best_group", "worst_groups", "highest_groups", "top_entities")
_IN_EACH = ("best_in_each", "least_in_each", "rank_in_group", "best_each_period")
_ONE_ROW = ("spread", "top_share")
_FEW_ROWS = ("", "above_average", "best_period")


def decides(shape: str, bound: Binding, database: Database) -> bool:
    """True if a shape's query runs and its rows answer its question.

    False where fewer than three groups are compared, all are alike, several tie at the cut, "the ten leading"
    are all there are, or a group has one candidate.
    """
    run = _runner(database)
    try:
        result = run(query(shape, database, bound))
        if not has_answer(result, shape):
            return False
        if shape in _CUT:
            return _cut_is_clear(run, query(shape, database, bound), database)
        if shape == "top_share":
            return len(run(query("entity_counts", database, bound)).rows) > _TOP
        if shape in _IN_EACH:
            return _candidates_compete(run, result, shape, bound, database)
    except QueryError:
        return False
    return _groups_differ(result, shape)


def has_answer(result: Result, shape: str = "") -> bool:
    """True if rows hold an answer: no unknown values alone, and enough rows for what is compared."""
    if not result.rows or all(value is None for row in result.rows for value in row):
        return False
    if shape in _ONE_ROW or shape in _FEW_ROWS or shape in _CUT:
        return True
    if "period" in SHAPES[shape].by:
        return len(result.rows) >= _FEWEST_PERIODS
    return len(result.rows) >= (_FEWEST_GROUPS if SHAPES[shape].by == ("group",) else 2)


def _runner(database: Database) -> Callable[[str], Result]:
    return lambda sql: database.run(sql, Limits(seconds=_SECONDS, rows=_ROWS))


def _cut_is_clear(run: Callable[[str], Result], sql: str, database: Database) -> bool:
    """True if more groups are there than are shown, and the last one shown differs from the next."""
    tree = parse_one(sql, dialect=database.dialect)
    limit = int(tree.args["limit"].expression.to_py())
    tree.set("limit", None)
    values = [_rounded(row[1]) for row in run(tree.sql(dialect=database.dialect)).rows]
    return len(values) >= max(_FEWEST_GROUPS, limit + 1) and bool(values[limit - 1] != values[limit])


def _candidates_compete(
    run: Callable[[str], Result], result: Result, shape: str, bound: Binding, database: Database
) -> bool:
    """True if most groups have two candidates, the first isn't the same in all, and none is shared."""
    every = run(query("group_trend" if shape == "best_each_period" else "by_two", database, bound)).rows
    place = 1 if shape == "best_each_period" else 0
    candidates = Counter(row[place] for row in every)
    several = sum(n > 1 for n in candidates.values())
    firsts = Counter(row[0] for row in result.rows)
    most = 2 if shape == "rank_in_group" else 1
    return (
        2 * several > len(candidates)
        and max(firsts.values()) <= most
        and len({row[1] for row in result.rows}) > most
    )


def _groups_differ(result: Result, shape: str) -> bool:
    """True if the groups' values aren't all the same: where each counts 1 there is nothing to tell."""
    if not SHAPES[shape].by or SHAPES[shape].pairs or "period" in SHAPES[shape].by:
        return True
    place = len(SHAPES[shape].by)
    values = [_rounded(row[place]) for row in result.rows if len(row) > place]
    return len(values) < 2 or len(set(values)) > 1


def _rounded(value: Any) -> Any:
    return round(float(value), _DIGITS) if isinstance(value, int | float) else value
