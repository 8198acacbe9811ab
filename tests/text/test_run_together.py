"""Names written as one word, and what refers to rows that have two keys."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from fathom.databases import connect
from fathom.text.run_together import taken_apart


@pytest.mark.parametrize(
    ("word", "parts"),
    [
        ("customerid", ("customer", "id")),
        ("unitprice", ("unit", "price")),
        ("sbcustjoindate", ("sb", "cust", "join", "date")),
        ("sbtxprice", ("sb", "tx", "price")),
        ("discount", ("discount",)),
        ("percentage", ("percentage",)),
        ("update", ("update",)),
        ("candidate", ("candidate",)),
        ("membership", ("membership",)),
        ("estate", ("estate",)),
        ("name", ("name",)),
        ("x", ("x",)),
        ("", ("",)),
        ("ordre2", ("ordre2",)),
    ],
)
def test_words_are_taken_apart(word: str, parts: tuple[str, ...]) -> None:
    assert taken_apart(word) == parts


def _joins(folder: Path, script: str) -> set[tuple[str, str]]:
    with closing(sqlite3.connect(folder / "joins.sqlite")) as connection:
        connection.executescript(script)
    with closing(connect(folder / "joins.sqlite")) as database:
        return {
            (f"{k.table}.{k.columns[0]}", f"{k.target_table}.{k.target_columns[0]}")
            for k in database.schema.foreign_keys
        }


def test_the_key_of_the_same_name_is_meant_of_two(tmp_path: Path) -> None:
    script = """
    CREATE TABLE users (uid INTEGER, user_id TEXT, name TEXT);
    CREATE TABLE review (rid INTEGER, user_id TEXT, stars INTEGER);
    INSERT INTO users VALUES (1, '1', 'Ann'), (2, '2', 'Bo'), (3, '3', 'Cy');
    INSERT INTO review VALUES (1, '1', 5), (2, '1', 4), (3, '3', 2);
    """
    assert _joins(tmp_path, script) == {("review.user_id", "users.user_id")}


def test_names_run_together_refer(tmp_path: Path) -> None:
    script = """
    CREATE TABLE kxcustomer (kxcustid TEXT PRIMARY KEY, kxcustname TEXT);
    CREATE TABLE kxtransaction (kxtxid TEXT PRIMARY KEY, kxtxcustid TEXT, kxtxprice REAL);
    INSERT INTO kxcustomer VALUES ('C1', 'Ann'), ('C2', 'Bo');
    INSERT INTO kxtransaction VALUES ('T1', 'C1', 3), ('T2', 'C1', 4), ('T3', 'C2', 5);
    """
    assert _joins(tmp_path, script) == {("kxtransaction.kxtxcustid", "kxcustomer.kxcustid")}


def test_numbers_of_things_refer_to_none(tmp_path: Path) -> None:
    script = """
    CREATE TABLE semester (semester_id INTEGER PRIMARY KEY, label TEXT);
    CREATE TABLE course (course_id INTEGER PRIMARY KEY, num_semesters INTEGER, fits_semesters INTEGER,
        semester INTEGER);
    INSERT INTO semester VALUES (1, 'spring'), (2, 'autumn');
    INSERT INTO course VALUES (1, 1, 1, 1), (2, 2, 1, 2), (3, 1, 2, 1);
    """
    assert _joins(tmp_path, script) == {("course.semester", "semester.semester_id")}
