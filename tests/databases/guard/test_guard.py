from collections.abc import Iterator
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlglot import exp
from sqlglot.dialects.dialect import Dialect

from fathom.databases.guard import check
from fathom.errors import ErrorClass, QueryRefused

HERE = Path(__file__).parent
DIALECTS = ("sqlite", "duckdb", "postgres", "mysql", "spark")
WAREHOUSES = ("bigquery", "snowflake", "trino", "databricks")


def cases(kind: str, name: str) -> Iterator[tuple[str, str]]:
    content = yaml.safe_load((HERE / f"{kind}_{name}.yaml").read_text(encoding="utf-8"))
    for group, statements in content.items():
        for statement in statements:
            yield group, statement


def listed(kind: str, dialect: str) -> list[str]:
    """Statements for the test tables: `attacks`, which are refused there, or `reads`, which give rows."""
    found: list[str] = yaml.safe_load((HERE / f"{kind}_{dialect}.yaml").read_text(encoding="utf-8"))
    return found


REFUSED = [
    (dialect, rule, sql)
    for dialect in DIALECTS
    for name in ("shared", dialect)
    for rule, sql in cases("refused", name)
]


@pytest.mark.parametrize(("dialect", "rule", "sql"), REFUSED)
def test_refuses_with_the_rule(dialect: str, rule: str, sql: str) -> None:
    with pytest.raises(QueryRefused) as refused:
        check(sql, dialect)
    assert refused.value.rule == rule, refused.value
    assert refused.value.sql == sql
    assert refused.value.reason


@pytest.mark.parametrize("dialect", WAREHOUSES)
@pytest.mark.parametrize(("rule", "sql"), list(cases("refused", "shared")))
def test_warehouses_are_as_strict(dialect: str, rule: str, sql: str) -> None:
    with pytest.raises(QueryRefused):
        check(sql, dialect)


@pytest.mark.parametrize("dialect", ["tsql", "clickhouse"])
def test_a_dialect_without_lists_is_refused(dialect: str) -> None:
    with pytest.raises(QueryRefused, match="no lists") as refused:
        check("SELECT name FROM customer", dialect)
    assert refused.value.rule == "dialect"


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("sql", ["", "SELECT 'open", "SELECT FROM WHERE", "Here is your query"])
def test_what_is_no_sql_counts_as_a_syntax_error(sql: str, dialect: str) -> None:
    with pytest.raises(QueryRefused) as refused:
        check(sql, dialect)
    assert refused.value.error_class == ErrorClass.SYNTAX


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    "sql",
    [
        "('x')",
        "(SELECT 1).a",
        "(1, 2)",
        "TABLE || 'x'",
        "TABLE glob('/x')",
        "FROM := kept",
        "(x) y",
        "TABLE",
        "TABLE ? 1",
    ],
)
def test_a_value_is_no_query(sql: str, dialect: str) -> None:
    with pytest.raises(QueryRefused):
        check(sql, dialect)


def test_gives_the_parsed_query() -> None:
    assert isinstance(check("SELECT 1;", "sqlite"), exp.Select)
    explained = check("EXPLAIN ANALYZE SELECT 1", "postgres")
    assert isinstance(explained, exp.Describe)
    assert isinstance(explained.this, exp.Select)


PARSED_ATTACKS = [(d, s) for d, rule, s in REFUSED if rule in {"write", "function", "lock", "file", "size"}]
HONEST = [(d, str(s)) for d in DIALECTS for name in ("shared", d) for _, s in cases("allowed", name)]


@pytest.mark.parametrize(("dialect", "sql"), HONEST)
def test_lets_honest_queries_through(dialect: str, sql: str) -> None:
    assert isinstance(check(sql, dialect), exp.Expr)


def words_of(sql: str, dialect: str) -> list[str]:
    tokens = Dialect.get_or_raise(dialect).tokenize(sql)
    ends = [0, *(t.end + 1 for t in tokens)]
    return [sql[start:end] for start, end in pairwise(ends)]


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(PARSED_ATTACKS), st.randoms(use_true_random=False))
def test_attacks_stay_refused_in_other_clothes(attack: tuple[str, str], random: Random) -> None:
    dialect, sql = attack
    gaps = (" ", "\n", "\t", " /* x */ ", "/**/", " -- x\n", "\r\n", "\u00a0", "\u200b", " /*!*/ ")
    dressed = "".join(
        random.choice(gaps) + (w if set(w) & set("'\"`$\\") else random.choice((w.upper(), w.lower(), w)))
        for w in words_of(sql, dialect)
    )
    with pytest.raises(QueryRefused):
        check(dressed, dialect)


@settings(max_examples=400, deadline=None)
@given(st.sampled_from(HONEST), st.randoms(use_true_random=False), st.text(max_size=3))
def test_spoilt_queries_are_judged_without_a_crash(
    honest: tuple[str, str], random: Random, noise: str
) -> None:
    dialect, sql = honest
    start = random.randrange(len(sql) + 1)
    spoilt = sql[:start] + noise + sql[start + random.randrange(4) :]
    with suppress(QueryRefused):
        check(spoilt, dialect)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("nest", ["(", "NOT ", "- ", "abs(", "CASE WHEN ", "(SELECT ", "["])
def test_deep_nesting_is_refused(nest: str, dialect: str) -> None:
    with pytest.raises(QueryRefused):
        check("SELECT " + nest * 20_000 + "1", dialect)
