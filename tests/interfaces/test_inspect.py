"""What `fathom inspect` shows of tables: names stay whole, and empty tables are said to be empty."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from tests.command import Fathom

LONG = "a_name_of_a_column_that_takes_a_good_part_of_the_line"


def test_names_are_never_broken_and_empty_tables_are_told(
    tmp_path: Path, fathom: Fathom, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FATHOM_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("COLUMNS", "80")
    with closing(sqlite3.connect(tmp_path / "shop.sqlite")) as connection, connection:
        connection.execute(f"CREATE TABLE customers ({LONG} VARCHAR(200), city TEXT, age INTEGER)")
        connection.execute("CREATE TABLE orders (id INTEGER)")
        rows = [("one value that is long enough to be cut", "Villefranche-sur-Mer", 30 + i) for i in range(9)]
        connection.executemany("INSERT INTO customers VALUES (?, ?, ?)", rows)
    shown = fathom("inspect", str(tmp_path / "shop.sqlite")).out
    assert f"{LONG} " in shown
    assert "customers (table, 9 rows)" in shown
    assert "orders (table, empty)" in shown
