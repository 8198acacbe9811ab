"""Readings to choose among where the method isn't sure, and none where a question is about something else."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from fathom.databases import Database
from fathom.knowledge import KnowledgePack
from fathom.offline.engine import OfflineEngine
from fathom.offline.pipeline import settle
from fathom.offline.readings import is_worth_showing, readings, ways
from fathom.records import Question
from tests.offline.asking import ask
from tests.offline.making import made

SHOP = """
CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT, city TEXT);
CREATE TABLE purchase (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customer,
    amount REAL, day DATE);
INSERT INTO customer VALUES (1, 'Heather', 'Rome'), (2, 'Bo', 'Oslo'), (3, 'Cy', 'Rome'), (4, 'Di', 'Bonn');
INSERT INTO purchase VALUES (1, 1, 5, '2023-01-03'), (2, 1, 7, '2023-02-01'), (3, 2, 9, '2023-02-05'),
    (4, 3, 2, '2024-01-09');
"""


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with made(SHOP, tmp_path_factory.mktemp("shop")) as database:
        yield database


def test_what_is_not_sure_shows_ways_that_give_different_rows(shop: Database) -> None:
    draft = ask("purchases customers made in Rome lately", shop)
    assert draft.refusal is not None
    assert 1 <= len(draft.readings) <= 3
    given = [tuple(sorted(shop.run(r.sql).rows, key=repr)) for r in draft.readings]
    assert len({*given}) == len(given)
    sure = [r.confidence or 0.0 for r in draft.readings]
    assert sure == sorted(sure, reverse=True)
    assert draft.readings[0].sql == draft.sql


@pytest.mark.parametrize(
    "text", ["What is the weather?", "Who painted the Mona Lisa?", "How old is the moon?"]
)
def test_a_question_about_something_else_shows_none(shop: Database, text: str) -> None:
    assert ask(text, shop).readings == ()


def test_what_is_sure_shows_none(shop: Database) -> None:
    draft = ask("How many customers are there?", shop)
    assert (draft.refusal, draft.readings) == (None, ())


def test_a_word_for_a_thing_that_is_not_there_is_no_reading(shop: Database) -> None:
    found = settle(OfflineEngine(shop, KnowledgePack()), Question("How many customers are there?"))
    assert found is not None
    for missing, standing, worth in (
        (("parrots",), 0.4, False),
        (("parrots",), 0.9, False),
        (("married",), 0.7, False),  # what is done may be what the database knows nothing of
        (("given", "ever"), 0.4, True),
        (("Redding",), 0.4, False),  # a name
        (("speed",), 0.4, False),
        ((), 0.01, False),
    ):
        assert is_worth_showing(replace(found, missing=missing, standing=standing)) is worth, missing


def test_the_same_rows_are_one_way(shop: Database) -> None:
    engine = OfflineEngine(shop, KnowledgePack())
    found = settle(engine, Question("names of customers in Rome"))
    assert found is not None
    told = list(ways(engine, found.beside(replace(found, sql=f"{found.sql} "))))
    assert [w.sql for w in told].count(found.sql) == 1
    assert not [w for w in told if w.sql.endswith(" ")]
    assert readings(engine, found)[0].sql == found.sql


def test_readings_come_likeliest_first(shop: Database) -> None:
    engine = OfflineEngine(shop, KnowledgePack())
    found = settle(engine, Question("names of customers in Rome"))
    assert found is not None
    unlikely = replace(found, confidence=0.3, sql="SELECT name FROM customer", result=None)
    likelier = replace(found, confidence=0.4, sql="SELECT city FROM customer", result=None)
    told = [w.confidence for w in ways(engine, replace(found, confidence=0.5).beside(unlikely, likelier))]
    assert len(told) > 2
    assert told == sorted(told, reverse=True)
    rival = [w.confidence for w in ways(engine, replace(found, confidence=0.01), rival=1)]
    assert rival == sorted(rival, reverse=True)
