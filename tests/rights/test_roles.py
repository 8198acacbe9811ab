"""A grant names one of PostgreSQL's own roles: its rights and row policies hold for every query."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import make_url

import fathom
from fathom.databases import Database
from fathom.errors import InputErrors, QueryError, QueryRefused, RightsError
from fathom.rights import Granted, read_rights
from fathom.rights.grants import Grant
from tests.databases.makers import Make, duckdb_databases, postgres_databases

SHOP = (
    "CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT, country TEXT)",
    "CREATE TABLE payroll (id INTEGER PRIMARY KEY, salary INTEGER)",
    "INSERT INTO customer VALUES (1, 'Ann', 'FR'), (2, 'Zambrokwist', 'IT'), (3, 'Cleo', 'FR')",
    "INSERT INTO payroll VALUES (1, 4242)",
    "ANALYZE",
)
POLICY = (
    "ALTER TABLE customer ENABLE ROW LEVEL SECURITY",
    "CREATE POLICY french ON customer FOR SELECT TO {role} USING (country = 'FR')",
    "GRANT SELECT ON customer TO {role}",
)


@pytest.fixture(scope="module")
def make(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Make]:
    with postgres_databases(tmp_path_factory.mktemp("postgres")) as make:
        yield make


ESCAPES = (
    "RESET ROLE",
    "SET ROLE NONE",
    "SET LOCAL ROLE NONE",
    "RESET ALL",
    "DISCARD ALL",
    "COMMIT",
    "SELECT 1; RESET ROLE",
    "SELECT 1; COMMIT; SELECT salary FROM payroll",
    "SELECT set_config('role', 'none', true)",
    "SELECT pg_catalog.set_config('role', 'none', false), name FROM customer",
    "WITH gone AS MATERIALIZED (SELECT set_config('role', 'none', true)) SELECT name FROM customer, gone",
    "EXPLAIN ANALYZE SELECT set_config('role', 'none', true)",
    "SELECT query_to_xml('RESET ROLE', true, true, '')",
    "UPDATE pg_settings SET setting = 'none' WHERE name = 'role'",
)
"""Statements that would give the account's own rights back."""


def plain_url(database: Database) -> str:
    return make_url(database.url).set(drivername="postgresql").render_as_string(hide_password=False)


@contextmanager
def role_of(database: Database) -> Iterator[str]:
    """A role that may read the customers of France alone."""
    role = f"fathom french {make_url(database.url).database}"
    quoted = f'"{role}"'
    with psycopg.connect(plain_url(database), autocommit=True) as owner:
        owner.execute(f"CREATE ROLE {quoted}")
        try:
            for sql in POLICY:
                owner.execute(sql.format(role=quoted))
            yield role
        finally:
            owner.execute(f"DROP POLICY french ON customer; DROP OWNED BY {quoted}; DROP ROLE {quoted}")


def granted(role: str) -> Granted:
    return Granted("anna", (Grant(("anna",), ("*",), ("*",), role=role),))


def test_the_database_s_own_rights_hold(make: Make) -> None:
    whole = make(*SHOP)
    with role_of(whole) as role:
        seen = whole.restricted(granted(role))
        assert seen.run("SELECT name FROM customer ORDER BY id").rows == (("Ann",), ("Cleo",))
        assert [row for batch in seen.scan("customer", ["name"]) for row in batch] == [("Ann",), ("Cleo",)]
        with pytest.raises(QueryError, match="permission denied"):
            seen.run("SELECT salary FROM payroll")
        assert {t.name: t.row_count for t in seen.schema.tables} == {"customer": 2, "payroll": None}
        told = repr((seen.profile(), seen.common_texts(seen.schema.table("customer"))))
        assert "Ann" in told
        assert "Zambrokwist" not in told
        assert "4242" not in told
        answer = fathom.ask("How many customers are there?", seen)
        assert answer.result is not None
        assert answer.result.rows == ((2,),)
        # The same connections, and nothing of the role is left in them.
        assert whole.run("SELECT count(*) FROM customer").rows == ((3,),)
        for escape in ESCAPES:
            with pytest.raises(QueryRefused):
                seen.run(escape)


def test_the_server_itself_would_not_hide_from_an_escape(make: Make) -> None:
    """The escapes are real ones: it is the guard that keeps them out."""
    whole = make(*SHOP)
    with role_of(whole) as role:
        for sql in ("RESET ROLE", "SELECT set_config('role', 'none', true)"):
            with psycopg.connect(plain_url(whole)) as account:
                account.execute(f'SET LOCAL ROLE "{role}"')
                with pytest.raises(psycopg.errors.InsufficientPrivilege), account.transaction():
                    account.execute("SELECT count(*) FROM payroll")
                account.execute(sql)
                assert account.execute("SELECT count(*) FROM payroll").fetchone() is not None


def test_a_name_can_not_end_the_quotes_around_it(make: Make) -> None:
    whole = make(*SHOP)
    with pytest.raises(RightsError, match="don't fit"):
        whole.restricted(granted('x"; RESET ROLE; SELECT "'))
    assert whole.run("SELECT count(*) FROM customer").rows == ((3,),)


def test_a_role_that_can_not_be_taken_shows_nothing(make: Make, tmp_path: Path) -> None:
    whole = make(*SHOP)
    with pytest.raises(RightsError, match="don't fit"):
        whole.restricted(granted("nobody of that name"))
    two = Granted("anna", (*granted("one").grants, *granted("two").grants))
    with pytest.raises(RightsError, match="don't fit"):
        whole.restricted(two)
    for name in ("none", "None"):  # SET ROLE takes the first for the account itself
        with pytest.raises(RightsError, match="don't fit"):
            whole.restricted(granted(name))
    with duckdb_databases(tmp_path) as make_other, pytest.raises(RightsError, match="don't fit"):
        make_other(*SHOP[:3]).restricted(granted("analyst"))


def test_the_file_names_the_role(tmp_path: Path) -> None:
    file = tmp_path / "rights.toml"
    grant = '[users.anna]\n[[grants]]\nto = ["anna"]\ndatabases = ["*"]\ntables = ["*"]\n'
    file.write_text(f'{grant}role = "analyst"\n')
    assert read_rights(file).granted("anna", "shop", "shop").role == "analyst"
    for wrong in ('""', "7", '"none"'):
        file.write_text(f"{grant}role = {wrong}\n")
        with pytest.raises(InputErrors, match="role"):
            read_rights(file)
