"""Weekdays in every engine, and which words of a text are times."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fathom.databases import Database
from fathom.offline.filters.time_phrases import moments
from tests.offline.asked_databases import opened
from tests.offline.asked_files import ASKED, databases
from tests.offline.asking import ask

TASKS = databases(ASKED / "times.yaml")["tasks"]


@pytest.fixture(scope="module", params=TASKS, ids=lambda given: given.engine)
def tasks(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with opened(request.param, tmp_path_factory.mktemp("tasks")) as database:
        yield database


def test_weekdays_and_weekends(tasks: Database, tmp_path: Path) -> None:
    weekend = {r for r in _rows("titles of tasks opened on weekends", tasks, tmp_path) if r != ("Wash",)}
    assert weekend == {("Mow",), ("Dust",)}
    per_day = dict(_rows("how many tasks were opened per weekday", tasks, tmp_path))
    assert sum(per_day.values()) == 5
    assert set(per_day) >= {1, 6}  # Mondays and Saturdays, Sunday being 0


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
