import asyncio
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.nl2sql.conftest import genes

from fathom.databases import Database
from fathom.methods import Context
from fathom.nl2sql.samples import first_rows, random_rows
from fathom.records import Limits, Result


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """One for each test: rows are changed."""
    with genes(tmp_path) as opened:
        yield opened


def counted(database: Database, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The queries that the database is asked from now on."""
    asked, run = list[str](), database.run

    def counting(sql: str, limits: Limits = Limits(), *others: Any) -> Result:  # noqa: B008, frozen
        asked.append(sql)
        return run(sql, limits, *others)

    monkeypatch.setattr(database, "run", counting)
    return asked


def test_first_rows_are_read_once_until_the_data_change(
    context: Context, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = counted(context.database, monkeypatch)
    first = asyncio.run(first_rows(context))
    assert first["gene", "symbol"] == ["APOE", "LRRK2", "SNCA"]
    assert len(asked) == 3  # one a table
    assert asyncio.run(first_rows(context)) == first
    assert len(asked) == 3
    with sqlite3.connect(tmp_path / "genes.db") as changed:
        changed.execute("UPDATE gene SET symbol = 'TP53' WHERE id = 1")
    changed.close()
    assert asyncio.run(first_rows(context))["gene", "symbol"] == ["TP53", "LRRK2", "SNCA"]


def test_nothing_is_kept_of_a_database_that_does_not_tell_when_it_changes(
    context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(context.database, "state", lambda: "")
    asked = counted(context.database, monkeypatch)
    for _ in range(2):
        asyncio.run(first_rows(context))
    assert len(asked) == 6


def test_rows_drawn_are_whole_rows_and_the_same_for_the_same_seed(context: Context) -> None:
    drawn = [asyncio.run(random_rows(context, f"seed {n}", rows=2)) for n in range(20)]
    real = {("APOE", "19"), ("LRRK2", "12"), ("SNCA", "4")}
    pairs = [list(zip(d["gene", "symbol"], d["gene", "chromosome"], strict=True)) for d in drawn]
    assert all(len(p) == 2 and real.issuperset(p) for p in pairs)
    assert {pair for p in pairs for pair in p} == real
    assert asyncio.run(random_rows(context, "seed 3", rows=2)) == drawn[3]
