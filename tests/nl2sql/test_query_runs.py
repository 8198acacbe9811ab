import asyncio

from fathom.methods import Context
from fathom.nl2sql.query_runs import QueryRun, Status, execute, preview
from fathom.nl2sql.voting import clusters, same_bag, same_set, same_text
from fathom.records import Result


def run(context: Context, sql: str) -> QueryRun:
    return asyncio.run(execute(context, sql, rows=2))


def test_each_outcome_has_its_status(context: Context) -> None:
    assert run(context, "SELECT symbol FROM gene WHERE id = 1").status is Status.OK
    assert run(context, "SELECT symbol FROM gene WHERE id = 9").status is Status.EMPTY
    assert run(context, "SELECT length FROM gene WHERE id = 3").status is Status.HAS_NULL
    failed = run(context, "SELECT nme FROM gene")
    assert failed.status is Status.ERROR
    assert "nme" in preview(failed)
    assert run(context, "DROP TABLE gene").status is Status.ERROR
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT COUNT(*) FROM n"
    assert asyncio.run(execute(context, endless, seconds=0.2)).status is Status.TIMED_OUT
    assert (
        preview(run(context, "SELECT symbol FROM gene ORDER BY id"), rows=1) == "symbol\nAPOE\n(1+ more rows)"
    )


def outcome(*rows: tuple[object, ...]) -> QueryRun:
    return QueryRun("", Status.OK, Result((), rows, "", 0.0))


def test_results_are_equal_in_three_ways() -> None:
    pairs = [
        (outcome((1, "a"), (2, "b")), outcome(("b", 2), ("a", 1))),
        (outcome((1,), (1,)), outcome((1,))),
        (outcome((1,), (2,)), outcome((2,), (1,))),
        (outcome(), outcome()),
    ]
    found = [
        tuple(same(a.result, b.result) for same in (same_bag, same_set, same_text) if a.result and b.result)
        for a, b in pairs
    ]
    assert found == [(True, False, False), (False, True, False), (True, True, False), (True, True, True)]


def test_the_largest_cluster_comes_first_and_failures_vote_for_nothing() -> None:
    failed = QueryRun("", Status.ERROR, error="no such column")
    found = clusters([outcome((1,)), failed, outcome((2,)), outcome((2,)), failed, outcome((1,), (1,))])
    assert found == [[2, 3], [0], [5]]
