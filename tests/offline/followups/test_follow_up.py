"""Follow-ups as edits of the query before, over two databases, judged by the rows they give."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from fathom.answering import Conversation, prepare
from fathom.databases import Database, connect
from fathom.offline.engine import OfflineEngine
from fathom.offline.followups import FollowedUp, follow, standing
from fathom.offline.followups.rules import RULES, FollowUpRule

SINGERS = """
CREATE TABLE singer (singer_id INTEGER PRIMARY KEY, name TEXT, country TEXT, age INTEGER);
CREATE TABLE concert (concert_id INTEGER PRIMARY KEY, title TEXT, year INTEGER, price REAL,
                      singer_id INTEGER REFERENCES singer(singer_id));
INSERT INTO singer VALUES (1, 'Ana Lima', 'Brazil', 31), (2, 'Bo Ek', 'Sweden', 45),
                          (3, 'Cy Roy', 'France', 22), (4, 'Di Roux', 'France', 60);
INSERT INTO concert VALUES (1, 'Spring', 2019, 10, 1), (2, 'Summer', 2020, 30, 1), (3, 'Autumn', 2020, 20, 3);
"""
STORE = """
CREATE TABLE customer (customer_id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, city TEXT);
CREATE TABLE purchase (purchase_id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customer(customer_id),
                       bought_on DATE, amount REAL, status TEXT);
INSERT INTO customer VALUES (1, 'Eva', 'Noor', 'Oslo'), (2, 'Finn', 'Berg', 'Bergen'),
                            (3, 'Gro', 'Dahl', 'Oslo');
INSERT INTO purchase VALUES (1, 1, '2009-03-01', 10.0, 'paid'), (2, 1, '2010-05-02', 40.0, 'open'),
                            (3, 2, '2010-07-03', 20.0, 'paid'), (4, 3, '2011-01-04', 5.0, 'paid');
"""
CLUB = """
CREATE TABLE member (member_id INTEGER PRIMARY KEY, name TEXT, is_active BOOLEAN);
INSERT INTO member VALUES (1, 'Ida', 1), (2, 'Jon', 0), (3, 'Kim', 1);
"""
FRENCH = "SELECT name FROM singer WHERE country = 'France'"
ALL = "SELECT name FROM singer"
NEITHER = "SELECT name FROM singer WHERE country <> 'Sweden'"
ACTIVE = "SELECT COUNT(*) FROM member WHERE is_active = 1"
AGES = "SELECT name, age FROM singer ORDER BY age DESC"
AVERAGE = "SELECT AVG(age) FROM singer WHERE country = 'France'"
OLDEST = "SELECT name FROM singer ORDER BY age DESC LIMIT 1"
IN_2020 = "SELECT title FROM concert WHERE year = 2020"
PEOPLE = "SELECT customer_id FROM customer"
PAID = "SELECT SUM(amount) FROM purchase WHERE status = 'paid'"
IN_2009 = "SELECT purchase_id FROM purchase WHERE bought_on LIKE '2009%'"
BY_CITY = "SELECT city, COUNT(*) FROM customer GROUP BY city"
BIG = "SELECT purchase_id FROM purchase WHERE amount > 15"

EDITS = [
    ("singers", FRENCH, "and from Sweden?", [("Bo Ek",)]),
    ("singers", FRENCH, "What about Brazil?", [("Ana Lima",)]),
    ("singers", ALL, "only those from Brazil", [("Ana Lima",)]),
    ("singers", ALL, "Which of them are older than 40?", [("Bo Ek",), ("Di Roux",)]),
    ("singers", ALL, "just the ones from France", [("Cy Roy",), ("Di Roux",)]),
    ("singers", ALL, "but not those from France", [("Ana Lima",), ("Bo Ek",)]),
    ("singers", FRENCH, "only those younger than 30", [("Cy Roy",)]),
    ("singers", FRENCH, "how many are there?", [(2,)]),
    ("singers", IN_2020, "How many of them?", [(2,)]),
    ("singers", IN_2020, "and in 2019?", [("Spring",)]),
    ("singers", AVERAGE, "and the maximum?", [(60,)]),
    ("singers", AVERAGE, "what about Sweden?", [(45.0,)]),
    ("singers", AGES, "What about the average?", [(39.5,)]),
    ("singers", ALL, "sort them by age", [("Cy Roy",), ("Ana Lima",), ("Bo Ek",), ("Di Roux",)]),
    ("singers", ALL, "order them by age descending", [("Di Roux",), ("Bo Ek",), ("Ana Lima",), ("Cy Roy",)]),
    ("singers", AGES, "in reverse order", [("Cy Roy", 22), ("Ana Lima", 31), ("Bo Ek", 45), ("Di Roux", 60)]),
    ("singers", AGES, "only the first 2", [("Di Roux", 60), ("Bo Ek", 45)]),
    ("singers", AGES, "top three", [("Di Roux", 60), ("Bo Ek", 45), ("Ana Lima", 31)]),
    ("singers", OLDEST, "and the youngest?", [("Cy Roy",)]),
    ("singers", FRENCH, "show their ages instead", [(22,), (60,)]),
    ("singers", FRENCH, "show their age too", [("Cy Roy", 22), ("Di Roux", 60)]),
    ("singers", FRENCH, "all of them", [("Ana Lima",), ("Bo Ek",), ("Cy Roy",), ("Di Roux",)]),
    ("singers", AVERAGE, "by country", [("France", 41.0)]),
    ("singers", FRENCH, "and not from France?", [("Ana Lima",), ("Bo Ek",)]),
    ("singers", FRENCH, "and not from Sweden?", [("Ana Lima",), ("Cy Roy",), ("Di Roux",)]),
    ("singers", NEITHER, "and not from France?", [("Ana Lima",)]),
    ("club", ACTIVE, "and not active?", [(1,)]),
    ("store", PEOPLE, "show their names instead", [("Eva", "Noor"), ("Finn", "Berg"), ("Gro", "Dahl")]),
    ("singers", FRENCH, "and Sweden too", [("Bo Ek",), ("Cy Roy",), ("Di Roux",)]),
    ("singers", FRENCH, "and from Sweden or Brazil?", [("Ana Lima",), ("Bo Ek",)]),
    ("singers", ALL, "only those older than 30 and younger than 50", [("Ana Lima",), ("Bo Ek",)]),
    ("store", BIG, "highest amount first", [(2,), (3,)]),
    ("store", BY_CITY, "lowest to highest order", [("Bergen", 1), ("Oslo", 2)]),
    ("singers", IN_2020, "and those by Ana Lima", [("Summer",)]),
    ("singers", "SELECT title FROM concert", "oldest first", [("Spring",), ("Summer",), ("Autumn",)]),
    ("singers", ALL, "the 2 oldest", [("Di Roux",), ("Bo Ek",)]),
    ("singers", ALL, "count them by country", [("Brazil", 1), ("France", 2), ("Sweden", 1)]),
    ("store", BY_CITY, "which one has the most?", [("Oslo", 2)]),
    ("store", BY_CITY, "only those with more than 1", [("Oslo", 2)]),
    ("store", PAID, "by month", [("2009-03", 10.0), ("2010-07", 20.0), ("2011-01", 5.0)]),
    ("store", PEOPLE, "only those in Oslo", [(1,), (3,)]),
    ("store", PEOPLE, "sort them by name", [(1,), (2,), (3,)]),
    ("store", IN_2009, "and in 2010?", [(2,), (3,)]),
    ("store", PAID, "what about the average?", [(35 / 3,)]),
    ("store", PAID, "and for open ones?", [(40.0,)]),
    ("store", PAID, "only in 2010", [(20.0,)]),
    ("store", BY_CITY, "sort them by the number", [("Bergen", 1), ("Oslo", 2)]),
    ("store", BY_CITY, "how many are there?", [(2,)]),
    ("store", BIG, "and above 30?", [(2,)]),
    ("store", BIG, "which of those are paid?", [(3,)]),
    ("store", BIG, "group them by status", [("open", 1), ("paid", 1)]),
]
SORTED = ("sort", "order", "reverse", "first", "top")


@pytest.fixture(scope="module")
def engines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, OfflineEngine]]:
    folder = tmp_path_factory.mktemp("followed")
    opened = {name: _made(folder / f"{name}.sqlite", sql) for name, sql in _SCRIPTS.items()}
    yield {name: OfflineEngine(database) for name, database in opened.items()}
    for database in opened.values():
        database.close()


_SCRIPTS = {"singers": SINGERS, "store": STORE, "club": CLUB}


def _made(file: Path, script: str) -> Database:
    made = sqlite3.connect(file)
    made.executescript(script)
    made.close()
    return connect(file)


@pytest.mark.parametrize(("database", "before", "text", "rows"), EDITS)
def test_a_follow_up_edits_the_query_before(
    database: str, before: str, text: str, rows: list[tuple[object, ...]], engines: dict[str, OfflineEngine]
) -> None:
    edited = follow(text, before, engines[database])
    assert edited.sql is not None, edited.unread
    found = [_rounded(r) for r in engines[database].database.run(edited.sql).rows]
    rows = [_rounded(r) for r in rows]
    if not any(word in text for word in SORTED):
        found, rows = sorted(found, key=str), sorted(rows, key=str)
    assert found == rows, edited.sql


def _rounded(row: tuple[object, ...]) -> tuple[object, ...]:
    return tuple(round(cell, 6) if isinstance(cell, float) else cell for cell in row)


@pytest.mark.parametrize(
    ("text", "unread"),
    [
        ("How many concerts were there in 2020?", ("concerts", "2020")),
        ("List all customers", ("customers",)),
        ("and the purple elephant?", ("purple", "elephant")),
        ("sort them by shoe size", ("shoe", "size")),
        ("only the rich ones from Sweden", ("rich",)),
        ("and from Sweden without the tax?", ("tax",)),
        ("how many of them are heavier than 40?", ("heavier", "40")),
        ("and their ages per month?", ("per", "month")),
        ("only the young ones", ("young",)),
        ("only those in Sweden or Norway", ("Norway",)),
        ("and never from Sweden?", ("never",)),
        ("the same for concerts", ("concerts",)),
        ("and from Sweden older than 30 and heavier than 5", ("heavier", "5")),
    ],
)
def test_a_word_that_nothing_accounts_for_is_named_and_nothing_edited(
    text: str, unread: tuple[str, ...], engines: dict[str, OfflineEngine]
) -> None:
    followed = follow(text, FRENCH, engines["singers"])
    assert followed.sql is None
    assert set(unread) <= set(followed.unread)


@pytest.mark.parametrize("text", ["", "?", "...", "and?"])
def test_a_text_without_words_edits_nothing(text: str, engines: dict[str, OfflineEngine]) -> None:
    assert follow(text, FRENCH, engines["singers"]) == FollowedUp()


def test_a_query_that_can_not_be_read_is_left_alone(engines: dict[str, OfflineEngine]) -> None:
    followed = follow("and from Sweden?", "SELECT name FROM nowhere", engines["singers"])
    assert followed == FollowedUp(editable=False)


@pytest.mark.parametrize("rule", RULES, ids=lambda r: r.name)
def test_each_rule_reads_its_example(rule: FollowUpRule, engines: dict[str, OfflineEngine]) -> None:
    engine = engines["singers"]
    assert follow(rule.example, rule.before, engine).sql == rule.after
    others = tuple(r for r in RULES if r is not rule)
    assert follow(rule.example, rule.before, engine, others).sql != rule.after, (
        "another rule reads it as well"
    )


@pytest.mark.parametrize(
    ("text", "stands"),
    [
        ("and in 2015?", "follows"),
        ("what about Germany?", "follows"),
        ("who is the oldest of them?", "follows"),
        ("how many are there?", "follows"),
        ("by country instead", "rather follows"),
        ("which one has the most?", "follows"),
        ("which has the most?", "rather follows"),
        ("show the prices too", "rather follows"),
        ("Which singers are from France?", "may follow"),
        ("How many artists are there in the database?", "may follow"),
        ("List all customers with their emails", "may follow"),
        ("", "whole"),
        ("and " * 13, "whole"),
    ],
)
def test_how_a_text_stands_to_the_answer_before(text: str, stands: str) -> None:
    assert standing(text) == stands


def test_a_conversation_tells_what_it_took_a_follow_up_for(tmp_path: Path) -> None:
    with _made(tmp_path / "singers.sqlite", SINGERS) as database:
        talk = Conversation(prepare(database))
        first = talk.ask("List the names of all singers from France.")
        assert first.refusal is None
        then = talk.ask("and from Sweden?")
        assert then.result is not None
        assert then.result.rows == (("Bo Ek",),)
        assert then.assumptions[0].text.startswith("I took this as: ")
        assert "Sweden" in then.assumptions[0].text
        counted = talk.ask("how many are there?")
        assert counted.result is not None
        assert counted.result.rows == ((1,),)
