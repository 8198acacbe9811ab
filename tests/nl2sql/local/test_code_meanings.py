"""The meanings of codes are found where a small table lists them, and nowhere else."""

import asyncio
import sqlite3
from pathlib import Path

from tests.nl2sql.local.messy import hospital

from fathom.databases import connect
from fathom.methods import Context
from fathom.nl2sql.local.code_meanings import Meanings, code_meanings


def meanings_in(file: Path) -> dict[tuple[str, str], Meanings]:
    with connect(file) as database:
        return dict(asyncio.run(code_meanings(Context(database, cache=file.parent / "cache"))))


def made(file: Path, *statements: str) -> Path:
    with sqlite3.connect(file) as opened:
        for statement in statements:
            opened.execute(statement)
    opened.close()
    return file


def test_one_table_lists_the_codes_of_several_columns(tmp_path: Path) -> None:
    with hospital(tmp_path) as database:
        found = asyncio.run(code_meanings(Context(database, cache=tmp_path / "cache")))
    assert dict(found) == {
        ("stay", "st"): {"A": "Admitted", "D": "Discharged"},
        ("stay", "how"): {"E": "Emergency", "P": "Planned"},
    }


GRADES = (
    "CREATE TABLE grades (code TEXT, meaning TEXT)",
    "INSERT INTO grades VALUES ('G', 'Good'), ('W', 'Worn')",
)


def tools(*conditions: str) -> list[str]:
    rows = (f"INSERT INTO tool VALUES ({i}, '{c}')" for i, c in enumerate(conditions))
    return ["CREATE TABLE tool (id INTEGER PRIMARY KEY, cond TEXT)", *rows]


def test_a_table_of_its_own_lists_the_codes_of_one(tmp_path: Path) -> None:
    found = meanings_in(made(tmp_path / "tools.db", *GRADES, *tools("G", "W", "G", "W")))
    assert found == {("tool", "cond"): {"G": "Good", "W": "Worn"}}


def test_a_value_that_is_not_listed_makes_it_no_code(tmp_path: Path) -> None:
    assert meanings_in(made(tmp_path / "tools.db", *GRADES, *tools("G", "X", "G"))) == {}
