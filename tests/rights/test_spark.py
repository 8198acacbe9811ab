"""Rights on a real Spark: a user meets nothing that is hidden."""

import pytest

from tests.rights import test_attacks
from tests.rights.conftest import OTHERS, Shop
from tests.rights.world import leaks

pytestmark = [pytest.mark.spark, pytest.mark.parametrize("shop", OTHERS, indirect=True, scope="module")]


def test_the_schema_is_that_of_what_is_seen(shop: Shop) -> None:
    seen, twin = (
        {(t.name, t.columns, t.row_count) for t in d.schema.tables if not t.is_view}
        for d in (shop.seen, shop.twin)
    )
    assert seen == twin
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
