from collections.abc import Iterator

import pytest
from tests.databases import makers
from tests.databases.guard.tables import TABLES

from fathom.databases import Database


@pytest.fixture(scope="module", params=sorted(TABLES))
def database(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """The same tables on each of the four engines."""
    dialect = request.param
    with getattr(makers, f"{dialect}_databases")(tmp_path_factory.mktemp(dialect)) as make:
        yield make(*TABLES[dialect])
