from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from sqlglot import exp

from fathom.databases.guard import check
from fathom.errors import ErrorClass, QueryRefused

HERE = Path(__file__).parent
DIALECTS = ("sqlite", "duckdb", "postgres", "mysql")
UNLISTED = ("bigquery", "snowflake", "trino", "spark")


def cases(kind: str, name: str) -> Iterator[tuple[str, str]]:
    content = yaml.safe_load((HERE / f"{kind}_{name}.yaml").read_text(encoding="utf-8"))
    for group, statements in content.items():
        for statement in statements:
            yield group, statement


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


@pytest.mark.parametrize("dialect", UNLISTED)
@pytest.mark.parametrize(("rule", "sql"), list(cases("refused", "shared")))
def test_dialects_without_lists_are_as_strict(dialect: str, rule: str, sql: str) -> None:
    with pytest.raises(QueryRefused):
        check(sql, dialect)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("sql", ["", "SELECT 'open", "SELECT FROM WHERE", "Here is your query"])
def test_what_is_no_sql_counts_as_a_syntax_error(sql: str, dialect: str) -> None:
    with pytest.raises(QueryRefused) as refused:
        check(sql, dialect)
    assert refused.value.error_class == ErrorClass.SYNTAX


def test_gives_the_parsed_query() -> None:
    assert isinstance(check("SELECT 1;", "sqlite"), exp.Select)
    explained = check("EXPLAIN ANALYZE SELECT 1", "postgres")
    assert isinstance(explained, exp.Describe)
    assert isinstance(explained.this, exp.Select)
