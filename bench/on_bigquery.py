"""sql_eval's questions on BigQuery's emulator, against SQLite: see `bench.parts.warehouses`."""

from collections.abc import Iterable

from bench.figures import Figure
from bench.parts.warehouses import on_engine

TITLE = "sql_eval on BigQuery's emulator"


def measure() -> Iterable[Figure]:
    return on_engine("BigQuery")
