from dataclasses import replace
from pathlib import Path

import pytest
from tests.offline.making import made

from fathom.answering import ask
from fathom.answering.likely_readings import likely_readings, told_apart
from fathom.methods import Context, Method, step
from fathom.records import Draft, Reading, Refusal, Schema

SHOP = """
CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE purchase (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customer,
    amount REAL, day DATE);
INSERT INTO customer VALUES (1, 'Heather'), (2, 'Bo');
INSERT INTO purchase VALUES (1, 1, 5, '2023-01-03'), (2, 1, 7, '2023-02-01');
"""
MEANT = [
    "SELECT SUM(amount) FROM purchase",
    "SELECT COUNT(id), MAX(day), COUNT(customer_id) FROM purchase",
    "SELECT c.name, SUM(p.amount) FROM purchase p JOIN customer c ON p.customer_id = c.id GROUP BY c.name",
    "SELECT SUM(CASE WHEN day > '2023-01-31' THEN 1 ELSE 0 END) FROM purchase",
    "SELECT * FROM purchase WHERE id = 17",
    "SELECT * FROM purchase WHERE amount = 2023",
    "SELECT * FROM customer WHERE id = 2023",
    "SELECT nonsense FROM",
]
ABSURD = [
    "SELECT SUM(day) FROM purchase",
    "SELECT c.name, AVG(p.customer_id) FROM purchase p JOIN customer c ON p.customer_id = c.id GROUP BY 1",
    "SELECT SUM(CAST(p.id AS REAL)) FROM purchase AS p",
    "SELECT n FROM (SELECT SUM(day) AS n FROM purchase) AS t",
    "SELECT * FROM purchase WHERE id = 2023",
    "SELECT * FROM purchase WHERE id BETWEEN 2020 AND 2023",
]


ASKED = "top 3 purchases since 2023 of Bo with amount 17"
ABSURD += [
    "SELECT * FROM purchase WHERE amount = 3 ORDER BY day LIMIT 3",
    "SELECT * FROM purchase ORDER BY id DESC LIMIT 1",
    "SELECT amount FROM purchase ORDER BY customer_id LIMIT 1",
    "SELECT id FROM customer WHERE name IN (SELECT name FROM customer WHERE name = 'Bo')",
    "SELECT id FROM customer WHERE name = (SELECT name FROM customer WHERE name = 'Bo')",
]
MEANT += [
    "SELECT * FROM purchase WHERE amount = 17 ORDER BY day LIMIT 3",
    "SELECT * FROM purchase ORDER BY id DESC",
    "SELECT amount FROM purchase ORDER BY day, id LIMIT 1",
    "SELECT id FROM customer WHERE id = (SELECT customer_id FROM purchase WHERE amount = 17)",
    "SELECT id FROM customer WHERE name = (SELECT MAX(name) FROM customer WHERE id = 1)",
    "SELECT id FROM customer WHERE name = (SELECT name FROM customer WHERE id = 1)",
]


@pytest.fixture(scope="module")
def schema(tmp_path_factory: pytest.TempPathFactory) -> Schema:
    with made(SHOP, tmp_path_factory.mktemp("shop")) as database:
        return database.schema


@pytest.mark.parametrize("sql", MEANT)
def test_what_may_be_meant_stays(schema: Schema, sql: str) -> None:
    assert [r.sql for r in likely_readings([Reading("it", sql, 0.05)], schema, ASKED)] == [sql]


@pytest.mark.parametrize("sql", ABSURD)
def test_sums_of_dates_and_keys_and_years_as_keys_go(schema: Schema, sql: str) -> None:
    assert likely_readings([Reading("it", sql, 0.9)], schema, ASKED) == []


def test_a_reading_under_one_in_twenty_goes(schema: Schema) -> None:
    both = [Reading(str(sure), MEANT[0], sure) for sure in (0.05, 0.049, None)]
    assert [r.text for r in likely_readings(both, schema, ASKED)] == ["0.05", "None"]


def test_of_the_same_rows_one_reading_stays_unless_the_question_names_a_column(schema: Schema) -> None:
    queries = [
        f"SELECT {shown} FROM purchase WHERE amount > 5{more}"
        for shown, more in (
            *(("id", ""), ("*", ""), ("customer_id, id", "")),
            *(("day", ""), ("DISTINCT id", ""), ("id", " ORDER BY day"), ("id, COUNT(*)", "")),
        )
    ]

    def kept(question: str) -> list[int]:
        given = [Reading("", sql, 0.4) for sql in queries]
        return [queries.index(r.sql) for r in likely_readings(given, schema, question)]

    assert kept("purchases over 5") == [0, 4, 5, 6]
    assert kept("days of purchases over 5") == [0, 3, 4, 5, 6]


@step("generation")
async def torn(draft: Draft, context: Context) -> Draft:
    readings = tuple(Reading(sql, sql, 0.4) for sql in (ABSURD[0], MEANT[0], MEANT[1]))
    return replace(
        draft, sql=MEANT[0], readings=readings, refusal=Refusal("Nothing accounts for it.", ("big",))
    )


def test_an_answer_asks_back_with_likely_readings_and_says_what_it_leaves_out(tmp_path: Path) -> None:
    with made(SHOP, tmp_path) as database:
        given = ask("big purchases", database, method=Method("torn", (torn,)))
    assert [r.sql for r in given.readings] == MEANT[:2]
    told = [a.text for a in given.choose(1).assumptions]
    assert "“big” is left out: nothing in the database matches it." in told


@step("generation")
async def twins(draft: Draft, context: Context) -> Draft:
    queries = [
        "SELECT c.name, SUM(p.amount) FROM purchase p JOIN customer c ON p.customer_id = c.id "
        f"{where} GROUP BY c.name"
        for where in ("WHERE p.amount > 6", "")
    ]
    readings = tuple(Reading("the total amount for each name", sql, 0.4) for sql in queries)
    return replace(draft, sql=queries[0], readings=readings)


def test_readings_never_share_their_words_and_charts_say_what_they_show(tmp_path: Path) -> None:
    more = "INSERT INTO purchase VALUES (3, 2, 9, '2023-01-03');"
    with made(SHOP + more, tmp_path) as database:
        given = ask("big purchases per customer", database, method=Method("twins", (twins,)))
    first, second = given.readings
    assert first.text != second.text
    assert "amount is more than 6" in first.text
    assert first.chart is not None
    assert second.chart is not None
    title = "The total amount of purchases for each customer"
    assert second.chart.specification["title"] == title
    narrower = "The total amount of purchases whose amount is more than 6 for each customer"
    assert first.chart.specification["title"] == narrower


def test_readings_of_the_same_words_say_how_they_join() -> None:
    joined = "SELECT AVG(s.age) FROM student s JOIN vote v ON s.id = v."
    readings = [
        Reading("the average age", f"{joined}{column}", explanation="In full.") for column in ("a", "b")
    ]
    told = [one.text for one in told_apart(readings, "sqlite")]
    assert told == [f"the average age (of student with vote by “{column}”)" for column in ("a", "b")]
    by_key = "SELECT AVG(s.age) FROM student s JOIN vote v ON s.student_id = v.cast_by_student_id"
    (_, same) = told_apart([readings[0], replace(readings[0], sql=by_key)], "sqlite")
    assert same.text == "the average age (of student with vote by “cast by student”)"
    alike = [replace(readings[0], explanation=text) for text in ("One.", "Other.")]
    assert [one.text for one in told_apart(alike, "sqlite")] == ["One", "Other"]
