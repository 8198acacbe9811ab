"""Joins that nothing declares, told by names and by values."""

import sqlite3
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from time import sleep

import pytest

from fathom.databases import Database, connect
from fathom.databases.engine import Row

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


OFFICE = ("id INTEGER PRIMARY KEY, city TEXT", [(n, f"city {n}") for n in range(1, 9)])


def _staff(called: str, above: Iterable[object]) -> tuple[str, Rows]:
    """Five employees in an office, whose key is declared as nothing else is, and whom they have above."""
    people = ((10 * n, f"name {n}", n, a) for n, a in enumerate(above, start=1))
    return (
        f"employee_id INTEGER PRIMARY KEY, name TEXT, office_id REFERENCES office, {called} INTEGER",
        people,
    )


@pytest.mark.parametrize("called", ["manager_id", "ReportsTo", "super_ssn", "team_lead_no", "supervisor"])
@pytest.mark.parametrize("nobody", [None, 0])
def test_who_is_above_is_of_the_same_table(called: str, nobody: object, tmp_path: Path) -> None:
    staff = _staff(called, [nobody, 10, 10, 20, 30])
    found = joins(tmp_path / "a.sqlite", {"office": OFFICE, "employee": staff})
    assert found == {f"employee.{called} -> employee.employee_id"}


@pytest.mark.parametrize(
    ("called", "above"),
    [
        pytest.param("manager_id", [1, 2, 3, 1, 2], id="numbers that are no keys"),
        pytest.param("salary_id", [10, 10, 20, 20, 30], id="no role"),
        pytest.param("manager", [10, 10, 20, 20, 10], id="too few, and nothing says that they are keys"),
        pytest.param("reports", [10, 20, 30, 40, 50], id="how many"),
        pytest.param("parent_order_id", [10, 10, 20, 20, 30], id="of something else"),
    ],
)
def test_what_is_no_role_or_no_key_is_nobody(called: str, above: list[int], tmp_path: Path) -> None:
    found = joins(tmp_path / "a.sqlite", {"office": OFFICE, "employee": _staff(called, above)})
    assert found == set()


def test_those_above_what_is_nobody_are_staff(tmp_path: Path) -> None:
    city = ("id INTEGER PRIMARY KEY, mayor TEXT", [(1, "Ann")])
    office = (
        "id INTEGER PRIMARY KEY, city_id INTEGER REFERENCES city, manager_id INTEGER",
        [(n, 1, 10 * n) for n in range(1, 6)],
    )
    client = (
        "id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT",
        [(10 * n, "A", "B") for n in range(9)],
    )
    tables: dict[str, tuple[str, Rows]] = {
        "city": city,
        "office": office,
        "employee": _staff("level", [1] * 5),
        "client": client,
    }
    assert joins(tmp_path / "a.sqlite", tables) == {"office.manager_id -> employee.employee_id"}


def test_who_may_be_in_two_tables_is_nobody(tmp_path: Path) -> None:
    ward = ("id INTEGER PRIMARY KEY, head_id INTEGER", [(n, n) for n in range(1, 6)])
    staff = ("id INTEGER PRIMARY KEY, name TEXT", [(n, f"name {n}") for n in range(1, 9)])
    tables: dict[str, tuple[str, Rows]] = {"ward": ward, "doctor": staff, "nurse": staff}
    assert joins(tmp_path / "a.sqlite", tables) == set()


@pytest.mark.parametrize("called", ["parent_id", "parent_area_id", "parent_entry_no", "superior_area"])
def test_a_parent_is_of_the_same_table(called: str, tmp_path: Path) -> None:
    area = (
        f"area_entry_id INTEGER PRIMARY KEY, office_id INTEGER REFERENCES office, {called} INTEGER",
        [(n, n, n // 2 or None) for n in range(1, 8)],
    )
    found = joins(tmp_path / "a.sqlite", {"office": OFFICE, "area": area})
    assert found == {f"area.{called} -> area.area_entry_id"}


def test_where_each_query_is_a_journey_several_values_are_asked_for_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    highest = ("state_name TEXT, peak TEXT", [(s, f"peak {s}") for s in STATES])
    city = ("city_name TEXT, state_name TEXT", [(f"{s} City", s) for s in STATES * 2])
    river = ("river TEXT, crosses TEXT", [(f"river {i % 7}", s) for i, s in enumerate(STATES * 3)])
    tables: dict[str, tuple[str, Rows]] = {"city": city, "highest": highest, "river": river, "state": STATE}
    alone = joins(tmp_path / "a.sqlite", tables)
    under_way, most = Counter[str](), 0
    original = Database._read

    def read(database: Database, sql: str, seconds: float | None = None) -> list[Row]:
        nonlocal most
        under_way["now"] += 1
        most = max(most, under_way["now"])
        sleep(0.01)
        try:
            return original(database, sql, seconds)
        finally:
            under_way["now"] -= 1

    monkeypatch.setattr(Database, "_read", read)
    monkeypatch.setattr(Database, "at_once", 4)
    assert joins(tmp_path / "b.sqlite", tables) == alone
    assert 1 < most <= 4
