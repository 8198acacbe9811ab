from decimal import Decimal

import pytest

from fathom import registry
from fathom.errors import ConfigError, SchemaError, UnknownName
from fathom.records import Column, Limits, Schema, Step, Table, Trace, Usage


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
