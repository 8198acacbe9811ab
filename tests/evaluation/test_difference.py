import pytest

from fathom.evaluation.difference import differences

SAME = [
    ("SELECT a FROM t", "select T1.`a` from t as T1"),
    ("SELECT a FROM t JOIN u ON t.i = u.j", "SELECT x.a FROM t x JOIN u y ON y.j = x.i"),
    ("SELECT a FROM t WHERE b = 1 AND c = 2", "SELECT a FROM t WHERE (c = 2) AND (1 = b)"),
    ("SELECT a AS n FROM t", "SELECT a FROM t"),
]
DIFFERENT = [
    ("SELECT a FROM t", "SELECT a FROM t WHERE p < 5e-8", ["filters: without p < 5e-8"]),
    ("SELECT a FROM t WHERE p < 1", "SELECT a FROM t WHERE p < 2", ["filters: without p < 2, with p < 1"]),
    ("SELECT DISTINCT a FROM t", "SELECT a FROM t", ["distinct: with DISTINCT"]),
    (
        "SELECT SUM(a) FROM t GROUP BY b",
        "SELECT AVG(a) FROM u GROUP BY b",
        ["tables: without u, with t", "select: without AVG(a), with SUM(a)"],
    ),
    ("SELECT a FROM t LIMIT 3", "SELECT a FROM t LIMIT 1", ["limit: without 1, with 3"]),
    (
        "SELECT a FROM t ORDER BY b",
        "SELECT a FROM t ORDER BY b DESC",
        ["order by: without b DESC, with b"],
    ),
    (
        "SELECT a FROM t WHERE b > (SELECT MAX(c) FROM u)",
        "SELECT a FROM t WHERE b > (SELECT MIN(c) FROM u)",
        ["select: without MIN(c), with MAX(c)"],
    ),
    ("SELECT a FROM t UNION SELECT b FROM t", "SELECT a FROM t EXCEPT SELECT b FROM t",
     ["set operations: without except, with union"]),
]  # fmt: skip


@pytest.mark.parametrize(("sql", "other"), SAME)
def test_spelling_is_no_difference(sql: str, other: str) -> None:
    assert differences(sql, other, "sqlite") == ()


@pytest.mark.parametrize(("sql", "other", "told"), DIFFERENT)
def test_differences_are_told_by_clause(sql: str, other: str, told: list[str]) -> None:
    found = differences(sql, other, "sqlite")
    assert found is not None
    assert [str(d) for d in found] == told


def test_what_cannot_be_parsed_is_not_compared() -> None:
    assert differences("SELECT FROM (", "SELECT 1") is None
