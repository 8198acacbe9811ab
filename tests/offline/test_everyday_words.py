"""Everyday ways to ask are put into words that the weights know: how tall, the eighties, not licensed."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from fathom.databases import Database, connect
from fathom.knowledge import KnowledgePack
from fathom.offline.engine import OfflineEngine
from fathom.offline.paraphrase.small_talk import to_the_point
from fathom.records import Question
from tests.offline.asking import ask, rows_of, said
from tests.offline.making import made, sqlite_of

HARBOUR = """
CREATE TABLE crane_maker (maker_id INTEGER PRIMARY KEY, maker_name TEXT, phone TEXT);
CREATE TABLE crane (crane_id INTEGER PRIMARY KEY, crane_name TEXT, kind TEXT, height REAL, price REAL,
                    wheels INTEGER, built_year INTEGER, operator TEXT, licensed INTEGER, unusable INTEGER,
                    maker_id INTEGER REFERENCES crane_maker(maker_id));
CREATE TABLE worker (worker_id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, hire_date DATE,
                     email TEXT, salary REAL);
CREATE TABLE crane_inspection (inspection_id INTEGER PRIMARY KEY, crane_id INTEGER REFERENCES crane(crane_id),
                               checked_at DATETIME, result TEXT);
INSERT INTO crane_maker VALUES (1, 'Liebherr', '555-1'), (2, 'Konecranes', NULL);
INSERT INTO crane VALUES
  (1, 'Big Bertha', 'gantry', 72.5, 900000, 16, 1984, 'Portus', 1, 0, 1),
  (2, 'Old Tom', 'jib', 31.0, 120000, 4, 1989, 'Dockers', 0, 0, 1),
  (3, 'Lady Jane', 'jib', 28.0, 150000, 8, 1995, 'Portus', 1, 1, 2),
  (4, 'Atlas', 'gantry', 66.0, 700000, 16, 2003, NULL, 1, 0, 2);
INSERT INTO worker VALUES (1, 'Grace', 'Ritchie', '2010-05-01', 'grace@port', 10), (2, 'Luis', 'Rojas',
  '2012-08-09', 'luis@port', 20), (3, 'Ann', 'Lee', '1987-01-02', 'ann@port', 15);
INSERT INTO crane_inspection VALUES (1, 1, '2021-04-25 09:30:00', 'passed'),
  (2, 2, '2021-04-25 14:00:00', 'failed'), (3, 3, '2021-05-02 08:00:00', 'passed');
"""


@pytest.fixture(scope="module")
def harbour(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with connect(sqlite_of(tmp_path_factory.mktemp("harbour") / "harbour.sqlite", HARBOUR)) as database:
        yield database


@pytest.mark.parametrize(
    ("asked", "plain"),
    [
        ("films from the 1980s", "films between 1980 and 1989"),
        ("Which ships were built in the '90s?", "Which ships were built between 1990 and 1999?"),
        ("songs before the fifties", "songs before 1950"),
        ("Which film has no director listed?", "Which film has no director?"),
        ("clients with no phone number on file", "clients with no phone number"),
        ("people who voted without giving a date", "people who voted without a date"),
        ("how many people work for us?", "how many people are there?"),
        ("How many beds are free at the moment?", "How many beds are free?"),
        ("What ships are there in Oslo?", "List the ships in Oslo?"),
        ("the songs with the album they are on", "the songs with their album"),
        ("Which towns do our clients come from?", "What are the different towns of the clients?"),
        ("Which towns lie below sea level?", "Which towns have an elevation below 0?"),
        ("towns below sea level", "towns with an elevation below 0"),
    ],
)
def test_expressions_are_said_plainly(asked: str, plain: str) -> None:
    assert to_the_point(asked) == plain


@pytest.mark.parametrize(
    "asked",
    [
        "Back in The Eighties rating",
        "ships with no flag listed by owner",
        "Which leases are running at the moment?",
        "How many people work here on Sundays?",
    ],
)
def test_what_says_more_stays(asked: str) -> None:
    assert to_the_point(asked) == asked


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ("How tall is Old Tom?", "What is the height of Old Tom?"),
        ("how much does the Atlas cost", "What is the price of the Atlas?"),
        ("How much is Lady Jane?", "What is the price of Lady Jane?"),
        ("How many wheels does Big Bertha have?", "What is the wheels of Big Bertha?"),
        ("How much does a crane cost on average?", "What is the average price of the cranes?"),
        ("When was Atlas built?", "What is the built year of Atlas?"),
        ("when was Ann Lee hired?", "What is the hire date of Ann Lee?"),
        ("What is our tallest crane?", "What is the crane name of the tallest crane?"),
        ("Who operates Old Tom?", "Who is the operator of Old Tom?"),
        ("Which cranes weigh the most?", "What are the crane names of the cranes that weigh the most?"),
        ("cranes by kind", "What is the number of cranes for each kind"),
        ("cranes by maker", "What is the number of cranes for each maker"),
    ],
)
def test_columns_and_counts_are_asked_for_outright(
    asked: str, meant: str, harbour: Database, tmp_path: Path
) -> None:
    assert said(asked, harbour, tmp_path) == meant


@pytest.mark.parametrize(
    "asked", ["How tall is it?", "How much does it cost?", "When was the harbour built?"]
)
def test_of_what_isnt_named_nothing_is_asked(asked: str, harbour: Database, tmp_path: Path) -> None:
    assert said(asked, harbour, tmp_path) == asked


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ("Grace Ritchie's email", "the email of Grace Ritchie"),
        ("What is Luis Rojas' salary?", "What is the salary of Luis Rojas?"),
        ("When does Ann Lee's shift end?", "When does Ann Lee's shift end?"),
        ("inspections per result", "crane inspections per result"),
        ("all inspection results", "all inspection results"),
    ],
)
def test_owners_and_tables_in_full(asked: str, meant: str, harbour: Database, tmp_path: Path) -> None:
    engine = OfflineEngine(harbour, KnowledgePack(), cache=tmp_path)
    assert engine.in_full(Question(asked))[0].text == meant


@pytest.mark.parametrize(
    ("asked", "rows"),
    [
        ("Which cranes are not licensed?", {("Old Tom",)}),
        ("unlicensed cranes", {("Old Tom",)}),
        ("How many cranes are no longer licensed?", {(1,)}),
        ("Which cranes are usable?", {("Big Bertha",), ("Old Tom",), ("Atlas",)}),
        ("Which cranes are not usable?", {("Lady Jane",)}),
        ("workers hired in the eighties", {("Ann", "Lee")}),
        ("Which crane has no operator listed?", {("Atlas",)}),
        ("makers with no phone on file", {("Konecranes",)}),
        ("inspections by result", {("passed", 2), ("failed", 1)}),
        ("Which inspections were in May 2021?", {(3,)}),
        ("Which cranes have never been inspected?", {("Atlas",)}),
        ("Grace Ritchie's email", {("grace@port",)}),
        ("When was Atlas built?", {(2003,)}),
    ],
)
def test_everyday_questions_are_answered(
    asked: str, rows: set[tuple[object, ...]], harbour: Database
) -> None:
    assert rows_of(asked, harbour) == rows


def test_a_day_is_all_of_it_where_times_are_held(harbour: Database, tmp_path: Path) -> None:
    draft = ask("How many inspections were checked on April 25, 2021?", harbour, tmp_path)
    best = draft.candidates[0].sql if draft.candidates else ""
    assert "checked_at >= '2021-04-25' AND checked_at < '2021-04-26'" in best


@pytest.mark.parametrize("asked", ["products that are discontinued", "Which products are discontinued?"])
def test_rows_are_those_that_a_flag_is_set_for(asked: str, tmp_path: Path) -> None:
    shop = """
        CREATE TABLE product (product_id INTEGER PRIMARY KEY, product_name TEXT, price REAL,
            discontinued INTEGER);
        INSERT INTO product VALUES (1, 'Chai', 18, 0), (2, 'Chang', 19, 0), (3, 'Mishi', 97, 1),
            (4, 'Konbu', 6, 1), (5, 'Tofu', 23, 0);
    """
    with made(shop, tmp_path) as database:
        assert rows_of(asked, database) == {("Mishi",), ("Konbu",)}
