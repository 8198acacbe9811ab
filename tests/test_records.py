import math
from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from fathom import registry
from fathom.errors import ConfigError, SchemaError, UnknownName
from fathom.records import Answer, Column, Limits, Reading, Schema, Step, Table, Trace, Usage, shown_value
from fathom.records.shared_fields import shared_fields


def test_unknown_column_suggests_the_nearest() -> None:
    table = Table("gene", (Column("symbol", "TEXT", "text"), Column("length", "INTEGER", "integer")))
    assert Schema("sqlite", (table,)).table("GENE").column("Symbol").name == "symbol"
    with pytest.raises(SchemaError, match="Did you mean 'symbol'"):
        table.column("symbl")


def test_unknown_price_is_not_zero() -> None:
    known, unknown = Usage(calls=1, cost_usd=Decimal("0.1")), Usage(calls=2, cost_usd=None)
    total = Trace((Step("a", "selection", usage=known), Step("b", "revision", usage=unknown))).usage
    assert total.calls == 3
    assert total.cost_usd is None


def test_registry_names_the_nearest() -> None:
    with pytest.raises(UnknownName, match="There is no method 'offlin'"):
        registry.load("methods", "offlin")


@pytest.mark.parametrize(
    "limit", [{"seconds": 0}, {"seconds": -1.5}, {"rows": -5}, {"bytes": -1}, {"steps": -1}]
)
def test_limits_that_let_nothing_run_are_refused(limit: dict[str, float]) -> None:
    name, value = next(iter(limit.items()))
    with pytest.raises(ConfigError, match=f"A limit of {value:g} {name}"):
        Limits(**limit)  # type: ignore[arg-type]
    assert Limits(rows=0).rows == 0


@pytest.mark.parametrize("seconds", [math.inf, 1e10, 1_000_001])
def test_a_clock_that_no_engine_counts_to_is_refused(seconds: float) -> None:
    with pytest.raises(ConfigError, match="too long: 1,000,000 at the most"):
        Limits(seconds=seconds)
    assert Limits(seconds=1_000_000).seconds == 1_000_000


@pytest.mark.parametrize(
    ("cell", "shown"),
    [
        (1234567.891, "1234567.89"),
        (2.0e15, "2000000000000000"),
        (1e300, "1e+300"),
        (Decimal("1.500000"), "1.5"),
        (Decimal("9007199254740993"), "9007199254740993"),
        (Decimal("12345678901234567890.125"), "12345678901234567890.12"),
        (Decimal("1E+20"), "100000000000000000000"),
        (Decimal("1E+400"), "1e+400"),
        (Decimal("sNaN"), "sNaN"),
        (["a", None, [True, 2.0]], "[a, not known, [yes, 2]]"),
        ((date(2024, 2, 29), Decimal("0.10")), "[2024-02-29, 0.1]"),
        ({"name": "Ann", "ages": [31]}, "{name: Ann, ages: [31]}"),
        ([], "[]"),
        (["long"] * 100, f"[{'long, ' * 19}long…"),
    ],
)
def test_cells_are_shown_for_people(cell: Any, shown: str) -> None:
    assert shown_value(cell) == shown


def test_records_are_made_of_the_parts_that_they_share() -> None:
    reading = Reading("each once", "SELECT 1", 0.5, answer="1 row.", explanation="Counts.")
    kept = shared_fields(reading, Answer, but=("text",))
    assert kept.keys() == {"sql", "confidence", "explanation", "assumptions", "result", "shown", "chart"}
    assert (kept["sql"], kept["confidence"], kept["explanation"]) == ("SELECT 1", 0.5, "Counts.")
