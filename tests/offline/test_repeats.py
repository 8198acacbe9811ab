"""What a question lists is given once, however many rows of another table each of it goes with."""

from collections.abc import Iterator

import pytest

from fathom import ask
from fathom.databases import Database
from fathom.offline.finishing.repeats import without_repeats
from fathom.offline.queries.from_sql import parse
from fathom.offline.queries.joins import JoinPlanner
from fathom.offline.queries.rows import RowNames
from fathom.offline.queries.to_sql import render
from tests.offline.making import made

SHOP = """
CREATE TABLE genre (genre_id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE album (album_id INTEGER PRIMARY KEY, title TEXT, year INTEGER);
CREATE TABLE track (track_id INTEGER PRIMARY KEY, track_name TEXT, album_id INTEGER REFERENCES album,
    genre_id INTEGER REFERENCES genre);
CREATE TABLE customer (customer_id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, city TEXT);
CREATE TABLE purchase (purchase_id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customer,
    track_id INTEGER REFERENCES track);
INSERT INTO genre VALUES (1, 'Jazz'), (2, 'Rock');
INSERT INTO album VALUES (1, 'Blue Hour', 1999), (2, 'Loud', 2005), (3, 'Late Set', 2011);
INSERT INTO track VALUES (1, 'Dusk', 1, 1), (2, 'Rain', 1, 1), (3, 'Dawn', 1, 1), (4, 'Riff', 2, 2),
    (5, 'Encore', 3, 1);
INSERT INTO customer VALUES (1, 'Ann', 'Lee', 'Leeds'), (2, 'Ann', 'Lee', 'York'), (3, 'Bo', 'Diaz', 'York');
INSERT INTO purchase VALUES (1, 1, 1), (2, 1, 2), (3, 2, 5), (4, 3, 4), (5, 1, 1);
"""


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with made(SHOP, tmp_path_factory.mktemp("shop")) as database:
        yield database


def test_an_album_is_listed_once_whatever_its_tracks(shop: Database) -> None:
    answer = ask("list all jazz albums", shop)
    assert answer.result is not None, answer.text
    assert sorted(answer.result.rows) == [("Blue Hour",), ("Late Set",)]


ONCE = {
    "SELECT a.title FROM album a JOIN track t ON t.album_id = a.album_id WHERE t.track_name > 'A'":
        [("Blue Hour",), ("Late Set",), ("Loud",)],
    "SELECT a.title, a.year FROM album a JOIN track t ON t.album_id = a.album_id"
    " JOIN genre g ON g.genre_id = t.genre_id WHERE g.name = 'Jazz' ORDER BY a.year DESC":
        [("Late Set", 2011), ("Blue Hour", 1999)],
    # Two customers of the same name are two.
    "SELECT c.first_name, c.last_name FROM customer c JOIN purchase p ON p.customer_id = c.customer_id"
    " WHERE p.track_id < 6": [("Ann", "Lee"), ("Ann", "Lee"), ("Bo", "Diaz")],
}  # fmt: skip


@pytest.mark.parametrize("sql", ONCE)
def test_rows_that_a_join_repeats_are_given_once(sql: str, shop: Database) -> None:
    rows = _rows(sql, shop)
    assert (rows if "ORDER" in sql else sorted(rows)) == ONCE[sql]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT title FROM album",
        "SELECT t.track_name FROM track t JOIN album a ON t.album_id = a.album_id WHERE a.title = 'Loud'",
        "SELECT a.year FROM album a JOIN track t ON t.album_id = a.album_id WHERE t.track_name > 'A'",
        "SELECT c.last_name FROM customer c JOIN purchase p ON p.customer_id = c.customer_id",
        "SELECT a.title, t.track_name FROM album a JOIN track t ON t.album_id = a.album_id",
        "SELECT a.title FROM album a JOIN track t ON t.album_id = a.album_id ORDER BY t.track_name",
        "SELECT a.title FROM album a JOIN track t ON t.album_id = a.album_id ORDER BY a.title LIMIT 2",
        "SELECT a.title, count(*) FROM album a JOIN track t ON t.album_id = a.album_id GROUP BY a.title",
        "SELECT title FROM album EXCEPT SELECT a.title FROM album a JOIN track t ON t.album_id = a.album_id",
    ],
)
def test_all_else_stays_as_it_is(sql: str, shop: Database) -> None:
    planner = JoinPlanner(shop.schema)
    query = parse(sql, planner)
    assert without_repeats(query, planner, RowNames(shop.schema), shop.profile()) == query


def _rows(sql: str, shop: Database) -> list[tuple[object, ...]]:
    planner = JoinPlanner(shop.schema)
    query = without_repeats(parse(sql, planner), planner, RowNames(shop.schema), shop.profile())
    return list(shop.run(render(query, planner)).rows)
