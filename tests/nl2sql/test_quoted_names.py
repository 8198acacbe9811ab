"""Names as prompts show them, used by real engines."""

import sqlite3

import duckdb
import pytest

from fathom.nl2sql.quoted_names import quoted

KEYWORDS = """
    order group From user table index end values to limit check default references primary transaction
    key rank date Range interval ties No select where join on case when
""".split()


@pytest.mark.parametrize("name", [*KEYWORDS, "size in cm", "1st", "it's", 'a"b'])
@pytest.mark.parametrize("dialect", ["sqlite", "duckdb"])
def test_an_engine_reads_it_as_a_name(name: str, dialect: str) -> None:
    shown = quoted(name, dialect)
    made = sqlite3.connect(":memory:") if dialect == "sqlite" else duckdb.connect()
    made.execute(f"CREATE TABLE {shown} ({shown} INTEGER)")
    made.execute(f"INSERT INTO {shown} VALUES (7)")
    asked = made.execute(f"SELECT t.{shown}, {shown} FROM {shown} AS t WHERE {shown} = 7")
    assert asked.description is not None
    assert asked.fetchall() == [(7, 7)]
    assert [d[0] for d in made.execute(f"SELECT * FROM {shown}").description or ()] == [name]
    made.close()


def test_a_plain_name_stays_bare() -> None:
    assert [quoted(n, "sqlite") for n in ("customers", "Order_Date", "main.customers")] == [
        "customers",
        "Order_Date",
        "main.customers",
    ]
    assert quoted("sales.order", "postgres") == 'sales."order"'
