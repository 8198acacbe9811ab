"""Asking many questions: each query runs once, and what a trial sets reaches the simulated model."""

import asyncio
import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import sqlglot
from bench.simulated import Gold, Simulated
from bench.simulated.asking import Trial, ask_all, remember

from fathom.benchmarks import BenchmarkQuestion
from fathom.cancellation import Cancellation
from fathom.databases import Database, connect
from fathom.errors import Cancelled, QueryError, QueryFailed
from fathom.methods import Context, Method, find_method, run_method
from fathom.nl2sql.published.biomedsql import write_by_house_rules
from fathom.records import Limits, Question, Result

TEXT, SQL = "Which genes are on chromosome 19?", "SELECT symbol FROM gene WHERE chromosome = 19"


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    file = tmp_path / "genes.sqlite"
    with sqlite3.connect(file) as connection:
        connection.executescript("""
            CREATE TABLE gene (id INTEGER PRIMARY KEY, symbol TEXT, chromosome INTEGER, length INTEGER);
            INSERT INTO gene VALUES (1, 'APOE', 19, 3612), (2, 'TP53', 17, 19149), (3, 'LDLR', 19, 44469);
        """)
    connection.close()
    with connect(str(file)) as opened:
        yield opened


def trials() -> list[Trial]:
    method = find_method("zero-shot-cot")
    return [
        Trial("right", method, 1.0),
        Trial("wrong", method, 0.0),
        Trial("no SQL", method, 0.0, syntax_errors=1),
    ]


def test_a_query_runs_once_and_its_failure_is_told_again(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[str] = []
    original = database.run

    def counting(sql: str, *limits: Any, **options: Any) -> Result:
        ran.append(sql)
        return original(sql, *limits, **options)

    monkeypatch.setattr(database, "run", counting)
    remember(database)
    for _ in range(2):
        assert database.run(SQL).rows == (("APOE",), ("LDLR",))
        with pytest.raises(QueryFailed):
            database.run("SELECT nothing FROM gene")
    assert ran == [SQL, "SELECT nothing FROM gene"]


def test_every_trial_is_told_of_every_question(database: Database) -> None:
    assert database.file is not None
    asked = BenchmarkQuestion("1", TEXT, str(database.file), (SQL,))
    found = ask_all(
        [(asked, "semantic"), (replace(asked, id="2", text="Genes of 19?"), "semantic")], trials, 1
    )
    assert {name: (m.right.hits, m.right.trials) for (name, _), m in found.items()} == {
        "right": (2, 2),
        "wrong": (0, 2),
        "no SQL": (0, 2),
    }
    assert all(m.calls == 1 for m in found.values())


def replies(database: Database, **settings: float | None) -> list[str | None]:
    found = []
    for seed in range(60):
        simulated = Simulated(0.5, [Gold(TEXT, SQL, database.schema)], 1, **settings)  # type: ignore[arg-type]
        context = Context(database, model=simulated.model())
        method = Method("", (write_by_house_rules,))
        # Other evidence makes another request, drawn by itself.
        draft = asyncio.run(run_method(method, Question(TEXT, evidence=f"note {seed}"), context))
        found.append(draft.sql)
    return found


def test_errors_are_independent_where_no_certainty_is_set(database: Database) -> None:
    right = sum(sql == SQL for sql in replies(database, certainty=None))
    assert 18 <= right <= 42
    # Drawn alike, this question is one of the easy or hard ones.
    alike = sum(sql == SQL for sql in replies(database, certainty=0.01))
    assert alike < 6 or alike > 54


def test_errors_are_of_syntax_as_often_as_is_set(database: Database) -> None:
    for share, expected in ((0.0, False), (1.0, True)):
        wrong = [sql for sql in replies(database, certainty=None, syntax_errors=share) if sql and sql != SQL]
        assert wrong
        assert all(broken(sql) is expected for sql in wrong)


def broken(sql: str) -> bool:
    try:
        sqlglot.parse_one(sql, dialect="sqlite")
    except sqlglot.errors.SqlglotError:
        return True
    return False


def test_what_was_cancelled_is_not_remembered_as_failing(database: Database) -> None:
    remember(database)
    stopped = Cancellation()
    stopped.cancel()
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT COUNT(*) FROM n LIMIT 1"
    brief = Limits(seconds=0.2)
    with pytest.raises(Cancelled):
        database.run(endless, brief, stopped)
    with pytest.raises(QueryError):
        database.run(endless, brief, trusted=True)
    assert database.run(SQL, brief, Cancellation(), trusted=True) is database.run(SQL, brief)
