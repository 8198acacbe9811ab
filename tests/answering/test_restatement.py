"""Queries as phrases to choose a reading by: written from the parse, with every condition."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlglot import exp, parse_one
from tests.data import needed
from tests.offline.making import made
from tests.sampling import Sample

from fathom.answering.restatement import restated
from fathom.databases import Database, connect
from fathom.knowledge import KnowledgePack

SHOP = """
CREATE TABLE customer (id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, city TEXT, joined_on DATE,
    has_card INTEGER);
CREATE TABLE purchase (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customer, amount REAL,
    paid_on DATE, status TEXT);
CREATE TABLE product (id INTEGER PRIMARY KEY, name TEXT, price REAL, released_on DATE);
INSERT INTO customer VALUES (1, 'Ada', 'Lin', 'Rome', '2023-01-03', 1),
    (2, 'Bo', 'Lin', 'Oslo', '2024-01-03', 0);
INSERT INTO purchase VALUES (1, 1, 5, '2023-01-03', 'open'), (2, 1, 7, '2023-02-01', 'paid');
INSERT INTO product VALUES (1, 'Lamp', 5, '2023-01-03'), (2, 'Rug', 7, '2024-01-03');
"""
# Each query, and its phrase in the next line.
PHRASES = """
SELECT c.first_name, c.last_name FROM JOINED GROUP BY c.id ORDER BY COUNT(*) DESC LIMIT 1
the customer with the most purchases
SELECT c.first_name, c.last_name, SUM(p.amount) FROM JOINED GROUP BY c.id ORDER BY SUM(p.amount) LIMIT 3
the 3 customers with the lowest total amount
SELECT c.first_name, c.last_name FROM JOINED WHERE p.status = 'open'
customers where the purchase status is open, once for each purchase
SELECT DISTINCT c.first_name, c.last_name FROM JOINED
customers with purchases
SELECT c.first_name, c.last_name FROM JOINED WHERE p.amount > 5 GROUP BY c.id HAVING COUNT(*) > 2
customers where the purchase amount is more than 5 and whose number of purchases is more than 2
SELECT COUNT(*) FROM customer WHERE joined_on >= '2024-01-01' AND joined_on < '2025-01-01'
the number of customers that joined in 2024
SELECT c.city, AVG(p.amount) FROM JOINED GROUP BY c.city
the average amount of purchases for each customer city
SELECT MIN(price), MAX(price) FROM product
the lowest price and the highest price of products
SELECT COUNT(p.status) FROM purchase p
the number of purchases with status
SELECT name FROM product ORDER BY released_on DESC LIMIT 1
the product with the latest date released
SELECT price FROM product ORDER BY released_on LIMIT 1
the price of the product with the earliest date released
SELECT name FROM product ORDER BY name DESC
products, by name (from Z to A)
SELECT name FROM product ORDER BY price
products, by price (lowest first)
SELECT first_name FROM customer WHERE city IN ('Rome', 'Oslo')
the first name of customers whose city is Rome or Oslo
SELECT * FROM product WHERE price > 5
everything about products whose price is more than 5
SELECT name FROM product EXCEPT SELECT name FROM product WHERE price = 10000
products, but not products whose price is 10000
SELECT COUNT(DISTINCT paid_on) FROM purchase
the number of different dates paid
SELECT name FROM product WHERE price > (SELECT AVG(price) FROM product WHERE name = 'Rug')
products whose price is more than (the average price of products whose name is Rug)
SELECT c.first_name FROM JOINED GROUP BY p.status ORDER BY COUNT(*) DESC LIMIT 1
the customer first name of the status with the most purchases
SELECT name FROM product WHERE name LIKE 'R%' AND name NOT LIKE '%g'
products whose name begins with R and whose name doesn't end with g
SELECT name FROM product WHERE name LIKE '%a%'
products whose name contains a
SELECT name FROM product WHERE name LIKE 'L_mp'
products whose name has the pattern L_mp
SELECT AVG(p.amount) FROM JOINED WHERE c.city = 'Rome' AND c.first_name = 'Ada'
the average amount of purchases where the customer city is Rome and the customer first name is Ada
SELECT first_name, last_name FROM customer WHERE id NOT IN (SELECT customer_id FROM purchase)
customers without purchases
"""
_LINES = PHRASES.replace("JOINED", "customer c JOIN purchase p ON p.customer_id = c.id").strip().splitlines()


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with made(SHOP, tmp_path_factory.mktemp("shop")) as database:
        yield database


@pytest.mark.parametrize(("sql", "phrase"), [*zip(_LINES[::2], _LINES[1::2], strict=True)])
def test_a_query_is_a_phrase(shop: Database, sql: str, phrase: str) -> None:
    assert restated(sql, shop, KnowledgePack()) == phrase


def test_keys_that_join_tell_whose_rows_are_counted(tmp_path: Path) -> None:
    """A department has a manager, and an employee a department: each table refers to the other."""
    makes = """
        CREATE TABLE department (id INTEGER PRIMARY KEY, name TEXT, manager INTEGER REFERENCES employee);
        CREATE TABLE employee (id INTEGER PRIMARY KEY, name TEXT, pay REAL,
            department_id INTEGER REFERENCES department);
    """
    joined = "FROM department d JOIN employee e ON"
    with made(makes, tmp_path) as firm:

        def said(sql: str) -> str:
            return restated(sql, firm, KnowledgePack())

        members = f"SELECT d.name, COUNT(*) {joined} e.department_id = d.id GROUP BY d.id"
        assert said(members) == "the number of employees for each department"
        led = f"SELECT e.name, COUNT(*) {joined} d.manager = e.id GROUP BY e.id"
        assert said(led) == "the number of departments for each employee"
        assert said(f"SELECT AVG(e.pay) {joined} 1 = 1") == ("the average pay of departments with employees")


@pytest.mark.parametrize(
    "sql",
    [
        "WITH t AS (SELECT amount FROM purchase WHERE status = 'paid') SELECT SUM(amount) FROM t",
        "SELECT 100.0 * SUM(CASE WHEN status = 'paid' THEN 1 ELSE 0 END) / COUNT(*) FROM purchase",
        "SELECT COUNT(*) FROM (SELECT customer_id FROM purchase WHERE status = 'paid' GROUP BY customer_id)",
        "SELECT amount, RANK() OVER (ORDER BY amount) FROM purchase WHERE status = 'paid'",
    ],
)
def test_what_no_phrase_says_whole_is_said_in_sentences(shop: Database, sql: str) -> None:
    told = restated(sql, shop, KnowledgePack())
    assert "paid" in told
    assert told.startswith(("Shows", "First makes"))


def test_names_of_a_pack_stand_in_phrases(shop: Database) -> None:
    pack = KnowledgePack.model_validate({"tables": {"purchase": {"name": "deal"}}})
    assert restated("SELECT COUNT(*) FROM purchase", shop, pack) == "the number of deals"


def test_what_cannot_be_parsed_has_no_words(shop: Database) -> None:
    assert restated("SELECT (((", shop, KnowledgePack()) == ""


def _conditions(sql: str) -> list[str]:
    """The values that a query compares rows with, as plain letters and digits."""
    clauses = parse_one(sql, read="sqlite").find_all(exp.Where, exp.Having)
    literals = [value for clause in clauses for value in clause.find_all(exp.Literal)]
    limits = [v for v in literals if isinstance(v.find_ancestor(exp.Limit, exp.Where), exp.Limit)]
    values = [value.name for value in literals if not any(value is v for v in limits)]
    return [_plain(value) for value in values if _plain(value)]


def _plain(words: str) -> str:
    return re.sub(r"\W+", "", words).casefold()


def _lost(queries: list[str], database: Database) -> list[tuple[str, str]]:
    """The queries of which a condition is missing in the words."""
    told = [(sql, restated(sql, database, KnowledgePack())) for sql in queries]
    return [(sql, words) for sql, words in told if any(v not in _plain(words) for v in _conditions(sql))]


def test_every_condition_of_stored_questions_is_in_the_words(sample: Sample) -> None:
    """Spider's gold queries, a few of its databases in a sample, and BIRD's of one."""
    spider = json.loads(needed("spider", "train_spider.json").read_text(encoding="utf-8"))
    names = sorted({one["db_id"] for one in spider})
    for name in sample.of(names, 1 / 40, about="Spider"):
        with connect(str(needed("spider", "database", name, f"{name}.sqlite")), index=False) as database:
            queries = sorted({one["query"] for one in spider if one["db_id"] == name})
            assert _lost(queries, database) == [], name
    bird = json.loads(needed("bird", "dev.json").read_text(encoding="utf-8"))
    with connect(str(needed("bird", "dev_databases", "financial", "financial.sqlite"))) as database:
        assert _lost([one["SQL"] for one in bird if one["db_id"] == "financial"], database) == []
