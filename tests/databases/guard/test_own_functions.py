"""Functions and operators that the database's owner made never run, under whichever name."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.databases import makers
from tests.databases.guard.tables import CALLED, TABLES

from fathom.databases import Database
from fathom.errors import QueryRefused

_BODY = f"LANGUAGE plpgsql VOLATILE AS $$ BEGIN RAISE EXCEPTION $t${CALLED}$t$; END $$"
_MADE = (
    *(
        f"CREATE FUNCTION public.{name}(text) RETURNS text {_BODY}"
        for name in ("abs", "first", '"map"', '"struct"', '"columns"', "json_scalar", "system_user")
    ),
    f"CREATE FUNCTION public.glued(text, text) RETURNS text {_BODY}",
    "CREATE OPERATOR public.+ (LEFTARG = text, RIGHTARG = text, FUNCTION = public.glued)",
    f"CREATE FUNCTION public.lower(kept) RETURNS int {_BODY}",
    # What runs such functions unnamed: a domain's check, a cast, an operator behind CASE and USING.
    f"CREATE FUNCTION public.checked(text) RETURNS bool {_BODY}",
    "CREATE DOMAIN own_domain AS text CHECK (checked(VALUE))",
    "CREATE DOMAIN own_domain_of_it AS own_domain",
    "CREATE TYPE own_type AS (a int, b text)",
    "CREATE TYPE own_plain AS ENUM ('good', 'bad')",
    "CREATE TYPE own_holder AS (a own_domain)",
    f"CREATE FUNCTION public.to_own(text) RETURNS own_type {_BODY}",
    "CREATE CAST (text AS own_type) WITH FUNCTION public.to_own(text) AS IMPLICIT",
    f"CREATE FUNCTION public.same(own_holder, own_holder) RETURNS bool {_BODY}",
    *(
        f"CREATE OPERATOR public.{sign} (LEFTARG = own_holder, RIGHTARG = own_holder, FUNCTION = public.same)"
        for sign in ("=", ">=", "<")
    ),
)
OWN = (
    "SELECT abs('x'::text)",
    "SELECT 1 FROM abs('x'::text)",
    "SELECT first('x')",
    "SELECT map('x')",
    "SELECT struct('x')",
    "SELECT columns('x')",
    "SELECT json_scalar('x'::text)",
    "SELECT name + name FROM kept",
    "SELECT 1 FROM kept ORDER BY name USING + ",
    "SELECT name = ANY (SELECT name + 'x'::text FROM kept) FROM kept",
    "SELECT kept.lower FROM kept",
    "SELECT (kept).lower FROM kept",
    "SELECT k.lower FROM kept k JOIN sales s ON k.lower = 1",
    "EXPLAIN ANALYZE SELECT abs(name) FROM kept",
    "SELECT 'x'::own_domain",
    "SELECT own_domain_of_it 'x'",
    "SELECT CAST(name AS public.own_domain) FROM kept",
    "SELECT '{x}'::own_domain[]",
    """SELECT * FROM json_to_record('{"a": "x"}') AS t(a own_domain)""",
    "SELECT 'x'::text::own_type",
    "SELECT ROW('x')::own_holder",
    "SELECT CASE k.id WHEN 1 THEN 2 END FROM kept k",
    "SELECT k.id IN (SELECT kept_id FROM sales) FROM kept k",
    "SELECT k.id NOT IN (SELECT kept_id FROM sales) FROM kept k",
    "SELECT k.id BETWEEN 1 AND 2 FROM kept k",
    "SELECT k.id NOT BETWEEN 1 AND 2 FROM kept k",
    "SELECT k.id BETWEEN SYMMETRIC 1 AND 2 FROM kept k",
    "SELECT k.id NOT BETWEEN SYMMETRIC 1 AND 2 FROM kept k",
    "SELECT 1 FROM kept a JOIN kept b USING (id)",
    "SELECT 1 FROM kept a NATURAL JOIN kept b",
)
OTHERS = ("SELECT upper(name) FROM kept", "SELECT id + 1 FROM kept WHERE 'a' || name = 'aAnn'")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with makers.postgres_databases(tmp_path_factory.mktemp("own")) as make:
        yield make(*TABLES["postgres"], *_MADE)


@pytest.mark.parametrize("sql", OWN)
def test_functions_of_the_owners_under_listed_names_are_refused(server: Database, sql: str) -> None:
    with pytest.raises(QueryRefused):
        server.run(sql)


@pytest.mark.parametrize("sql", [OTHERS[0], "SELECT 'good'::own_plain, own_plain 'bad', 'x'::text"])
def test_functions_of_the_server_run_beside_them(server: Database, sql: str) -> None:
    assert server.run(sql).rows


def test_an_operator_of_the_owners_refuses_the_name_for_all(server: Database) -> None:
    """Which of two operators PostgreSQL takes depends on types, which the guard doesn't know."""
    with pytest.raises(QueryRefused, match="owner"):
        server.run(OTHERS[1])


@pytest.mark.parametrize(
    "sql", ["SELECT lower(name) FROM kept", "SELECT main.lower('A')", "SELECT id + 1 FROM kept"]
)
def test_macros_under_listed_names_are_refused_on_duckdb(tmp_path: Path, sql: str) -> None:
    own = ("CREATE MACRO lower(x) AS 'mine'", 'CREATE MACRO "+"(x, y) AS 77')
    with makers.duckdb_databases(tmp_path) as make:
        database = make(*TABLES["duckdb"], *own)
        with pytest.raises(QueryRefused, match="owner"):
            database.run(sql)
        assert database.run("SELECT upper(name) FROM kept").rows


@pytest.fixture(scope="module")
def mysql(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    made = (
        f"CREATE FUNCTION `{name}`(x TEXT) RETURNS TEXT BEGIN"
        f" SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'called'; RETURN x; END"
        for name in ("first", "columns", "any_value", "json_table", "count")
    )
    with makers.mysql_databases(tmp_path_factory.mktemp("own")) as make:
        yield make(*TABLES["mysql"], *made)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT first('x')",
        "SELECT columns('x')",
        "SELECT any_value('x')",
        "SELECT json_table('x')",
        "SELECT count ('x')",
        "SELECT 1 FROM kept WHERE FIRST ('x') = 1",
    ],
)
def test_stored_functions_of_mysql_are_refused(mysql: Database, sql: str) -> None:
    with pytest.raises(QueryRefused) as refused:
        mysql.run(sql)
    assert refused.value.rule == "function"
    assert mysql.run("SELECT upper(name) FROM kept").rows
