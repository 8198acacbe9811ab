"""Those of a kind, where a table lists kinds and another has what they are of."""

from collections.abc import Iterator
from typing import Any

import pytest

from fathom import ask
from fathom.databases import Database
from tests.offline.making import made

FIRM = """
CREATE TABLE job (job_id TEXT PRIMARY KEY, job_title TEXT, lowest_pay INTEGER);
CREATE TABLE worker (worker_id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, city TEXT,
    job_id TEXT REFERENCES job);
CREATE TABLE job_history (worker_id INTEGER REFERENCES worker, started DATE, job_id TEXT REFERENCES job,
    PRIMARY KEY (worker_id, started));
INSERT INTO job VALUES ('PR', 'Programmer', 400), ('AC', 'Accountant', 300), ('SC', 'Shipping Clerk', 200);
INSERT INTO worker VALUES (1, 'Ada', 'Berg', 'Graz', 'PR'), (2, 'Omar', 'Said', 'Bern', 'PR'),
    (3, 'Nina', 'Fox', 'Graz', 'AC'), (4, 'Rolf', 'Meier', 'Graz', 'SC'), (5, 'Tom', 'Archer', 'Kiel', 'AC'),
    (6, 'Lea', 'Roth', 'Bern', 'AC');
INSERT INTO job_history VALUES (1, '2011-02-01', 'AC'), (2, '2012-03-01', 'SC');
"""
SECOND = """
CREATE TABLE applicant (applicant_id INTEGER PRIMARY KEY, applicant_name TEXT, job_id TEXT REFERENCES job);
INSERT INTO applicant VALUES (1, 'Max Kern', 'PR'), (2, 'Eva Lind', 'AC');
"""
BANDS = """
CREATE TABLE role (role_id INTEGER PRIMARY KEY, role_name TEXT);
CREATE TABLE musician (musician_id INTEGER PRIMARY KEY, name TEXT, born INTEGER);
CREATE TABLE plays (musician_id INTEGER REFERENCES musician, role_id INTEGER REFERENCES role, since INTEGER);
INSERT INTO role VALUES (1, 'Drummer'), (2, 'Singer'), (3, 'Bassist');
INSERT INTO musician VALUES (1, 'Ida Holm', 1960), (2, 'Jo Falk', 1971), (3, 'Kim Dahl', 1980);
INSERT INTO plays VALUES (1, 1, 1990), (1, 2, 1995), (2, 1, 1998), (3, 3, 1999), (2, 1, 2004);
"""
PROGRAMMERS = {("Ada", "Berg"), ("Omar", "Said")}


@pytest.fixture(scope="module")
def firm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with made(FIRM, tmp_path_factory.mktemp("firm")) as database:
        yield database


@pytest.fixture(scope="module")
def bands(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with made(BANDS, tmp_path_factory.mktemp("bands")) as database:
        yield database


@pytest.mark.parametrize(
    ("asked", "rows"),
    [
        ("list all programmers", PROGRAMMERS),
        ("show me the programmers", PROGRAMMERS),
        ("who are the programmers?", PROGRAMMERS),
        ("programmers in Graz", {("Ada", "Berg")}),
        ("how many accountants are there", {(3,)}),
        ("how many shipping clerks are there?", {(1,)}),
    ],
)
def test_people_of_a_kind(asked: str, rows: set[Any], firm: Database) -> None:
    answer = ask(asked, firm)
    assert answer.result is not None, answer.text
    assert set(answer.result.rows) == rows


@pytest.mark.parametrize(
    ("asked", "rows"),
    [
        ("list the drummers", [("Ida Holm",), ("Jo Falk",)]),
        ("how many drummers are there", [(2,)]),
    ],
)
def test_people_whose_kind_is_kept_between(asked: str, rows: list[Any], bands: Database) -> None:
    answer = ask(asked, bands)
    assert answer.result is not None, answer.text
    assert sorted(answer.result.rows) == rows


@pytest.mark.parametrize("asked", ["list all programmers", "how many accountants are there"])
def test_kinds_of_two_tables_are_not_told(asked: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    with made(FIRM + SECOND, tmp_path_factory.mktemp("two")) as database:
        answer = ask(asked, database)
    assert answer.refusal is not None, answer.sql
