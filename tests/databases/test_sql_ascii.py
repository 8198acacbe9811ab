"""PostgreSQL databases that don't say in which encoding their text is."""

from collections.abc import Iterator
from uuid import uuid4

import psycopg
import pytest

from tests.command import Fathom
from tests.databases.makers import postgres_url

STATEMENTS = (
    b"CREATE TABLE city (id int PRIMARY KEY, name text, district varchar(30), code char(3), about jsonb)",
    b"INSERT INTO city VALUES (1, 'K\xf6ln', 'Ehrenfeld \xe2\x82\xac', 'k\xf6', '{\"river\": \"Rhein\"}')",
    b"INSERT INTO city VALUES (2, 'Paris', NULL, 'par', NULL)",
    b"COMMENT ON TABLE city IS 'St\xe4dte'",
    b"CREATE TYPE mood AS ENUM ('fr\xf6h')",
    b'CREATE TABLE odd ("gr\xf6\xdfe" int, is_in mood, names text[])',
    b"INSERT INTO odd VALUES (7, 'fr\xf6h', ARRAY['K\xf6ln'])",
)


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    plain = postgres_url().set(drivername="postgresql")
    name = f"fathom_test_{uuid4().hex}"
    with psycopg.connect(plain.render_as_string(hide_password=False), autocommit=True) as admin:
        admin.execute(
            f"CREATE DATABASE {name} TEMPLATE template0 ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C'"
        )
        mine = plain.set(database=name).render_as_string(hide_password=False)
        try:
            with psycopg.connect(mine, autocommit=True) as made:
                for statement in STATEMENTS:
                    made.execute(statement)
            yield mine
        finally:
            admin.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture(autouse=True)
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    monkeypatch.setenv("FATHOM_CACHE", str(tmp_path_factory.mktemp("cache")))


@pytest.mark.parametrize(
    ("sql", "shown"),
    [
        ("SELECT * FROM city WHERE id = 1", ("Köln", "Ehrenfeld €", "kö", "Rhein")),
        ("SELECT * FROM odd", ("größe", "fröh", "Köln")),
        ("SELECT * FROM odd WHERE false", ("größe",)),
    ],
)
def test_text_in_no_known_encoding_is_read(
    address: str, fathom: Fathom, sql: str, shown: tuple[str, ...]
) -> None:
    done = fathom("sql", address, sql)
    assert (done.code, [text for text in shown if text not in done.out]) == (0, [])


def test_such_a_database_is_inspected_and_asked(address: str, fathom: Fathom) -> None:
    done = fathom("inspect", address)
    assert done.code == 0, done.err
    assert all(text in done.out for text in ("Städte", "größe", "Köln, Paris"))
    done = fathom("ask", address, "How many cities are there?")
    assert (done.code, "2" in done.out) == (0, True), done.err
    done = fathom("ask", address, "What is the id of the city Paris?")
    assert (done.code, "2" in done.out.split("SELECT")[0]) == (0, True), done.err
