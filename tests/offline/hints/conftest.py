"""A small library: books, authors and lenders, with the traps that evidence sets."""

from collections.abc import Iterator

import pytest

from fathom.databases import Database
from fathom.offline.engine import OfflineEngine
from tests.offline.asked_databases import asked_database


@pytest.fixture(scope="session")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with asked_database("evidence", "library", tmp_path_factory.mktemp("library")) as opened:
        yield opened


@pytest.fixture(scope="session")
def engine(database: Database, tmp_path_factory: pytest.TempPathFactory) -> OfflineEngine:
    return OfflineEngine(database, cache=tmp_path_factory.mktemp("cache"))
