"""A long schema is told in parts: each column once, the tables nearest to the question first."""

import pytest

from fathom.nl2sql.schema_parts import schema_parts
from fathom.nl2sql.schema_text import ShownSchema
from fathom.records import Column, Schema, Table

NAMES = ("patients", "invoices", "wards", "drugs", "shifts")
SCHEMA = Schema(
    "sqlite",
    tuple(
        Table(n, tuple(Column(f"{n}_field_{i}", "TEXT", "text") for i in range(40)), row_count=5)
        for n in NAMES
    ),
)


def test_one_part_where_it_fits() -> None:
    assert len(schema_parts(ShownSchema(SCHEMA), "How many drugs?")) == 1


@pytest.mark.parametrize("letters", [400, 1_500, 3_000])
def test_every_column_stands_in_one_part_and_the_nearest_come_first(letters: int) -> None:
    parts = schema_parts(ShownSchema(SCHEMA), "How many drugs are there?", letters=letters)

    assert len(parts) > 1
    assert parts[0].tables[0] == "drugs"
    assert all(len(p.text) <= letters for p in parts)
    assert all(name in p.text for p in parts for name in p.tables)
    held = [set(part.text.replace(",", " ").split()) for part in parts]
    for name in NAMES:
        for i in range(40):
            assert sum(f"{name}_field_{i}" in words for words in held) == 1
