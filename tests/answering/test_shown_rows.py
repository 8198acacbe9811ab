"""Rows for people: what ranked them, ties, names beside keys, time in its order, headings in words."""

import asyncio
import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from fathom.answering.headings import headings, noun_for
from fathom.answering.shown_rows import ForPeople, for_people
from fathom.databases import Database, connect
from fathom.knowledge import ColumnNote, KnowledgePack, TableNote
from fathom.methods import Context
from fathom.records import Limits

SCRIPT = """
CREATE TABLE artist (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE album (id INTEGER PRIMARY KEY, title TEXT, artist_id INTEGER REFERENCES artist (id));
CREATE TABLE car (id INTEGER PRIMARY KEY, make TEXT, model TEXT, price_usd REAL);
CREATE TABLE sale (id INTEGER PRIMARY KEY, car_id INTEGER REFERENCES car (id), sold TEXT, total REAL);
CREATE TABLE "order" (id INTEGER PRIMARY KEY, note TEXT);
CREATE TABLE "group" ("the id" INTEGER PRIMARY KEY, "full name" TEXT);
CREATE TABLE member (id INTEGER PRIMARY KEY, group_id INTEGER REFERENCES "group" ("the id"));
CREATE TABLE state_code (code TEXT, words TEXT);
CREATE TABLE engine (id INTEGER PRIMARY KEY, state TEXT);
INSERT INTO state_code VALUES ('B', 'Broken'), ('G', 'Good'), ('W', 'Worn');
INSERT INTO engine VALUES (1, 'B'), (2, 'G'), (3, 'B'), (4, 'W');
CREATE TABLE tool ("Tool No" TEXT, name TEXT, yard TEXT);
CREATE TABLE hire (hire_no INTEGER PRIMARY KEY, "Tool No" TEXT);
INSERT INTO tool VALUES ('T1', 'Drill', 'North'), ('T2', 'Drill', 'North'), ('T3', 'Saw', 'South');
INSERT INTO hire VALUES (1, 'T1'), (2, 'T1'), (3, 'T3');
INSERT INTO "group" VALUES (1, 'Red'), (2, 'Blue');
INSERT INTO member VALUES (7, 2);
INSERT INTO artist VALUES (1, 'Ann'), (2, 'Bo'), (3, 'Cy'), (4, 'Dee');
INSERT INTO album VALUES (1, 'A', 1), (2, 'B', 1), (3, 'C', 2), (4, 'D', 3), (5, 'E', 4);
INSERT INTO car VALUES (11, 'Fiat', 'Uno', 10500.5), (12, 'Opel', 'Ascona', 9000),
  (13, 'Fiat', 'Uno 2', 9000);
INSERT INTO sale VALUES (1, 11, '2023-03-04', 10000), (2, 11, '2023-01-09', 400), (3, 11, '2022-12-24', 5);
"""


@pytest.fixture(scope="module")
def garage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    path: Path = tmp_path_factory.mktemp("garage") / "garage.db"
    made = sqlite3.connect(path)
    made.executescript(SCRIPT)
    made.close()
    with connect(path) as opened:
        yield opened


def shown(sql: str, database: Database, pack: KnowledgePack | None = None) -> ForPeople:
    context = Context(database, pack or KnowledgePack())
    return asyncio.run(for_people(sql, database.run(sql), context))


RANKED = (
    "SELECT T1.name FROM artist AS T1 JOIN album AS T2 ON T1.id = T2.artist_id "
    "GROUP BY T1.id ORDER BY COUNT(*) DESC LIMIT 2"
)


def test_what_was_ranked_by_is_shown_and_ties_are_told(garage: Database) -> None:
    found = shown(RANKED, garage)
    assert found.rows.columns == ("Artist name", "Number of albums")
    assert [row[1] for row in found.rows.rows] == [2, 1]
    assert found.ties == "2 more have the same number of albums."
    assert found.ranking == 1


@pytest.mark.parametrize(
    ("names", "albums"),
    [
        (("Ann", "Dee"), [2, 1]),  # ties with Bo, whom the query for more gives first
        (("Bo", "Ann"), []),
        (("Ann", "Zed"), []),
        (("Bo", "Dee"), []),
    ],
)
def test_rows_that_tie_may_come_in_another_order(
    garage: Database, names: tuple[str, ...], albums: list[int]
) -> None:
    result = replace(garage.run(RANKED), rows=tuple((name,) for name in names))
    found = asyncio.run(for_people(RANKED, result, Context(garage, KnowledgePack())))
    assert tuple(row[0] for row in found.rows.rows) == names
    assert [row[1] for row in found.rows.rows if len(row) > 1] == albums
    assert found.ties == ("2 more have the same number of albums." if albums else "")


def test_one_that_ties_is_told_as_one(garage: Database) -> None:
    found = shown("SELECT make FROM car ORDER BY price_usd LIMIT 1", garage)
    assert found.rows.columns == ("Make", "Price (USD)")
    assert found.ties == "1 more has the same price (USD)."


@pytest.mark.parametrize(
    ("sql", "columns"),
    [
        ("SELECT name FROM artist ORDER BY name LIMIT 2", ("Name",)),
        ("SELECT DISTINCT make FROM car ORDER BY make", ("Make",)),
        ("SELECT COUNT(*) FROM car", ("Number of cars",)),
        ("SELECT make FROM car ORDER BY CASE WHEN price_usd > 9000 THEN 1 ELSE 2 END", ("Make",)),
        ("SELECT MAX(price_usd), MIN(sold) FROM car, sale", ("Highest price (USD)", "Lowest sold")),
        ("SELECT make FROM car WHERE price_usd = (SELECT MAX(price_usd) FROM car)", ("Make", "Price (USD)")),
        (
            "SELECT artist_id FROM album GROUP BY artist_id HAVING COUNT(*) > 1",
            ("Artist ID", "Name", "Number of albums"),
        ),
    ],
)
def test_only_what_chose_rows_is_added(garage: Database, sql: str, columns: tuple[str, ...]) -> None:
    assert shown(sql, garage).rows.columns == columns


def test_the_judged_rows_are_among_those_shown(garage: Database) -> None:
    judged = garage.run(RANKED)
    assert [row[:1] for row in shown(RANKED, garage).rows.rows] == [*judged.rows]


NEVER = "SELECT id FROM car EXCEPT SELECT car_id FROM sale"


def test_names_stand_beside_keys_of_rows_that_two_queries_give(garage: Database) -> None:
    found = shown(NEVER, garage)
    assert found.rows.columns == ("ID", "Make", "Model")
    assert sorted(found.rows.rows) == [(12, "Opel", "Ascona"), (13, "Fiat", "Uno 2")]


@pytest.mark.parametrize(
    ("sql", "rows"),
    [
        ("SELECT id FROM car WHERE price_usd > 10000", {(11, "Fiat", "Uno")}),
        ("SELECT car_id FROM sale WHERE total = 5", {(11, "Fiat", "Uno")}),
        ("SELECT car_id, COUNT(*) FROM sale GROUP BY car_id", {(11, "Fiat", "Uno", 3)}),
        ("SELECT a.id, a.title FROM album AS a WHERE a.id = 1", {(1, "A")}),
        ("SELECT T1.id, T1.artist_id FROM album AS T1 WHERE T1.id = 2", {(2, "B", 1, "Ann")}),
        ('SELECT id FROM "order"', set()),
        ("SELECT group_id FROM member", {(2, "Blue")}),
    ],
)
def test_names_stand_beside_keys(garage: Database, sql: str, rows: set[tuple[object, ...]]) -> None:
    assert set(shown(sql, garage).rows.rows) == rows


def test_a_query_that_fails_within_its_limits_adds_nothing(garage: Database) -> None:
    sql = "SELECT id FROM car"
    context = Context(garage, limits=Limits(rows=2))  # the judged rows were fetched under other limits
    assert asyncio.run(for_people(sql, garage.run(sql), context)).rows.rows == garage.run(sql).rows


def test_groups_by_time_come_in_its_order(garage: Database) -> None:
    by_month = "SELECT STRFTIME('%Y-%m', sold), SUM(total) FROM sale GROUP BY STRFTIME('%Y-%m', sold)"
    judged = garage.run(f"{by_month} ORDER BY 2 DESC")  # as an engine may give them that doesn't sort groups
    context = Context(garage)
    found = asyncio.run(for_people(by_month, judged, context)).rows
    assert found.columns == ("Month", "Total of sales")
    assert [row[0] for row in found.rows] == ["2022-12", "2023-01", "2023-03"]
    asked_so = asyncio.run(for_people(f"{by_month} ORDER BY 2 DESC", judged, context)).rows
    assert [row[0] for row in asked_so.rows] == ["2023-03", "2023-01", "2022-12"]


HEADINGS = [
    ("SELECT COUNT(DISTINCT make) FROM car", "Number of different makes"),
    ("SELECT COUNT(DISTINCT car_id) FROM sale", "Number of cars"),
    ("SELECT COUNT(T2.id) FROM car AS T1 JOIN sale AS T2 ON T1.id = T2.car_id", "Number of sales"),
    ("SELECT COUNT(*) FROM car AS T1 JOIN sale AS T2 ON T1.id = T2.car_id", "Number of sales"),
    ("SELECT AVG(price_usd) FROM car", "Average price (USD)"),
    ("SELECT SUM(CASE WHEN make = 'Fiat' THEN 1 ELSE 0 END) FROM car", "Number where make is Fiat"),
    ("SELECT SUM(price_usd * total) FROM car, sale", "Total of price usd times total"),
    ("SELECT price_usd AS asked_price FROM car", "Asked price"),
    ("SELECT SUM(SUM(total)) OVER (ORDER BY sold) FROM sale GROUP BY sold", "Running total of sales"),
    ("SELECT UPPER(make) FROM car", "Make (in any case)"),
]


@pytest.mark.parametrize(("sql", "heading"), HEADINGS)
def test_headings_are_words(garage: Database, sql: str, heading: str) -> None:
    found = headings(sql, ("c",), garage.dialect, garage.schema, KnowledgePack())
    assert found == (heading,)


def test_a_pack_names_columns_and_their_units(garage: Database) -> None:
    note = TableNote(name="vehicles", columns={"PRICE_USD": ColumnNote(name="asking price", unit="kEUR")})
    pack = KnowledgePack(tables={"car": note})
    sql = "SELECT SUM(price_usd), COUNT(*) FROM car"
    found = headings(sql, ("a", "b"), garage.dialect, garage.schema, pack)
    assert found == ("Total asking price (kEUR)", "Number of vehicles")


@pytest.mark.parametrize(
    ("sql", "noun"),
    [
        ("SELECT name FROM artist", "artists"),
        (RANKED, "artists"),
        ("SELECT make, COUNT(*) FROM car GROUP BY make", "makes"),
        ("SELECT DISTINCT make FROM car", "makes"),
        ("SELECT STRFTIME('%Y', sold), SUM(total) FROM sale GROUP BY 1", "rows"),
        ("SELECT STRFTIME('%Y', sold) FROM sale GROUP BY STRFTIME('%Y', sold)", "years"),
        ("SELECT make, model, COUNT(*) FROM car GROUP BY make, model", "rows"),
        ("SELECT T1.make FROM car AS T1 JOIN sale AS T2 ON T1.id = T2.car_id", "rows"),
        (NEVER, "cars"),
    ],
)
def test_what_a_row_is(garage: Database, sql: str, noun: str) -> None:
    assert noun_for(sql, garage.dialect, garage.schema, KnowledgePack()) == noun


def test_rows_of_one_name_are_told_apart_by_their_key(garage: Database) -> None:
    alike = shown("SELECT name FROM tool WHERE yard = 'North'", garage).rows
    assert alike.rows == (("Drill", "T1"), ("Drill", "T2"))
    assert shown("SELECT name FROM tool WHERE yard = 'South'", garage).rows.rows == (("Saw",),)
    assert shown("SELECT DISTINCT name FROM tool", garage).rows.rows == (("Drill",), ("Saw",))


def test_a_key_that_nothing_declares_has_its_name_beside_it(garage: Database) -> None:
    unused = 'SELECT "Tool No" FROM tool EXCEPT SELECT "Tool No" FROM hire'
    assert shown(unused, garage).rows.rows == (("T2", "Drill"),)


def test_codes_have_the_meaning_beside_them_that_a_table_lists(garage: Database) -> None:
    grouped = shown("SELECT state, COUNT(*) FROM engine GROUP BY state", garage).rows
    assert sorted(grouped.rows) == [("B", "Broken", 2), ("G", "Good", 1), ("W", "Worn", 1)]
    assert grouped.columns[1] == "State meaning"
