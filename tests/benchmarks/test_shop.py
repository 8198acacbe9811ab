"""The sample shop: the same rows from the same seed, whole, and with what its questions need."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

import fathom
from fathom.benchmarks.shop import build, shop
from fathom.errors import ConfigError


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("shop") / "shop.sqlite"
    build(path)
    return path


def _rows(path: Path, sql: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(path)) as database:
        return database.execute(sql).fetchall()


def test_the_same_seed_gives_the_same_rows(made: Path, tmp_path: Path) -> None:
    for name, seed in (("same", 1), ("other", 2)):
        build(tmp_path / name, seed=seed)
    orders = "SELECT * FROM orders"
    assert _rows(tmp_path / "same", orders) == _rows(made, orders) != _rows(tmp_path / "other", orders)


@pytest.mark.parametrize(
    ("wrong", "sql"),
    [
        ("keys without a row", "PRAGMA foreign_key_check"),
        ("orders before their customer joined", "SELECT 1 FROM orders JOIN customers USING (customer_id) "
         "WHERE ordered_on < joined_on"),
        ("delivered before it was shipped", "SELECT 1 FROM orders WHERE shipped_on < ordered_on "
         "OR delivered_on < shipped_on OR (delivered_on IS NOT NULL AND shipped_on IS NULL)"),
        ("orders taken by who had left", "SELECT 1 FROM orders JOIN staff USING (staff_id) "
         "WHERE left_on <= ordered_on"),
        ("paid more or less than was ordered", "SELECT 1 FROM payments p WHERE ABS(p.amount / "
         "CASE currency WHEN 'CHF' THEN 0.95 ELSE 1 END - (SELECT SUM(quantity * unit_price) "
         "FROM order_items i WHERE i.order_id = p.order_id)) > 0.011"),
        ("cancelled and paid", "SELECT 1 FROM payments JOIN orders USING (order_id) WHERE status = 'C'"),
        ("two salaries at once", "SELECT 1 FROM salaries a JOIN salaries b ON a.staff_id = b.staff_id "
         "AND a.salary_id < b.salary_id WHERE a.valid_to IS NULL OR a.valid_to >= b.valid_from"),
        ("returned before it arrived", "SELECT 1 FROM returns JOIN orders USING (order_id) "
         "WHERE delivered_on IS NULL OR returned_on <= delivered_on"),
    ],
)  # fmt: skip
def test_nothing_contradicts_itself(made: Path, wrong: str, sql: str) -> None:
    assert _rows(made, sql) == [], wrong


@pytest.mark.parametrize(
    ("there", "sql"),
    [
        ("customers without orders", "SELECT COUNT(*) FROM customers WHERE customer_id NOT IN "
         "(SELECT customer_id FROM orders)"),
        ("names that repeat", "SELECT COUNT(*) - COUNT(DISTINCT first_name || last_name) FROM customers"),
        ("two currencies", "SELECT COUNT(DISTINCT currency) - 1 FROM payments"),
        ("orders not paid", "SELECT COUNT(*) FROM orders WHERE order_id NOT IN "
         "(SELECT order_id FROM payments)"),
        ("earlier salaries", "SELECT COUNT(*) FROM salaries WHERE valid_to IS NOT NULL"),
        ("returns without a reason", "SELECT COUNT(*) FROM returns WHERE reason IS NULL"),
        ("staff who left", "SELECT COUNT(*) FROM staff WHERE left_on IS NOT NULL"),
    ],
)  # fmt: skip
def test_it_holds_what_people_stumble_over(made: Path, there: str, sql: str) -> None:
    ((count,),) = _rows(made, sql)
    assert isinstance(count, int), there
    assert count > 0, there


def test_it_is_made_once_and_older_ones_go(tmp_path: Path) -> None:
    (tmp_path / "shop-0.sqlite").touch()
    path = shop(tmp_path)
    assert shop(tmp_path) == path
    assert list(tmp_path.iterdir()) == [path]
    with pytest.raises(FileExistsError):
        build(path)
    assert list(tmp_path.iterdir()) == [path]


def test_where_it_can_not_be_made_the_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"can't be made in .*nowhere"):
        shop(tmp_path / "nowhere")


def test_it_is_asked_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FATHOM_CACHE", str(tmp_path))
    answer = fathom.ask("total revenue", "demo:shop")
    assert answer.result is not None
    ((total,),) = answer.result.rows
    with fathom.connect("demo:shop") as database:
        ((expected,),) = database.run("SELECT SUM(quantity * unit_price) FROM order_items").rows
    assert total == pytest.approx(expected)
