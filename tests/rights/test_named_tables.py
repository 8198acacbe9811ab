"""Where queries name tables, held against the tokens of sqlglot."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import TokenError
from sqlglot.tokenizer_core import TokenType

from fathom.rights.named_tables import NamedTable, NamedTables

_DIALECTS = ("sqlite", "duckdb", "postgres", "mysql", "bigquery", "snowflake", "spark", "trino")
_NAMES = frozenset(("orders", "order details", 'x"orders', "größe"))
_QUERIES = (
    "SELECT T1.name FROM customers AS T1 JOIN orders AS T2 ON T1.id = T2.customer_id WHERE T2.price >= 1.5",
    "SELECT count(*) FROM orders WHERE city = 'FROM orders' AND name <> 'O''Brien FROM orders' LIMIT 3",
    'SELECT p."id" FROM "Orders" p LEFT JOIN "Order Details" d ON p."id" = d."with"',
    'SELECT orders.id, my.orders, orders_of.x FROM orders, "orders" GROUP BY orders',
    "SELECT max(x) FROM orders ORDER BY 1",
    "SELECT x FROM (SELECT id FROM orders) JOIN orders USING (id)",
    'SELECT "a""b" FROM "x""orders" "q"',
    "SELECT `id` FROM `orders` o, `or``ders` WHERE name = \"x FROM orders\"",
    r"SELECT 'it\s FROM orders' FROM orders",
    "SELECT $$ FROM orders $$ FROM orders -- FROM orders",
    "SELECT 1 /* FROM orders */ FROM [orders] GROUP BY city ORDER BY 1",
    "SELECT x'41', 1e5, a||b FROM größe WHERE ß = 'ß'",
    "SELECT 1 FROM orders -- FROM orders",
    "SELECT 1 /* FROM orders */ FROM orders",
    "SELECT 1 FROM [order details]",
    "SELECT $$ FROM orders $$ FROM orders",
    "SELECT 1 FROM orders # FROM orders",
    "SELECT @ FROM orders",
    """SELECT "it's" FROM orders WHERE "x's" = 'orders'""",
    'SELECT "orders x", "x orders", "x" FROM "orders"',
    "SELECT 1 FROM order details, myorders, orders2 xfrom orders",
    "SELECT orders, EXTRACT(YEAR FROM orders.x) FROM schema1.orders",
)  # fmt: skip


def _wanted(sql: str, dialect: str) -> list[NamedTable] | None:
    tokens = Dialect.get_or_raise(dialect).tokenize(sql)
    kinds = [None, *(t.token_type for t in tokens), None]
    if TokenType.WITH in kinds:
        return None
    return [
        NamedTable(
            token.text,
            kinds[at] is TokenType.IDENTIFIER,
            token.start,
            token.end + 1,
            introduced=kinds[at - 1] in (TokenType.FROM, TokenType.JOIN),
            qualified=kinds[at - 1] is TokenType.DOT,
            qualifies=kinds[at + 1] is TokenType.DOT,
            aliased=kinds[at + 1] in (TokenType.ALIAS, TokenType.VAR, TokenType.IDENTIFIER),
        )
        for at, token in enumerate(tokens, 1)
        if kinds[at] is not TokenType.STRING and token.text.casefold() in _NAMES
    ]


@pytest.mark.parametrize("dialect", _DIALECTS)
@pytest.mark.parametrize("sql", _QUERIES)
def test_tables_are_named_where_sqlglot_finds_them(sql: str, dialect: str) -> None:
    assert NamedTables(_NAMES, dialect).of(sql) == _wanted(sql, dialect)


@pytest.mark.parametrize("dialect", _DIALECTS)
@given(
    st.lists(
        st.sampled_from(
            (
                *(
                    "SELECT",
                    "FROM",
                    "JOIN",
                    "AS",
                    "WITH",
                    "orders",
                    "customers",
                    "a",
                    ".",
                    ",",
                    "(",
                    ")",
                    "1",
                ),
                *("'", "''", '"', '""', "`", "``", "\\", "--", "/*", "*/", "$$", "[", "]", "#", "\n", "="),
                *('"orders"', "`orders`", "'orders'", "GROUP BY", "LIMIT", "N'x'", "::", "||", "@", ":x"),
                *("FROM orders", "JOIN Orders", "orders.", ".orders", "ORDERS o", "größe"),
            )
        ),
        max_size=14,
    )
)
def test_no_name_is_missed(dialect: str, parts: list[str]) -> None:
    sql = " ".join(parts)
    try:
        wanted = _wanted(sql, dialect)
    except TokenError:  # no engine is asked what can't be cut
        return
    found = NamedTables(_NAMES, dialect).of(sql)
    assert found is None or wanted is not None or not any(n in sql.casefold() for n in _NAMES)
    if found is not None and wanted is not None:
        key = [(t.start, t.end, t.introduced, t.qualified, t.qualifies) for t in found]
        assert {(t.start, t.end, t.introduced, t.qualified, t.qualifies) for t in wanted} <= set(key), repr(
            sql
        )


def test_a_text_ends_where_its_dialect_says() -> None:
    sql = r"SELECT 'it\'s FROM orders'"
    assert NamedTables(_NAMES, "mysql").of(sql) == []
    with pytest.raises(TokenError):
        NamedTables(_NAMES, "postgres").of(sql)


def test_queries_that_name_none_are_not_read() -> None:
    assert NamedTables((), "sqlite").of("WITH a AS (SELECT 1) SELECT * FROM 'a") == []
