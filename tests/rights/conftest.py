"""The shop on each engine, whole and as its restricted user sees it."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from fathom.databases import Database
from tests.databases import makers
from tests.rights.world import GRANTED, TWIN, WHOLE

MAKERS = {
    "sqlite": makers.sqlite_databases,
    "duckdb": makers.duckdb_databases,
    "postgres": makers.postgres_databases,
    "mysql": makers.mysql_databases,
}

WAREHOUSES = {
    "trino": makers.trino_databases,
    "bigquery": makers.bigquery_databases,
    "snowflake": makers.snowflake_databases,
    "spark": makers.spark_databases,
}


@dataclass(frozen=True)
class Shop:
    """The whole database, what its user sees of it, and a database that holds nothing but that."""

    whole: Database
    seen: Database
    twin: Database
    cache: Path


def shops(engine: str, folder: Path) -> Iterator[Shop]:
    """The shop on one engine."""
    with (MAKERS | WAREHOUSES)[engine](folder) as make:
        whole = make(*WHOLE)
        yield Shop(whole, whole.restricted(GRANTED), make(*TWIN), folder / "cache")


@pytest.fixture(scope="module", params=MAKERS)
def shop(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    yield from shops(request.param, tmp_path_factory.mktemp("shop"))


@pytest.fixture(scope="module")
def sqlite_shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    yield from shops("sqlite", tmp_path_factory.mktemp("shop"))
