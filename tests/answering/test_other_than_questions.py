"""Texts that aren't one question in English get the sentence that helps."""

import json
from collections.abc import Iterator

import pytest
from tests.data import needed
from tests.offline.making import made

from fathom.answering.other_than_questions import instead_of_question, language_of, why_not_read
from fathom.answering.pipeline import ask
from fathom.databases import Database

SHOP = """
CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT, city TEXT);
CREATE TABLE purchase (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customer, amount REAL);
INSERT INTO customer VALUES (1, 'Ada', 'Rome'), (2, 'Bo', 'Oslo');
INSERT INTO purchase VALUES (1, 1, 5), (2, 1, 7);
"""


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with made(SHOP, tmp_path_factory.mktemp("shop")) as database:
        yield database


@pytest.mark.parametrize("text", ["help", "What can I ask?", " HELP! "])
def test_a_call_for_help_is_told_what_there_is(shop: Database, text: str) -> None:
    given = ask(text, shop)
    assert given.text.startswith("You can ask about customers and purchases:")
    assert given.refusal is not None
    assert given.refusal.instead
    assert all(ask(one, shop).refusal is None for one in given.refusal.instead)


@pytest.mark.parametrize(
    ("text", "is_sql"),
    [
        ("SELECT COUNT(*) FROM customer", True),
        ("select c.name as who from customer c order by who;", True),
        ("WITH t AS (SELECT amount FROM purchase) SELECT amount FROM t", True),
        ("Select the customers from Oslo", False),  # parses, over a table that there isn't
        ("select amounts from purchase", False),
        ("How many customers are there?", False),
    ],
)
def test_sql_is_told_from_english(shop: Database, text: str, is_sql: bool) -> None:
    found = instead_of_question(text, shop.schema)
    assert (found is not None and "fathom sql" in found.reason) is is_sql


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Wie viele Kunden haben wir?", "German"),
        ("Combien de clients avons nous par ville ?", "French"),
        ("¿Cuántos clientes hay por ciudad?", "Spanish"),
        ("Quanti clienti ci sono per ogni città?", "Italian"),
        ("Quantos clientes temos por cidade com mais de um pedido?", "Portuguese"),
        ("Hoeveel klanten hebben wij voor elke stad?", "Dutch"),
        ("How many customers are there in Los Angeles?", ""),
        ("customers named De Vries", ""),
        ("sales per store", ""),
    ],
)
def test_other_languages_are_named(text: str, language: str) -> None:
    assert language_of(text) == language


def test_no_english_question_is_taken_for_another_language() -> None:
    asked = json.loads(needed("spider", "train_spider.json").read_text(encoding="utf-8"))
    assert [one["question"] for one in asked if language_of(one["question"])] == []


def test_what_cannot_be_read_says_why(shop: Database) -> None:
    given = ask("Wie viele Kunden haben wir?", shop)
    assert (given.sql, given.readings) == (None, ())
    assert "looks like German" in given.text
    asked = why_not_read("How many customers are there? What is the total amount?")
    assert asked is not None
    assert asked.instead == ("How many customers are there?", "What is the total amount?")
    assert why_not_read("Which customer is it? Give me the name.") is None
