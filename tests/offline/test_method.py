from pathlib import Path

import pytest

from fathom.databases import Database, connect
from tests.offline.asking import ask
from tests.offline.making import sqlite_of

SINGERS = """
CREATE TABLE singer (singer_id INTEGER PRIMARY KEY, name TEXT, country TEXT, age INTEGER);
CREATE TABLE concert (concert_id INTEGER PRIMARY KEY, title TEXT, year INTEGER,
                      singer_id INTEGER REFERENCES singer(singer_id));
INSERT INTO singer VALUES (1, 'Ana Lima', 'Brazil', 31), (2, 'Bo Ek', 'Sweden', 45),
                          (3, 'Cy Roy', 'France', 22), (4, 'Di Roux', 'France', 60);
INSERT INTO concert VALUES (1, 'Spring', 2019, 1), (2, 'Summer', 2020, 1), (3, 'Autumn', 2020, 3);
"""


@pytest.fixture(scope="module")
def singers(tmp_path_factory: pytest.TempPathFactory) -> Database:
    return connect(sqlite_of(tmp_path_factory.mktemp("singers") / "singers.sqlite", SINGERS))


ANSWERS = [
    ("How many singers are there?", [(4,)]),
    ("List the names of all singers from France.", [("Cy Roy",), ("Di Roux",)]),
    ("What is the average age of the singers?", [(39.5,)]),
    ("How many singers are from each country?", [("Brazil", 1), ("France", 2), ("Sweden", 1)]),
    ("What is the name of the oldest singer?", [("Di Roux",)]),
]


@pytest.mark.parametrize(("text", "rows"), ANSWERS)
def test_simple_questions_are_answered(
    text: str, rows: list[tuple[object, ...]], singers: Database, tmp_path: Path
) -> None:
    draft = ask(text, singers, tmp_path)
    assert draft.sql is not None
    found = sorted(tuple(sorted(r, key=str)) for r in singers.run(draft.sql).rows)
    assert found == sorted(tuple(sorted(r, key=str)) for r in rows), draft.sql


def test_the_same_question_gives_the_same_draft(singers: Database, tmp_path: Path) -> None:
    one, two = (ask("Which singers are older than 30?", singers, tmp_path) for _ in range(2))
    assert (one.sql, one.confidence, one.candidates) == (two.sql, two.confidence, two.candidates)


def test_every_step_leaves_its_trace(singers: Database, tmp_path: Path) -> None:
    draft = ask("How many concerts took place in 2020?", singers, tmp_path)
    assert [s.module for s in draft.trace.steps] == ["selection", "generation", "revision"]
    assert draft.confidence is not None
    assert 0 <= draft.confidence <= 1
    assert draft.candidates


def test_a_database_without_tables_has_no_answers(tmp_path: Path) -> None:
    with connect(sqlite_of(tmp_path / "empty.sqlite", "PRAGMA user_version = 1")) as database:
        draft = ask("How many singers are there?", database, tmp_path)
    assert draft.sql is None
    assert draft.refusal is not None
    assert "no tables" in draft.refusal.reason
