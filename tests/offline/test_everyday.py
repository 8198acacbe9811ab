"""Ordinary questions to a shop: what is out of stock, was late, is used most, and who is whose manager."""

from collections.abc import Iterator
from typing import Any

import pytest

from fathom import ask
from fathom.databases import Database
from tests.offline.asking import ask as drafted
from tests.offline.asking import rows_of
from tests.offline.making import made

STORE = """
CREATE TABLE employee (employee_id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, birth_date DATE,
    city TEXT, reports_to INTEGER REFERENCES employee);
CREATE TABLE shipper (shipper_id INTEGER PRIMARY KEY, company TEXT);
CREATE TABLE material (material_id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE colour (colour_id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE region (region_id INTEGER PRIMARY KEY, region_description TEXT);
CREATE TABLE employee_region (employee_id INTEGER REFERENCES employee, region_id INTEGER REFERENCES region,
    PRIMARY KEY (employee_id, region_id));
CREATE TABLE customer (customer_id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, country TEXT,
    support_rep_id INTEGER REFERENCES employee);
CREATE TABLE product (product_id INTEGER PRIMARY KEY, product_name TEXT, price REAL, units_in_stock INTEGER,
    material_id INTEGER REFERENCES material, colour_id INTEGER REFERENCES colour);
CREATE TABLE bag (bag_id INTEGER PRIMARY KEY, bag_name TEXT, colour_id INTEGER REFERENCES colour);
CREATE TABLE orders (order_id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customer, order_date DATE,
    required_date DATE, shipped_date DATE, ship_via INTEGER, ship_name TEXT, freight REAL);
INSERT INTO employee VALUES (1, 'Maria', 'Keller', date('now', '-61 years', '-5 days'), 'Bern', NULL),
    (2, 'Tom', 'Archer', date('now', '-40 years', '-5 days'), 'Bern', 1),
    (3, 'Nina', 'Fox', date('now', '-25 years', '-5 days'), 'Graz', 1);
INSERT INTO shipper VALUES (1, 'Fast Parcel'), (2, 'Blue Freight');
INSERT INTO material VALUES (1, 'oak'), (2, 'pine'), (3, 'steel');
INSERT INTO colour VALUES (1, 'red'), (2, 'white');
INSERT INTO region VALUES (1, 'Uplands'), (2, 'Coast'), (3, 'Plains');
INSERT INTO employee_region VALUES (2, 1), (2, 3), (3, 2);
INSERT INTO customer VALUES (1, 'Ann', 'Ito', 'Japan', 2), (2, 'Bo', 'Haas', 'Austria', 3),
    (3, 'Kim', 'Eze', 'Kenya', 3), (4, 'Lea', 'Lund', 'Norway', 3);
INSERT INTO product VALUES (1, 'Desk', 200, 4, 2, 1), (2, 'Lamp', 40, 0, 3, 2), (3, 'Shelf', 90, 7, 2, 1),
    (4, 'Stool', 60, 0, 1, 2);
INSERT INTO bag VALUES (1, 'Tote', 1), (2, 'Sack', 2);
INSERT INTO orders VALUES (1, 1, '2021-01-04', '2021-01-20', '2021-01-12', 2, 'Ann Ito', 7),
    (2, 1, '2021-02-04', '2021-02-20', '2021-02-25', 1, 'Ann Ito', 30),
    (3, 2, '2021-03-04', '2021-03-20', NULL, NULL, 'Bo Haas', 9),
    (4, 3, '2022-01-04', '2022-01-20', '2022-01-20', 2, 'Ann Ito', 4),
    (5, 3, '2022-02-04', '2022-02-20', '2022-03-01', 2, 'Bo Haas', 5);
"""


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with made(STORE, tmp_path_factory.mktemp("store")) as database:
        yield database


@pytest.mark.parametrize(
    ("asked", "rows"),
    [
        ("Which products are out of stock?", {("Lamp",), ("Stool",)}),
        ("products in stock", {("Desk",), ("Shelf",)}),
        ("how many products are out of stock?", {(2,)}),
        ("which orders were shipped late?", {(2,), (5,)}),
        ("late orders", {(2,), (5,)}),
        ("how many orders were late?", {(2,)}),
        ("orders shipped on time", {(1,), (4,)}),
        ("orders not yet shipped", {(3,)}),
        ("orders placed in 2022", {(4,), (5,)}),
        ("orders from 2021", {(1,), (2,), (3,)}),
        ("orders from 2022 onwards", {(4,), (5,)}),
        (
            "orders with their ship names",
            {(1, "Ann Ito"), (2, "Ann Ito"), (3, "Bo Haas"), (4, "Ann Ito"), (5, "Bo Haas")},
        ),
        ("how many orders were placed in 2021", {(3,)}),
        ("Which order has the highest freight?", {(2,)}),
        ("What is the most common material?", {("pine",)}),
        ("which material is used most", {("pine",)}),
        ("How old is the oldest employee?", {(61,)}),
        ("what is the age of the youngest employee in Bern", {(40,)}),
        ("Who is Tom Archer's manager?", {("Maria", "Keller")}),
        ("Which employee supports the most customers?", {("Nina", "Fox")}),
        ("Which sales rep has the most customers?", {("Nina", "Fox")}),
        (
            "How many customers does each sales rep have?",
            {("Tom", "Archer", 1), ("Nina", "Fox", 3)},
        ),
        ("who is the support rep of Ann Ito?", {("Tom", "Archer")}),
        (
            "employees with their managers",
            {
                ("Maria", "Keller", None, None),
                ("Tom", "Archer", "Maria", "Keller"),
                ("Nina", "Fox", "Maria", "Keller"),
            },
        ),
    ],
)
def test_ordinary_questions(asked: str, rows: set[Any], store: Database) -> None:
    assert rows_of(asked, store) == rows


def test_best_guesses_show_names(store: Database) -> None:
    draft = drafted("Which regions does Tom Archer cover?", store)
    assert set(store.run(draft.sql or "").rows) == {("Uplands",), ("Plains",)}


@pytest.mark.parametrize("asked", ["Who is Maria Keller's manager?", "who reports to Nina Fox?"])
def test_that_there_is_nobody_is_an_answer(asked: str, store: Database) -> None:
    answer = ask(asked, store)
    assert answer.refusal is None
    assert answer.result is not None
    assert answer.result.rows == ()
    assert any("reports_to" in a.text for a in answer.assumptions)


@pytest.mark.parametrize(
    "asked",
    [
        pytest.param("Who is Maria Archer's manager?", id="there is no such row"),
        pytest.param("most common colour", id="several tables refer to it"),
        pytest.param("how many products are in stock?", id="kinds or pieces"),
        pytest.param("which employees were late?", id="nothing says when they were due"),
        pytest.param("late fees", id="what isn't there"),
    ],
)
def test_what_is_not_clear_is_declined(asked: str, store: Database) -> None:
    answer = ask(asked, store)
    assert answer.refusal is not None, answer.sql


def test_a_key_that_is_asked_for_is_shown(store: Database) -> None:
    answer = ask("what is the id of the support rep of Ann Ito?", store)
    assert answer.refusal is not None or (answer.result is not None and answer.result.rows == ((2,),))
