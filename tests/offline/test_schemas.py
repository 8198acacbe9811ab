"""Questions about tables that aren't in the schema whose tables go by their bare names."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from fathom import ask
from tests.databases.makers import Make, duckdb_databases, postgres_databases

SALES = (
    'CREATE SCHEMA "Sales Dept"',
    'CREATE TABLE "Sales Dept".customer (id INTEGER PRIMARY KEY, name VARCHAR(20), city VARCHAR(20))',
    "INSERT INTO \"Sales Dept\".customer VALUES (1, 'Ann', 'Oslo'), (2, 'Bo', 'Paris'), (3, 'Cy', 'Oslo')",
)


@pytest.mark.parametrize("databases", [duckdb_databases, postgres_databases])
def test_tables_of_other_schemas_answer(
    databases: Callable[[Path], AbstractContextManager[Make]], tmp_path: Path
) -> None:
    with databases(tmp_path) as make:
        given = ask("How many customers are from Oslo?", make(*SALES))
    assert given.result is not None, given.text
    assert given.result.rows == ((2,),)
    assert '"Sales Dept"."customer"' in (given.sql or "")
