"""A limit in steps stops the same query at the same place, however fast the machine is."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from fathom.databases import connect
from fathom.errors import QueryTimedOut
from fathom.records import Limits

COUNTING = (
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {}) SELECT count(*) FROM n"
)


def test_a_query_of_too_many_steps_is_stopped_and_the_next_one_runs(tmp_path: Path) -> None:
    file = tmp_path / "small.sqlite"
    with closing(sqlite3.connect(file)) as made:
        made.execute("CREATE TABLE t (x)")
    limits = Limits(seconds=None, steps=100_000)
    with connect(file) as database:
        for _ in range(2):
            with pytest.raises(QueryTimedOut):
                database.run(COUNTING.format(1_000_000), limits)
            assert database.run(COUNTING.format(100), limits).rows == ((100,),)
        assert database.run(COUNTING.format(100_000)).rows == ((100_000,),)
