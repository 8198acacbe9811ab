"""Times counted from today, quarters, weekdays, and how long things take, in every engine."""

from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from fathom.databases import Database
from fathom.offline.filters.time_phrases import moments
from tests.databases import makers
from tests.offline.asking import ask
from tests.offline.making import made

TODAY = date.today()  # once, for a run may last beyond midnight


def _back(days: int) -> str:
    return str(TODAY - timedelta(days=days))


TASKS = (
    "CREATE TABLE members (member_id INTEGER PRIMARY KEY, name VARCHAR(40), city VARCHAR(40),"
    " birth_date DATE, joined_on DATE)",
    "CREATE TABLE tasks (task_id INTEGER PRIMARY KEY, title VARCHAR(40), member_id INTEGER"
    " REFERENCES members, opened_on DATE, closed_on DATE)",
    f"INSERT INTO members VALUES (1, 'Ann', 'Oslo', '{_back(20 * 365 + 100)}', '{_back(2)}'),"
    f" (2, 'Bob', 'Bergen', '{_back(50 * 365 + 100)}', '{_back(20)}'),"
    f" (3, 'Cleo', 'Oslo', '{_back(35 * 365 + 100)}', '{_back(400)}')",
    "INSERT INTO tasks VALUES (1, 'Paint', 1, '2022-01-03', '2022-01-05'),"
    " (2, 'Mow', 1, '2022-03-12', '2022-03-26'), (3, 'Sweep', 2, '2022-05-02', '2022-05-22'),"
    f" (4, 'Dust', 2, '2023-11-18', NULL), (5, 'Wash', 3, '{_back(3)}', '{_back(1)}')",
)


@pytest.fixture(scope="module", params=["sqlite", "duckdb", "postgres", "mysql"])
def tasks(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with getattr(makers, f"{request.param}_databases")(tmp_path_factory.mktemp(request.param)) as make:
        yield make(*TASKS)


@pytest.mark.parametrize(
    ("asked", "rows"),
    [
        ("which members joined in the last 30 days", {("Ann",), ("Bob",)}),
        ("members who joined more than 5 days ago", {("Bob",), ("Cleo",)}),
        ("how many members joined less than 5 days ago", {(1,)}),
        ("tasks opened in the past 2 weeks", {("Wash",)}),
        ("how many tasks were opened in the first quarter of 2022", {(2,)}),
        ("tasks opened between March and May 2022", {("Mow",), ("Sweep",)}),
        ("tasks closed in March 2022", {("Mow",)}),
        ("how many tasks were opened before March 2022", {(1,)}),
        ("how many tasks were opened per quarter in 2022", {(1, 2), (2, 1)}),
        ("which tasks took more than 10 days", {("Mow",), ("Sweep",)}),
        ("how old is Bob", {(50,)}),
        ("members older than 30", {("Bob",), ("Cleo",)}),
        ("who is the youngest member", {("Ann",)}),
        ("which members live in Oslo", {("Ann",), ("Cleo",)}),
        ("where does Bob live", {("Bergen",)}),
    ],
)
def test_times(asked: str, rows: set[Any], tasks: Database, tmp_path: Path) -> None:
    assert _rows(asked, tasks, tmp_path) == rows


def test_weekdays_and_weekends(tasks: Database, tmp_path: Path) -> None:
    weekend = {r for r in _rows("titles of tasks opened on weekends", tasks, tmp_path) if r != ("Wash",)}
    assert weekend == {("Mow",), ("Dust",)}
    per_day = dict(_rows("how many tasks were opened per weekday", tasks, tmp_path))
    assert sum(per_day.values()) == 5
    assert set(per_day) >= {1, 6}  # Mondays and Saturdays, Sunday being 0


def test_how_long_things_take(tasks: Database, tmp_path: Path) -> None:
    (mean,) = _rows("average number of days between opening and closing of tasks", tasks, tmp_path)
    assert float(mean[0]) == pytest.approx((2 + 14 + 20 + 2) / 4)
    assert _rows("which task took the longest", tasks, tmp_path) == {("Sweep",)}
    by = _rows("how long did each task take", tasks, tmp_path)
    assert {(t, d if d is None else round(float(d))) for t, d in by} >= {("Paint", 2), ("Dust", None)}


def test_when_things_happened_first_and_last(tasks: Database, tmp_path: Path) -> None:
    assert {str(r[0])[:10] for r in _rows("when was the first task opened", tasks, tmp_path)} == {
        "2022-01-03"
    }
    latest = _rows("the most recent task of each member", tasks, tmp_path)
    assert {(n, str(d)[:10]) for n, d in latest} == {
        ("Ann", "2022-03-12"), ("Bob", "2023-11-18"), ("Cleo", _back(3)),
    }  # fmt: skip


@pytest.mark.parametrize(
    "asked",
    [
        "members who joined last year and this year",
        "how many cities were there in the last 30 days",
        "tasks that took more than 10 days on weekends and holidays",
    ],
)
def test_what_is_not_clear_is_declined(asked: str, tasks: Database, tmp_path: Path) -> None:
    assert ask(asked, tasks, tmp_path).refusal is not None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("flights in the last 30 days", ["in the last 30 days"]),
        ("sent last month by Ann", ["last month"]),
        ("in Q3 2022 and on weekends", ["in Q3 2022", "on weekends"]),
        ("the last 3 orders", []),
        ("on 5 May 2021", ["on 5 May 2021"]),
        ("placed on 2021-05-05 or after May 7th, 2021", ["on 2021-05-05", "after May 7th, 2021"]),
        ("between 2021-05-05 and 2021-06-30", ["between 2021-05-05 and 2021-06-30"]),
        ("on 2021-02-30", []),
        ("before 2021-05-05 07:13:53", []),
        ("the first two months of 2021", ["the first two months of 2021"]),
        ("the last quarter of 2021", ["the last quarter of 2021"]),
    ],
)
def test_times_in_text(text: str, said: list[str]) -> None:
    assert [text[m.start : m.end] for m in moments(text) if not m.verbal] == said


def _rows(asked: str, database: Database, folder: Path) -> set[Any]:
    draft = ask(asked, database, folder)
    assert draft.sql is not None
    assert draft.refusal is None, draft.sql
    return set(database.run(draft.sql).rows)


def test_dates_of_other_rows_that_are_said(tmp_path: Path) -> None:
    statements = """
CREATE TABLE patient (pat_no INTEGER PRIMARY KEY, surname TEXT, dob DATE);
CREATE TABLE stay (stay_id INTEGER PRIMARY KEY, pat_no INTEGER REFERENCES patient, admitted_on DATE);
INSERT INTO patient VALUES (1, 'Ek', '2021-03-01'), (2, 'Lo', '1950-05-06'), (3, 'Mo', '1950-07-08');
INSERT INTO stay VALUES (1, 2, '2021-04-04'), (2, 3, '2022-04-04');
"""
    with made(statements, tmp_path) as wards:
        assert _rows("patients born in 1950", wards, tmp_path) == {("Lo",), ("Mo",)}
        draft = ask("Which patients were admitted in 2021?", wards, tmp_path)
        assert draft.refusal is not None or wards.run(draft.sql or "").rows == (("Lo",),)
