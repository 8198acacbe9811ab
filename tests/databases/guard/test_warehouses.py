"""The lists of engines that can't be had here: what attacks is refused, whatever its clothes; reads pass."""

from contextlib import suppress
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.databases.guard.test_guard import cases, listed, words_of

from fathom.databases.guard import check
from fathom.databases.guard.words import names_of
from fathom.errors import QueryRefused

WAREHOUSES = ("trino", "bigquery", "snowflake")
ATTACKS = [(dialect, sql) for dialect in WAREHOUSES for sql in listed("attacks", dialect)]
# Comments get lost in other clothes, and quotes that touch come apart.
DRESSED = [(d, s) for d, s in ATTACKS if not any(sign in s for sign in ("/*", "//", "#", "''", '""'))]
READS = [(dialect, sql) for dialect in WAREHOUSES for sql in listed("reads", dialect)]
NOT_ITS_OWN = {
    "bigquery": {"UNION", "EXCEPT", "INTERSECT", "'it''s',"},  # it wants UNION ALL or DISTINCT, and \\'
    "snowflake": {"WINDOW"},
}
"""Words that a dialect doesn't have so."""
SHARED = [
    (dialect, str(sql))
    for dialect in WAREHOUSES
    for _, sql in cases("allowed", "shared")
    if not set(str(sql).split()) & NOT_ITS_OWN.get(dialect, set())
]


@pytest.mark.parametrize(("dialect", "sql"), ATTACKS)
def test_attacks_are_refused(dialect: str, sql: str) -> None:
    with pytest.raises(QueryRefused):
        check(sql, dialect)


@pytest.mark.parametrize("dialect", WAREHOUSES)
def test_the_lists_are_long_enough_and_hold_nothing_twice(dialect: str) -> None:
    attacks, reads = listed("attacks", dialect), listed("reads", dialect)
    assert len(set(attacks)) == len(attacks) >= 150
    assert len(set(reads)) == len(reads) >= 40


@pytest.mark.parametrize(("dialect", "sql"), [*READS, *SHARED])
def test_honest_reads_pass(dialect: str, sql: str) -> None:
    check(sql, dialect)


@pytest.mark.parametrize("dialect", WAREHOUSES)
def test_attacks_wrapped_in_a_query_are_refused(dialect: str) -> None:
    wraps = (
        "EXPLAIN {}",
        "EXPLAIN ANALYZE {}",
        "({})",
        "WITH x AS ({}) SELECT * FROM x",
    )
    passed = []
    begins = ("SELECT", "INSERT", "UPDATE", "DELETE", "MERGE", "CALL", "WITH", "EXECUTE", "CREATE", "DROP")
    for sql in (a for a in listed("attacks", dialect) if a.startswith(begins)):
        for wrapped in (wrap.format(sql) for wrap in wraps):
            try:
                check(wrapped, dialect)
            except QueryRefused:
                continue
            passed.append(wrapped)
    assert passed == []


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from(DRESSED),
    st.randoms(use_true_random=False),
)
def test_attacks_stay_refused_in_other_clothes(attack: tuple[str, str], random: Random) -> None:
    dialect, sql = attack
    try:
        words = words_of(sql, dialect)
    except Exception:  # what sqlglot can't split, the guard refuses as it is
        words = [sql]
    gaps = (" ", "\n", "\t", " /* x */ ", "/**/", " -- x\n", "\r\n", "\u00a0")
    dressed = "".join(
        random.choice(gaps) + (w if set(w) & set("'\"`$\\") else random.choice((w.upper(), w.lower(), w)))
        for w in words
    )
    with pytest.raises(QueryRefused):
        check(dressed, dialect)


ARGUMENTS = (
    "a",
    "a, b",
    "a, b, c",
    "a, b, c, d",
    "ROWCOUNT => 1",
    "",
    "'day', a, b",
    "x -> x, a",
    "a, x -> x",
    "a AS integer",
    "year FROM a",
    "a, INTERVAL 1 DAY",
)


@pytest.mark.parametrize("dialect", WAREHOUSES)
def test_every_function_on_the_list_can_be_called(dialect: str) -> None:
    """A name that the parser turns into a kind that is refused would be on the list for nothing."""
    unusable = []
    for name in sorted(names_of(dialect).functions):
        for arguments in ARGUMENTS:
            with suppress(QueryRefused):
                check(f"SELECT {name}({arguments}) FROM t", dialect)
                break
        else:
            unusable.append(name)
    assert unusable == []


@pytest.mark.parametrize(
    ("dialect", "query"),
    [
        ("mysql", "(SELECT authentication_string FROM mysql.user LIMIT 1)"),
        ("mysql", "(WITH a AS (VALUES ROW(1)) SELECT authentication_string FROM mysql.user)"),
        ("mysql", "(TABLE mysql.user)"),
        ("trino", "(SELECT query FROM system.runtime.queries)"),
        ("spark", "(SELECT 1 FROM csv.`/etc/passwd`)"),
    ],
)
def test_a_query_behind_the_arguments_that_a_call_takes_is_refused(dialect: str, query: str) -> None:
    check("SELECT date_format(day, 'x') FROM kept WHERE id IN (SELECT id FROM sales)", dialect)
    with pytest.raises(QueryRefused):
        check(f"SELECT date_format(day, 'x', {query}) FROM kept", dialect)
