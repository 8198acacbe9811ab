"""Answers that there is nobody: who is above the one at the top, or below whom nobody is."""

from fathom.errors import QueryError
from fathom.offline.checks.trial_runs import brief
from fathom.offline.engine import OfflineEngine
from fathom.offline.queries.query import ColumnRef, ComparisonPredicate, Query, Subquery, Unrepresentable
from fathom.offline.queries.rows import RowNames
from fathom.records import Assumption, Result


def finds_nobody(query: Query, result: Result | None, engine: OfflineEngine) -> bool:
    """True if rows that others refer to are none, though the row from which the query leads is there."""
    if result is None or result.rows or (inner := _inner(query)) is None:
        return False
    try:
        sql = engine.sql_of(inner)
        return bool(engine.database.run(sql, brief(engine.database), trusted=True).rows)
    except (Unrepresentable, QueryError):
        return False


def told_of_nobody(query: Query, result: Result | None, names: RowNames) -> tuple[Assumption, ...]:
    """Give a remark where a query along a key within a table finds nobody."""
    inner = _inner(query)
    if result is None or result.rows or inner is None:
        return ()
    match query.where, inner.select:
        case ComparisonPredicate(left=ColumnRef() as asked), (ColumnRef() as given,):
            key = asked if asked not in names.key_of(asked.table) else given
            return (Assumption("default", f"Nobody is recorded there in {key.table.name}.{key.name}."),)
    return ()


def _inner(query: Query) -> Query | None:
    match query.where:
        case ComparisonPredicate(operator="in", right=Subquery(query=inner)):
            return inner
    return None
