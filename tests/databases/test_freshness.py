"""A database that changed since it was opened: the next question is answered from what is there now."""

import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import duckdb
import pytest
from sqlalchemy import create_engine, make_url
from sqlalchemy.pool import NullPool

from fathom.answering import Conversation
from fathom.databases import Database, connect
from fathom.databases.engine import Engine, Mark, Read, Reflection, Session
from fathom.databases.freshness import Freshness
from fathom.databases.server import Server
from fathom.errors import ConnectionFailed, RightsError
from fathom.records import Ending
from fathom.rights import ColumnRule, Granted
from fathom.rights.grants import Grant
from tests.databases.makers import (
    mysql_databases,
    mysql_url,
    postgres_databases,
    postgres_url,
    settings_in,
)

HOW_MANY = "How many planets are there?"
SATURN = "How many moons does Saturn have?"
PLANETS = "CREATE TABLE planets (id INTEGER, name VARCHAR(20), moons INTEGER)"


def write(file: Path, *names: str) -> None:
    """A new file with a table of planets; each has as many moons as it has letters."""
    rows = [(number, name, len(name)) for number, name in enumerate(names)]
    with closing(sqlite3.connect(file) if file.suffix == ".sqlite" else duckdb.connect(file)) as made:
        made.execute(PLANETS)
        made.executemany("INSERT INTO planets VALUES (?, ?, ?)", rows)
        made.commit()


@pytest.fixture(params=["sqlite", "duckdb"])
def file(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    found: Path = tmp_path / f"sky.{request.param}"
    write(found, "Earth", "Mars", "Venus")
    return found


@pytest.fixture
def talk(file: Path, tmp_path: Path) -> Iterator[Conversation]:
    with connect(file, settings=settings_in(tmp_path)) as database, Conversation(database) as opened:
        yield opened


def answered(talk: Conversation, question: str) -> object:
    given = talk.ask(question)
    assert given.ending is Ending.SURE, given.text
    assert given.result is not None
    return given.result.rows[0][0]


def replace(file: Path, *names: str) -> None:
    new = file.with_stem("new")
    write(new, *names)
    new.replace(file)


def test_a_file_that_was_moved_over_a_served_one_is_answered_from(talk: Conversation, file: Path) -> None:
    assert answered(talk, HOW_MANY) == 3
    assert talk.ask(SATURN).ending is not Ending.SURE
    replace(file, "Earth", "Saturn")
    assert answered(talk, SATURN) == 6
    assert answered(talk, HOW_MANY) == 2
    replace(file, "Earth", "Saturn", "Uranus")
    assert answered(talk, HOW_MANY) == 3
    assert talk.asking.database.run("SELECT count(*) FROM planets", trusted=True).rows == ((3,),)


def test_a_second_opening_of_a_replaced_file_finds_the_new_one(
    talk: Conversation, file: Path, tmp_path: Path
) -> None:
    assert answered(talk, HOW_MANY) == 3  # still open, as another user's would be
    replace(file, "Earth")
    with connect(file, settings=settings_in(tmp_path)) as second:
        assert second.schema.table("planets").row_count == 1
        assert second.run("SELECT name FROM planets", trusted=True).rows == (("Earth",),)


def test_a_file_that_was_removed_is_a_refusal_until_it_is_back(talk: Conversation, file: Path) -> None:
    assert answered(talk, HOW_MANY) == 3
    away = file.rename(file.with_stem("away"))
    given = talk.ask(HOW_MANY)
    assert given.refusal is not None
    assert f"{file.name} is gone" in given.text
    with pytest.raises(ConnectionFailed, match="is gone"):
        talk.asking.database.refresh()
    shutil.copy(away, file)
    assert answered(talk, HOW_MANY) == 3


@pytest.mark.parametrize("journal", ["DELETE", "WAL"])
def test_rows_and_tables_that_were_added_in_place_are_there(tmp_path: Path, journal: str) -> None:
    file = tmp_path / "sky.sqlite"
    write(file, "Earth")
    with (
        closing(sqlite3.connect(file)) as writer,
        connect(file, settings=settings_in(tmp_path)) as database,
        Conversation(database) as talk,
    ):
        writer.execute(f"PRAGMA journal_mode = {journal}")
        assert answered(talk, HOW_MANY) == 1
        writer.execute("INSERT INTO planets VALUES (7, 'Saturn', 9)")
        writer.commit()
        assert answered(talk, SATURN) == 9
        writer.execute("CREATE TABLE suppliers (name TEXT)")
        writer.commit()
        assert answered(talk, "How many suppliers are there?") == 0


def test_what_did_not_change_is_not_read_again(talk: Conversation) -> None:
    database = talk.asking.database
    answered(talk, HOW_MANY)
    known = dict(database.kept)
    answered(talk, HOW_MANY)
    assert database.renewals == 0
    assert known.items() <= database.kept.items()
    assert database.refresh(anew=True)
    assert (database.renewals, database.kept) == (1, {})


def test_a_users_part_is_that_of_the_new_file(file: Path, tmp_path: Path) -> None:
    rules = {"planets": ColumnRule(deny=("id",))}
    granted = Granted("ann", (Grant(("ann",), ("*",), ("planets",), columns=rules),))
    with connect(file, settings=settings_in(tmp_path)) as database:
        seen = database.restricted(granted)
        with Conversation(seen) as talk:
            assert answered(talk, HOW_MANY) == 3
            replace(file, "Earth", "Saturn")
            assert answered(talk, SATURN) == 6
        assert [c.name for c in seen.schema.table("planets").columns] == ["name", "moons"]
        new = file.with_stem("new")
        with closing(sqlite3.connect(new) if file.suffix == ".sqlite" else duckdb.connect(new)) as made:
            made.execute("CREATE TABLE stars (name VARCHAR(20))")
        new.replace(file)
        with pytest.raises(RightsError):
            seen.refresh()


@pytest.fixture(params=["postgres", "mysql"])
def server(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[Database, Callable[[str], None]]]:
    """A database on a server, and another program that writes to it."""
    monkeypatch.setattr(Server, "mark_seconds", 0.0)
    is_postgres = request.param == "postgres"
    url = postgres_url() if is_postgres else mysql_url()
    with (postgres_databases if is_postgres else mysql_databases)(tmp_path) as make:
        database = make(PLANETS, "INSERT INTO planets VALUES (1, 'Earth', 1)")

        def change(sql: str) -> None:
            engine = create_engine(url.set(database=make_url(database.url).database), poolclass=NullPool)
            with engine.begin() as connection:
                connection.exec_driver_sql(sql)
                if is_postgres:  # its counters come late, elsewhere within a second
                    connection.exec_driver_sql("SELECT pg_stat_force_next_flush()")

        yield database, change


def test_a_value_and_a_table_that_are_new_on_a_server_are_there(
    server: tuple[Database, Callable[[str], None]],
) -> None:
    database, change = server
    with Conversation(database) as talk:
        assert answered(talk, HOW_MANY) == 1
        assert database._freshness is not None
        database._freshness.reading = 0.0  # it took no time, so that new values are read at once
        change("INSERT INTO planets VALUES (2, 'Saturn', 9)")
        assert answered(talk, SATURN) == 9
        change("CREATE TABLE suppliers (name VARCHAR(20))")
        assert answered(talk, "How many suppliers are there?") == 0
        change("ALTER TABLE suppliers ADD COLUMN city VARCHAR(20)")
        assert database.refresh()
        assert [c.name for c in database.schema.table("suppliers").columns] == ["name", "city"]


class _Remote(Engine):
    """An engine whose marks are given, and counted."""

    dialect, mark_seconds, errors = "sqlite", 30.0, ()

    def __init__(self) -> None:
        self.looks, self.now = 0, Mark("tables", 1)

    def mark(self, read: Read) -> Mark:
        self.looks += 1
        return self.now

    def open(self) -> Session:
        raise NotImplementedError

    def reflect(self, read: Read) -> Reflection:
        raise NotImplementedError

    def classify(self, error: Exception) -> None:
        return None

    def state(self) -> str:
        return ""


def test_a_server_is_asked_once_in_a_while_and_new_values_are_read_as_often_as_that_is_cheap() -> None:
    engine, clock = _Remote(), [0.0]
    watched = Freshness(engine, lambda *_: [], lambda: clock[0])
    assert not watched.has_changed()  # nothing was read yet
    watched.remember()
    watched.reading = 5.0
    engine.now = Mark("tables", 2)
    changed = {}
    for clock[0] in (29.0, 30.0, 60.0, 90.0, 100.0, 120.0):
        changed[clock[0]] = watched.has_changed()
    assert changed == {29.0: False, 30.0: False, 60.0: False, 90.0: False, 100.0: False, 120.0: True}
    assert engine.looks == 1 + 4
    watched.remember()
    engine.now = Mark("more tables", 2)
    clock[0] = 150.0
    assert watched.has_changed()  # however long reading takes
