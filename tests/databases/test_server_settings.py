"""Settings of a server, database or account under which it would read another statement than was judged."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest

from fathom.databases import Database, connect
from fathom.errors import QueryError
from tests.databases.makers import mysql_databases, postgres_url, settings_in

# For a server that takes \' for a quote, the second string is SQL.
HIDDEN = r"SELECT 'a\' AS x, ', (SELECT count(*) FROM pg_authid) -- ' AS y"


@contextmanager
def _postgres(folder: Path, create: str = "", *alters: str) -> Iterator[Database]:
    plain = postgres_url().set(drivername="postgresql")
    name = f"fathom_test_{uuid4().hex}"
    with psycopg.connect(plain.render_as_string(hide_password=False), autocommit=True) as admin:
        admin.execute(f"CREATE DATABASE {name} TEMPLATE template0 {create}")
        try:
            for alter in alters:
                admin.execute(f"ALTER DATABASE {name} SET {alter}")
            url = plain.set(database=name).render_as_string(hide_password=False)
            with psycopg.connect(url, autocommit=True, client_encoding="utf8") as made:
                made.execute("CREATE TABLE straße (name text)")
                made.execute("INSERT INTO straße VALUES ('Köln'), ('Bonn')")
            with connect(url, settings=settings_in(folder)) as database:
                yield database
        finally:
            admin.execute(f"DROP DATABASE {name} WITH (FORCE)")


def test_a_backslash_ends_no_string_on_a_server_that_is_set_to_it(tmp_path: Path) -> None:
    with _postgres(tmp_path, "", "standard_conforming_strings = off", "backslash_quote = on") as database:
        assert database.run(HIDDEN).rows == (("a\\", ", (SELECT count(*) FROM pg_authid) -- "),)
        # Also in a session that was used before.
        assert database.run(HIDDEN).rows == database.run(HIDDEN).rows


@pytest.mark.parametrize(
    ("create", "alters"),
    [
        ("ENCODING 'LATIN1' LOCALE 'C'", ()),
        ("", ("client_encoding = 'SJIS'",)),
        ("", ("client_encoding = 'LATIN1'",)),
    ],
)
def test_text_is_the_same_in_every_encoding(tmp_path: Path, create: str, alters: tuple[str, ...]) -> None:
    with _postgres(tmp_path, create, *alters) as database:
        found = database.run("SELECT name, 'ß' AS ö FROM straße WHERE name = 'Köln'")
        assert (found.columns, found.rows) == (("name", "ö"), (("Köln", "ß"),))
        assert [table.name for table in database.schema.tables] == ["straße"]


def test_oracles_language_is_not_spoken(tmp_path: Path) -> None:
    with mysql_databases(tmp_path) as make:
        usual = make("CREATE SEQUENCE s", "CREATE TABLE kept (id INTEGER)")
        with connect(f"{usual.url}?sql_mode=ORACLE", settings=settings_in(tmp_path)) as database:
            for sql in ("SELECT s.nextval", "SELECT s.currval", "SELECT s.currval FROM kept"):
                with pytest.raises(QueryError, match=r"Unknown (table|column) .s"):
                    database.run(sql)
            assert database.run("SELECT 1 || '2'").rows == (("12",),)  # the rest of the mode stays
