"""A small airline and its crew, with what joins get wrong: two keys to one table, a bridge, a self-key."""

import pytest

from fathom.offline.queries.joins import JoinPlanner
from fathom.records.schema import Column, ForeignKey, Schema, Table


def table(name: str, key: str, *columns: str) -> Table:
    kinds = {"id": "integer", "number": "integer", "hours": "number"}
    listed = [Column(c, "TEXT", kinds.get(c.rsplit("_", 1)[-1], "text")) for c in columns]  # type: ignore[arg-type]
    return Table(name, tuple(listed), (key,))


@pytest.fixture
def schema() -> Schema:
    return Schema(
        "sqlite",
        (
            table("airport", "airport_id", "airport_id", "city", "country"),
            table("flight", "flight_id", "flight_id", "from_id", "to_id", "flight_number"),
            table("pilot", "pilot_id", "pilot_id", "pilot_name", "flown_hours", "mentor_id"),
            table("crew", "flight_id", "flight_id", "pilot_id", "role"),
            table("order", "order_id", "order_id", "unit price"),
        ),
        (
            ForeignKey("flight", ("from_id",), "airport", ("airport_id",)),
            ForeignKey("flight", ("to_id",), "airport", ("airport_id",)),
            ForeignKey("crew", ("flight_id",), "flight", ("flight_id",)),
            ForeignKey("crew", ("pilot_id",), "pilot", ("pilot_id",)),
            ForeignKey("pilot", ("mentor_id",), "pilot", ("pilot_id",)),
        ),
    )


@pytest.fixture
def planner(schema: Schema) -> JoinPlanner:
    return JoinPlanner(schema)
