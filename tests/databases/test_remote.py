"""What engines behind a URL share: no text tells a secret, and a big schema is read in time."""

import time
from collections.abc import Callable

import pytest

from fathom.databases.accounts import AccountRisk, remedy, told
from fathom.databases.engine import percent_of
from fathom.databases.remote import Remote
from fathom.databases.warehouse import KeyFound, _Keys
from fathom.records import Limits, Table


def _bigquery() -> Remote:
    from fathom.databases.bigquery import BigQuery

    return BigQuery("bigquery://shop/main?access_token=s3cret-w0rd")


def _databricks() -> Remote:
    pytest.importorskip("databricks.sql")
    from fathom.databases.databricks import Databricks

    return Databricks("databricks://token:s3cret-w0rd@dbc.example.com?http_path=/sql/1")


def _mysql() -> Remote:
    from fathom.databases.mysql import MySQL

    return MySQL("mysql://reader:s3cret-w0rd@localhost/shop")


def _postgres() -> Remote:
    from fathom.databases.postgres import Postgres

    return Postgres("postgresql://reader:s3cret-w0rd@localhost/shop")


def _snowflake() -> Remote:
    from fathom.databases.snowflake import Snowflake

    return Snowflake("snowflake://reader:s3cret-w0rd@account/shop")


def _spark() -> Remote:
    pytest.importorskip("pyspark")
    from fathom.databases.spark import Spark

    return Spark("spark://localhost/shop?token=s3cret-w0rd")


def _trino() -> Remote:
    from fathom.databases.trino import Trino

    return Trino("trino://reader@localhost:8080/memory?access_token=s3cret-w0rd")


ENGINES = [_bigquery, _databricks, _mysql, _postgres, _snowflake, _spark, _trino]


@pytest.mark.parametrize("make", ENGINES)
def test_no_error_of_a_query_tells_a_secret_of_the_url(make: Callable[[], Remote]) -> None:
    engine = make()
    error = engine.errors[0]("the server was called\nwith s3cret-w0rd")
    shown = engine.translate(error, "SELECT 1", Limits())
    assert "called with ***" in str(shown)
    assert "s3cret" not in str(shown)


@pytest.mark.parametrize("make", ENGINES)
def test_every_engine_has_a_remedy(make: Callable[[], Remote]) -> None:
    risks = [AccountRisk("writes", "may change tables"), AccountRisk("untold", "nobody tells its roles")]
    assert len(remedy(make().dialect, "shop", risks)) > 100
    assert told("ann", risks) == (
        "The account 'ann' can do more than read: it may change tables. "
        "The account 'ann' may be able to do more than read: nobody tells its roles."
    )


def test_a_big_schema_takes_no_longer_than_its_size() -> None:
    def seconds(tables: int) -> float:
        names = [f"t{i}" for i in range(tables)]
        keys = _Keys(KeyFound(f"pk_{n}", "primary", "main", n, "id") for n in names)
        started = time.perf_counter()
        found = [list(keys.of("primary", ("main", n))) for n in names]
        assert found == [[("id",)]] * tables
        return time.perf_counter() - started

    # Eight times the tables; each table asked through all keys would be 64 times the work.
    assert min(seconds(8_000) for _ in range(3)) < 25 * min(seconds(1_000) for _ in range(3))


def test_a_sample_is_a_share_of_a_big_table() -> None:
    assert percent_of(Table("t", (), row_count=100_000), 1_000) == pytest.approx(1.2)
    assert percent_of(Table("t", (), row_count=2_000), 1_000) is None
    assert percent_of(Table("t", ()), 1_000) is None
    assert percent_of(Table("t", (), row_count=100_000, is_view=True), 1_000) is None
