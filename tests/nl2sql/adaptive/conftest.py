"""One database for all tests of a module: nothing here writes to it, and each test has a cache of its own."""

from collections.abc import Iterator

import pytest
from tests.nl2sql.conftest import genes

from fathom.databases import Database


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with genes(tmp_path_factory.mktemp("genes")) as opened:
        yield opened
