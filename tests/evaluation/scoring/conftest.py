import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def bench(tmp_path: Path) -> Path:
    """Five questions over one small database, in Fathom's own format."""
    with sqlite3.connect(tmp_path / "t.sqlite") as connection:
        connection.execute("CREATE TABLE t (n INTEGER, word TEXT)")
        connection.executemany("INSERT INTO t VALUES (?, ?)", [(i, f"w{i}") for i in range(10)])
    connection.close()
    golds = [
        "SELECT count(*) FROM t",
        "SELECT word FROM t WHERE n = 3",
        "SELECT n FROM t WHERE n > 100",
        "SELECT max(n) FROM t",
        "SELECT word FROM t ORDER BY n",
    ]
    questions = [
        {"id": f"q{i}", "question": "?", "database": "t.sqlite", "gold": [sql]} for i, sql in enumerate(golds)
    ]
    return lines(tmp_path / "own.jsonl", questions)


def lines(file: Path, entries: list[Any]) -> Path:
    file.write_text("".join(json.dumps(e) + "\n" for e in entries), encoding="utf-8")
    return file


def made(file: Path) -> None:
    """A database with one empty table."""
    with sqlite3.connect(file) as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS t (n)")
    connection.close()


def by_position(folder: Path, kind: str) -> Path:
    """Forty questions over the databases a and b by turns, numbered from 90, as BIRD lays them out.

    Gives a file of right predictions that stand for the questions by their position.
    """
    for name in "ab":
        (folder / "dev_databases" / name).mkdir(parents=True)
        made(folder / "dev_databases" / name / f"{name}.sqlite")
    golds = [f"SELECT {i}" for i in range(40)]
    questions = [
        {"question_id": 90 + i, "db_id": "ab"[i % 2], "question": "?", "SQL": sql}
        for i, sql in enumerate(golds)
    ]
    (folder / "dev.json").write_text(json.dumps(questions), encoding="utf-8")
    file = folder / f"p.{kind}"
    file.write_text("\n".join(golds) if kind == "txt" else json.dumps(dict(enumerate(golds))))
    return file


RIGHT = {
    "q0": "SELECT count(n) FROM t",
    "q1": "SELECT word FROM t WHERE n = 3",
    "q2": "SELECT n FROM t WHERE n < 0",
    "q3": "SELECT 9",
    "q4": "SELECT word FROM t ORDER BY n",
}
