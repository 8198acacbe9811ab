"""Rights on the stand-ins of Trino, BigQuery and Snowflake, and on a real Spark: nothing hidden is met."""

import pytest

from tests.rights import test_attacks
from tests.rights.conftest import WAREHOUSES, Shop
from tests.rights.test_restricted import grant
from tests.rights.world import leaks

SHOPS = [pytest.param(name, marks=[pytest.mark.spark] * (name == "spark")) for name in WAREHOUSES]
pytestmark = pytest.mark.parametrize("shop", SHOPS, indirect=True, scope="module")


def test_the_schema_is_that_of_what_is_seen(shop: Shop) -> None:
    seen, twin = (
        {(t.name, t.columns, t.row_count) for t in d.schema.tables if not t.is_view}
        for d in (shop.seen, shop.twin)
    )
    assert seen == twin
    # What a view reads isn't known here, so that it is seen only where a grant names it.
    assert not [t for t in shop.seen.schema.tables if t.is_view]
    named = shop.whole.restricted(grant(tables=("*", "dear_products")))
    assert [t.name for t in named.schema.tables if t.is_view] == ["dear_products"]
    assert shop.seen.schema.foreign_keys == shop.twin.schema.foreign_keys
    assert not leaks((shop.seen.schema, shop.seen.profile()))
    assert leaks((shop.whole.schema, shop.whole.profile()))


def test_no_statement_reaches_what_is_hidden(shop: Shop) -> None:
    test_attacks.test_no_statement_reaches_what_is_hidden(shop)


def test_a_hidden_name_is_told_of_as_one_that_nothing_has(shop: Shop) -> None:
    test_attacks.test_a_hidden_name_is_told_of_as_one_that_nothing_has(shop)


def test_the_attacks_reach_it_where_nothing_is_hidden(shop: Shop) -> None:
    test_attacks.test_the_attacks_reach_it_where_nothing_is_hidden(shop)


def test_rows_that_are_hidden_tell_nothing(shop: Shop) -> None:
    answered = 0
    for sql in test_attacks.lines("probes"):
        told = test_attacks.told(shop.seen, sql)
        assert told == test_attacks.told(shop.twin, sql), sql
        answered += not told.startswith("Query")
    assert answered >= 9
