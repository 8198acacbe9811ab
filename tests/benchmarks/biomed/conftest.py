from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from fathom.benchmarks.biomed import DEMO_ROWS as ROWS
from fathom.benchmarks.biomed import build


@pytest.fixture(scope="session")
def small_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("biomed") / "small.duckdb", rows=ROWS)


@pytest.fixture
def small(small_file: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect(str(small_file), read_only=True) as connection:
        yield connection


@pytest.fixture(scope="session")
def twenty_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("biomed") / "twenty.duckdb", rows=50_000, table_count=20)


@pytest.fixture
def twenty(twenty_file: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect(str(twenty_file), read_only=True) as connection:
        yield connection
