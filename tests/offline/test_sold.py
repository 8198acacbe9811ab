"""What was sold, to whom and how much of it, where no column is called so: units of the lines of invoices.

The data tell wrong readings apart: what is in most lines isn't what most units were sold of, what costs most
sells least, one album was never sold, and an invoice goes by the name of somebody else than who pays it.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fathom import Answer, ask
from fathom.databases import Database, connect
from fathom.offline import disagreement, verdict
from fathom.offline.grammars.amounts import Amounts
from fathom.offline.queries.joins import JoinPlanner
from tests.offline.asked_databases import asked_database
from tests.offline.making import sqlite_of


@pytest.fixture(scope="module")
def music(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with asked_database("sold", "music", tmp_path_factory.mktemp("music")) as database:
        yield database


def _rows(answer: Answer) -> list[tuple[Any, ...]]:
    assert answer.result is not None, answer.text
    return list(answer.result.rows)


@pytest.mark.parametrize(
    ("tables", "lines"),
    [
        ("product(id), orders(id), order_line(orders, product, quantity)", ["order_line"]),
        ("customer(id), book(id), purchase(customer, book)", ["purchase"]),
        ("customer(id), product(id), sale(customer, product, qty)", ["sale"]),
        ("customer(id), employee(id), orders(customer, employee)", []),
        ("orders(id), driver(id), delivery(orders, driver)", []),
        ("supplier(id), product(id), purchase(supplier, product, quantity)", []),
        ("member(id), room(id), booking(member, room)", []),
        ("product(id), orders(id), order_line(orders, product, amount)", []),
        ("orders(id), product(id), order_status(id), orders_history(orders, order_status)", []),
    ],
)
def test_which_tables_keep_what_was_sold(tables: str, lines: list[str], tmp_path: Path) -> None:
    with connect(sqlite_of(tmp_path / "made.sqlite", _statements(tables))) as database:
        found = Amounts(JoinPlanner(database.schema), database.profile()).lines
    assert [one.table.name for one in found] == lines


def _statements(tables: str) -> str:
    """Tables of numbers, each with a key of its own, and with keys to tables called as its columns are."""
    listed = [t.strip(" )").split("(") for t in tables.split("),")]
    names = [name for name, _ in listed]
    statements = []
    for name, columns in listed:
        own = [c.strip() for c in columns.split(",")]
        keys = [f"{c}_id INTEGER REFERENCES {c}" if c in names else f"{c} INTEGER" for c in own if c != "id"]
        statements.append(f"CREATE TABLE {name} ({', '.join([f'{name}_id INTEGER PRIMARY KEY', *keys])});")
    return "\n".join(statements)


def test_it_asks_back_where_what_was_learned_speaks_against_it(
    music: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = "How many tracks are there per genre?"
    assert not ask(asked, music).readings
    monkeypatch.setattr(disagreement, "SUPPORTED", 1.1)  # nothing that was learned is likely enough then
    monkeypatch.setattr(verdict, "LIKELY", 0.0)
    back = ask(asked, music)
    assert back.result is None
    assert back.readings  # the one that was learned isn't shown: it is less likely than one in twenty
    assert sorted(_rows(ask(asked, music, reading=back.readings[0])))[0] == ("Folk", 3)
    assert ask(asked, music, confidence=0.5).result is not None
