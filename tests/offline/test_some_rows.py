"""As many rows as a question wants, whichever, and columns in the order of its words."""

from collections.abc import Iterator

import pytest

from fathom.databases import Database
from fathom.knowledge import KnowledgePack
from fathom.offline.checks.faults import contradicts_itself
from fathom.offline.engine import OfflineEngine
from fathom.offline.finishing.said_order import in_said_order
from fathom.offline.linking.cues import find_negations
from fathom.offline.linking.text import tokenize
from fathom.offline.queries.from_sql import parse
from fathom.records import Question
from tests.offline.asked_databases import asked_database


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with asked_database("some_rows", "town", tmp_path_factory.mktemp("town")) as database:
        yield database


@pytest.fixture(scope="module")
def engine(town: Database, tmp_path_factory: pytest.TempPathFactory) -> OfflineEngine:
    return OfflineEngine(town, KnowledgePack(), cache=tmp_path_factory.mktemp("cache"))


@pytest.mark.parametrize(
    ("asked", "count"),
    [
        ("List 3 hotel names.", 3),
        ("Show me any two hotels in Bern.", 2),
        ("Could you please name four hotels?", 4),
        ("List 20 hotels.", 20),
        ("Show the names and cities of 3 hotels.", None),
        ("What are the names of 3 hotels?", None),
        ("Show the names of 3 hotels.", 3),
        ("Give me the top 2 hotels by star.", None),
        ("List 5 star hotels.", None),
        ("Show the hotels opened before 1950.", None),
        ("List the first two hotels in alphabetical order.", None),
        ("List hotels with 2 beds.", None),
    ],
)
def test_a_number_of_the_things_listed_is_that_of_rows(
    asked: str, count: int | None, engine: OfflineEngine
) -> None:
    some = engine.some_of(Question(asked))
    assert (some and some[1]) == count


@pytest.mark.parametrize(
    ("where", "never"),
    [
        ("city = 'Bern' AND city = 'Chur'", True),
        ("city = 'Bern' AND city != 'Bern'", True),
        ("city = 'Bern' OR city = 'Chur'", False),
        ("city = 'Bern' AND star = 5", False),
        ("city = 'Bern' AND city != 'Chur'", False),
        ("star = 5 AND hotel_id IN (SELECT hotel_id FROM room WHERE beds = 1 AND beds = 2)", True),
    ],
)
def test_conditions_that_no_row_meets_are_seen(where: str, never: bool, engine: OfflineEngine) -> None:
    query = parse(f"SELECT hotel_name FROM hotel WHERE {where}", engine.planner)
    assert contradicts_itself(query) == never


@pytest.mark.parametrize(
    ("text", "denied"),
    [
        ("rooms of hotel No. 3", 0),
        ("rooms of hotel no. 3", 0),
        ("hotels with no room", 1),
        ("there is no 3", 1),
    ],
)
def test_a_number_is_not_denied(text: str, denied: int) -> None:
    assert len(find_negations(tokenize(text))) == denied


@pytest.mark.parametrize(
    ("asked", "sql", "shown"),
    [
        ("the city and the name of hotels", "SELECT hotel_name, city FROM hotel", ["city", "hotel_name"]),
        ("name and city of hotels", "SELECT city, hotel_name FROM hotel", ["hotel_name", "city"]),
        ("what of the city", "SELECT hotel_name, city FROM hotel", ["hotel_name", "city"]),
    ],
)
def test_columns_are_shown_as_they_are_named(
    asked: str, sql: str, shown: list[str], engine: OfflineEngine
) -> None:
    query = in_said_order(parse(sql, engine.planner), engine.link(Question(asked)))
    assert [c.name for c in query.select] == shown  # type: ignore[union-attr]
