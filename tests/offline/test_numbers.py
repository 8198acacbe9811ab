"""Numbers pointed at, averages said apart, and verbs between things and what is counted of them."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fathom import Answer, ask
from fathom.databases import Database, connect
from tests.offline.making import made

BOOKS = """
CREATE TABLE publisher (publisher_id INTEGER PRIMARY KEY, name TEXT, country TEXT);
CREATE TABLE writer (writer_id INTEGER PRIMARY KEY, full_name TEXT);
CREATE TABLE book (book_id INTEGER PRIMARY KEY, title TEXT, publisher_id INTEGER REFERENCES publisher,
    released DATE, pages INTEGER, book_type TEXT);
CREATE TABLE writes (writer_id INTEGER REFERENCES writer, book_id INTEGER REFERENCES book,
    PRIMARY KEY (writer_id, book_id));
CREATE TABLE topic (topic_id INTEGER PRIMARY KEY, label TEXT);
CREATE TABLE book_topic (book_id INTEGER REFERENCES book, topic_id INTEGER REFERENCES topic,
    PRIMARY KEY (book_id, topic_id));
INSERT INTO publisher VALUES (1, 'Harbour', 'Spain'), (2, 'Quill', 'France'), (3, 'Meadow', 'Spain');
INSERT INTO writer VALUES (1, 'Ida Voss'), (2, 'Leo Brandt'), (3, 'Ida Voss'), (4, 'Mia Roy');
INSERT INTO book VALUES (1, 'Tides', 1, '2018-03-01', 100, 'novel'),
    (2, 'Stones', 1, '2019-04-01', 300, 'novel'),
    (3, 'Roots', 1, '2019-05-01', 200, 'essay'), (4, 'Wings', 2, '2020-06-01', 500, 'novel'),
    (5, 'Ashes', 2, '2021-07-01', 700, 'essay');
INSERT INTO writes VALUES (1, 1), (1, 2), (1, 3), (2, 1), (2, 4), (3, 5);
INSERT INTO topic VALUES (1, 'sea'), (2, 'war'), (3, 'love');
INSERT INTO book_topic VALUES (1, 1), (2, 1), (3, 2), (4, 1), (5, 2);
"""


@pytest.fixture(scope="module")
def books(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with made(BOOKS, tmp_path_factory.mktemp("books")) as database:
        yield database


def _rows(answer: Answer) -> list[tuple[Any, ...]]:
    assert answer.result is not None, answer.text
    return list(answer.result.rows)


@pytest.mark.parametrize(
    ("asked", "rows"),
    [
        ("Which publishers have at least two books, and how many do they have?",
         {("Harbour", 3), ("Quill", 2)}),
        ("Name the publishers who have more than two books, with the number they have.", {("Harbour", 3)}),
        ("Writers with more than one book, and how many each of them has written",
         {("Ida Voss", 3), ("Leo Brandt", 2)}),
        ("Which two writers wrote the most books, and how many did each of them write?",
         {("Ida Voss", 3), ("Leo Brandt", 2)}),
        ("Which publisher has published the most books, and how many?", {("Harbour", 3)}),
        ("Which publisher has the most books and how many are there?", {("Harbour", 3)}),
    ],
)  # fmt: skip
def test_what_is_pointed_at_is_shown(asked: str, rows: set[Any], books: Database) -> None:
    assert set(_rows(ask(asked, books))) == rows


@pytest.mark.parametrize(
    ("asked", "rows"),
    [
        ("For each publisher, how many books it has published and how many pages they have on average",
         {("Harbour", 3, 200), ("Quill", 2, 600)}),
        ("How many pages do books have on average in each country?", {("Spain", 200), ("France", 600)}),
        ("On average, how many pages do the books of each type have?", None),
        ("How many writers does a book have on average?", {(1.2,)}),
        ("How many books does a publisher have on average?", {(5 / 3,)}),
        ("On average, how many books has a publisher who has any at all?", {(2.5,)}),
    ],
)  # fmt: skip
def test_averages_are_said_apart(asked: str, rows: set[Any] | None, books: Database) -> None:
    answer = ask(asked, books)
    if rows is None:  # right or declined, never a count
        assert answer.result is None or "AVG" in (answer.sql or "")
    else:
        assert set(_rows(answer)) == rows


@pytest.mark.parametrize(
    ("asked", "rows"),
    [
        ("Which topics are used by at least 3 books?", {("sea",)}),
        ("number of books and total pages by type of book", {("novel", 3, 900), ("essay", 2, 900)}),
        ("How many books came out per year from 2019 to 2020?", {("2019", 2), ("2020", 1)}),
        ("For each publisher, the number of books and how many of them came out in 2019",
         {(3, "Harbour", 2), (2, "Quill", 0)}),
        ("What are the average, the lowest and the highest number of pages per publisher?", None),
        ("Which topic has been used by the most books?", None),
    ],
)  # fmt: skip
def test_things_and_periods_of_numbers(asked: str, rows: set[Any] | None, books: Database) -> None:
    answer = ask(asked, books)
    if rows is not None:
        assert set(_rows(answer)) == rows


@pytest.mark.parametrize(
    "asked",
    [
        "Which publishers have at least two books, and how many books did they publish in 2019?",
        "How many books does a writer who lives in Spain have on average?",
    ],
)
def test_what_is_said_of_some_alone_is_declined(asked: str, books: Database) -> None:
    assert ask(asked, books).refusal is not None


REGIONS = """
CREATE TABLE region (id INTEGER PRIMARY KEY, name TEXT, "2023 sales" REAL, opened DATE);
INSERT INTO region VALUES (1, 'North', 20, '2019-01-02'), (2, 'South', 9.25, '2023-05-01');
"""


def test_a_year_in_the_name_of_a_column_restricts_nothing(tmp_path: Path) -> None:
    path = tmp_path / "regions.db"
    with sqlite3.connect(path) as writer:
        writer.executescript(REGIONS)
    with connect(path) as database:
        for question in ("which region has the highest 2023 sales?", "total 2023 sales"):
            given = ask(question, database)
            assert "opened" not in (given.sql or "")
            found = given.result or given.readings[0].result
            assert found is not None
            assert found.rows[0][0] in {"North", 29.25}
        assert "opened" in (ask("which regions opened in 2023?", database).sql or "")
