"""Joins that nothing declares, told by names and by values."""

import sqlite3
from collections.abc import Iterable
from pathlib import Path

import pytest

from fathom.databases import connect

STATES = ("Ohio", "Texas", "Utah", "Iowa", "Maine", "Idaho", "Nevada", "Oregon", "Kansas", "Alaska")
Rows = Iterable[tuple[object, ...]]


def joins(file: Path, tables: dict[str, tuple[str, Rows]]) -> set[str]:
    """The inferred joins as `table.column -> table.column`."""
    with sqlite3.connect(file) as connection:
        for name, (columns, rows) in tables.items():
            connection.execute(f"CREATE TABLE {name} ({columns})")
            places = ", ".join("?" * (columns.count(",") + 1))
            connection.executemany(f"INSERT INTO {name} VALUES ({places})", list(rows))
    connection.close()
    with connect(file) as database:
        return {
            f"{k.table}.{k.columns[0]} -> {k.target_table}.{k.target_columns[0]}"
            for k in database.schema.foreign_keys
            if k.inferred
        }


STATE = ("state_name TEXT, area INTEGER", [(s, 10 * i) for i, s in enumerate(STATES)])


def test_a_key_refers_to_the_table_that_it_is_called_after(tmp_path: Path) -> None:
    highest = ("state_name TEXT, peak TEXT", [(s, f"peak {s}") for s in STATES])
    city = ("city_name TEXT, state_name TEXT", [(f"{s} City", s) for s in STATES * 2])
    found = joins(tmp_path / "a.sqlite", {"city": city, "highest": highest, "state": STATE})
    assert found == {"city.state_name -> state.state_name", "highest.state_name -> state.state_name"}


def test_words_that_name_rows_elsewhere_tell_a_join(tmp_path: Path) -> None:
    river = ("river TEXT, crosses TEXT", [(f"river {i % 7}", s) for i, s in enumerate(STATES * 3)])
    assert joins(tmp_path / "a.sqlite", {"river": river, "state": STATE}) == {
        "river.crosses -> state.state_name"
    }


@pytest.mark.parametrize(
    "crosses",
    [
        pytest.param([*STATES[1:], "Ontario"], id="one word is found nowhere"),
        pytest.param(STATES[:3] * 4, id="too few words"),
        pytest.param(range(10), id="numbers"),
    ],
)
def test_words_that_could_be_found_by_chance_tell_none(tmp_path: Path, crosses: Iterable[object]) -> None:
    river = ("river TEXT, crosses", [(f"river {i % 7}", value) for i, value in enumerate(crosses)])
    assert joins(tmp_path / "a.sqlite", {"river": river, "state": STATE}) == set()


def test_words_of_two_tables_tell_none(tmp_path: Path) -> None:
    river = ("river TEXT, crosses TEXT", [(f"river {i % 7}", s) for i, s in enumerate(STATES)])
    club = ("club_name TEXT, founded INTEGER", [(s, 1900 + i) for i, s in enumerate(STATES)])
    assert joins(tmp_path / "a.sqlite", {"river": river, "state": STATE, "club": club}) == set()


SHIPPER = ("id INTEGER PRIMARY KEY, company TEXT", [(1, "Fast"), (2, "Far"), (3, "Fine")])


@pytest.mark.parametrize("called", ["ship_via", "ShipVia", "shipped_by"])
def test_what_is_done_by_whom_refers_to_those_who_do_it(called: str, tmp_path: Path) -> None:
    parcel = (f"id INTEGER PRIMARY KEY, {called} INTEGER", [(n, 1 + n % 3) for n in range(20)])
    found = joins(tmp_path / "a.sqlite", {"parcel": parcel, "shipper": SHIPPER})
    assert found == {f"parcel.{called} -> shipper.id"}


@pytest.mark.parametrize(
    ("called", "values"),
    [
        pytest.param("ship_via", range(20), id="numbers that are no keys"),
        pytest.param("ship_weight", [1, 2, 3] * 4, id="a measure of it"),
        pytest.param("paid_by", [1, 2, 3] * 4, id="who does something else"),
    ],
)
def test_what_says_nobody_refers_to_none(called: str, values: Iterable[int], tmp_path: Path) -> None:
    parcel = (f"id INTEGER PRIMARY KEY, {called} INTEGER", enumerate(values))
    assert joins(tmp_path / "a.sqlite", {"parcel": parcel, "shipper": SHIPPER}) == set()
