"""Where any query takes seconds, those that are tried get them too."""

from pathlib import Path

import pytest

from fathom.databases.sqlite import SQLite
from fathom.offline.checks.trial_runs import brief
from tests.offline.making import made

TABLE = "CREATE TABLE sales (id INTEGER PRIMARY KEY, city TEXT)"


def test_a_file_is_asked_for_a_second(tmp_path: Path) -> None:
    with made(TABLE, tmp_path) as database:
        assert brief(database).seconds == 1.0


def test_an_engine_that_takes_long_for_anything_gets_longer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SQLite, "latency", 4.0)
    with made(TABLE, tmp_path) as database:
        limits = brief(database)
        assert limits.seconds == 5.0
        assert (limits.rows, limits.bytes) == (3_000, 4_000_000)
