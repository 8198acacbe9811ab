"""What rows have or lack, which values are left out or wanted together, and plain lists under values."""

from collections.abc import Iterator
from typing import Any

import pytest

from fathom import ask
from fathom.databases import Database
from tests.offline.making import made

SCHOOL = """
CREATE TABLE instructor (instr_id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, salary REAL);
CREATE TABLE student (stu_id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, home_city TEXT,
    advisor_id INTEGER REFERENCES instructor);
CREATE TABLE course (course_id TEXT PRIMARY KEY, title TEXT, credits INTEGER);
CREATE TABLE prerequisite (course_id TEXT REFERENCES course, prereq_id TEXT REFERENCES course,
    PRIMARY KEY (course_id, prereq_id));
CREATE TABLE section (section_id INTEGER PRIMARY KEY, course_id TEXT REFERENCES course,
    instr_id INTEGER REFERENCES instructor, room TEXT);
CREATE TABLE enrolment (stu_id INTEGER REFERENCES student, section_id INTEGER REFERENCES section,
    grade INTEGER, PRIMARY KEY (stu_id, section_id));
INSERT INTO instructor VALUES (1, 'Ann', 'Garcia', 900), (2, 'Bo', 'Ito', 800), (3, 'Kim', 'Eze', 700);
INSERT INTO student VALUES (1, 'Lena', 'Haas', 'Porto', 1), (2, 'Dev', 'Garcia', 'Lagos', 1),
    (3, 'Ann', 'Eze', 'Porto', NULL), (4, 'Jonas', 'Ito', 'Kyoto', 2), (5, 'Ines', 'Dubois', NULL, 2);
INSERT INTO course VALUES ('C1', 'Databases', 6), ('C2', 'Statistics', 4), ('C3', 'Ecology', 4),
    ('C4', 'Logic', 3);
INSERT INTO prerequisite VALUES ('C2', 'C4'), ('C3', 'C4');
INSERT INTO section VALUES (1, 'C1', 1, 'A1'), (2, 'C2', 2, NULL), (3, 'C3', 2, 'B2'), (4, 'C1', 2, NULL);
INSERT INTO enrolment VALUES (1, 1, 80), (1, 2, NULL), (2, 1, 70), (2, 4, 60), (3, 2, NULL), (4, 3, 90);
"""


@pytest.fixture(scope="module")
def school(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with made(SCHOOL, tmp_path_factory.mktemp("school")) as database:
        yield database


@pytest.mark.parametrize(
    ("asked", "rows"),
    [
        ("sections without a room", {(2,), (4,)}),
        ("Which sections don't have a room yet?", {(2,), (4,)}),
        ("how many enrolments have not been graded yet?", {(2,)}),
        ("students without an advisor", {("Ann", "Eze")}),
        ("students from Porto without an advisor", {("Ann", "Eze")}),
        ("Which students have never enrolled in any section?", {("Ines", "Dubois")}),
        ("instructors who don't advise any students", {("Kim", "Eze")}),
        ("courses with no prerequisites", {("Databases",), ("Logic",)}),
        ("How many students have enrolled in a section?", {(4,)}),
        ("Which instructors have advised a student?", {("Ann", "Garcia"), ("Bo", "Ito")}),
    ],
)
def test_rows_that_have_or_lack_something(asked: str, rows: set[Any], school: Database) -> None:
    assert answered(asked, school) == rows


@pytest.mark.parametrize(
    ("asked", "share"),
    [
        ("What percentage of students have no advisor?", 20.0),
        ("What proportion of enrolments have not been graded yet?", 2 / 6),
        ("What is the share of courses without prerequisites?", 0.5),
        ("What is the share of courses with prerequisites?", 0.5),
    ],
)
def test_shares_of_rows_that_lack_something(asked: str, share: float, school: Database) -> None:
    ((found,),) = answered(asked, school)
    assert found == pytest.approx(share)


@pytest.mark.parametrize(
    ("asked", "rows"),
    [
        ("How many students come from neither Porto nor Lagos?", {(1,)}),
        ("students outside Porto", {("Dev", "Garcia"), ("Jonas", "Ito")}),
        ("Find the students who took both Databases and Statistics.", {("Lena", "Haas")}),
        ("students who took Databases", {("Lena", "Haas"), ("Dev", "Garcia")}),
        ("How many students took Databases?", {(2,)}),
    ],
)
def test_values_left_out_and_together(asked: str, rows: set[Any], school: Database) -> None:
    assert answered(asked, school) == rows


@pytest.mark.parametrize(
    "asked",
    [
        "students from Berlin",
        "list courses in the Physics department",
        "students from porto and berlin",
        "sections in the physics building",
    ],
)
def test_names_that_are_nowhere_are_not_passed_over(asked: str, school: Database) -> None:
    """All students are no answer where those of an unknown city are asked for."""
    answer = ask(asked, school)
    assert answer.result is None
    assert answer.refusal is not None


@pytest.mark.parametrize("asked", ["both", "-both- Porto and", "outside", "never"])
def test_words_that_lead_nowhere_do_no_harm(asked: str, school: Database) -> None:
    assert ask(asked, school).refusal is not None


def test_somebody_who_does_something_to_rows_is_none_of_them(school: Database) -> None:
    answer = ask("how many students does Ann Garcia advise", school, confidence=0.0)
    assert answer.result is not None
    assert answer.result.rows == ((2,),)


def test_states_go_by_their_codes(tmp_path_factory: pytest.TempPathFactory) -> None:
    shops = "CREATE TABLE shop (shop_id INTEGER PRIMARY KEY, name TEXT, state TEXT, code TEXT);" + "".join(
        f"INSERT INTO shop VALUES ({i}, 'Shop {i}', '{s}', 'AZ');"
        for i, s in enumerate(["AZ", "NV", "NM", "AZ", "WV", "VA"])
    )
    with made(shops, tmp_path_factory.mktemp("shops")) as database:
        assert answered("How many shops are in Arizona?", database) == {(2,)}
        assert answered("shops in New Mexico", database) == {("Shop 2",)}
        assert answered("shops in West Virginia", database) == {("Shop 4",)}


def answered(asked: str, database: Database) -> set[Any]:
    answer = ask(asked, database)
    assert answer.result is not None, answer.text
    return set(answer.result.rows)
