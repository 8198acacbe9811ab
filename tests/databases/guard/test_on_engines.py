"""The whole lists against the real engines: honest queries give rows, attacks leave no trace."""

import time
from collections.abc import Iterator

import pytest
import yaml
from tests.databases.guard.canaries import files, picture, resident_megabytes
from tests.databases.guard.test_guard import HERE, cases, listed

from fathom.databases import Database
from fathom.databases.guard import check
from fathom.errors import QueryError, QueryTimedOut
from fathom.records import Limits

SHORT = Limits(seconds=1.5, rows=1000, bytes=2_000_000)


def _all(kind: str, dialect: str) -> Iterator[str]:
    for name in ("shared", dialect):
        yield from (str(sql) for _, sql in cases(kind, name))
    yield from listed({"allowed": "reads", "refused": "attacks"}[kind], dialect)


def test_honest_queries_give_rows(database: Database) -> None:
    found = {}
    for sql in _all("allowed", database.dialect):
        check(sql, database.dialect)
        found[sql] = len(database.run(sql).rows)
    assert [sql for sql, rows in found.items() if not rows] == []


def test_attacks_leave_everything_as_it_was(database: Database) -> None:
    before, there = picture(database), files()
    memory = resident_megabytes()
    for sql in _all("refused", database.dialect):
        if database.dialect == "sqlite":
            # SQLite judges by what it compiles, so an attack of another engine may be a harmless query here.
            _run(database, sql)
        else:
            with pytest.raises(QueryError):
                database.run(sql, SHORT)
    assert picture(database) == before
    assert files() == there
    assert resident_megabytes() - memory < 300


def test_limits_stop_what_no_rule_can_see(database: Database) -> None:
    before, memory = picture(database), resident_megabytes()
    for sql in yaml.safe_load((HERE / "runaway.yaml").read_text(encoding="utf-8"))["shared"]:
        check(sql, database.dialect)
        started = time.monotonic()
        try:
            result = database.run(sql, Limits(seconds=0.5, rows=1000, bytes=2_000_000))
        except QueryTimedOut:
            pass
        else:
            ended_by_engine = database.dialect == "mysql" and "RECURSIVE" in sql
            assert result.truncated or ended_by_engine, sql
        assert time.monotonic() - started < 15, sql
    assert picture(database) == before
    assert resident_megabytes() - memory < 2500  # DuckDB's own limit is 2 GB


def _run(database: Database, sql: str) -> None:
    try:
        database.run(sql, SHORT)
    except QueryError:
        return
