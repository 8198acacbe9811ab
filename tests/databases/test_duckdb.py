"""What only DuckDB does."""

from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import pytest

from fathom.databases.duckdb import DuckDB
from fathom.errors import QueryRefused, QueryTimedOut
from fathom.records import Limits
from tests.databases.makers import duckdb_databases

ENDLESS = "WITH RECURSIVE r (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n > 0) SELECT sum(n) FROM r"


def test_endless_recursions_are_stopped_again_and_again(tmp_path: Path) -> None:
    with duckdb_databases(tmp_path) as make:
        database = make("CREATE TABLE t (id INTEGER)")
        for _ in range(20):
            with pytest.raises(QueryTimedOut):
                database.run(ENDLESS, Limits(seconds=0.05))
        assert database.run("SELECT 1").rows == ((1,),)


@pytest.mark.skipif(int(duckdb.__version__.partition(".")[0]) < 2, reason="before 2.0 threads do no harm")
def test_nobody_waits_for_a_thread_that_recurses(tmp_path: Path) -> None:
    with closing(duckdb.connect(tmp_path / "t.duckdb")) as writer:
        writer.execute("CREATE TABLE t (id INTEGER)")
    engine = DuckDB(tmp_path / "t.duckdb")
    session = engine.open()
    session.execute("SELECT value FROM duckdb_settings() WHERE name = 'threads'")
    assert session.fetch(2) == [("1",)]
    session.close()
    engine.close()


def test_times_with_a_zone_are_read(tmp_path: Path) -> None:
    with duckdb_databases(tmp_path) as make:
        database = make(
            "CREATE TABLE visit (name TEXT, seen TIMESTAMPTZ)",
            "INSERT INTO visit VALUES ('Ada', '2020-01-01 12:00:00+02')",
        )
        (seen,) = database.run("SELECT seen FROM visit").rows[0]
        assert seen.astimezone(UTC) == datetime(2020, 1, 1, 10, tzinfo=UTC)
        assert database.profile()["visit"].columns["name"].distinct == 1


def test_show_tells_of_tables_and_never_of_settings(tmp_path: Path) -> None:
    with duckdb_databases(tmp_path) as make:
        database = make("CREATE TABLE kept (id INTEGER)", "CREATE TABLE threads (id INTEGER)")
        assert database.run("SHOW kept").rows[0][0] == "id"
        assert database.run("SHOW Threads").rows[0][0] == "id"
        for shown in ("memory_limit", '"temp_directory"', "'memory_limit'"):
            with pytest.raises(QueryRefused) as refused:
                database.run(f"SHOW {shown}")
            assert refused.value.rule == "setting"
