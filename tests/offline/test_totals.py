"""Money that no column is called after, and counts for each of something: asked of a shop's orders.

The data tell wrong readings apart: who orders most often doesn't spend the most, the dearest product doesn't
bring in most, and invoices have totals of their own, which a join with their lines would repeat.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fathom import Answer, ask
from fathom.databases import Database
from tests.offline.making import made

TRADE = """
CREATE TABLE customer (customer_id INTEGER PRIMARY KEY, name TEXT, city TEXT, country TEXT);
CREATE TABLE clerk (clerk_id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, title TEXT);
CREATE TABLE category (category_id INTEGER PRIMARY KEY, category_name TEXT);
CREATE TABLE product (product_id INTEGER PRIMARY KEY, product_name TEXT, price REAL,
    category_id INTEGER REFERENCES category);
CREATE TABLE orders (order_id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customer,
    clerk_id INTEGER REFERENCES clerk, order_date DATE, ship_country TEXT);
CREATE TABLE order_line (order_id INTEGER REFERENCES orders, product_id INTEGER REFERENCES product,
    quantity INTEGER, unit_price REAL, PRIMARY KEY (order_id, product_id));
INSERT INTO customer VALUES (1, 'Blue Kettle', 'Ghent', 'Belgium'), (2, 'Old Mill', 'Lyon', 'France'),
    (3, 'Green Door', 'Paris', 'France'), (4, 'Quiet Pine', 'Bruges', 'Belgium');
INSERT INTO clerk VALUES (1, 'Nina', 'Fox', 'Sales Manager'), (2, 'Omar', 'Said', 'Clerk'),
    (3, 'Omar', 'Lund', 'Clerk');
INSERT INTO category VALUES (1, 'Tea'), (2, 'Spices');
INSERT INTO product VALUES (1, 'Assam', 10, 1), (2, 'Sencha', 20, 1), (3, 'Saffron', 90, 2);
INSERT INTO orders VALUES (1, 1, 1, '2020-03-05', 'Belgium'), (2, 1, 2, '2020-07-01', 'Belgium'),
    (3, 1, 2, '2021-01-20', 'France'), (4, 2, 3, '2021-05-11', 'France'), (5, 3, 2, '2020-03-17', 'France');
INSERT INTO order_line VALUES (1, 1, 5, 10), (1, 2, 1, 20), (2, 1, 2, 10), (3, 1, 3, 10), (4, 1, 40, 9),
    (4, 3, 1, 90), (5, 2, 4, 20);
"""
SPENT = {"Blue Kettle": 120, "Old Mill": 450, "Green Door": 80}
PAID = """
CREATE TABLE member (member_id INTEGER PRIMARY KEY, full_name TEXT, city TEXT);
CREATE TABLE invoice (invoice_id INTEGER PRIMARY KEY, member_id INTEGER REFERENCES member, issued DATE,
    total REAL);
CREATE TABLE invoice_line (line_id INTEGER PRIMARY KEY, invoice_id INTEGER REFERENCES invoice, course TEXT,
    quantity INTEGER, unit_price REAL);
INSERT INTO member VALUES (1, 'Ada Byrne', 'Faro'), (2, 'Ben Cole', 'Porto');
INSERT INTO invoice VALUES (1, 1, '2021-02-03', 31), (2, 1, '2022-02-03', 10), (3, 2, '2022-04-05', 100);
INSERT INTO invoice_line VALUES (1, 1, 'Yoga', 2, 10), (2, 1, 'Judo', 1, 11), (3, 2, 'Yoga', 1, 10),
    (4, 3, 'Judo', 10, 10);
"""


@pytest.fixture(scope="module")
def trade(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with made(TRADE, tmp_path_factory.mktemp("trade")) as database:
        yield database


@pytest.fixture(scope="module")
def paid(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with made(PAID, tmp_path_factory.mktemp("paid")) as database:
        yield database


def _rows(answer: Answer) -> list[tuple[Any, ...]]:
    assert answer.result is not None, answer.text
    return list(answer.result.rows)


@pytest.mark.parametrize("asked", ["total revenue", "What were our total sales?"])
def test_money_is_quantity_times_price(asked: str, trade: Database) -> None:
    answer = ask(asked, trade)
    assert _rows(answer) == [(650,)]
    assert "order_line.quantity * order_line.unit_price" in " ".join(a.text for a in answer.assumptions)


@pytest.mark.parametrize(
    ("asked", "rows"),
    [
        ("total sales by country", {("Belgium", 120), ("France", 530)}),
        ("revenue by category", {("Tea", 560), ("Spices", 90)}),
        ("How much did each customer spend?", {*SPENT.items()}),
        ("how much did Blue Kettle spend in total", {(120,)}),
        ("total sales of Assam in 2020", {(70,)}),
        ("total revenue in March 2020", {(150,)}),
        ("sales by year", {("2020", 170), ("2021", 480)}),
        ("which year had the highest sales", {("2021",)}),
        ("how much revenue did Nina Fox generate", {(70,)}),
        ("how many orders were taken by the clerk with first name Nina", {(1,)}),
        ("total sales by the customer Old Mill", {(450,)}),
        ("how many orders did each customer place in 2020", {("Blue Kettle", 2), ("Green Door", 1)}),
    ],
)
def test_money_for_each_and_under_conditions(asked: str, rows: set[Any], trade: Database) -> None:
    assert set(_rows(ask(asked, trade))) == rows


@pytest.mark.parametrize(("discount", "total"), [("0.5", 75), ("50", 100)])
def test_a_discount_that_is_a_share_is_taken_off(discount: str, total: float, tmp_path: Path) -> None:
    sold = f"""
        CREATE TABLE orders (order_id INTEGER PRIMARY KEY, order_date DATE);
        CREATE TABLE order_line (line_id INTEGER PRIMARY KEY, order_id INTEGER REFERENCES orders,
            quantity INTEGER, unit_price REAL, DISCOUNT REAL);
        INSERT INTO orders VALUES (1, '2021-01-01'), (2, '2021-02-01');
        INSERT INTO order_line VALUES (1, 1, 5, 10, {discount}), (2, 2, 1, 50, 0);
    """
    with made(sold, tmp_path) as database:
        assert _rows(ask("total revenue", database)) == [(total,)]


@pytest.mark.parametrize(
    ("asked", "names"),
    [
        ("top 2 customers by total spending", ["Old Mill", "Blue Kettle"]),
        ("which customer spent the most", ["Old Mill"]),
        ("top 2 products by sales", ["Assam", "Sencha"]),
        ("which customers spent the most in 2020", ["Blue Kettle", "Green Door"]),
        ("which country generates the most revenue", ["France"]),
        ("products with the lowest sales", ["Saffron", "Sencha", "Assam"]),
        ("who are our best customers", ["Old Mill", "Blue Kettle", "Green Door"]),
    ],
)
def test_the_first_are_those_of_the_most_money(asked: str, names: list[str], trade: Database) -> None:
    assert [row[0] for row in _rows(ask(asked, trade))] == names


@pytest.mark.parametrize(
    ("asked", "rows"),
    [
        ("total revenue", {(141,)}),
        ("total sales by city", {("Faro", 41), ("Porto", 100)}),
        ("how much has each member paid", {("Ada Byrne", 41), ("Ben Cole", 100)}),
        ("total sales by course", {("Yoga", 30), ("Judo", 111)}),
    ],
)
def test_totals_of_invoices_are_never_repeated_by_their_lines(
    asked: str, rows: set[Any], paid: Database
) -> None:
    assert set(_rows(ask(asked, paid))) == rows


def test_revenue_without_a_country_is_that_of_other_customers(trade: Database) -> None:
    assert set(_rows(ask("total revenue excluding France", trade))) == {(SPENT["Blue Kettle"],)}


@pytest.mark.parametrize(
    "asked",
    [
        "customers who spent in 2020",
        "total sales above 1000",
        "revenue growth",
    ],
)
def test_what_a_sum_leaves_open_is_declined(asked: str, trade: Database) -> None:
    assert ask(asked, trade).refusal is not None


def test_of_two_amounts_none_is_taken_for_granted(tmp_path: Path) -> None:
    payments = """
    CREATE TABLE payment (payment_id INTEGER PRIMARY KEY, member_id INTEGER REFERENCES member, amount REAL);
    INSERT INTO payment VALUES (1, 1, 30), (2, 2, 90);
    """
    with made(PAID + payments, tmp_path) as both:
        assert ask("total revenue", both).refusal is not None


def test_the_sales_manager_is_a_person(trade: Database) -> None:
    assert "unit_price" not in (ask("who is the sales manager", trade).sql or "")


def test_each_clerk_is_counted_apart_and_named(trade: Database) -> None:
    answer = ask("how many orders did each clerk take", trade)
    assert set(_rows(answer)) == {("Nina", "Fox", 1), ("Omar", "Said", 3), ("Omar", "Lund", 1)}


def test_a_number_of_things_behind_most_is_no_year(trade: Database) -> None:
    assert "2020" in (ask("which customers spent the most in 2020", trade).sql or "")
    assert "LIMIT 2020" not in (ask("which customer placed the most orders in 2020", trade).sql or "")
