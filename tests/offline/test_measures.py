"""Numbers that a column holds, where a question seems to count; and extremes of numbers, never of words."""

import re
from collections.abc import Iterator

import pytest

from fathom.knowledge import KnowledgePack
from fathom.offline.engine import OfflineEngine
from fathom.records import Question
from tests.offline.asked_databases import asked_database


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OfflineEngine]:
    with asked_database("measures", "atlas", tmp_path_factory.mktemp("atlas")) as database:
        yield OfflineEngine(database, KnowledgePack())


@pytest.mark.parametrize("asked", ["what is the highest point", "which country has the highest point"])
def test_extremes_are_never_those_of_words(engine: OfflineEngine, asked: str) -> None:
    made = [sql for _, sql in engine.written(Question(asked))]
    assert made
    assert not [
        s for s in made if "MAX(highest_point)" in s or re.search("ORDER BY highest_point.* LIMIT", s)
    ]


def test_who_speaks_of_the_alphabet_means_words(engine: OfflineEngine) -> None:
    made = [sql for _, sql in engine.written(Question("the top city in alphabetical order"))]
    assert [s for s in made if "ORDER BY city_name" in s and "LIMIT" in s]
