"""Where any query takes seconds, those that are tried get them too."""

from dataclasses import replace
from pathlib import Path

import pytest

from fathom.databases import Database
from fathom.databases.sqlite import SQLite
from fathom.offline.checks import trial_runs
from fathom.offline.checks.trial_runs import brief
from tests.offline.making import made

TABLE = "CREATE TABLE sales (id INTEGER PRIMARY KEY, city TEXT)"


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever has a row is large."""
    monkeypatch.setattr(trial_runs, "LARGE", 0)


ROW = f"{TABLE}; INSERT INTO sales VALUES (1, 'Bern')"


def test_a_small_file_gets_the_time_that_a_busy_machine_takes(tmp_path: Path) -> None:
    with made(ROW, tmp_path) as database:
        assert brief(database).seconds == 4.0


def test_no_rows_known_are_not_few(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with made(ROW, tmp_path) as database:
        tables = tuple(replace(table, row_count=None) for table in database.schema.tables)
        monkeypatch.setattr(Database, "schema", replace(database.schema, tables=tables))
        assert brief(database).seconds == 1.0


@pytest.mark.usefixtures("large")
def test_a_large_file_is_asked_for_a_second(tmp_path: Path) -> None:
    with made(ROW, tmp_path) as database:
        assert brief(database).seconds == 1.0


@pytest.mark.usefixtures("large")
def test_an_engine_that_takes_long_for_anything_gets_longer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SQLite, "latency", 4.0)
    with made(ROW, tmp_path) as database:
        limits = brief(database)
        assert limits.seconds == 5.0
        assert (limits.rows, limits.bytes) == (3_000, 4_000_000)
