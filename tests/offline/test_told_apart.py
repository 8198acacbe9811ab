"""Days since something happened, which are others every day."""

from collections.abc import Iterator
from datetime import date
from typing import Any

import pytest

from fathom.databases import Database
from tests.offline.asked_databases import asked_database
from tests.offline.asking import ask


@pytest.fixture(scope="module")
def deals(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with asked_database("told_apart", "deals", tmp_path_factory.mktemp("deals")) as database:
        yield database


def _rows(asked: str, database: Database) -> list[tuple[Any, ...]]:
    draft = ask(asked, database)
    assert draft.refusal is None, draft.sql
    assert draft.sql is not None
    rows = database.run(draft.sql).rows
    return [tuple(round(c, 6) if isinstance(c, float) else c for c in row) for row in rows]


def test_days_are_counted_since_the_last(deals: Database) -> None:
    ((days,),) = _rows("How many days has it been since the last transaction?", deals)
    ((weeks,),) = _rows("how long in weeks since the latest transaction?", deals)
    assert abs(days - (date.today() - date(2023, 4, 3)).days) <= 2
    assert abs(days / 7 - weeks) < 0.01
