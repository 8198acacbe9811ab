"""sql_eval's questions on a warehouse: its gold as the engine runs it, and offline's answers as on SQLite.

Of its databases' questions every sixteenth is asked, all by `--whole`: one takes a warehouse a hundred small
queries. Every database is made anew on the engine from SQLite's rows, and once more on SQLite without keys,
which emulators don't tell. A question counts where the engine runs the gold with the same rows as SQLite's:
in the engine's dialect as published, for Spark PostgreSQL's translated. On those, offline is to score as on
SQLite: to answer the same questions, with the same rows. And it is to end as there, with the same first
reading where it isn't sure; the second and third are told apart.
FATHOM_BENCH_SHOW names what ends otherwise.
"""

import os
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import sqlglot
from tests.data import DATA
from tests.databases.makers import (
    Make,
    bigquery_databases,
    snowflake_databases,
    spark_databases,
    sqlite_databases,
)

import fathom
from bench.figures import Figure, thinned
from fathom.benchmarks import BenchmarkQuestion, load_benchmark
from fathom.databases import Database, connect
from fathom.errors import FathomError
from fathom.records import Answer, Column, Ending, Limits

ENGINES = {
    "BigQuery": (bigquery_databases, "bigquery", "duckdb"),
    "Snowflake": (snowflake_databases, "snowflake", "duckdb"),
    "Spark": (spark_databases, "postgres", "postgres"),
}
"""How each is made, in which file its gold stands, and in whose words its tables are told."""
SHOW = bool(os.environ.get("FATHOM_BENCH_SHOW"))
TYPES = {
    "integer": "BIGINT",
    "number": "DOUBLE PRECISION",
    "text": "VARCHAR",
    "boolean": "BOOLEAN",
    "date": "DATE",
    "datetime": "TIMESTAMP",
    "time": "TIME",
}
LIMITS = Limits(seconds=60, rows=10_000)
ROWS = 200
"""Rows of one INSERT."""
SHARE = 16
"""Of how many questions one is asked."""


def on_engine(name: str) -> Iterator[Figure]:
    """The figures of one engine, by its name among `ENGINES`."""
    databases, split, dialect = ENGINES[name]
    plain = list(load_benchmark("sql-eval", "sqlite", DATA))
    golds = {(Path(q.database).stem, q.text): q.gold for q in load_benchmark("sql-eval", split, DATA)}
    asked = thinned([q for q in plain if _key(q) in golds], SHARE)
    runs, scored, alike, whole, spent = 0, 0, 0, 0, 0.0
    with ExitStack() as opened:
        folder = Path(opened.enter_context(tempfile.TemporaryDirectory()))
        make = opened.enter_context(databases(folder))
        make_plain = opened.enter_context(sqlite_databases(folder))
        made: dict[str, tuple[Database, Database]] = {}
        for question in asked:
            if question.database not in made:
                made[question.database] = _made(question.database, make, make_plain, dialect)
            one, two = made[question.database]
            if not _gold_runs(one, two, question, golds[_key(question)]):
                continue
            runs += 1
            first = fathom.ask(question.text, one, evidence=question.evidence)
            started = time.perf_counter()
            second = fathom.ask(question.text, two, evidence=question.evidence)
            spent += time.perf_counter() - started
            whole += _ending(first, 3) == _ending(second, 3)
            alike += _ending(first, 1) == _ending(second, 1)
            scored += _answered(first) == _answered(second)
            if SHOW and _ending(first, 1) != _ending(second, 1):
                ends = (f"\n    {a.ending} {a.sql} {a.text[:150]}" for a in (first, second))
                print(f"{name}: {question.text}", *ends, flush=True)
    yield Figure(
        "gold that runs as on SQLite",
        f"{runs} of {len(asked)}",
        note=f"of {len(made)} databases",
    )
    yield Figure(
        "of those, questions that score as on SQLite", f"{scored / max(runs, 1):.1%}", "100%",
        scored == runs, f"{runs - scored} apart",
    )  # fmt: skip
    yield Figure(
        "of those, questions that end as on SQLite", f"{alike / max(runs, 1):.1%}", "100%",
        alike == runs, f"{runs - alike} apart",
    )  # fmt: skip
    yield Figure("of those, with all three readings alike", f"{whole / max(runs, 1):.1%}")
    yield Figure("a question, mean", f"{spent / max(runs, 1):.1f} s", note="its first one reads the database")


def _key(question: BenchmarkQuestion) -> tuple[str, str]:
    return Path(question.database).stem, question.text


def _made(path: str, make: Make, make_plain: Make, dialect: str) -> tuple[Database, Database]:
    """A database on SQLite and on another engine, with the same rows and without keys."""
    with connect(path) as source:
        tables = [t for t in source.schema.tables if not t.is_view]
        rows = {t.name: [r for batch in source.scan(t.name) for r in batch] for t in tables}

    def statements(of: str) -> Iterator[str]:
        for table in tables:
            columns = ", ".join(f"{c.name} {TYPES[c.kind]}" for c in table.columns)
            made = f"CREATE TABLE {table.name} ({columns})"
            # SQLite takes these types as they are; translated, TIMESTAMP would be called TIMESTAMPNTZ.
            yield made if of == "sqlite" else sqlglot.transpile(made, "duckdb", of)[0]
            for at in range(0, len(rows[table.name]), ROWS):
                values = ", ".join(
                    f"({_row(r, table.columns, of)})" for r in rows[table.name][at : at + ROWS]
                )
                yield f"INSERT INTO {table.name} VALUES {values}"

    return make_plain(*statements("sqlite")), make(*statements(dialect))


def _row(row: Sequence[Any], columns: Sequence[Column], dialect: str) -> str:
    return ", ".join(_literal(cell, column.kind, dialect) for cell, column in zip(row, columns, strict=True))


def _literal(cell: Any, kind: str, dialect: str) -> str:
    if cell is None:
        return "NULL"
    if kind == "boolean" and dialect != "sqlite":
        return str(bool(cell)).upper()
    if isinstance(cell, int | float):
        return repr(cell)
    text = "'" + str(cell).replace("'", "''") + "'"
    return f"{TYPES[kind]} {text}" if kind in {"date", "datetime", "time"} and dialect != "sqlite" else text


def _gold_runs(one: Database, two: Database, question: BenchmarkQuestion, golds: Sequence[str]) -> bool:
    """Whether the engine runs its gold, and finds what SQLite does."""
    name = f"{Path(question.database).stem}."
    for plain, gold in zip(question.gold, golds, strict=False):
        sql = gold.replace(name, "")
        if two.dialect == "spark":
            sql = sqlglot.transpile(sql, "postgres", "spark")[0]
        try:
            if _told(one.run(plain, LIMITS).rows) == _told(two.run(sql, LIMITS).rows):
                return True
        except FathomError:
            continue
    return False


def _answered(answer: Answer) -> Any:
    """The rows of an answer that is sure; None of any other, which scores nothing."""
    return _shown(answer) if answer.ending is Ending.SURE else None


def _ending(answer: Answer, readings: int) -> Any:
    """How a question ended, with the rows of the answer and of the first readings."""
    return answer.ending, _shown(answer), [_shown(r) for r in answer.readings[:readings]]


def _shown(given: Any) -> Any:
    """The rows that are shown, as engines write them."""
    return None if given.shown is None else _told(given.shown.rows)


def _told(rows: Sequence[Sequence[Any]]) -> list[tuple[str, ...]]:
    return sorted(tuple(map(_plain, row)) for row in rows)


def _plain(cell: Any) -> str:
    try:
        return f"{float(cell):.4g}"
    except (TypeError, ValueError):
        return str(cell).removesuffix("+00:00").removesuffix(" 00:00:00")
