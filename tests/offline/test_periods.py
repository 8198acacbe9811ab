from collections.abc import Iterator
from pathlib import Path

import pytest

from fathom.databases import Database
from tests.databases import makers
from tests.offline.asking import ask

ORDERS = (
    "CREATE TABLE customer (customer_id INTEGER PRIMARY KEY, name VARCHAR(40))",
    "CREATE TABLE orders (order_id INTEGER PRIMARY KEY, customer_id INTEGER, order_date DATE, amount FLOAT)",
    "INSERT INTO customer VALUES (1, 'Ann'), (2, 'Bo')",
    "INSERT INTO orders VALUES (1, 1, '2019-12-30', 5), (2, 1, '2020-01-05', 10), (3, 2, '2020-01-31', 20),"
    " (4, 2, '2020-03-01', 40), (5, 1, '2021-03-02', 80)",
)
# Years in a column of their own, beside a date: then that column is meant.
CONCERTS = (
    "CREATE TABLE concert (concert_id INTEGER PRIMARY KEY, year INTEGER, ticket_date DATE)",
    "INSERT INTO concert VALUES (1, 2019, '2018-12-01'), (2, 2020, '2019-12-01'), (3, 2020, '2020-02-01')",
)


@pytest.fixture(scope="module", params=["sqlite", "duckdb", "postgres", "mysql"])
def orders(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with getattr(makers, f"{request.param}_databases")(tmp_path_factory.mktemp(request.param)) as make:
        yield make(*ORDERS)


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("How many orders are there per year?", {("2019", 1), ("2020", 3), ("2021", 1)}),
        ("What is the total amount of orders by year?", {("2019", 5.0), ("2020", 70.0), ("2021", 80.0)}),
        (
            "How many orders are there in each month?",
            {("2019-12", 1), ("2020-01", 2), ("2020-03", 1), ("2021-03", 1)},
        ),
        ("How many orders are there in 2020?", {(3,)}),
        ("How many orders per month in 2020?", {("2020-01", 2), ("2020-03", 1)}),
        ("Which year has the most orders?", {("2020",)}),
    ],
)
def test_groups_by_a_part_of_a_date(
    text: str, rows: set[tuple[object, ...]], orders: Database, tmp_path: Path
) -> None:
    draft = ask(text, orders, tmp_path)
    assert draft.sql is not None
    assert set(orders.run(draft.sql).rows) == rows, draft.sql
    assert draft.refusal is None or not {"year", "month"} & set(draft.refusal.missing)


def test_what_is_daily_asks_for_no_extreme_day(orders: Database, tmp_path: Path) -> None:
    draft = ask("At what daily amount did we close in 2020?", orders, tmp_path)
    assert "LIMIT" not in (draft.sql or "")


def test_rows_without_a_date_make_no_period_of_a_table_too_big_to_read_whole(tmp_path: Path) -> None:
    rows = (
        "CREATE TABLE visit (visit_id INTEGER PRIMARY KEY, visit_date DATE)",
        "INSERT INTO visit WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60000)"
        " SELECT i, CASE WHEN i < 60000 THEN '202' || (i % 3) || '-05-01' END FROM n",
    )
    with makers.sqlite_databases(tmp_path) as make:
        database = make(*rows)
        draft = ask("How many visits are there per year?", database, tmp_path)
        assert draft.sql is not None
        assert set(database.run(draft.sql).rows) == {("2020", 19_999), ("2021", 20_000), ("2022", 20_000)}


def test_a_column_of_that_name_is_meant_first(tmp_path: Path) -> None:
    with makers.sqlite_databases(tmp_path) as make:
        database = make(*CONCERTS)
        draft = ask("How many concerts are there per year?", database, tmp_path)
        assert draft.sql is not None
        assert set(map(frozenset, database.run(draft.sql).rows)) == {
            frozenset((2019, 1)),
            frozenset((2020, 2)),
        }


def test_dates_in_another_order_are_left_alone(tmp_path: Path) -> None:
    statements = [s.replace("DATE,", "TEXT,") for s in ORDERS[:3]]
    with makers.sqlite_databases(tmp_path) as make:
        database = make(
            *statements, "INSERT INTO orders VALUES (1, 1, '30/12/2019', 5), (2, 1, '31/01/2020', 1)"
        )
        draft = ask("How many orders are there per year?", database, tmp_path)
        assert "STRFTIME" not in (draft.sql or "")


def test_answers_with_the_date_it_went_by(tmp_path: Path) -> None:
    with makers.sqlite_databases(tmp_path) as make:
        database = make(*ORDERS)
        draft = ask("How many orders per month in 2020?", database, tmp_path)
        assert draft.refusal is None
        told = " ".join(a.text for a in draft.assumptions)
        assert "orders.order_date" in told
        assert "different years apart" in told


def test_declines_where_two_dates_are_as_likely(tmp_path: Path) -> None:
    statements = [s.replace("order_date DATE", "paid_date DATE, sent_date DATE") for s in ORDERS[:3]]
    with makers.sqlite_databases(tmp_path) as make:
        database = make(
            *statements,
            "INSERT INTO orders VALUES (1, 1, '2019-12-30', '2020-01-02', 5), (2, 1, '2020-01-05', NULL, 9)",
        )
        assert ask("How many orders per year?", database, tmp_path).refusal is not None
        draft = ask("How many orders were sent per year?", database, tmp_path)
        assert draft.refusal is None
        assert database.run(draft.sql or "").rows == (("2020", 1),)


def test_groups_of_one_table_by_the_date_of_the_one_it_belongs_to(tmp_path: Path) -> None:
    with makers.sqlite_databases(tmp_path) as make:
        database = make(
            *ORDERS,
            "CREATE TABLE complaint (complaint_id INTEGER PRIMARY KEY, order_id INTEGER REFERENCES orders)",
            "INSERT INTO complaint VALUES (1, 2), (2, 3), (3, 5)",
        )
        draft = ask("How many complaints per year?", database, tmp_path)
        assert set(database.run(draft.sql or "").rows) == {("2020", 2), ("2021", 1)}


@pytest.mark.parametrize(
    ("unit", "counts"),
    [
        ("week", {"2019-52": 1, "2020-00": 1, "2020-04": 1, "2020-08": 1, "2021-09": 1}),
        ("quarter", {"2019-Q4": 1, "2020-Q1": 3, "2021-Q1": 1}),
    ],
)
def test_weeks_and_quarters_are_those_of_their_years(
    unit: str, counts: dict[str, int], tmp_path: Path
) -> None:
    with makers.sqlite_databases(tmp_path) as make:
        database = make(*ORDERS)
        draft = ask(f"How many orders were there per {unit}?", database, tmp_path)
        assert draft.refusal is None
        assert dict(database.run(draft.sql or "").rows) == counts


def test_groups_by_a_thing_and_a_period(tmp_path: Path) -> None:
    with makers.sqlite_databases(tmp_path) as make:
        database = make(*ORDERS)
        draft = ask("How many orders per customer each year?", database, tmp_path)
        counts = {(row[-2], row[-1]) for row in database.run(draft.sql or "").rows}
        assert draft.refusal is None
        assert counts == {("2019", 1), ("2020", 1), ("2020", 2), ("2021", 1)}
