"""sql_eval's questions on Snowflake's emulator, against SQLite: see `bench.parts.warehouses`."""

from collections.abc import Iterable

from bench.figures import Figure
from bench.parts.warehouses import on_engine

TITLE = "sql_eval on Snowflake's emulator"


def measure() -> Iterable[Figure]:
    return on_engine("Snowflake")
