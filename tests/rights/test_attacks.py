"""SQL that tries to reach what is hidden, on four engines."""

import tomllib
from pathlib import Path

import pytest

from fathom.databases import Database
from fathom.errors import QueryError
from fathom.rights import Grant, Granted
from tests.databases.makers import postgres_databases
from tests.rights.conftest import Shop
from tests.rights.world import CANARIES, HIDDEN_COLUMN, HIDDEN_TABLE, HIDDEN_VIEW

CASES = tomllib.loads(Path(__file__).with_name("attacks.toml").read_text(encoding="utf-8"))
NOTHING = ("qlomancyx", "vorquexz", "mul_wiev")
"""Names that nothing has, as long and as strange as the hidden ones."""


def lines(kind: str) -> list[str]:
    return [line for line in CASES[kind].splitlines() if line.strip()]


def filled(statement: str, table: str, column: str, view: str) -> str:
    return statement.replace("{{}}", "{}").replace("{T}", table).replace("{C}", column).replace("{V}", view)


def told(database: Database, sql: str) -> str:
    """The rows of a query, or what its error says."""
    try:
        result = database.run(sql)
    except QueryError as error:
        return f"{type(error).__name__} {error.error_class}: {error}"
    return f"{result.columns} {result.rows}"


def without(text: str, *names: str) -> str:
    """The text with what the statement itself named taken out."""
    for name in names:
        text = text.casefold().replace(name.casefold(), "~")
    return text


def attacks(shop: Shop) -> list[str]:
    return [*lines("all"), *lines(shop.whole.dialect)]


def test_there_are_enough() -> None:
    assert all(len(lines("all")) + len(lines(e)) >= 60 for e in ("sqlite", "duckdb", "postgres", "mysql"))


def test_no_statement_reaches_what_is_hidden(shop: Shop) -> None:
    for statement in attacks(shop):
        sql = filled(statement, HIDDEN_TABLE, HIDDEN_COLUMN, HIDDEN_VIEW)
        said = without(told(shop.seen, sql), sql, HIDDEN_TABLE, HIDDEN_COLUMN, HIDDEN_VIEW)
        leaked = [c for c in CANARIES if c.casefold() in said]
        assert not leaked, (sql, said)


def test_a_hidden_name_is_told_of_as_one_that_nothing_has(shop: Shop) -> None:
    for statement in attacks(shop):
        names = (HIDDEN_TABLE, HIDDEN_COLUMN, HIDDEN_VIEW)
        hidden = without(told(shop.seen, filled(statement, *names)), *names)
        missing = without(told(shop.seen, filled(statement, *NOTHING)), *NOTHING)
        assert hidden == missing, statement


def test_the_attacks_reach_it_where_nothing_is_hidden(shop: Shop) -> None:
    """Else the suite would pass where it is the statements that don't work."""
    reached = 0
    for statement in attacks(shop):
        sql = filled(statement, HIDDEN_TABLE, HIDDEN_COLUMN, HIDDEN_VIEW)
        reached += not told(shop.whole, sql).startswith("Query")
    assert reached > 40


@pytest.mark.parametrize("sql", lines("probes"))
def test_rows_that_are_hidden_tell_nothing(shop: Shop, sql: str) -> None:
    assert shop.seen.run(sql).rows == shop.twin.run(sql).rows


def test_a_foreign_table_is_seen_where_a_grant_names_it(tmp_path: Path) -> None:
    made = (
        "CREATE TABLE near (name TEXT)",
        "CREATE EXTENSION file_fdw",
        "CREATE SERVER files FOREIGN DATA WRAPPER file_fdw",
        "CREATE FOREIGN TABLE far (line TEXT) SERVER files OPTIONS (program 'echo Vrakhund')",
    )
    with postgres_databases(tmp_path) as make:
        whole = make(*made)
        for tables in (("near",), ("near", "far")):
            seen = whole.restricted(Granted("anna", (Grant(("anna",), ("*",), tables),)))
            assert ("Vrakhund" in told(seen, "SELECT line FROM far")) == ("far" in tables)
            assert ("far" in [table.name for table in seen.schema.tables]) == ("far" in tables)
