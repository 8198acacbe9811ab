"""What engines behind a URL share: no text tells a secret, and a big schema is read in time."""

import time
from importlib import import_module

import pytest

from fathom.databases.accounts import AccountRisk, described, remedy
from fathom.databases.engine import percent_of
from fathom.databases.remote import Remote
from fathom.databases.warehouse import KeyFound, _Keys
from fathom.records import Limits, Table

SECRET = "s3cret-w0rd"
ENGINES = [
    ("bigquery", "BigQuery", f"bigquery://shop/main?access_token={SECRET}", ""),
    (
        "databricks",
        "Databricks",
        f"databricks://token:{SECRET}@dbc.example.com?http_path=/sql/1",
        "databricks.sql",
    ),
    ("mysql", "MySQL", f"mysql://reader:{SECRET}@localhost/shop", ""),
    ("postgres", "Postgres", f"postgresql://reader:{SECRET}@localhost/shop", ""),
    ("snowflake", "Snowflake", f"snowflake://reader:{SECRET}@account/shop", ""),
    ("spark", "Spark", f"spark://localhost/shop?token={SECRET}", "pyspark"),
    ("trino", "Trino", f"trino://reader@localhost:8080/memory?access_token={SECRET}", ""),
]
"""Each engine's module and class, a URL with a secret, and the driver that may not be installed."""


@pytest.fixture(params=ENGINES, ids=lambda engine: engine[0])
def engine(request: pytest.FixtureRequest) -> Remote:
    """One of the engines, which nothing was sent to yet."""
    module, name, url, driver = request.param
    if driver:
        pytest.importorskip(driver)
    made: Remote = getattr(import_module(f"fathom.databases.{module}"), name)(url)
    return made


def test_no_error_of_a_query_tells_a_secret_of_the_url(engine: Remote) -> None:
    error = engine.errors[0](f"the server was called\nwith {SECRET}")
    shown = engine.translate(error, "SELECT 1", Limits())
    assert "called with ***" in str(shown)
    assert SECRET not in str(shown)


def test_every_engine_has_a_remedy(engine: Remote) -> None:
    risks = [AccountRisk("writes", "may change tables"), AccountRisk("untold", "nobody tells its roles")]
    assert len(remedy(engine.dialect, "shop", risks)) > 100
    assert described("ann", risks) == (
        "The account 'ann' can do more than read: it may change tables. "
        "The account 'ann' may be able to do more than read: nobody tells its roles."
    )


def test_a_big_schema_takes_no_longer_than_its_size() -> None:
    def seconds(tables: int) -> float:
        names = [f"t{i}" for i in range(tables)]
        keys = _Keys(KeyFound(f"pk_{n}", "primary", "main", n, "id") for n in names)
        started = time.process_time()
        found = [list(keys.of("primary", ("main", n))) for n in names]
        assert found == [[("id",)]] * tables
        return time.process_time() - started

    # Eight times the tables; each table asked through all keys would be 64 times the work.
    assert min(seconds(8_000) for _ in range(3)) < 25 * min(seconds(1_000) for _ in range(3))


def test_a_sample_is_a_share_of_a_big_table() -> None:
    assert percent_of(Table("t", (), row_count=100_000), 1_000) == pytest.approx(1.2)
    assert percent_of(Table("t", (), row_count=2_000), 1_000) is None
    assert percent_of(Table("t", ()), 1_000) is None
    assert percent_of(Table("t", (), row_count=100_000, is_view=True), 1_000) is None
